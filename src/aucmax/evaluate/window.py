"""The exact AUC of the latest rows of a stream."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from aucmax.evaluate import check
from aucmax.kernel.window import LOST, NEG, POS, SEEN, Tree, slide

NOTHING = np.empty(0)


class WindowedAUC:
    """The exact AUC of the latest rows of a stream, ties included, in O(log window) a row.

    Parameters
    ----------
    window : int
        How many of the latest rows count, at least 1. Memory is in proportion.

    Attributes
    ----------
    window : int
        The same.

    Examples
    --------
    >>> from aucmax.evaluate import WindowedAUC
    >>> monitor = WindowedAUC(4).update([0, 1, 0, 1, 1], [0.9, 0.8, 0.1, 0.3, 0.7])
    >>> monitor.auc, monitor.n_pos, monitor.n_neg
    (1.0, 3, 1)
    """

    def __init__(self, window: int) -> None:
        self.window = int(check.number("window", window, 1, 2**40, closed=True))
        self._tree = Tree.empty(self.window)

    def update(self, y: Any, scores: Any) -> Self:
        """Let one row or several pass, in their order.

        Parameters
        ----------
        y : bool or number, or array-like of shape (n,)
            Labels; those above 0 are positive.
        scores : number, or array-like of shape (n,)
            The scores; NaN is refused, and nothing changes then.

        Returns
        -------
        self
            The same, updated.
        """
        self._slide(*stream_rows(y, scores), NOTHING)
        return self

    def trace(self, y: Any, scores: Any) -> np.ndarray:
        """The same as ``update``, but gives the AUC after each row; NaN while a class is missing."""
        positive, values = stream_rows(y, scores)
        out = np.empty(len(values))
        self._slide(positive, values, out)
        return out

    def _slide(self, positive: np.ndarray, values: np.ndarray, out: np.ndarray) -> None:
        with np.errstate(over="ignore"):  # random numbers wrap around, of which Python without the JIT would warn
            slide(self._tree, positive, values, out)

    @property
    def auc(self) -> float:
        """The AUC of the window; NaN while a class is missing."""
        tally = self._tree.tally
        pairs = float(tally[POS]) * float(tally[NEG])
        return 1.0 - 0.5 * float(tally[LOST]) / pairs if pairs > 0.0 else float("nan")

    @property
    def n_pos(self) -> int:
        """The positive rows in the window."""
        return int(self._tree.tally[POS])

    @property
    def n_neg(self) -> int:
        """The negative rows in the window."""
        return int(self._tree.tally[NEG])

    @property
    def n_seen(self) -> int:
        """The rows that have passed, in all."""
        return int(self._tree.tally[SEEN])

    def __repr__(self) -> str:
        return f"WindowedAUC(window={self.window}): AUC {self.auc:.4f} of {self.n_pos} + {self.n_neg} rows"


def stream_rows(y: Any, scores: Any) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of a part of a stream, in which a class may be missing: labels above 0 are positive."""
    labels = check.column("y", np.atleast_1d(check.array_of("y", y)))
    if labels.dtype.kind not in "biuf":
        raise ValueError(f"y is of the type {labels.dtype}; a stream needs booleans or numbers, positive ones above 0.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError("y holds NaN; give a label to every row, or leave those rows out.")
    values = np.atleast_1d(check.array_of("scores", scores))
    if values.dtype.kind in "iu" and values.size and max(abs(int(values.max())), abs(int(values.min()))) > check.EXACT:
        raise ValueError(f"scores hold integers beyond {check.EXACT}, which floats cannot tell apart; scale them down.")
    values = check.finite_scores(values)
    check.same_length("scores", values, len(labels))
    return np.ascontiguousarray(labels > 0), values.astype(np.float64, copy=False)
