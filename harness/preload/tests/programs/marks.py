"""Makes a record, leaks a known size per batch, and tells what it wrote on standard output."""

import gc
import os
import sys

import tracker

ABSENT = -(1 << 63)
tracker.attach()
library = tracker.library


class Extra(tracker.ctypes.Structure):
    _fields_ = [
        (name, tracker.ctypes.c_int64)
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
    ] + [("reserved", tracker.ctypes.c_int64 * 7)]


path = os.fsencode(sys.argv[1])
assert library.highwater_mark(1, 0, None) == -9, "no record yet"
create = library.highwater_record_create
arguments = (b"fixture", b"udf", b"python", 5, 300, 42, b'{"python": "3"}')
assert create(b"/nonexistent/record", 4, *arguments) == -2
assert create(path, 4, b"x" * 500, *arguments[1:]) == -7
assert create(path, 4, b"\xff", *arguments[1:]) == -84
assert create(path, 4, *arguments[:2], b"perl", *arguments[3:]) == -22
assert create(None, 4, *arguments) == -22
# Room for two marks; it grows.
assert create(path, 2, *arguments) == 0
assert create(path, 2, *arguments) == -17
assert library.highwater_stage(9, 0) == -22
assert library.highwater_mark(0, 0, None) == -22

kept = [None] * 5
extra = Extra(11, 12, 13, 14, 15, 16, 17, 18, 19)
place = tracker.ctypes.byref(extra)
library.highwater_mark(1, 0, None)
library.highwater_mark(2, 0, None)
library.highwater_mark(3, 0, None)
for batch in range(5):
    library.highwater_stage(4, batch)
    kept[batch] = bytes(1 << 20)
    gc.collect()
    assert library.highwater_live() > batch << 20
    assert library.highwater_mark(4, batch, place) == 0
if os.fork() == 0:
    os._exit(library.highwater_mark(4, 5, None) != -10 or library.highwater_finish() != -10)
assert os.wait()[1] == 0, "a child does not write"
del kept
extra.input_bytes = extra.duration_ns = ABSENT
library.highwater_mark(5, 0, place)
end = sys.argv[2]
if end == "finish":
    assert library.highwater_finish() == 0
elif end == "fail":
    assert library.highwater_fail("raised: \u00e9".encode()) == 0
tracker.check_sound()
print("written")
