"""What a reader returns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Table(NamedTuple):
    """Rows with their labels.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        The rows.
    y : ndarray of shape (n,) or None
        The labels, as they are in the file, or 0 and 1 where a positive class was named. None where there are none.
    query : ndarray of shape (n,) or None
        The query ids of a LIBSVM file.
    names : list of str or None
        The names of the columns.
    encoder : object or None
        The rules by which a table's columns became numbers; give them to the next ``read``.
    """

    X: Any
    y: np.ndarray | None
    query: np.ndarray | None = None
    names: list[str] | None = None
    encoder: Any = None
