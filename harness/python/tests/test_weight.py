"""What results weigh."""

from __future__ import annotations

import pickle
import unittest

import numpy as np
import pandas as pd
import pyarrow as pa
from highwater_runner import weight


class Weights(unittest.TestCase):
    def test_a_view_weighs_what_it_is_a_view_of(self) -> None:
        base = np.zeros(1000)
        self.assertEqual(weight.memory(base[:8][2:]), 8000)
        self.assertEqual(weight.memory(pa.array(base).slice(0, 1)), 8000)

    def test_an_empty_frame_weighs_its_categories(self) -> None:
        frame = pd.DataFrame({"c": pd.Categorical([f"value {n:09}" for n in range(1000)])})
        weighed = weight.memory(frame.iloc[:0])
        assert weighed is not None
        self.assertGreater(weighed, 8000)
        emptied = frame.iloc[:0]["c"].cat.remove_unused_categories()
        self.assertLess(weight.memory(emptied), 200)

    def test_unknown_kinds_have_no_weight(self) -> None:
        self.assertIsNone(weight.memory(object()))

    def test_pickled_size_is_that_of_the_pickle(self) -> None:
        for value in (b"x" * 100_000, pa.array(range(1000)), {"a": [1, 2]}, np.zeros(10_000)):
            self.assertEqual(weight.pickled(value), len(pickle.dumps(value, protocol=5)))

    def test_what_cannot_be_pickled_has_no_size(self) -> None:
        self.assertIsNone(weight.pickled(lambda: None))


if __name__ == "__main__":
    unittest.main()
