"""The work whose time is taken: ``python workloads.py NAME``, which prints one line of JSON.

``wall`` and ``cpu`` are seconds of the loop alone, without the start of the process; ``rss`` is the
process's highest resident memory in bytes, ``held`` what the small objects made it grow by.

With ``HIGHWATER_BENCH=objects`` in the environment the process attaches the tracker first.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import sys
import time
from typing import Any, Callable

#: Small objects that live at once in the workloads of memory.
SMALL = 1_000_000


def _documents(count: int) -> list[dict[str, Any]]:
    source = random.Random(1)
    return [
        {
            "id": number,
            "name": f"user-{number:06}",
            "tags": [f"t{source.randrange(100)}" for _ in range(6)],
            "w": source.random(),
            "sub": {"a": number * 3, "b": [source.random() for _ in range(5)], "c": None},
        }
        for number in range(count)
    ]


def json_churn() -> Callable[[], object]:
    """Round trips of documents through JSON."""
    documents = _documents(400)
    return lambda: [json.loads(json.dumps(document)) for document in documents]


def dict_churn() -> Callable[[], object]:
    """Documents copied, enriched and grouped."""
    documents = _documents(1_500)

    def work() -> int:
        groups: dict[str, list[float]] = {}
        copies = [{**one, "k": one["name"].upper(), "n": len(one["tags"])} for one in documents]
        for one in copies:
            for tag in one["tags"]:
                groups.setdefault(tag, []).append(one["w"])
        means = {tag: sum(values) / len(values) for tag, values in groups.items()}
        return len([{**one, "mean": means[one["tags"][0]]} for one in copies])

    return work


def pandas_udf() -> Callable[[], object]:
    """A batch of 20,000 rows: filtered, to pandas and back, texts, groups, a list of objects."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = 20_000
    source = np.random.default_rng(1)
    batch = pa.RecordBatch.from_pydict(
        {
            "id": pa.array(source.integers(0, 1000, rows)),
            "v": pa.array(source.random(rows)),
            "s": pa.array([f"user-{number:06}" for number in source.integers(0, 50_000, rows)]),
        }
    )

    def work() -> int:
        table = pa.Table.from_batches([batch])
        frame = table.filter(pc.greater(table["v"], 0.2)).to_pandas()
        frame["u"], frame["l"] = frame["s"].str.upper(), frame["s"].str.len()
        frame["h"] = [text[5:8] for text in frame["s"]]
        groups = frame.groupby("h")["v"].agg(["sum", "mean"])
        frame["z"] = frame["v"] * 2 + frame["id"]
        result = pa.RecordBatch.from_pandas(frame)
        return len(groups) + len(pc.utf8_upper(result.column("s")).to_pylist())

    return work


def small_objects() -> Callable[[], object]:
    """Python objects of 24 to 120 bytes that live at once."""
    return lambda: [bytes(number % 64 + 1) for number in range(SMALL)]


def small_blocks() -> Callable[[], object]:
    """Blocks of 24 to 96 bytes of malloc that live at once; from a C function, not one by one."""
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes = (ctypes.c_size_t,)

    def work() -> int:
        malloc = library.malloc
        for number in range(SMALL):
            malloc(24 + number % 4 * 24)
        return SMALL

    return work


#: How often each is done.
WORKLOADS = {
    "json churn": (json_churn, 120),
    "dict churn": (dict_churn, 150),
    "pandas UDF": (pandas_udf, 25),
    "small objects": (small_objects, 1),
    "small blocks": (small_blocks, 1),
}


def _status(name: str) -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        (line,) = (line for line in file if line.startswith(name))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Does the work that was named, and says what it took."""
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("HIGHWATER_BENCH") == "objects":
        sys.path.insert(0, os.path.dirname(here))
        import tracker

        tracker.attach()
    make, count = WORKLOADS[sys.argv[1]]
    work = make()
    if count > 1:
        work()  # whatever is imported or made once
    gc.collect()
    before = _status("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        kept = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    held = _status("VmRSS") - before
    del kept
    print(json.dumps({"wall": wall, "cpu": cpu, "rss": _status("VmHWM"), "held": held}))


if __name__ == "__main__":
    main()
