"""Named sets, and downloads from a server on loopback that fails in every way."""

import bz2
import http.server
import os
import threading
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from aucmax.data import DataError, fetch, load_set, named_sets, registry
from aucmax.data.download import checksum

TEXT = b"".join(b"%d 1:%d 3:0.5\n" % (k % 4, k) for k in range(20_000))
PACKED = bz2.compress(TEXT)


class Server(http.server.BaseHTTPRequestHandler):
    """Sends PACKED, after the failures that a test has asked for."""

    failures: ClassVar[list] = []
    ranges: ClassVar[list] = []

    def do_GET(self):
        wanted = self.headers.get("Range")
        self.ranges.append(wanted)
        failure = self.failures.pop(0) if self.failures else ""
        if failure.isdigit():
            self.send_error(int(failure))
            return
        start = int(wanted[6:-1]) if wanted and failure != "ignore range" else 0
        body = PACKED[start:] if failure != "other bytes" else b"x" * len(PACKED)
        if wanted and start >= len(PACKED):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if failure != "no length":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if failure == "cut off" else body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setattr("aucmax.data.download.PAUSE", 0.01)
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    Server.failures, Server.ranges = [], []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{running.server_address[1]}/toy.bz2"
        (tmp_path / "plain").write_bytes(TEXT)
        toy = registry.NamedSet(
            "toy", 20_000, 3, 0.5, "even against odd", "none", "here", checksum(tmp_path / "plain"), url
        )
        monkeypatch.setattr(registry, "named_sets", lambda: {"toy": toy})
        yield tmp_path / "cache" / "sets"
        running.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "failures",
    [
        [],
        ["cut off"],
        ["cut off", "cut off", "cut off"],
        ["503", "cut off"],
        ["cut off", "ignore range"],
        ["no length"],
    ],
)
def test_a_download_comes_through(failures, server):
    Server.failures = list(failures)
    seen = []
    path = fetch("toy", report=lambda have, total: seen.append((have, total)))
    assert path.read_bytes() == PACKED
    assert [p.name for p in server.iterdir()] == ["toy.bz2"]
    assert seen[-1][0] == len(PACKED)
    asked = len(Server.ranges)
    assert fetch("toy") == path
    assert len(Server.ranges) == asked  # the second time, it is there
    if failures[:1] == ["cut off"]:
        assert Server.ranges[1] == f"bytes={len(PACKED) // 2}-"


def test_a_later_run_resumes_a_part(server):
    server.mkdir(parents=True)
    (server / "toy.bz2.part").write_bytes(PACKED[:1000])
    assert fetch("toy").read_bytes() == PACKED
    assert Server.ranges == ["bytes=1000-"]


def test_a_whole_part_is_taken(server):
    server.mkdir(parents=True)
    (server / "toy.bz2.part").write_bytes(PACKED)
    assert fetch("toy").read_bytes() == PACKED


def test_a_part_that_is_a_link_is_not_written_through(server, tmp_path):
    server.mkdir(parents=True)
    (tmp_path / "mine").write_bytes(PACKED[:1000])
    (server / "toy.bz2.part").symlink_to(tmp_path / "mine")
    with pytest.raises(OSError, match=r"toy\.bz2\.part"):
        fetch("toy")
    assert (tmp_path / "mine").read_bytes() == PACKED[:1000]


@pytest.mark.parametrize(("failures", "words"), [(["other bytes"], "another checksum"), (["404"], "Not Found")])
def test_what_is_wrong_is_not_kept(failures, words, server):
    Server.failures = list(failures)
    with pytest.raises(DataError, match=words):
        fetch("toy")
    assert list(server.glob("*")) == []
    assert len(Server.ranges) == 1


def test_a_part_of_something_else_is_noticed(server):
    server.mkdir(parents=True)
    (server / "toy.bz2.part").write_bytes(b"z" * 1000)
    with pytest.raises(DataError, match="another checksum"):
        fetch("toy")
    assert fetch("toy").read_bytes() == PACKED  # and the next attempt starts afresh


def test_a_server_that_keeps_failing(server):
    Server.failures = ["500"] * 10
    with pytest.raises(DataError, match="cannot be fetched"):
        fetch("toy")
    assert len(Server.ranges) == 4


def test_labels_and_folders(server, tmp_path, monkeypatch):
    table = load_set("toy", check=True)
    np.testing.assert_array_equal(table.y, np.arange(20_000) % 2 == 0)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "toy").write_bytes(b"1 1:1\n2 3:4\n")
    monkeypatch.setenv("AUCMAX_DATA", str(folder))
    assert load_set("toy").X.shape == (2, 3)
    with pytest.raises(DataError, match="checksum"):
        load_set("toy", check=True)
    with pytest.raises(DataError, match="no set 'tony' is known"):
        fetch("tony")


def test_the_list_is_sound():
    sets = named_sets()
    assert len(sets) > 20
    for item in sets.values():
        assert len(item.sha256) == 64
        assert 0 < item.positive_rate < 1
        assert item.labels in ("as they are", "even against odd", "2 against the rest")


@pytest.mark.slow
@pytest.mark.parametrize("name", named_sets())
def test_real_sets(name):
    if not (Path(os.environ.get("AUCMAX_DATA", "")) / f"{name}.bz2").is_file():
        pytest.skip(f"needs {name}.bz2 in the folder that AUCMAX_DATA names")
    table, item = load_set(name, check=True), named_sets()[name]
    assert table.X.shape == (item.rows, item.columns)
    assert table.y.mean() == pytest.approx(item.positive_rate, abs=1e-4)


def test_without_a_home_sets_are_found_in_folders_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "cache_root", lambda: None)
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    (tmp_path / "a9a").write_bytes(TEXT)
    assert registry.found("a9a", tmp_path) == tmp_path / "a9a"
    assert registry.found("a9a") is None
    with pytest.raises(DataError, match="AUCMAX_CACHE_DIR"):
        registry.fetch("a9a")
