"""KMeansNystroem against its naive twin, on every kind of input."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

from aucmax import KMeansNystroem
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


# The map -------------------------------------------------------------------------------------------------------------


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
    assert most < 0.3 * X.size * 8


# Input, output and errors --------------------------------------------------------------------------------------------


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


def test_a_row_that_overflows_is_counted_from_the_first_block(as_given, monkeypatch):
    monkeypatch.setattr("aucmax.features.gaussian.BLOCK_BYTES", 1)
    X = np.random.default_rng(0).standard_normal((200, 3))
    model = KMeansNystroem(10, random_state=0).fit(as_given(X))
    X[150] = 1e200
    with pytest.raises(ValueError, match="row 150 is so far"):
        model.transform(as_given(X))


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
        with pytest.raises(ValueError, match="indices"):
            call(A)
