"""The bandwidth of KMeansNystroem and its landmarks, also where there are few or nearly equal ones."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax import KMeansNystroem
from aucmax.features.landmarks import _lloyd, _means
from tests.conftest import make_problem
from tests.reference import nystroem as reference

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
few_rows = pytest.mark.filterwarnings("ignore:n_components")


@pytest.fixture
def rows():
    return make_problem(n=300, d=6, density=0.8)[0]


# The bandwidth -------------------------------------------------------------------------------------------------------


def test_bandwidth_is_the_mean_squared_distance_to_the_mean(rows, as_given):
    model = KMeansNystroem(5, random_state=0).fit(as_given(rows))
    np.testing.assert_allclose(model.gamma_, 1 / reference.bandwidth(rows), rtol=1e-12)
    assert KMeansNystroem(5, 0.3, random_state=0).fit(rows).gamma_ == 0.3


def test_bandwidth_takes_the_first_80_000_rows(as_given):
    X = np.random.default_rng(0).standard_normal((80_100, 1))
    X[80_000:] = 1000.0
    model = KMeansNystroem(3, random_state=0).fit(as_given(X))
    np.testing.assert_allclose(model.gamma_, 1 / X[:80_000].var(), rtol=1e-9)


@few_rows
@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 / 3])
def test_rows_that_are_all_equal_get_gamma_1(as_given, value):
    X = as_given(np.full((999, 4), value))
    model = KMeansNystroem(3).fit(X)
    assert model.gamma_ == 1.0
    assert model.n_components_ == model.rank_ == 1
    np.testing.assert_allclose(model.transform(X), 1.0, rtol=1e-6)


# The landmarks -------------------------------------------------------------------------------------------------------


def test_k_means_equals_its_naive_twin(rows, as_given):
    start = rows[10:22]
    np.testing.assert_allclose(_lloyd(as_given(rows), start, 5), reference.lloyd(rows, start, 5), atol=1e-5)


def test_a_centre_without_rows_stays_where_it_is(as_given):
    centres = np.array([[0.0, 0.0], [9.0, 9.0], [2.0, 0.0]], dtype=np.float32)
    rows = np.array([[1.0, 1.0], [3.0, 1.0], [5.0, 0.0]], dtype=np.float32)
    found = _means(as_given(rows), np.array([0, 0, 2]), centres)
    np.testing.assert_array_equal(found, [[2.0, 1.0], [9.0, 9.0], [5.0, 0.0]])


def test_a_large_sparse_sample_stays_sparse(rows, monkeypatch):
    dense = _lloyd(rows, rows[:12], 5)
    monkeypatch.setattr("aucmax.features.landmarks.LARGEST_DENSE_SAMPLE", 0)
    np.testing.assert_allclose(_lloyd(sp.csr_matrix(rows), rows[:12], 5), dense, atol=1e-5)


def test_dense_equals_csr(rows):
    dense, sparse = (KMeansNystroem(25, dtype="float64", random_state=3).fit(A) for A in (rows, sp.csr_matrix(rows)))
    np.testing.assert_array_equal(dense.components_, sparse.components_)
    np.testing.assert_allclose(dense.transform(rows), sparse.transform(sp.csr_matrix(rows)), atol=1e-9)


def test_a_seed_decides(rows):
    first, again, other = (KMeansNystroem(20, random_state=s).fit(rows).components_ for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_sample_size_bounds_the_rows_k_means_sees(rows):
    def distance_to_a_row(**parameters):
        C = KMeansNystroem(20, random_state=0, **parameters).fit(rows).components_
        return np.array([np.abs(rows - c).max(axis=1).min() for c in C])

    assert np.all(distance_to_a_row(sample_size=20) < 1e-5)  # a row per centre: nothing moves
    assert np.mean(distance_to_a_row() > 0.01) > 0.5


@DTYPES
def test_fewer_distinct_rows_than_components(rows, as_given, dtype):
    repeated = np.repeat(rows[:30], 4, axis=0)
    repeated[-1] = np.where(repeated[-1] == 0.0, -0.0, repeated[-1])
    X = as_given(repeated)
    distinct = len(np.unique(repeated, axis=0))
    with pytest.warns(UserWarning, match=f"n_components=50 > {distinct}, the number of distinct rows"):
        model = KMeansNystroem(50, dtype=dtype).fit(X)
    assert model.n_components_ == distinct == len(model.get_feature_names_out())
    F = model.transform(X).astype(float)
    assert F.shape == (120, distinct)
    np.testing.assert_allclose(F @ F.T, reference.gaussian(repeated, repeated, model.gamma_), atol=1e-4)


@DTYPES
@settings(max_examples=30, deadline=None)
@given(exponent=st.integers(-12, -6), seed=st.integers(0, 1000))
def test_nearly_equal_landmarks_do_no_harm(dtype, exponent, seed):
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((20, 3))
    X = np.vstack([base, base + 10.0**exponent * rng.standard_normal((20, 3))])
    model = KMeansNystroem(40, dtype=dtype).fit(X)
    assert model.n_components_ == 40
    assert model.rank_ < 40 or exponent > -7
    new = rng.standard_normal((50, 3))
    F = model.transform(new).astype(float)
    # the approximation lies below the kernel: its diagonal is at most k(x, x) = 1
    assert np.all(np.einsum("ij,ij->i", F, F) < 1.0 + 1e-3)
    G = model.transform(X).astype(float)
    np.testing.assert_allclose(G @ G.T, reference.gaussian(X, X, model.gamma_), atol=1e-3)
