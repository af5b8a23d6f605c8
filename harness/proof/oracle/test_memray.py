"""memray, with Python's allocators traced, over heap-only UDFs."""

from __future__ import annotations

import unittest

from .agreement import KEPT, PEAK, Case, Disagreement


class Memray(unittest.TestCase):
    def agree(self, case: Case) -> None:
        ours, theirs = case.ours(), case.theirs("memray")
        self.assertGreater(ours.peak, 300_000)
        KEPT.check("kept", ours.kept, theirs["kept"])
        PEAK.check("peak", ours.peak, theirs["peak"])

    def test_python_objects(self) -> None:
        for name in ("Records", "Texts", "Objects"):
            with self.subTest(name):
                self.agree(Case.own(name))

    def test_numpy_pandas_and_arrow(self) -> None:
        for name in ("Arrays", "Frames", "ArrowBatches"):
            with self.subTest(name):
                self.agree(Case.own(name))

    def test_a_peak_of_which_nothing_is_kept(self) -> None:
        case = Case.own("Spike")
        self.assertEqual(case.ours().kept, 0)
        self.agree(case)

    def test_reference_fixtures(self) -> None:
        for name in (
            "cache.py:GrowingCache",
            "history.py:BatchHistory",
            "deferred.py:DeferredChecks",
            "confidence.py:LeakEightMebibytes",
        ):
            with self.subTest(name):
                self.agree(Case.reference(name))

    def test_five_percent_more_are_seen(self) -> None:
        ours, theirs = Case.own("Records").ours(), Case.own("RecordsAndMore").theirs("memray")
        with self.assertRaisesRegex(Disagreement, "kept: .* by our count"):
            KEPT.check("kept", ours.kept, theirs["kept"])


if __name__ == "__main__":
    unittest.main()
