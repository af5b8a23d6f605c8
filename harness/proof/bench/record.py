"""How many bytes of record a mark takes: by the size of two records of different length."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import tracker

_SHORT, _LONG = 100, 600


def bytes_per_mark() -> float:
    """What 500 batches more add to a record, each."""
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        sizes = [_size(os.path.join(folder, str(count)), count) for count in (_SHORT, _LONG)]
    return (sizes[1] - sizes[0]) / (_LONG - _SHORT)


def _size(record: str, batches: int) -> int:
    fixture = {
        "name": "bench",
        "runtime": "python",
        "udf": "planted_twin",
        "batches": batches,
        "rows": 10,
        "seed": 7,
        "input": "generated",
    }
    assignment = json.dumps({"record": record, "fixture": fixture})
    done = subprocess.run(
        [sys.executable, os.path.join(tracker.RUNNER, "runner.py")],
        env=tracker.counted(HIGHWATER_WORKER=assignment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        sys.exit(f"the worker ended with {done.returncode}:\n{done.stdout}")
    return os.stat(record).st_size
