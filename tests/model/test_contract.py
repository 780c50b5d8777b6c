"""What holds for every estimator."""

import multiprocessing
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from aucmax import ExactAUC
from tests.conftest import make_problem
from tests.estimators import DETERMINISTIC, ESTIMATORS, ITERATIVE, ONLINE, quick

every = pytest.mark.parametrize("name", ESTIMATORS)
online = pytest.mark.parametrize("name", ONLINE)


@every
def test_ranks_unseen_rows_and_says_how(name, problem):
    X, y = problem
    model = quick(name, max_iter=30).fit(X[:300], y[:300])
    scores = model.decision_function(X[300:])
    assert_allclose(scores, X[300:] @ model.coef_[0] + model.intercept_[0])
    assert_array_equal(model.predict(X[300:]), np.where(scores > 0, 1, -1))
    assert_allclose(model.score(X[300:], y[300:]), roc_auc_score(y[300:], scores))
    assert model.score(X[300:], y[300:]) > 0.85
    assert model.n_iter_ >= 1
    assert model.t_ >= 1


@every
def test_the_intercept_is_minus_the_midpoint_of_the_mean_scores(name, problem):
    X, y = problem
    weight = np.random.default_rng(0).uniform(0.2, 2.0, len(y))
    model = quick(name).fit(X, y, sample_weight=weight)
    scores = model.decision_function(X)
    pos, neg = (np.average(scores[side], weights=weight[side]) for side in (y > 0, y < 0))
    assert_allclose(pos + neg, 0.0, atol=1e-9 * abs(pos))


@every
def test_dense_and_sparse_of_every_kind_agree(name, problem):
    X, y = problem
    expected = quick(name).fit(X, y).coef_
    A = sp.csr_matrix(X)
    wide = sp.csr_matrix((A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), shape=A.shape)
    halves = sp.csr_matrix(sp.vstack([A[:0], A]))
    halves.data, halves.indices = np.repeat(halves.data / 2, 2), np.repeat(halves.indices, 2)
    halves.indptr = 2 * halves.indptr
    halves.has_sorted_indices = halves.has_canonical_format = False
    unsorted = A.copy()
    for i in range(A.shape[0]):
        part = slice(A.indptr[i], A.indptr[i + 1])
        unsorted.data[part], unsorted.indices[part] = A.data[part][::-1], A.indices[part][::-1]
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    atol = 1e-8 * np.abs(expected).max()
    for given in (A, wide, halves, unsorted, A.tocsc(), sp.coo_array(A), np.asfortranarray(X)):
        assert_allclose(quick(name).fit(given, y).coef_, expected, atol=atol)


@every
def test_float32_is_close_and_read_only_input_is_fine(name, problem):
    X, y = problem
    X, y, weight = X.copy(), y.copy(), np.ones(len(y))
    for array in (X, y, weight):
        array.flags.writeable = False
    expected = quick(name).fit(X, y, sample_weight=weight)
    single = X.astype(np.float32)
    single.flags.writeable = False
    found = quick(name).fit(single, y)
    assert_allclose(found.coef_, expected.coef_, atol=1e-4 * np.abs(expected.coef_).max())


@every
@pytest.mark.parametrize("frame", [pd.DataFrame, lambda d: pl.DataFrame(d), lambda d: pa.table(d)])
def test_frames(name, frame, problem):
    X, y = problem
    table = frame({f"column {j}": X[:, j] for j in range(X.shape[1])})
    model = quick(name).fit(table, y)
    assert_allclose(model.coef_, quick(name).fit(X, y).coef_)
    assert list(model.feature_names_in_) == [f"column {j}" for j in range(X.shape[1])]
    assert_allclose(model.decision_function(table), quick(name).fit(X, y).decision_function(X))


@every
@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (False, True), (3.0, 7.5), (10, 20)])
def test_labels_of_any_type(name, labels, problem):
    X, y = problem
    named = np.array(labels)[(y > 0).astype(int)]
    model = quick(name).fit(X, named)
    assert_array_equal(model.classes_, labels)
    assert_allclose(model.coef_, quick(name).fit(X, y).coef_)
    assert set(model.predict(X)) <= set(labels)


# Invariances ----------------------------------------------------------------------------------------------------------


@every
def test_scaling_x_only_scales_the_weights(name, problem):
    X, y = problem
    factor = 1000.0
    expected = quick(name).fit(X, y)
    penalties = {"l2": factor**2, "gamma": factor**2, "l1": factor}
    params = {k: expected.get_params()[k] * f for k, f in penalties.items() if k in expected.get_params()}
    found = quick(name, **params).fit(X * factor, y)
    assert_allclose(found.coef_ * factor, expected.coef_, atol=1e-7 * np.abs(expected.coef_).max())


@every
def test_permuting_features_permutes_the_weights(name, problem):
    X, y = problem
    order = np.random.default_rng(0).permutation(X.shape[1])
    expected = quick(name).fit(X, y).coef_
    assert_allclose(quick(name).fit(X[:, order], y).coef_, expected[:, order], atol=1e-7 * np.abs(expected).max())


