"""Which rows train and which test, by the protocol of a suite; every repeat has its own seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split


class Parts(NamedTuple):
    """Rows to train on, rows to choose parameters by (empty: cross-validation), rows to test on."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray


NOTHING = np.empty(0, dtype=np.intp)


def parts_of(splits: str, y: np.ndarray, given: int, repeat: int) -> Parts:
    """The rows of one repeat."""
    rows = np.arange(len(y))
    if splits == "folds":  # five folds, drawn anew after every five repeats
        folds = StratifiedKFold(5, shuffle=True, random_state=repeat // 5)
        train, test = list(folds.split(rows, y))[repeat % 5]
        return Parts(train, NOTHING, test)
    if splits == "thirds":  # 4:1:1, or the given test part halved
        if given:
            train, rest = rows[:-given], rows[-given:]
        else:
            train, rest = train_test_split(rows, test_size=1 / 3, stratify=y, random_state=repeat)
        validation, test = train_test_split(rest, test_size=0.5, stratify=y[rest], random_state=repeat)
        return Parts(train, validation, test)
    if splits == "given" and given:
        return Parts(rows[:-given], NOTHING, rows[-given:])
    train, test = train_test_split(rows, test_size=0.2, stratify=y, random_state=repeat)
    return Parts(train, NOTHING, test)
