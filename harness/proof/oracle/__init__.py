"""Our figures against those of tools that count the same thing in another way.

Every test runs a UDF twice, over the same batches, in two processes: under the tracker, as users
run it, and under a peer. Where the two differ by design, :mod:`.agreement` says by what and why.
"""