@every
def test_flipping_the_labels_flips_the_weights(name, problem):
    X, y = problem
    expected = quick(name).fit(X, y).coef_
    found = quick(name, n_pairs=200_000).fit(X, -y).coef_
    if name == "MBA":  # other pairs are drawn
        expected = quick(name, n_pairs=200_000).fit(X, y).coef_
        assert_allclose(found, -expected, atol=0.05 * np.abs(expected).max())
    else:
        assert_allclose(found, -expected, atol=1e-7 * np.abs(expected).max())


@every
def test_weights_of_zero_remove_rows_and_common_factors_do_not_matter(name, problem):
    X, y = problem
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    expected = quick(name).fit(X[weight > 0], y[weight > 0])
    found = quick(name).fit(X, y, sample_weight=5.0 * weight)
    assert_allclose(found.coef_, expected.coef_, atol=1e-8 * np.abs(expected.coef_).max())
    assert_allclose(found.intercept_, expected.intercept_, rtol=1e-6)


# Streams --------------------------------------------------------------------------------------------------------------


@online
def test_cutting_a_stream_changes_nothing(name, problem, as_given):
    X, y = problem
    given = as_given(X)
    whole = quick(name).partial_fit(given, y)
    model = quick(name)
    for rows in np.split(np.arange(len(y)), [1, 2, 50, 51, 333]):
        model.partial_fit(given[rows], y[rows], classes=[-1, 1])
        model = pickle.loads(pickle.dumps(model))
    rtol = 1e-10 if name == "ExactAUC" else 0.0
    assert_allclose(model.coef_, whole.coef_, rtol=rtol, atol=rtol * np.abs(whole.coef_).max())
    assert_allclose(model.intercept_, whole.intercept_, rtol=1e-9)
    assert model.t_ == whole.t_ == len(y)


@online
def test_a_chunk_may_hold_one_class(name, problem):
    X, y = problem
    model = quick(name).partial_fit(X[y > 0], y[y > 0], classes=[-1, 1])
    assert np.all(np.isfinite(model.decision_function(X)))
    model.partial_fit(X[y < 0], y[y < 0])
    assert np.all(np.isfinite(model.coef_))


@online
@pytest.mark.filterwarnings("ignore:overflow")
def test_a_failed_partial_fit_changes_nothing(name, problem):
    X, y = problem
    model = quick(name).partial_fit(X[:200], y[:200])
    before = pickle.dumps(model)
    bad = X[200:].copy()
    bad[3, 2] = np.nan
    huge = X[200:] * 1e200
    for rows, labels in (
        (bad, y[200:]),
        (huge, y[200:]),
        (X[200:, :-1], y[200:]),
        (X[200:], y[200:] * 3),
        (X[:0], y[:0]),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            model.partial_fit(rows, labels)
        assert pickle.dumps(model) == before
    fresh = quick(name)
    with pytest.raises(ValueError, match="NaN"):
        fresh.partial_fit(bad, y[200:])
    assert not hasattr(fresh, "n_features_in_")


@online
def test_partial_fit_after_fit_goes_on_from_its_weights(name, problem):
    X, y = problem
    model = quick(name).fit(X, y)
    assert model.partial_fit(X[:100], y[:100]).score(X, y) > 0.6
    assert model.t_ == 100
    if name != "ExactAUC":  # whose moments are of the stream alone
        expected = quick(name).fit(X, y).coef_
        assert_array_equal(quick(name).fit(X, y).partial_fit(np.zeros((1, X.shape[1])), y[:1]).coef_, expected)


# Training options -----------------------------------------------------------------------------------------------------


@every
def test_a_seed_gives_the_same_model_and_no_seed_another(name, problem):
    X, y = problem
    assert_array_equal(quick(name).fit(X, y).coef_, quick(name).fit(X, y).coef_)
    if name not in DETERMINISTIC:
        other = quick(name, random_state=1).fit(X, y).coef_
        assert not np.array_equal(quick(name).fit(X, y).coef_, other)


@every
def test_history_is_recorded_when_asked_for(name, problem, capsys):
    X, y = problem
    silent = quick(name).fit(X, y)
    assert all(len(column) == 0 for column in silent.history_.values())
    model = quick(name, verbose=True).fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    history = model.history_
    assert set(history) == {"iteration", "seconds", "objective", "validation_auc"}
    assert len(history["iteration"]) >= 1
    assert np.all(np.diff(history["iteration"]) > 0)
    assert np.all(np.diff(history["seconds"]) >= 0)
    assert_allclose(history["objective"][-1], model.objective(X[:300], y[:300]))
    assert_allclose(history["validation_auc"][-1], model.score(X[300:], y[300:]))
    assert "validation AUC" in capsys.readouterr().err
    assert_array_equal(model.coef_, quick(name).fit(X[:300], y[:300]).coef_)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "early_stopping" in ESTIMATORS[name]().get_params()])
