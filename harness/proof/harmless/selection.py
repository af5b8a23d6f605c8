"""The tests that are run with and without the tracker."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Unit:
    """Tests that run in one process."""

    name: str
    #: ``test`` for CPython's own runner, or ``pytest``.
    runner: str
    arguments: tuple[str, ...] = field(default=())

    @property
    def is_shipped(self) -> bool:
        """Whether this interpreter has them."""
        if self.runner == "pytest":
            return _has(self.name.split(".")[0])
        return _has(f"test.{self.name}") or self.start_method is not None

    @property
    def start_method(self) -> str | None:
        """For tests of multiprocessing whose module is missing: how they start processes.

        Some builds leave out the modules of three lines that only call what they do ship.
        """
        prefix, _, method = self.name.rpartition("_")
        missing = prefix == "test_multiprocessing" and not _has(f"test.{self.name}")
        known = method in ("fork", "forkserver", "spawn") and _has("test._test_multiprocessing")
        return method if missing and known else None


def _names(text: str) -> list[str]:
    return text.split()


#: What a tracker could break: objects of all sizes, threads, forks, children, memory by other ways.
_SHORT = _names("""
    test_bytes test_ctypes test_dict test_fork1 test_gc test_json test_list test_mmap
    test_thread test_threading test_weakref test_memoryview test_threadsignals
""")

_FULL = _names("""
    test_array test_asyncgen test_asyncio test_atexit test_audit test_bigmem test_buffer
    test_builtin test_bytearray test_capi test_class test_codecs test_collections test_compile
    test_concurrent_futures test_context test_copy test_coroutines test_csv test_ctypes
    test_dataclasses test_datetime test_decimal test_defaultdict test_deque test_descr test_dis
    test_dynamic test_embed test_enum test_exceptions test_faulthandler test_fcntl test_fileio
    test_finalization test_float test_frame test_functools test_generators test_hashlib test_heapq
    test_importlib test_inspect test_io test_iter test_itertools test_long test_lzma test_marshal
    test_memoryio test_multiprocessing_fork test_multiprocessing_forkserver
    test_multiprocessing_main_handling test_multiprocessing_spawn test_ordered_dict test_os
    test_pickle test_posix test_queue test_re test_resource test_scope test_select test_selectors
    test_set test_signal test_site test_slice test_socket test_sort test_sqlite3 test_ssl test_str
    test_struct test_subprocess test_super test_support test_symtable test_sys test_sys_setprofile
    test_sys_settrace test_sysconfig test_tempfile test_threadedtempfile test_threading_local
    test_tracemalloc test_traceback test_tuple test_type_cache test_types test_unicode
    test_userdict test_venv test_wait3 test_wait4 test_weakset test_zlib test__xxsubinterpreters
    test_interpreters
""")

#: Without these the others of the same module would make a short run long.
_SHORT_PARTS = {
    "test_asyncio.test_queues": (),
    "test_multiprocessing_fork": ("-m", "*TestPool*.test_map", "-m", "*WithProcessesTestValue*"),
    "test_multiprocessing_spawn": ("-m", "*TestPool*.test_map", "-m", "*WithProcessesTestValue*"),
    "test_subprocess": ("-m", "*POSIX*", "-m", "*ContextManager*"),
}

_PYARROW = _names("""
    array builder compute convert_builtin cpp_internals csv dataset extension_type feather fs io
    ipc json memory misc pandas scalars schema sparse_tensor table tensor types udf
""")

#: The folder of the first one's tests is no package, so it is found from above alone.
_NUMPY = _names("""
    _core fft.tests lib.tests linalg.tests ma.tests matrixlib.tests polynomial.tests random.tests
""")


def short() -> list[Unit]:
    """A selection that takes less than two minutes."""
    units = [Unit(name, "test", options) for name, options in _SHORT_PARTS.items()]
    units += [Unit(name, "test") for name in _SHORT]
    units.append(_pytest("pyarrow.tests.test_memory"))
    units.append(_pytest("numpy._core.tests.test_mem_policy"))
    return units


def full() -> list[Unit]:
    """CPython's tests of memory, processes and the core, and pyarrow's and NumPy's tests."""
    units = [Unit(name, "test") for name in sorted({*_FULL, *_SHORT})]
    units += [_pytest(f"pyarrow.tests.test_{name}") for name in _PYARROW]
    return units + [_pytest(f"numpy.{name}") for name in _NUMPY]


def _pytest(module: str) -> Unit:
    return Unit(module, "pytest")


def _has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def missing() -> str | None:
    """What this interpreter lacks for any of it to run, with what to install."""
    if not _has("test.test_json"):
        version = ".".join(map(str, sys.version_info[:2]))
        return (
            f"{sys.executable} ships without CPython's own tests\n"
            f"hint: on Debian install `libpython{version}-testsuite`; pyenv, python.org and "
            "actions/setup-python have them"
        )
    return None
