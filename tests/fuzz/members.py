"""Mutations of npz files: of their arrays, of what the headers say, of the archive, of its bytes."""

import io
import zipfile

import numpy as np
import scipy.sparse as sp

from tests.conftest import make_problem
from tests.fuzz.damage import array_changed
from tests.fuzz.texts import bytes_changed

HEADERS = [
    ("'shape': (", "'shape': (0, 4611686018427387904, "),
    ("'shape': (", "'shape': (-1, "),
    ("'shape': (", "'shape': (1000000000, "),
    ("'shape': (", "'shape': ("),
    ("'<f8'", "'<U0'"),
    ("'<f8'", "'|V0'"),
    ("'<f8'", "'|O'"),
    ("'<f8'", "'>f8'"),
    ("'<f8'", "'<M8[s]'"),
    ("'<f8'", "'<c16'"),
    ("'<f8'", "[('a', '<f8')]"),
    ("False", "True"),
    ("False", "None"),
    ("{", "{" * 300),
    ("}", ", 'more': 1}"),
    ("'descr'", "'shape'"),
]
NAMES = ["X", "y", "data", "indices", "indptr", "shape", "format", "", "../x", "X.npy", "y\x00"]


def healthy(rng):
    """The members of a file: a dense matrix, or a sparse one as scipy writes it, and labels."""
    X, y = make_problem(n=20, d=6)
    if rng.random() < 0.5:
        return {"X": X, "y": y}
    rows = sp.csr_matrix(X)
    parts = {name: getattr(rows, name) for name in ("data", "indices", "indptr")}
    return {**parts, "shape": np.array(rows.shape), "format": np.array(b"csr"), "y": y}


def member(rng, array):
    """An array as bytes, sometimes with a header that says something else."""
    out = io.BytesIO()
    try:
        np.lib.format.write_array(out, np.asarray(array), allow_pickle=True)
    except (ValueError, TypeError):  # nothing that is an array, or could be pickled
        return repr(array).encode()
    data = out.getvalue()
    if rng.random() < 0.15:
        old, new = rng.choice(HEADERS)
        length = int.from_bytes(data[8:10], "little")
        text = data[10 : 10 + length].decode().rstrip().replace(old, new, 1) + "\n"
        data = data[:8] + len(text).to_bytes(2, "little") + text.encode() + data[10 + length :]
    return bytes_changed(rng, data) if rng.random() < 0.1 else data


def case(rng):
    """The bytes of one file."""
    arrays = list(healthy(rng).items())
    for _ in range(rng.choice([0, 1, 1, 2])):
        k = rng.randrange(len(arrays))
        name, array = arrays[k]
        action = rng.randrange(6)
        if action < 4:
            arrays[k] = name, array_changed(rng, array)[0]
        elif action == 4:
            arrays[k] = rng.choice(NAMES), array
        elif rng.random() < 0.5:
            arrays.append((rng.choice(NAMES), array))
        else:
            del arrays[k]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, array in arrays:
            archive.writestr(f"{name}.npy", member(rng, array))
    data = out.getvalue()
    return bytes_changed(rng, data) if rng.random() < 0.3 else data
