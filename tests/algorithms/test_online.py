"""The online family: equal to the naive, literal twins, and what is special about each algorithm."""

import hashlib
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from aucmax import CBR, OAM, OPAUC, AdaOAM, UniExp
from aucmax.kernel import buffer
from aucmax.model.stepped import generator
from tests.conftest import make_problem
from tests.reference.adaoam import adaoam
from tests.reference.cbr import cbr
from tests.reference.exact import minimiser
from tests.reference.oam import oam
from tests.reference.opauc import opauc
from tests.reference.uniexp import uniexp

LITERAL = {"max_iter": 1, "tol": None, "shuffle": False, "random_state": 0}


def uniform(n):
    return generator(0).random(n)


def normal(n, rank):
    return None if rank is None else generator(0).standard_normal((n, rank))


def oam_case(variant, size, C, kind="reservoir"):
    def twin(X, y, **options):
        return oam(X, y, C=C, variant=variant, kind=kind, size=size, draws=uniform(len(y)), **options)

    return OAM(C, variant, buffer=kind, buffer_size=size), twin


def opauc_case(rank, l2, step, schedule):
    def twin(X, y, **options):
        return opauc(X, y, l2, step=step, schedule=schedule, draws=normal(len(y), rank), **options)

    return OPAUC(l2, rank, step=step, schedule=schedule), twin


def adaoam_case(l2, step):
    return AdaOAM(l2, step=step), lambda X, y, **options: adaoam(X, y, l2, step=step, **options)[0]


def cbr_case(covariance, kind, size, C):
    def twin(X, y, **options):
        return cbr(X, y, C=C, covariance=covariance, kind=kind, size=size, draws=uniform(len(y)), **options)

    return CBR(C, covariance, buffer=kind, buffer_size=size), twin


def uniexp_case(l2, step):
    return UniExp(l2, step=step), lambda X, y, **options: uniexp(X, y, l2, step=step, **options)[0]


CASES = {
    **{f"OAM {v} {b} {c}": oam_case(v, b, c) for v in ("seq", "gra") for b, c in ((100, 0.1), (7, 1.0), (1, 5.0))},
    **{f"OAM {v} fifo": oam_case(v, 7, 1.0, "fifo") for v in ("seq", "gra")},
    **{
        f"OPAUC {r} {p}": opauc_case(r, *p)
        for r in (None, 1, 5, 40)
        for p in ((0.5, 0.5, "sqrt"), (0.1, 0.05, "constant"))
    },
    "OPAUC 5 strong": opauc_case(5, 300.0, 1.0, "sqrt"),
    "AdaOAM": adaoam_case(0.01, 0.3),
    "AdaOAM in its ball": adaoam_case(100.0, 3.0),
    "AdaOAM without penalty": adaoam_case(0.0, 0.1),
    **{
        f"CBR {v} {k} {b} {c}": cbr_case(v, k, b, c)
        for v in ("full", "diag")
        for k in ("fifo", "reservoir")
        for b, c in ((50, 1.0), (4, 0.05))
    },
    "UniExp": uniexp_case(0.1, 1.0),
    "UniExp strong": uniexp_case(300.0, 1.0),
    "UniExp long": uniexp_case(0.0, 60.0),
}
every = pytest.mark.parametrize("case", CASES)


TOLD = {}  # what twins said, of which a test asks the same for dense and for sparse rows


def fresh(case):
    """The estimator of a case, unfitted, and its twin, which works out the same thing only once."""
    model, twin = CASES[case]

    def told(X, y, weight=None, stream=False):
        rows = hashlib.sha256()
        for array in (X, y) if weight is None else (X, y, weight):
            rows.update(array.tobytes())
        key = case, rows.digest(), stream
        if key not in TOLD:
            TOLD[key] = twin(X, y, weight=weight, stream=stream)
        return TOLD[key]

    return type(model)(**{**model.get_params(), **LITERAL}), told


def assert_equal_weights(model, expected):
    assert np.abs(expected).max() > 0
    assert_allclose(model.coef_[0], expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@every
def test_a_pass_equals_the_twin(case, problem, as_given):
    X, y = problem
    model, twin = fresh(case)
    assert_equal_weights(model.fit(as_given(X), y), twin(X, y))


@every
def test_a_weighted_pass_equals_the_twin(case, problem, as_given):
    X, y = problem
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y))
    model, twin = fresh(case)
    assert_equal_weights(model.fit(as_given(X), y, sample_weight=7.0 * weight), twin(X, y, weight=weight))


