"""A copy of a batch that owes nothing to whoever read it.

A reader's batch is a window on larger things: slices of a row group, buffers with room to spare. A
UDF that keeps one column of it would be charged for whatever the reader happened to allocate. So
the UDF gets the same rows in buffers of their own, one set per column.
"""

from __future__ import annotations

import pyarrow as pa


def prepare(batch: pa.RecordBatch) -> list[pa.Array]:
    """The columns of a reader's batch, ready to be copied.

    To be called in the account that the batch was read in: Arrow makes the objects of columns and
    of dictionaries when they are first asked for, and frees them with the batch.
    """
    columns = batch.columns
    for column in columns:
        storage = column.storage if isinstance(column, pa.ExtensionArray) else column
        if pa.types.is_dictionary(storage.type):
            storage.dictionary  # noqa: B018  asked for, for that reason
    return columns


def compact(columns: list[pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """A deep copy that shares no buffer with ``columns``, each buffer as long as its content.

    All copies share the ``schema`` of the caller. Arrow's pools round a buffer up to 64 bytes. Two
    things are kept as they are, because they are part of the data: a dictionary's unused values
    and the text of list views. A dictionary or a string view inside a nested column makes that
    whole column share one buffer of its own.
    """
    copies = []
    for column in columns:
        copies.append(copy(column))
    return pa.RecordBatch.from_arrays(copies, schema=schema)


def copy(array: pa.Array) -> pa.Array:
    """A deep copy of the rows of ``array`` and of nothing around them."""
    type_ = array.type
    if isinstance(array, pa.ExtensionArray):
        return type_.wrap_array(copy(array.storage))
    if pa.types.is_dictionary(type_):
        return pa.DictionaryArray.from_arrays(
            copy(array.indices), copy(array.dictionary), ordered=type_.ordered, safe=False
        )
    flat = _flat(type_)
    if flat is not None:
        # Views share their text with what they were cast from: copy that first.
        return _joined(array.cast(flat)).cast(type_)
    if _shares_below(type_):
        return _by_ipc(array)
    return _joined(array)


def _joined(array: pa.Array) -> pa.Array:
    # Joining two arrays always allocates; joining one gives it back as it is.
    return pa.concat_arrays([array, array.slice(0, 0)])


def _by_ipc(array: pa.Array) -> pa.Array:
    """Through Arrow's wire format, which drops what lies outside the slice."""
    batch = pa.RecordBatch.from_arrays([array], names=["column"])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    with pa.ipc.open_stream(sink.getvalue()) as reader:
        return reader.read_next_batch().column(0)


def _flat(type_: pa.DataType) -> pa.DataType | None:
    """The type without views of a string or binary view."""
    if getattr(pa.types, "is_string_view", bool_false)(type_):
        return pa.string()
    if getattr(pa.types, "is_binary_view", bool_false)(type_):
        return pa.binary()
    return None


def _shares_below(type_: pa.DataType) -> bool:
    """Whether joining would share a buffer: dictionaries and string views inside nested types."""
    for child in range(type_.num_fields):
        inner = type_.field(child).type
        if pa.types.is_dictionary(inner) or _flat(inner) is not None or _shares_below(inner):
            return True
        if isinstance(inner, pa.BaseExtensionType) and _shares_below(inner.storage_type):
            return True
    return False


def bool_false(_: pa.DataType) -> bool:
    """For type tests that this pyarrow does not have: it does not have the type either."""
    return False
