"""Where the batches of a run come from, and whose memory they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Callable

import pyarrow as pa

from .assignment import Assignment
from .compact import compact, prepare
from .failure import Failure, raised
from .file import File
from .table import Table


class Lent:
    """Batches that the harness reads or makes, and of which the UDF gets a compact copy.

    Reading belongs in the harness's account, copying in the UDF's.
    """

    def __init__(self, assignment: Assignment) -> None:
        self._inner: Any
        if assignment.path is None:
            self._inner = Table(assignment.rows, assignment.seed)
        else:
            self._inner = File(assignment.path, assignment.columns, assignment.rows)

        self._schema: pa.Schema = self._inner.schema
        self._next: Callable[[], pa.RecordBatch] = self._inner.next_batch
        self._slices = assignment.slices
        self._lent: list[pa.Array] | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._schema.names)

    def project(self, columns: list[str]) -> None:
        """Limits batches to these columns, as an engine does that knows what a UDF takes."""
        if isinstance(self._inner, File):
            self._inner.project(columns)
            self._schema = self._inner.schema

    def start_over(self) -> None:
        """Goes back to the first batch, or to the first slice."""
        self._inner.start_over()
        if self._slices is not None:
            self._next = _slices(self._inner.next_batch, self._slices).__next__

    def extend(self, _: int) -> None:
        """Nothing: the batches never end."""

    def read(self) -> None:
        """Reads the next batch. In the harness's account."""
        self._lent = prepare(self._next())

    def hand_over(self) -> pa.RecordBatch:
        """A copy of the batch that was read. In the UDF's account."""
        assert self._lent is not None
        return compact(self._lent, self._schema)

    def take_back(self) -> None:
        """Lets go of what was read. In the harness's account."""
        self._lent = None

    def close(self) -> None:
        """Nothing: the file is the harness's and stays open to the end."""


class Own:
    """Batches that the UDF's file makes itself, handed over as they are.

    They are made in the UDF's account: whoever keeps one keeps its bytes, and what its arrays are
    made over (NumPy's memory, a file's) is part of what is being tested. So what the generator
    holds between two batches counts as the UDF's, too.
    """

    def __init__(
        self, batches: Callable[[int, int, int], Iterator[Any]], assignment: Assignment
    ) -> None:
        self._make = batches
        self._rows, self._seed = assignment.rows, assignment.seed
        self._wanted = 0
        self._given = 0
        self._batches: Iterator[Any]
        self.extend(assignment.batches)
        if assignment.slices is not None:
            self._batches = _slices(self._batches.__next__, assignment.slices)

    def extend(self, batches: int) -> None:
        """Has ``batches`` of them in all. In the UDF's account.

        They are asked for again, and those that were given are passed over: a generator that gets
        the same seed makes the same ones first.
        """
        given, self._given, self._wanted = self._given, 0, batches
        try:
            self._batches = iter(self._make(batches, self._rows, self._seed))
        except BaseException as error:
            raise Failure(f"batches: {raised(error)}") from error
        for _ in range(given):
            self.hand_over()

    def read(self) -> None:
        """Nothing: the batch is made where it belongs."""

    def hand_over(self) -> pa.RecordBatch:
        """The next batch. In the UDF's account."""
        try:
            batch = next(self._batches)
        except StopIteration:
            raise Failure(
                f"`batches` ended after {self._given} of {self._wanted}",
                "give as many batches as its first argument says",
            ) from None
        except BaseException as error:
            raise Failure(f"batches: {raised(error)}") from error
        if not isinstance(batch, pa.RecordBatch):
            raise Failure(
                f"`batches` gave a {type(batch).__name__}",
                "yield `pyarrow.RecordBatch` objects",
            )
        self._given += 1
        return batch

    def take_back(self) -> None:
        """Nothing: the harness has lent nothing."""

    def close(self) -> None:
        """Ends the generator, with all that its frame holds. In the UDF's account."""
        close = getattr(self._batches, "close", None)
        self._batches = iter(())
        if callable(close):
            close()


def _slices(
    read: Callable[[], pa.RecordBatch], slices: list[tuple[int, int, int]]
) -> Iterator[pa.RecordBatch]:
    """Slices of the batches that ``read`` gives; they come in the order of their batch."""
    count, whole = 0, None
    for batch, start, rows in slices:
        while count <= batch:
            whole = read()
            count += 1
        assert whole is not None
        yield whole.slice(start, rows)