@every
@pytest.mark.parametrize("weighted", [False, True])
def test_a_stream_cut_and_pickled_equals_the_twin(case, weighted, problem, as_given):
    X, y = problem
    X = X * np.linspace(0.2, 2.0, len(y))[:, None]  # κ grows along the way
    X[0] = 0.0
    weight = np.random.default_rng(2).uniform(0.5, 3.0, len(y)) if weighted else None
    model, twin = fresh(case)
    given = as_given(X)
    for chunk in np.split(np.arange(len(y)), [1, 2, 30, 300]):
        part = None if weight is None else weight[chunk]
        model = pickle.loads(pickle.dumps(model))
        model.partial_fit(given[chunk], y[chunk], classes=[-1, 1], sample_weight=part)
    assert_equal_weights(model, twin(X, y, weight=weight, stream=True))


@every
def test_cutting_and_pickling_changes_not_a_bit(case, problem, as_given):
    X, y = problem
    given = as_given(X)
    whole = fresh(case)[0].partial_fit(given, y)
    model = fresh(case)[0]
    for chunk in np.split(np.arange(len(y)), [1, 2, 50, 333]):
        model = pickle.loads(pickle.dumps(model.partial_fit(given[chunk], y[chunk], classes=[-1, 1])))
    assert_array_equal(model.coef_, whole.coef_)


@every
def test_dense_and_sparse_chunks_may_take_turns(case, problem):
    X, y = problem
    X = X.copy()
    X[0] = 0.0
    for kinds in ((np.asarray, sp.csr_matrix), (sp.csr_matrix, np.asarray)):
        model, twin = fresh(case)
        for k, chunk in enumerate(np.split(np.arange(len(y)), [100, 200, 300])):
            model.partial_fit(kinds[k % 2](X[chunk]), y[chunk], classes=[-1, 1])
        assert_equal_weights(model, twin(X, y, stream=True))


@pytest.mark.parametrize("case", ["OPAUC 5 (0.5, 0.5, 'sqrt')", "OPAUC 5 strong"])
def test_a_sketch_stays_exact_over_many_steps_and_folds(case, as_given):
    X, y = make_problem(n=6000, d=12, seed=3)
    model, twin = fresh(case)
    assert_equal_weights(model.fit(as_given(X), y), twin(X, y))


def test_rare_branches_are_really_taken(problem):
    X, y = problem
    assert adaoam(X, y, 100.0, step=3.0)[1] > 5
    assert adaoam(X, y, 0.01, step=0.3)[1] == 0
    assert uniexp(X, y, 0.0, step=60.0)[1] > 0


def test_the_objective_of_uniexp_is_the_mean_of_those_of_its_classes(problem):
    X, y = problem
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y))
    model = UniExp(0.2, random_state=0).fit(X, y)
    losses = np.exp(-y * (X @ model.coef_[0]))
    pos, neg = (np.average(losses[side], weights=weight[side]) for side in (y > 0, y < 0))
    assert_allclose(model.objective(X, y, weight), (pos + neg) / 2 + 0.1 * np.sum(model.coef_**2), rtol=1e-12)


def test_a_second_pass_of_oam_brings_no_new_rows(problem):
    """C_t stops at the rows there are."""
    X, y = problem
    twice = np.concatenate([X, X]), np.concatenate([y, y])
    expected = oam(*twice, C=0.1, variant="gra", size=10, draws=uniform(2 * len(y)), most={1: 100, -1: 300})
    assert_equal_weights(OAM(0.1, "gra", buffer_size=10, **{**LITERAL, "max_iter": 2}).fit(X, y), expected)


