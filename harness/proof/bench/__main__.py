"""``python -m bench [--rounds N]``: the tracker and its peers, side by side.

In each round every workload runs once under every tool, one after the other, so that a busy
neighbour meets them all alike. A ratio is the median over the rounds of tool to plain in one round.
Prints a table per workload and the targets; ends with 1 when one is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
from statistics import median

from . import record, table
from .table import Rounds, Target
from .tools import Tool, tools
from .workloads import WORKLOADS

_CHURN = ("json churn", "dict churn", "pandas UDF")
_MEMORY = ("small objects", "small blocks")

#: The CPU time of the pandas UDF, as a share of the plain run's.
_COUNTING, _OBJECTS = 1.05, 1.10
#: Resident memory of small objects, as a share of the plain run's.
_MEMORY_SHARE = 1.07
#: Bytes of record.
_MARK = 256


def main() -> None:
    """Measures, prints, judges."""
    arguments = argparse.ArgumentParser(prog="bench", description=__doc__)
    arguments.add_argument("--rounds", type=int, default=9, help="default: 9")
    asked = arguments.parse_args()
    everything = tools()
    measured = {name: _measure(name, everything, asked.rounds) for name in _CHURN}
    ours = [tool for tool in everything if tool.is_ours or tool.name == "plain"]
    memory = {name: _measure(name, ours, 3) for name in _MEMORY}

    print(f"## CPython {platform.python_version()}, {platform.machine()}\n")
    for name, rounds in measured.items():
        print(table.markdown(name, rounds))
    print("### Resident memory of a million small objects\n")
    print("| | plain | " + " | ".join(tool.name for tool in ours[1:]) + " |\n|---|---|---|---|")
    for name, rounds in memory.items():
        plain = median(one["held"] for one in rounds["plain"]) / 2**20
        shares = [f"{table.ratio(rounds, tool.name, 'held'):.3f}" for tool in ours[1:]]
        print(f"| {name} | {plain:.1f} MiB | {' | '.join(shares)} |")

    targets = _targets(measured, memory, everything)
    print("\n### Targets\n")
    print("\n".join(map(str, targets)))
    sys.exit(0 if all(target.is_reached for target in targets) else 1)


def _targets(
    measured: dict[str, Rounds], memory: dict[str, Rounds], everything: list[Tool]
) -> list[Target]:
    found = []
    for tool, limit in (("highwater", _COUNTING), ("highwater, Python objects", _OBJECTS)):
        share = table.ratio(measured["pandas UDF"], tool, "cpu")
        found.append(Target(f"pandas UDF, {tool}: CPU time against plain", limit, share))
    for name, rounds in memory.items():
        for tool in list(rounds)[1:]:
            share = table.ratio(rounds, tool, "held")
            found.append(Target(f"{name}, {tool}: memory against plain", _MEMORY_SHARE, share))
    found.append(Target("bytes of record per mark", _MARK, record.bytes_per_mark()))
    for name, rounds in measured.items():
        found += table.ahead(name, rounds, everything)
    return found


def _measure(workload: str, among: list[Tool], rounds: int) -> Rounds:
    found: Rounds = {tool.name: [] for tool in among}
    for number in range(rounds):
        print(f"{workload}: round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for tool in among:
            found[tool.name].append(_run(workload, tool))
    return found


def _run(workload: str, tool: Tool) -> dict[str, float]:
    assert workload in WORKLOADS, workload
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            tool.command(workload, folder),
            cwd=folder,
            env={**os.environ, "PYTHONHASHSEED": "0", **tool.variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [line for line in done.stdout.splitlines() if line.startswith('{"wall"')]
    if done.returncode != 0 or not lines:
        sys.exit(f"`{workload}` under {tool.name} ended with {done.returncode}:\n{done.stderr}")
    tree = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return {**json.loads(lines[0]), "tree": tree}


if __name__ == "__main__":
    main()
