"""How a UDF is called: with a whole batch, with its columns, or with one row's values.

The forms are those of Geneva's ``@udf``. Which one a UDF has follows from its parameters:

* one parameter annotated ``pa.RecordBatch``, or one without annotation that is no column's name:
  the whole batch;
* all parameters annotated ``pa.Array``: columns by name;
* anything else: one call per row, the values of the columns by name; the runner makes an array of
  the results, as the engine does.
"""

from __future__ import annotations

import functools
import inspect
import re
import typing
from typing import Any, Callable

import pyarrow as pa

from . import near
from .columns import column, is_column
from .failure import Failure
from .rows import rows
from .udf import Udf

Call = Callable[[Any], Any]

#: What an annotation may name; Python before 3.10 cannot evaluate `X | None`.
_NAMES = re.compile(r"\b(list|RecordBatch|Array|Table|ChunkedArray)\b")

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Form:
    """The parameters of a UDF, before any column is known."""

    def __init__(self, udf: Udf, name: str) -> None:
        self._udf = udf
        self._name = name
        self._parameters, self._variadic = _parameters(udf.target, name)
        self._hints = _hints(udf.target)

    def bind(self, columns: list[str]) -> tuple[Call, list[str] | None]:
        """How to call the UDF with a batch of these columns, and which of them it uses.

        ``None`` instead of names means the whole batch. Raises :class:`Failure` when the
        parameters fit no form, or name no column.
        """
        if self._takes_batch(columns):
            return self._udf.target, None
        names = self._names(columns)
        kinds = [self._hints.get(p.name) for p in self._parameters]
        arrays = [_is_a(kind, pa.Array) for kind in kinds[: len(names)] if kind is not None]
        if arrays and all(arrays) and len(arrays) == min(len(names), len(kinds)):
            return functools.partial(_call_arrays, self._udf.target, tuple(names)), names
        if any(arrays):
            raise self._unsupported("mixes `pa.Array` with other parameters")
        result = self._udf.type or _arrow_type(self._hints.get("return"))
        return rows(self._udf.target, names, kinds, result), names

    def _takes_batch(self, columns: list[str]) -> bool:
        if self._udf.columns is not None:
            return False
        for parameter in self._parameters:
            kind = self._hints.get(parameter.name)
            if _is_a(kind, pa.RecordBatch):
                if len(self._required()) > 1:
                    raise self._unsupported("takes more than one `pa.RecordBatch`")
                return True
            for wanted in (pa.Table, pa.ChunkedArray):
                if _is_a(kind, wanted):
                    what = f"wants a `pa.{wanted.__name__}` as `{parameter.name}`"
                    raise self._unsupported(what)
        if len(self._required()) != 1 and (self._required() or len(self._parameters) != 1):
            return False
        only = (self._required() or self._parameters)[0]
        says_nothing = self._hints.get(only.name, Any) in (Any, object)
        if not says_nothing or only.name in columns:
            return False
        # `def __call__(self, batch)`, unless it is a column with a slip.
        return not near.nearest(only.name, columns, cutoff=0.85)

    def _names(self, columns: list[str]) -> list[str]:
        """The columns that the arguments come from."""
        if self._udf.columns is not None:
            wanted = self._udf.columns
            if len(wanted) > len(self._parameters) and not self._variadic:
                raise self._unsupported(
                    f"takes {len(self._parameters)} arguments for {len(wanted)} input columns"
                )
        else:
            wanted = []
            for parameter in self._parameters:
                known = is_column(columns, parameter.name)
                if parameter.default is not parameter.empty and not known:
                    break  # it keeps its default, and so do those after it
                wanted.append(parameter.name)
        if not wanted:
            raise self._unsupported("takes no argument")
        for name in wanted:
            if not is_column(columns, name):
                raise Failure(
                    f"`{self._name}` takes `{name}`, which is no column of its input",
                    near.hint(name, columns, "the columns are")
                    + "; to take whole batches, annotate the argument with `pa.RecordBatch`",
                )
        return list(wanted)

    def _required(self) -> list[inspect.Parameter]:
        return [p for p in self._parameters if p.default is p.empty]

    def _unsupported(self, what: str) -> Failure:
        return Failure(
            f"`{self._name}` {what}, a form that no engine calls",
            "take one `pa.RecordBatch`, or columns by name: all as `pa.Array`, or one row's values",
        )


def _call_arrays(target: Callable[..., Any], names: tuple[str, ...], batch: Any) -> Any:
    return target(*[column(batch, name) for name in names])


def _parameters(target: Any, name: str) -> tuple[list[inspect.Parameter], bool]:
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        raise Failure(
            f"the parameters of `{name}` cannot be read", "wrap it in a Python function"
        ) from None
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty:
            raise Failure(
                f"`{name}` has the keyword-only parameter `{p.name}`, which no engine gives it",
                "give it a default",
            )
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return [p for p in parameters if p.kind in _POSITIONAL], variadic


def _hints(target: Any) -> dict[str, Any]:
    """Evaluated annotations where they can be evaluated, else none of them."""
    while isinstance(target, functools.partial):
        target = target.func
    function = target if inspect.isroutine(target) else type(target).__call__
    try:
        names = dict(vars(typing), pa=pa, pyarrow=pa)
        names.update(getattr(inspect.unwrap(function), "__globals__", {}))
        return typing.get_type_hints(function, globalns=names)
    except Exception:  # an annotation may be any expression
        return {
            name: _by_name(hint)
            for name, hint in getattr(function, "__annotations__", {}).items()
            if _by_name(hint) is not None
        }


def _by_name(hint: Any) -> Any:
    """The class that an annotation in quotes means, when it cannot be evaluated."""
    if not isinstance(hint, str):
        return hint
    found = _NAMES.search(hint)
    kinds = {
        "list": list,
        "RecordBatch": pa.RecordBatch,
        "Array": pa.Array,
        "Table": pa.Table,
        "ChunkedArray": pa.ChunkedArray,
    }
    return kinds[found.group()] if found else object


def _is_a(hint: Any, kind: type) -> bool:
    """Whether an annotation is a class of this kind, or has one as an alternative."""
    if inspect.isclass(hint):
        return issubclass(hint, kind)
    if typing.get_origin(hint) in (list, dict, tuple):
        return False
    return any(_is_a(part, kind) for part in typing.get_args(hint))


def _arrow_type(hint: Any) -> pa.DataType | None:
    """The Arrow type of a row's result, where the return annotation says it."""
    if isinstance(hint, pa.DataType):
        return hint
    known = {
        bool: pa.bool_(),
        bytes: pa.binary(),
        float: pa.float32(),
        int: pa.int64(),
        str: pa.string(),
    }
    return known.get(hint) if inspect.isclass(hint) else None
