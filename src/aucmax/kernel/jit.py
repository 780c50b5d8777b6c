"""One decorator for compiled code.

numba stamps a cached kernel with the one file that holds it and does not notice when an imported helper changes. The
cache folder is therefore named after a hash of every source file that can end up in machine code: an edit anywhere
starts a fresh folder, and stale code is never served.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba

from aucmax.kernel.cache import KernelCache
from aucmax.kernel.folder import kernel_folder

Function = TypeVar("Function", bound=Callable[..., Any])

# reassoc lets sums vectorise; nnan and ninf stay off so that divergence remains visible. A vectorised sum has other
# last bits than a plain one, and a loop that also writes to another array is vectorised only where the two lie far
# enough apart: sums that must not depend on where arrays lie are in loops of their own.
FASTMATH = {"reassoc", "contract", "nsz"}


def sources_key(package: Path) -> str:
    """Return a hash of all that decides machine code: the sources, and the versions of the compiler.

    Kernels may lie in any module. A module that holds one, or whose classes or constants reach one, imports from
    ``aucmax.kernel``: the modules that name it count, and edits elsewhere recompile nothing.
    """
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version}".encode())
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        name = path.relative_to(package).as_posix()
        if b"aucmax.kernel" in text or name.startswith("kernel/"):
            digest.update(f"\0{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()[:16]


CONFIG: Any = numba.config
CACHE_FOLDER = None if CONFIG.DISABLE_JIT else kernel_folder(sources_key(Path(__file__).parents[1]))


def kernel(function: Function) -> Function:
    """Compile a loop: cached on disk, free of the GIL, IEEE division.

    With ``NUMBA_DISABLE_JIT=1`` the function is returned as it is and runs as plain Python.
    """
    compiler: Any = numba.njit
    # _nrt=False: no reference counts, whose atomic updates cost more than a short row; kernels never allocate
    compiled: Any = compiler(_nrt=False, nogil=True, error_model="numpy", fastmath=FASTMATH)(function)
    if CACHE_FOLDER is not None:
        compiled._cache = KernelCache(function, CACHE_FOLDER)
    made: Function = compiled
    return made


def inlined(function: Function) -> Function:
    """A helper that kernels may call; outside of them it is plain Python."""
    helper: Function = numba.extending.register_jitable(forceinline=True)(function)
    return helper
