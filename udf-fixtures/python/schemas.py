"""An "empty" data frame that carries every category, kept or sent per batch.

What
    The schema of each batch, as a data frame of no rows. Its categorical dtype holds the
    categories: all the values that the column had. Nothing in it looks like data.
Pattern
    :class:`KeptSchemas` is a ``heap_leak``: hash tables and objects around the categories weigh
    more than the categories themselves, which pandas 3 keeps as Arrow strings.
    :class:`SentSchemas` is ``healthy`` here and ruins the receiver: look at the size of its
    results in memory and pickled. :class:`PlainSchemas` keeps one frame per batch as well, in a
    ring of the last 16, and drops the categories first: ``healthy``.
Fix
    ``remove_unused_categories()``, or keep ``dtypes`` by name instead of frames.

Live bytes are not the same after every batch, though the same in every run: NumPy keeps up to seven
free blocks of each size below 1 KiB, and batches with another number of values fill other sizes.
That is bounded, and less than 100 bytes per batch here.

Columns: ``dest``, ``tailnum``, ``time_hour``.
"""

from __future__ import annotations

import collections

import pandas as pd
import pyarrow as pa

CATEGORICAL = ("tailnum", "dest", "time_hour")


def schema(batch: pa.RecordBatch) -> pd.DataFrame:
    """The batch's frame without its rows, and with all its categories."""
    frame = batch.select(list(CATEGORICAL)).to_pandas(use_threads=False)
    return frame.astype(dict.fromkeys(CATEGORICAL, "category")).iloc[:0]


class KeptSchemas:
    """Keeps one empty frame per batch."""

    def setup(self) -> None:
        """Starts with no schema."""
        self.schemas: list[pd.DataFrame] = []

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """How many rows the schema has, per row: zero."""
        self.schemas.append(schema(batch))
        return pa.array([len(self.schemas[-1])] * batch.num_rows, pa.int64())


class SentSchemas:
    """Returns one empty frame per batch, "a little metadata"."""

    def __call__(self, batch: pa.RecordBatch) -> pd.DataFrame:
        """The empty frame."""
        return schema(batch)


class PlainSchemas:
    """Keeps the last sixteen empty frames, without categories."""

    def setup(self) -> None:
        """Starts with no schema."""
        self.schemas: collections.deque[pd.DataFrame] = collections.deque(maxlen=16)

    def __call__(self, batch: pa.RecordBatch) -> pa.Array:
        """How many rows the schema has, per row: zero."""
        plain = schema(batch)
        for name in CATEGORICAL:
            plain[name] = plain[name].cat.remove_unused_categories()
        self.schemas.append(plain)
        return pa.array([len(plain)] * batch.num_rows, pa.int64())
