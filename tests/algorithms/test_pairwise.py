"""The pairwise family: its twins, its pairs, and the optimum of its objectives."""

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from aucmax import ASAM, BAM, PSAM, ROCSVM, RankOpt
from aucmax.kernel.pairs import LOSSES
from aucmax.model import newton, pairing
from aucmax.model import problem as problems
from aucmax.model.data import Data
from aucmax.model.pairing import Pairing
from aucmax.model.problem import Problem
from tests.conftest import make_problem
from tests.reference.exact import pair_differences
from tests.reference.pairwise import minimiser, objective
from tests.reference.psam import psam
from tests.reference.rankopt import rankopt


@pytest.fixture
def small():
    return make_problem(n=150, d=8, seed=2)


def data_of(X, y, weight=None):
    return Data.of(X, y.astype(np.int8), np.ones(len(y)) if weight is None else weight)


def drawn_pairs(X, y, seed, passes):
    """The pairs (positive row, negative row) that a fit with this seed steps on."""
    pairs, order = [], Pairing(data_of(X, y), seed is not None, np.random.RandomState(seed))
    for _ in range(passes):
        for start, stop in order.blocks():
            piece = order.piece(start, stop, np.empty((0, 0)))
            swap = piece.y[0] < 0
            pairs += [(j, i) if swap else (i, j) for i, j in zip(piece.lead, piece.partner, strict=True)]
    return pairs


