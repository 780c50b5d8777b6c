"""The state of a running algorithm, before compiled code may step on it.

Kernels do not check bounds. So a state from a file must have the shape of one that the estimator itself begins with,
and what serves as an index must be one: the tuples of a state say so themselves (``kernel.bounds``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone

from aucmax.classifier.door import FrontDoor
from aucmax.classifier.embedding import Embedding
from aucmax.classifier.streaming import MOST_COLUMNS, Exact
from aucmax.classifier.wide import Wide
from aucmax.features.nystroem import KMeansNystroem
from aucmax.kernel.bounds import fault_of
from aucmax.kernel.rows import Slots
from aucmax.model.base import AUCEstimator
from aucmax.model.data import Data, as_rows
from aucmax.model.params import check_parameters
from aucmax.persist.container import ModelFileError

PROBES = (64, 128, 192)  # columns of states that tell how a state grows
ROOM = 2**20  # bytes by which a state may be smaller than expected
LARGEST = 1e150  # of the numbers in a state
FITTED = ("_stream", "_model", "coef_", "intercept_", "classes_", "components_")


def check_estimators(value: Any) -> None:
    """Check every estimator in a loaded value."""
    for kind, check in CHECKS.items():
        if isinstance(value, kind):
            check(value)
    if isinstance(value, BaseEstimator) or getattr(type(value), "in_model_files", False):
        value = list(vars(value).values())
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            check_estimators(item)


def _check_linear(model: Any) -> None:
    d = _width(model)
    if d is None:
        return
    state, name = vars(model), type(model).__name__
    classes = state.get("classes_")
    _sure(isinstance(classes, np.ndarray) and classes.shape == (2,), f"{name} without two classes")
    computed = isinstance(getattr(type(model), "coef_", None), property)
    needed = {"_model", "_stream"} if computed else {"coef_", "intercept_"}
    _sure(needed <= state.keys(), f"{name} without coefficients")
    stream = state.get("_stream")
    if stream is not None:
        _check_stream(model, stream, d)
    weights, intercepts = state.get("_model") or (state.get("coef_"), state.get("intercept_"))
    for array, shape in ((weights, (1, d)), (intercepts, (1,))):
        _sure(
            array is None or _floats(array, shape),
            f"{name} with coefficients that are not finite or do not suit its {d} features",
        )


def _check_door(model: Any) -> None:
    d = _width(model)
    if d is None:
        return
    state, name = vars(model), type(model).__name__
    classes, embedding, stream = (state.get(key) for key in ("classes_", "embedding_", "_stream"))
    _sure(isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) >= 2, f"{name} without classes")
    _sure(embedding is None or isinstance(embedding, Embedding), f"{name} with an embedding that is none")
    width = d if embedding is None else vars(embedding.nystroem).get("n_components_")
    _sure(embedding is None or _floats(embedding.sizes, (d,)), f"{name} with an embedding of other columns")
    lines = 1 if len(classes) == 2 else len(classes)
    lines = lines * (lines - 1) // 2 if model.multi_class == "ovo" and lines > 1 else lines
    for key, shape in (("coef_", (lines, width)), ("intercept_", (lines,)), ("_sizes", (width,))):
        _sure(_floats(state.get(key), shape), f"{name} with {key} that does not suit {d} features and {lines} scores")
    _sure(state.get("_raw") is None or _floats(state["_raw"], (lines, width)), f"{name} with a start of other columns")
    if isinstance(stream, Wide):
        _sure(_same_shapes(vars(stream), vars(Wide(d, len(classes)))), f"{name} with the stream of another model")
    elif stream is not None:
        _sure(d <= MOST_COLUMNS and _like(stream, Exact.empty(d, len(classes))), f"{name} with another stream")


def _check_embedding(model: Any) -> None:
    d = _width(model)
    if d is None:
        return
    centres, root = (vars(model).get(key) for key in ("components_", "normalization_"))
    m = vars(model).get("n_components_")
    sound = type(m) is int and isinstance(root, np.ndarray) and _floats(centres, (m, d)) and _floats(root, (m, m))
    _sure(
        sound and isinstance(model.gamma_, float) and model.gamma_ > 0.0, "KMeansNystroem with landmarks that are none"
    )


CHECKS: dict[type, Callable[[Any], None]] = {
    AUCEstimator: _check_linear,
    FrontDoor: _check_door,
    KMeansNystroem: _check_embedding,
}


def _width(model: Any) -> int | None:
    """The number of columns of a fitted estimator, None of one that is not fitted."""
    state, name = vars(model), type(model).__name__
    d = state.get("n_features_in_")
    if d is None:
        fitted = [key for key in FITTED if state.get(key) is not None]
        _sure(not fitted, f"{name} with {', '.join(fitted)}, but without n_features_in_")
        return None
    _sure(type(d) is int and d >= 1, f"{name} with n_features_in_={d!r}")
    return int(d)


def _floats(value: Any, shape: tuple[Any, ...]) -> bool:
    """Whether a value is an array of finite floats of a shape."""
    sound = isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind == "f"
    return sound and bool(np.isfinite(value).all())


def _same_shapes(state: dict[str, Any], model: dict[str, Any]) -> bool:
    """Whether attributes are arrays, or lists as long, of the same names and shapes."""
    return state.keys() == model.keys() and all(
        type(x) is type(model[key]) and np.shape(x) == np.shape(model[key]) for key, x in state.items()
    )


def _check_stream(model: Any, stream: Any, d: int) -> None:
    """Compare with the state before the first row, and look at what the next rows, or the first look, will ask for."""
    check_parameters(model, model._ranges)
    steps = vars(model).get("t_")
    _sure(type(steps) is int and 0 <= steps < 2**62, f"a stream of {str(steps)[:40]} rows")
    _refuse_outgrown(model, stream, d)
    fresh = clone(model)
    begun = _begun(fresh, d, dense=False)
    known = vars(model)
    strange = [
        key for key, x in vars(fresh).items() if isinstance(x, float | int) and type(known.get(key)) is not type(x)
    ]
    _sure(not (set(strange) - set(model.get_params())), f"a stream with {', '.join(strange)} of another type")
    check_state(stream, begun if _like(stream, begun) else _begun(fresh, d, dense=True), d)


def check_state(state: Any, begun: Any, d: int) -> None:
    """Compare with a state that such a run begins with, on d columns, and look at every index."""
    _sure(_like(state, begun), "the state of another run")
    words = fault_of(state, d)
    _sure(not words, words)
    _sure(_finite_as(state, begun), "numbers that are infinite, NaN or far too large")


def finite(value: Any) -> bool:
    """Whether all numbers in tuples of arrays and numbers are finite, and so are their squares."""
    if isinstance(value, tuple):
        return all(map(finite, value))
    is_float = isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")
    return not is_float or bool(np.all(np.abs(value) <= LARGEST))


def _finite_as(value: Any, begun: Any) -> bool:
    """Whether what is finite as a run begins still is."""
    if isinstance(value, tuple):
        return all(map(_finite_as, value, begun))
    return not finite(begun) or finite(value)


def _refuse_outgrown(model: Any, stream: Any, d: int) -> None:
    """Refuse a number of columns whose state would be far larger than the one in the file.

    The size of a state is a quadratic of the columns at the most; states of few columns tell which.
    """
    sizes = [_bytes_of(_begun(clone(model), k, dense=not _has(stream, Slots))) for k in PROBES]
    expected = float(np.polyval(np.polyfit(PROBES, sizes, 2), d))
    _sure(expected <= 2.0 * _bytes_of(stream) + ROOM, f"a state that is too small for {d} columns")


def _bytes_of(state: Any) -> int:
    return sum(part.nbytes for whole in _tuples(state) for part in whole if isinstance(part, np.ndarray))


def _begun(model: Any, d: int, *, dense: bool) -> Any:
    """The state of such an estimator after no rows of d columns."""
    X = np.zeros((0, d)) if dense else sp.csr_matrix((0, d))
    data = Data(as_rows(X), np.empty(0, dtype=np.int8), np.empty(0), d)
    return model._absorbed(None, data)


def _like(value: Any, model: Any) -> bool:
    """Whether two states have the same tuples, types and shapes; a buffer of sparse rows may be of any width."""
    if isinstance(model, np.ndarray):
        same = isinstance(value, np.ndarray) and value.dtype == model.dtype and value.ndim == model.ndim
        alike = same and value.shape == model.shape
        return alike and (value.flags.c_contiguous or not model.flags.c_contiguous)
    if isinstance(model, Slots) and isinstance(value, Slots):
        lines = len(model.length)
        return all(
            isinstance(a, np.ndarray) and len(a) == lines and a.dtype == b.dtype and a.ndim == b.ndim
            for a, b in zip(value, model, strict=True)
        )
    if isinstance(model, tuple):
        alike = type(value) is type(model) and len(value) == len(model)
        return alike and all(_like(a, b) for a, b in zip(value, model, strict=True))
    if isinstance(model, int | float):  # another type would make numba compile anew
        kind = bool if isinstance(model, bool) else int if isinstance(model, int) else float
        return isinstance(value, kind) and (kind is float or abs(value) < 2**62)
    return type(value) is type(model)


def _has(value: Any, kind: type) -> bool:
    return any(isinstance(part, kind) for part in _tuples(value))


def _tuples(value: Any) -> Any:
    if isinstance(value, tuple):
        yield value
        for part in value:
            yield from _tuples(part)


def _sure(sound: bool, words: str) -> None:
    if not sound:
        raise ModelFileError(f"the file holds {words}")
