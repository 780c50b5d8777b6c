import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from aucmax.data import DataError, libsvm, read_libsvm
from aucmax.data.files import opened


def text_of(X, y, **options):
    out = io.BytesIO()
    dump_svmlight_file(X, y, out, zero_based=False, **options)
    return out.getvalue()


@pytest.fixture(scope="module")
def text():
    rng = np.random.default_rng(0)
    X = sp.random(3000, 200, density=0.05, format="csr", rng=rng) * 1e3
    return text_of(X, rng.choice([-1, 1], 3000))


def same(table, X, y):
    np.testing.assert_array_equal(table.X.toarray(), X.toarray())
    np.testing.assert_array_equal(table.y, y)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("block", [1, 100, 7001, 2**20])
def test_equals_scikit_learn_however_it_is_cut(text, n_jobs, block, monkeypatch):
    monkeypatch.setattr(libsvm, "BLOCK", block)
    part = text if block > 100 else text[: text.index(b"\n", 20_000) + 1]
    table = read_libsvm(io.BytesIO(part), n_jobs=n_jobs)
    same(table, *load_svmlight_file(io.BytesIO(part), zero_based=False))
    assert table.X.indices.dtype == table.X.indptr.dtype == np.int32
    assert table.X.has_canonical_format
    assert table.query is None


def test_compressed_files(text, tmp_path):
    writers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    plain = read_libsvm(io.BytesIO(text))
    pa = pytest.importorskip("pyarrow")
    for suffix, write in {**writers, "zst": lambda data: pa.compress(data, "zstd", asbytes=True)}.items():
        path = tmp_path / f"rows.{suffix}"
        path.write_bytes(write(text))
        same(read_libsvm(path), plain.X, plain.y)
        path.write_bytes(write(text)[:-200])
        with pytest.raises(DataError, match=rf"rows\.{suffix}: the file is cut off or damaged"):
            read_libsvm(path)


def test_what_is_handled_on_purpose():
    lines = b"\xef\xbb\xbf# head\r\n\r\n+1 1:1 3:-2.5e-1 # a: comment 7:8\r\n \t\n-1\n0\t2:+3  \n 2 3:.5#x"
    table = read_libsvm(io.BytesIO(lines))
    assert table.X.toarray().tolist() == [[1, 0, -0.25], [0, 0, 0], [0, 3, 0], [0, 0, 0.5]]
    assert table.y.tolist() == [1, -1, 0, 2]


def test_query_ids():
    table = read_libsvm(io.BytesIO(b"1 qid:3 1:1\n2 qid:999999999999999999\n"))
    assert table.query.tolist() == [3, 999999999999999999]
    with pytest.raises(DataError, match="row 2 has no qid"):
        read_libsvm(io.BytesIO(b"1 qid:3 1:1\n2 1:5\n"))


def test_hard_numbers_are_pythons():
    words = ["9007199254740993." + "0" * 30, "9007199254740993." + "0" * 30 + "1", "4503599627370497.5" + "0" * 25]
    table = read_libsvm(io.BytesIO("".join(f"{word} 1:{word}\n" for word in words).encode()))
    assert table.y.tolist() == [float(word) for word in words]
    assert table.X.data.tolist() == [float(word) for word in words]


BEYOND = "1.7976931348623158079372897140530341507993413271003782693617377898044497e308"  # halfway to 2^1024
BEYOND_FLOAT32 = 2**128 - 2**104 + 2**74 + 1  # nearer to the float64 after the largest float32 than to that itself


