"""How long a run goes on: the worker asks, the harness answers."""

from __future__ import annotations

import os

from .failure import Failure


def ask(pipe: str) -> int:
    """How many batches there are to be in all. Blocks until the harness answers.

    Opening the named pipe for reading is the question; the answer is one line.
    """
    try:
        reader = os.open(pipe, os.O_RDONLY | os.O_CLOEXEC)
        try:
            answer = b""
            while chunk := os.read(reader, 64):
                answer += chunk
        finally:
            os.close(reader)
        return int(answer)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot ask the harness how to go on: {error}") from None
