"""Starts the worker as the harness does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from typing import Any

from .record import Record

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNER = os.path.join(os.path.dirname(HERE), "runner.py")
UDFS = os.path.join(HERE, "udfs.py")

#: The environment of the exact run.
EXACT = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


def tracker() -> str:
    """The library to preload."""
    path = os.environ.get("HIGHWATER_TRACKER")
    assert path and os.path.isfile(path), "set HIGHWATER_TRACKER to libhighwater_preload.so"
    return path


@dataclass
class Outcome:
    """What a worker left."""

    code: int
    output: str
    record: Record | None

    @property
    def finished(self) -> Record:
        """The record of a run that went well."""
        assert self.code == 0 and self.record is not None, (self.code, self.output)
        assert self.record.state == "finished", self.record
        assert all(mark["lost"] == 0 for mark in self.record.marks)
        return self.record


def run(
    udf: str,
    batches: int = 60,
    rows: int = 300,
    path: str | None = None,
    columns: tuple[str, ...] = (),
    preload: bool = True,
    environment: dict[str, str | None] | None = None,
    slices: list[tuple[int, int, int]] | None = None,
    goals: list[int] | None = None,
    **options: Any,
) -> Outcome:
    """Runs a UDF of ``udfs.py``, or of the file that it names, in a worker of its own.

    ``goals`` are the batches after which it is to ask, and in the end to stop.
    """
    given = "generated" if path is None else {"file": {"path": path, "columns": list(columns)}}
    fixture = {
        "name": "test",
        "runtime": "python",
        "udf": udf if ":" in udf or udf.startswith("planted_") else f"{UDFS}:{udf}",
        "batches": batches,
        "rows": rows,
        "seed": 7,
        "input": given,
    }
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record")
        assignment = {"record": record, "fixture": fixture, "harness_pid": os.getpid()}
        if options:
            assignment["python"] = options
        if slices is not None:
            keys = ("batch", "from", "rows")
            assignment["slices"] = [dict(zip(keys, one)) for one in slices]
        if goals is not None:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            assignment["checkpoint"] = {"first": goals[0], "pipe": pipe}
            threading.Thread(target=_answer, args=(pipe, record, goals), daemon=True).start()
        variables = {**os.environ, "HIGHWATER_WORKER": json.dumps(assignment)}
        if options.get("run") != "production":
            variables.update(EXACT)
        if preload:
            variables.update(LD_PRELOAD=tracker(), HIGHWATER_PRELOAD="count")
        variables.update(environment or {})  # type: ignore[arg-type]
        variables = {name: value for name, value in variables.items() if value is not None}
        done = subprocess.run(
            [sys.executable, RUNNER],
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        written = Record.read(record) if os.path.exists(record) else None
        return Outcome(done.returncode, done.stdout, written)


def _answer(pipe: str, record: str, goals: list[int]) -> None:
    """Answers at each of ``goals`` with the next one. A question that was answered may be open
    still: the record tells which one it is."""
    goals = [*goals, goals[-1]]
    while len(goals) > 1:
        with open(pipe, "w") as asking:  # blocks until the worker asks
            if len(Record.read(record).of(4)) == goals[0]:
                asking.write(f"{goals[1]}\n")
                del goals[0]
