"""Entry point of a Python worker: ``python runner.py``, with the assignment in the environment.

Started by the harness, never by hand. It imports the package beside it without leaving a trace on
``sys.path``, so that a user's module of the same name as one of ours is not shadowed.
"""

import os
import sys

# Importing must not change what the next run finds on disk: with cached byte code, the second run
# of a fixture that imports lazily would have another peak than the first.
sys.dont_write_bytecode = True


def main() -> None:
    """Runs the worker and ends the process with its exit code."""
    here = os.path.dirname(os.path.abspath(__file__))
    # Python put the script's folder here, unless it was told not to (`-P`, `-I`).
    sys.path[:] = [here] + [path for path in sys.path if os.path.abspath(path or ".") != here]
    try:
        import ctypes  # noqa: F401
    except ImportError as error:
        # A static build has none, and loads no library either.
        print(
            f"highwater worker: the tracker is not attached: this Python has no ctypes ({error})",
            file=sys.stderr,
        )
        sys.exit(104)
    from highwater_runner.worker import serve

    sys.path.remove(here)
    serve()


if __name__ == "__main__":
    main()
