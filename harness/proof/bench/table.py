"""Ratios to the plain run, and the targets that they are held against."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from .tools import Tool

#: A run's figures by name, for each round.
Rounds = dict[str, list[dict[str, float]]]

COLUMNS = ("wall", "cpu", "tree", "rss")


@dataclass(frozen=True)
class Target:
    """Something to reach."""

    what: str
    limit: float
    found: float

    @property
    def is_reached(self) -> bool:
        """Whether it is."""
        return self.found <= self.limit

    def __str__(self) -> str:
        verdict = "reached" if self.is_reached else "MISSED"
        return f"- {verdict}: {self.what}: {self.found:.3f}, at most {self.limit:.3f}"


def ratio(rounds: Rounds, tool: str, figure: str) -> float:
    """The median over the rounds of a figure as a share of the plain run's in the same round."""
    pairs = zip(rounds[tool], rounds["plain"])
    return median(one[figure] / plain[figure] for one, plain in pairs)


def markdown(workload: str, rounds: Rounds) -> str:
    """A table of one workload."""
    plain = {figure: median(one[figure] for one in rounds["plain"]) for figure in COLUMNS}
    lines = [
        f"### {workload}",
        "",
        f"Plain: {plain['wall']:.2f} s, {plain['rss'] / 2**20:.0f} MiB; "
        f"{len(rounds['plain'])} rounds.",
        "",
        "| | wall | CPU | CPU, all processes | peak RSS |",
        "|---|---|---|---|---|",
    ]
    for tool in rounds:
        cells = [f"{ratio(rounds, tool, figure):.2f}" for figure in COLUMNS]
        lines.append(f"| {tool} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def ahead(workload: str, rounds: Rounds, tools: list[Tool]) -> list[Target]:
    """That each of ours is faster than every peer, takes less of the machine, and is smaller.

    By the CPU time of all processes: heaptrack leaves its work to a second one.
    """
    peers = [tool.name for tool in tools if not tool.is_ours and tool.name in rounds]
    peers.remove("plain")
    targets = []
    for figure, name in (("wall", "time"), ("tree", "CPU time"), ("rss", "peak RSS")):
        best = min(ratio(rounds, peer, figure) for peer in peers)
        for tool in (tool.name for tool in tools if tool.is_ours):
            what = f"{workload}, {tool}: {name} against the best peer's"
            targets.append(Target(what, best, ratio(rounds, tool, figure)))
    return targets
