"""Docstring passages that estimators share."""

from __future__ import annotations

from textwrap import dedent, indent
from typing import TypeVar

Class = TypeVar("Class", bound=type)

PASSAGES = {
    "passes": """
        max_iter : int, default=20
            Passes over the data.
        tol : float or None, default=1e-3
            Stop when a pass moves the returned weights by less than this part of their norm; None makes all passes.
        """,
    "shared": """
        shuffle : bool, default=True
            Whether to take the rows in a random order or as they come. Above 8,192 rows they are shuffled once, into a
            copy, and every pass takes blocks of 4,096 rows in a new order; below, every pass has a new order of rows.
        early_stopping : bool, default=False
            Stop when the validation AUC has not risen for ``n_iter_no_change`` passes, and keep the best weights.
        validation_fraction : float, default=0.1
            The part of the rows kept aside for it when ``fit`` is given no validation rows.
        n_iter_no_change : int, default=5
            Passes without a rise before stopping early.
        warm_start : bool, default=False
            Whether ``fit`` starts from the coefficients of the fit before.
        random_state : int, RandomState instance or None, default=None
            Seeds every random choice.
        record : bool, default=False
            Whether to record ``history_``; a validation set or ``verbose`` record it too.
        verbose : bool, default=False
            Whether to report progress on standard error.
        """,
    "batch": """
        warm_start : bool, default=False
            Whether to start from the coefficients of the fit before.
        record, verbose : bool, default=False
            Whether to record ``history_`` and to report it; a validation set records it too.
        """,
    "attributes": """
        coef_ : ndarray of shape (1, d)
            The weights, in the units of X.
        intercept_ : ndarray of shape (1,)
            Minus the midpoint of the two classes' mean scores.
        classes_ : ndarray of shape (2,)
            The labels; the second one is the positive class.
        n_iter_, t_ : int
            Iterations as ``max_iter`` counts them, and rows stepped on.
        history_ : dict of arrays
            ``iteration``, ``seconds`` (evaluation excluded), ``objective`` and ``validation_auc``.
        n_features_in_, feature_names_in_
            As in scikit-learn.
        """,
}


def documented(cls: Class) -> Class:
    """Fill in the passages that a class docstring names as ``<<passage>>`` on a line of their own."""
    text = cls.__doc__ or ""
    for name, passage in PASSAGES.items():
        text = text.replace(f"    <<{name}>>\n", indent(dedent(passage).strip("\n"), "    ") + "\n")
    cls.__doc__ = text
    return cls
