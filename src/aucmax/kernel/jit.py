"""One decorator for compiled code, and a disk cache keyed by the sources.

numba stamps a cached kernel with the one file that holds it and does not notice when an imported helper changes. The
cache folder is therefore named after a hash of every source file that can end up in machine code: an edit anywhere
starts a fresh folder, and stale code is never served.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

# reassoc lets sums vectorise; nnan and ninf stay off so that divergence remains visible. A vectorised sum has other
# last bits than a plain one, and a loop that also writes to another array is vectorised only where the two lie far
# enough apart: sums that must not depend on where arrays lie are in loops of their own.
FASTMATH = {"reassoc", "contract", "nsz"}
COMPILED_PACKAGES = ("kernel", "algorithms")


def _sources_key() -> str:
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for folder in COMPILED_PACKAGES:
        for path in sorted((package / folder).glob("*.py")):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_roots() -> list[Path]:
    """Where the cache may live, best first."""
    chosen = os.environ.get("AUCMAX_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    if sys.platform == "win32":
        user = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    else:
        user = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return [user / "aucmax", Path(tempfile.gettempdir()) / f"aucmax-{os.getuid() if hasattr(os, 'getuid') else 0}"]


def _cache_folder() -> str | None:
    """The first folder that can be written, or None: then kernels compile in every process."""
    for root in _cache_roots():
        folder = root / _sources_key()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    return None


CACHE_FOLDER = _cache_folder()


def kernel(function: Function) -> Function:
    """Compile a loop: cached on disk, free of the GIL, IEEE division.

    With ``NUMBA_DISABLE_JIT=1`` the function is returned as it is and runs as plain Python.
    """
    config: Any = numba.config
    compiler: Any = numba.njit
    saved = config.CACHE_DIR
    config.CACHE_DIR = CACHE_FOLDER or ""
    try:
        # _nrt=False: no reference counts, whose atomic updates cost more than a short row; kernels never allocate
        compiled: Function = compiler(
            cache=CACHE_FOLDER is not None, _nrt=False, nogil=True, error_model="numpy", fastmath=FASTMATH
        )(function)
    finally:
        config.CACHE_DIR = saved
    return compiled


def inlined(function: Function) -> Function:
    """A helper that kernels may call; outside of them it is plain Python."""
    helper: Function = numba.extending.register_jitable(forceinline=True)(function)
    return helper
