"""Caches that have a bound: while they fill, they grow as evenly as a leak.

What no course of live bytes can tell, the cache itself can: how much it holds and how much it may.
At the end of a run those that got fuller and are not full yet are emptied, so that what they gave
back can be compared with what was added.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import gc
import re
import weakref
from collections.abc import Iterator
from typing import Any

_LRU = type(functools.lru_cache(maxsize=1)(lambda: None))
#: What `cachetools.Cache` has, the rarest first.
_ATTRIBUTES = ("currsize", "maxsize", "clear")


class _Patterns:
    """The cache of :mod:`re`, of which there is one; CPython's own names for it."""

    @property
    def maxsize(self) -> int | None:
        return getattr(re, "_MAXCACHE", None)

    @property
    def currsize(self) -> int:
        return len(getattr(re, "_cache", ()))

    def clear(self) -> None:
        re.purge()


_PATTERNS = _Patterns()


class Caches:
    """The caches of the process that say how much they hold and how much they may.

    Those are ``functools.lru_cache``, ``collections.deque`` with a ``maxlen``, the one of ``re``,
    and whatever has the attributes of ``cachetools.Cache``. None is kept alive: what is remembered
    are weak references.
    """

    def __init__(self) -> None:
        self._found: list[weakref.ref[Any]] = []
        self._noted: list[tuple[weakref.ref[Any], float]] = []

    def find(self) -> None:
        """Remembers those that are there before the collector is told to pass over them."""
        self._found = [weakref.ref(cache) for cache in _tracked()] + [weakref.ref(_PATTERNS)]

    def note(self) -> None:
        """Notes how full each one is. Those that are made later are never looked at."""
        known = {id(cache): cache for cache in _tracked()}
        known.update((id(cache), cache) for cache in _alive(self._found))
        for cache in known.values():
            room = _room(cache)
            if room is not None:
                self._noted.append((weakref.ref(cache), room[0]))

    def filling(self) -> list[Any]:
        """Those that are fuller than was noted, and not full."""
        filling = []
        for reference, noted in self._noted:
            cache = reference()
            room = None if cache is None else _room(cache)
            if room is not None and noted < room[0] < room[1]:
                filling.append(cache)
        return filling


def empty(caches: list[Any]) -> None:
    """Has each of them let go of what it holds."""
    for cache in caches:
        with contextlib.suppress(Exception):  # one that cannot be emptied gives nothing back
            (cache.cache_clear if type(cache) is _LRU else cache.clear)()


def _alive(references: list[weakref.ref[Any]]) -> Iterator[Any]:
    for reference in references:
        cache = reference()
        if cache is not None:
            yield cache


def _tracked() -> list[Any]:
    """Those that the collector has before it."""
    every = gc.get_objects()
    kinds = {kind for kind in set(map(type, every)) if _is_cache(kind)}
    return [one for one in every if type(one) in kinds]


def _is_cache(kind: type) -> bool:
    """By what the class has itself: asking its objects would run code of theirs."""
    if kind is _LRU or issubclass(kind, collections.deque):
        return True
    has = (any(name in vars(base) for base in kind.__mro__) for name in _ATTRIBUTES)
    return all(has) and kind.__weakrefoffset__ != 0


def _room(cache: Any) -> tuple[float, float] | None:
    """How much it holds, and how much it may; ``None`` without a bound."""
    try:
        if type(cache) is _LRU:
            info = cache.cache_info()
            held, most = info.currsize, info.maxsize
        elif isinstance(cache, collections.deque):
            held, most = len(cache), cache.maxlen
        else:
            held, most = cache.currsize, cache.maxsize
        return None if most is None else (float(held), float(most))
    except Exception:  # the cache of a library, or of the user's own
        return None
