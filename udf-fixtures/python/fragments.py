"""Fragmentation: resident memory grows, the heap does not.

What
    Results of 100,000 bytes stand side by side. Each batch replaces every other one of them, in its
    turn, by one that is a little larger. What it replaces leaves a hole between two neighbours that
    stay, and no result fits into it any more.
Pattern
    :class:`FragmentedRing` shows ``allocator_retention``: live bytes are the same after every
    batch, resident memory grows by about a result's size per batch, and ``malloc_trim(0)`` gives
    it back. :class:`ReusedScratch` does the same work and is ``healthy``.
Fix
    Make the space of results once, large enough for all, and reuse it. Else ``malloc_trim(0)`` now
    and then, or another allocator.

Made for the C library's allocator (glibc) and at most 200 batches, after which every other result
has been replaced.

Columns: ``distance``.
"""

from __future__ import annotations

import pyarrow as pa

#: Results that stand side by side; every other one is replaced.
RING = 400
#: Bytes of a result, and what the later ones have more. Below 128 KiB, from where glibc gives each
#: block a mapping of its own.
RESULT, MORE = 100_000, 16


class FragmentedRing:
    """Makes each result anew."""

    #: Bytes of the results that the ring starts with.
    FIRST = RESULT

    def setup(self) -> None:
        """Fills the ring."""
        self.ring = [bytearray(self.FIRST) for _ in range(RING)]
        self.batches = 0
        self._balance()

    def result(self, place: int) -> bytearray:
        """Space for a larger result."""
        return bytearray(RESULT + MORE)

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """The distances; the ring gets a new result."""
        place = 2 * self.batches % RING
        self.ring[place] = self.result(place)
        self.batches += 1
        self._balance()
        return batch.column("distance")

    def _balance(self) -> None:
        # What the results are larger by is less here, so that live bytes are the same to the byte.
        self.balance = bytearray(RING * MORE - MORE * self.batches)


class ReusedScratch(FragmentedRing):
    """Makes the space of each result once, large enough for the later one."""

    FIRST = RESULT + MORE

    def result(self, place: int) -> bytearray:
        """The space that is there."""
        return self.ring[place]

    def _balance(self) -> None:
        """Nothing grows."""
