"""Losses, penalties and solvers of the front door, against independent solutions."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from aucmax import AUCClassifier, AUCClassifierCV, ExactAUC
from aucmax.classifier.folds import Fold, Plan
from aucmax.classifier.ledger import Ledger
from aucmax.classifier.paths import BUDGET, LOSSES, STIFFNESS, Task, auc, l2_of
from aucmax.classifier.proximal import Lasso
from aucmax.classifier.ramp import RAMP, scaled
from aucmax.kernel.classes import Classes
from aucmax.kernel.pairs import STEP, PairSums
from aucmax.kernel.square import SquareSums
from aucmax.model import newton
from aucmax.model.base import checked_data
from aucmax.model.objective import pair_loss
from aucmax.model.problem import Problem
from tests.conftest import make_problem

CONVEX = ("logistic", "squared_hinge", "smooth_hinge", "square")


@pytest.fixture(scope="module")
def problem():
    X, y = make_problem(n=400, d=12)
    return X, y.astype(np.int8)


def task_of(X, y, weight=None, group=None):
    data = checked_data(X, y, np.ones(len(y)) if weight is None else weight)
    sizes = np.asarray(X.std(axis=0)) if isinstance(X, np.ndarray) else np.ones(X.shape[1])
    return Task(data, sizes, Classes.of(data.y, data.weight, group))


def test_square_sums_against_the_mean_over_pairs():
    rng = np.random.default_rng(0)
    y, weight = np.where(rng.random(60) < 0.3, 1, -1), rng.random(60) + 0.1
    s, z, eps = rng.standard_normal(60) + 50.0, rng.standard_normal(60), 1e-4
    classes = Classes.of(y, weight)
    sums = SquareSums(classes, s)
    assert_allclose(sums.value, pair_loss("square", y, s, weight), rtol=1e-12)
    up, down = (SquareSums(classes, s + t * z) for t in (eps, -eps))
    assert_allclose(sums.slope @ z, (up.value - down.value) / (2 * eps), rtol=1e-7)
    assert_allclose(sums.curvature(z), (up.slope - down.slope) / (2 * eps), rtol=1e-7, atol=1e-10)


def test_the_square_loss_is_that_of_exact_auc(problem):
    X, y = problem
    w = AUCClassifier("square", 0.1).fit(X, y).coef_[0]
    p = np.mean(y > 0)
    expected = ExactAUC(0.1 * p * (1 - p)).fit(X / X.std(axis=0), y).coef_[0] / X.std(axis=0)
    assert_allclose(w / np.linalg.norm(w), expected / np.linalg.norm(expected), atol=1e-9)


@pytest.mark.parametrize("loss", CONVEX)
@pytest.mark.parametrize("l1", [0.003, 0.2])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_l1_penalty_against_a_split_of_signs(loss, l1, kind, problem):
    X, y = problem
    X = X * np.linspace(0.5, 2.0, X.shape[1])
    task, l2, d = task_of(kind(X), y), 0.01, X.shape[1]
    lasso = Lasso(task.problem(loss, l2), l1 * task.sizes, task.sizes)
    w, settled = lasso.minimise(np.zeros(d), 1e-9, 20_000)
    assert settled

    def split(v):  # w = u - v with u, v >= 0 makes the penalty smooth
        point = lasso.smooth.at(v[:d] - v[d:])
        g = lasso.smooth.gradient(point)
        return point.value + lasso.l1 @ (v[:d] + v[d:]), np.concatenate([g + lasso.l1, lasso.l1 - g])

    start, bounds = np.full(2 * d, 1e-3), [(0, None)] * (2 * d)
    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10}
    other = minimize(split, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    assert lasso.value(lasso.smooth.at(w)) <= other.fun * (1 + 1e-7)
    if l1 == 0.2:
        assert np.any(w == 0.0)


def test_proximal_steps_may_be_asked_for_without_an_l1_penalty(problem):
    X, y = problem
    found, expected = (AUCClassifier("logistic", 0.1, solver=solver).fit(X, y) for solver in ("proximal", "newton"))
    assert "proximal steps, as asked for" in found.explain_choice()
    assert_allclose(found.coef_, expected.coef_, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("loss", ["square", "smooth_hinge"])
def test_stochastic_steps_do_not_mind_columns_far_from_zero(loss):
    X, y = make_classification(800, 6, n_informative=4, flip_y=0.2, random_state=0)
    near, far = (AUCClassifier(loss, 0.01, solver="stochastic").fit(Z, y).score(Z, y) for Z in (X, X + 1000.0))
    assert abs(near - far) < 0.002


def test_a_large_l1_penalty_leaves_no_weight(problem):
    X, y = problem
    model = AUCClassifier("logistic", 0.01, l1=10.0).fit(X, y)
    assert np.all(model.coef_ == 0.0)
    assert "proximal" in model.explain_choice()


@pytest.mark.parametrize("seed", range(5))
def test_the_ramp_never_ends_above_its_convex_starts(seed):
    X, y = make_classification(300, 8, n_informative=3, weights=[0.9], flip_y=0.1, random_state=seed)
    task = task_of(X, np.where(y > 0, 1, -1).astype(np.int8))
    l2s = [l2_of("ramp", strength, task.classes) for strength in (10.0, 1.0, 0.1)]
    for l2, w in zip(l2s, task.path("ramp", l2s), strict=True):
        problem = task.problem("ramp", l2)
        starts = [next(task.path(name, [l2_of(name, 1.0, task.classes)])) for name in ("logistic", "squared_hinge")]
        assert problem.at(w).value <= min(scaled(problem, start)[0].value for start in starts) + 1e-12
        assert problem.at(w).value <= min(problem.at(start).value for start in starts) + 1e-12


def test_the_ramp_may_begin_at_a_convex_solution_as_it_is(problem):
    """Its own scale lies between those that are tried."""
    task = task_of(*problem)
    (w,) = task.path("ramp", [l2_of("ramp", 1.0, task.classes)])
    at_best = task.problem("ramp", l2_of("ramp", 1.0, task.classes))
    begun, _ = scaled(at_best, w)
    assert_allclose(begun.w, w)
    assert_allclose(begun.value, at_best.at(w).value)


def test_the_ramp_has_the_same_convex_start_wherever_the_search_for_it_begins(problem):
    X, y = problem
    task, rng = task_of(X, y), np.random.default_rng(0)
    task = task._replace(start=rng.standard_normal(X.shape[1]))
    logistic = task.problem("logistic", l2_of("logistic", 1.0, task.classes))
    (plain,), (near,) = (
        task._replace(nearby=w)._starts().convex for w in (None, 3.0 * rng.standard_normal(X.shape[1]))
    )
    assert not np.array_equal(near, plain)
    assert_allclose(logistic.at(near).value, logistic.at(plain).value, rtol=1e-4)


def test_ramp_slopes_and_its_curvature_without_concave_pieces(problem):
    X, y = problem
    problem = Problem(checked_data(X, y, np.ones(len(y))), Classes.of(y, np.ones(len(y))), RAMP, 0.1)
    rng = np.random.default_rng(0)
    w, v, eps = rng.standard_normal(X.shape[1]), rng.standard_normal(X.shape[1]), 1e-6
    up, down = (problem.at(w + t * v).value for t in (eps, -eps))
    assert_allclose(problem.gradient(problem.at(w)) @ v, (up - down) / (2 * eps), rtol=1e-5)
    assert np.linalg.eigvalsh(problem.hessian(problem.at(w)))[0] > 0.0


def test_the_logistic_loss_is_balanced_logistic_regression(problem):
    X, y = problem
    l2 = 0.02
    ours = next(task_of(X, y).path("logistic", [l2]))
    theirs = LogisticRegression(C=1 / (l2 * len(y)), class_weight="balanced", tol=1e-10, max_iter=10_000)
    expected = theirs.fit(X / X.std(axis=0), y).coef_[0] / X.std(axis=0)
    assert BUDGET.tol == 1e-3  # of the objective: the weights are nearer than its root
    assert_allclose(ours, expected, atol=0.02 * np.abs(expected).max())


@pytest.mark.parametrize("loss", ["square", "smooth_hinge"])
def test_stochastic_passes_come_near_the_minimiser(loss, problem):
    X, y = problem
    exact, steps = (AUCClassifier(loss, 0.1, solver=solver).fit(X, y) for solver in ("newton", "stochastic"))
    cosine = exact.coef_[0] @ steps.coef_[0] / np.linalg.norm(exact.coef_) / np.linalg.norm(steps.coef_)
    assert cosine > 0.98


@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_ranks(loss, problem):
    X, y = problem
    model = AUCClassifier(loss).fit(X[:300], y[:300])
    assert model.loss_ == loss
    assert model.score(X[300:], y[300:]) > 0.8


def test_a_warm_start_ends_where_a_cold_one_does(problem):
    X, y = problem
    cold = AUCClassifier("squared_hinge", 0.1).fit(X, y)
    warm = AUCClassifier("squared_hinge", 1.0, warm_start=True).fit(X, y).set_params(l2=0.1).fit(X, y)
    assert_allclose(warm.coef_, cold.coef_, atol=0.03 * np.abs(cold.coef_).max())


def test_a_warm_start_begins_where_the_fit_before_ended(problem):
    """So that a second fit comes nearer to the minimiser."""
    X, y = problem
    model = AUCClassifier("squared_hinge", 0.1, warm_start=True)
    weights = [model.fit(X, y)._raw[0] for _ in range(6)]
    gaps = [np.linalg.norm(w - weights[-1]) for w in weights]
    assert gaps[0] > 0.0
    assert gaps[1] < 0.1 * gaps[0]


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_stiffness_is_the_curvature_of_a_loss_beside_that_of_the_logistic_one(share):
    """Where a strong penalty keeps margins small, all others bend twice as much as that, and ranks are the same."""
    X, y = make_problem(n=400, d=12, share=share)
    task, rng = task_of(X, y.astype(np.int8)), np.random.default_rng(0)
    changes = (X / X.std(axis=0) @ rng.standard_normal((X.shape[1], 20))).T
    bends, weights = {}, {}
    for loss in LOSSES:
        (l2,) = task.l2s(loss, [1000.0], task.classes)
        weights[loss] = w = next(task.path(loss, [l2]))
        sums = task.problem(loss, l2).at(w).sums
        bends[loss] = np.mean([z @ sums.curvature(z) for z in changes])
    for loss in set(LOSSES) - {"logistic"}:
        assert 1.4 < bends[loss] / bends["logistic"] / STIFFNESS[loss] < 2.6, loss
        cosine = weights[loss] @ weights["logistic"] / np.prod([np.linalg.norm(weights[k]) for k in (loss, "logistic")])
        assert cosine > 0.99


@pytest.mark.parametrize("even", [True, False])
def test_auc_of_held_out_rows_is_the_share_of_pairs_in_order(even):
    rng = np.random.default_rng(1)
    y, weight = np.where(rng.random(90) < 0.3, 1, -1), np.ones(90) if even else rng.random(90) + 0.1
    classes, scores = Classes.of(y, weight), rng.integers(-3, 4, 90) / 2.0
    assert_allclose(auc(classes, scores), 1.0 - PairSums(classes, scores, STEP).value, rtol=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_the_hessian_of_a_sample_leads_to_the_same_optimum(problem, loss, as_given, monkeypatch):
    X, y = problem
    monkeypatch.setattr(newton, "SAMPLE", 60)
    target = Problem.of(checked_data(as_given(X), y, np.ones(len(y))), LOSSES[loss], 1e-2)
    begun, budget = newton.Result(np.ones(X.shape[1]), 0, False, None), newton.Budget(1e-13, 100)
    exact = newton.minimise(target, begun, budget, newton.unwatched)
    assert newton.sampled(target, begun.w) is None  # too few rows
    monkeypatch.setattr(newton, "MANY", 200)
    assert newton.sampled(target, begun.w) is not None
    found = newton.minimise(target, begun, budget, newton.unwatched)
    assert found.converged
    assert_allclose(found.w, exact.w, rtol=1e-5, atol=1e-7)


def test_a_fold_draws_its_sample_once_for_all_losses(problem):
    X, y = problem
    task, rows = task_of(X, y), np.arange(len(y))
    plan, fold = Plan(1, 100, Ledger(), {}), Fold(rows[:300], rows[300:])
    first = plan.learner(task, fold, 0)
    assert first.data.n == 100
    assert np.count_nonzero(first.data.y > 0) == 50
    assert np.isin(first.data.matrix[:, 0], X[:300, 0]).all()
    again = plan.learner(task._replace(sizes=2.0 * task.sizes), fold, 0)
    assert again.data is first.data
    assert_allclose(again.sizes, 2.0 * task.sizes)


@pytest.mark.parametrize(
    ("given", "losses"),
    [
        ({"l1": 0.01}, {"logistic", "square"}),
        ({"solver": "proximal"}, {"logistic", "square"}),
        ({"solver": "stochastic"}, {"smooth_hinge", "square"}),
        ({"losses": "logistic"}, {"logistic"}),
    ],
)
def test_cross_validation_tries_losses_that_go_with_the_rest(given, losses):
    X, y = make_problem(n=1600, d=5)  # so many that the square loss is among them
    model = AUCClassifierCV(n_l2=2, cv=2, **given).fit(X, y)
    assert set(model.cv_results_["loss"]) == losses
    assert model.score(X, y) > 0.8
