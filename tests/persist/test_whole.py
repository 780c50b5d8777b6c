"""Files that take their place whole, with the mode of the one before, through links, beside other writers."""

import os
import stat
import subprocess
import sys

import pytest

import aucmax
from aucmax.persist import whole
from aucmax.persist.whole import remove_whole, whole_text, write_whole
from tests.estimators import quick


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.auc"
    aucmax.save(quick("SPAM"), path)
    return path


def names(folder):
    return sorted(found.name for found in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_failing_write_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    for name in ("fdopen", "fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            with pytest.raises(OSError, match="No space left") as caught:
                aucmax.save(quick("SPAM", l2=0.5), saved)
        assert caught.value.filename == str(saved)
        assert saved.read_bytes() == before
        assert names(saved.parent) == [saved.name]


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o444])
def test_the_mode_stays(kept, saved):
    saved.chmod(kept)
    aucmax.save(quick("SPAM", l2=0.5), saved)
    assert mode(saved) == kept
    assert aucmax.load(saved).l2 == 0.5


def test_a_new_file_has_the_usual_mode(tmp_path):
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "new", b"x")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o640


def test_nobody_else_reads_a_part_of_a_private_file(saved):
    saved.chmod(0o600)
    with whole.whole(saved) as file:
        file.write(b"secret")
        (part,) = (saved.parent / name for name in names(saved.parent) if name != saved.name)
        assert mode(part) == 0o600


def test_the_owner_stays_where_that_is_permitted(saved, monkeypatch):
    """And where the group cannot stay, its members may do no more than everybody."""
    asked = []
    monkeypatch.setattr(os, "fchown", lambda handle, uid, gid: asked.append((uid, gid)))
    write_whole(saved, b"x")
    status = saved.stat()
    assert asked == [(-1, status.st_gid), (status.st_uid, -1)]

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refused)
    for before, after in ((0o660, 0o600), (0o664, 0o644), (0o640, 0o600)):
        saved.chmod(before)
        write_whole(saved, b"y")
        assert mode(saved) == after


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link, over = tmp_path / "there" / "model.auc", tmp_path / "link.auc", tmp_path / "over.auc"
    link.symlink_to(target)
    over.symlink_to("link.auc")
    for l2 in (0.25, 0.5):  # the first makes the target
        aucmax.save(quick("SPAM", l2=l2), over)
        assert link.is_symlink()
        assert over.is_symlink()
        assert not target.is_symlink()
        assert aucmax.load(target).l2 == l2
    assert names(tmp_path) == ["link.auc", "over.auc", "there"]
    assert names(tmp_path / "there") == ["model.auc"]


def test_links_in_a_circle_are_an_error(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        write_whole(tmp_path / "a", b"x")
    assert (tmp_path / "a").is_symlink()


def test_a_part_that_somebody_else_made_is_not_written_to(saved):
    """Neither under a name that could be guessed, nor through a link at the very name."""
    trap = saved.parent / "trap"
    (saved.parent / f".{saved.name}.part").symlink_to(trap)
    names_drawn = iter(["0" * 16, "1" * 16])
    (saved.parent / f".{saved.name}.{'0' * 16}.part").symlink_to(trap)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole.secrets, "token_hex", lambda count: next(names_drawn))
        aucmax.save(quick("SPAM", l2=0.5), saved)
    assert aucmax.load(saved).l2 == 0.5
    assert not trap.exists()


def left_over(path):
    part = path.with_name(f".{path.name}.{'ab' * 8}.part")
    part.write_bytes(b"torn" * 10_000)
    return part


def test_a_part_that_a_crash_left_is_removed(saved):
    other = left_over(saved.with_name("other.auc"))
    left_over(saved)
    aucmax.save(quick("SPAM"), saved)
    assert names(saved.parent) == sorted([saved.name, other.name])
    left_over(saved)
    remove_whole(saved)
    remove_whole(saved)
    assert names(saved.parent) == [other.name]


HOLDER = """
import fcntl, sys
files = [open(path, "rb+") for path in sys.argv[1:]]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


def test_a_lock_that_another_process_holds_is_not_waited_for(saved):
    """Whatever is locked, the file itself or the part of a writer at work, which stays."""
    part = left_over(saved)
    command = [sys.executable, "-c", HOLDER, str(saved), str(part)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        aucmax.save(quick("SPAM", l2=0.5), saved)
        assert names(saved.parent) == sorted([saved.name, part.name])
        holder.stdin.close()
    assert aucmax.load(saved).l2 == 0.5


def test_parts_that_do_not_last_are_reported(saved, monkeypatch):
    monkeypatch.setattr(whole, "_locked", lambda handle: False)
    before = saved.read_bytes()
    with pytest.raises(aucmax.persist.ModelFileError, match=r"model\.auc: .*stop it, or name a file in another"):
        aucmax.save(quick("SPAM"), saved)
    assert saved.read_bytes() == before
    assert names(saved.parent) == [saved.name]


def test_long_names(tmp_path):
    path = tmp_path / ("x" * 250)
    with whole_text(path) as file:
        file.write("a\n")
    assert path.read_text() == "a\n"
