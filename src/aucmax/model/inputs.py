"""What a user passes in, before scipy or a kernel steps on it: the only way from an X to the rows of the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import _check_sample_weight, validate_data

from aucmax.data.sparse import sound_sparse
from aucmax.evaluate.check import SANE_WEIGHTS, unmasked

LEAST_SHARE = 1e-12  # of a class in the weight of all rows; with less, one minus the share of the others is noise


def checked_matrix(estimator: Any, X: Any, **options: Any) -> Any:
    """X as C-ordered or CSR floats whose structure is sound; ``options`` are those of ``validate_data``."""
    try:
        return validate_data(estimator, sound(X), accept_sparse="csr", dtype=(np.float64, np.float32), **options)
    except (OverflowError, np.ma.MaskError) as error:
        raise ValueError(
            f"X holds what is no number ({error}), expected floats or whole numbers; convert it."
        ) from error


def checked_weights(sample_weight: Any, X: Any, labels: np.ndarray) -> np.ndarray:
    """A weight for every row as float64: zero, or neither so small nor so large that steps overflow or vanish."""
    weight = unmasked("sample_weight", sample_weight)
    try:
        weight = np.asarray(_check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True))
    except (OverflowError, TypeError) as error:
        raise ValueError(f"sample_weight holds what is no number ({error}); give a number a row.") from error
    least, most = float(weight.min(where=weight > 0.0, initial=np.inf)), float(weight.max(initial=0.0))
    if least < SANE_WEIGHTS[0] or most > SANE_WEIGHTS[1]:
        raise ValueError(
            f"sample_weight goes from {least:g} to {most:g}, expected {SANE_WEIGHTS[0]:g} to {SANE_WEIGHTS[1]:g}, or 0 "
            "for rows that do not count; only the ratios of weights matter: scale them."
        )
    if least < LEAST_SHARE * most * len(weight):
        _refuse_weightless_classes(weight, labels)
    return weight


def _refuse_weightless_classes(weight: np.ndarray, labels: np.ndarray) -> None:
    classes, codes = np.unique(labels, return_inverse=True)
    masses = np.bincount(codes, weights=weight)
    for label, share in zip(classes.tolist(), masses / masses.sum(), strict=True):
        if 0.0 < share < LEAST_SHARE:
            raise ValueError(
                f"sample_weight gives the rows with the label {label!r} a share of {share:g} of all weight, expected "
                f"at least {LEAST_SHARE:g}; raise their weights."
            )


def rows_to_score(estimator: Any, X: Any) -> Any:
    """Return rows for ``linear_scores``; numbers of sparse rows that are not finite show in the scores."""
    return checked_matrix(estimator, X, reset=False, ensure_all_finite=not sp.issparse(X))


def linear_scores(X: Any, coef: np.ndarray, intercept: Any) -> np.ndarray:
    """``X @ coef + intercept``; an error where a score is not finite, because such rows cannot be ranked."""
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.asarray(X @ coef + intercept)
    if not np.isfinite(scores).all():
        assert_all_finite(X, input_name="X")
        i = int(np.flatnonzero(~np.isfinite(scores.reshape(len(scores), -1)).all(axis=1))[0])
        raise ValueError(
            f"The score of row {i} of X overflows float64; expected values like those of the training rows."
        )
    return scores


def sound(X: Any) -> Any:
    """X itself, if it is no sparse matrix or a sound one; sorted copies of unsorted rows; errors for corrupt ones."""
    X = unmasked("X", X)
    return sound_sparse(X) if sp.issparse(X) else X
