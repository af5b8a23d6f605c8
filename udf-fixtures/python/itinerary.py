"""Reference cycles: flights of one carrier that know each other both ways.

What
    Each batch links the flights of a carrier to a chain, forwards and backwards. The chains of the
    last eight batches are kept, older ones are let go of. But what refers to itself is not freed
    when it is let go of, and by then it is so old that only a full collection looks at it.
Pattern
    :class:`LinkedFlights` shows ``gc_cycles``: live bytes before a collection climb, and a forced
    collection gives all of it back. Not a leak; the peak depends on when the collector runs.
    :class:`WeaklyLinkedFlights` is ``healthy``: freed at once, without the collector.
Fix
    Make one direction a ``weakref``, or cut the links when done.

In the exact run, where a collection precedes each mark, the garbage of one batch shows as the
difference between live bytes before and after it.

Columns: ``carrier``, ``distance``.
"""

from __future__ import annotations

import collections
import weakref
from typing import Any

import pyarrow as pa


class Flight:
    """One flight of a chain."""

    def __init__(self, distance: int) -> None:
        self.distance = distance
        self.plan = bytes(1024)
        self.before: Any = None
        self.after: Flight | None = None


class LinkedFlights:
    """Links flights in both directions."""

    def setup(self) -> None:
        """Starts with no chains."""
        self.recent: collections.deque[list[Flight]] = collections.deque(maxlen=8)

    def link(self, before: Flight) -> Any:
        """How a flight refers to the one before it."""
        return before

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """The distance that the carrier had flown before, in this batch."""
        first: list[Flight] = []
        last: dict[str, Flight] = {}
        flown: list[int] = []
        totals: dict[str, int] = {}
        columns = (batch.column("carrier").to_pylist(), batch.column("distance").to_pylist())
        for carrier, distance in zip(*columns):
            flight = Flight(distance)
            before = last.get(carrier)
            if before is None:
                first.append(flight)
            else:
                flight.before, before.after = self.link(before), flight
            last[carrier] = flight
            flown.append(totals.get(carrier, 0))
            totals[carrier] = flown[-1] + distance
        self.recent.append(first)
        return pa.array(flown, pa.int64())


class WeaklyLinkedFlights(LinkedFlights):
    """Links backwards by weak references."""

    def link(self, before: Flight) -> Any:
        """How a flight refers to the one before it."""
        return weakref.ref(before)
