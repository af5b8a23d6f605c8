"""The C interface, for the test programs of this folder."""

import ctypes
import os

NAMES = [
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
UDF, HARNESS = 0, 1


class Reading(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in NAMES] + [("reserved", ctypes.c_int64 * 5)]


library = ctypes.CDLL(None)
library.highwater_version.restype = ctypes.c_char_p
library.highwater_record_create.argtypes = [
    ctypes.c_char_p, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p,
    ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p,
]  # fmt: skip


class Window:
    """The change of the counters between two calls, without allocating in between."""

    def __init__(self):
        self.before, self.after = Reading(), Reading()
        self.places = ctypes.byref(self.before), ctypes.byref(self.after)
        self.read = library.highwater_read
        for place in self.places * 2:
            self.read(place)

    def open(self):
        self.read(self.places[0])

    def close(self):
        self.read(self.places[1])

    def change(self, name):
        return getattr(self.after, name) - getattr(self.before, name)


def attach():
    assert library.highwater_abi() == 1
    assert library.highwater_canary() == 0, library.highwater_canary()
    error = library.highwater_python_attach()
    assert error == 0, error
    # The copy of the environment that Python made when it started.
    os.environ.pop("LD_PRELOAD", None)
    os.environ.pop("HIGHWATER_PRELOAD", None)


def check_sound():
    reading = Reading()
    assert library.highwater_read(ctypes.byref(reading)) == 0
    assert reading.lost == 0, reading.lost
    assert reading.healed == 0, reading.healed
