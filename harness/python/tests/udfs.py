"""UDFs whose memory is known, for the tests."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any

import pyarrow as pa

HEADER = sys.getsizeof(b"")


class Empty:
    """Does nothing."""

    def __call__(self, batch: Any) -> Any:
        return batch.column(0)


class FirstAndCount:
    """Returns bytes whose number tells the first id and the number of rows."""

    def __call__(self, batch: Any) -> Any:
        return bytes(batch.column(0)[0].as_py() + 10_000 * batch.num_rows)


class Keep100:
    """Keeps one object of 100 bytes per batch."""

    def setup(self) -> None:
        self.kept: list[Any] = [None] * 10_000
        self.count = 0

    def __call__(self, batch: Any) -> Any:
        self.kept[self.count] = bytes(100 - HEADER)
        self.count += 1
        return batch.column(0)


class Keep100AmidChurn(Keep100):
    """The same amid megabytes that come and go."""

    def __call__(self, batch: Any) -> Any:
        rows = [{"x": str(value), "y": [value]} for value in batch.column(0).to_pylist()] * 3
        text = "".join(row["x"] for row in rows) * 50
        super().__call__(batch)
        return pa.array([len(text)] * batch.num_rows)


class KeepFloat(Keep100):
    """Keeps a float, which comes from a free list that the runner uses as well."""

    def __call__(self, batch: Any) -> Any:
        self.kept[self.count] = self.count * 1.5
        self.count += 1
        return batch.column(0)


class KeepBatch:
    """Keeps every batch."""

    def setup(self) -> None:
        self.kept: list[Any] = []

    def __call__(self, batch: Any) -> Any:
        self.kept.append(batch)
        return batch.column(0)


class SetUpMegabyte:
    """Holds a megabyte from its set-up on, half of it from its constructor."""

    def __init__(self) -> None:
        self.first = bytes(500_000 - HEADER)

    def setup(self) -> None:
        self.second = bytes(500_000 - HEADER)

    def __call__(self, batch: Any) -> Any:
        return batch.column(0)


class Peak:
    """Needs ten megabytes at batch 30."""

    def setup(self) -> None:
        self.count = -1

    def __call__(self, batch: Any) -> Any:
        self.count += 1
        if self.count == 30:
            len(bytes(10_000_000 - HEADER))
        return batch.column(0)


class Cycles:
    """Leaves a cycle that holds 20,000 bytes to the collector."""

    def __call__(self, batch: Any) -> Any:
        cycle: list[Any] = [bytes(20_000 - HEADER)]
        cycle.append(cycle)
        return batch.column(0)


class WideResult:
    """Returns three rows of a megabyte."""

    def __call__(self, batch: Any) -> Any:
        return pa.array(range(125_000), pa.int64()).slice(0, 3)


class At37:
    """Goes wrong at batch 37."""

    def setup(self) -> None:
        self.count = -1

    def __call__(self, batch: Any) -> Any:
        self.count += 1
        if self.count == 37:
            self.go_wrong()
        return batch.column(0)

    def go_wrong(self) -> None:
        int("seven")


class SysExit(At37):
    def go_wrong(self) -> None:
        sys.exit(0)


class HardExit(At37):
    def go_wrong(self) -> None:
        os._exit(3)


class Killed(At37):
    def go_wrong(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Forks(At37):
    def go_wrong(self) -> None:
        os.fork()


class Threads(At37):
    def go_wrong(self) -> None:
        threading.Thread(target=threading.Event().wait).start()


class BadSetup:
    def setup(self) -> None:
        raise RuntimeError("no\nmodel")

    def __call__(self, batch: Any) -> Any:
        return batch


class NeedsModel:
    def __init__(self, model: str) -> None:
        self.model = model

    def __call__(self, batch: Any) -> Any:
        return batch


class Gives:
    """Instances are UDFs, too."""

    def __call__(self, id: pa.Array, value: pa.Array) -> pa.Array:
        return value


instance = Gives()


def rowwise(id: int, text: str) -> int:
    """One call per row."""
    return id + len(text)