def test_the_running_covariances_are_those_of_the_rows(problem):
    X, y = problem
    weight = np.random.default_rng(1).uniform(0.5, 3.0, len(y))
    machine = OPAUC().partial_fit(X + 50.0, y, sample_weight=weight)._stream.machine
    seen, moments = machine.scalars.seen, machine.vectors.moments
    for k, (side, mass) in enumerate(((y > 0, seen.pos), (y < 0, seen.neg))):
        expected = np.cov(X[side].T, aweights=weight[side], ddof=0)
        assert_allclose(moments.scatters[k] / mass, expected, atol=1e-12 * np.abs(expected).max())


# Optima ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "tolerance"),
    [(OPAUC(2.0, step=1.0, max_iter=400, tol=None), 0.02), (AdaOAM(2.0, step=0.3, max_iter=400, tol=None), 0.02)],
)
def test_approaches_the_minimiser_of_its_objective(model, tolerance):
    X, y = make_problem(n=120, d=8, seed=2)
    expected = minimiser(X, y, 0.5, 2.0)
    model.set_params(random_state=0).fit(X, y)
    assert_allclose(model.coef_[0], expected, atol=tolerance * np.abs(expected).max())


def test_a_sketch_of_high_rank_comes_close_to_the_full_covariance(problem):
    X, y = problem
    full = OPAUC(1.0, random_state=0).fit(X, y)
    gaps = [np.abs(OPAUC(1.0, rank, random_state=0).fit(X, y).coef_ - full.coef_).max() for rank in (10, 300)]
    assert gaps[1] < 0.2 * np.abs(full.coef_).max()
    assert gaps[1] < 0.5 * gaps[0]


