"""Values as JSON and arrays, and back. A JSON object holds one entry, whose name starting with $ says what it is.

Numbers, strings, truth values, None and lists stand for themselves. An array that occurs twice is one array again
after loading, as the state of a running algorithm needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from aucmax.persist.container import TYPES, ModelFileError
from aucmax.persist.registry import estimator_class, name_of, tuple_class, tuple_name

DEEPEST = 50
PASSING = ("_skl_callbacks", "_callback_fit_ctx")  # of a fit under way
GENERATORS = {"PCG64": np.random.PCG64, "MT19937": np.random.MT19937}


class Writer:
    """Turns values into JSON, and collects the arrays."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # as long as their ids are in use

    def value(self, value: Any, where: str) -> Any:
        """The JSON of a value; ``where`` says in messages what it belongs to."""
        if where.count(".") > DEEPEST:
            raise ModelFileError(f"{where}: nested more than {DEEPEST} deep")
        if value is None or isinstance(value, bool | str) or type(value) is int:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"$float": repr(value)}
        for kind, write in self._kinds():
            if isinstance(value, kind):
                return write(value, where)
        raise ModelFileError(
            f"{where} is a {type(value).__name__}, which a model file cannot hold; expected numbers, strings, arrays, "
            "lists, dicts, and estimators of this library"
        )

    def _kinds(self) -> list[tuple[Any, Callable[[Any, str], Any]]]:
        return [
            (np.ndarray, self._array),
            (np.generic, lambda v, where: {"$scalar": self._array(np.asarray(v), where)}),
            (list, lambda v, where: [self.value(x, f"{where}.{k}") for k, x in enumerate(v)]),
            (tuple, self._tuple),
            (
                dict,
                lambda v, where: {
                    "$dict": [[self.value(k, where), self.value(x, f"{where}.{k}")] for k, x in v.items()]
                },
            ),
            (BaseEstimator, self._estimator),
            (np.random.Generator, lambda v, where: {"$generator": self.value(v.bit_generator.state, where)}),
            (np.random.RandomState, lambda v, where: {"$random": self.value(v.get_state(legacy=False), where)}),
            (sp.csr_matrix | sp.csr_array, self._csr),
        ]

    def _array(self, array: np.ndarray, where: str) -> Any:
        if array.dtype.kind in "OUS":
            values = [self.value(x, where) for x in array.ravel().tolist()]
            return {"$texts": [array.dtype.str, list(array.shape), values]}
        if array.dtype.name not in TYPES:
            raise ModelFileError(f"{where} is an array of {array.dtype}, which a model file cannot hold")
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        if id(array) not in self._numbers:
            self._numbers[id(array)] = len(self.arrays)
            self._kept.append(array)
            native = array.astype(array.dtype.newbyteorder("="), copy=False)
            self.arrays.append(np.ascontiguousarray(native).reshape(array.shape))
        return {"$array": [self._numbers[id(array)], "F" if fortran else "C"]}

    def _tuple(self, value: Any, where: str) -> Any:
        kind = type(value)
        content = [self.value(x, f"{where}.{k}") for k, x in enumerate(value)]
        if kind is tuple:
            return {"$tuple": content}
        if tuple_class(tuple_name(kind)) is not kind:
            raise ModelFileError(f"{where} is a {kind.__name__}, which a model file cannot hold")
        return {"$named": [tuple_name(kind), content]}

    def _estimator(self, value: Any, where: str) -> Any:
        name = name_of(value)
        if name is None:
            raise ModelFileError(
                f"{where} is a {type(value).__module__}.{type(value).__name__}, which a model file cannot hold; "
                "expected an estimator of this library, a Pipeline of such, or one of scikit-learn's scalers"
            )
        params = value.get_params(deep=False)
        state = {k: v for k, v in vars(value).items() if k not in params and k not in PASSING}
        return {"$estimator": [name, *(self._named(part, f"{where}.{name}") for part in (params, state))]}

    def _named(self, values: dict[str, Any], where: str) -> list[Any]:
        return [[key, self.value(value, f"{where}.{key}")] for key, value in values.items()]

    def _csr(self, X: Any, where: str) -> Any:
        parts = [self._array(part, where) for part in (X.data, X.indices, X.indptr)]
        return {"$csr": [isinstance(X, sp.csr_matrix), list(X.shape), *parts]}


class Reader:
    """Turns JSON and arrays back into values; anything unexpected is an error."""

    def __init__(self, arrays: list[np.ndarray]) -> None:
        self.arrays, self.used = arrays, [False] * len(arrays)
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
        found = np.empty(len(values), dtype=dtype)
        found[:] = values
        return found.reshape([int(side) for side in shape])

    def _tuple(self, content: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self.value(x, depth) for x in list(content))

    def _dict(self, content: Any, depth: int) -> dict[Any, Any]:
        return {self.value(key, depth): self.value(x, depth) for key, x in content}

    def _named(self, content: Any, depth: int) -> Any:
        name, values = content
        cls: Any = tuple_class(str(name))
        if cls is None or len(values) != len(cls._fields):
            raise ModelFileError(f"no tuple {str(name)[:80]!r} of {len(values)} values is known to this version")
        return cls(*(self.value(x, depth) for x in values))

    def _csr(self, content: Any, depth: int) -> Any:
        as_matrix, (rows, columns), *parts = content
        made = (sp.csr_matrix if as_matrix else sp.csr_array)(
            tuple(self.value(part, depth) for part in parts), shape=(rows, columns)
        )
        made.check_format(full_check=True)
        return made

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
        given = {str(key): self.value(x, depth) for key, x in params}
        unknown = set(given) - set(cls._get_param_names())
        if unknown:
            raise ModelFileError(f"{name} has no parameters {sorted(unknown)}; a newer version may have")
        made = cls(**given)
        for key, x in state:
            _checked_name(cls, key)
            vars(made)[key] = self.value(x, depth)
        return made


TAGS = {f"${name[1:]}" for name in vars(Reader) if name.startswith("_") and not name.startswith("__")}


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
