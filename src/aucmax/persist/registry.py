"""The classes that may be in a model file. A file names them; only a table of ours turns a name into a class."""

from __future__ import annotations

import sys
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler

import aucmax
from aucmax.data.encode import TableEncoder

OTHERS: dict[str, type] = {
    cls.__name__: cls
    for cls in (Pipeline, MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler, TableEncoder)
}


def estimator_class(name: str) -> type | None:
    """The estimator of a name, if it is one of ours or of the few of scikit-learn that are known."""
    if name in OTHERS:
        return OTHERS[name]
    found = getattr(aucmax, name) if name in aucmax.__all__ else None
    return found if isinstance(found, type) and issubclass(found, BaseEstimator) else None


def name_of(estimator: Any) -> str | None:
    """The name under which an estimator is known."""
    name = type(estimator).__name__
    return name if estimator_class(name) is type(estimator) else None


def tuple_name(cls: type) -> str:
    """The name of a NamedTuple of the library."""
    return f"{cls.__module__.removeprefix('aucmax.')}.{cls.__name__}"


def tuple_class(name: str) -> type | None:
    """The NamedTuple of a name, from the modules of the library that are loaded; those of an estimator always are."""
    module, _, own = name.rpartition(".")
    found = vars(sys.modules.get(f"aucmax.{module}", object())).get(own) if module in _modules() else None
    is_tuple = isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields")
    return found if is_tuple and tuple_name(found) == name else None  # type: ignore[arg-type]


def _modules() -> set[str]:
    return {name.removeprefix("aucmax.") for name in sys.modules if name.startswith("aucmax.")}
