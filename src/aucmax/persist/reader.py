"""JSON and arrays back into values; anything unexpected is an error."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from aucmax.data.sparse import sound_sparse
from aucmax.persist.container import ModelFileError, Room, checked_key
from aucmax.persist.registry import estimator_class, state_class, tuple_class
from aucmax.persist.writer import DEEPEST

STRING, NUMBER = 100, 32  # bytes of a short string and of a number in memory
MODEL = 2**14  # bytes that a model counts for: it takes fewer, but far more time than other values
GENERATORS = {"PCG64": np.random.PCG64, "MT19937": np.random.MT19937}


class Reader:
    """Turns JSON and arrays back into values; anything unexpected is an error."""

    def __init__(self, arrays: list[np.ndarray], room: Room) -> None:
        self.arrays, self.used, self.room = arrays, [False] * len(arrays), room
        self._turned: dict[int, np.ndarray] = {}

    def value(self, document: Any, depth: int = 0) -> Any:
        """The value that a JSON document stands for."""
        if depth > 2 * DEEPEST:
            raise ModelFileError(f"values nested more than {DEEPEST} deep")
        if document is None or isinstance(document, bool | int | float | str):
            return document
        if isinstance(document, list):
            return [self.value(x, depth + 1) for x in document]
        if not isinstance(document, dict) or len(document) != 1:
            raise ModelFileError(f"an object with {len(document)} entries, expected one")
        ((tag, content),) = document.items()
        read = getattr(self, f"_{tag[1:]}", None) if tag in TAGS else None
        if read is None:
            raise ModelFileError(f"a value of the unknown kind {tag[:40]!r}; a newer version may know it")
        return read(content, depth + 1)

    def _float(self, content: Any, depth: int) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[content]

    def _array(self, content: Any, depth: int) -> np.ndarray:
        number, order = content
        if type(number) is not int or not 0 <= number < len(self.arrays) or order not in ("C", "F"):
            raise ModelFileError(f"no array {content!r} among the {len(self.arrays)} of the file")
        self.used[number] = True
        if order == "F" and number not in self._turned:
            self.room.take(self.arrays[number].nbytes, "arrays")
            self._turned[number] = np.asfortranarray(self.arrays[number])
        return self._turned.get(number, self.arrays[number])

    def _scalar(self, content: Any, depth: int) -> Any:
        found = self.value(content, depth)
        if not isinstance(found, np.ndarray) or found.shape != ():
            raise ModelFileError("a scalar that is none")
        return found[()]

    def _texts(self, content: Any, depth: int) -> np.ndarray:
        kind, shape, values = content
        dtype = np.dtype(str(kind))
        if dtype.kind not in "OU" or not all(v is None or isinstance(v, str | bool | int | float) for v in values):
            raise ModelFileError(f"an array of the kind {kind!r} with {len(values)} values")
        if dtype.itemsize * len(values) > 64 * (sum(len(str(v)) for v in values) + 64 * len(values) + 64):
            raise ModelFileError("an array of strings far wider than its strings")
        self.room.take(dtype.itemsize * len(values), "strings")
        found = np.empty(len(values), dtype=dtype)
        found[:] = values
        return found.reshape([int(side) for side in shape])

    def _strings(self, content: Any, depth: int) -> list[str]:
        letters, ends = (self.value(part, depth) for part in content)
        sound = all(isinstance(part, np.ndarray) and part.ndim == 1 for part in (letters, ends))
        if not sound or letters.dtype != np.uint8 or ends.dtype != np.int64:
            raise ModelFileError("strings that are none")
        if np.any(np.diff(ends, prepend=0) < 0) or (ends[-1] if len(ends) else 0) != len(letters):
            raise ModelFileError("strings beyond their bounds")
        self.room.take(2 * letters.nbytes + STRING * len(ends), "strings")
        raw, stops = letters.tobytes(), ends.tolist()
        return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *stops[:-1]], stops, strict=True)]

    def _alike(self, content: Any, depth: int) -> tuple[Any, ...]:
        name, count, columns = content
        cls: Any = tuple_class(str(name))
        if cls is None or len(columns) != len(cls._fields):
            raise ModelFileError(f"no tuple {str(name)[:80]!r} of {len(columns)} values is known to this version")
        if type(count) is not int or count < 0:
            raise ModelFileError(f"{str(count)[:40]!r} tuples, expected a whole number")
        found = [(way, self.value(values, depth)) for way, values in columns]
        if any(len(x) == count for way, x in found if way != "same" and isinstance(x, list | np.ndarray)):
            each = 64 + sum(8 if way == "same" else 8 + NUMBER for way, _ in found)
            self.room.take(each * count, "tuples")
        lists = [x.tolist() if isinstance(x, np.ndarray) else x for way, x in found if way != "same"]
        if not {way for way, _ in found} <= {"same", "array", "list"}:
            raise ModelFileError("tuples written in an unknown way; a newer version may know it")
        if not lists or any(
            type(x) is not list or len(x) != count for x in lists
        ):  # so nothing is larger than the file
            raise ModelFileError(f"{str(count)[:40]} tuples with columns of other lengths")
        rest = iter(lists)
        return tuple(map(cls, *(itertools.repeat(x, count) if way == "same" else next(rest) for way, x in found)))

    def _tuple(self, content: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self.value(x, depth) for x in list(content))

    def _dict(self, content: Any, depth: int) -> dict[Any, Any]:
        return {checked_key(self.value(key, depth)): self.value(x, depth) for key, x in content}

    def _named(self, content: Any, depth: int) -> Any:
        name, values = content
        cls: Any = tuple_class(str(name))
        if cls is None or len(values) != len(cls._fields):
            raise ModelFileError(f"no tuple {str(name)[:80]!r} of {len(values)} values is known to this version")
        return cls(*(self.value(x, depth) for x in values))

    def _object(self, content: Any, depth: int) -> Any:
        name, state = content
        cls: Any = state_class(str(name))
        if cls is None:
            raise ModelFileError(f"no object {str(name)[:80]!r} is known to this version")
        return self._with_state(cls, cls.__new__(cls), state, depth)

    def _csr(self, content: Any, depth: int) -> Any:
        as_matrix, (rows, columns), *parts = content
        arrays = [self.value(part, depth) for part in parts]
        if [np.ndim(array) for array in arrays] != [1, 1, 1]:
            raise ModelFileError("a sparse matrix that is none")
        self.room.take(NUMBER * sum(map(len, arrays)), "sparse matrices")
        made = (sp.csr_matrix if as_matrix else sp.csr_array)(tuple(arrays), shape=(rows, columns))
        return sound_sparse(made)

    def _generator(self, content: Any, depth: int) -> np.random.Generator:
        return np.random.Generator(_bits(self.value(content, depth)))

    def _random(self, content: Any, depth: int) -> np.random.RandomState:
        state = self.value(content, depth)
        found = np.random.RandomState(_bits({k: v for k, v in state.items() if k not in ("has_gauss", "gauss")}))
        found.set_state(state)
        return found

    def _estimator(self, content: Any, depth: int) -> Any:
        name, params, state = content
        cls: Any = estimator_class(name) if isinstance(name, str) else None
        if cls is None:
            raise ModelFileError(f"no estimator {str(name)[:80]!r} is known to this version")
        self.room.take(MODEL, "models")
        given = {str(key): self.value(x, depth) for key, x in params}
        unknown = set(given) - set(cls._get_param_names())
        if unknown:
            raise ModelFileError(f"{name} has no parameters {sorted(unknown)}; a newer version may have")
        return self._with_state(cls, cls(**given), state, depth)

    def _with_state(self, cls: type, made: Any, state: Any, depth: int) -> Any:
        for key, x in state:
            _checked_name(cls, key)
            vars(made)[key] = self.value(x, depth)
        return made


TAGS = {
    f"${name}"
    for name in (
        "float",
        "array",
        "scalar",
        "texts",
        "strings",
        "alike",
        "tuple",
        "dict",
        "named",
        "object",
        "csr",
        "generator",
        "random",
        "estimator",
    )
}


def _checked_name(cls: type, key: Any) -> None:
    """Refuse attributes that would hide something of the class's own."""
    own = getattr(cls, key, None) if isinstance(key, str) else None
    if not isinstance(key, str) or not key.isidentifier() or key.startswith("__") or callable(own):
        raise ModelFileError(f"{cls.__name__} cannot have an attribute {str(key)[:80]!r}")
    if isinstance(own, property):
        raise ModelFileError(f"{cls.__name__}.{key} is computed and cannot be stored")


def _bits(state: Any) -> Any:
    """A generator of random bits in a given state; one that its code would read beyond its table is refused."""
    name = state["bit_generator"]
    if name not in GENERATORS:
        raise ModelFileError(f"random numbers of the kind {str(name)[:40]!r}, expected {sorted(GENERATORS)}")
    bits: Any = GENERATORS[name]()
    if name == "MT19937":
        inner = state["state"]
        sound = inner["key"].shape == (624,) and inner["key"].dtype == np.uint32 and 0 <= inner["pos"] <= 624
        if not sound:
            raise ModelFileError("a state of random numbers that cannot be")
    bits.state = state
    return bits
