"""Files that would fill the memory, and what is no file at all."""

import gzip
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from aucmax.data import DataError, read, read_libsvm, read_npz, stream
from aucmax.data.limits import LEAST, TIMES, Bound

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

MIB = 2**20

READ = """
import json, resource, sys
import aucmax.data.libsvm, aucmax.data.wide, pyarrow.csv, pyarrow.parquet, pyarrow.compute
from aucmax.data import DataError, read, stream
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = {}
for path in sys.argv[1:]:
    options = {} if path.endswith((".npz", ".libsvm.gz")) else {"target": "y"}
    for how in (read, stream):
        try:
            for chunk in how(path, **options):
                pass
            found[path] = "nothing"
        except DataError as error:
            found[path] = str(error)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([peak / 1024, found]))
"""


def peak_of(paths):
    """The memory that a process takes while it reads files, in MiB, and what it says of each."""
    command = [sys.executable, "-c", READ, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def zipped(path, unit, head=b"", size=300):
    with gzip.open(path, "wb", compresslevel=6) as file:
        file.write(head)
        for _ in range(size):
            file.write(unit * (MIB // len(unit)))
    return path


def zeros(path):
    """Small integers, of which each takes eight bytes as a number."""
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (262144, 1024)}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("X.npy", "w") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
        for _ in range(256):
            file.write(bytes(MIB))
    return path


def test_compressed_text_and_arrays_are_bounded(tmp_path):
    """Unbounded, each of these would take more than two gigabytes, and some hundreds."""
    paths = [
        zipped(tmp_path / "rows.csv.gz", b"0,0\n", b"a,y\n"),
        zipped(tmp_path / "rows.libsvm.gz", b"1\n"),
        zipped(tmp_path / "line.libsvm.gz", b"1 "),
        zipped(tmp_path / "names.csv.gz", b","),
        zeros(tmp_path / "rows.npz"),
    ]
    peak, found = peak_of(paths)
    for path in paths:
        assert str(path) in found[str(path)]
        assert "max_bytes" in found[str(path)] or "is this a table" in found[str(path)]
    assert peak < 1024


def test_columns_that_unpack_to_far_more_are_bounded(tmp_path):
    rows = 2**17
    word = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array(["x" * MIB]))
    views = pa.array(["x" * MIB], pa.string_view()).buffers()
    repeated = pa.py_buffer(np.tile(np.frombuffer(views[1], np.uint8), 2**15))
    view = pa.Array.from_buffers(pa.string_view(), 2**15, [None, repeated, *views[2:]])
    columns = {
        "word": pa.table({"word": word, "y": np.zeros(rows)}),
        "view": pa.table({"view": view, "y": np.zeros(2**15)}),
        "zero": pa.table({"zero": np.zeros(2**25), "y": np.zeros(2**25)}),
    }
    paths = []
    for name, content in columns.items():
        for form in (pa.ipc.new_file, pa.ipc.new_stream):
            path = tmp_path / f"{name}.{form.__name__}.arrow"
            with form(str(path), content.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as file:
                file.write_table(content)
            paths.append(path)
    paths.append(tmp_path / "word.parquet")
    parquet.write_table(columns["word"], paths[-1], store_schema=False)
    del columns, word, view
    peak, found = peak_of(paths)
    for path in paths:
        assert str(path) in found[str(path)]
        assert "max_bytes" in found[str(path)]
    assert peak < 500


def test_the_bound_is_an_argument(tmp_path):
    """Of unpacked text, of arrays and of the rows of a table; none is needed for a file that is not packed."""
    rows = b"a,b,y\n" + b"1,2,0\n" * 5000
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(rows))
    (tmp_path / "rows.gz").write_bytes(gzip.compress(b"1 1:2\n" * 5000))
    np.savez_compressed(tmp_path / "rows.npz", X=np.zeros((5000, 2)), y=np.zeros(5000))
    for name, options in (("rows.csv.gz", {"target": "y"}), ("rows.gz", {}), ("rows.npz", {})):
        path = tmp_path / name
        for reader in (read, stream):
            with pytest.raises(DataError, match=rf"{name}: .*expected at most 20,000: .*by max_bytes="):
                list(reader(path, max_bytes=20_000, **options))
            list(reader(path, max_bytes=10**6, **options))
            with pytest.raises(ValueError, match="max_bytes=0: expected a number of bytes"):
                list(reader(path, max_bytes=0, **options))
    with pytest.raises(DataError, match="max_bytes"):
        read_libsvm(tmp_path / "rows.gz", max_bytes=20_000)
    with pytest.raises(DataError, match="max_bytes"):
        read_npz(tmp_path / "rows.npz", max_bytes=20_000)


def test_the_usual_bound(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(b"x" * 10)
    assert Bound(path).most == LEAST
    os.truncate(path, LEAST)
    assert Bound(path).most == TIMES * LEAST
    assert Bound(None).most is None


def test_labels_that_are_texts(tmp_path):
    """An array of labels gives each the room of the longest."""
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1," + "a" * 2000 + "\n2,b\n")
    with pytest.raises(DataError, match=r"a label of 2,000 characters.*is it the column of the labels"):
        read(path, target="y")


def test_blank_lines_of_a_wide_table_take_no_room(tmp_path, monkeypatch):
    monkeypatch.setattr("aucmax.data.tables.WIDEST", 0)
    names = [f"c{k}" for k in range(2000)]
    path = tmp_path / "rows.csv"
    row = ",".join(["1"] * 2000)
    path.write_text(",".join([*names, "y"]) + "\n" + f"{row},0\n" + "\n" * MIB + f"{row},1\n")
    assert read(path, target="y").X.shape == (2, 2000)


def test_names_without_an_end(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("a," * 2000 + "y\n")
    with monkeypatch.context() as patch:
        patch.setattr("aucmax.data.wide.LONGEST_HEAD", 1000)
        patch.setattr("aucmax.data.wide.FIRST_READ", 500)
        with pytest.raises(DataError, match=r"rows\.csv:1: a first line of more than"):
            read(path, target="y")
    monkeypatch.setattr("aucmax.data.tables.MOST_COLUMNS", 1000)
    with pytest.raises(DataError, match=r"rows\.csv:1: 2,001 columns, expected at most 1,000"):
        read(path, target="y")


SUFFIXES = ("", ".gz", ".csv", ".tsv.gz", ".npz", ".parquet", ".arrow", ".feather")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_pipes_devices_and_folders_are_refused(suffix, tmp_path):
    """A pipe that nobody writes to would be waited for without end."""
    os.mkfifo(tmp_path / f"pipe{suffix}")
    (tmp_path / f"device{suffix}").symlink_to("/dev/zero")
    (tmp_path / f"folder{suffix}").mkdir()
    readers = {"": [read_libsvm], ".npz": [read_npz]}.get(suffix, [])
    for name, words in (("pipe", "a device or a pipe"), ("device", "a device or a pipe"), ("folder", "a folder")):
        path = tmp_path / f"{name}{suffix}"
        for reader in (read, stream, *readers):
            with pytest.raises(DataError, match=rf"{name}{suffix}: {words}, expected a file; "):
                list(reader(path))


def test_names_that_cannot_be(tmp_path):
    (tmp_path / "circle").symlink_to("circle")
    for name in ("circle", "x" * 5000, "a\0b"):
        with pytest.raises(DataError, match=r"cannot be read|no such file"):
            read(tmp_path / name)
