"""The confidence check's UDFs: a planted leak of known size, and its clean twin.

A harness that does not measure the first right and the second as zero is not attached, whatever
else it reports. Both allocate through CPython's object allocator, small and large; the leak of
Arrow memory is planted apart, because the size of Arrow's own objects differs between versions.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

#: Bytes that :class:`PlantedLeak` keeps per batch, in two blocks. The same odd number as in Rust.
BYTES_PER_BATCH = 65_537
#: Of these, the block that is small enough for CPython's own arenas.
SMALL = 100
#: Arrow bytes that :class:`PlantedArrow` keeps per batch, as ``pyarrow.total_allocated_bytes``.
ARROW_BYTES_PER_BATCH = 65_536

#: Batches that they can be asked for; their tables are paid for in ``setup``.
_SLOTS = 8_192
#: What a ``bytes`` object needs besides its content.
_HEADER = sys.getsizeof(b"")

#: The names by which a fixture asks for them.
NAMES = {
    "planted_leak": "PlantedLeak",
    "planted_twin": "PlantedTwin",
    "planted_arrow": "PlantedArrow",
}


class PlantedLeak:
    """Keeps :data:`BYTES_PER_BATCH` per batch."""

    def setup(self) -> None:
        """Pays for the table of what is kept."""
        self._kept: list[Any] = [None] * (2 * _SLOTS)
        self._count = 0

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """Keeps two blocks and gives back the first column."""
        at = self._count % _SLOTS
        self._kept[2 * at] = bytes(SMALL - _HEADER)
        self._kept[2 * at + 1] = bytes(BYTES_PER_BATCH - SMALL - _HEADER)
        self._count = at + 1
        return batch.column(0)


class PlantedTwin(PlantedLeak):
    """Allocates the same blocks per batch as :class:`PlantedLeak`, and frees them."""

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """Gives back the first column."""
        result = super().__call__(batch)
        self._count = 0
        self._kept[0] = self._kept[1] = None
        return result


class PlantedArrow:
    """Keeps :data:`ARROW_BYTES_PER_BATCH` of Arrow's memory per batch, and objects around it."""

    def setup(self) -> None:
        """Pays for the table of what is kept."""
        self._kept: list[Any] = [None] * _SLOTS
        self._count = 0

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """Keeps a buffer and gives back the first column."""
        self._kept[self._count] = pa.allocate_buffer(ARROW_BYTES_PER_BATCH)
        self._count += 1
        return batch.column(0)
