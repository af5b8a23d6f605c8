"""Child processes: of every kind, alive, and without the library unless forked."""

import ctypes
import multiprocessing
import os
import subprocess
import sys


def work(number):
    try:
        ctypes.CDLL(None).highwater_abi
        has_library = True
    except AttributeError:
        has_library = False
    kept = [{"a": number, "b": [1] * 100} for _ in range(2000)]
    return len(kept), has_library


def main():
    import tracker

    tracker.attach()
    for name in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(name).Pool(3) as pool:
            results = set(pool.map(work, range(12)))
        assert results == {(2000, name == "fork")}, (name, results)

    script = (
        "import os, sys; print([v for v in ('LD_PRELOAD', 'HIGHWATER_PRELOAD') if v in os.environ])"
    )
    for environment in (None, dict(os.environ)):
        child = [sys.executable, "-c", script]
        out = subprocess.run(child, env=environment, stdout=subprocess.PIPE, check=True).stdout
        assert out.strip() == b"[]", out
    assert os.system('test -z "$LD_PRELOAD$HIGHWATER_PRELOAD"') == 0
    assert (
        "highwater" not in open("/proc/self/environ").read().split("LD_PRELOAD=")[-1].split("\0")[0]
    )
    tracker.check_sound()
    print("clean")


if __name__ == "__main__":
    main()
