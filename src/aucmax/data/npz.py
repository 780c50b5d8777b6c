"""Arrays in npz files, without trusting what the files say of their sizes.

``np.load`` allocates what a header asks for. Here a header must agree with the length of its member, and a member's
length with the bytes that are there, before anything is allocated; objects, which would need pickle, are refused.
"""

from __future__ import annotations

import ast
import zipfile
import zlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.data.errors import DataError
from aucmax.data.files import existing
from aucmax.data.table import Table

MOST_INFLATED = 1032  # times its size: no deflated stream can hold more
MOST_MEMBERS = 64
LONGEST_HEADER = 10_000
KINDS = "biufUS"
SPARSE = ("data", "indices", "indptr", "shape")


def read_npz(path: Any, *, target: str = "y") -> Table:
    """Read an npz file: the array ``X``, or a CSR matrix as ``scipy.sparse.save_npz`` writes it, and the labels.

    Parameters
    ----------
    path : path
        The file. A matrix is either the member ``X`` or the members ``data``, ``indices``, ``indptr`` and ``shape``.
    target : str, default="y"
        The member that holds the labels.

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
    arrays = _arrays(path)
    X: Any = _matrix(arrays, path)
    y = arrays.get(target)
    if y is not None and y.shape != (X.shape[0],):
        raise DataError(f"{target} has shape {y.shape}, expected one label for each of {X.shape[0]} rows", path)
    if not np.isfinite(X if isinstance(X, np.ndarray) else X.data).all():
        raise DataError("X holds NaN or infinite numbers; expected finite ones", path)
    return Table(X, y)


def _arrays(path: Any) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise DataError(f"{len(members)} members, expected at most {MOST_MEMBERS}", path)
            return {item.filename.removesuffix(".npy"): _array(archive, item, path) for item in members}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise DataError(f"not a readable npz file ({error})", path) from error


def _array(archive: zipfile.ZipFile, item: zipfile.ZipInfo, path: Any) -> np.ndarray:
    where = f"the member {item.filename!r}"
    if item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise DataError(f"{where} is compressed in an unknown way; write it with np.savez_compressed", path)
    if item.file_size > MOST_INFLATED * item.compress_size + LONGEST_HEADER:
        raise DataError(f"{where} claims {item.file_size} bytes, more than its {item.compress_size} can hold", path)
    opening: Any = archive.open(item)
    with opening as file:
        shape, fortran, dtype, header = _header(file, where, path)
        count = int(np.prod(shape, dtype=object))
        if dtype.kind not in KINDS:
            raise DataError(f"{where} is of type {dtype}; expected numbers or strings", path)
        if count * dtype.itemsize != item.file_size - header:
            raise DataError(
                f"{where} is said to be of shape {shape} and type {dtype}, {count * dtype.itemsize} bytes, but has "
                f"{item.file_size - header}",
                path,
            )
        flat = np.empty(count, dtype=dtype)
        raw, have = flat.view(np.uint8), 0
        while have < len(raw):
            more = file.readinto(raw[have:])
            if not more:
                raise DataError(f"{where} is cut off", path)
            have += more
    return flat.reshape(shape, order="F" if fortran else "C")


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
        if not (isinstance(shape, tuple) and all(type(side) is int and side >= 0 for side in shape)):
            raise ValueError(f"the shape {shape!r}")
    except (ValueError, TypeError, SyntaxError, LookupError, RecursionError, MemoryError) as error:
        raise DataError(f"{where} has no sound header ({str(error)[:80]})", path) from error
    return shape, bool(fortran), dtype, np.lib.format.MAGIC_LEN + width + length


def _matrix(arrays: dict[str, np.ndarray], path: Any) -> Any:
    if "X" in arrays:
        X = arrays["X"]
        if X.ndim != 2 or X.dtype.kind not in "biuf":
            raise DataError(f"X is of shape {X.shape} and type {X.dtype}; expected a matrix of numbers", path)
        return np.ascontiguousarray(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
    if not set(SPARSE) <= set(arrays):
        raise DataError(f"members {sorted(arrays)}; expected X, or {', '.join(SPARSE)} as save_npz writes them", path)
    if arrays.get("format", np.array("csr")).item() not in ("csr", b"csr"):
        raise DataError(f"a matrix of format {arrays['format'].item()!r}; expected csr: save X.tocsr()", path)
    try:
        shape: Any = tuple(int(side) for side in arrays["shape"].ravel())
        data = arrays["data"] if arrays["data"].dtype.kind == "f" else arrays["data"].astype(float)
        made: Any = sp.csr_matrix((data, arrays["indices"], arrays["indptr"]), shape=shape)
        made.check_format(full_check=True)
    except (ValueError, TypeError, OverflowError, IndexError) as error:
        raise DataError(f"the CSR matrix is not sound ({error})", path) from error
    return made
