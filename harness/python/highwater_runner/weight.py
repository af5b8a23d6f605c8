"""What an object weighs: in memory, and pickled."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import pyarrow as pa


def memory(value: Any) -> int | None:
    """Bytes that keeping ``value`` would keep alive, ``None`` for what is not known.

    A view weighs what it is a view of: eight numbers of a megabyte are a megabyte. Of a data frame
    the columns and the categories of its dtypes are counted, even when it has no rows.
    """
    try:
        return _memory(value)
    except Exception:  # the user's own kinds of columns may do as they like
        return None


def _memory(value: Any) -> int | None:
    if isinstance(value, (pa.Array, pa.ChunkedArray, pa.RecordBatch, pa.Table)):
        return value.get_total_buffer_size()
    if isinstance(value, (bytes, bytearray, str)):
        return sys.getsizeof(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        while isinstance(value.base, numpy.ndarray):
            value = value.base
        return value.nbytes
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return sum(_column(column) for _, column in value.items()) + value.index.nbytes
    if pandas is not None and isinstance(value, pandas.Series):
        return _column(value) + value.index.nbytes
    return None


def _column(series: Any) -> int:
    categories = getattr(series.dtype, "categories", None)
    return series.array.nbytes + (0 if categories is None else categories.nbytes)


def pickled(value: Any) -> int | None:
    """Bytes of ``value`` pickled, ``None`` when it cannot be. The pickle itself is never held."""
    counter = _Counter()
    try:
        pickle.Pickler(counter, protocol=5).dump(value)
    except Exception:  # a user's `__reduce__` may raise anything
        return None
    return counter.bytes


class _Counter:
    """A file that only counts."""

    __slots__ = ("bytes",)

    def __init__(self) -> None:
        self.bytes = 0

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self.bytes += size
        return size
