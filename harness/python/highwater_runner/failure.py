"""One-line failures, and the exit codes of a worker."""

from __future__ import annotations

import os
import traceback
from types import TracebackType

#: The whole run was done and recorded.
FINISHED = 0
#: The UDF or its input failed; the record and standard error say how.
FAILED = 101
#: Not started by Highwater, or with an assignment that cannot be read.
NO_ASSIGNMENT = 102
#: The record could not be made; standard error says why.
NO_RECORD = 103
#: The preloaded tracker is absent, of another version, or does not count what it should.
NOT_ATTACHED = 104
#: The UDF's file imports a package that this Python does not have; the text names it.
MISSING_PACKAGE = 105
#: A bug of Highwater; standard error has the traceback.
BUG = 106
#: There is no UDF of the assigned name, or its file cannot be read as Python; the text says what is
#: near, or the line.
NO_UDF = 107

#: Our own frames are no place where a user's UDF can fail.
_OURS = os.path.dirname(os.path.abspath(__file__))

#: Longest message of an exception that is passed on; a UDF may raise with a whole batch in it.
_LONGEST = 500


class Failure(Exception):
    """Something that the user or the world did; ends the run with one clear line and a hint.

    The text is a lower-case fragment with identifiers in backticks and no full stop.
    """

    def __init__(self, text: str, hint: str = "", code: int = FAILED) -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint
        self.code = code

    def __str__(self) -> str:
        return f"{self.text}\nhint: {self.hint}" if self.hint else self.text


def raised(error: BaseException) -> str:
    """``ValueError: bad row (udfs.py:12 in __call__)``, for what a user's code raised.

    The place is the last line of the user's own code that was reached: where it raised, or where it
    called a library that did.
    """
    text = f"{type(error).__name__}: {_message(error)}" if _message(error) else type(error).__name__
    place = _place(error.__traceback__)
    return f"{text} ({place})" if place else text


def _message(error: BaseException) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:  # a user's __str__ may fail like anything else
        return "an exception whose text cannot be had"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " ..."


def _place(trace: TracebackType | None) -> str:
    """The innermost frame of the user's own code, or of a library where there is none."""
    frames = [
        frame
        for frame in traceback.extract_tb(beyond_runner(trace))
        if not _is_ours(frame.filename) and not frame.filename.startswith("<frozen")
    ]
    if not frames:
        return ""
    inner = frames[-1]
    outer = next((f for f in reversed(frames) if "site-packages" not in f.filename), inner)
    return f"{os.path.basename(outer.filename)}:{outer.lineno} in {outer.name}"


def beyond_runner(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback below the runner's own frames; all of it if it is nothing else."""
    below = trace
    while below is not None and _is_ours(below.tb_frame.f_code.co_filename):
        below = below.tb_next
    return below or trace


def _is_ours(file: str) -> bool:
    return os.path.abspath(file).startswith(_OURS + os.sep)
