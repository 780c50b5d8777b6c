"""Real sets for the benchmarks, from the folder that AUCMAX_DATA names."""

import bz2
import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MaxAbsScaler, StandardScaler


def real(name):
    """A set as it is, with 32-bit indices; None where there is no such file."""
    path = Path(os.environ.get("AUCMAX_DATA", "")) / f"{name}.bz2"
    if not path.is_file():
        print(f"{name}: skipped, AUCMAX_DATA names no folder with {name}.bz2")
        return None
    with bz2.open(path) as file:
        X, y = load_svmlight_file(file, zero_based=False)
    return sp.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape), y


def split(X, y, dense, scaled=True):
    """80 % to train on, the rest to test; columns scaled by the training part."""
    X = X.toarray() if dense else X
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
    if scaled:
        scaler = (StandardScaler() if dense else MaxAbsScaler()).fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    return X, X_test, y, y_test
