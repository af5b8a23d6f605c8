"""The confidence leak: 8 MiB per call, and its clean twin.

What
    A leak that nobody can overlook. When a profile of it does not grow with the number of batches,
    the profiler is not attached, most often because a variable did not reach the workers.
Pattern
    :class:`LeakEightMebibytes` is a ``heap_leak`` of 8 MiB per batch to the byte;
    :class:`FreeEightMebibytes` is ``healthy``.
Fix
    None: it is the tool that is tested.

Columns: any.
"""

from __future__ import annotations

import sys

import pyarrow as pa

#: Bytes that a call allocates, with the header of the object.
BYTES = 8 << 20
#: Batches that can be asked for; the table of what is kept is paid for in ``setup``.
SLOTS = 1024


class LeakEightMebibytes:
    """Keeps 8 MiB per call."""

    def setup(self) -> None:
        """Makes room for what is kept."""
        self.kept: list[bytes | None] = [None] * SLOTS
        self.count = 0

    def keep(self, block: bytes) -> None:
        """Keeps a block."""
        self.kept[self.count] = block
        self.count += 1

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """The first column."""
        # Written to, not only asked for: resident memory has to show it as well.
        self.keep(b"\xa5" * (BYTES - sys.getsizeof(b"")))
        return batch.column(0)


class FreeEightMebibytes(LeakEightMebibytes):
    """Allocates the same and lets go of it."""

    def keep(self, block: bytes) -> None:
        """Keeps nothing."""
