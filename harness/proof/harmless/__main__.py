"""``python -m harmless [OPTION ...] [UNIT ...]``: runs tests with and without the tracker.

Ends with 1 when a test came to something else under it, and names the test. With a log, what an
interrupted run has done with this tracker and this Python is not done again.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import tracker

from . import selection
from .results import Results, run
from .selection import Unit

#: How often a unit is run again on both sides when something differs.
_AGAIN = 2


@dataclass(frozen=True)
class Comparison:
    """A unit on both sides."""

    unit: Unit
    plain: Results
    counted: Results
    #: Tests that always come to something under the tracker that they never do without it.
    broken: dict[str, str]
    #: Tests that differed, and differ without the tracker as well, or not again.
    unsteady: list[str]


def compare(unit: Unit) -> Comparison:
    """Runs a unit on both sides; where they differ, again, for some tests depend on the clock."""
    plain, counted = [run(unit, False)], [run(unit, True)]
    differing = _differing(plain[0], counted[0])
    if differing:
        for _ in range(_AGAIN):
            plain.append(run(unit, False))
            counted.append(run(unit, True))
    broken, unsteady = {}, []
    for name in differing:
        without = {results.tests.get(name, "not run") for results in plain}
        under = {results.tests.get(name, "not run") for results in counted}
        if without & under:
            unsteady.append(name)
        else:
            broken[name] = f"{', '.join(sorted(under))}; without: {', '.join(sorted(without))}"
    return Comparison(unit, plain[0], counted[0], broken, unsteady)


class Log:
    """The comparisons of this tracker and this Python, one line of JSON each."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        with open(tracker.library(), "rb") as file:
            self._key = f"{hashlib.sha256(file.read()).hexdigest()[:16]} {sys.version}"

    def done(self) -> list[Comparison]:
        """What is done already."""
        found = []
        if self._path is not None and os.path.exists(self._path):
            with open(self._path, encoding="utf-8") as file:
                lines = [line for line in file if line.endswith("\n")]
            for one in map(json.loads, lines):
                if one.pop("key") == self._key:
                    arguments = one["unit"].pop("arguments")
                    one["unit"] = Unit(**one["unit"], arguments=tuple(arguments))
                    one["plain"], one["counted"] = (
                        Results(**one["plain"]),
                        Results(**one["counted"]),
                    )
                    found.append(Comparison(**one))
        return found

    def add(self, comparison: Comparison) -> None:
        """Adds one; without what the tests printed, unless they differ."""
        if self._path is None:
            return
        line = {"key": self._key, **dataclasses.asdict(comparison)}
        if not comparison.broken:
            line["plain"]["output"] = line["counted"]["output"] = ""
        with open(self._path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _differing(plain: Results, counted: Results) -> list[str]:
    names = sorted({*plain.tests, *counted.tests})
    return [name for name in names if plain.tests.get(name) != counted.tests.get(name)]


def main() -> None:
    """Runs what was asked for and says how it went."""
    arguments = argparse.ArgumentParser(prog="harmless", description=__doc__)
    arguments.add_argument("--short", action="store_true", help="less than two minutes")
    arguments.add_argument("--log", metavar="FILE", help="goes on where a run with this log ended")
    arguments.add_argument("units", nargs="*", metavar="UNIT", help="only these, e.g. test_json")
    asked = arguments.parse_args()
    if (missing := selection.missing()) is not None:
        sys.exit(missing)
    units = selection.short() if asked.short else selection.full()
    if asked.units:
        units = [unit for unit in units if unit.name in asked.units]
    shipped = [unit for unit in units if unit.is_shipped]
    if not shipped:
        sys.exit("no such tests\nhint: name units as they are in harmless/selection.py")
    absent = [unit.name for unit in units if not unit.is_shipped]
    if absent:
        print(f"not in this Python: {', '.join(absent)}")

    # Children of a background job are born deaf to it, and some tests interrupt themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    log = Log(asked.log)
    done = [comparison for comparison in log.done() if comparison.unit in shipped]
    for comparison in done:
        _show(comparison)
    left = [unit for unit in shipped if unit not in [comparison.unit for comparison in done]]
    with ThreadPoolExecutor(2) as pool:
        for future in as_completed([pool.submit(compare, unit) for unit in left]):
            comparison = future.result()
            log.add(comparison)
            done.append(comparison)
            _show(comparison)
    tests = sum(len(one.counted.tests) - 1 for one in done)
    passed = sum(state == "passed" for one in done for state in one.counted.tests.values())
    broken = sum(len(one.broken) for one in done)
    empty = [one.unit.name for one in done if len(one.counted.tests) < 2]
    if empty:
        print(f"no results of single tests, only the exit code: {', '.join(empty)}")
    print(f"{len(done)} units, {tests} tests, {passed} passed under the tracker, {broken} differ")
    if tests == 0:
        sys.exit("no test ran")
    sys.exit(1 if broken else 0)


def _show(comparison: Comparison) -> None:
    plain, counted = comparison.plain, comparison.counted
    tests = len(counted.tests) - 1
    times = f"{plain.seconds:.1f} s plain, {counted.seconds:.1f} s counted"
    verdict = f"{len(comparison.broken)} DIFFER" if comparison.broken else "same"
    print(f"{comparison.unit.name}: {tests} tests, {verdict} ({times})", flush=True)
    for name, states in comparison.broken.items():
        print(f"  {name}: {states}")
    for name in comparison.unsteady:
        print(f"  {name}: differed, but does so without the tracker too, or not again")
    if comparison.broken or tests == 0:
        tail = counted.output.splitlines()[-40:]
        print("\n".join(f"    {line}" for line in tail), flush=True)


if __name__ == "__main__":
    main()
