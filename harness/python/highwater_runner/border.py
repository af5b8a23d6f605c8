"""The border between the harness's account and the UDF's, and the marks taken at it.

CPython's free lists make the border delicate: an object that the harness let go of may serve the
UDF, which then keeps bytes that are on the harness's account, or the other way round. A full
collection empties the free lists, so one is made on both sides. Nothing that is made here lives at
a mark.
"""

from __future__ import annotations

import sys

import pyarrow as pa

from . import interface as i
from . import interpreter
from .tracker import Tracker


class Border:
    """Moves the thread between the accounts. It begins in the harness's."""

    def __init__(self, tracker: Tracker, exact: bool) -> None:
        #: What the next mark will say besides the counters.
        self.extra = tracker.extra
        self._tracker = tracker
        self._exact = exact
        self._pool = pa.default_memory_pool()
        #: Arrow's bytes when the UDF's account was left, and those of them that the harness holds.
        self._arrow_bytes = self._pool.bytes_allocated()
        self._held_bytes = self._arrow_bytes

    def enter(self) -> None:
        """From the harness's account into the UDF's."""
        self._held_bytes += self._pool.bytes_allocated() - self._arrow_bytes
        if self._exact:
            interpreter.collect()
        self._tracker.section(i.UDF)

    def leave(self) -> None:
        """From the UDF's account into the harness's, with nothing left to collect."""
        if self._exact:
            self.extra.live_before_collect = self._tracker.live()
            interpreter.collect()
        self._tracker.section(i.HARNESS)
        self._arrow_bytes = self._pool.bytes_allocated()

    def look_at_pool(self) -> None:
        """Follows the user's code when it chose another default pool. In the harness's account."""
        pool = pa.default_memory_pool()
        if pool.backend_name != self._pool.backend_name:
            self._arrow_bytes = self._held_bytes = pool.bytes_allocated()
        self._pool = pool

    def release_pool(self) -> None:
        """Has Arrow's pool give its unused memory back."""
        self._pool.release_unused()

    def mark(self, kind: int, number: int = 0) -> None:
        """Takes a mark. In the harness's account."""
        extra = self.extra
        extra.arrow_live = self._arrow_bytes - self._held_bytes
        most = self._pool.max_memory()
        extra.arrow_max = i.ABSENT if most is None else most
        extra.python_blocks = sys.getallocatedblocks()
        self._tracker.mark(kind, number)

    def start_peak(self) -> None:
        """Starts a new peak: what was before does not count for the next mark."""
        self._tracker.read()
