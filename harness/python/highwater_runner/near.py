"""Which known names a mistyped one may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(wanted: str, known: Iterable[str], cutoff: float = 0.6) -> list[str]:
    """The names in ``known`` that look like ``wanted``, best first, at most three.

    >>> nearest("carier", ["carrier", "origin", "dest"])
    ['carrier']
    >>> nearest("x", ["carrier"])
    []
    """
    names = {name.lower(): name for name in known}
    found = difflib.get_close_matches(wanted.lower(), names, n=3, cutoff=cutoff)
    return [names[name] for name in found]


def hint(wanted: str, known: Iterable[str], kind: str) -> str:
    """What to say after "there is no ``wanted``": near names, else all of them."""
    known = list(known)
    near = nearest(wanted, known)
    if near:
        return f"did you mean {listed(near)}?"
    return f"{kind}: {listed(known)}" if known else f"{kind}: none"


def listed(names: Iterable[str]) -> str:
    """The names in backticks, with commas."""
    return ", ".join(f"`{name}`" for name in names)
