"""The tracker and its peers: how a workload is started under each."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from dataclasses import dataclass
from typing import Callable

import tracker

WORKLOADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workloads.py")


@dataclass(frozen=True)
class Tool:
    """Something that a workload runs under."""

    name: str
    #: Whether it is ours; what is neither ours nor plain is a peer.
    is_ours: bool
    #: The command for a workload, with a folder to write to.
    command: Callable[[str, str], list[str]]
    #: Variables on top of the environment.
    variables: dict[str, str]


def plain(workload: str, folder: str) -> list[str]:
    """Nothing but the interpreter."""
    return [sys.executable, WORKLOADS, workload]


def _memray(*options: str) -> Callable[[str, str], list[str]]:
    def command(workload: str, folder: str) -> list[str]:
        output = ["--quiet", "--force", "--output", os.path.join(folder, "memray")]
        return [sys.executable, "-m", "memray", "run", *output, *options, WORKLOADS, workload]

    return command


def _heaptrack(workload: str, folder: str) -> list[str]:
    output = os.path.join(folder, "heaptrack")
    return ["heaptrack", "--output", output, *plain(workload, folder)]


def _tracemalloc(workload: str, folder: str) -> list[str]:
    return [sys.executable, "-X", "tracemalloc=1", WORKLOADS, workload]


def tools() -> list[Tool]:
    """All of them, plain first. Ends the program with a line when one is not installed."""
    if importlib.util.find_spec("memray") is None:
        sys.exit(
            "memray is missing\n"
            "hint: install harness/proof/requirements.txt, as `cargo xtask bench-python` does"
        )
    if shutil.which("heaptrack") is None:
        sys.exit("heaptrack is missing\nhint: install it, e.g. with `apt-get install heaptrack`")
    counting = {"LD_PRELOAD": tracker.library(), "HIGHWATER_PRELOAD": "count"}
    objects = {**counting, "HIGHWATER_BENCH": "objects"}
    return [
        Tool("plain", False, plain, {}),
        Tool("highwater", True, plain, counting),
        Tool("highwater, Python objects", True, plain, objects),
        Tool("memray", False, _memray(), {}),
        Tool("memray, native", False, _memray("--native"), {}),
        Tool("memray, Python allocators", False, _memray("--trace-python-allocators"), {}),
        Tool("heaptrack", False, _heaptrack, {}),
        Tool("tracemalloc", False, _tracemalloc, {}),
    ]
