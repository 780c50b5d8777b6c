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
        return Path(os.path.abspath(os.path.expanduser(chosen)))
    if sys.platform == "win32":
        caches = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    else:
        caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # without HOME and an entry in the list of users, "~" stays as it is
    return Path(caches) / "aucmax" if os.path.isabs(caches) else None


def writers(status: os.stat_result) -> str | None:
    """Return who else than the user can write to a file or folder, or None if nobody can."""
    if not hasattr(os, "geteuid"):
        return None  # on Windows, a folder under LOCALAPPDATA is open to its user alone
    user = os.geteuid()
    if status.st_uid != user:
        return f"belongs to user {status.st_uid}, not to you (user {user})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by other users (mode {stat.S_IMODE(status.st_mode):o})"
    return None


def distrust(folder: Path) -> str | None:
    """Return why the files in a folder may be somebody else's, or None where only the user can have written them.

    Nobody else may write to the folder, nor exchange it or a folder above it, by its name or by where links lead. The
    groups of folders above are taken as the administrator's choice.
    """
    if not stat.S_ISDIR(folder.stat().st_mode):
        return "is no folder"
    above = {*Path(os.path.abspath(folder)).parents, *Path(os.path.realpath(folder)).parents}
    others = next((str(each) for each in above if _exchangeable(each.stat())), None)
    if others:
        return f"lies in {others}, where other users can exchange it"
    link = folder.lstat()
    if hasattr(os, "geteuid") and link.st_uid != os.geteuid():  # a link has a mode that says nothing
        return f"belongs to user {link.st_uid}, not to you (user {os.geteuid()})"
    return writers(folder.stat())


def _exchangeable(above: os.stat_result) -> bool:
    """Whether somebody else can put another file or folder in the place of one within a folder."""
    if not hasattr(os, "geteuid"):
        return False
    open_to_all = bool(above.st_mode & stat.S_IWOTH) and not above.st_mode & stat.S_ISVTX
    return open_to_all or above.st_uid not in (0, os.geteuid())


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
