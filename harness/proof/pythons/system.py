"""A small Debian with a Python, in a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

import tracker

HARNESS = os.path.dirname(tracker.HERE)

#: Where our files are, inside.
INSIDE = "/opt/highwater"

#: What the worker and its tests need there, by Python.
PACKAGES = {
    "3.9": ("numpy==2.0.2", "pandas==2.3.3", "pyarrow==21.0.0"),
    "3.11": ("numpy==2.4.6", "pandas==3.1.1", "pyarrow==26.0.1"),
    "3.13": ("numpy==2.4.6", "pandas==3.1.1", "pyarrow==26.0.1"),
    "3.14": ("numpy==2.4.6", "pandas==3.1.1", "pyarrow==26.0.1"),
}


@dataclass(frozen=True)
class System:
    """A Debian suite: its Python, and its C library."""

    suite: str
    python: str
    glibc: str

    def __str__(self) -> str:
        return f"CPython {self.python} on glibc {self.glibc} ({self.suite})"


SYSTEMS = (
    System("bullseye", "3.9", "2.31"),
    System("bookworm", "3.11", "2.36"),
    System("trixie", "3.13", "2.41"),
    System("sid", "3.14", "2.43"),
)


class Folder:
    """A system that is installed, with our files in it."""

    def __init__(self, system: System, target: str, mirror: str) -> None:
        self.system = system
        self.root = os.path.join(target, system.suite)
        self._install(mirror)
        self._install_packages()
        self._copy()

    def run(self, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a command inside, counted. It sees a ``/proc`` that nobody else sees."""
        inner = {
            "HIGHWATER_TRACKER": f"{INSIDE}/tracker.so",
            "HOME": "/root",
            "PATH": "/usr/bin:/bin",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": f"{INSIDE}/packages",
            # 3.14 calls the old name of a function deprecated, which all of them have.
            "PYTHONWARNINGS": "ignore::DeprecationWarning",
            **variables,
        }
        words = ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in inner.items())]
        # For semaphores, too, it has a place that vanishes with it.
        mount = (
            'mount -t proc proc "$1/proc" && mkdir -p "$1/dev/shm" '
            '&& mount -t tmpfs tmpfs "$1/dev/shm" '
            '&& root=$1 && shift && exec chroot "$root" "$@"'
        )
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", mount, "sh", self.root, *words, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1_200,
        )

    def python(self, *arguments: str, counted: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs its Python, under the tracker unless the program does that itself."""
        own = {"LD_PRELOAD": f"{INSIDE}/tracker.so", "HIGHWATER_PRELOAD": "count"}
        return self.run(
            f"/usr/bin/python{self.system.python}", *arguments, **own if counted else {}
        )

    def _install(self, mirror: str) -> None:
        # Written last, so that an installation that was interrupted is done again.
        stamp = os.path.join(self.root, "opt", "installed")
        if os.path.exists(stamp):
            return
        shutil.rmtree(self.root, ignore_errors=True)
        print(f"installing {self.system} (two minutes and 300 MB, once)", flush=True)
        options = ["--variant=minbase", "--include=python3"]
        where = [mirror] if mirror else []
        _do("debootstrap", *options, self.system.suite, self.root, *where)
        _write(stamp, "")

    def _install_packages(self) -> None:
        packages = PACKAGES[self.system.python]
        folder = self.root + os.path.join(INSIDE, "packages")
        stamp = os.path.join(folder, "installed")
        if os.path.exists(stamp) and _read(stamp) == "\n".join(packages):
            return
        shutil.rmtree(folder, ignore_errors=True)
        platforms = [f"--platform=manylinux_2_{minor}_x86_64" for minor in (17, 27, 28)]
        options = ["--only-binary=:all:", f"--python-version={self.system.python}", *platforms]
        where = ["--quiet", "--target", folder]
        _do(sys.executable, "-m", "pip", "install", *where, *options, *packages)
        _write(stamp, "\n".join(packages))

    def _copy(self) -> None:
        inside = self.root + INSIDE
        for source, name in (
            (os.path.join(HARNESS, "python"), "python"),
            (os.path.join(HARNESS, "preload", "tests", "programs"), "programs"),
        ):
            shutil.rmtree(os.path.join(inside, name), ignore_errors=True)
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, os.path.join(inside, name), ignore=ignored)
        shutil.copy(tracker.library(), os.path.join(inside, "tracker.so"))
        shutil.copy(os.path.join(tracker.HERE, "pythons", "symbols.py"), inside)


def _do(*command: str) -> None:
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-15:])
        sys.exit(f"`{' '.join(command)}` ended with {done.returncode}:\n{tail}")


def _write(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
