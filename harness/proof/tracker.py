"""The preloaded tracker, for the programs of this folder.

What they need of it is in the runner's own description of the interface, so that a change of one
cannot miss the other.
"""

from __future__ import annotations

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNER = os.path.join(os.path.dirname(HERE), "python")


def library() -> str:
    """The library to preload; ends the program with a line when it is not said."""
    path = os.environ.get("HIGHWATER_TRACKER", "")
    if not os.path.isfile(path):
        sys.exit(
            "HIGHWATER_TRACKER names no file\n"
            "hint: run it as a chore of `cargo xtask`, which builds the library and names it"
        )
    return os.path.abspath(path)


def counted(**variables: str) -> dict[str, str]:
    """This process's environment for a child that is counted."""
    return {**os.environ, "LD_PRELOAD": library(), "HIGHWATER_PRELOAD": "count", **variables}


def attach() -> None:
    """Proves in this process that everything is counted, Python's objects from now on."""
    sys.path.insert(0, RUNNER)
    try:
        from highwater_runner.failure import Failure
        from highwater_runner.tracker import Tracker
    finally:
        sys.path.remove(RUNNER)
    try:
        Tracker().prove()
    except Failure as failure:
        sys.exit(str(failure))
