"""The Python side of a Highwater worker: runs one UDF over its batches and takes the marks.

It counts nothing itself. The library that the harness preloads into this process does, and
:mod:`~highwater_runner.tracker` talks to it. Everything here is pure Python (3.9 or newer) over
the standard library and the user's own pyarrow; nothing is installed anywhere.

============================================  ====================================================
module                                        what
============================================  ====================================================
:mod:`~highwater_runner.worker`               the worker's ``main``: from assignment to exit code
:mod:`~highwater_runner.assignment`           what the harness asks for
:mod:`~highwater_runner.tracker`              the preloaded library, found in this process
:mod:`~highwater_runner.interface`            its numbers, structures and functions
:mod:`~highwater_runner.border`               between the harness's account and the UDF's
:mod:`~highwater_runner.udf`                  finding the UDF in its file, building and dropping it
:mod:`~highwater_runner.module`               importing the user's file
:mod:`~highwater_runner.form`                 per batch, per array or per row: how a UDF is called
:mod:`~highwater_runner.rows`                 one call per row, as engines do it
:mod:`~highwater_runner.columns`              columns by name
:mod:`~highwater_runner.source`               where batches come from
:mod:`~highwater_runner.file`                 batches of a Parquet or Arrow IPC file
:mod:`~highwater_runner.table`                batches of the seeded table
:mod:`~highwater_runner.compact`              a copy of a batch that owes nothing to its reader
:mod:`~highwater_runner.weight`               what a result weighs, in memory and pickled
:mod:`~highwater_runner.run`                  set-up, batches, experiments, drop; a mark after each
:mod:`~highwater_runner.interpreter`          quieting CPython's caches before a reading
:mod:`~highwater_runner.environment`          the fingerprint stored in the record
:mod:`~highwater_runner.failure`              one-line failures and exit codes
:mod:`~highwater_runner.near`                 which known name a mistyped one may have meant
:mod:`~highwater_runner.planted`              the confidence check's UDFs
============================================  ====================================================
"""