def test_early_stopping_keeps_the_best_weights(name, problem):
    X, y = problem
    options = {"early_stopping": True, "max_iter": 400, "n_iter_no_change": 2}
    model = quick(name, **options).fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    assert model.n_iter_ < 400
    assert model.score(X[300:], y[300:]) >= model.history_["validation_auc"][-1]
    held_out = quick(name, **options).fit(X, y)
    assert held_out.n_iter_ < 400


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "warm_start" in ESTIMATORS[name]().get_params()])
def test_warm_start_begins_at_the_weights_before(name, problem):
    X, y = problem
    done = quick(name, warm_start=True, max_iter=1000, l2=1.0).fit(X, y)
    good = done.objective(X, y)
    if name not in {*DETERMINISTIC, "MBA"}:
        done.set_params(max_iter=1)
    again = clone(done).fit(X, y)
    assert done.fit(X, y).objective(X, y) <= max(again.objective(X, y), good * (1 + 1e-6))
    with pytest.raises(ValueError, match="warm_start"):
        done.fit(X[:, :-1], y)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "ExactAUC"])  # which solves at once
def test_warm_start_changes_where_a_short_fit_ends(name, problem):
    X, y = problem
    model = quick(name, warm_start=True).fit(X, y)
    model.set_params(max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of one iteration
        cold = clone(model).fit(X, y).coef_
        warm = model.fit(X, y).coef_
    assert np.abs(warm - cold).max() > 1e-4 * np.abs(cold).max()


def test_warm_start_spares_exact_auc_sweeps(problem):
    X, y = problem
    model = ExactAUC(0.1, 0.01, warm_start=True).fit(X, y)
    before = model.n_iter_
    assert before > 3
    assert model.fit(X, y).n_iter_ < before


class Counter:
    """A scikit-learn callback that counts passes and asks to stop after three."""

    def __init__(self):
        self.passes = 0

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context, **kwargs): ...

    def on_fit_task_end(self, estimator, context, **kwargs):
        self.passes += context.task_name == "pass"
        return self.passes >= 3


@pytest.mark.parametrize("name", ITERATIVE)
def test_callbacks_see_every_pass_and_may_stop_the_fit(name, problem):
    X, y = problem
    callback = Counter()
    model = quick(name, max_iter=100).set_callbacks(callback)
    model.fit(X, y)
    assert callback.passes == 3
    assert model.n_iter_ == (30 if name == "SPDAM" else 3)


# Threads and processes ------------------------------------------------------------------------------------------------


@every
def test_threads_on_shared_data_give_what_one_thread_gives(name):
    X, y = make_problem(n=2000)
    X.flags.writeable = False
    expected = quick(name).fit(X, y)
    scores = expected.decision_function(X)

    def work(_):
        model = quick(name).fit(X, y)
        return model.coef_, model.decision_function(X), expected.decision_function(X)

    with ThreadPoolExecutor(8) as pool:
        for coef, own, shared in pool.map(work, range(16)):
            assert_array_equal(coef, expected.coef_)
            assert_array_equal(own, scores)
            assert_array_equal(shared, scores)


def _fit_in_child(queue, name):
    X, y = make_problem()
    queue.put(quick(name).fit(X, y).coef_)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("name", ["SPAM", "ExactAUC"])
def test_a_fork_after_a_fit_works(name, problem):
    X, y = problem
    expected = quick(name).fit(X, y).coef_
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(queue, name))
    child.start()
    assert_array_equal(queue.get(timeout=120), expected)
    child.join()
    assert child.exitcode == 0


def test_a_pipeline_transforms_the_validation_rows_too(problem):
    X, y = problem
    with config_context(enable_metadata_routing=True):
        spam = quick("SPAM").set_fit_request(X_val=True, y_val=True)
        pipe = make_pipeline(MaxAbsScaler(), spam, transform_input=["X_val"])
        pipe.fit(X[:300], y[:300], X_val=X[300:], y_val=y[300:])
    scale = np.abs(X[:300]).max(axis=0)
    alone = quick("SPAM").fit(X[:300] / scale, y[:300], X_val=X[300:] / scale, y_val=y[300:])
    assert_allclose(pipe[-1].history_["validation_auc"], alone.history_["validation_auc"])


@every
def test_grid_search_maximises_the_auc(name, problem):
    X, y = problem
    known = ESTIMATORS[name]().get_params()
    parameter = next(key for key in ("radius", "l2", "gamma", "norm", "C") if key in known)
    values, cv = [0.01, 1.0], StratifiedKFold(2)
    search = GridSearchCV(quick(name), {parameter: values}, cv=cv).fit(X, y)
    aucs = []
    for value in values:
        fitted = [(quick(name, **{parameter: value}).fit(X[a], y[a]), b) for a, b in cv.split(X, y)]
        aucs.append(np.mean([roc_auc_score(y[b], X[b] @ model.coef_[0]) for model, b in fitted]))
    assert_allclose(search.cv_results_["mean_test_score"], aucs, rtol=1e-12)
    assert search.best_params_ == {parameter: values[int(np.argmax(aucs))]}
