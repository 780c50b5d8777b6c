"""Labels, scores and weights as the kernels want them; errors that say what was seen, what was expected, what to do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from aucmax.kernel.ranking import Side, sides

EXACT = 2**53  # integers up to here are floats
SANE_WEIGHTS = (1e-75, 1e75)  # products of four such numbers are finite and above zero
SPREAD = 1e-9  # of the effective rows of a class above one; with less, a variance is noise


class Ranking(NamedTuple):
    """Validated rows: which are positive, their scores, and their weights or None where all weigh one."""

    positive: np.ndarray
    scores: np.ndarray
    weight: np.ndarray | None

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both classes in falling order of their scores."""
        return sides(self.positive, self.scores, self.weight)

    @property
    def one_sided(self) -> bool:
        """Whether a class is missing, so that no pair can be formed."""
        count = int(np.count_nonzero(self.positive))
        return count == 0 or count == len(self.positive)


def unmasked(name: str, values: Any) -> Any:
    """The values of a masked array in which nothing is masked, and anything else as it is."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    count = int(np.count_nonzero(np.ma.getmaskarray(values)))
    if count:
        raise ValueError(
            f"{name} is a masked array with {count} of {values.size} values masked, expected none: leave those rows "
            "out, or fill them with .filled(...)."
        )
    return values.data


def array_of(name: str, values: Any) -> np.ndarray:
    """The values as an array; masked and ragged ones are refused."""
    try:
        return np.asarray(unmasked(name, values))
    except (TypeError, OverflowError, np.ma.MaskError) as error:
        raise ValueError(f"{name} cannot be made an array ({error}); give numbers or labels, one a row.") from error
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise ValueError(f"{name} has entries of several lengths; give one number or label a row.") from error


def numbers(name: str, array: np.ndarray) -> np.ndarray:
    """An array as float64."""
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} holds what is no number ({error}); give a number a row.") from error


def column(name: str, values: Any) -> np.ndarray:
    """One-dimensional numbers or labels; a column of a table is taken as one."""
    array = array_of(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}, expected one dimension; give one value a row.")
    return array


def positives(labels: Any) -> np.ndarray:
    """Which rows are positive: those of the larger of at most two labels."""
    y = column("y", labels)
    if y.dtype == np.bool_:
        return y
    if len(y) == 0:
        return np.zeros(0, dtype=bool)
    if y.dtype.kind in "iuf":
        low, high = y.min(), y.max()
        if low != low:
            raise ValueError("y holds NaN; give a label to every row, or leave those rows out.")
        positive: np.ndarray = y == high
        if low == high:
            return positive if high > 0 else np.zeros(len(y), dtype=bool)
        if np.count_nonzero(positive) + np.count_nonzero(y == low) == len(y):
            return positive
    classes = unique_labels(y)
    if len(classes) > 2:
        raise ValueError(
            f"y holds {len(classes)} classes ({_shown(classes)}), expected 2; for more, see aucmax.evaluate.ovr_auc "
            "and aucmax.evaluate.hand_till_auc."
        )
    return np.asarray(y == classes[-1])


def is_missing(label: Any) -> bool:
    """Whether something is None, NaN or another mark of a missing value, which is not even equal to itself."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        return True


def unique_labels(y: np.ndarray) -> np.ndarray:
    """The labels, sorted; those that cannot be sorted are an error."""
    try:
        return np.unique(y)
    except TypeError:
        raise ValueError("y mixes labels that cannot be sorted, or holds None; give numbers or strings.") from None


def finite_scores(scores: Any, name: str = "scores") -> np.ndarray:
    """Scores as float64 or float32 in their order; infinities are fine, NaN is not."""
    return float_scores(column(name, scores), name)


def float_scores(array: np.ndarray, name: str) -> np.ndarray:
    """An array as float64 or float32, order and ties kept."""
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} are of the type {array.dtype}, expected numbers; the larger, the more positive.")
    if array.dtype.kind in "iu" and array.size and max(abs(int(array.max())), abs(int(array.min()))) > EXACT:
        ranks: np.ndarray = np.unique(array, return_inverse=True)[1].reshape(array.shape)
        return ranks.astype(np.float64)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype not in (np.float32, np.float64):
        if array.dtype.kind == "f" and array.dtype.itemsize > 8:
            raise ValueError(f"{name} are of the type {array.dtype}, expected at most 64 bits; round them first.")
        array = array.astype(np.float64)
    array = np.ascontiguousarray(array)
    if array.size and np.isnan(array.min()):
        where = int(np.flatnonzero(np.isnan(array))[0])
        raise ValueError(
            f"{name} hold NaN (first at position {where}); a row without a score has no rank: "
            "leave it out or give it a score, -inf for the last place."
        )
    return array


