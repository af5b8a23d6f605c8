"""Copies that owe nothing to their source."""

from __future__ import annotations

import unittest
from typing import Any

import pyarrow as pa
from highwater_runner.compact import compact, prepare


def arrays() -> dict[str, pa.Array]:
    """Nine rows of most kinds of columns."""
    texts = ["a" * 40, "b" * 20, None] * 3
    ones = [1, None, 3] * 3
    found = {
        "int64": pa.array(ones),
        "no nulls": pa.array(range(9)),
        "bool": pa.array([True, None, False] * 3),
        "string": pa.array(texts),
        "large string": pa.array(texts, pa.large_string()),
        "decimal": pa.array(ones, pa.decimal128(10, 2)),
        "timestamp": pa.array(ones, pa.timestamp("us", "Europe/Berlin")),
        "list": pa.array([[1, 2], None, []] * 3),
        "fixed list": pa.array([[1, 2]] * 9, pa.list_(pa.int16(), 2)),
        "struct": pa.array([{"x": 1, "y": "z"}, None, {"x": None, "y": "w"}] * 3),
        "map": pa.array([[("k", 1)], [], None] * 3, pa.map_(pa.string(), pa.int64())),
        "null": pa.nulls(9),
        "dictionary": pa.array(texts).dictionary_encode(),
        "struct of dictionary": pa.StructArray.from_arrays(
            [pa.array(texts).dictionary_encode()], ["d"]
        ),
        "list of struct": pa.array([[{"x": "a"}], None, []] * 3),
    }
    if hasattr(pa, "string_view"):
        found["string view"] = pa.array(texts, pa.string_view())
        found["binary view"] = pa.array([b"a" * 40, None, b""] * 3, pa.binary_view())
    if hasattr(pa, "uuid"):
        storage = pa.array([b"0123456789abcdef"] * 9, pa.binary(16))
        found["extension"] = pa.ExtensionArray.from_storage(pa.uuid(), storage)
    return found


def addresses(array: pa.Array) -> set[int]:
    """Where the buffers of an array are, with those of its dictionary."""
    found = {buffer.address for buffer in array.buffers() if buffer is not None and buffer.size}
    if pa.types.is_dictionary(array.type):
        found |= addresses(array.dictionary)
    return found


def copied(array: pa.Array) -> pa.Array:
    batch = pa.RecordBatch.from_arrays([array], ["c"])
    return compact(prepare(batch), batch.schema).column(0)


class Copies(unittest.TestCase):
    def each(self, check: Any) -> None:
        for name, array in arrays().items():
            for part in (array, array.slice(3, 3), array.slice(0, 0)):
                with self.subTest(name, rows=len(part), offset=part.offset):
                    check(part)

    def test_are_equal(self) -> None:
        def check(part: pa.Array) -> None:
            copy = copied(part)
            copy.validate(full=True)
            self.assertEqual(copy.type, part.type)
            self.assertEqual(copy.to_pylist(), part.to_pylist())

        self.each(check)

    def test_share_no_buffer(self) -> None:
        self.each(lambda part: self.assertFalse(addresses(copied(part)) & addresses(part)))

    def test_outlive_their_source(self) -> None:
        for name in arrays():
            with self.subTest(name):
                source = arrays()[name]
                values, copy = source.to_pylist(), copied(source)
                del source
                self.assertEqual(copy.to_pylist(), values)

    def test_a_slice_weighs_what_its_rows_weigh(self) -> None:
        for name in ("int64", "string", "list", "struct", "fixed list"):
            with self.subTest(name):
                large = pa.concat_arrays([arrays()[name]] * 1000)
                small = copied(large.slice(4500, 9))
                whole = copied(pa.concat_arrays([large.slice(4500, 9), large.slice(0, 0)]))
                self.assertEqual(small.get_total_buffer_size(), whole.get_total_buffer_size())
                self.assertLess(small.get_total_buffer_size(), 1000)

    def test_columns_do_not_hold_each_other(self) -> None:
        batch = pa.RecordBatch.from_arrays(
            [pa.array(range(10_000)), pa.array([1.5] * 10_000)], "ab"
        )
        before = pa.total_allocated_bytes()
        kept = compact(prepare(batch), batch.schema).column(1)
        self.assertEqual(pa.total_allocated_bytes() - before, 80_000)
        del kept
        self.assertEqual(pa.total_allocated_bytes(), before)


if __name__ == "__main__":
    unittest.main()
