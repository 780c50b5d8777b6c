"""The cache of compiled kernels: whose it is, what becomes of damage, and what its name depends on."""

import gc
import logging
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from numba import types
from numba.core.dispatcher import Dispatcher

import aucmax
from aucmax.kernel import cache, folder, jit
from tests.conftest import make_problem
from tests.estimators import ESTIMATORS, quick

AS_ROOT = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
# a kernel that is soon compiled; prints what it gives and how many compilations that took
SCRIPT = """
import numba.core.event as event
import numpy as np
from aucmax.kernel.moments import squared_norms
from aucmax.kernel.rows import Dense
{before}
out = np.empty(3)
with event.install_recorder("numba:compile") as recorder:
    squared_norms(Dense(np.arange(6.0).reshape(3, 2)), out)
print(out.tolist(), sum(each.is_start for _, each in recorder.buffer))
"""
RIGHT = "[1.0, 13.0, 41.0]"


def run(before="", first="", **environment):
    """Use a kernel in a process of its own: its value, its compilations, and what was said."""
    env = {key: value for key, value in os.environ.items() if key not in ("XDG_CACHE_HOME", "AUCMAX_CACHE_DIR")}
    command = [sys.executable, "-W", "error", "-c", first + SCRIPT.format(before=before)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env | environment, timeout=300)
    value, compiled = done.stdout.rstrip().rsplit(" ", 1)
    assert value == RIGHT
    return int(compiled), done.stderr


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.WARNING, "aucmax")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Makes the root of the cache, which the environment names."""
    root = tmp_path / "cache"
    root.mkdir(mode=0o700)
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(root))
    return root


def refused(said, word):
    """Whether the cache is refused in one line that says why, and a private folder is taken in its place."""
    found = folder.kernel_folder("key")
    (line,) = said()
    assert word in line
    assert "AUCMAX_CACHE_DIR" in line
    assert str(found) in line
    assert found.parent == Path(folder.tempfile.gettempdir())
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    folder._remove(found, os.getpid())
    assert not found.exists()


def test_a_folder_of_ones_own_is_used(named, said):
    found = folder.kernel_folder("key")
    assert found == named / "key"
    assert stat.S_IMODE(found.stat().st_mode) == 0o700
    assert folder.kernel_folder("key") == found
    assert said() == []


def test_all_folders_that_are_made_are_private(tmp_path, monkeypatch, said):
    monkeypatch.delenv("AUCMAX_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    before = os.umask(0o002)
    try:
        found = folder.kernel_folder("key")
    finally:
        os.umask(before)
    assert found == tmp_path / "caches" / "aucmax" / "key"
    assert {stat.S_IMODE(each.stat().st_mode) for each in (found, found.parent)} == {0o700}
    assert said() == []


@pytest.mark.parametrize("place", [".", "key"])
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_may_write_is_refused(named, said, place, mode):
    (named / "key").mkdir(mode=0o700)
    (named / place).chmod(mode)
    refused(said, "can be written by other users")


@AS_ROOT
@pytest.mark.parametrize("place", [".", "key"])
def test_a_folder_of_somebody_else_is_refused(named, said, place):
    (named / "key").mkdir(mode=0o700)
    os.chown(named / place, 12345, 12345)
    refused(said, "12345")


@AS_ROOT
def test_a_link_of_somebody_else_is_refused(named, said, tmp_path):
    (tmp_path / "mine").mkdir(mode=0o700)
    (named / "key").symlink_to(tmp_path / "mine")
    os.chown(named / "key", 12345, 12345, follow_symlinks=False)
    refused(said, "not to you")


def test_a_link_to_a_folder_that_others_may_write_is_refused(named, said, tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (named / "key").symlink_to(tmp_path / "open")
    refused(said, "can be written by other users")


def test_a_folder_that_others_can_exchange_is_refused(named, said, tmp_path):
    tmp_path.chmod(0o777)
    refused(said, "can exchange it")


def test_a_folder_far_below_one_that_others_can_exchange_is_refused(tmp_path, monkeypatch, said):
    (tmp_path / "open" / "mine").mkdir(parents=True, mode=0o700)
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(tmp_path / "open" / "mine" / "cache"))
    refused(said, "can exchange it")


def test_a_link_that_others_can_exchange_is_refused(tmp_path, monkeypatch, said):
    for name in ("open", "mine"):
        (tmp_path / name).mkdir(mode=0o700)
    (tmp_path / "open" / "link").symlink_to(tmp_path / "mine")
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(tmp_path / "open" / "link"))
    refused(said, "can exchange it")


def test_files_that_others_may_write_and_pipes_are_no_entries(tmp_path):
    path = tmp_path / "entry"
    cache._write(path, b"code")
    assert cache._read(path) == b"code"
    path.chmod(0o666)
    assert cache._read(path) is None
    os.mkfifo(tmp_path / "pipe")
    assert cache._read(tmp_path / "pipe") is None


@AS_ROOT
def test_files_of_somebody_else_are_no_entries(tmp_path):
    path = tmp_path / "entry"
    cache._write(path, b"code")
    os.chown(path, 12345, 12345)
    assert cache._read(path) is None


@pytest.mark.parametrize("place", ["cache", "cache/key"])
def test_a_file_in_place_of_a_folder_is_refused(tmp_path, monkeypatch, said, place):
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / place).parent.mkdir(mode=0o700, exist_ok=True)
    (tmp_path / place).write_text("")
    refused(said, "File exists")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_refused(named, said):
    named.chmod(0o500)
    refused(said, "Permission denied")


def test_without_any_folder_nothing_is_kept(named, said, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    named.chmod(0o777)
    monkeypatch.setattr(folder.tempfile, "mkdtemp", full)
    assert folder.kernel_folder("key") is None
    (line,) = said()
    assert "not kept at all" in line


def test_a_forked_process_leaves_the_private_folder_alone(tmp_path):
    (tmp_path / "private").mkdir()
    folder._remove(tmp_path / "private", os.getpid() + 1)
    assert (tmp_path / "private").exists()


def test_the_private_folder_goes_with_its_process(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "temporary").mkdir()
    before = "from aucmax.kernel.jit import CACHE_FOLDER\nassert CACHE_FOLDER.parent.name == 'temporary'"
    compiled, told = run(before, AUCMAX_CACHE_DIR=str(tmp_path / "open"), TMPDIR=str(tmp_path / "temporary"))
    assert compiled > 0
    assert told.count("\n") == 1
    assert list((tmp_path / "temporary").iterdir()) == []
    assert list((tmp_path / "open").iterdir()) == []


def test_without_a_home_kernels_still_run(tmp_path):
    homeless = "import os, pwd\ndef gone(_): raise KeyError\npwd.getpwuid = gone\nos.environ.pop('HOME', None)\n"
    compiled, told = run(first=homeless, TMPDIR=str(tmp_path))
    assert compiled > 0
    assert "no home folder is known" in told
    compiled, told = run(first=homeless, XDG_CACHE_HOME=str(tmp_path))
    assert (compiled > 0, told) == (True, "")
    assert list((tmp_path / "aucmax").glob("*/*squared_norms*"))


class Planted:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_damaged_entries_are_compiled_anew_and_replaced(tmp_path):
    compiled, told = run(AUCMAX_CACHE_DIR=str(tmp_path))
    assert (compiled > 0, told) == (True, "")
    assert run(AUCMAX_CACHE_DIR=str(tmp_path)) == (0, "")
    (entry,) = tmp_path.glob("*/*squared_norms*")
    whole = entry.read_bytes()
    flipped = [bytearray(whole) for _ in range(3)]
    for copy, at in zip(flipped, (3, cache.SUM + 5, len(whole) - 20), strict=True):
        copy[at] ^= 4
    planted = whole[: cache.SUM] + pickle.dumps(Planted(tmp_path / "planted"))
    for damaged in (b"", whole[: cache.SUM], whole[: len(whole) // 2], *flipped, planted):
        entry.write_bytes(damaged)
        assert cache._read(entry) is None
    compiled, told = run(AUCMAX_CACHE_DIR=str(tmp_path))
    assert (compiled > 0, told) == (True, "")
    assert not (tmp_path / "planted").exists()
    assert cache._read(entry) is not None
    assert run(AUCMAX_CACHE_DIR=str(tmp_path)) == (0, "")
    cache._write(entry, b"whole, but no kernel")
    compiled, told = run(AUCMAX_CACHE_DIR=str(tmp_path))
    assert (compiled > 0, told) == (True, "")
    assert run(AUCMAX_CACHE_DIR=str(tmp_path)) == (0, "")


@pytest.mark.parametrize(
    "trouble",
    [
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))",
        "import shutil; from aucmax.kernel.jit import CACHE_FOLDER; shutil.rmtree(CACHE_FOLDER)",
    ],
    ids=["full", "gone"],
)
def test_a_disk_that_takes_nothing_costs_the_compilation_alone(tmp_path, trouble):
    compiled, told = run(trouble, AUCMAX_CACHE_DIR=str(tmp_path))
    assert compiled > 0
    assert told.count("cannot be kept") == 1
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []


def test_a_failed_write_is_told_once(tmp_path, monkeypatch, said):
    monkeypatch.setattr(cache.KernelCache, "complained", False)

    class Result:
        lifted = ()

        class library:  # noqa: N801
            has_dynamic_globals = False

        class codegen:  # noqa: N801
            magic_tuple = staticmethod(lambda: ())

        def _reduce(self):
            return ("something",)

    kept = cache.KernelCache(run, tmp_path / "gone")
    for _ in range(2):
        kept.save_overload((), Result())
    assert len(said()) == 1


def test_the_folder_follows_the_sources_of_every_kernel(tmp_path):
    for name in ("kernel/helper.py", "model/holder.py", "cli/words.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("from aucmax.kernel.jit import kernel\n" if "model" in name else "")
    first = jit.sources_key(tmp_path)
    assert jit.sources_key(tmp_path) == first
    (tmp_path / "cli" / "words.py").write_text("x = 2\n")
    assert jit.sources_key(tmp_path) == first
    (tmp_path / "model" / "holder.py").write_text("from aucmax.kernel.jit import kernel\nx = 2\n")
    second = jit.sources_key(tmp_path)
    (tmp_path / "kernel" / "helper.py").write_text("x = 2\n")
    assert len({first, second, jit.sources_key(tmp_path)}) == 3


def homes(kind):
    """The modules of the tuples in a type."""
    if hasattr(kind, "instance_class"):
        yield kind.instance_class.__module__
    for part in getattr(kind, "types", ()):
        yield from homes(part)


def test_no_kernel_reaches_a_module_that_is_not_hashed():
    X, y = make_problem(n=60, d=4)
    for name in ESTIMATORS:
        quick(name).fit(X, y)
    aucmax.AUCClassifier().fit(X, y)
    kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher) and isinstance(each.__module__, str)]
    kernels = [each for each in kernels if each.__module__.startswith("aucmax.")]
    reached = {each.__module__ for each in kernels}
    for each in kernels:
        names = each.py_func.__code__.co_names
        values = [each.py_func.__globals__.get(name) for name in names]
        reached |= {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in values}
        reached |= {home for made in each.overloads for kind in made for home in homes(kind)}
    package = Path(aucmax.__file__).parent
    reached = {name for name in reached if name.startswith("aucmax.")}
    assert {"aucmax.model.data", "aucmax.classifier.scaling", "aucmax.algorithms.spam"} <= reached
    for name in reached:
        path = package.parent.joinpath(*name.split("."))
        text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
        assert "aucmax.kernel" in text or name.startswith("aucmax.kernel"), name


def test_tuples_of_one_name_in_two_modules_are_told_apart():
    first = type("Same", (tuple,), {"__module__": "one", "_fields": ("a",)})
    second = type("Same", (tuple,), {"__module__": "two", "_fields": ("a",)})
    kinds = [(types.NamedTuple((types.float64, types.int64), made),) for made in (first, second)]
    assert str(kinds[0]) == str(kinds[1])
    assert cache._spelt(kinds[0]) != cache._spelt(kinds[1])
