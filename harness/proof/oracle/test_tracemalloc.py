"""tracemalloc over UDFs of pure Python: the growth with each batch, to the byte."""

from __future__ import annotations

import unittest

from .agreement import EXACT, KEPT, PEAK, Case, Disagreement, steps

#: By how much CPython's table of arenas grows when it doubles: 48 bytes for each of 16 and more.
ARENA_TABLES = (768, 1_536, 3_072)


class Tracemalloc(unittest.TestCase):
    def test_growth_is_the_same_to_the_byte(self) -> None:
        for name in ("Records", "Texts", "Objects"):
            with self.subTest(name):
                case = Case.own(name)
                ours, theirs = case.ours(), case.theirs("tracemalloc")
                # Steps, for the first series begins with the list of what is kept: it moves, and
                # then counts in full for tracemalloc, which has not seen it before.
                grown = list(zip(steps(ours.series()), steps(theirs["series"])))
                apart = [our_step - their_step for our_step, their_step in grown]
                # CPython's table of arenas doubles once or twice, which is nobody's memory by our
                # count.
                moved = [step for step in apart if -step in ARENA_TABLES]
                self.assertLessEqual(len(moved), 2, apart)
                for batch, (our_step, their_step) in enumerate(grown, 2):
                    if our_step - their_step not in moved:
                        EXACT.check(f"batch {batch}", our_step, their_step)
                KEPT.check("kept", ours.kept, theirs["kept"])
                PEAK.check("peak", ours.peak, theirs["peak"])

    def test_a_byte_more_is_seen(self) -> None:
        with self.assertRaises(Disagreement):
            EXACT.check("batch 1", 100, 101)


if __name__ == "__main__":
    unittest.main()
