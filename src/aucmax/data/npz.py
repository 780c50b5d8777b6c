"""Arrays in npz files, without trusting what the files say of their sizes.

``np.load`` allocates what a header asks for. Here a header must agree with the length of its member, and a member's
length with the bytes that are there, before anything is allocated; objects, which would need pickle, are refused.
"""

from __future__ import annotations

import ast
import struct
import zipfile
import zlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.data.errors import DataError
from aucmax.data.files import existing
from aucmax.data.limits import Bound
from aucmax.data.sparse import sound_sparse
from aucmax.data.table import Table

MOST_INFLATED = 1032  # times its size: no deflated stream can hold more
MOST_MEMBERS = 64
LONGEST_HEADER = 10_000
KINDS = "biufUS"
FLOATS = (np.float32, np.float64)  # that are kept; all else becomes float64
LONGEST_SIDE = 2**48
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    LookupError,
    OverflowError,
    MemoryError,
)
SPARSE = ("data", "indices", "indptr", "shape")


def read_npz(path: Any, *, target: str = "y", max_bytes: int | None = None) -> Table:
    """Read an npz file: the array ``X``, or a CSR matrix as ``scipy.sparse.save_npz`` writes it, and the labels.

    Parameters
    ----------
    path : path
        The file. A matrix is either the member ``X`` or the members ``data``, ``indices``, ``indptr`` and ``shape``.
    target : str, default="y"
        The member that holds the labels.
    max_bytes : int, optional
        The most bytes that the arrays may take in memory; by default 250 times the size of the file, at least
        128 MiB.

    Returns
    -------
    Table
        With ``X`` and ``y``; ``y`` is None where there is no such member.

    Raises
    ------
    DataError
        Where sizes disagree, members are missing, or the matrix is not one.
    """
    path = existing(path)
    arrays = _arrays(path, Bound(path, max_bytes))
    X: Any = _matrix(arrays, path)
    if not X.shape[0]:
        raise DataError("no rows; expected at least one in X", path)
    if not np.isfinite(X if isinstance(X, np.ndarray) else X.data).all():
        raise DataError("X holds NaN or infinite numbers; expected finite ones", path)
    y = arrays.get(target)
    return Table(X, None if y is None else _labels(y, X.shape[0], f"the member {target!r}", path))


def _labels(y: np.ndarray, rows: int, where: str, path: Any) -> np.ndarray:
    if y.shape != (rows,):
        raise DataError(f"{where} has shape {y.shape}, expected one label for each of {rows} rows", path)
    strange = ~np.isfinite(y) if y.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if strange.any():
        at = int(np.argmax(strange))
        raise DataError(f"{where} is {y[at]} in row {at + 1}; expected a label for every row: drop those without", path)
    return y if y.dtype.kind in "SU" else y.astype(y.dtype.newbyteorder("="), copy=False)


def _arrays(path: Any, bound: Bound) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise DataError(f"{len(members)} members, expected at most {MOST_MEMBERS}", path)
            names = [item.filename.removesuffix(".npy") for item in members]
            if len(set(names)) < len(names):
                raise DataError(f"two members of one name among {sorted(names)}; expected each name once", path)
            return {name: _array(archive, item, bound) for name, item in zip(names, members, strict=True)}
    except DataError:
        raise
    except BROKEN as error:
        raise DataError(f"not a readable npz file ({error}); get it again, or write it with np.savez", path) from error


def _array(archive: zipfile.ZipFile, item: zipfile.ZipInfo, bound: Bound) -> np.ndarray:
    where, path = f"the member {item.filename!r}", bound.path
    if item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{where} is compressed in an unknown way; write it with np.savez_compressed", path)
    if item.file_size > MOST_INFLATED * item.compress_size + LONGEST_HEADER:
        raise DataError(f"{where} claims {item.file_size} bytes, more than its {item.compress_size} can hold", path)
    opening: Any = archive.open(item)
    with opening as file:
        shape, fortran, dtype, header = _header(file, where, path)
        count = int(np.prod(shape, dtype=object))
        if dtype.kind not in KINDS or not dtype.itemsize:
            raise DataError(f"{where} is of type {dtype}; expected numbers or strings", path)
        if count * dtype.itemsize != item.file_size - header:
            raise DataError(
                f"{where} is said to be of shape {shape} and type {dtype}, {count * dtype.itemsize} bytes, but has "
                f"{item.file_size - header}",
                path,
            )
        bound.take(count * max(dtype.itemsize, 8), f"{where} and those before it: arrays")  # all become float64
        flat = np.empty(count, dtype=dtype)
        _fill(flat.view(np.uint8), file, where, path)
    return flat.reshape(shape, order="F" if fortran else "C")


def _fill(raw: np.ndarray, file: Any, where: str, path: Any) -> None:
    have = 0
    while have < len(raw):
        more = file.readinto(raw[have:])
        if not more:
            raise DataError(f"{where} is cut off; get the file again", path)
        have += more


def _header(file: Any, where: str, path: Any) -> tuple[tuple[int, ...], bool, np.dtype, int]:
    """Shape, order and type by the header, and its length."""
    try:
        version = np.lib.format.read_magic(file)
        width = 2 if version == (1, 0) else 4
        length = int.from_bytes(file.read(width), "little")
        if version not in ((1, 0), (2, 0), (3, 0)) or length > LONGEST_HEADER:
            raise ValueError(f"version {version}, {length} bytes")
        header = ast.literal_eval(file.read(length).decode("utf-8").strip())
        shape, fortran, dtype = header["shape"], header["fortran_order"], np.dtype(str(header["descr"]))
        if not (isinstance(shape, tuple) and all(type(side) is int and 0 <= side < LONGEST_SIDE for side in shape)):
            raise ValueError(f"the shape {shape!r}")
    except (ValueError, TypeError, SyntaxError, LookupError, RecursionError, MemoryError) as error:
        raise DataError(f"{where} has no sound header ({str(error)[:80]})", path) from error
    return shape, bool(fortran), dtype, np.lib.format.MAGIC_LEN + width + length


def _matrix(arrays: dict[str, np.ndarray], path: Any) -> Any:
    if "X" in arrays:
        X = arrays["X"]
        if X.ndim != 2 or X.dtype.kind not in "biuf":
            raise DataError(f"X is of shape {X.shape} and type {X.dtype}; expected a matrix of numbers", path)
        return np.ascontiguousarray(X, dtype=X.dtype if X.dtype in FLOATS else np.float64)
    if not set(SPARSE) <= set(arrays):
        raise DataError(f"members {sorted(arrays)}; expected X, or {', '.join(SPARSE)} as save_npz writes them", path)
    kind = arrays.get("format", np.array("csr")).tolist()
    if kind not in ("csr", b"csr"):
        raise DataError(f"a matrix of format {str(kind)[:80]!r}; expected csr: save X.tocsr()", path)
    strange = [name for name in ("indices", "indptr", "shape") if arrays[name].dtype.kind not in "iu"]
    if strange or arrays["data"].dtype.kind not in "biuf":
        raise DataError(f"the CSR matrix is not sound (the type of {', '.join(strange) or 'data'})", path)
    try:
        shape: Any = tuple(int(side) for side in arrays["shape"].ravel())
        data = arrays["data"].astype(arrays["data"].dtype if arrays["data"].dtype in FLOATS else float, copy=False)
        made: Any = sp.csr_matrix((data, arrays["indices"], arrays["indptr"]), shape=shape)
        return sound_sparse(made)
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        raise DataError(f"the CSR matrix is not sound ({error})", path) from error
