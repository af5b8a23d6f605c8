"""Whether programs behave under the tracker as they do without it.

The programs are the tests that CPython, pyarrow and NumPy ship: ``python -m harmless``.
"""
