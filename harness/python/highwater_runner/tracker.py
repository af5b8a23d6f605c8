"""The preloaded library, found in this process.

It is described in its header, ``highwater.h``. It counts in two accounts: a block counts in the
account that its thread is in when it is allocated, and stays there whoever frees it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os

from .failure import NO_ASSIGNMENT, NO_RECORD, NOT_ATTACHED, Failure
from .interface import (
    ABI,
    ATTACH,
    CANARY,
    FUNCTIONS,
    LONGEST_NAME,
    OPERATOR_NEW,
    Extra,
    Reading,
)


class Tracker:
    """The library, found in this process. Nothing here allocates anything that lasts.

    Raises :class:`Failure` when it is not there or speaks another version.
    """

    def __init__(self) -> None:
        try:
            library = ctypes.CDLL(None)
        except OSError as error:
            raise Failure(
                f"the tracker is not attached: this Python cannot look into itself: {error}",
                "a static Python loads no library: choose another with `--python`",
                NOT_ATTACHED,
            ) from None
        for name, (result, *arguments) in FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise Failure(
                    f"the tracker is not attached: no `{name}` in this process",
                    "`LD_PRELOAD` did not reach the interpreter: look for a wrapper script that "
                    "clears it, a static or setuid Python, or another architecture",
                    NOT_ATTACHED,
                ) from None
            function.restype, function.argtypes = result, arguments
        abi = library.highwater_abi()
        if abi != ABI:
            raise Failure(
                f"the preloaded tracker speaks version {abi}, this runner {ABI}",
                "use runner and tracker of one version of Highwater",
                NOT_ATTACHED,
            )
        self._library = library
        self._reading = Reading()
        self._reading_at = ctypes.pointer(self._reading)
        #: Filled by the caller before :meth:`mark`, and cleared by it.
        self.extra = Extra()
        self._extra_at = ctypes.pointer(self.extra)
        self.extra.clear()
        self._blank = bytes(self.extra)
        #: Moves this thread to an account.
        self.section = library.highwater_section
        self._read = library.highwater_read
        #: The UDF's live bytes now. Leaves the peak alone.
        self.live = library.highwater_live
        # Live bytes without a new peak; a library without it cannot say what a collection freed.
        self._mark = library.highwater_mark
        self._stage = library.highwater_stage

    @property
    def version(self) -> str:
        """The library's version."""
        return self._library.highwater_version().decode()

    def create(
        self,
        path: str,
        marks: int,
        fixture: str,
        udf: str,
        asked: tuple[int, int, int],
        about: str,
    ) -> None:
        """Makes the record, with room for ``marks``. ``asked`` is batches, rows and seed."""
        code = self._library.highwater_record_create(
            os.fsencode(path),
            marks,
            _cut(fixture),
            _cut(udf),
            b"python",
            *asked,
            about.encode(),
        )
        if code == -errno.ENOTSUP:
            raise Failure(f"the tracker is not attached: {CANARY[-1]}", "", NOT_ATTACHED)
        if code != 0:
            reason = os.strerror(-code) if code < 0 else f"error {code}"
            raise Failure(
                f"cannot make the record `{path}`: {reason}",
                "choose another directory for records",
                NO_RECORD,
            )

    def prove(self, resident_only: bool = False) -> None:
        """Has the library count a canary, then attach itself to the interpreter.

        Where only resident memory is asked for, C++ may go another way than ``malloc``.
        """
        for step, meanings in (("canary", CANARY), ("python_attach", ATTACH)):
            code = getattr(self._library, f"highwater_{step}")()
            if code != 0 and not (resident_only and (step, code) == ("canary", OPERATOR_NEW)):
                meaning = meanings.get(code, f"its check `{step}` gave {code}")
                raise Failure(
                    f"the tracker is not attached: {meaning}",
                    "`highwater doctor` says more",
                    NOT_ATTACHED,
                )

    def read(self) -> Reading:
        """The counters now, in a structure that the next reading overwrites. Starts a new peak."""
        self._read(self._reading_at)
        return self._reading

    def mark(self, kind: int, batch: int = 0) -> None:
        """Takes a mark with what is in :attr:`extra`, and clears that."""
        code = self._mark(kind, batch, self._extra_at)
        ctypes.memmove(self._extra_at, self._blank, len(self._blank))
        if code != 0:
            raise Failure(f"the record takes no more marks (error {code})", "", NO_RECORD)

    def stage(self, stage: int, batch: int = 0) -> None:
        """Says how far the worker has come."""
        self._stage(stage, batch)

    def fail(self, text: str) -> None:
        """Ends the record with a message."""
        self._library.highwater_fail(text.encode(errors="replace"))

    def finish(self) -> None:
        """Ends the record well."""
        self._library.highwater_finish()


def _cut(name: str) -> bytes:
    """As much of the end of a name as the record's header has room for."""
    return name.encode()[-LONGEST_NAME:].decode(errors="ignore").encode()


def end_with(harness_pid: int) -> None:
    """Has the kernel kill this worker when its parent goes away.

    The parent is the harness, or a wrapper script in between, which then goes with the harness.
    Raises :class:`Failure` when the harness is gone already.
    """
    if harness_pid <= 0:
        return
    set_parent_death_signal, sigkill = 1, 9
    # Not fatal: without it a harness that is killed leaves its worker to finish alone.
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).prctl(set_parent_death_signal, sigkill, 0, 0, 0)
    try:
        os.kill(harness_pid, 0)
    except ProcessLookupError:
        raise Failure("the harness is gone", "", NO_ASSIGNMENT) from None
    except PermissionError:
        pass
