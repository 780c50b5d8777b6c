"""KMeansNystroem against its naive twin, its bandwidth and its landmarks, on every kind of input."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

from aucmax import KMeansNystroem
from aucmax.features.landmarks import _lloyd
from tests.conftest import make_problem
from tests.reference import nystroem as reference

DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])
few_rows = pytest.mark.filterwarnings("ignore:n_components")


@pytest.fixture
def rows():
    return make_problem(n=300, d=6, density=0.8)[0]


@few_rows
@parametrize_with_checks([KMeansNystroem(**p) for p in ({}, {"dtype": "float64"}, {"n_components": 3})])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


@few_rows
def test_data_frame_column_names():
    check_dataframe_column_names_consistency("KMeansNystroem", KMeansNystroem())


# The map ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_equals_its_naive_twin(rows, as_given, shift):
    rows = rows + shift
    model = KMeansNystroem(20, 0.05, dtype="float64", random_state=0).fit(as_given(rows))
    F = model.transform(as_given(rows))
    expected = reference.features(rows, model.components_, 0.05)
    # without a shift of the origin, which sparse rows do not get, |x|² = 6e8 leaves seven digits of a distance
    atol = 1e-9 if shift == 0.0 or as_given is not sp.csr_matrix else 1e-5
    np.testing.assert_allclose(F, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_float32_is_close_to_float64_wherever_the_rows_lie(rows, as_given, shift):
    X = as_given(rows + (shift if as_given is not sp.csr_matrix else 0.0))
    single, double = (KMeansNystroem(30, dtype=dtype, random_state=0).fit(X) for dtype in ("float32", "float64"))
    np.testing.assert_array_equal(single.components_, double.components_)
    assert single.transform(X).dtype == np.float32
    np.testing.assert_allclose(single.transform(X), double.transform(X), atol=1e-4)


@DTYPES
@pytest.mark.parametrize("gamma", [1e-3, "auto", 10.0])
def test_the_kernel_is_exact_between_landmarks(rows, dtype, gamma):
    model = KMeansNystroem(300, gamma, dtype=dtype).fit(rows)
    assert model.n_components_ == 300
    np.testing.assert_array_equal(model.components_, rows)
    F = model.transform(rows).astype(float)
    # γ = 0.001 makes the kernel matrix so flat that float32 loses three of its seven digits in the root
    atol = 1e-8 if dtype == "float64" else 5e-4
    np.testing.assert_allclose(F @ F.T, reference.gaussian(rows, rows, model.gamma_), atol=atol)


def test_more_landmarks_approximate_the_kernel_better(rows):
    errors = []
    for m in (5, 20, 80, 200):
        model = KMeansNystroem(m, dtype="float64", random_state=0).fit(rows)
        F = model.transform(rows)
        errors.append(np.linalg.norm(F @ F.T - reference.gaussian(rows, rows, model.gamma_)))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.2 * errors[0]


def test_blocks_do_not_show(rows, as_given, monkeypatch):
    model = KMeansNystroem(40, dtype="float64", random_state=0).fit(rows)
    whole = model.transform(as_given(rows))
    monkeypatch.setattr("aucmax.features.gaussian.BLOCK_BYTES", 1)
    monkeypatch.setattr("aucmax.features.gaussian.FEWEST_ROWS", 7)
    np.testing.assert_allclose(model.transform(as_given(rows)), whole, atol=1e-12)


@DTYPES
def test_memory_beyond_the_result_is_a_few_blocks(dtype, as_given):
    X = as_given(np.random.default_rng(0).standard_normal((50_000, 10)))
    model = KMeansNystroem(200, dtype=dtype, random_state=0).fit(X[:5000])
    tracemalloc.start()
    F = model.transform(X)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # a sparse block is in float64 first; validation makes a boolean or two per number of X at most
    assert most - F.nbytes < 8 * 2**20 < 0.3 * F.nbytes


def test_fit_holds_a_sample_of_the_rows(as_given):
    X = as_given(np.random.default_rng(0).standard_normal((100_000, 20)))
    model = KMeansNystroem(50, random_state=0).fit(X[:2000])
    tracemalloc.start()
    model.fit(X)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # a sparse X is cut to the first 80,000 rows for the bandwidth, which copies them
    assert most < (0.3 if isinstance(X, np.ndarray) else 1.4) * X.size * 8


# The bandwidth ----------------------------------------------------------------------------------------------------------


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


# The landmarks ----------------------------------------------------------------------------------------------------------


def test_k_means_equals_its_naive_twin(rows, as_given):
    start = rows[10:22]
    np.testing.assert_allclose(_lloyd(as_given(rows), start, 5), reference.lloyd(rows, start, 5), atol=1e-5)


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
    assert np.all(distance_to_a_row(sample_size=299) >= 0)
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


# Input, output and errors -----------------------------------------------------------------------------------------------


def test_frames_in_and_out(rows):
    names = [f"c{k}" for k in range(6)]
    expected = KMeansNystroem(10, random_state=0).fit_transform(rows)
    frame = pd.DataFrame(rows, columns=names)
    for table in (frame, pl.DataFrame(rows, schema=names), pa.Table.from_pandas(frame)):
        model = KMeansNystroem(10, random_state=0).fit(table)
        np.testing.assert_allclose(model.transform(table), expected, atol=1e-6)
    for kind, cls in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        out = KMeansNystroem(10, random_state=0).set_output(transform=kind).fit_transform(frame)
        assert isinstance(out, cls)
        assert list(out.columns) == [f"kmeansnystroem{k}" for k in range(10)]


@DTYPES
def test_float32_rows_and_pickling(rows, dtype):
    X = rows.astype(np.float32)
    model = KMeansNystroem(10, dtype=dtype, random_state=0).fit(X)
    F = model.transform(X)
    assert F.dtype == dtype
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X), F)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_components": 0}, r"n_components=0\): expected an integer of at least 1"),
        ({"n_components": 2.5}, "n_components=2.5"),
        ({"gamma": 0.0}, r"gamma=0.0\): expected a finite number above 0 or 'auto'"),
        ({"gamma": "scale"}, "gamma='scale'"),
        ({"gamma": np.inf}, "gamma=inf"),
        ({"dtype": "float16"}, r"dtype='float16'\): expected one of 'float32', 'float64'"),
        ({"dtype": None}, "dtype=None"),
        ({"sample_size": 9}, r"sample_size=9\): expected at least n_components=10"),
        ({"kmeans_iter": 0}, "kmeans_iter=0"),
    ],
)
def test_parameters(rows, parameters, words):
    with pytest.raises(ValueError, match=words):
        KMeansNystroem(**{"n_components": 10, **parameters}).fit(rows)


@DTYPES
def test_numbers_that_overflow_are_refused(rows, as_given, dtype):
    with pytest.raises(ValueError, match="overflow float64"):
        KMeansNystroem(10, dtype=dtype).fit(as_given(rows * 1e200))
    model = KMeansNystroem(10, dtype=dtype, random_state=0).fit(as_given(rows))
    far = rows.copy()
    far[17] = 1e200
    with pytest.raises(ValueError, match="row 17 is so far"):
        model.transform(as_given(far))
    with pytest.raises(ValueError, match="NaN"):
        model.transform(as_given(np.where(rows == rows[17, 0], np.nan, rows)))


def test_scale_does_not_matter_with_the_automatic_bandwidth(rows, as_given):
    expected = KMeansNystroem(10, random_state=0).fit_transform(as_given(rows))
    for scale in (2.0**-400, 2.0**400):
        scaled = KMeansNystroem(10, random_state=0).fit_transform(as_given(rows * scale))
        np.testing.assert_allclose(scaled, expected, atol=1e-5)


def test_rows_far_from_every_landmark_are_near_zero(rows):
    model = KMeansNystroem(10, random_state=0).fit(rows)
    np.testing.assert_allclose(model.transform(np.full((3, 6), 1e9)), 0.0, atol=1e-10)


def test_corrupt_sparse_matrices_are_refused(rows):
    A = sp.csr_matrix(rows)
    model = KMeansNystroem(10).fit(A)
    A.indices[7] = 6
    for call in (model.fit, model.transform):
        with pytest.raises(ValueError, match="column indices|indices"):
            call(A)
