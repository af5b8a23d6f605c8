"""Fragmentation: resident memory grows, the heap does not.

What
    A ring of 400 results of 100,000 bytes. Each batch makes a temporary before each result, a
    little larger than those of the batch before, and frees it. The results stand between the holes
    that the temporaries leave, and no later temporary fits into one.
Pattern
    :class:`FragmentedRing` shows ``allocator_retention``: live bytes are the same after every
    batch, resident memory grows by about a temporary's size per batch, and ``malloc_trim(0)`` gives
    it back. :class:`ReusedScratch` does the same work and is ``healthy``.
Fix
    Allocate scratch space once and reuse it. Else ``malloc_trim(0)`` now and then, or another
    allocator.

Made for the C library's allocator (glibc) and at most 200 batches, after which the ring has been
replaced once and its first holes serve again.

Columns: ``distance``.
"""

from __future__ import annotations

import pyarrow as pa

#: Results in the ring, two new ones per batch.
RING = 400
#: Bytes of a result. Below 128 KiB, from where glibc gives each block a mapping of its own.
RESULT = 100_000
#: Bytes of the first temporary, and by how much it grows per batch.
TEMPORARY, GROWTH = 80_000, 16


class FragmentedRing:
    """Makes its temporaries anew."""

    def setup(self) -> None:
        """Fills the ring."""
        self.ring = [bytearray(RESULT) for _ in range(RING)]
        self.batches = 0

    def scratch(self, size: int) -> bytearray:
        """Space for a temporary."""
        return bytearray(size)

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """The distances; the ring gets two new results."""
        temporaries = []
        for place in range(2):
            size = TEMPORARY + GROWTH * (self.batches % 200)
            temporaries.append(self.scratch(size))
            self.ring[(2 * self.batches + place) % RING] = bytearray(RESULT)
        self.batches += 1
        return batch.column("distance")


class ReusedScratch(FragmentedRing):
    """Makes its temporary once, large enough for all."""

    def setup(self) -> None:
        """Fills the ring and makes the scratch space."""
        super().setup()
        self.space = bytearray(TEMPORARY + GROWTH * 200)

    def scratch(self, size: int) -> bytearray:
        """The one scratch space."""
        return self.space
