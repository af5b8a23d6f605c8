"""The table that a fixture without a file runs over; the same as for Rust fixtures."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

#: Letters in the longest ``text``.
_LONGEST_TEXT = 40


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
        self._next_id = 0
        self._random = _Random(seed)

    def start_over(self) -> None:
        """Goes back to the first row."""
        self._next_id = 0
        self._random.start_over()

    def next_batch(self) -> pa.RecordBatch:
        """The next rows."""
        first = self._next_id
        self._next_id += self._rows
        columns = [
            pa.array(range(first, self._next_id), type=pa.int64()),
            self._values(),
            self._texts(),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def _values(self) -> pa.Array:
        values: list[float] = []
        while len(values) < self._rows:
            drawn = self._random.draw(self._rows - len(values))
            numbers = pc.cast(_shifted(drawn, 11), pa.float64())
            values += pc.divide(numbers, float(1 << 53)).to_pylist()
        # From Python's numbers, as Arrow joins computed arrays with a bitmap of nulls, at times.
        return pa.array(values, type=pa.float64())

    def _texts(self) -> pa.Array:
        random = self._random
        return pa.array([random.text() for _ in range(self._rows)], type=pa.string())


class _Random:
    """SplitMix64, many numbers at a time: each is a function of the seed and of its place.

    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    """

    _CHUNK = 4096
    _GAMMA = 0x9E3779B97F4A7C15
    #: From 0 to 25 to a letter.
    _LETTERS = bytes(range(97, 97 + 26)).ljust(256)

    def __init__(self, seed: int) -> None:
        self._seed = seed
        numbers = pa.array(range(1, self._CHUNK + 1), type=pa.uint64())
        self._steps = pc.multiply(numbers, _word(self._GAMMA))
        self.start_over()

    def start_over(self) -> None:
        """Goes back to the first number."""
        self._chunk = -1
        self._next_chunk()

    def draw(self, count: int) -> pa.Array:
        """The next ``count`` numbers, or fewer, but one at least; ``uint64``."""
        if self._at == self._CHUNK:
            self._next_chunk()
        drawn = self._numbers.slice(self._at, count)
        self._at += len(drawn)
        return drawn

    def text(self) -> str:
        """The next number's remainder as a length, and as many letters, one of each number."""
        if self._at == self._CHUNK:
            self._next_chunk()
        start = self._at + 1
        end = start + 1 + self._lengths[self._at]
        text = self._letters[start:end]
        if end > self._CHUNK:
            end -= self._CHUNK
            self._next_chunk()
            text += self._letters[:end]
        self._at = end
        return text

    def _next_chunk(self) -> None:
        self._chunk += 1
        self._at = 0
        z = pc.add(self._steps, _word(self._seed + self._chunk * self._CHUNK * self._GAMMA))
        z = pc.multiply(pc.bit_wise_xor(z, _shifted(z, 30)), _word(0xBF58476D1CE4E5B9))
        z = pc.multiply(pc.bit_wise_xor(z, _shifted(z, 27)), _word(0x94D049BB133111EB))
        self._numbers = pc.bit_wise_xor(z, _shifted(z, 31))
        # Any of them may turn out to be a length, or a letter.
        self._lengths = _remainders(self._numbers, _LONGEST_TEXT)
        self._letters = _remainders(self._numbers, 26).translate(self._LETTERS).decode()


def _word(number: int) -> pa.Scalar:
    """A number's last 64 bits."""
    return pa.scalar(number & ((1 << 64) - 1), type=pa.uint64())


def _shifted(numbers: pa.Array, bits: int) -> pa.Array:
    return pc.shift_right(numbers, _word(bits))


def _remainders(numbers: pa.Array, divisor: int) -> bytes:
    """Of each number, divided by at most 256; a byte each."""
    whole = pc.multiply(pc.divide(numbers, _word(divisor)), _word(divisor))
    remainders = pc.cast(pc.subtract(numbers, whole), pa.uint8())
    return remainders.buffers()[1].to_pybytes()[: len(numbers)]
