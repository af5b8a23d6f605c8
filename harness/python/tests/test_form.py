"""How a UDF is called, by its parameters."""

from __future__ import annotations

import functools
import unittest
from typing import Any, Optional

import numpy as np
import pyarrow as pa
from highwater_runner.failure import Failure
from highwater_runner.form import Form
from highwater_runner.udf import Udf

COLUMNS = ["n", "text", "items", "deep"]
BATCH = pa.RecordBatch.from_arrays(
    [
        pa.array([1, 2]),
        pa.array(["a", None]),
        pa.array([[1.0, 2.0], [3.0]]),
        pa.array([{"x": 5}, {"x": 6}]),
    ],
    names=COLUMNS,
)


def call(target: Any, columns: Optional[list[str]] = None, type_: Any = None) -> tuple[Any, Any]:
    """What the UDF makes of the batch, and the columns that it uses."""
    udf = Udf()
    udf.target, udf.columns, udf.type = target, columns, type_
    bound, used = Form(udf, "it").bind(COLUMNS)
    return bound(BATCH), used


class Class:
    def __call__(self, batch):  # type: ignore[no-untyped-def]
        return batch.num_rows


class Variadic:
    def __call__(self, *values: Any) -> list[Any]:
        return list(values)


class Forms(unittest.TestCase):
    def test_the_whole_batch(self) -> None:
        def annotated(n: pa.RecordBatch) -> int:
            return n.num_rows

        def with_default(batch: pa.RecordBatch, scale: int = 3) -> int:
            return batch.num_rows * scale

        def anything(batch: Any) -> int:
            return batch.num_rows

        def optional(batch: Optional[pa.RecordBatch] = None) -> int:
            return batch.num_rows if batch is not None else 0

        def quoted(rows: pa.RecordBatch | nothing.known) -> int:  # type: ignore[name-defined]  # noqa: F821
            return rows.num_rows

        for target, result in (
            (Class(), 2),
            (quoted, 2),
            (annotated, 2),
            (with_default, 6),
            (anything, 2),
            (optional, 2),
            (functools.partial(with_default, scale=2), 4),
            (lambda rows: rows.num_rows, 2),
        ):
            self.assertEqual(call(target), (result, None))

    def test_arrays_by_name(self) -> None:
        def both(text: pa.Array, n: pa.Array) -> pa.Array:
            return pa.array([len(text), n[0].as_py()])

        result, used = call(both)
        self.assertEqual((result.to_pylist(), used), ([2, 1], ["text", "n"]))

    def test_values_by_name_one_row_at_a_time(self) -> None:
        def one(n, text) -> str:  # type: ignore[no-untyped-def]
            return f"{text}{n}"

        result, used = call(one)
        self.assertEqual((result.to_pylist(), result.type), (["a1", "None2"], pa.string()))
        self.assertEqual(used, ["n", "text"])

    def test_one_argument_named_after_a_column_is_a_value(self) -> None:
        self.assertEqual(call(lambda n: n * 2)[0].to_pylist(), [2, 4])

    def test_lists_come_as_numpy_unless_asked_for_as_lists(self) -> None:
        def plain(items) -> bool:  # type: ignore[no-untyped-def]
            return isinstance(items, np.ndarray)

        def as_list(items: Optional[list[float]]) -> bool:
            return isinstance(items, list)

        self.assertEqual(call(plain)[0].to_pylist(), [True, True])
        self.assertEqual(call(as_list)[0].to_pylist(), [True, True])

    def test_declared_columns_and_types_win(self) -> None:
        result, used = call(lambda a, b: a + b, ["n", "deep.x"], pa.int32())
        self.assertEqual((result.to_pylist(), result.type), ([6, 8], pa.int32()))
        self.assertEqual(used, ["n", "deep.x"])
        self.assertEqual(call(Variadic(), ["n"], pa.list_(pa.int8()))[0].to_pylist(), [[1], [2]])

    def test_a_parameter_with_a_default_and_no_column_keeps_its_default(self) -> None:
        self.assertEqual(call(lambda n, factor=10: n * factor)[0].to_pylist(), [10, 20])


class Refusals(unittest.TestCase):
    def test_what_cannot_be_called(self) -> None:
        def mixed(n: pa.Array, text: str) -> None: ...
        def table(n: pa.Table) -> None: ...
        def two(a: pa.RecordBatch, b: pa.RecordBatch) -> None: ...
        def keyword(n: int, *, key: int) -> None: ...

        for target, text in (
            (mixed, "mixes `pa.Array` with other parameters"),
            (table, "wants a `pa.Table` as `n`"),
            (two, "takes more than one `pa.RecordBatch`"),
            (keyword, "keyword-only parameter `key`"),
            (lambda: None, "takes no argument"),
        ):
            with self.subTest(text), self.assertRaisesRegex(Failure, text):
                call(target)

    def test_a_slip_in_a_column_s_name(self) -> None:
        for target in (lambda texts: None, lambda n, txt: None):
            with self.assertRaisesRegex(Failure, "did you mean `text`"):
                call(target)

    def test_too_many_declared_columns(self) -> None:
        with self.assertRaisesRegex(Failure, "takes 1 arguments for 2 input columns"):
            call(lambda n: None, ["n", "text"])


if __name__ == "__main__":
    unittest.main()
