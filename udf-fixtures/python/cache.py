"""A cache in ``self``: without a bound, and with one.

What
    Describing a flight is slow, so its description is remembered. Flights of the year never repeat,
    so what is remembered is never used again.
Pattern
    :class:`GrowingCache` is a ``heap_leak``: one key and one description per row, for ever. In the
    first batches it looks like any cache that fills. :class:`BoundedCache` fills to 4,096 entries,
    then each new one replaces the oldest: ``cache_filling``, and flat to the byte from then on.
Fix
    ``functools.lru_cache(maxsize=...)``, made in ``setup`` and kept on the instance: on a method it
    would be shared by all instances and keep each of them alive.

Columns: ``carrier``, ``flight``, ``time_hour``.
"""

from __future__ import annotations

import functools

import pyarrow as pa

#: Entries that the bounded cache holds.
BOUND = 4096


def describe(key: str) -> bytes:
    """A description of 256 bytes, as a slow service might return it."""
    return key.encode().ljust(256, b".")


class GrowingCache:
    """Remembers every flight it has ever seen."""

    def setup(self) -> None:
        """Starts with an empty memory."""
        self.descriptions: dict[str, bytes] = {}

    def describe(self, key: str) -> bytes:
        """Looks up or makes a description."""
        found = self.descriptions.get(key)
        if found is None:
            found = self.descriptions[key] = describe(key)
        return found

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """The lengths of the descriptions."""
        return pa.array([len(self.describe(key)) for key in keys(batch)], pa.int64())


class BoundedCache(GrowingCache):
    """Remembers the last 4,096 flights."""

    def setup(self) -> None:
        """Makes a cache that belongs to this instance."""
        self.describe = functools.lru_cache(maxsize=BOUND)(describe)  # type: ignore[method-assign]


def keys(batch: pa.RecordBatch) -> list[str]:
    """One text of fixed length per flight."""
    columns = [batch.column(name).to_pylist() for name in ("carrier", "flight", "time_hour")]
    return [f"{carrier}{flight:04d}@{hour}" for carrier, flight, hour in zip(*columns)]
