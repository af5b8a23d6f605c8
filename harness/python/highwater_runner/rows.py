"""Calling a UDF once per row, as an engine does for UDFs of plain values."""

from __future__ import annotations

import sys
import typing
from typing import Any, Callable

import pyarrow as pa

from .columns import column


def rows(
    target: Callable[..., Any],
    names: list[str],
    kinds: list[Any],
    type_: pa.DataType | None,
) -> Callable[[pa.RecordBatch], pa.Array]:
    """A call that takes a batch, calls ``target`` for each row, and makes an array of the results.

    List columns arrive as NumPy arrays unless their parameter is annotated as a list, as in
    Geneva. What is built here belongs to the batch's working memory and counts as the UDF's: an
    engine builds the same in the same process.
    """
    as_lists = [_wants_list(kind) for kind in kinds] + [False] * (len(names) - len(kinds))

    def call(batch: pa.RecordBatch) -> pa.Array:
        readers = [_reader(batch, name, plain) for name, plain in zip(names, as_lists)]
        results = [target(*[read(at) for read in readers]) for at in range(batch.num_rows)]
        return pa.array(results, type=type_)

    return call


def _reader(batch: pa.RecordBatch, name: str, as_list: bool) -> Callable[[int], Any]:
    array = column(batch, name)
    is_list = (
        pa.types.is_list(array.type)
        or pa.types.is_large_list(array.type)
        or pa.types.is_fixed_size_list(array.type)
    )
    if is_list and not as_list and "numpy" in sys.modules:
        return lambda at: _as_numpy(array[at])
    return lambda at: array[at].as_py()


def _as_numpy(scalar: Any) -> Any:
    return scalar.values.to_numpy(zero_copy_only=False) if scalar.is_valid else None


def _wants_list(kind: Any) -> bool:
    """Whether an annotation is a list, or a union or annotation of one."""
    if kind is list or typing.get_origin(kind) is list:
        return True
    return any(_wants_list(part) for part in typing.get_args(kind))
