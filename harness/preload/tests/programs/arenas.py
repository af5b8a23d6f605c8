"""A hundred arenas of small objects: what Python notes about its arenas is nobody's memory."""

import gc
import sys

import tracker

tracker.attach()
gc.disable()
COUNT = 300_000
slots = [None] * COUNT
size = 300
want = sys.getsizeof(bytes(size)) * COUNT
window = tracker.Window()
window.open()
for index in range(COUNT):
    slots[index] = b"x" * size
window.close()
# The table of arenas has doubled several times by now, and went through `malloc` each time.
assert window.change("native_live") == 0, window.change("native_live")
assert abs(window.change("live") - want) < 900, (window.change("live"), want)

window.open()
for index in range(COUNT):
    slots[index] = None
window.close()
assert window.change("native_live") == 0, window.change("native_live")

tracker.check_sound()
print("exact")
