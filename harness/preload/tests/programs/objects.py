"""Python objects of every size: counted once, as Python's, and gone when they are freed."""

import gc
import sys

import tracker

tracker.attach()
assert tracker.library.highwater_python_attach() == 0, "the second time it only checks"
gc.disable()
window = tracker.Window()
# What the interpreter itself may do between two readings.
SLACK = 900
slots = [None] * 1000
sizes = [*range(2, 1100), 4096, 65_000, 70_000, 1 << 20]
wanted = [sys.getsizeof(bytes(size)) for size in sizes]

# 1000 objects of each size, so that a byte that is counted twice or not at all shows up a
# thousandfold, and nothing that the interpreter does once does.
for size, want in zip(sizes, wanted):
    count = 1000 if size < 65_000 else 10
    for name, expected in (
        ("live", want * count),
        ("blocks", count),
        ("python_live", want * count),
        ("python_blocks", count),
        ("native_live", 0),
    ):
        window.open()
        for index in range(count):
            slots[index] = b"x" * size
        window.close()
        found = window.change(name)
        assert abs(found - expected) < SLACK, (size, name, found, expected)
        window.open()
        for index in range(count):
            slots[index] = None
        window.close()
        assert abs(window.change(name) + expected) < SLACK, (size, name, window.change(name))

# The same through one object that grows and shrinks over the limit of Python's own arenas.
window.open()
grown = bytearray()
for size in [1, 100, 511, 512, 513, 600, 5000, 100_000, 700, 300, 5]:
    grown[:] = bytes(size)
    del grown[:]
del grown
window.close()
for name in ("live", "blocks", "python_live", "python_blocks", "native_live"):
    assert abs(window.change(name)) < SLACK, (name, window.change(name))

# A resize is not seen twice by the peak.
block = bytearray(1_000_000)
window.open()
block.extend(bytes(1))
window.close()
assert window.after.peak_window - window.before.live < 1_200_000, window.after.peak_window

tracker.check_sound()
print("exact")
