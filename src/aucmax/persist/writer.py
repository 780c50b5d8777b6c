"""Values as JSON and arrays. A JSON object holds one entry, whose name starting with $ says what it is.

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

from aucmax.persist.container import TYPES, ModelFileError, checked_key
from aucmax.persist.registry import name_of, own_name, state_class, tuple_class

DEEPEST = 50
MANY = 1000  # strings, or tuples of one class, that are written together
SINGLE = {str, bool, int, type(None)}  # kinds of values that compare equal only if they are the same
PASSING = ("_skl_callbacks", "_callback_fit_ctx")  # of a fit under way


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
        if state_class(own_name(type(value))) is type(value):
            return {"$object": [own_name(type(value)), self._named(vars(value), where)]}
        raise ModelFileError(
            f"{where} is a {type(value).__name__}, which a model file cannot hold; expected numbers, strings, arrays, "
            "lists, dicts, and estimators of this library"
        )

    def _kinds(self) -> list[tuple[Any, Callable[[Any, str], Any]]]:
        return [
            (np.ndarray, self._array),
            (np.generic, lambda v, where: {"$scalar": self._array(np.asarray(v), where)}),
            (list, self._list),
            (tuple, self._tuple),
            (
                dict,
                lambda v, where: {
                    "$dict": [[self.value(checked_key(k), where), self.value(x, f"{where}.{k}")] for k, x in v.items()]
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

    def _list(self, value: list[Any], where: str) -> Any:
        if len(value) >= MANY and all(type(x) is str for x in value):
            return {"$strings": self._strings(value, where)}
        return [self.value(x, f"{where}.{k}") for k, x in enumerate(value)]

    def _strings(self, value: list[str], where: str) -> list[Any]:
        """Many strings as two arrays, since JSON is limited: their bytes one after another, and where each ends."""
        each = [x.encode("utf-8", "surrogatepass") for x in value]
        ends = np.cumsum([len(x) for x in each], dtype=np.int64)
        letters = np.array(memoryview(b"".join(each)), dtype=np.uint8)
        return [self._array(letters, where), self._array(ends, where)]

    def _alike(self, value: tuple[Any, ...], where: str) -> Any:
        """Many tuples of one class, column by column: one value where all are the same, arrays, or a list."""
        columns: list[Any] = []
        for k, column in enumerate(zip(*value, strict=True)):
            first, kinds = column[0], {type(x) for x in column}
            single = len(kinds) == 1 and kinds <= SINGLE and all(x == first for x in column)
            if single or (kinds == {tuple} and not any(column)):
                columns.append(["same", self.value(first, where)])
            elif kinds in ({bool}, {float}):
                columns.append(["array", self._array(np.array(column), where)])
            else:
                columns.append(["list", self._list(list(column), f"{where}.{k}")])
        return {"$alike": [own_name(type(value[0])), len(value), columns]}

    def _tuple(self, value: Any, where: str) -> Any:
        kind = type(value)
        inner = type(value[0]) if len(value) >= MANY else tuple
        if kind is tuple and tuple_class(own_name(inner)) is inner and all(type(x) is inner for x in value):
            return self._alike(value, where)
        content = [self.value(x, f"{where}.{k}") for k, x in enumerate(value)]
        if kind is tuple:
            return {"$tuple": content}
        if tuple_class(own_name(kind)) is not kind:
            raise ModelFileError(f"{where} is a {kind.__name__}, which a model file cannot hold")
        return {"$named": [own_name(kind), content]}

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
