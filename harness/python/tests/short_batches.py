"""A file whose batches end early."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from own_batches import Drop  # noqa: F401  what lies beside the file is found


def batches(n: int, rows: int, seed: int) -> Iterator[pa.RecordBatch]:
    for at in range(3):
        yield pa.RecordBatch.from_arrays([pa.array([at] * rows)], ["x"])
