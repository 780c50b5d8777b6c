"""The real sets of the folder AUCMAX_DATA, with all their classes."""

import os
from pathlib import Path

import numpy as np
import pytest

from aucmax import ExactAUC, data, evaluate


def real(name):
    """The rows, sparse, and the labels of a real set, or a skip."""
    folder = os.environ.get("AUCMAX_DATA")
    path = Path(folder or "") / f"{name}.bz2"
    if not folder or not path.exists():
        pytest.skip(f"needs {name}.bz2 in the folder that AUCMAX_DATA names")
    table = data.read(path)
    return table.X, np.asarray(table.y)


def exact_auc(train, test, l2):
    """The AUC on test of the exact minimiser on train."""
    return evaluate.roc_auc(test[1], ExactAUC(l2).fit(*train).decision_function(test[0]))
