"""Which caches are emptied at the end, and which are left alone."""

from __future__ import annotations

import collections
import functools
import gc
import re
import unittest
import weakref
from collections.abc import Callable

from highwater_runner.caches import Caches, empty


class Sized(dict[int, int]):
    """As ``cachetools`` has them; knows no more than its attributes."""

    maxsize = 1000

    @property
    def currsize(self) -> int:
        return len(self)


class Raising(Sized):
    @property
    def currsize(self) -> int:
        raise RuntimeError("not now")


def run(add: Callable[[], object]) -> None:
    """The caches' part of a run, in which ``add`` is its later half."""
    caches = Caches()
    caches.find()
    caches.note()
    add()
    empty(caches.filling())


class Emptied(unittest.TestCase):
    def test_one_that_got_fuller_and_is_not_full_is_emptied(self) -> None:
        function = functools.lru_cache(maxsize=100)(abs)
        last: collections.deque[int] = collections.deque([1], maxlen=100)
        sized = Sized({1: 1})
        function(1)

        def add() -> None:
            function(2)
            last.append(2)
            sized[2] = 2

        run(add)
        self.assertEqual((function.cache_info().currsize, len(last), len(sized)), (0, 0, 0))

    def test_one_into_which_nothing_came_is_left_alone(self) -> None:
        function = functools.lru_cache(maxsize=100)(abs)
        last: collections.deque[int] = collections.deque([1], maxlen=100)
        function(1)
        run(lambda: function(1))
        self.assertEqual((function.cache_info().currsize, len(last)), (1, 1))

    def test_one_without_room_or_bound_is_left_alone(self) -> None:
        full = functools.lru_cache(maxsize=3)(abs)
        unbounded = functools.lru_cache(maxsize=None)(abs)
        longer: collections.deque[int] = collections.deque()
        raising = Raising()

        def add() -> None:
            for number in range(3):
                full(number)
                unbounded(number)
                longer.append(number)
                raising[number] = number

        run(add)
        held = (full.cache_info().currsize, unbounded.cache_info().currsize, len(longer))
        self.assertEqual((*held, len(raising)), (3, 3, 3, 3))

    def test_one_that_was_made_later_is_left_alone(self) -> None:
        made = []

        def add() -> None:
            made.append(collections.deque([1], maxlen=100))

        run(add)
        self.assertEqual(len(made[0]), 1)

    def test_one_that_is_frozen_later_is_found(self) -> None:
        last: collections.deque[int] = collections.deque(maxlen=100)
        caches = Caches()
        caches.find()
        gc.freeze()
        try:
            caches.note()
            last.append(1)
            empty(caches.filling())
        finally:
            gc.unfreeze()
        self.assertEqual(len(last), 0)

    def test_the_patterns_of_re_are_a_cache(self) -> None:
        re.purge()
        run(lambda: re.compile("a pattern of this test"))
        self.assertEqual(len(re._cache), 0)  # type: ignore[attr-defined]

    def test_nothing_is_kept_alive(self) -> None:
        caches = Caches()
        last: collections.deque[int] = collections.deque(maxlen=100)
        caches.find()
        caches.note()
        alive = weakref.ref(last)
        del last
        self.assertIsNone(alive())
        self.assertEqual(caches.filling(), [])


if __name__ == "__main__":
    unittest.main()
