"""Batches accumulated in ``self``, and summarised instead.

What
    An average over everything seen so far, computed from all batches so far.
Pattern
    :class:`BatchHistory` is an ``arrow_leak``: pyarrow's live bytes grow by the whole batch, though
    only one column is needed. The line that allocates them is the input reader's.
    :class:`RunningSummary` is ``healthy``.
Fix
    Keep what the next call needs of a batch (two numbers here), never the batch.

Columns: ``dep_delay`` and whatever else the batch has.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


class BatchHistory:
    """Keeps every batch to average over them."""

    def setup(self) -> None:
        """Starts without a past."""
        self.history: list[pa.RecordBatch] = []

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """Each delay less the average of all so far."""
        self.history.append(batch)
        delays = pa.chunked_array([past.column("dep_delay") for past in self.history[-8:]])
        return pc.subtract(batch.column("dep_delay"), pc.mean(delays))


class RunningSummary:
    """Keeps a sum and a count."""

    def setup(self) -> None:
        """Starts at zero."""
        self.sum = 0.0
        self.count = 0

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """Each delay less the average of all so far."""
        delays = batch.column("dep_delay")
        self.sum += pc.sum(delays).as_py() or 0.0
        self.count += pc.count(delays).as_py()
        return pc.subtract(delays, self.sum / max(self.count, 1))
