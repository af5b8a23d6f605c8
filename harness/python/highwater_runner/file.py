"""Batches of one size out of a Parquet or Arrow IPC file, which is read again and again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from . import near
from .failure import Failure


class File:
    """An endless run of batches with exactly ``rows`` rows.

    Whatever the file's own batches and row groups are. At its end it starts over, and the batch at
    the seam has rows from both ends. The format is told by the first bytes, not by the name.
    """

    def __init__(self, path: str, columns: list[str], rows: int) -> None:
        self._path = path
        self._rows = rows
        self._open, self._format = _format(path)
        self._columns: list[str] | None = columns or None
        self._pass: Iterator[pa.RecordBatch] = iter(())
        self._ahead: pa.RecordBatch | None = None
        #: The columns that batches have.
        self.schema = self._start()

    def project(self, columns: list[str]) -> None:
        """Reads these columns from now on, from the start of the file."""
        known = self.schema.names
        tops = (name if name in known else name.partition(".")[0] for name in columns)
        self._columns = list(dict.fromkeys(tops))
        self.schema = self._start()

    def start_over(self) -> None:
        """Goes back to the first row."""
        self._start()

    def next_batch(self) -> pa.RecordBatch:
        """The next ``rows`` rows."""
        parts, missing = [], self._rows
        while missing > 0:
            rows = self._take(missing)
            missing -= rows.num_rows
            parts.append(rows)
        if len(parts) == 1:
            return parts[0]
        whole = pa.Table.from_batches(parts).combine_chunks()
        return whole.to_batches()[0]

    def _take(self, most: int) -> pa.RecordBatch:
        """At least one row and at most so many."""
        rows = self._ahead if self._ahead is not None else self._read()
        self._ahead = rows.slice(most) if rows.num_rows > most else None
        return rows.slice(0, most)

    def _read(self) -> pa.RecordBatch:
        rows = self._next_of_pass()
        if rows is None:
            self._start()
            rows, self._ahead = self._ahead, None
        return rows

    def _start(self) -> pa.Schema:
        """Opens the file and reads its first rows, so that an empty one is found here."""
        try:
            schema, self._pass = self._open(self._path, self._columns, self._rows)
        except Failure:
            raise
        except (OSError, ValueError, KeyError, pa.ArrowException) as error:
            raise self._damaged(error) from error
        self._ahead = self._next_of_pass()
        if self._ahead is None:
            raise Failure(
                f"input file `{self._path}` has no rows",
                "a fixture needs at least one row; name another file under `input`",
            )
        return schema

    def _next_of_pass(self) -> pa.RecordBatch | None:
        try:
            for rows in self._pass:
                if rows.num_rows:
                    return rows
        except (OSError, ValueError, pa.ArrowException) as error:
            raise self._damaged(error) from error
        return None

    def _damaged(self, error: Exception) -> Failure:
        text = " ".join(str(error).split())
        return Failure(
            f"input file `{self._path}` is not valid {self._format}: {text}",
            "write the file again, or fetch it again if it was cut off",
        )


def _format(path: str) -> tuple[Any, str]:
    """The opener for the file's format, told by its first bytes, and the format's name."""
    try:
        with open(path, "rb") as file:
            start = file.read(8)
    except FileNotFoundError:
        raise Failure(
            f"input file `{path}` does not exist",
            "paths in a manifest are relative to the manifest; correct the key `input`",
        ) from None
    except OSError as error:
        raise Failure(
            f"cannot read input file `{path}`: {os.strerror(error.errno or 0)}",
            "`input` must name a file that you may read",
        ) from None
    if start.startswith(b"PAR1"):
        return _parquet, "Parquet"
    if start.startswith(b"ARROW1"):
        return _ipc_file, "Arrow IPC"
    if start.startswith(b"\xff\xff\xff\xff"):
        return _ipc_stream, "Arrow IPC stream"
    raise Failure(
        f"input file `{path}` is neither Parquet nor Arrow IPC: it starts with {start!r}",
        "convert it to Parquet, or name another file under `input`",
    )


def _check(path: str, names: list[str], columns: list[str] | None) -> list[str]:
    """The columns to read; all when none are asked for."""
    for column in columns or ():
        if column not in names:
            raise Failure(
                f"input file `{path}` has no column `{column}`",
                near.hint(column, names, "its columns are"),
            )
    return list(columns or names)


def _parquet(path: str, columns: list[str] | None, rows: int) -> Any:
    import pyarrow.parquet as pq

    # No threads: they would allocate beside the harness's section.
    file = pq.ParquetFile(path, pre_buffer=False)
    wanted = _check(path, file.schema_arrow.names, columns)
    batches = file.iter_batches(batch_size=rows, columns=wanted, use_threads=False)
    schema = pa.schema([file.schema_arrow.field(n) for n in wanted], file.schema_arrow.metadata)
    return schema, (batch.select(wanted) for batch in batches)


def _ipc_file(path: str, columns: list[str] | None, rows: int) -> Any:
    reader = pa.ipc.open_file(pa.OSFile(path))
    wanted = _check(path, reader.schema.names, columns)
    schema = pa.schema([reader.schema.field(n) for n in wanted], reader.schema.metadata)
    batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
    return schema, (batch.select(wanted) for batch in batches)


def _ipc_stream(path: str, columns: list[str] | None, rows: int) -> Any:
    reader = pa.ipc.open_stream(pa.OSFile(path))
    wanted = _check(path, reader.schema.names, columns)
    schema = pa.schema([reader.schema.field(n) for n in wanted], reader.schema.metadata)
    return schema, (batch.select(wanted) for batch in reader)
