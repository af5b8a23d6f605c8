"""Runs a module as the main program, under the tracker or plainly.

``python attached.py counted -m MODULE ARGUMENT...`` or ``python attached.py plain -m ...``. The
process starts in the same way in both cases, so that nothing but the tracker differs.
"""

from __future__ import annotations

import os
import runpy
import sys


def main() -> None:
    """Attaches when it is told to, then becomes the module."""
    how, _, module, *arguments = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    if how == "counted":
        sys.path.insert(0, here)
        import tracker

        tracker.attach()
        sys.path.remove(here)
    # Python's own copy of the environment; the process's the tracker has cleaned.
    for name in ("LD_PRELOAD", "HIGHWATER_PRELOAD", "HIGHWATER_TRACKER"):
        os.environ.pop(name, None)
    # As `python -m` has it, instead of this program's folder.
    sys.path[:] = [os.getcwd()] + [path for path in sys.path if os.path.abspath(path) != here]
    for name in [name for name in sys.modules if name.split(".")[0] == "highwater_runner"]:
        del sys.modules[name]
    sys.modules.pop("tracker", None)
    sys.argv[:] = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