def test_the_largest_number_is_read_and_no_infinity():
    largest = "1.79769313486231580793728971405303415079934132710037826936173778980444e308"
    table = read_libsvm(io.BytesIO(f"-{largest} 1:{largest}\n".encode()))
    assert table.y[0] == -np.finfo(float).max
    assert table.X.data[0] == np.finfo(float).max
    with pytest.raises(DataError, match="too large for float32"):
        read_libsvm(io.BytesIO(b"1 1:%d\n" % BEYOND_FLOAT32), dtype="float32")


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        (f"{BEYOND} 1:1", 1, "too large for float64"),
        (f"-{BEYOND} 1:1 1:1", 1, "too large for float64"),
        (f"1 1:{BEYOND}", 5, "too large for float64; seen '1.797"),
        (f"1 1:1 2:{BEYOND} 3:x", 9, "too large for float64"),
        ("1 1:nan", 5, "finite number after the colon; seen 'nan'"),
        ("1 1:inf", 5, "finite number"),
        ("1 1:-Infinity", 5, "finite number"),
        ("nan 1:1", 1, "expected a label"),
        ("1e309 1:1", 1, "too large for float64"),
        ("1 1:1e309", 5, "too large for float64; seen '1e309'"),
        ("spam 1:1", 1, "expected a label"),
        ("1,2 1:1", 2, "several labels"),
        ("1 -1:1", 3, "whole number"),
        ("1 1.5:1", 4, "colon after the index"),
        ("1 a:1", 3, "whole number"),
        ("1 :1", 3, "whole number"),
        ("1 0:1", 3, "zero_based=True"),
        ("1 2:1 2:1", 7, "twice"),
        ("1 3:1 2:1", 7, "lower than the one before"),
        ("1 99999999999999999999:1", 3, "above 2147483646"),
        ("1 2147483647:1", 3, "above 2147483646"),
        ("1 1:", 5, "finite number after the colon"),
        ("1 1: 2", 5, "finite number after the colon"),
        ("1 1 :2", 4, "colon after the index"),
        ("1 1:2x", 6, "expected a blank"),
        ("1 1:0x10", 6, "expected a blank"),
        ("1 1:1_000", 6, "expected a blank"),
        ("1 1:2 \r 2:3", 7, "carriage return inside"),
        ("1 qid:x 1:1", 3, "qid: and a whole number"),
        ("1 qid:1234567890123456789 1:1", 3, "qid: and a whole number"),
        ("1 1:1 qid:3", 7, "whole number"),
        ("1 1:" + "1" * 1001, 5, "more than 1000 characters"),
        ("\x00\x01", 1, "expected a label"),
        ("+ 1:1", 1, "expected a label"),
    ],
)
def test_a_fault_is_found_where_it_is(line, column, words, tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(b"1 1:1\n\n# comment\n" + line.encode() + b"\n1 1:1\n")
    for n_jobs in (1, 2):
        with pytest.raises(DataError, match=words) as caught:
            read_libsvm(path, n_jobs=n_jobs)
        assert (caught.value.line, caught.value.column) == (4, column)
        assert str(caught.value).startswith(f"{path}:4:{column}: ")


def test_the_line_of_a_fault_far_down(text, monkeypatch):
    monkeypatch.setattr(libsvm, "BLOCK", 5000)
    for n_jobs in (1, 2):
        with pytest.raises(DataError) as caught:
            read_libsvm(io.BytesIO(text + b"1 2:x\n" + text), n_jobs=n_jobs)
        assert caught.value.line == 3001


def test_options():
    rows = b"1 1:1 5:2\n"
    assert read_libsvm(io.BytesIO(rows), n_features=9).X.shape == (1, 9)
    assert read_libsvm(io.BytesIO(b"1 0:1 5:2\n"), zero_based=True).X.indices.tolist() == [0, 5]
    assert read_libsvm(io.BytesIO(rows), dtype="float32").X.dtype == np.float32
    with pytest.raises(DataError, match="an index above 4"):
        read_libsvm(io.BytesIO(rows), n_features=4)
    with pytest.raises(DataError, match="too large for float32"):
        read_libsvm(io.BytesIO(b"1 1:1e39\n"), dtype="float32")
    with pytest.raises(ValueError, match="dtype='int'"):
        read_libsvm(io.BytesIO(rows), dtype="int")
    with pytest.raises(ValueError, match="n_features=0"):
        read_libsvm(io.BytesIO(rows), n_features=0)


def test_files_that_are_none(tmp_path):
    with pytest.raises(DataError, match="a folder"):
        read_libsvm(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        read_libsvm(tmp_path / "gone")
    for empty in (b"", b"\n\n", b"# nothing\n"):
        with pytest.raises(DataError, match="no rows"):
            read_libsvm(io.BytesIO(empty))


def test_a_line_longer_than_a_block(monkeypatch):
    row = b"1 " + b" ".join(b"%d:%d" % (j, j) for j in range(1, 20_000)) + b"\n"
    monkeypatch.setattr(libsvm, "BLOCK", 64)
    table = read_libsvm(io.BytesIO(row + b"-1 3:3\n" + row[:-1]), n_jobs=2)
    assert table.X.shape == (3, 19_999)
    assert table.X.sum() == 2 * sum(range(20_000)) + 3
    monkeypatch.setattr("aucmax.data.files.LONGEST_LINE", 10_000)
    with pytest.raises(DataError, match="is this a text file"):
        read_libsvm(io.BytesIO(row))


MEMORY = """
import resource, sys
from aucmax.data import read_libsvm
read_libsvm(sys.argv[2])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
X = read_libsvm(sys.argv[1]).X
added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
print(added / sum(part.nbytes for part in (X.data, X.indices, X.indptr)))
"""


def test_memory_is_that_of_the_result(tmp_path):
    rng = np.random.default_rng(0)
    small = text_of(sp.random(100, 1000, density=0.05, format="csr", rng=rng), np.ones(100))
    (tmp_path / "small").write_bytes(small)
    (tmp_path / "large").write_bytes(small * 1000)
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "large"), str(tmp_path / "small")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.5


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(NUMBERS, st.dictionaries(st.integers(1, 50), NUMBERS, max_size=5)), min_size=1, max_size=20)


