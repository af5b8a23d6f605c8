"""UDFs behind a decorator, for the tests."""

from __future__ import annotations

import functools
from typing import Any

import pyarrow as pa


class Wrapped:
    """What Geneva's decorator makes of a UDF, as far as the runner looks at it."""

    def __init__(self, func: Any, input_columns: Any, data_type: Any) -> None:
        self.func = func
        self.input_columns = input_columns
        self.data_type = data_type


def udf(input_columns: Any = None, data_type: Any = None) -> Any:
    """Decorates a class or a function."""

    def decorate(target: Any) -> Any:
        if not isinstance(target, type):
            return Wrapped(target, input_columns, data_type)

        @functools.wraps(target, updated=())
        def build(*arguments: Any) -> Wrapped:
            return Wrapped(target(*arguments), input_columns, data_type)

        return build

    return decorate


@udf(["id", "text"], pa.int32())
class DecoratedClass:
    """One row at a time, with a set-up."""

    def setup(self) -> None:
        self.offset = 7

    def __call__(self, number: int, text: str) -> int:
        return number + len(text) + self.offset


@udf(["value"], pa.float64())
def decorated_function(anything: pa.Array) -> pa.Array:
    """An array, under another name than its column."""
    return anything


@udf(None, pa.float64())
def decorated_batch(batch: pa.RecordBatch) -> pa.Array:
    """A whole batch."""
    return batch.column("value")
