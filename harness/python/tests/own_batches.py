"""A file that brings its own batches, over NumPy's memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa


class Keep:
    def setup(self) -> None:
        self.kept: list[Any] = [None] * 1000
        self.count = 0

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        self.kept[self.count] = batch
        self.count += 1
        return batch.column(0)


class First:
    """Returns bytes whose number tells the first value."""

    def __call__(self, batch: pa.RecordBatch) -> bytes:
        return bytes(int(100_000 * batch.column(0)[0].as_py()))


class Drop:
    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        return batch.column(0)


def batches(n: int, rows: int, seed: int) -> Iterator[pa.RecordBatch]:
    numbers = np.random.default_rng(seed)
    for _ in range(n):
        megabytes = numbers.random(1_000_000)
        columns = [pa.array(megabytes[:rows].copy()) for _ in range(4)]
        del megabytes
        yield pa.RecordBatch.from_arrays(columns, list("abcd"))
        del columns
