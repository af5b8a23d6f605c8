"""Runs a UDF under a peer, over the batches that the tracker's worker gives it.

``python peer.py TOOL ASSIGNMENT``, where TOOL is ``memray``, ``tracemalloc``, ``mallinfo`` or
``arrow``, and ASSIGNMENT has the fields of the worker's, as JSON. Prints one line of JSON, in bytes
above what was there after the first batch: ``series`` after each later one, from tools that can say
them; ``kept`` the last of them; ``peak`` the highest, where the tool knows it.

Loads the UDF and makes its batches with the worker's own parts, which count nothing.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
import tracemalloc
from typing import Any, Callable

import pyarrow as pa

_HARNESS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(_HARNESS, "python"))

from highwater_runner import interpreter  # noqa: E402
from highwater_runner.assignment import Assignment  # noqa: E402
from highwater_runner.compact import compact, prepare  # noqa: E402
from highwater_runner.file import File  # noqa: E402
from highwater_runner.form import Form  # noqa: E402
from highwater_runner.table import Table  # noqa: E402
from highwater_runner.udf import Location  # noqa: E402

Answer = dict[str, Any]


class Subject:
    """A UDF that has seen its first batch, and all of its batches."""

    def __init__(self, assignment: Assignment) -> None:
        self.batches = assignment.batches
        source: Any = Table(assignment.rows, assignment.seed)
        if assignment.path is not None:
            source = File(assignment.path, assignment.columns, assignment.rows)
        self._schema = source.schema
        # All at once: the reader is in an account of its own in the worker, and peers have one.
        self._lent = [prepare(source.next_batch()) for _ in range(self.batches)]
        location = Location(assignment.udf)
        # As the worker does, so that a first use of something counts in neither.
        interpreter.warm_up()
        for _ in range(4):
            compact(self._lent[0], self._schema)
        location.build()
        location.udf.setup()
        self._call, _ = Form(location.udf, location.name).bind(list(self._schema.names))
        interpreter.freeze()
        # Before 3.12, CPython keeps a table of lines for every code object that ever ran under a
        # profile function, as memray's. They are made here, so as not to be taken for the UDF's.
        sys.setprofile(_look_on)
        self._batch(0)
        sys.setprofile(None)
        interpreter.collect()

    def run(self, after_batch: Callable[[int], None]) -> None:
        """All batches but the first, with the worker's collection after each."""
        for number in range(1, self.batches):
            self._batch(number)
            interpreter.collect()
            after_batch(number - 1)

    def _batch(self, number: int) -> None:
        batch = compact(self._lent[number], self._schema)
        result = self._call(batch)
        del batch, result


def _look_on(*_: object) -> None:
    """A profile function."""


def memray(subject: Subject) -> Answer:
    """Every allocation, Python's objects too, read back from memray's own file."""
    import memray

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "capture")
        with memray.Tracker(path, trace_python_allocators=True):
            subject.run(lambda _: None)
        reader = memray.FileReader(path)
        leaked = reader.get_leaked_allocation_records(merge_threads=True)
        return {"kept": sum(one.size for one in leaked), "peak": reader.metadata.peak_memory}


def traced(subject: Subject) -> Answer:
    """Python's three domains, by the standard library."""
    series = _series(subject.batches)
    tracemalloc.start(1)
    subject.run(lambda number: series.__setitem__(number, tracemalloc.get_traced_memory()[0]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"series": list(series), "kept": series[-1], "peak": peak}


def mallinfo(subject: Subject) -> Answer:
    """Chunks in use by glibc's own books: of its arena, and mappings of their own."""
    in_use = _mallinfo2()
    series = _series(subject.batches)
    before = in_use()
    subject.run(lambda number: series.__setitem__(number, in_use() - before))
    return {"series": list(series), "kept": series[-1]}


def arrow(subject: Subject) -> Answer:
    """What Arrow's default pool says."""
    series = _series(subject.batches)
    before = pa.total_allocated_bytes()
    subject.run(lambda number: series.__setitem__(number, pa.total_allocated_bytes() - before))
    return {"series": list(series), "kept": series[-1]}


def _series(batches: int) -> Any:
    # Made beforehand, so that no number that is noted counts as the UDF's.
    return (ctypes.c_int64 * (batches - 1))()


def _mallinfo2() -> Callable[[], int]:
    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"

    class Info(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in names.split()]

    function = ctypes.CDLL(None).mallinfo2
    function.restype = Info

    def in_use() -> int:
        info = function()
        return int(info.uordblks + info.hblkhd)

    return in_use


TOOLS = {"memray": memray, "tracemalloc": traced, "mallinfo": mallinfo, "arrow": arrow}


def main() -> None:
    """Prints what the tool that was named says of the UDF that was named."""
    tool, assignment = sys.argv[1:]
    print(json.dumps(TOOLS[tool](Subject(Assignment(**json.loads(assignment))))))


if __name__ == "__main__":
    main()
