"""Threads that make objects and end leave no memory of ours behind."""

import threading

import tracker

tracker.attach()


def resident_kib():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def run(count):
    for _ in range(count):
        thread = threading.Thread(target=lambda: [bytes(100) for _ in range(10)])
        thread.start()
        thread.join()


run(1000)
before = resident_kib()
run(10_000)
grown = resident_kib() - before
# 64 bytes of Python counters and 384 of the tracker's per thread would be 4.4 MB.
assert grown < 500, f"{grown} KiB"
tracker.check_sound()
print("bounded")