# PSAM and ASAM --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [PSAM, ASAM])
@pytest.mark.parametrize("gamma", [1e-4, 0.5, 30.0, 1e5])
@pytest.mark.parametrize(("reg_skip", "avg_skip"), [(16, 16), (1, 3)])
@pytest.mark.parametrize("seed", [None, 3])
def test_equals_its_twin(problem, as_given, cls, gamma, reg_skip, avg_skip, seed):
    X, y = problem
    pairs = drawn_pairs(X, y, seed, 2)
    assert len(pairs) > 400
    expected = psam(X, pairs, gamma, smooth=cls is ASAM, reg_skip=reg_skip, avg_skip=avg_skip)
    model = cls(gamma, reg_skip, avg_skip, max_iter=2, tol=None, shuffle=seed is not None, random_state=seed)
    model.fit(as_given(X), y)
    assert_allclose(model.coef_[0], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert model.t_ == len(pairs)


@pytest.mark.parametrize("cls", [PSAM, ASAM])
def test_equals_its_twin_with_weights(problem, as_given, cls):
    X, y = problem
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y))
    pairs = drawn_pairs(X, y, None, 2)
    relative = weight / np.where(y > 0, weight[y > 0].mean(), weight[y < 0].mean())
    expected = psam(X, pairs, 0.5, smooth=cls is ASAM, weight=[relative[i] * relative[j] for i, j in pairs])
    model = cls(0.5, max_iter=2, tol=None, shuffle=False).fit(as_given(X), y, sample_weight=weight)
    assert_allclose(model.coef_[0], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("large", [False, True])
def test_every_pair_is_equally_likely(large, monkeypatch):
    """Pair counts over many passes: each row leads once a pass, and its partner is uniform at every step."""
    if large:
        monkeypatch.setattr(pairing, "RESHUFFLED", 0)
        monkeypatch.setattr(pairing, "CHUNK", 4)
    X, y = np.eye(13), np.where(np.arange(13) % 3 == 0, 1, -1)
    passes = 4000
    order = Pairing(data_of(X, y), True, np.random.RandomState(0))
    by_pair, first_step = Counter(), Counter()
    for _ in range(passes):
        seen = []
        for start, stop in order.blocks():
            piece = order.piece(start, stop, np.empty((0, 0)))
            names = [order.data.matrix[rows].argmax(axis=1) for rows in (piece.lead, piece.partner)]
            seen += list(zip(*names, strict=True))
        assert sorted(lead for lead, _ in seen) == list(np.flatnonzero(y < 0))
        assert all(y[partner] > 0 for _, partner in seen)
        by_pair.update(seen)
        first_step[seen[0][1]] += 1
    n_pos, n_neg = np.count_nonzero(y > 0), np.count_nonzero(y < 0)
    assert len(by_pair) == n_pos * n_neg
    # a binomial count is within five standard deviations of its mean, all 40 of them at once
    for counts, mean in ((by_pair, passes / n_pos), (first_step, passes / n_pos)):
        assert max(abs(c - mean) for c in counts.values()) < 5 * np.sqrt(mean)


def test_the_copy_of_large_data_is_by_class_and_complete(monkeypatch):
    monkeypatch.setattr(pairing, "RESHUFFLED", 100)
    X, y = make_problem(n=400, d=6)
    order = Pairing(data_of(X, y), True, np.random.RandomState(0))
    assert order.data.n == len(y)
    assert np.all(order.data.y[order.lead] == order.sign)
    assert_allclose(np.sort(order.data.matrix, axis=0), np.sort(X, axis=0))


@pytest.mark.parametrize("cls", [PSAM, ASAM])
def test_the_gap_falls_as_one_over_t(cls):
    """The log-log slope of the objective's gap against steps, mean over ten seeds."""
    X, y = make_problem(n=400, d=10, share=0.3)
    loss, gamma = cls._pair_loss, 2.0
    if cls is PSAM:
        best = ROCSVM(gamma, tol=1e-9, max_iter=20_000).fit(X, y).objective(X, y)
    else:
        best = objective(X, y, minimiser(X, y, loss, gamma), loss, gamma)[0]
    passes = np.array([4, 16, 64, 256])
    gaps = np.zeros(len(passes))
    for seed in range(10):
        for k, count in enumerate(passes):
            model = cls(gamma, max_iter=int(count), tol=None, random_state=seed).fit(X, y)
            gaps[k] += model.objective(X, y) - best
    assert np.polyfit(np.log(passes), np.log(gaps), 1)[0] <= -0.8


@pytest.mark.parametrize("cls", [PSAM, ASAM])
def test_a_pass_too_short_to_be_averaged_is_not_the_end(cls):
    w = np.ones(3)
    assert not cls()._settled(w, w)
    assert cls()._settled(w, w * (1 + 1e-9))


# BAM ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["squared_hinge", "smooth_hinge"])
@pytest.mark.parametrize("l2", [1e-3, 0.3, 50.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_bam_reaches_the_optimum_of_every_pair_written_out(small, as_given, loss, l2, weighted):
    X, y = small
    weight = np.random.default_rng(0).uniform(0.1, 4.0, len(y)) if weighted else None
    best = objective(X, y, minimiser(X, y, loss, l2, weight), loss, l2, weight)[0]
    model = BAM(l2, loss, tol=1e-10).fit(as_given(X), y, sample_weight=weight)
    found = objective(X, y, model.coef_[0], loss, l2, weight)[0]
    assert_allclose(found, best, rtol=1e-8)
    assert_allclose(model.objective(X, y, weight), found, rtol=1e-12)
    assert model.n_iter_ < 30


@pytest.mark.parametrize("names", [("MATRIX_LIMIT",), ("SAMPLE",), ("MATRIX_LIMIT", "SAMPLE"), ("THIN",)])
@pytest.mark.parametrize("loss", ["squared_hinge", "smooth_hinge"])
def test_bam_reaches_it_by_every_road(as_given, names, loss, monkeypatch):
    """Without a matrix, by way of samples, with sparse rows made dense: the same optimum."""
    X, y = make_problem(n=900, d=12, seed=4)
    values = {"MATRIX_LIMIT": 0, "SAMPLE": 60, "THIN": 0.0}
    for name in names:
        monkeypatch.setattr(problems if name == "THIN" else newton, name, values[name])
    best = BAM(0.05, loss, tol=1e-11).fit(X, y)
    expected = objective(X, y, minimiser(X, y, loss, 0.05), loss, 0.05)[0]
    assert_allclose(objective(X, y, best.coef_[0], loss, 0.05)[0], expected, rtol=1e-8)
    default = BAM(0.05, loss).fit(as_given(X), y)
    assert 0 <= objective(X, y, default.coef_[0], loss, 0.05)[0] - expected < 1e-4 * expected


@pytest.mark.parametrize("loss", ["squared_hinge", "smooth_hinge"])
@pytest.mark.parametrize("thin", [0.0, 1.0])
@pytest.mark.parametrize("flip", [1, -1])
def test_the_explicit_hessian_is_the_one_of_the_products(small, as_given, loss, thin, flip, monkeypatch):
    X, y = small
    monkeypatch.setattr(problems, "CACHED", 14 * X.shape[1])
    monkeypatch.setattr(problems, "LEAST_BLOCK", 7)
    monkeypatch.setattr(problems, "THIN", thin)
    weight = np.random.default_rng(0).uniform(0.1, 4.0, len(y))
    problem = Problem.of(data_of(as_given(X), flip * y, weight), LOSSES[loss], 0.3)
    point = problem.at(np.random.default_rng(1).standard_normal(X.shape[1]))
    columns = [X.T @ point.sums.curvature(X @ e) + 0.3 * e for e in np.eye(X.shape[1])]
    assert_allclose(problem.hessian(point), np.array(columns), rtol=1e-10, atol=1e-12)


def test_bam_without_a_penalty_and_with_dependent_columns(small):
    X, y = small
    doubled = np.column_stack([X, X[:, :3], np.zeros(len(y))])
    found = BAM(0.0, tol=1e-10).fit(doubled, y).objective(doubled, y)
    assert_allclose(found, BAM(0.0, tol=1e-10).fit(X, y).objective(X, y), rtol=1e-6)


@pytest.mark.parametrize(("n", "positives"), [(5000, 1), (5000, 3), (20_000, 2)])
def test_bam_without_a_penalty_and_with_rare_positives(n, positives):
    """The sample may be separable where the whole is not."""
    rng = np.random.default_rng(positives)
    X, y = rng.standard_normal((n, 20)), np.where(np.arange(n) < positives, 1, -1)
    found = BAM(0.0, tol=1e-8, random_state=0).fit(X, y).objective(X, y)
    nearly = BAM(1e-7, tol=1e-8, random_state=0).fit(X, y).objective(X, y)
    assert found <= nearly + 1e-12


def test_bam_on_columns_far_from_zero():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((9000, 10))
    y = np.where(X[:, 0] + rng.standard_normal(len(X)) > 1.5, 1, -1)
    expected = BAM(random_state=0).fit(X, y).objective(X, y)
    assert_allclose(BAM(random_state=0).fit(X + 1e6, y).objective(X + 1e6, y), expected, rtol=1e-4)


def test_a_line_search_without_progress_is_said(small, monkeypatch):
    monkeypatch.setattr(newton, "search", lambda *_: None)
    with pytest.warns(ConvergenceWarning, match="Newton's method ended after 1 iterations"):
        BAM().fit(*small)


def test_bam_holds_no_matrix_of_pairs(monkeypatch):
    """Beyond X: a few numbers a row, one block of rows, a d by d matrix, and a sample of bounded size."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr(newton, "LARGEST_SAMPLE", 3000)
    X = rng.standard_normal((60_000, 50))
    y = np.where(X[:, 0] + rng.standard_normal(len(X)) > 1.5, 1, -1)
    BAM(random_state=0).fit(X[:20_000], y[:20_000])
    tracemalloc.start()
    BAM(random_state=0).fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    per_row, block = 30 * 8 * len(y), 4 * 8 * problems.CACHED
    sample = 2 * newton.LARGEST_SAMPLE * X.shape[1] * 8
    assert most < per_row + block + sample
    assert most < X.nbytes


# ROCSVM and RankOpt ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("l2", [1e-3, 0.1, 10.0])
def test_rocsvm_closes_the_duality_gap(small, as_given, l2):
    X, y = small
    weight = np.random.default_rng(0).uniform(0.1, 4.0, len(y))
    model = ROCSVM(l2, tol=1e-6, max_iter=20_000).fit(as_given(X), y, sample_weight=weight)
    value = objective(X, y, model.coef_[0], "hinge", l2, weight)[0]
    assert_allclose(model.objective(X, y, weight), value, rtol=1e-12)
    assert 0 <= model.dual_gap_ <= 1e-6 * value
    # the optimum by another road: a support vector machine on the differences of all pairs
    D, v = pair_differences(X, y, weight)
    svm = LinearSVC(loss="hinge", C=1 / l2, fit_intercept=False, tol=1e-8, max_iter=10**6)
    svm.fit(np.vstack([D, -D]), np.repeat([1, -1], len(v)), sample_weight=np.tile(v, 2) / 2)
    other = objective(X, y, svm.coef_[0], "hinge", l2, weight)[0]
    assert_allclose(value, other, rtol=1e-4)
    assert other >= value - model.dual_gap_


@pytest.mark.parametrize("factor", [1e8, 10.0 ** np.linspace(6, -6, 8)])
def test_rocsvm_says_when_it_has_no_proof(small, factor):
    X, y = small
    with pytest.warns(ConvergenceWarning, match="cutting-plane method ended"):
        model = ROCSVM().fit(X * factor, y)
    assert model.dual_gap_ > 1e-6 * model.objective(X * factor, y)


def test_rocsvm_is_where_psam_goes(small):
    X, y = small
    svm = ROCSVM(0.5).fit(X, y)
    assert svm.dual_gap_ <= 1e-4 * svm.objective(X, y)
    long = PSAM(0.5, max_iter=5000, tol=None, random_state=0).fit(X, y)
    assert_allclose(long.objective(X, y), svm.objective(X, y), rtol=1e-3)
    assert long.objective(X, y) >= svm.objective(X, y) - svm.dual_gap_


def test_rankopt_equals_its_twin(problem, as_given):
    X, y = problem
    for norm, steps in ((1.0, 3), (30.0, 20)):
        model = RankOpt(norm, max_iter=steps, tol=None).fit(as_given(X), y)
        expected = rankopt(X, y, norm, steps)
        assert_allclose(model.coef_[0], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_rankopt_raises_the_smoothed_auc(problem):
    X, y = problem
    model = RankOpt(100.0, record=True).fit(X, y)
    assert np.all(np.diff(model.history_["objective"]) <= 0)
    start = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    assert model.score(X, y) > roc_auc_score(y, X @ start)
    assert_allclose(np.linalg.norm(model.coef_), 100.0 / np.sqrt((X**2).sum(axis=1).max()))
