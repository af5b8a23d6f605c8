"""One run: set-up, batches, experiments, drop; a mark after each.

The thread is in the harness's account, except between ``enter`` and ``leave``.
"""

from __future__ import annotations

import dataclasses
import os
import time
from typing import Any, Callable

import pyarrow as pa

from . import interface as i
from . import interpreter, pace, weight
from .assignment import Assignment
from .border import Border
from .caches import Caches, empty
from .failure import Failure, raised
from .form import Call, Form
from .source import Lent, Own
from .tracker import Tracker
from .udf import Location

#: Batches that the runner goes through by itself before the UDF's first, so that what it makes
#: once is made by then.
_REHEARSALS = 4


class Run:
    """A run of one UDF, from the import of its file to its drop."""

    def __init__(self, assignment: Assignment, tracker: Tracker) -> None:
        self._assignment = assignment
        self._tracker = tracker
        self._border = Border(tracker, assignment.exact)
        self._pid = os.getpid()
        self._caches = Caches()
        self._location: Location
        self._source: Any = None
        self._call: Call | None = None

    def go(self) -> None:
        """Everything, in its order. Raises :class:`Failure` for what ends it early."""
        border = self._border
        self._aside(interpreter.warm_up)
        self._freeze()
        border.mark(i.AFTER_WARM_UP)
        self._import()
        self._rehearse()
        self._tracker.stage(i.SETUP)
        border.mark(i.BEFORE_SETUP)
        self._set_up()
        border.mark(i.AFTER_SETUP)
        done, goal = 0, self._first_goal()
        half = goal // 2
        while done < goal:
            if done == half:
                # What is full by now is no reason for the growth of the later part.
                self._caches.note()
            self._tracker.stage(i.BATCH, done)
            self._batch(done, self._source)
            border.mark(i.AFTER_BATCH, done)
            done += 1
            if self._assignment.trim_every and done % self._assignment.trim_every == 0:
                self._aside(interpreter.trim)
            if done == goal:
                goal = self._next_goal(goal)
        self._experiments()
        self._tracker.stage(i.DROPPING)
        self._drop()
        border.mark(i.AFTER_DROP)

    def _first_goal(self) -> int:
        """How many batches there are before the worker asks or is done."""
        if self._assignment.checkpoint is not None:
            return self._assignment.checkpoint[0]
        if self._assignment.slices is not None:
            return len(self._assignment.slices)
        return self._assignment.batches

    def _next_goal(self, goal: int) -> int:
        """How many there are after ``goal`` were done, if the harness wants more."""
        if self._assignment.checkpoint is None:
            return goal
        following = pace.ask(self._assignment.checkpoint[1])
        if following > goal:
            self._extend(self._source, following)
        return following

    def _extend(self, source: Any, batches: int) -> None:
        """Has ``batches`` of them in all, made where the UDF's own batches are: on its account."""
        self._border.enter()
        source.extend(batches)
        self._border.leave()

    def _aside(self, step: Callable[[], object]) -> None:
        """Does something of the runner's on the UDF's account."""
        self._border.enter()
        step()
        self._border.leave()

    def _import(self) -> None:
        self._border.enter()
        self._location = Location(self._assignment.udf)
        interpreter.warm_up()  # the file may have brought pandas along
        own = self._location.batches if self._assignment.path is None else None
        if own is not None:
            self._source = Own(own, self._assignment)
        self._border.leave()
        self._border.look_at_pool()
        if own is None:
            self._source = Lent(self._assignment)

    def _rehearse(self) -> None:
        source = self._source
        if isinstance(source, Own):
            # A few rows: the runner makes them one by one.
            rows = min(self._assignment.rows, 300)
            source = Lent(dataclasses.replace(self._assignment, rows=rows))
        for _ in range(_REHEARSALS):
            self._call = _idle
            self._batch(0, source)
            self._border.extra.clear()
        self._call = None
        # CPython 3.9 keeps the frame of a function's first call for the next one.
        self._extend(source, self._assignment.batches)
        source.start_over()
        if self._assignment.exact:
            # Once more, and whole: what the UDF's file and the rehearsals left is collected here.
            self._aside(interpreter.collect_everything)
        self._caches.find()
        self._freeze()

    def _set_up(self) -> None:
        spent = self._set_up_step(self._location.build)
        if isinstance(self._source, Lent):
            self._bind(self._source.columns)
        spent += self._set_up_step(self._location.udf.setup)
        self._border.look_at_pool()
        self._border.extra.duration_ns = spent

    def _set_up_step(self, step: Callable[[], None]) -> int:
        self._border.enter()
        started = time.perf_counter_ns()
        try:
            step()
        except Failure:
            raise
        except BaseException as error:  # also SystemExit and KeyboardInterrupt
            raise Failure(f"setup: {raised(error)}") from error
        finally:
            self._only_parent()
        self._border.extra.duration_ns = time.perf_counter_ns() - started
        del started
        self._border.leave()
        return self._border.extra.duration_ns

    def _bind(self, columns: list[str]) -> None:
        self._call, used = Form(self._location.udf, self._location.name).bind(columns)
        if used is not None and isinstance(self._source, Lent):
            self._source.project(used)

    def _batch(self, number: int, source: Any) -> None:
        border, extra = self._border, self._border.extra
        source.read()
        border.enter()
        try:
            batch = source.hand_over()
        except Failure as failure:
            raise Failure(f"batch {number}: {failure.text}", failure.hint) from failure
        if self._call is None:
            # The columns of the file's own batches are known only now.
            names = batch.schema.names
            border.leave()
            self._bind(list(names))
            border.enter()
            del names
        extra.input_bytes = batch.get_total_buffer_size()
        # From here the peak is that of the call, with the batch that it was given.
        border.start_peak()
        started = time.perf_counter_ns()
        try:
            result = self._call(batch)  # type: ignore[misc]
        except BaseException as error:  # also SystemExit and KeyboardInterrupt
            raise Failure(f"batch {number}: {raised(error)}") from error
        finally:
            self._only_parent()
        extra.duration_ns = time.perf_counter_ns() - started
        self._weigh(result)
        del started, batch, result
        border.leave()
        source.take_back()

    def _weigh(self, result: Any) -> None:
        extra = self._border.extra
        extra.output_bytes = _or_absent(weight.memory(result))
        if self._assignment.pickle:
            # The harness's idea, so none of it is on the UDF's account.
            self._tracker.section(i.HARNESS)
            extra.pickled_bytes = _or_absent(weight.pickled(result))
            extra.pickled_state_bytes = _or_absent(weight.pickled(self._location.udf.target))
            self._tracker.section(i.UDF)

    def _experiments(self) -> None:
        for kind, experiment in (
            (i.AFTER_COLLECT, interpreter.collect_everything),
            (i.AFTER_TRIM, interpreter.malloc_trim),
            (i.AFTER_RELEASE, self._border.release_pool),
        ):
            self._aside(experiment)
            self._freeze()
            self._border.mark(kind)
        interpreter.unfreeze()  # what dies from here on may hang on itself
        self._empty_caches()
        self._border.mark(i.AFTER_EMPTY)

    def _empty_caches(self) -> None:
        filling = self._caches.filling()
        if filling:
            self._aside(lambda: empty(filling))

    def _freeze(self) -> None:
        """Has the exact run's many collections pass over what lives now, which was collected."""
        if self._assignment.exact:
            interpreter.freeze()

    def _drop(self) -> None:
        self._call = None
        self._border.enter()
        self._source.close()
        self._location.forget()
        self._only_parent()
        self._border.leave()

    def _only_parent(self) -> None:
        """Ends a forked child that came back from the UDF: it has no business here."""
        if os.getpid() != self._pid:
            os._exit(0)


def _idle(_: pa.RecordBatch) -> None:
    """The UDF of a rehearsal."""


def _or_absent(figure: int | None) -> int:
    return i.ABSENT if figure is None else figure
