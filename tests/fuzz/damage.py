"""Damage to arrays: every field of a sparse matrix, and whatever else is given where an array is expected."""

import contextlib

import numpy as np
import pandas as pd
import scipy.sparse as sp

NUMBERS = [0, 1, -1, 2, 5, 6, 7, 39, 40, 41, 2**15, 10**9, 2**31 - 1, -(2**31), 2**32, 2**62, -(2**63)]
FLOATS = [np.nan, np.inf, -np.inf, 1e308, -1e308, 1e200, -1e160, 1e-200, 1e-320, -0.0, 0.0, -1.0, 2.5, 1e20]
TYPES = ["int64", "int32", "uint8", "int8", "uint64", "float64", "float32", "float16", "bool", "object", "complex128"]
ODD_TYPES = ["U9", "S9", "longdouble", ">f8", ">i4", "datetime64[s]", "timedelta64[s]"]
OBJECTS = [
    None,
    "x",
    "",
    b"\xff",
    "1",
    3,
    2.5,
    True,
    [],
    {},
    (),
    float("nan"),
    10**400,
    np.nan,
    pd.NA,
    pd.NaT,
    object(),
]


def array_changed(rng, array):
    """Another array, or what passes for one, and the words for the change."""
    change = rng.choice([cut, grown, entry, entries, cast, shaped, ordered, laid_out, wrapped])
    try:
        with np.errstate(all="ignore"):
            return change(rng, np.asarray(array)), change.__name__
    except (TypeError, ValueError, IndexError):  # an earlier change has left nothing that could be changed so
        return array, "as it was"


def cut(rng, array):
    return array[: rng.choice([0, 1, len(array) // 2, max(len(array) - 1, 0)])] if array.ndim else array


def grown(rng, array):
    return np.concatenate([array, array[: rng.choice([1, len(array)])]]) if array.ndim else array


def entry(rng, array):
    """One number is another."""
    found = array.copy()
    if not found.size:
        return found
    if found.dtype.kind in "iu":
        bounds = np.iinfo(found.dtype)
        value = min(max(rng.choice(NUMBERS), int(bounds.min)), int(bounds.max))
    else:
        value = rng.choice(FLOATS) if found.dtype.kind == "f" else found.flat[0]
    found.flat[rng.choice([0, found.size - 1, rng.randrange(found.size)])] = value
    return found


def entries(rng, array):
    """Many numbers are another."""
    found = array.copy()
    if found.dtype.kind not in "iuf":
        return found
    which = np.array([rng.random() < rng.choice([0.1, 0.5, 1.0]) for _ in range(found.size)], dtype=bool)
    value = rng.choice(FLOATS if found.dtype.kind == "f" else NUMBERS[:9])
    with contextlib.suppress(OverflowError):  # a type that has no such number
        found[which.reshape(found.shape)] = value
    return found


def cast(rng, array):
    kind = rng.choice(TYPES + ODD_TYPES if rng.random() < 0.3 else TYPES)
    try:
        return array.astype(kind)
    except (TypeError, ValueError, OverflowError):
        return array.astype(object)


def shaped(rng, array):
    flat = array.ravel()
    new = [flat.reshape(-1, 1), flat.reshape(1, -1), flat[:1].reshape(()) if flat.size else flat, flat, array[None]]
    return rng.choice([*new, array[:0], np.stack([flat, flat], axis=1), array.T])


def ordered(rng, array):
    if not array.ndim or rng.random() < 0.3:
        return array[::-1].copy() if array.ndim else array
    return array[np.array(rng.sample(range(len(array)), len(array)), dtype=int)]


def laid_out(rng, array):
    """The same numbers, otherwise in memory."""
    if not array.ndim:
        return array
    unaligned = np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(array.shape)
    frozen = array.copy()
    frozen.flags.writeable = False
    spread = np.repeat(array, 2, axis=-1)[..., ::2]
    return rng.choice(
        [unaligned, frozen, spread, np.asfortranarray(array), array[::-1].copy()[::-1], array.byteswap().view(">f8")]
        if array.dtype == np.float64
        else [unaligned, frozen, spread, array[::-1].copy()[::-1]]
    )


def wrapped(rng, array):
    """Something else than an array."""
    objects = array.astype(object)
    if objects.size:
        objects.flat[rng.randrange(objects.size)] = rng.choice(OBJECTS)
    ragged = [*array.tolist()[:-1], [1]] if array.ndim else [1, [2]]
    mask = np.ma.masked_array(array, mask=np.arange(array.size).reshape(array.shape) % 3 == 0)
    made = [objects, objects.tolist(), array.tolist(), ragged, mask, rng.choice(OBJECTS), array.tobytes()]
    if array.ndim in (1, 2):
        made += [np.asmatrix(array), sp.coo_array(np.atleast_2d(array)), pd.DataFrame(objects), pd.DataFrame(array)]
    if array.ndim == 1:
        made += [pd.Series(array), pd.Series(objects), pd.Categorical(array.tolist()), array.view(Odd)]
    return made[rng.randrange(len(made))]


class Odd(np.ndarray):
    """An array of another class."""

    def __len__(self):
        return 3


FIELDS = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
    "lil": ("data", "rows"),
}


def sparse_changed(rng, matrix):
    """A sparse matrix with a damaged field, wrong flags, or a shape that is not its own."""
    words = [matrix.format]
    believed = rng.random()
    if believed < 0.3:
        believe(matrix)
        words.append("canonical")
    for _ in range(rng.choice([1, 1, 1, 2])):
        field = rng.choice([*FIELDS[matrix.format], "shape", "order"])
        if field == "shape":
            matrix._shape = shape_changed(rng, matrix)
            words.append(f"shape={matrix._shape}")
        elif field == "order":
            words.append(disordered(rng, matrix))
        else:
            value, how = array_changed(rng, getattr(matrix, field))
            try:
                setattr(matrix, field, value)
            except (AttributeError, TypeError, ValueError, IndexError, OverflowError):
                continue  # what scipy itself does not take
            words.append(f"{field} {how}")
    if believed > 0.7:
        believe(matrix, believed > 0.85)
        words.append("flags")
    return matrix, " ".join(words)


def believe(matrix, canonical=True):
    """Set the flags that say how the fields lie, past what scipy would look at."""
    if matrix.format in ("csr", "csc", "bsr", "coo"):
        matrix._has_sorted_indices, matrix._has_canonical_format = True, canonical


def shape_changed(rng, matrix):
    """Another shape. Only a wrong one is large: of a large one that is right, MemoryError is the honest answer."""
    n, d = matrix._shape[0], matrix._shape[-1]
    near = [(n + 1, d), (n - 1, d), (n, d - 1), (n, d + 1), (n, 1), (n, 0), (0, d), (0, 0), (2 * n, d), (1, d)]
    far = [(n, 10**5), (n, -1), (-1, d), (n,), (n, d, 1), (n, float(d)), (d, n)]
    if matrix.format == "csr":
        far += [(10**12, d), (2**62, d)]
    return rng.choice(near + far)


def disordered(rng, matrix):
    """Columns of a row out of order, or twice."""
    indices = getattr(matrix, "indices", None)
    if not isinstance(indices, np.ndarray) or indices.ndim != 1 or len(indices) < 2 or not indices.flags.writeable:
        return "as it was"
    k = rng.randrange(len(indices) - 1)
    if rng.random() < 0.5:
        indices[k + 1] = indices[k]
        return "twice"
    indices[:] = indices[::-1].copy()
    return "unsorted"
