"""Whatever a UDF does, one clear line and a readable record."""

from __future__ import annotations

import os
import tempfile
import unittest

from .worker import UDFS, run

LINE = "ValueError: invalid literal for int() with base 10: 'seven'"


class InBatches(unittest.TestCase):
    def check(self, udf: str, code: int, state: str, text: str) -> None:
        outcome = run(udf)
        record = outcome.record
        assert record is not None, outcome
        self.assertEqual((outcome.code, record.state), (code, state), outcome.output)
        self.assertEqual((record.stage, record.stage_batch), ("batch", 37))
        self.assertEqual(len(record.of(4)), 37)
        self.assertRegex(record.failure, text)

    def test_raises(self) -> None:
        self.check(
            "At37",
            101,
            "failed",
            rf"^batch 37: {LINE} ".replace("(", r"\(").replace(")", r"\)")
            + r"\(udfs\.py:\d+ in go_wrong\)$",
        )

    def test_sys_exit_is_no_success(self) -> None:
        self.check(
            "SysExit", 101, "failed", r"^batch 37: SystemExit: 0 \(udfs\.py:\d+ in go_wrong\)$"
        )

    def test_hard_exit(self) -> None:
        self.check("HardExit", 3, "running", "^$")

    def test_killed(self) -> None:
        self.check("Killed", -9, "running", "^$")

    def test_a_fork_is_ended_and_the_run_goes_on(self) -> None:
        self.assertEqual(len(run("Forks").finished.of(4)), 60)

    def test_threads_left_running_do_not_keep_the_worker(self) -> None:
        record = run("Threads").finished
        self.assertEqual(len(record.of(4)), 60)
        threads = record.series("threads")
        self.assertEqual(threads[37] - threads[36], 1)


class Before(unittest.TestCase):
    def check(self, udf: str, code: int, *texts: str, source: str = "") -> None:
        with tempfile.TemporaryDirectory() as folder:
            if source:
                with open(os.path.join(folder, "made.py"), "w", encoding="utf-8") as file:
                    file.write(source)
                udf = f"{folder}/made.py:{udf}"
            outcome = run(udf, batches=2)
        self.assertEqual(outcome.code, code, outcome.output)
        assert outcome.record is not None
        for text in texts:
            self.assertIn(text, outcome.output)
            self.assertIn(text, outcome.record.failure)

    def test_setup_raises(self) -> None:
        self.check("BadSetup", 101, "setup: RuntimeError: no model (udfs.py:")

    def test_the_file_is_missing(self) -> None:
        self.check("/nowhere/udfs.py:A", 107, "UDF file `/nowhere/udfs.py` does not exist")

    def test_no_file_is_named(self) -> None:
        self.check(":A", 107, "`:A` names no Python UDF")

    def test_the_name_is_missing(self) -> None:
        self.check(f"{UDFS}:Emty", 107, "has no `Emty`", "did you mean `Empty`?")

    def test_the_constructor_needs_arguments(self) -> None:
        self.check("NeedsModel", 101, "the constructor of `NeedsModel` needs `model`")

    def test_the_file_has_a_syntax_error(self) -> None:
        self.check("A", 107, "import: made.py:2: SyntaxError", source="\nclass A(:\n")

    def test_what_the_file_imports_has_a_syntax_error(self) -> None:
        # The UDF is where it should be; what it needs is broken.
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "broken.py"), "w", encoding="utf-8") as file:
                file.write("x =\n")
            source = f"import sys\nsys.path.insert(0, {folder!r})\nimport broken\n"
            self.check("A", 101, "import: broken.py:1: SyntaxError", source=source)

    def test_the_file_raises(self) -> None:
        self.check(
            "A",
            101,
            "import: ZeroDivisionError: division by zero (made.py:1 in <module>)",
            source="1 / 0\n",
        )

    def test_the_file_exits(self) -> None:
        self.check("A", 101, "import: SystemExit: 0 (made.py:2", source="import sys\nsys.exit(0)\n")

    def test_a_package_is_missing(self) -> None:
        self.check(
            "A", 105, "No module named 'nowhere'", "install `nowhere`", source="import nowhere\n"
        )

    def test_the_name_is_no_udf(self) -> None:
        self.check("A", 107, "`A` is no UDF but a int", source="A = 7\n")

    def test_a_column_is_mistyped(self) -> None:
        source = "def a(id, vale):\n    return 1\n"
        self.check(
            "a", 101, "`a` takes `vale`, which is no column", "did you mean `value`?", source=source
        )


class Attachment(unittest.TestCase):
    def test_without_the_library_nothing_is_measured(self) -> None:
        outcome = run("Empty", preload=False)
        self.assertEqual(outcome.code, 104)
        self.assertIn("the tracker is not attached", outcome.output)
        self.assertIsNone(outcome.record)

    def test_a_library_that_does_not_count(self) -> None:
        outcome = run("Empty", environment={"HIGHWATER_PRELOAD": None})
        self.assertEqual(outcome.code, 104)
        self.assertIn("`HIGHWATER_PRELOAD` is not set", outcome.output)

    def test_without_an_assignment_there_is_nothing_to_do(self) -> None:
        for text, why in ((None, "is not set"), ("{}", "does not hold an assignment")):
            outcome = run("Empty", environment={"HIGHWATER_WORKER": text})
            self.assertEqual(outcome.code, 102)
            self.assertIn(why, outcome.output)

    def test_debug_allocators_are_refused(self) -> None:
        outcome = run("Empty", environment={"PYTHONMALLOC": "debug"})
        self.assertEqual(outcome.code, 104)
        self.assertIn("debug hooks", outcome.output)


if __name__ == "__main__":
    unittest.main()
