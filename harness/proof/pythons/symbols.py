"""Whose functions this process has: run inside, under the tracker. Python 3.9 or newer.

Prints ``version of Python, version of glibc`` when every function that the tracker exports is found
in the tracker, and the canary is counted.
"""

import ctypes
import os
import sys

#: The C library's functions that the tracker stands in front of.
ALLOCATORS = (
    "aligned_alloc calloc free malloc memalign posix_memalign pvalloc realloc reallocarray valloc "
    "mmap mmap64 mremap munmap"
)
#: The functions of its own, without their prefix.
OWN = "abi canary fail finish live mark python_attach read record_create section stage version"


def main() -> None:
    """Looks at the table of symbols, then has the tracker count its canary and attach itself."""
    library = ctypes.CDLL(None)
    ranges = []
    with open("/proc/self/maps", encoding="utf-8") as file:
        for line in file:
            # A program that is no position-independent one, as Debian's Pythons, has a stub of its
            # own for a function whose address it takes. The canary shows where those lead.
            if line.rstrip().endswith(
                (os.environ["HIGHWATER_TRACKER"], os.path.realpath(sys.executable))
            ):
                first, last = line.split()[0].split("-")
                ranges.append(range(int(first, 16), int(last, 16)))
    for name in [*ALLOCATORS.split(), *(f"highwater_{name}" for name in OWN.split())]:
        address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        if not any(address in one for one in ranges):
            sys.exit(f"`{name}` is not the tracker's")
    for name in ("canary", "python_attach"):
        code = getattr(library, f"highwater_{name}")()
        if code != 0:
            sys.exit(f"highwater_{name} gave {code}")
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
    print(".".join(map(str, sys.version_info[:2])), glibc)


main()
