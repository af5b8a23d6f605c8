"""Finding a UDF in its file, building it, and letting go of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Callable

from . import near, planted
from .failure import NO_UDF, Failure
from .module import load


class Location:
    """``path/to/file.py:Name``, loaded: the module and the object that the name means there.

    The object may be a class, a function, a callable object, or what Geneva's ``@udf`` makes of
    one of these. Nothing of Geneva is imported: its objects are known by their attributes.
    """

    def __init__(self, text: str) -> None:
        self.module: ModuleType
        self.name: str
        if text in planted.NAMES:
            self.module, self.name = planted, planted.NAMES[text]
        else:
            path, colon, self.name = text.rpartition(":")
            if not colon or not path or not self.name:
                raise Failure(
                    f"`{text}` names no Python UDF",
                    "name it as `path/to/file.py:Name`",
                    NO_UDF,
                )
            self.module = load(path)
        self._found = self._find()
        # Looked at now, so that building does nothing but build.
        self._is_built = _check_constructor(self._found, self.name)
        #: Empty until :meth:`build`.
        self.udf = Udf()

    @property
    def batches(self) -> Callable[[int, int, int], Iterator[Any]] | None:
        """The file's own generator ``batches(n, rows, seed)``, if it has one."""
        own = getattr(self.module, "batches", None)
        return own if callable(own) else None

    def build(self) -> None:
        """Builds the UDF into :attr:`udf`; its ``setup`` has not run yet.

        What the constructor raises goes through: only the caller knows in which step it is.
        """
        _unwrap(self._found() if self._is_built else self._found, self.name, self.udf)

    def forget(self) -> None:
        """Drops the UDF, also where the module itself refers to it; classes and functions stay."""
        if not inspect.isclass(self._found) and not inspect.isroutine(self._found):
            vars(self.module).pop(self.name, None)
        self._found = self.udf.target = None

    def _find(self) -> Any:
        found = self.module
        for part in self.name.split("."):
            known = sorted(
                n for n, value in vars(found).items() if _may_be_udf(n, value, self.module)
            )
            if not hasattr(found, part):
                file = self.module.__file__ or self.module.__name__
                raise Failure(
                    f"`{file}` has no `{self.name}`",
                    near.hint(part, known, "its classes and functions are"),
                    NO_UDF,
                )
            found = getattr(found, part)
        if not callable(found) and not hasattr(found, "func"):
            raise Failure(
                f"`{self.name}` is no UDF but a {type(found).__name__}",
                "a UDF is a class with `__call__`, a function, or a callable object",
                NO_UDF,
            )
        return found


class Udf:
    """A built UDF: what is called, and what is known of its arguments and its result."""

    __slots__ = ("columns", "target", "type")

    def __init__(self) -> None:
        #: What is called.
        self.target: Any = None
        #: The columns that its arguments come from, where its decorator says so.
        self.columns: list[str] | None = None
        #: The Arrow type of its result, where its decorator says so.
        self.type: Any = None

    def setup(self) -> None:
        """Runs its ``setup``, if it has one."""
        setup = getattr(self.target, "setup", None)
        if callable(setup) and not inspect.isfunction(self.target):
            setup()


def _unwrap(built: Any, name: str, udf: Udf) -> None:
    """Fills ``udf`` with the callable inside a decorated UDF, and what the decorator declares."""
    inner = getattr(built, "func", None)
    if callable(inner) and hasattr(built, "input_columns"):
        udf.columns, udf.type = built.input_columns, getattr(built, "data_type", None)
        built = inner() if inspect.isclass(inner) else inner
    if not callable(built):
        raise Failure(
            f"`{name}` cannot be called",
            "give its class a `__call__` that takes a `pyarrow.RecordBatch`",
        )
    udf.target = built


def _check_constructor(found: Any, name: str) -> bool:
    """Whether the UDF is built by calling ``found``, which then must work without arguments."""
    # Geneva's decorator makes a function out of a class, which gives a UDF when it is called.
    constructor = found if inspect.isclass(found) else getattr(found, "__wrapped__", None)
    if not inspect.isclass(constructor):
        return False
    needed = _needed(constructor)
    if needed:
        raise Failure(
            f"the constructor of `{name}` needs {near.listed(needed)}",
            "give the parameters defaults, or name an instance: "
            f"`udf = {name}(...)` in the file, and `:udf`",
        )
    return True


def _needed(constructor: type) -> list[str]:
    """Parameters of a constructor that have no default."""
    try:
        parameters = inspect.signature(constructor).parameters.values()
    except (TypeError, ValueError):  # written in C without a signature
        return []
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in optional]


def _may_be_udf(name: str, value: Any, module: ModuleType) -> bool:
    if name.startswith("_") or inspect.ismodule(value) or not callable(value):
        return False
    # What the file only imported is not what its author calls a UDF.
    return getattr(value, "__module__", None) == module.__name__ or hasattr(value, "input_columns")
