"""The UDFs that are measured twice.

Each keeps enough for 1 % of it to be more than what a peer sees of the interpreter's own business,
and makes several times as much that it drops again.
"""

from __future__ import annotations

import ctypes
import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

_libc = ctypes.CDLL(None)
_libc.malloc.restype = ctypes.c_void_p
_libc.malloc.argtypes = (ctypes.c_size_t,)

#: Sizes that :class:`NativeBlocks` asks malloc for in each batch. The last is a mapping of its own.
NATIVE_SIZES = (24, 100, 1_000, 4_097, 65_536, 300_000)


class Records:
    """Keeps dicts, texts, lists and floats that went through JSON, and drops most of them."""

    #: Of so many documents one is kept.
    keep_every = 4

    def setup(self) -> None:
        """Starts with nothing kept."""
        self.kept: list[Any] = []

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps a part of its documents."""
        documents = [json.loads(json.dumps(row)) for row in batch.to_pylist() for _ in range(2)]
        groups: dict[str, list[float]] = {}
        for document in documents:
            groups.setdefault(document["text"][:1], []).append(document["value"])
        self.kept.extend(documents[:: self.keep_every])


class RecordsAndMore(Records):
    """The same and 5 % more: for the test that such a difference is seen."""

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps a part of its documents, and some bytes."""
        super().__call__(batch)
        self.kept.append(bytes(3_000))


class Texts:
    """Pure Python: keeps texts, and drops a megabyte of others."""

    def setup(self) -> None:
        """Starts with nothing kept."""
        self.kept: list[str] = []
        self.number = 0

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps 400 texts."""
        first = self.number
        texts = [f"{number:0>40}" for number in range(first, first + 10_000)]
        self.kept.extend(texts[:400])
        self.number += len(texts)


class Objects:
    """Pure Python: keeps instances that refer to one another in cycles, and drops others."""

    def setup(self) -> None:
        """Starts with nothing kept."""
        self.kept: list[_Node] = []

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps 200 pairs of nodes."""
        pairs = [_Node(number) for number in range(1_000)]
        self.kept.extend(pairs[:200])


class _Node:
    def __init__(self, number: int, other: _Node | None = None) -> None:
        self.value = number / 7
        self.tags = {f"tag{number % 10}": [number + 1_000, number + 2_000]}
        self.other = other or _Node(number + 1, self)


class Frames:
    """pandas, NumPy and Arrow: keeps an aggregated frame, and drops what it was made from."""

    def setup(self) -> None:
        """Starts with nothing kept."""
        self.kept: list[pd.DataFrame] = []

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps 300 sums of 3,000 rows."""
        frame = batch.to_pandas()
        frame = pd.concat([frame] * 10, ignore_index=True)
        frame["double"] = frame["value"] * 2 + frame["id"]
        frame["upper"] = frame["text"].str.upper()
        sums = frame.groupby("id")[["value", "double"]].sum()
        self.kept.append(pd.concat([sums] * 8, ignore_index=True))


class Arrays:
    """NumPy: keeps one array of 80 kB, and drops 4 MB."""

    def setup(self) -> None:
        """Starts with nothing kept."""
        self.kept: list[np.ndarray] = []

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps every 50th element."""
        values = np.arange(500_000, dtype=np.float64)
        self.kept.append(values[::50].copy())


class Spike:
    """Keeps nothing, and needs 32 MB in its third batch."""

    def setup(self) -> None:
        """Counts from 0."""
        self.batch = 0

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Makes many small objects and some big ones, and lets go of them."""
        self.batch += 1
        count = 100 if self.batch != 3 else 10_000
        texts = [bytes(1_200 + number % 3_000) for number in range(count)]
        del texts


class NativeBlocks:
    """What a C extension that forgets to free does: blocks of malloc that no Python object has."""

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Leaks a block of each of :data:`NATIVE_SIZES`."""
        for size in NATIVE_SIZES:
            _libc.malloc(size)


class ArrowBuffers:
    """Keeps Arrow buffers of given sizes, one per batch."""

    sizes = (1, 64, 1_000, 65_536, 1 << 20)

    def setup(self) -> None:
        """Makes room for what it keeps, so that only buffers are made later."""
        self.kept: list[Any] = [None] * 1_000
        self.batch = 0

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps one buffer more."""
        self.kept[self.batch] = pa.allocate_buffer(self.sizes[self.batch % len(self.sizes)])
        self.batch += 1


class ArrowBatches:
    """Keeps the batches that it is given, and computes on them."""

    def setup(self) -> None:
        """Starts with nothing kept."""
        self.kept: list[pa.RecordBatch] = []

    def __call__(self, batch: pa.RecordBatch) -> None:
        """Keeps a batch."""
        self.kept.append(batch)
        pa.compute.utf8_upper(batch.column("text"))