def weights(sample_weight: Any, labels: np.ndarray) -> np.ndarray | None:
    """Weights of rows of some labels as float64, or None where all are one."""
    if sample_weight is None:
        return None
    weight = numbers("sample_weight", column("sample_weight", sample_weight))
    same_length("sample_weight", weight, len(labels))
    if len(weight) == 0:
        return None
    low, high = weight.min(), weight.max()
    if not (low >= 0.0 and math.isfinite(high)):
        raise ValueError(f"sample_weight goes from {low} to {high}, expected finite numbers of at least 0.")
    refuse_extreme_weights(weight, labels)
    return None if low == high == 1.0 else weight


def refuse_extreme_weights(weight: np.ndarray, labels: np.ndarray) -> None:
    """Refuse weights whose sums over a class have products that overflow or vanish in float64."""
    smallest, largest = SANE_WEIGHTS
    if weight.min(where=weight > 0.0, initial=np.inf) >= smallest and weight.max() <= largest / len(weight):
        return
    classes, codes = np.unique(labels, return_inverse=True)
    for label, mass in zip(classes.tolist(), np.bincount(codes, weights=weight), strict=True):
        if mass and not smallest <= mass <= largest:
            raise ValueError(
                f"sample_weight sums to {mass:g} over the rows with the label {label!r}, expected {smallest:g} to "
                f"{largest:g}, beyond which products overflow or vanish; only the ratios of weights matter: scale them."
            )


def effective_rows(total: float, squares: float) -> float:
    """The effective number of rows of a class, by the sum of their weights and of the squares; a spread needs two."""
    n = float(total**2 / squares)
    if n - 1.0 < SPREAD:
        raise ValueError(
            "sample_weight gives one row nearly all the weight of its class, expected at least two rows that count: a "
            "variance needs them. Give weights that are nearer to each other."
        )
    return n


def same_length(name: str, values: np.ndarray, n: int) -> None:
    """Refuse a column that is not as long as y."""
    if len(values) != n:
        raise ValueError(f"{name} has {len(values)} values and y has {n}; expected as many of one as of the other.")


def ranking(y: Any, scores: Any, sample_weight: Any = None) -> Ranking:
    """Labels, scores and weights, validated; rows of weight zero are left out. A class may be missing."""
    positive, found = positives(y), finite_scores(scores)
    same_length("scores", found, len(positive))
    return with_weights(positive, found, sample_weight)


def with_weights(positive: np.ndarray, scores: np.ndarray, sample_weight: Any) -> Ranking:
    """Validated labels and scores with weights, which are validated here."""
    weight = weights(sample_weight, positive)
    if weight is not None and weight.min() == 0.0:
        kept = weight > 0.0
        positive, scores, weight = positive[kept], scores[kept], weight[kept]
    return Ranking(np.ascontiguousarray(positive), scores, weight)


def two_sided(y: Any, scores: Any, sample_weight: Any = None) -> Ranking:
    """Like ``ranking``, but both classes must be there."""
    found = ranking(y, scores, sample_weight)
    if found.one_sided:
        raise one_class(found.positive)
    return found


def one_class(positive: np.ndarray) -> ValueError:
    """The error of rows of one class."""
    n = len(positive)
    seen = "no rows" if n == 0 else f"one class only: all {n} rows are {'positive' if positive[0] else 'negative'}"
    return ValueError(f"y holds {seen} (rows of weight 0 left out), but ranking needs both; give rows of both classes.")


def number(name: str, value: Any, low: float, high: float, *, closed: bool = False) -> float:
    """A number strictly between two others or, where closed, possibly one of them."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not (low <= found <= high if closed else low < found < high):
        between = "from" if closed else "strictly between"
        raise ValueError(f"{name}={value!r}: expected a number {between} {low:g} {'to' if closed else 'and'} {high:g}.")
    return found


def word(name: str, value: Any, words: Iterable[str]) -> str:
    """One of some words."""
    allowed = tuple(words)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={value!r}: expected one of {', '.join(map(repr, allowed))}.")
    return value


def _shown(classes: np.ndarray) -> str:
    return ", ".join(map(repr, classes[:4].tolist())) + (", ..." if len(classes) > 4 else "")
