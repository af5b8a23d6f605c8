"""Measuring a UDF twice, and how far two figures may be apart."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SUBJECTS = os.path.join(HERE, "subjects.py")
FIXTURES = os.path.join(ROOT, "udf-fixtures", "python")
FLIGHTS = os.path.join(ROOT, "udf-fixtures", "data", "flights-60k.parquet")

sys.path.append(os.path.join(ROOT, "harness", "python"))

from tests import worker  # noqa: E402

BATCHES = 40
ROWS = 300
SEED = 7

#: glibc's malloc without caches of freed chunks and without mappings, so that its books hold what
#: is in use and nothing else.
PLAIN_MALLOC = ":".join(
    [
        "glibc.malloc.tcache_count=0",
        "glibc.malloc.mxfast=0",
        "glibc.malloc.mmap_threshold=4294967296",
    ]
)


@dataclass(frozen=True)
class Tolerance:
    """How far a peer's figure may be from ours: a share of it and bytes on top, and for what."""

    share: float
    residue: int
    why: str

    def check(self, what: str, ours: int, theirs: int) -> None:
        """Raises :class:`Disagreement` unless the two are that close."""
        allowed = self.share * abs(ours) + self.residue
        if abs(theirs - ours) > allowed:
            raise Disagreement(
                f"{what}: {ours:,} bytes by our count, {theirs:,} by the peer's "
                f"({theirs - ours:+,}; {allowed:,.0f} are explained by: {self.why})"
            )


class Disagreement(AssertionError):
    """Two counts of the same thing that are further apart than can be explained."""


#: memray and tracemalloc know what was allocated since they were started. A block of before that
#: is freed is not subtracted, and one of before that moves to a bigger place counts in full from
#: then on: the growing table of the dict or list in which a UDF keeps things, the interpreter's
#: tables of interned texts and of `abc`. We, who count from the process's start, see only the
#: difference.
KEPT = Tolerance(0.01, 8 * 1024, "tables of before that were replaced by bigger ones")

#: The same. And memray's profile function gives each running function a frame object, some 400
#: bytes deep in a stack.
PEAK = Tolerance(0.01, 24 * 1024, "replaced tables, and the frame objects of memray's profiler")

#: No tolerance at all.
EXACT = Tolerance(0, 0, "nothing")


@dataclass(frozen=True)
class Case:
    """A UDF and its input."""

    udf: str
    path: str | None = None

    @classmethod
    def own(cls, name: str) -> Case:
        """One of ours, over generated batches."""
        return cls(f"{SUBJECTS}:{name}")

    @classmethod
    def reference(cls, name: str) -> Case:
        """A reference fixture, over the flights."""
        return cls(os.path.join(FIXTURES, name), FLIGHTS)

    def ours(self, **variables: str) -> Ours:
        """What the worker's record says."""
        outcome = worker.run(
            self.udf, batches=BATCHES, rows=ROWS, path=self.path, environment={**variables}
        )
        marks = outcome.finished.of(4)
        return Ours(marks[0], marks[1:])

    def theirs(self, tool: str, **variables: str) -> dict[str, Any]:
        """What a peer says."""
        assignment = {"record": "", "name": "peer", "udf": self.udf, "path": self.path}
        assignment.update(batches=BATCHES, rows=ROWS, seed=SEED)
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "peer.py"), tool, json.dumps(assignment)],
            env={**os.environ, **worker.EXACT, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if done.returncode != 0:
            raise AssertionError(f"{tool} ended with {done.returncode}:\n{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])


@dataclass(frozen=True)
class Ours:
    """The marks of a run; figures are above those of the first batch's mark."""

    first: dict[str, int]
    later: list[dict[str, int]]

    def series(self, name: str = "live") -> list[int]:
        """A figure after each later batch."""
        return [mark[name] - self.first[name] for mark in self.later]

    @property
    def kept(self) -> int:
        """Live bytes after the last batch."""
        return self.series()[-1]

    @property
    def peak(self) -> int:
        """The highest live bytes within any later batch."""
        return max(mark["peak"] for mark in self.later) - self.first["live"]


def steps(series: list[int]) -> list[int]:
    """By how much a series grew with each batch."""
    return [after - before for before, after in zip(series, series[1:])]