@settings(max_examples=100, deadline=None)
@given(ROWS, st.sampled_from(["\n", "\r\n"]), st.sampled_from([" ", "\t", "  "]), st.integers(1, 60))
def test_what_is_written_is_read(rows, end, blank, block):
    lines = [blank.join([repr(y), *(f"{j}:{x[j]!r}" for j in sorted(x))]) for y, x in rows]
    with opened(io.BytesIO(end.join(lines).encode())) as file:
        pieces = [
            (p.labels.tolist(), np.diff(p.ends, prepend=0).tolist(), p.indices.tolist(), p.values.tolist())
            for p in libsvm.pieces(file, libsvm.Format(), 2, block)
        ]
    labels, counts, indices, values = ([item for piece in pieces for item in piece[k]] for k in range(4))
    assert labels == [y for y, _ in rows]
    assert counts == [len(x) for _, x in rows]
    assert indices == [j - 1 for _, x in rows for j in sorted(x)]
    assert values == [x[j] for _, x in rows for j in sorted(x)]


def test_real_files(data_set):
    data_set("a9a")
    folder = Path(os.environ["AUCMAX_DATA"])
    for name in ("a9a", "w8a.t", "german.numer_scale", "news20.t"):
        with bz2.open(folder / f"{name}.bz2") as file:
            X, y = load_svmlight_file(file, zero_based=False)
        table = read_libsvm(folder / f"{name}.bz2")
        assert (table.X != X).nnz == 0
        np.testing.assert_array_equal(table.y, y)


PEAK = """
import sys
from pathlib import Path
from aucmax.data import read_libsvm

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(words.split()[1]) for words in lines if words.startswith("VmHWM"))

read_libsvm(sys.argv[1] + ".small")
Path("/proc/self/clear_refs").write_text("5")  # forgets the peak of the imports
before = peak()
X = read_libsvm(sys.argv[1]).X
print((peak() - before) / sum(part.nbytes for part in (X.data, X.indices, X.indptr)))
"""


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="peaks are forgotten on Linux only")
def test_the_peak_of_a_read_is_little_more_than_its_result(tmp_path):
    line = b"1 " + b" ".join(b"%d:0.5" % j for j in range(1, 61)) + b"\n"
    (tmp_path / "rows.small").write_bytes(10 * line)
    (tmp_path / "rows").write_bytes(50_000 * line)
    command = [sys.executable, "-c", PEAK, str(tmp_path / "rows")]
    ratio = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert 1.0 < ratio < 1.5
