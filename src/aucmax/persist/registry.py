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


def own_name(cls: type) -> str:
    """The name of a class of the library."""
    return f"{cls.__module__.removeprefix('aucmax.')}.{cls.__name__}"


def tuple_class(name: str) -> type | None:
    """The NamedTuple of a name."""
    found = _own_class(name)
    return found if found is not None and issubclass(found, tuple) and hasattr(found, "_fields") else None


def state_class(name: str) -> type | None:
    """The class of a name whose ``in_model_files`` is true: its instances are what their attributes are."""
    found = _own_class(name)
    return found if found is not None and vars(found).get("in_model_files") is True else None


def _own_class(name: str) -> type | None:
    """A class of the library by its name, from the modules that are loaded; those of an estimator always are."""
    module, _, own = name.rpartition(".")
    home = sys.modules.get(f"aucmax.{module}")
    found = None if home is None else vars(home).get(own)
    return found if isinstance(found, type) and own_name(found) == name else None
