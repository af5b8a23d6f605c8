"""Batches of files and of the seeded table."""

from __future__ import annotations

import os
import tempfile
import unittest
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from highwater_runner.failure import Failure
from highwater_runner.file import File
from highwater_runner.table import Table

WHOLE = pa.table({"n": list(range(10)), "text": [f"t{n}" for n in range(10)], "x": [0.5] * 10})


def write_parquet(path: str) -> None:
    pq.write_table(WHOLE, path, row_group_size=4)


def write_file(path: str) -> None:
    with pa.ipc.new_file(path, WHOLE.schema) as writer:
        writer.write_table(WHOLE, max_chunksize=4)


def write_stream(path: str) -> None:
    with pa.ipc.new_stream(path, WHOLE.schema) as writer:
        writer.write_table(WHOLE, max_chunksize=4)


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "input")

    def each_format(self):  # type: ignore[no-untyped-def]
        for write in (write_parquet, write_file, write_stream):
            write(self.path)
            with self.subTest(write.__name__):
                yield

    def test_batches_have_exactly_the_rows_and_start_over(self) -> None:
        for _ in self.each_format():
            file = File(self.path, [], 3)
            numbers = [file.next_batch().column("n").to_pylist() for _ in range(7)]
            self.assertEqual(
                numbers,
                [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 0, 1], [2, 3, 4], [5, 6, 7], [8, 9, 0]],
            )

    def test_a_batch_may_be_longer_than_the_file(self) -> None:
        for _ in self.each_format():
            file = File(self.path, ["n"], 25)
            expected = (list(range(10)) * 3)[:25]
            self.assertEqual(file.next_batch().column(0).to_pylist(), expected)

    def test_columns_come_in_the_order_asked_for(self) -> None:
        for _ in self.each_format():
            file = File(self.path, ["x", "n"], 5)
            self.assertEqual(file.schema.names, ["x", "n"])
            self.assertEqual(file.next_batch().schema.names, ["x", "n"])
            file.project(["n"])
            self.assertEqual(file.next_batch().to_pydict(), {"n": [0, 1, 2, 3, 4]})

    def test_starting_over_gives_the_first_rows_again(self) -> None:
        for _ in self.each_format():
            file = File(self.path, [], 3)
            first = file.next_batch()
            file.next_batch()
            file.start_over()
            self.assertEqual(file.next_batch(), first)

    def test_an_unknown_column(self) -> None:
        for _ in self.each_format():
            with self.assertRaisesRegex(Failure, "has no column `txt`\nhint: did you mean `text`"):
                File(self.path, ["txt"], 3)

    def test_files_that_are_none(self) -> None:
        empty = b"PAR1"
        for content, text in (
            (b"", "neither Parquet nor Arrow IPC"),
            (b"a,b\n1,2\n", "neither Parquet nor Arrow IPC: it starts with b'a,b"),
            (empty + b"\0" * 100, "is not valid Parquet"),
            (b"ARROW1\0\0" + b"\0" * 100, "is not valid Arrow IPC"),
        ):
            with open(self.path, "wb") as file:
                file.write(content)
            with self.subTest(text), self.assertRaisesRegex(Failure, text):
                File(self.path, [], 3)

    def test_a_file_without_rows(self) -> None:
        pq.write_table(WHOLE.slice(0, 0), self.path)
        with self.assertRaisesRegex(Failure, "has no rows"):
            File(self.path, [], 3)

    def test_no_file(self) -> None:
        with self.assertRaisesRegex(Failure, "does not exist"):
            File(self.path, [], 3)


def one_by_one(seed: int) -> Iterator[int]:
    """SplitMix64 as the paper has it."""
    mask = (1 << 64) - 1
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield z ^ (z >> 31)


def text_of(numbers: Iterator[int]) -> str:
    letters = 1 + next(numbers) % 40
    return "".join(chr(97 + next(numbers) % 26) for _ in range(letters))


class Tables(unittest.TestCase):
    def test_the_first_numbers_are_those_of_the_paper_s_reference_code(self) -> None:
        numbers = one_by_one(1_234_567)
        expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        self.assertEqual([next(numbers), next(numbers)], expected)
        self.assertEqual(Table(1, 1_234_567)._random.draw(2).to_pylist(), expected)

    def test_numbers_made_many_at_a_time_are_those_made_one_by_one(self) -> None:
        # Each batch takes some 4,000 numbers, so chunks of them end everywhere.
        for seed in (0, 7, (1 << 64) - 1):
            numbers, table = one_by_one(seed), Table(190, seed)
            for _ in range(25):
                batch = table.next_batch()
                values = [(next(numbers) >> 11) / (1 << 53) for _ in range(190)]
                texts = [text_of(numbers) for _ in range(190)]
                self.assertEqual(batch.column("value").to_pylist(), values)
                self.assertEqual(batch.column("text").to_pylist(), texts)

    def test_a_seed_gives_one_table_and_another_seed_another(self) -> None:
        first, second, other = (Table(50, seed) for seed in (7, 7, 8))
        self.assertEqual(first.next_batch(), second.next_batch())
        self.assertEqual(first.next_batch(), second.next_batch())
        first.start_over()
        start = first.next_batch()
        self.assertNotEqual(start, other.next_batch())

    def test_the_columns_hold_what_they_promise(self) -> None:
        table = Table(100, 7)
        table.next_batch()
        batch = table.next_batch()
        self.assertEqual(batch.column("id").to_pylist(), list(range(100, 200)))
        self.assertTrue(all(0 <= value < 1 for value in batch.column("value").to_pylist()))
        self.assertTrue(all(1 <= len(text) <= 40 for text in batch.column("text").to_pylist()))


if __name__ == "__main__":
    unittest.main()
