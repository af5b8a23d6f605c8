"""Closures that capture a batch's arrays, and work that is done at once instead.

What
    Work to be done later, as functions in a list. Each remembers the arrays that it will need.
Pattern
    :class:`DeferredChecks` is an ``arrow_leak``: two columns per batch stay alive in the cells of
    closures, where no look at ``self`` shows an array. :class:`EagerChecks` is ``healthy``.
Fix
    Run eagerly, or extract the small values before making the closure.

Columns: ``arr_time``, ``dep_time``, ``distance``.
"""

from __future__ import annotations

from typing import Callable

import pyarrow as pa
import pyarrow.compute as pc


class DeferredChecks:
    """Puts off its checks to a day that does not come."""

    def setup(self) -> None:
        """Starts with nothing to do."""
        self.pending: list[Callable[[], int]] = []

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """The distances; the check of the times is put off."""
        departures, arrivals = batch.column("dep_time"), batch.column("arr_time")
        self.pending.append(lambda: overnight(departures, arrivals))
        return batch.column("distance")


class EagerChecks:
    """Checks at once and keeps a number."""

    def setup(self) -> None:
        """Starts at zero."""
        self.overnight = 0

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """The distances; the check of the times is done."""
        self.overnight += overnight(batch.column("dep_time"), batch.column("arr_time"))
        return batch.column("distance")


def overnight(departures: pa.Array, arrivals: pa.Array) -> int:
    """How many flights arrive on the next day."""
    return pc.sum(pc.less(arrivals, departures)).as_py() or 0
