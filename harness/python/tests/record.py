"""Reads a record, for the tests: the format is described in the tracker's documentation."""

from __future__ import annotations

import struct
import sys
import zlib
from dataclasses import dataclass, field

_ABSENT = -(1 << 63)
_STATES = {1: "running", 2: "finished", 3: "failed"}
_STAGES = {1: "starting", 2: "confidence", 3: "setup", 4: "batch", 5: "dropping", 6: "done"}

# (name, offset, format, may be absent)
_FIELDS = [
    ("kind", 0, "<I"),
    ("batch", 4, "<I"),
    ("duration_ns", 16, "<Q"),
    ("live", 24, "<q"),
    ("blocks", 32, "<q"),
    ("peak", 40, "<q"),
    ("allocations", 56, "<Q"),
    ("harness_live", 72, "<q"),
    ("input", 88, "<q"),
    ("rss_anon", 96, "<q"),
    ("threads", 128, "<I"),
    ("lost", 144, "<Q"),
    ("arrow_live", 152, "<q"),
    ("arrow_max", 160, "<q"),
    ("before_collect", 168, "<q"),
    ("mapped", 176, "<q"),
    ("python_blocks", 184, "<q"),
    ("native", 192, "<q"),
    ("output", 208, "<q"),
]


@dataclass
class Record:
    """What the tests look at."""

    state: str
    stage: str
    stage_batch: int
    fixture: str
    udf: str
    environment: str
    failure: str
    asked: int
    canary: int
    marks: list[dict[str, int | None]] = field(default_factory=list)

    @classmethod
    def read(cls, path: str) -> Record:
        """The record at ``path``; every mark's checksum is looked at."""
        with open(path, "rb") as file:
            data = file.read()
        assert data[:8] == b"HIGHWATR", data[:8]

        def at(offset: int, form: str) -> int:
            return struct.unpack_from(form, data, offset)[0]

        def text(length_at: int, offset: int) -> str:
            return data[offset : offset + at(length_at, "<H")].decode()

        record = cls(
            state=_STATES[at(2064, "<Q")],
            stage=_STAGES[at(2072, "<I")],
            stage_batch=at(2076, "<I"),
            fixture=text(56, 64),
            udf=text(58, 256),
            environment=text(62, 480),
            failure=data[3072 : 3072 + at(2120, "<Q")].decode(),
            asked=at(28, "<I"),
            canary=at(2096, "<Q"),
        )
        for number in range(at(2056, "<Q")):
            start = 4096 + number * 256
            mark = data[start : start + 256]
            assert zlib.crc32(mark[:252]) == struct.unpack("<I", mark[252:])[0], number
            figures = {n: struct.unpack_from(form, mark, o)[0] for n, o, form in _FIELDS}
            record.marks.append({n: None if v == _ABSENT else v for n, v in figures.items()})
        return record

    def of(self, kind: int) -> list[dict[str, int]]:
        """The marks of a kind."""
        return [mark for mark in self.marks if mark["kind"] == kind]  # type: ignore[misc]

    def one(self, kind: int) -> dict[str, int]:
        """The only mark of a kind."""
        (mark,) = self.of(kind)
        return mark

    def series(self, name: str) -> list[int]:
        """One figure after each batch."""
        return [mark[name] for mark in self.of(4)]

    def growth(self, name: str, warm_up: int = 0) -> list[int]:
        """By how much a figure grew with each batch after ``warm_up`` batches."""
        series = self.series(name)[warm_up:]
        return [after - before for before, after in zip(series, series[1:])]

    def steady(self, name: str, warm_up: int = 2) -> set[int]:
        """All sizes of growth.

        Without steps that came once or twice on CPython before 3.11: it gives a function a cache of
        some dozen bytes when that is called for the 1,024th time.
        """
        growth = self.growth(name, warm_up)
        old = sys.version_info < (3, 11)
        return {each for each in growth if not old or growth.count(each) > 2}
