"""Columns by name."""

from __future__ import annotations

import pyarrow as pa


def column(batch: pa.RecordBatch, name: str) -> pa.Array:
    """The column ``name`` of ``batch``; a dotted name goes into structs."""
    at = batch.schema.get_field_index(name)
    if at >= 0:
        return batch.column(at)
    top, *path = name.split(".")
    array = batch.column(batch.schema.get_field_index(top))
    for part in path:
        array = array.field(part)
    return array


def is_column(columns: list[str], name: str) -> bool:
    """Whether ``name`` is one of ``columns``, or goes into one of them."""
    return name in columns or ("." in name and name.partition(".")[0] in columns)
