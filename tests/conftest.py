import bz2
import os
from pathlib import Path

# before numpy is imported: workers of pytest-xdist take the cores already
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file


def make_problem(n=400, d=30, seed=0, share=0.25, density=0.4, scale=3.0):
    """Rows with zeros, an empty one, and about a share of positives that a line separates with some noise."""
    rng = np.random.default_rng(seed)
    X = scale * rng.standard_normal((n, d)) * (rng.random((n, d)) < density)
    X[5 % n] = 0.0
    scores = X @ rng.standard_normal(d) + rng.standard_normal(n)
    y = np.where(scores > np.quantile(scores, 1 - share), 1, -1)
    return X, y


@pytest.fixture
def problem():
    return make_problem()


@pytest.fixture(params=["dense", "csr"])
def as_given(request):
    """X as an array or as a CSR matrix."""
    return (lambda X: X) if request.param == "dense" else sp.csr_matrix


@pytest.fixture
def data_set():
    """Loads a real set of the folder AUCMAX_DATA, or skips."""

    def load(name):
        folder = os.environ.get("AUCMAX_DATA")
        path = Path(folder or "") / f"{name}.bz2"
        if not folder or not path.exists():
            pytest.skip(f"needs {name}.bz2 in the folder that AUCMAX_DATA names")
        with bz2.open(path) as file:
            X, y = load_svmlight_file(file, zero_based=False)
        return X, np.where(y == y.max(), 1, -1)

    return load
