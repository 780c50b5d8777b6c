"""How much memory a fit takes beyond its input."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from tests.estimators import ESTIMATORS, ONLINE, quick

SHUFFLING = [name for name in ESTIMATORS if "shuffle" in ESTIMATORS[name]().get_params()]


def peak(work):
    tracemalloc.start()
    work()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def size(X):
    return X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes


@pytest.fixture(scope="module", params=["dense", "csr"])
def large(request):
    """Long rows, so that arrays with a few numbers per row are small beside X."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 200))
    y = np.where(X[:, 0] > 1, 1, -1)
    return (X if request.param == "dense" else sp.csr_matrix(X)), y


@pytest.mark.parametrize("name", SHUFFLING)
def test_a_fit_holds_one_shuffled_copy_at_most(name, large):
    X, y = large
    model = quick(name, max_iter=2)
    model.fit(X[:1000], y[:1000])
    assert peak(lambda: model.fit(X, y)) < 1.1 * size(X)
    model.set_params(shuffle=False)
    assert peak(lambda: model.fit(X, y)) < 0.1 * size(X)


def test_exact_copies_nothing(large):
    X, y = large
    model = quick("ExactAUC")
    assert peak(lambda: model.fit(X, y)) < 0.6 * size(X)  # blocks of 4,096 rows and d by d matrices


@pytest.mark.parametrize("name", ONLINE)
def test_a_stream_does_not_grow(name, large):
    X, y = large
    model = quick(name).partial_fit(X[:1000], y[:1000])
    chunks = [(X[k : k + 1000], y[k : k + 1000]) for k in range(1000, 20_000, 1000)]
    first = peak(lambda: model.partial_fit(*chunks[0]))
    rest = peak(lambda: [model.partial_fit(*chunk) for chunk in chunks[1:]])
    assert rest < 3 * first
