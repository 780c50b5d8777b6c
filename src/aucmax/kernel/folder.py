"""The folder of compiled kernels, and whether it can be trusted.

What lies in that folder is run. It is therefore used only where nobody but the user can have put something there;
otherwise the process makes a folder of its own, which only the processes it forks share.
"""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

log = logging.getLogger("aucmax")


def cache_root() -> Path | None:
    """Return the folder of all that is kept between runs, or None where the user has none.

    It is the one that ``AUCMAX_CACHE_DIR`` names, or else ``aucmax`` in the user's folder of caches.
    """
    chosen = os.environ.get("AUCMAX_CACHE_DIR")
    if chosen:
        return Path(os.path.abspath(chosen))
    if sys.platform == "win32":
        caches = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    else:
        caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # without HOME and an entry in the list of users, "~" stays as it is
    return Path(caches) / "aucmax" if os.path.isabs(caches) else None


def distrust(folder: Path) -> str | None:
    """Return why the files in a folder may be somebody else's, or None where only the user can have written them."""
    if not hasattr(os, "geteuid"):
        return None  # on Windows, a folder under LOCALAPPDATA is open to its user alone
    user = os.geteuid()
    link, found, parent = folder.lstat(), folder.stat(), Path(os.path.realpath(folder)).parent.stat()
    if not stat.S_ISDIR(found.st_mode):
        return "is no folder"
    if link.st_uid != user or found.st_uid != user:
        return f"belongs to user {found.st_uid}, not to you (user {user})"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by other users (mode {stat.S_IMODE(found.st_mode):o}; chmod go-w takes that right away)"
    if parent.st_uid not in (0, user) or (parent.st_mode & stat.S_IWOTH and not parent.st_mode & stat.S_ISVTX):
        return "lies in a folder where other users can exchange it"
    return None


def kernel_folder(key: str) -> Path | None:
    """Return the folder for the kernels of some sources, or None where none can be made: then nothing is kept."""
    root = cache_root()
    if root is None:
        return _private("no home folder is known")
    folder = root / key
    try:
        folder.parent.parent.mkdir(parents=True, exist_ok=True)
        for each in (root, folder):
            each.mkdir(mode=0o700, exist_ok=True)
            reason = distrust(each)
            if reason:
                return _private(f"{each} {reason}")
    except OSError as error:
        return _private(f"{error.filename or folder}: {error.strerror or error}")
    return folder if os.access(folder, os.W_OK) else _private(f"{folder} cannot be written")


def _private(reason: str) -> Path | None:
    """Make a folder for this process, removed at its end, and say why."""
    advice = "AUCMAX_CACHE_DIR names another folder, which must be yours alone to write"
    try:
        folder = Path(tempfile.mkdtemp(prefix="aucmax-"))
    except OSError:
        log.warning("compiled kernels are not kept at all: %s; %s", reason, advice)
        return None
    log.warning("compiled kernels are kept for this process only, in %s: %s; %s", folder, reason, advice)
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder of a process; one that it forked leaves it alone."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
