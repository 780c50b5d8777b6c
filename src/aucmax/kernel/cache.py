"""Compiled kernels on disk, each in a file with a checksum.

numba's own cache unpickles and runs whatever it finds: one flipped bit ends the process or breaks every later fit, and
a full disk breaks the first. Here a file counts only if its checksum is right, and whatever fails costs a compilation.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from aucmax.kernel.folder import log, writers

SUM = 32  # bytes of the checksum, in front of what it is of


class KernelCache(_Cache):
    """The compiled forms of one function, one file for each combination of types."""

    complained = False  # whether this process has said that nothing can be written

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self.function, self.folder, self.enabled = function, folder, True

    @property
    def cache_path(self) -> str:
        """The folder of the files."""
        return str(self.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for these types, or None where no sound file holds it."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        content = _read(path) if self.enabled else None
        if content is None:
            return None
        rebuilt: Any = CompileResult._rebuild
        try:
            return rebuilt(target_context, *pickle.loads(content))
        except Exception:  # of whatever kind: what cannot be loaded is compiled again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for these types; where that fails, say so once."""
        # code that holds addresses of this process is no use to another
        if not self.enabled or data.lifted or data.library.has_dynamic_globals:
            return
        pickled: Any = dumps
        try:
            _write(self._path(sig, data.codegen), pickled(data._reduce()))
        except OSError as error:
            if not KernelCache.complained:
                log.warning(
                    "compiled kernels cannot be kept in %s: %s; the next process compiles them again",
                    self.folder,
                    error.strerror or error,
                )
            KernelCache.complained = True

    def enable(self) -> None:
        """Use the files from now on."""
        self.enabled = True

    def disable(self) -> None:
        """Leave the files alone from now on."""
        self.enabled = False

    def flush(self) -> None:
        """Remove the files of this function."""
        for path in self.folder.glob(f"{self._stem()}-*"):
            path.unlink(missing_ok=True)

    def _stem(self) -> str:
        return f"{self.function.__module__}.{self.function.__name__}"

    def _path(self, sig: Any, codegen: Any) -> Path:
        """The file of a signature; the function's own code is part of its name, all other code of the folder's."""
        code = self.function.__code__
        own = (code.co_firstlineno, code.co_code, code.co_names, code.co_consts)
        key = (*own, _spelt(sig), codegen.magic_tuple())
        return self.folder / f"{self._stem()}-{hashlib.sha256(repr(key).encode()).hexdigest()[:32]}"


def _spelt(kind: Any) -> str:
    """Types in full: numba names a tuple by its class alone, and classes of several modules may share a name."""
    if isinstance(kind, tuple):
        return f"({', '.join(map(_spelt, kind))})"
    if not isinstance(kind, types.BaseTuple):
        return str(kind)
    parts: Any = kind
    home = getattr(kind, "instance_class", tuple)
    return f"{home.__module__}.{home.__qualname__}{_spelt(tuple(parts))}"


def _read(path: Path) -> bytes | None:
    """The content of a file, or None where it is missing, damaged, or not the user's own."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:  # a pipe is not waited for
            status = os.fstat(file.fileno())
            whole = file.read() if stat.S_ISREG(status.st_mode) and writers(status) is None else b""
    except OSError:
        return None
    return whole[SUM:] if hashlib.sha256(whole[SUM:]).digest() == whole[:SUM] else None


def _write(path: Path, content: bytes) -> None:
    """Put a file in its place, whole or not at all."""
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(name, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
