"""The worker's ``main``: from the assignment to the exit code."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from typing import NoReturn

from . import interface as i
from .assignment import Assignment
from .environment import fingerprint
from .failure import BUG, FINISHED, MISSING_PACKAGE, Failure, beyond_runner
from .tracker import Tracker, end_with


def serve() -> NoReturn:
    """Runs the assigned fixture and ends the process; exit codes are those of :mod:`.failure`.

    Ends it at once, without waiting for threads that the UDF left running and without interpreter
    shutdown, which frees nothing that anybody would still measure.
    """
    pid = os.getpid()
    try:
        code = _serve()
    except BaseException:  # nobody is left to handle it
        traceback.print_exc()
        code = BUG
    if os.getpid() != pid:
        code = FINISHED
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(code)


def _serve() -> int:
    try:
        assignment = Assignment.from_environment()
        end_with(assignment.harness_pid)
        tracker = Tracker()
        # What the runner keeps for itself is none of the UDF's memory.
        tracker.section(i.HARNESS)
        tracker.create(
            assignment.record,
            assignment.batches + i.MARKS_BESIDES_BATCHES,
            assignment.name,
            assignment.udf,
            (assignment.batches, assignment.rows, assignment.seed),
            fingerprint(tracker.version, "exact" if assignment.exact else "production"),
        )
    except Failure as failure:
        return _say(failure)
    try:
        tracker.prove(assignment.resident_only)
        tracker.mark(i.PROCESS_START)
        _go(assignment, tracker)
    except Failure as failure:
        tracker.fail(str(failure))
        return _say(failure)
    except BaseException as error:
        tracker.fail(f"a bug of Highwater: {type(error).__name__}: {error}")
        raise
    tracker.finish()
    return FINISHED


def _go(assignment: Assignment, tracker: Tracker) -> None:
    tracker.section(i.UDF)
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise Failure(
            f"pyarrow cannot be imported: {error}",
            f"install it for `{sys.executable}`, or choose another Python with `--python`",
            MISSING_PACKAGE,
        ) from error
    tracker.section(i.HARNESS)
    from .run import Run  # needs pyarrow

    Run(assignment, tracker).go()


def _say(failure: Failure) -> int:
    """Prints the failure, and before it the traceback of what the user's code raised."""
    cause = failure.__cause__
    if cause is not None and not isinstance(cause, Failure):
        traceback.print_exception(type(cause), cause, beyond_runner(cause.__traceback__))
    print(f"highwater worker: {failure}", file=sys.stderr)
    return failure.code
