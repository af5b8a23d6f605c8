"""Importing the user's file, as ``python file.py`` or ``import file`` would."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any, Callable

from .failure import FAILED, MISSING_PACKAGE, NO_UDF, Failure, raised


def load(path: str) -> ModuleType:
    """The module in the file at ``path``, executed once and known to ``sys.modules``.

    Its folder comes first on ``sys.path``, so that it finds what lies beside it. A file inside a
    package is imported under its dotted name, so that its relative imports work. It is known by
    its usual name, because pickle looks classes up by it.

    Raises :class:`Failure` when there is no such file, or when it cannot be imported.
    """
    if not os.path.isfile(path):
        kind = "is a folder" if os.path.isdir(path) else "does not exist"
        raise Failure(
            f"UDF file `{path}` {kind}",
            "name it as `path/to/file.py:Name`; paths in a manifest are relative to the manifest",
            NO_UDF,
        )
    root, name = _place(os.path.abspath(path))
    folder = os.path.dirname(os.path.abspath(path))
    # Both ways of running a file of a package are in use, so both ways of importing have to work.
    sys.path[:0] = [root] if folder == root else [root, folder]
    if "." in name:
        return _run(lambda: importlib.import_module(name), path)
    if name in sys.modules:
        # `json.py` as a UDF's file must not become everybody's `json`.
        name = f"highwater_udf_{name}"
    spec = importlib.util.spec_from_file_location(name, os.path.abspath(path))
    if spec is None or spec.loader is None:
        raise Failure(f"UDF file `{path}` is no Python file", "its name must end in `.py`", NO_UDF)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    _run(lambda: loader.exec_module(module), path)
    return module


def _place(path: str) -> tuple[str, str]:
    """The folder to search from, and the dotted name that ``path`` has from there."""
    folder, file = os.path.split(path)
    parts = [os.path.splitext(file)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    return folder, ".".join(parts)


def _run(step: Callable[[], Any], path: str) -> Any:
    """Runs ``step``, which executes the user's file, and puts what it raises into one line."""
    try:
        return step()
    except SyntaxError as error:
        file = error.filename or path
        is_its_own = os.path.abspath(file) == os.path.abspath(path)
        raise Failure(
            f"import: {os.path.basename(file)}:{error.lineno}: {type(error).__name__}: {error.msg}",
            code=NO_UDF if is_its_own else FAILED,
        ) from error
    except ModuleNotFoundError as error:
        raise Failure(
            f"import: {raised(error)}",
            f"install `{error.name}` for `{sys.executable}`, or choose another Python with "
            "`--python`",
            FAILED if _is_ours_to_find(error.name, path) else MISSING_PACKAGE,
        ) from error
    except BaseException as error:  # also SystemExit: a module may call `sys.exit`
        raise Failure(f"import: {raised(error)}") from error


def _is_ours_to_find(name: str | None, path: str) -> bool:
    """Whether a missing module belongs to a package that is there: then it is a slip."""
    top = (name or "").partition(".")[0]
    return top in sys.modules or top == os.path.basename(os.path.dirname(os.path.abspath(path)))
