"""The fingerprint of where a run took place, stored in its record."""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib import metadata

#: Room in the record's header, in bytes.
_MOST = 1564

_PACKAGES = ("pyarrow", "numpy", "pandas", "polars", "torch")
_VARIABLES = (
    "ARROW_DEFAULT_MEMORY_POOL",
    "MALLOC_ARENA_MAX",
    "MALLOC_TRIM_THRESHOLD_",
    "OMP_NUM_THREADS",
    "PYTHONHASHSEED",
    "PYTHONMALLOC",
)


def fingerprint(tracker: str, run: str) -> str:
    """Versions and settings that move figures, as JSON that fits into the record's header.

    Without paths and names of machines or people: records are shared.
    """
    about: dict[str, object] = {
        "tracker": tracker,
        "run": run,
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "free_threaded": not getattr(sys, "_is_gil_enabled", lambda: True)(),
        "libc": _libc(),
        "machine": platform.machine(),
        "cpus": os.cpu_count() or 0,
    }
    for package in _PACKAGES:
        try:
            about[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    about.update((name, os.environ[name]) for name in _VARIABLES if name in os.environ)
    text = json.dumps(about, separators=(",", ":"))
    return text if len(text.encode()) <= _MOST else "{}"


def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or "unknown"
    except (ValueError, OSError):
        return "unknown"
