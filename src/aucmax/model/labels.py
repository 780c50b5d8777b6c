"""Labels of any type as two classes, and as signs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from aucmax.evaluate.check import is_missing, unmasked


def signs(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Labels as +1 for ``classes[1]`` and -1 for ``classes[0]``."""
    positive = labels == classes[1]
    strange = ~(positive | (labels == classes[0]))
    if np.any(strange):
        raise ValueError(
            f"y holds the label {labels[strange].tolist()[0]!r}, but the classes are {classes.tolist()}; "
            "use the labels the model was fitted with."
        )
    return np.where(positive, 1, -1).astype(np.int8)


def label_column(y: Any) -> np.ndarray:
    """Labels as one column; masked and missing ones are refused."""
    labels = np.asarray(column_or_1d(unmasked("y", y)))
    if labels.dtype.kind == "O" and any(map(is_missing, labels)):
        raise ValueError("y holds None or another missing value; give every row a label, or leave those rows out.")
    return labels


def two_classes(labels: np.ndarray) -> np.ndarray:
    """The two labels, sorted; anything but two is an error."""
    found = two_numbers(labels)
    if found is not None:
        return found
    classes = np.unique(labels)
    if len(classes) == 2:
        return classes
    if len(classes) == 1:
        raise ValueError(
            f"y holds one class only ({classes.tolist()[0]!r} in all {len(labels)} rows), but a ranking needs 2 "
            "classes; give rows of both."
        )
    shown = ", ".join(map(repr, classes[:4].tolist())) + (", ..." if len(classes) > 4 else "")
    raise ValueError(
        "Only binary classification is supported. The type of the target is multiclass: "
        f"y holds {len(classes)} classes ({shown}), expected 2; fit one class against the rest."
    )


def two_numbers(labels: np.ndarray) -> np.ndarray | None:
    """The two labels where they are two numbers, found without a sort."""
    if labels.dtype.kind not in "biuf" or not len(labels):
        return None
    ends = np.array([labels.min(), labels.max()])
    return ends if ends[0] < ends[1] and np.all((labels == ends[0]) | (labels == ends[1])) else None
