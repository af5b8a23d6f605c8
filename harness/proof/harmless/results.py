"""Running a unit, and what each of its tests came to."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from xml.etree import ElementTree

import tracker

from .selection import Unit

ATTACHED = os.path.join(tracker.HERE, "attached.py")

#: What is run of pyarrow's and NumPy's tests: none that takes up to 16 GiB, and none that is slow.
#: CPython's own runner leaves such tests out unless it is told otherwise.
LEFT_OUT = "not large_memory and not slow"

#: Longest run of one unit, in seconds; the longest takes three minutes on two cores.
LIMIT = 1_500

#: Longest single test of CPython's, in seconds. Some wait for ever where there is no network.
TEST_LIMIT = 300


@dataclass(frozen=True)
class Results:
    """What the tests of a unit came to: ``passed``, ``failed``, ``error`` or ``skipped``, by name.

    How the process ended is among them, so that a crash is a difference.
    """

    tests: dict[str, str]
    seconds: float
    output: str


def run(unit: Unit, is_counted: bool) -> Results:
    """Runs a unit in a process of its own, counted or plain."""
    with tempfile.TemporaryDirectory(prefix="harmless") as folder:
        report = os.path.join(folder, "report.xml")
        how = "counted" if is_counted else "plain"
        command = [sys.executable, ATTACHED, how, "-m", *_arguments(unit, report, folder)]
        environment = tracker.counted() if is_counted else dict(os.environ)
        environment.update(TMPDIR=folder, PYTHONDONTWRITEBYTECODE="1")
        started = time.monotonic()
        with open(os.path.join(folder, "output"), "w+b") as output:
            try:
                code: object = subprocess.run(
                    command,
                    cwd=folder,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    timeout=LIMIT,
                    start_new_session=True,
                ).returncode
            except subprocess.TimeoutExpired:
                code = f"nothing within {LIMIT} s"
            output.seek(0)
            said = output.read().decode(errors="replace")
        tests = _read(report)
        tests["(the process)"] = f"ended with {code}"
        return Results(tests, time.monotonic() - started, said)


def _arguments(unit: Unit, report: str, folder: str) -> list[str]:
    if unit.runner == "test":
        limit = ["--timeout", str(TEST_LIMIT)]
        options = [*limit, "--junit-xml", report, "--tempdir", folder, *unit.arguments]
        if unit.start_method is None:
            return ["test", *options, unit.name]
        return ["test", *options, "--testdir", folder, _write_starter(unit.start_method, folder)]
    plugins = ["-p", "no:cacheprovider", "-p", "no:randomly"]
    # Examples chosen anew in each run would be other tests on either side.
    seed = ["--hypothesis-seed=0"]
    rule = ["-m", LEFT_OUT]
    return ["pytest", "-q", *plugins, *seed, *rule, f"--junitxml={report}", "--pyargs", unit.name]


def _write_starter(method: str, folder: str) -> str:
    # Not the missing module's name: CPython's runner looks for a folder behind that.
    name = f"test_started_by_{method}"
    with open(os.path.join(folder, f"{name}.py"), "w", encoding="utf-8") as file:
        file.write(
            "import test._test_multiprocessing as tests\n"
            f"tests.install_tests_in_module_dict(globals(), {method!r})\n"
        )
    return name


def _read(report: str) -> dict[str, str]:
    tests: dict[str, str] = {}
    try:
        cases = ElementTree.parse(report).iter("testcase")
    except (OSError, ElementTree.ParseError):
        return tests
    words = {"failure": "failed", "error": "error", "skipped": "skipped"}
    for case in cases:
        name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
        # A test with subtests is there more than once.
        states = [words[child.tag] for child in case if child.tag in words]
        tests[name] = "+".join(sorted({*filter(None, [tests.get(name)]), *states})) or "passed"
    return tests
