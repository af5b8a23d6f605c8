"""Tests of the Python worker, with the real preloaded library.

From the folder above: ``HIGHWATER_TRACKER=path/to/libhighwater_preload.so python -m unittest``,
with the Python and the pyarrow that are to be tested. Nothing needs to be installed besides.
"""
