"""The table that a fixture without a file runs over; the same as for Rust fixtures."""

from __future__ import annotations

import pyarrow as pa

#: Letters in the longest ``text``.
_LONGEST_TEXT = 40
_MASK = (1 << 64) - 1


class Table:
    """An endless table of three columns.

    ``id`` counts up from 0, ``value`` is uniform in 0..1, ``text`` has 1 to 40 letters. None is
    ever null. The same seed gives the same table on every machine, in Rust too.
    """

    def __init__(self, rows: int, seed: int) -> None:
        self.schema = pa.schema(
            [
                pa.field("id", pa.int64(), nullable=False),
                pa.field("value", pa.float64(), nullable=False),
                pa.field("text", pa.string(), nullable=False),
            ]
        )
        self._rows = rows
        self._seed = seed
        self._next_id = 0
        self._state = seed & _MASK

    def start_over(self) -> None:
        """Goes back to the first row."""
        self._next_id, self._state = 0, self._seed & _MASK

    def next_batch(self) -> pa.RecordBatch:
        """The next rows."""
        first = self._next_id
        self._next_id += self._rows
        ids = range(first, self._next_id)
        values = [(self._next() >> 11) / (1 << 53) for _ in ids]
        texts = [self._text() for _ in ids]
        columns = [
            pa.array(values, type=field.type)
            for values, field in zip((ids, values, texts), self.schema)
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _next(self) -> int:
        # Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def _text(self) -> str:
        letters = 1 + self._next() % _LONGEST_TEXT
        return "".join(chr(97 + self._next() % 26) for _ in range(letters))