@pytest.mark.parametrize("rank", [5, 50])
def test_weights_do_not_grow_along_the_mean_of_a_sketch(rank):
    """Rows far from zero: noise must leave no negative curvature there."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1500, 300))
    y = np.where(X @ rng.standard_normal(300) + 5.0 * rng.standard_normal(1500) > 0, 1, -1)
    X += 3.0
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    model = OPAUC(1e-3, rank, schedule="constant", max_iter=1, random_state=0).fit(X, y)
    assert np.linalg.norm(model.coef_) < 100.0
    assert model.score(X, y) > 0.9


def test_objectives(problem):
    X, y = problem
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    pos, neg = y > 0, y < 0
    mass = np.outer(weight[pos], weight[neg]) / (weight[pos].sum() * weight[neg].sum())

    def margins(model):
        scores = X @ model.coef_[0]
        return scores[pos][:, None] - scores[neg][None, :]

    for model in (OPAUC(0.3), AdaOAM(0.3)):
        model.set_params(max_iter=2, random_state=0).fit(X, y)
        expected = 0.5 * (mass * (1 - margins(model)) ** 2).sum() + 0.15 * (model.coef_**2).sum()
        assert_allclose(model.objective(X, y, weight), expected)
    for model in (OAM(), CBR()):
        model.set_params(max_iter=2, random_state=0).fit(X, y)
        assert_allclose(model.objective(X, y, weight), (mass * np.maximum(0, 1 - margins(model))).sum())
    model = UniExp(0.3, max_iter=2, random_state=0).fit(X, y)
    losses = np.exp(-y * (X @ model.coef_[0]))
    expected = sum(np.average(losses[side], weights=weight[side]) / 2 for side in (pos, neg))
    assert_allclose(model.objective(X, y, weight), expected + 0.15 * (model.coef_**2).sum())


# Buffers --------------------------------------------------------------------------------------------------------------


def test_a_reservoir_is_a_uniform_sample():
    n, size, trials = 40, 6, 4000
    y = np.ones(n, dtype=np.int8)
    times = np.zeros(n)
    for seed in range(trials):
        rng, kept = np.random.default_rng(seed), np.full(size, -1)
        for at in (slice(0, 17), slice(17, n)):  # in two chunks
            places = buffer.places("reservoir", y[at], buffer.Passed(float(at.start), 0.0), size, rng)[:, 0]
            for row, place in zip(range(n)[at], places, strict=True):
                if place >= 0:
                    kept[int(place)] = row
        times[kept] += 1
    expected = trials * size / n
    chi2 = ((times - expected) ** 2 / (expected * (1 - size / n))).sum() * (n - 1) / n
    assert 15 < chi2 < 75  # 39 degrees of freedom


@pytest.mark.parametrize("model", [OAM(buffer="fifo", buffer_size=9), CBR(covariance="diag", buffer_size=9)])
def test_a_fifo_buffer_holds_the_last_rows(problem, model):
    X, y = problem
    model = clone(model).partial_fit(sp.csr_matrix(X), y)
    rows = model._stream.machine.vectors.buffer.rows
    held = np.zeros((18, X.shape[1]))
    for slot, length in enumerate(rows.length):
        held[slot, rows.indices[slot, :length]] = rows.data[slot, :length]
    for part, side in ((held[:9], X[y > 0]), (held[9:], X[y < 0])):
        assert_array_equal(np.sort(part.sum(axis=1)), np.sort(side[-9:].sum(axis=1)))


@pytest.mark.parametrize("model", [OAM(buffer_size=7), CBR(covariance="diag", buffer="reservoir", buffer_size=7)])
def test_a_buffer_of_sparse_rows_is_as_long_as_they_are(model):
    d = 1_000_000
    few, y = make_problem(n=300, d=5)
    at = np.random.default_rng(0).integers(0, d, 1500)
    far = sp.csr_matrix((np.ones(1500), (np.repeat(np.arange(300), 5), at)), shape=(300, d))
    X = sp.csr_matrix(sp.hstack([far, sp.csr_matrix(few)]))
    model.set_params(random_state=0)
    for rows in np.array_split(np.arange(300), 4):
        model.partial_fit(X[rows], y[rows], classes=[-1, 1])
    buffered = model._stream.machine.vectors.buffer
    assert buffered.rows.data.shape[1] <= 2 * np.diff(X.indptr).max()
    restored = pickle.loads(pickle.dumps(model))
    assert_array_equal(restored.partial_fit(X, y).coef_, model.partial_fit(X, y).coef_)


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "words"),
    [(OPAUC(), r"OPAUC\(rank=50\)"), (AdaOAM(), r"OPAUC\(rank=50\)"), (CBR(), r'CBR\(covariance="diag"\)')],
)
def test_a_dimension_too_large_for_the_state_is_refused(model, words):
    X = sp.csr_matrix(([1.0, 1.0], ([0, 1], [0, 99_999])), shape=(2, 100_000))
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=rf"100000 by 100000, .* GiB.*use {words}"):
            learn(X, [0, 1])
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (OAM(C=0.0), "above 0"),
        (OAM(variant="both"), "'seq', 'gra'"),
        (OAM(buffer_size=0), "integer of at least 1"),
        (OPAUC(rank=0), "integer of at least 1 or None"),
        (OPAUC(step=0.0), "above 0"),
        (OPAUC(schedule="cubic"), "'sqrt', 'constant'"),
        (CBR(covariance="low"), "'full', 'diag'"),
        (CBR(buffer="lifo"), "'fifo', 'reservoir'"),
        (CBR(eta=0.5), "above 0.5 and below 1"),
    ],
)
def test_parameters_out_of_range(model, words, problem):
    with pytest.raises(ValueError, match=words):
        model.fit(*problem)


@pytest.mark.filterwarnings("ignore:overflow|invalid:RuntimeWarning")
@pytest.mark.parametrize("model", [OPAUC(step=1e200), OPAUC(rank=3, step=1e200), OAM(C=1e308, variant="gra")])
def test_divergence_names_the_step(model, problem):
    X, y = problem
    with pytest.raises(FloatingPointError, match=r"step=1e\+200|C=1e\+308"):
        model.fit(X / 1000.0, y)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (OAM(buffer_size=5, random_state=0), {"buffer_size": 50_000}),
        (CBR(covariance="diag", buffer_size=5, random_state=0), {"buffer_size": 50_000}),
        (CBR(buffer_size=5, random_state=0), {"covariance": "diag", "buffer_size": 2}),
        (OPAUC(rank=50, random_state=0), {"rank": 3}),
        (OPAUC(rank=50, random_state=0), {"rank": None}),
        (OPAUC(random_state=0), {"rank": 3}),
    ],
)
def test_a_stream_keeps_the_sizes_it_began_with(problem, model, change):
    X, y = problem
    expected = clone(model).partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    changed = clone(model).partial_fit(X[:100], y[:100]).set_params(**change).partial_fit(X[100:], y[100:])
    assert_array_equal(changed.coef_, expected.coef_)
