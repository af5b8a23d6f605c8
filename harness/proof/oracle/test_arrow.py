"""Arrow's counters under its system pool, to the byte."""

from __future__ import annotations

import unittest

from .agreement import EXACT, Case, Disagreement, steps
from .subjects import ArrowBuffers


class Arrow(unittest.TestCase):
    def test_the_record_has_arrow_s_own_figure(self) -> None:
        for case in (
            Case.own("ArrowBatches"),
            Case.own("ArrowBuffers"),
            Case.reference("history.py:BatchHistory"),
            Case.reference("deferred.py:DeferredChecks"),
        ):
            with self.subTest(case.udf):
                series = zip(case.ours().series("arrow_live"), case.theirs("arrow")["series"])
                for batch, (ours, theirs) in enumerate(series, 1):
                    EXACT.check(f"batch {batch}", ours, theirs)

    def test_malloc_s_count_is_arrow_s_and_one_object_per_buffer(self) -> None:
        case = Case.own("ArrowBuffers")
        native = steps(case.ours().series("native"))
        arrow = steps(case.theirs("arrow")["series"])
        # Besides its bytes, a buffer is a C++ object with its shared count, of the same size
        # whatever it holds: what is left in any one batch must be left in all of them.
        own = native[0] - arrow[0]
        self.assertTrue(80 <= own <= 200, own)
        for ours, theirs in zip(native, arrow):
            EXACT.check("a buffer", ours - own, theirs)
        self.assertEqual(len(set(arrow)), len(ArrowBuffers.sizes) - 1, "1 and 64 cost the same")

    def test_a_byte_less_is_seen(self) -> None:
        with self.assertRaises(Disagreement):
            EXACT.check("a buffer", 64, 63)


if __name__ == "__main__":
    unittest.main()
