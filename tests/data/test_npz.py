import io
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

from aucmax.data import DataError, read, read_npz


def test_ends_of_empty_rows_are_looked_at_too(tmp_path):
    ends = np.array([0, 7, 0, 0], np.int32)
    arrays = {"data": np.ones(3), "indices": np.zeros(3, np.int32), "indptr": ends, "shape": np.array([3, 2])}
    np.savez(tmp_path / "a.npz", **arrays, y=np.array([0, 1, 0]))
    with pytest.raises(DataError, match=r"the CSR matrix is not sound .*rising sequence"):
        read_npz(tmp_path / "a.npz")


def test_dense_and_sparse(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 4)), np.where(rng.random(50) > 0.5, "yes", "no")
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", X=np.asfortranarray(X), y=y)
        table = read(tmp_path / "a.npz")
        np.testing.assert_array_equal(table.X, X)
        np.testing.assert_array_equal(table.y, y)
    np.testing.assert_array_equal(read(tmp_path / "a.npz", positive="yes").y, y == "yes")
    A = sp.random(30, 20, density=0.2, format="csr", rng=rng)
    np.savez(tmp_path / "b.npz", data=A.data, indices=A.indices, indptr=A.indptr, shape=A.shape, label=np.arange(30))
    table = read(tmp_path / "b.npz", target="label")
    assert (table.X != A).nnz == 0
    assert table.y.tolist() == list(range(30))
    sp.save_npz(tmp_path / "c.npz", A)
    assert (read_npz(tmp_path / "c.npz").X != A).nnz == 0
    assert read_npz(tmp_path / "c.npz").y is None


def member(header, payload, version=b"\x01\x00"):
    return b"\x93NUMPY" + version + struct.pack("<H", len(header)) + header + payload


def archive(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(f"{name}.npy", data)
    return path


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (member(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000)}", b"x" * 80), "said to be"),
        (member(b"{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}", b""), "shape"),
        (member(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"x" * 8), "expected numbers"),
        (member(b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}", b"x" * 31), "said to be"),
        (member(b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904)}", b""), "the shape"),
        (member(b"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}", b""), "no rows"),
        (member(b"{'descr': '<U0', 'fortran_order': False, 'shape': (3,)}", b""), "of type <U0; expected numbers"),
        (member(b"__import__('os')", b""), "no sound header"),
        (member(b"{" * 3000, b""), "no sound header"),
        (b"garbage", "no sound header"),
        (b"", "no sound header"),
    ],
)
def test_headers_are_not_trusted(data, words, tmp_path):
    path = archive(tmp_path / "bad.npz", X=data)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=words):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()


def test_a_member_that_claims_more_than_it_can_hold(tmp_path):
    path = archive(tmp_path / "bomb.npz", X=b"\x93NUMPY" + bytes(100))
    raw = bytearray(path.read_bytes())
    at = raw.rfind(b"PK\x01\x02")
    raw[at + 24 : at + 28] = struct.pack("<I", 2**31)
    path.write_bytes(raw)
    with pytest.raises(DataError, match="more than its"):
        read(path)


CSR = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2]), "shape": np.array([2, 2])}


def test_numbers_of_every_kind_become_floats(tmp_path):
    for dtype in ("?", "i1", "u8", "f2", ">f8", "g"):
        np.savez(tmp_path / "a.npz", X=np.eye(3, dtype=dtype), y=np.arange(3, dtype=">i4"))
        table = read(tmp_path / "a.npz")
        assert table.X.dtype == np.float64
        assert table.y.dtype.isnative
        np.testing.assert_array_equal(table.X, np.eye(3))
        np.savez(tmp_path / "b.npz", **{**CSR, "data": np.ones(2, dtype=dtype)})
        assert read(tmp_path / "b.npz").X.dtype == np.float64


def test_two_members_of_one_name(tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(2))
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("X.npy", b"x")
    with pytest.raises(DataError, match=r"two members of one name among \['X', 'X'\]"):
        read(tmp_path / "a.npz")


def test_other_faults(tmp_path):
    (tmp_path / "no.npz").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(DataError, match="not a readable npz"):
        read(tmp_path / "no.npz")
    cases = {
        "expected X": {"Z": np.ones(3)},
        "one label for each": {"X": np.ones((3, 2)), "y": np.ones(2)},
        "matrix of numbers": {"X": np.ones(3)},
        "NaN or infinite": {"X": np.array([[1.0, np.nan]])},
        "not sound": {"data": np.ones(2), "indices": np.array([0, 9]), "indptr": np.array([0, 2]), "shape": [1, 3]},
        r"the member 'y' is nan in row 1; expected a label for every row": {"X": np.ones((3, 1)), "y": [np.nan, 1, 0]},
        r"the member 'y' is -inf in row 3": {"X": np.ones((3, 1)), "y": [0, 1, -np.inf]},
        r"of format .*; expected csr: save": {**CSR, "format": ["csr", "csr"]},
        r"not sound \(the type of indices": {**CSR, "indices": np.array([0.5, 1.0])},
        r"not sound \(the type of data": {**CSR, "data": np.array(["a", "b"])},
        "expected csr": {"data": np.ones(0), "indices": [], "indptr": [0], "shape": [0, 0], "format": "coo"},
    }
    for words, arrays in cases.items():
        np.savez(tmp_path / "case.npz", **arrays)
        with pytest.raises(DataError, match=words):
            read(tmp_path / "case.npz")
    whole = io.BytesIO()
    np.savez_compressed(whole, X=np.random.default_rng(0).random((100, 10)))
    (tmp_path / "cut.npz").write_bytes(whole.getvalue()[:-300])
    with pytest.raises(DataError, match="not a readable npz"):
        read(tmp_path / "cut.npz")
