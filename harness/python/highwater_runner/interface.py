"""Numbers, structures and functions of the preloaded library, as its header has them."""

from __future__ import annotations

import ctypes

#: Version of the interface that this runner speaks.
ABI = 1

#: A figure that is not known.
ABSENT = -(1 << 63)

#: Accounts of :meth:`.tracker.Tracker.section`.
UDF, HARNESS = 0, 1

# Kinds of marks: 1 to 5 as in Rust workers.
PROCESS_START, BEFORE_SETUP, AFTER_SETUP, AFTER_BATCH, AFTER_DROP = 1, 2, 3, 4, 5
#: After importing pyarrow and whatever it imports when first used.
AFTER_WARM_UP = 6
#: Experiments, in the order in which they are made between the last batch and the drop; what one
#: gave back is the difference to the mark before it.
AFTER_COLLECT, AFTER_TRIM, AFTER_RELEASE, AFTER_EMPTY = 7, 8, 9, 10
#: Marks of a run besides one per batch.
MARKS_BESIDES_BATCHES = 9

#: Longest name that the record's header holds, in bytes.
LONGEST_NAME = 192

# Stages, as in the record's header.
STARTING, CONFIDENCE, SETUP, BATCH, DROPPING = 1, 2, 3, 4, 5


class Reading(ctypes.Structure):
    """``highwater_reading``: the counters now, the peak since the reading before."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in [
            "live",
            "blocks",
            "peak_window",
            "peak_run",
            "allocations",
            "allocated",
            "harness_live",
            "harness_blocks",
            "mapped",
            "python_live",
            "python_blocks",
            "native_live",
            "peak_error_bound",
            "lost",
            "healed",
        ]
    ] + [("reserved", ctypes.c_int64 * 5)]


class Extra(ctypes.Structure):
    """``highwater_extra``: what only Python knows of a mark. Bytes, or :data:`ABSENT`."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in [
            "arrow_live",
            "arrow_max",
            "live_before_collect",
            "python_blocks",
            "input_bytes",
            "output_bytes",
            "pickled_bytes",
            "duration_ns",
            "pickled_state_bytes",
        ]
    ] + [("reserved", ctypes.c_int64 * 7)]

    def clear(self) -> None:
        """Makes every figure absent."""
        ctypes.memset(ctypes.byref(self), 0, ctypes.sizeof(self))
        for field in self._fields_[:-1]:
            setattr(self, field[0], ABSENT)
        for at in range(len(self.reserved)):
            self.reserved[at] = ABSENT


#: The number of `highwater_canary` for an `operator new` that does not come by `malloc`.
OPERATOR_NEW = -8

#: What the numbers of `highwater_canary` and `highwater_python_attach` mean to a user.
CANARY = {
    -1: "it does not count, because `HIGHWATER_PRELOAD` is not set",
    -2: "this interpreter has a `malloc` of its own",
    OPERATOR_NEW: "another preloaded allocator serves C++'s `operator new`",
    -9: "there is no memory for its canary",
}
ATTACH = {
    -4: "it knows CPython 3.9 to 3.14",
    -5: "it cannot count a free-threaded CPython",
    -6: "debug hooks or `tracemalloc` stand in front of CPython's allocators",
    -7: "it counts CPython's objects wrong",
}

_C = ctypes.c_int
#: Every function: the type of its result, then those of its parameters.
FUNCTIONS = {
    "highwater_abi": (ctypes.c_uint32,),
    "highwater_version": (ctypes.c_char_p,),
    "highwater_canary": (_C,),
    "highwater_record_create": (
        (_C, ctypes.c_char_p, ctypes.c_uint64)
        + (ctypes.c_char_p,) * 3
        + (ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p)
    ),
    "highwater_python_attach": (_C,),
    "highwater_section": (_C, _C),
    "highwater_live": (ctypes.c_int64,),
    "highwater_read": (_C, ctypes.POINTER(Reading)),
    "highwater_mark": (_C, ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(Extra)),
    "highwater_stage": (_C, ctypes.c_uint32, ctypes.c_uint32),
    "highwater_fail": (_C, ctypes.c_char_p),
    "highwater_finish": (_C,),
}
