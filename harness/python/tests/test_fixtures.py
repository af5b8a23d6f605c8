"""The reference fixtures grow as they say, and their twins do not."""

from __future__ import annotations

import os
import sys
import unittest

from .worker import HERE, run

FOLDER = os.path.join(HERE, "..", "..", "..", "udf-fixtures")
FLIGHTS = os.path.join(FOLDER, "data", "flights-60k.parquet")

#: Bytes per batch after the first hundred: live (least, most), and the least of Arrow's.
MODEL = {
    "cache.py:GrowingCache": (100_000, 250_000, 0),
    "cache.py:BoundedCache": (0, 0, 0),
    "history.py:BatchHistory": (60_000, 70_000, 55_000),
    "history.py:RunningSummary": (0, 0, 0),
    "deferred.py:DeferredChecks": (6_000, 7_000, 4_900),
    "deferred.py:EagerChecks": (0, 0, 0),
    "schemas.py:KeptSchemas": (30_000, 60_000, 5_000),
    "schemas.py:SentSchemas": (0, 128, 0),
    "schemas.py:PlainSchemas": (-128, 128, 0),
    "itinerary.py:LinkedFlights": (-128, 128, 0),
    "itinerary.py:WeaklyLinkedFlights": (-128, 128, 0),
    "fragments.py:FragmentedRing": (0, 0, 0),
    "fragments.py:ReusedScratch": (0, 0, 0),
    "confidence.py:LeakEightMebibytes": (8 << 20, 8 << 20, 0),
    "confidence.py:FreeEightMebibytes": (0, 0, 0),
}


@unittest.skipIf(sys.version_info < (3, 11), "the fixtures' lock file is for 3.11 and newer")
class Fixtures(unittest.TestCase):
    def test_growth_is_that_of_the_model(self) -> None:
        for udf, (least, most, arrow) in MODEL.items():
            with self.subTest(udf):
                path = f"{FOLDER}/python/{udf}"
                record = run(path, batches=150, path=FLIGHTS).finished
                live, buffers = record.series("live"), record.series("arrow_live")
                growth = (live[149] - live[100]) / 49
                self.assertTrue(least <= growth <= most, growth)
                self.assertGreaterEqual((buffers[149] - buffers[100]) / 49, arrow)

    def test_fragments_are_resident_and_can_be_trimmed(self) -> None:
        grown = {}
        for name in ("FragmentedRing", "ReusedScratch"):
            path = f"{FOLDER}/python/fragments.py:{name}"
            record = run(path, batches=200, path=FLIGHTS, run="production").finished
            resident = record.series("rss_anon")
            grown[name] = resident[199] - resident[50]
            if name == "FragmentedRing":
                trimmed = record.one(7)["rss_anon"] - record.one(8)["rss_anon"]
                self.assertGreater(trimmed, grown[name] // 2)
        self.assertGreater(grown["FragmentedRing"], 5_000_000)
        self.assertLess(grown["ReusedScratch"], 1_000_000)

    def test_cycles_wait_for_the_collector_and_weak_ones_do_not(self) -> None:
        peaks = {}
        for name in ("LinkedFlights", "WeaklyLinkedFlights"):
            path = f"{FOLDER}/python/itinerary.py:{name}"
            record = run(path, batches=150, path=FLIGHTS, run="production").finished
            peaks[name] = max(record.series("live")) - record.one(7)["live"]
        self.assertGreater(peaks["LinkedFlights"], 2_000_000)
        self.assertLess(peaks["WeaklyLinkedFlights"], 100_000)

    def test_without_pytorch_the_model_is_not_run(self) -> None:
        try:
            import torch  # noqa: F401
        except ImportError:
            outcome = run(f"{FOLDER}/python/model.py:KeptGraph", path=FLIGHTS)
            self.assertEqual(outcome.code, 105)
            self.assertIn("install `torch`", outcome.output)
            return
        for name, least, most in (("KeptGraph", 30_000, 200_000), ("InferenceOnly", 0, 0)):
            record = run(f"{FOLDER}/python/model.py:{name}", batches=150, path=FLIGHTS).finished
            live = record.series("live")
            self.assertTrue(least <= (live[149] - live[100]) / 49 <= most)


if __name__ == "__main__":
    unittest.main()
