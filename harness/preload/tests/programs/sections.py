"""A block stays in the account that it was allocated in, whoever frees it."""

import tracker

tracker.attach()
window = tracker.Window()
section = tracker.library.highwater_section
SIZE = 1 << 20
# What the interpreter itself may do between two readings.
SLACK = 900

assert section(tracker.HARNESS) == tracker.UDF
assert section(tracker.HARNESS) == tracker.HARNESS
window.open()
held = bytes(SIZE)
window.close()
assert abs(window.change("live")) < SLACK, window.change("live")
assert abs(window.change("harness_live") - SIZE) < SLACK, window.change("harness_live")
assert section(tracker.UDF) == tracker.HARNESS
window.open()
del held
window.close()
assert abs(window.change("live")) < SLACK, window.change("live")
assert abs(window.change("harness_live") + SIZE) < SLACK, window.change("harness_live")

window.open()
held = [bytes(100) for _ in range(10_000)]
window.close()
grown = window.change("live")
assert grown > 1_330_000, grown
section(tracker.HARNESS)
window.open()
del held
window.close()
section(tracker.UDF)
assert abs(window.change("live") + grown) < SLACK, (window.change("live"), grown)
assert abs(window.change("harness_live")) < SLACK, window.change("harness_live")
assert section(7) < 0
tracker.check_sound()
print("exact")
