"""The order of marks, experiments, production runs, what is weighed."""

from __future__ import annotations

import json
import os
import tempfile
import unittest

import pyarrow as pa
import pyarrow.parquet as pq

from .worker import HERE, UDFS, run


class Run(unittest.TestCase):
    def test_marks_come_in_their_order(self) -> None:
        record = run("Empty", batches=3).finished
        self.assertEqual([m["kind"] for m in record.marks], [1, 6, 2, 3, 4, 4, 4, 7, 8, 9, 10, 5])
        self.assertEqual([m["batch"] for m in record.of(4)], [0, 1, 2])
        self.assertEqual((record.asked, record.canary, record.stage), (3, 1, "done"))
        self.assertEqual(record.udf, f"{UDFS}:Empty"[-192:])

    def test_the_environment_names_what_moves_figures(self) -> None:
        about = json.loads(run("Empty", batches=1).finished.environment)
        self.assertEqual(about["pyarrow"], pa.__version__)
        self.assertEqual(about["ARROW_DEFAULT_MEMORY_POOL"], "system")
        self.assertEqual(about["run"], "exact")

    def test_a_production_run_collects_nothing(self) -> None:
        record = run("Cycles", batches=100, run="production").finished
        series = record.series("live")
        # Some collections happen by themselves; the run does not make one per batch.
        self.assertGreater(max(series) - min(series), 10 * 20_000)
        self.assertLess(record.one(7)["live"], max(series) - 10 * 20_000)

    def test_an_exact_run_collects_before_each_mark(self) -> None:
        record = run("Cycles", batches=100).finished
        self.assertEqual(record.steady("live"), {0})

    def test_trimming_every_eighth_batch_collects(self) -> None:
        series = run("Cycles", batches=100, run="production", trim_every=8).finished.series("live")
        self.assertLess(max(series) - min(series), 10 * 20_000)

    def test_pickling_changes_nothing(self) -> None:
        plain = run("Keep100", batches=30).finished
        pickled = run("Keep100", batches=30, pickle=True).finished
        self.assertEqual(plain.growth("live", 2), pickled.growth("live", 2))
        above = [[m["peak"] - m["live"] for m in r.of(4)][2:] for r in (plain, pickled)]
        self.assertEqual(*above)

    def test_equal_runs_give_equal_marks(self) -> None:
        first, second = (run("Keep100AmidChurn").finished for _ in range(2))
        start = [record.one(2)["live"] for record in (first, second)]
        marks = [[m["live"] - s for m in r.of(4)] for r, s in zip((first, second), start)]
        self.assertEqual(*marks)

    def test_rows_arrays_instances_and_decorated_udfs(self) -> None:
        file = f"{HERE}/decorated.py"
        decorated = ("DecoratedClass", "decorated_function", "decorated_batch")
        for udf in ("rowwise", "instance", "Gives", *(f"{file}:{name}" for name in decorated)):
            with self.subTest(udf):
                self.assertEqual(run(udf, batches=20).finished.steady("live"), {0})

    def test_a_udf_gets_only_the_columns_that_it_takes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.parquet")
            wide = {name: list(range(100)) for name in ("id", "other", "value")}
            pq.write_table(pa.table(wide), path)
            for udf, columns in (("Gives", 2), ("Empty", 3)):
                record = run(udf, batches=5, rows=10, path=path).finished
                self.assertEqual(set(record.series("input")), {columns * 80}, udf)

    def test_the_harness_s_reader_is_on_nobody_s_account(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.parquet")
            pq.write_table(pa.table({"x": list(range(10_000))}), path, row_group_size=3_000)
            record = run("Empty", rows=70, batches=200, path=path).finished
            self.assertEqual(record.steady("live"), {0})
            self.assertEqual(set(record.series("arrow_live")), {0})


if __name__ == "__main__":
    unittest.main()
