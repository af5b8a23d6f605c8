"""Quieting CPython and its libraries, so that equal work gives equal readings."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from typing import Callable

import pyarrow as pa


def _nothing() -> None:
    """For interpreters that have no such cache, or hide it."""


#: Empties the caches that keep references for reasons of speed. Without it, CPython's method cache
#: keeps attribute names made by C code, one more with each batch for thousands of batches: a false
#: leak of 100 to 500 bytes per batch. 3.13 renamed the function.
clear_caches: Callable[[], object] = getattr(
    sys, "_clear_internal_caches", getattr(sys, "_clear_type_cache", _nothing)
)


def collect() -> None:
    """Frees what only cycles keep, and empties the free lists and caches."""
    gc.collect()
    clear_caches()


def freeze() -> None:
    """Takes everything that lives now out of later collections, which makes them fast.

    Nothing is frozen between `setup` and the experiments, so that what the UDF makes stays under
    the collector's eyes and cycles among it are found.
    """
    gc.freeze()


def unfreeze() -> None:
    """Undoes :func:`freeze`, so that what dies from now on is collected whatever it hangs on."""
    gc.unfreeze()


def collect_everything() -> None:
    """Undoes :func:`freeze` and collects, so that nothing is out of the collector's sight."""
    unfreeze()
    collect()


_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
_NOTHING_LEFT = ctypes.c_size_t(0)


def malloc_trim() -> bool:
    """Has the C library give its free pages back; ``False`` where it cannot."""
    if _malloc_trim is None:
        return False
    _malloc_trim(_NOTHING_LEFT)
    return True


def trim() -> None:
    """What Geneva does every few batches: a young collection, the Arrow pool, ``malloc_trim``."""
    gc.collect(1)
    pa.default_memory_pool().release_unused()
    malloc_trim()


def warm_up() -> None:
    """Has pyarrow import what it imports when first used: tens of megabytes with pandas.

    Also uses what the runner itself uses, once.
    """
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401

    batch = pa.RecordBatch.from_arrays(
        [
            pa.array([1, None]),
            pa.array([1.5, 2.5]),
            pa.array(["a", "b"]),
            pa.array([{"a": [1]}, None]),
        ],
        names=["a", "b", "c", "d"],
    )
    batch.to_pylist()
    for column in batch.columns:
        # Without NumPy or pandas there is nothing to be warmed up.
        with contextlib.suppress(ImportError, NotImplementedError):
            column.to_numpy(zero_copy_only=False)
    with contextlib.suppress(ImportError):
        batch.to_pandas()
