"""glibc's own books over native allocations: requested bytes plus what each chunk costs."""

from __future__ import annotations

import unittest

from .agreement import KEPT, PLAIN_MALLOC, Case, Disagreement, Tolerance, steps
from .subjects import NATIVE_SIZES


def chunk(size: int) -> int:
    """Bytes of the chunk in which glibc serves a request: 8 of header, rounded up to 16."""
    return max(32, (size + 8 + 15) // 16 * 16)


class Mallinfo(unittest.TestCase):
    def test_leaked_blocks_are_their_chunks_to_the_byte(self) -> None:
        case = Case.own("NativeBlocks")
        ours = case.ours().series("native")
        theirs = case.theirs("mallinfo", GLIBC_TUNABLES=PLAIN_MALLOC)["series"]
        self.assertEqual(set(steps(ours)), {sum(NATIVE_SIZES)})
        exact = 0
        for theirs_step in steps(theirs):
            REMAINDER.check("a batch", sum(CHUNKS), theirs_step)
            exact += theirs_step == sum(CHUNKS)
        self.assertGreater(exact, len(theirs) / 2)

    def test_arrays_of_numpy_and_pandas(self) -> None:
        # Blocks of 19 to 80 kB, so that a chunk's at most 23 bytes of its own are below 1 %.
        for name in ("Arrays", "Frames"):
            with self.subTest(name):
                case = Case.own(name)
                ours = case.ours().series("native")[-1]
                theirs = case.theirs("mallinfo", GLIBC_TUNABLES=PLAIN_MALLOC)["kept"]
                KEPT.check("kept", ours, theirs)

    def test_a_block_less_is_seen(self) -> None:
        for size in (1, 2, 3):
            with self.assertRaises(Disagreement):
                REMAINDER.check("a batch", sum(CHUNKS), sum(CHUNKS) - CHUNKS[size])


CHUNKS = [chunk(size) for size in NATIVE_SIZES]

#: What is left of a free chunk is handed out with it when it is too small to be a chunk.
REMAINDER = Tolerance(0, 16 * len(CHUNKS), "remainders of 16 bytes, handed out with a block")

if __name__ == "__main__":
    unittest.main()
