"""Figures to the byte, through the real tracker."""

from __future__ import annotations

import unittest

import pyarrow as pa

from .worker import HERE, run

OWN = f"{HERE}/own_batches.py"


class Exactness(unittest.TestCase):
    def growth(self, udf: str, name: str = "live", **options: object) -> set[int]:
        return run(udf, **options).finished.steady(name)  # type: ignore[arg-type]

    def test_the_runner_itself_keeps_nothing_over_200_batches(self) -> None:
        record = run("Empty", batches=200).finished
        self.assertEqual(record.steady("live"), {0})
        self.assertEqual(record.steady("blocks"), {0})

    def test_nor_beyond_the_256_small_integers(self) -> None:
        self.assertEqual(self.growth("Empty", batches=300), {0})

    def test_a_hundred_bytes_are_a_hundred_bytes(self) -> None:
        self.assertEqual(self.growth("Keep100", batches=200), {100})

    def test_also_amid_churn(self) -> None:
        self.assertEqual(self.growth("Keep100AmidChurn"), {100})

    def test_a_float_from_a_free_list_counts_as_the_udf_s(self) -> None:
        self.assertEqual(self.growth("KeepFloat"), {24})

    def test_the_planted_leak_and_its_twin(self) -> None:
        self.assertEqual(self.growth("planted_leak"), {65_537})
        self.assertEqual(self.growth("planted_leak", "blocks"), {2})
        self.assertEqual(self.growth("planted_twin"), {0})

    def test_the_planted_arrow_leak(self) -> None:
        self.assertEqual(self.growth("planted_arrow", "arrow_live"), {65_536})

    def test_all_arrow_pools_count_the_same(self) -> None:
        for pool in pa.supported_memory_backends():
            with self.subTest(pool):
                variables = {"ARROW_DEFAULT_MEMORY_POOL": pool}
                growth = self.growth(
                    "planted_arrow", "arrow_live", run="production", environment=variables
                )
                self.assertEqual(growth, {65_536})

    def test_a_kept_batch_counts_with_its_copy(self) -> None:
        record = run("KeepBatch").finished
        # Two columns of 8 bytes and text, each rounded up by Arrow's pool to 64.
        for arrow, live, given in zip(
            record.growth("arrow_live"), record.growth("live"), record.series("input")[1:]
        ):
            self.assertTrue(given <= arrow < given + 4 * 64, (given, arrow))
            self.assertTrue(arrow < live < arrow + 4000, (arrow, live))

    def test_set_up_is_constructor_and_setup(self) -> None:
        record = run("SetUpMegabyte").finished
        held = record.one(3)["live"] - record.one(2)["live"]
        self.assertTrue(1_000_000 <= held < 1_003_000, held)
        self.assertLess(record.one(5)["live"] - record.one(2)["live"], 5_000)

    def test_the_peak_of_a_batch_is_that_of_its_call(self) -> None:
        record = run("Peak").finished
        above = [mark["peak"] - mark["live"] for mark in record.of(4)]
        self.assertTrue(10_000_000 <= above[30] < 10_100_000, above[30])
        self.assertTrue(all(0 < high < 100_000 for at, high in enumerate(above) if at != 30), above)


class OwnBatches(unittest.TestCase):
    def test_kept_batches_over_numpy_count_as_kept(self) -> None:
        record = run(f"{OWN}:Keep").finished
        growth = record.growth("live", warm_up=2)
        self.assertTrue(all(4 * 2400 < each < 4 * 2400 + 8000 for each in growth), growth)
        self.assertEqual(set(record.growth("arrow_live")), {0})

    def test_batches_that_nobody_keeps_leave_nothing(self) -> None:
        self.assertEqual(run(f"{OWN}:Drop").finished.steady("live"), {0})

    def test_what_making_a_batch_takes_is_not_the_udf_s_peak(self) -> None:
        record = run(f"{OWN}:Drop").finished
        above = [mark["peak"] - mark["live"] for mark in record.of(4)]
        self.assertTrue(all(high < 100_000 for high in above), above)

    def test_the_generator_is_gone_after_the_drop(self) -> None:
        record = run(f"{OWN}:Drop").finished
        left = record.one(5)["live"] - record.one(2)["live"]
        self.assertLess(left, 10_000)

    def test_a_generator_that_ends_early(self) -> None:
        outcome = run(f"{HERE}/short_batches.py:Drop", batches=10)
        self.assertEqual(outcome.code, 101)
        self.assertIn("batch 3: `batches` ended after 3 of 10", outcome.output)


if __name__ == "__main__":
    unittest.main()
