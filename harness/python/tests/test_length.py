"""How long a run goes on, and runs over slices of batches."""

from __future__ import annotations

import unittest

from .udfs import HEADER
from .worker import HERE, run


class Length(unittest.TestCase):
    def test_the_worker_goes_on_as_long_as_it_is_told(self) -> None:
        record = run("Keep100", batches=30, goals=[30, 60, 70]).finished
        self.assertEqual([m["batch"] for m in record.of(4)], list(range(70)))
        self.assertEqual(record.asked, 30)

    def test_asking_changes_no_figure(self) -> None:
        plain = run("Keep100AmidChurn", batches=60).finished
        asking = run("Keep100AmidChurn", batches=20, goals=[20, 40, 60]).finished
        above = [
            [m["live"] - record.one(2)["live"] for m in record.of(4)] for record in (plain, asking)
        ]
        self.assertEqual(*above)

    def test_a_file_with_batches_of_its_own_goes_on_with_the_next_one(self) -> None:
        file = f"{HERE}/own_batches.py"
        plain = run(f"{file}:First", batches=12, rows=8).finished
        longer = run(f"{file}:First", batches=6, rows=8, goals=[6, 12]).finished
        self.assertEqual(plain.series("output"), longer.series("output"))
        self.assertEqual(len(set(plain.series("output"))), 12)

    def test_a_generator_that_has_no_more_is_said(self) -> None:
        outcome = run(f"{HERE}/short_batches.py:Drop", batches=3, rows=8, goals=[3, 20])
        self.assertNotEqual(outcome.code, 0)
        self.assertIn("`batches` ended after", outcome.output)


class Slices(unittest.TestCase):
    def test_each_call_gets_its_rows(self) -> None:
        slices = [(1, 0, 10), (3, 0, 4), (3, 4, 6), (3, 0, 10)]
        record = run("FirstAndCount", rows=10, slices=slices).finished
        wanted = [HEADER + 10 * batch + first + 10_000 * rows for batch, first, rows in slices]
        self.assertEqual(record.series("output"), wanted)
        self.assertEqual([m["batch"] for m in record.of(4)], [0, 1, 2, 3])

    def test_of_batches_of_the_files_own(self) -> None:
        file = f"{HERE}/own_batches.py"
        whole = run(f"{file}:First", batches=6, rows=8).finished.series("output")
        parts = run(f"{file}:First", batches=6, rows=8, slices=[(0, 0, 8), (5, 0, 3)]).finished
        self.assertEqual(parts.series("output"), [whole[0], whole[5]])
        rows = run(f"{file}:Drop", batches=6, rows=8, slices=[(0, 0, 8), (5, 2, 3)]).finished
        self.assertEqual([m["input"] for m in rows.of(4)], [4 * 8 * 8] * 2)
