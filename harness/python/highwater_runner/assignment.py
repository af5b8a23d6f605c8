"""What the harness asks of this worker."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from .failure import NO_ASSIGNMENT, Failure

#: The environment variable that carries the assignment, as JSON.
VARIABLE = "HIGHWATER_WORKER"


@dataclass(frozen=True)
class Assignment:
    """One run of one fixture.

    The JSON is the one that Rust workers get, plus an optional object ``python`` with ``run``
    (``"exact"``, the default, or ``"production"``), ``trim_every`` (batches, 0 for never),
    ``pickle`` (whether to measure what the UDF's state and its results weigh pickled) and
    ``resident_only`` (whether nothing but resident memory is asked for).
    """

    #: Where the record is written.
    record: str
    #: The fixture's name.
    name: str
    #: ``path/to/file.py:Name``, or the name of a planted UDF.
    udf: str
    #: How many batches to feed the UDF, at least 1.
    batches: int
    #: Rows in each batch, at least 1.
    rows: int
    #: Seed of generated input.
    seed: int
    #: A Parquet or Arrow IPC file; ``None`` for generated batches.
    path: str | None = None
    #: Columns to read from the file, in this order; all when empty.
    columns: list[str] = field(default_factory=list)
    #: Whether every mark is preceded by a collection: the exact run, which feeds the gate.
    exact: bool = True
    #: Batches between two trims, Geneva's cadence; 0 for never.
    trim_every: int = 0
    #: Whether to pickle the UDF's state and its results, for their size.
    pickle: bool = False
    #: Whether only resident memory is asked for: another allocator may serve C++.
    resident_only: bool = False
    #: After how many batches to ask the harness how long to go on, and the named pipe to ask at;
    #: ``None`` for a run of exactly ``batches``.
    checkpoint: tuple[int, str] | None = None
    #: Slices of batches to run instead of the batches: batch, first row, rows; in order of their
    #: batch.
    slices: list[tuple[int, int, int]] | None = None
    #: The harness's process id; 0 when it does not say.
    harness_pid: int = 0

    @classmethod
    def from_environment(cls) -> Assignment:
        """The assignment in this process's environment, which it is removed from.

        Raises :class:`Failure` when there is none or it cannot be read.
        """
        text = os.environ.pop(VARIABLE, None)
        if text is None:
            raise Failure(
                f"`{VARIABLE}` is not set: this is a worker of Highwater",
                "it is started by `highwater run` and `highwater check`",
                NO_ASSIGNMENT,
            )
        try:
            return cls.from_json(json.loads(text))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Failure(
                f"`{VARIABLE}` does not hold an assignment: {type(error).__name__}: {error}",
                "workers are started by `highwater`, with the same version on both sides",
                NO_ASSIGNMENT,
            ) from None

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Assignment:
        """The assignment in a parsed JSON document."""
        fixture = document["fixture"]
        options = document.get("python") or {}
        run = options.get("run", "exact")
        if run not in ("exact", "production"):
            raise ValueError(f"`run` is `{run}`")
        path, columns = None, []
        if fixture["input"] != "generated":
            file = fixture["input"]["file"]
            path, columns = str(file["path"]), [str(name) for name in file["columns"]]
        return cls(
            record=str(document["record"]),
            name=str(fixture["name"]),
            udf=str(fixture["udf"]),
            batches=_at_least(fixture, "batches", 1),
            rows=_at_least(fixture, "rows", 1),
            seed=_at_least(fixture, "seed", 0),
            path=path,
            columns=columns,
            exact=run == "exact",
            trim_every=_at_least(options, "trim_every", 0),
            pickle=bool(options.get("pickle", False)),
            resident_only=bool(options.get("resident_only", False)),
            checkpoint=_checkpoint(document.get("checkpoint")),
            slices=_slices(document.get("slices")),
            harness_pid=int(document.get("harness_pid", 0)),
        )


def _checkpoint(document: dict[str, Any] | None) -> tuple[int, str] | None:
    if document is None:
        return None
    return _at_least(document, "first", 1), str(document["pipe"])


def _slices(documents: list[dict[str, Any]] | None) -> list[tuple[int, int, int]] | None:
    if documents is None:
        return None
    return [
        (_at_least(one, "batch", 0), _at_least(one, "from", 0), _at_least(one, "rows", 1))
        for one in documents
    ]


def _at_least(document: dict[str, Any], key: str, least: int) -> int:
    number = document.get(key, least) if least == 0 else document[key]
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise ValueError(f"`{key}` is {number!r}")
    return number
