"""``python -m pythons --target FOLDER [--mirror URL] [SUITE ...]``: other CPythons, for real.

Makes small Debians below FOLDER, each with its own CPython and C library, and there tries the
tracker and the runner. Needs root, Debian's `debootstrap`, and the network the first time.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

from .system import INSIDE, SYSTEMS, Folder

#: What went wrong with a check; empty when nothing did.
Trouble = str


def main() -> None:
    """Tries every system and says what came of it; ends with 1 when something failed."""
    arguments = argparse.ArgumentParser(prog="pythons", description=__doc__)
    arguments.add_argument("--target", required=True, help="where the systems are installed")
    arguments.add_argument(
        "--mirror", default="", help="a mirror of Debian; else debootstrap's own"
    )
    arguments.add_argument("suites", nargs="*", metavar="SUITE", help="only these, e.g. trixie")
    asked = arguments.parse_args()
    _require_tools()
    systems = [one for one in SYSTEMS if not asked.suites or one.suite in asked.suites]
    if not systems:
        known = ", ".join(one.suite for one in SYSTEMS)
        sys.exit(f"no such suite\nhint: the suites are {known}")
    failed = 0
    for system in systems:
        folder = Folder(system, os.path.abspath(asked.target), asked.mirror)
        print(system, flush=True)
        for check, trouble in _checks(folder):
            print(f"  {'FAILED' if trouble else 'ok'}: {check}", flush=True)
            if trouble:
                failed += 1
                print("\n".join(f"    {line}" for line in trouble.splitlines()[-40:]), flush=True)
    print(f"{len(systems)} systems, {failed} checks failed")
    sys.exit(1 if failed else 0)


def _require_tools() -> None:
    if os.geteuid() != 0:
        sys.exit("not root\nhint: run it with sudo; debootstrap and chroot need it")
    for tool, package in (("debootstrap",) * 2, ("unshare", "util-linux"), ("chroot", "coreutils")):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing\nhint: install it, e.g. with `apt-get install {package}`")


def _checks(folder: Folder) -> Iterator[tuple[str, Trouble]]:
    system = folder.system
    programs = f"{INSIDE}/programs"
    done = folder.python(f"{INSIDE}/symbols.py")
    expected = f"{system.python} {system.glibc}\n"
    yield "export table, canary, attach", _trouble(done, expected)
    for program, argument, says, what in (
        ("objects.py", "", "exact", "objects of every size count once"),
        ("churn.py", "0", "[0]", "churn has a slope of 0"),
        ("churn.py", "100", "[100]", "a leak of 100 bytes is one of 100 bytes"),
        ("sections.py", "", "exact", "two accounts"),
        ("processes.py", "", "clean", "children are alive and clean"),
        ("many_threads.py", "", "bounded", "threads leave nothing behind"),
    ):
        arguments = [argument] if argument else []
        done = folder.python(f"{programs}/{program}", *arguments)
        yield what, _trouble(done, f"{says}\n")
    # Without those of the reference fixtures, whose packages want 3.11 or newer.
    tests = "tests/test_[!f]*.py tests/test_fa*.py tests/test_fo*.py"
    line = f"cd {INSIDE}/python && exec /usr/bin/python{system.python} -m unittest {tests}"
    done = folder.run("/bin/sh", "-c", line)
    ran = re.search(r"Ran (\d+) tests", done.stdout)
    yield f"the runner's own {ran[1] if ran else ''} tests", _trouble(done, None)


def _trouble(done: subprocess.CompletedProcess[str], expected: str | None) -> Trouble:
    """What a program said, unless it ended well and said what it should."""
    if done.returncode == 0 and expected in (None, done.stdout):
        return ""
    return f"{done.stdout}ended with {done.returncode}; expected {expected!r}"


if __name__ == "__main__":
    main()
