"""Arrow and Feather files that are damaged: an error that names the batch, never the end of the process."""

import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from aucmax.data import DataError, read, stream

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

KINDS = [(form, packed) for form in ("file", "stream") for packed in (None, "lz4", "zstd")]


def table(n=60):
    words = [f"t{k % 7}" if k % 5 else None for k in range(n)]
    return pa.table(
        {
            "number": np.random.default_rng(0).standard_normal(n),
            "count": [k % 9 if k % 4 else None for k in range(n)],
            "text": words,
            "long": pa.array(words, pa.large_string()),
            "view": pa.array([word and word * 9 for word in words], pa.string_view()),
            "word": pa.array(words).dictionary_encode(),
            "flag": [bool(k % 2) if k % 9 else None for k in range(n)],
            "when": pa.array(pd.date_range("2020-01-01", periods=n, unit="us")),
            "none": pa.nulls(n),
            "y": [k % 2 for k in range(n)],
        }
    )


def write(path, form, packed, content=None):
    content = table() if content is None else content
    options = pa.ipc.IpcWriteOptions(compression=packed)
    with (pa.ipc.new_file if form == "file" else pa.ipc.new_stream)(str(path), content.schema, options=options) as file:
        file.write_table(content, max_chunksize=25)
    return path


@pytest.mark.parametrize(("form", "packed"), KINDS)
def test_healthy_files_are_read_in_any_order(form, packed, tmp_path):
    path = write(tmp_path / "rows.arrow", form, packed)
    usual = read(table(), target="y")
    found = read(path, target="y")
    np.testing.assert_array_equal(found.X, usual.X)
    np.testing.assert_array_equal(found.y, usual.y)
    parts = [chunk.X for chunk in stream(path, target="y", chunk_rows=10, random_state=1)]
    assert sorted(map(tuple, np.concatenate(parts))) == sorted(map(tuple, usual.X))


FLIPS = """
import random, sys, warnings
from pathlib import Path
from aucmax.data import DataError, read
warnings.simplefilter("ignore")
raw, path, rng = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]), random.Random(0)
refused = 0
for _ in range(int(sys.argv[3])):
    damaged = bytearray(raw)
    damaged[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    path.write_bytes(damaged)
    try:
        read(path, target="y")
    except DataError as error:
        refused += str(error).startswith(str(path)) and "\\n" not in str(error)
    else:
        refused += 1
print(refused)
"""


@pytest.mark.parametrize(("form", "packed"), [*KINDS, ("parquet", "snappy")])
def test_flipped_bits_are_refused_or_harmless(form, packed, tmp_path):
    """Of files that are not validated in full, one of thirty such would end the process."""
    path = tmp_path / f"rows.{'parquet' if form == 'parquet' else 'arrow'}"
    if form == "parquet":
        parquet.write_table(table().drop_columns(["none", "view"]), path)
    else:
        write(path, form, packed)
    command = [sys.executable, "-c", FLIPS, str(path), str(tmp_path / f"damaged{path.suffix}"), "100"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.strip()) == (0, "100"), done.stderr[-2000:]


@pytest.mark.parametrize("form", ["file", "stream"])
def test_a_wrong_offset_names_its_batch(form, tmp_path):
    """The offset where the second text ends points far beyond all of them."""
    content = pa.table({"text": ["aa", "bb", "cc", "dd"], "y": [0, 1, 0, 1]})
    path = write(tmp_path / "rows.arrow", form, None, content)
    raw = path.read_bytes()
    offsets = struct.pack("<5i", 0, 2, 4, 6, 8)
    assert raw.count(offsets) == 1
    path.write_bytes(raw.replace(offsets, struct.pack("<5i", 0, 2, 2**30, 6, 8)))
    with pytest.raises(DataError, match=r"rows\.arrow: record batch 1 is damaged \(.*get the file again"):
        read(path, target="y")
    path.write_bytes(raw.replace(b"aabbccdd", b"aab\xffccdd"))
    with pytest.raises(DataError, match=r"record batch 1 is damaged \(.*UTF8"):
        read(path, target="y")


def test_text_that_is_none_in_parquet(tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"text": ["aabb", "ccdd"], "y": [0, 1]}), path, compression=None, use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"aabb", b"aa\xffb"))
    with pytest.raises(DataError, match="record batch 1 is damaged"):
        read(path, target="y")


def test_an_index_beyond_its_dictionary(tmp_path):
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.int64()), pa.array(["aa", "bb"]))
    path = write(tmp_path / "rows.arrow", "file", None, pa.table({"word": words, "y": [0, 1, 0, 1]}))
    raw = path.read_bytes()
    at = raw.index(struct.pack("<4q", 0, 1, 0, 1))
    path.write_bytes(raw[:at] + struct.pack("<q", 2**40) + raw[at + 8 :])
    with pytest.raises(DataError, match="record batch 1 is damaged"):
        read(path, target="y")


def test_feather_of_version_1_is_refused(tmp_path):
    path = tmp_path / "rows.feather"
    path.write_bytes(b"FEA1" + bytes(60) + b"FEA1")
    with pytest.raises(DataError, match=r"version 1.*write it again with pyarrow\.feather\.write_feather"):
        read(path, target="y")


def test_a_footer_that_is_none(tmp_path):
    path = write(tmp_path / "rows.arrow", "file", "lz4")
    raw = path.read_bytes()
    for damaged in (raw[:-10] + struct.pack("<i", -5) + b"ARROW1", raw[: len(raw) // 2], raw[:8], b"ARROW1"):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"rows\.arrow: "):
            read(path, target="y")
