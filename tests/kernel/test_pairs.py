"""Sums over pairs against the sum over an explicit matrix of pairs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucmax.kernel.classes import Classes
from aucmax.kernel.order import falling
from aucmax.kernel.pairs import HINGE, SMOOTH_HINGE, SQUARED_HINGE, STEP, PairSums, Stretched, ramp
from aucmax.model.objective import pair_loss


def h(z):
    return np.maximum(z, 0.0)


def literal_ramp(tau):
    return lambda m: (h(tau - m) ** 2 - 2 * h(-m) ** 2 + h(-tau - m) ** 2) / (2 * tau**2)


# loss, derivative and second derivative of a margin, in the convention of the sums: the upper end of a band is outside
CASES = {
    "hinge": (HINGE, lambda m: h(1 - m), lambda m: -1.0 * (m < 1), lambda m: 0.0 * m),
    "squared hinge": (SQUARED_HINGE, lambda m: h(1 - m) ** 2, lambda m: -2 * h(1 - m), lambda m: 2.0 * (m < 1)),
    "smooth hinge": (
        SMOOTH_HINGE,
        lambda m: np.where(m >= 1, 0.0, np.where(m > 0, h(1 - m) ** 2 / 2, 0.5 - m)),
        lambda m: -np.clip(1 - m, 0, 1),
        lambda m: 1.0 * ((m >= 0) & (m < 1)),
    ),
    "ramp": (
        ramp(0.5),
        literal_ramp(0.5),
        lambda m: -h(0.5 - np.abs(m)) / 0.25,
        lambda m: 4.0 * ((m >= 0) & (m < 0.5)) - 4.0 * ((m >= -0.5) & (m < 0)),
    ),
}


def random_input(rng):
    """A few rows: halves make ties and margins exactly at a kink, and a class may be empty."""
    n = rng.integers(1, 13)
    y = np.where(rng.random(n) < rng.choice([0.0, 0.2, 0.5, 1.0], p=[0.05, 0.45, 0.45, 0.05]), 1, -1)
    scores = rng.integers(-4, 5, n) / 2.0 if rng.random() < 0.7 else 2 * rng.standard_normal(n)
    if rng.random() < 0.2:
        scores = scores + 1e6
    weight = rng.choice([np.ones(n), rng.random(n) + 0.01][rng.integers(2)], n)
    return y, scores, weight


def brute_force(y, scores, weight, functions, z):
    """Value, slope and curvature along z from every pair."""
    pos, neg = y > 0, y < 0
    slope, bent = np.zeros(len(y)), np.zeros(len(y))
    if not pos.any() or not neg.any():
        return 0.0, slope, bent
    m = scores[pos][:, None] - scores[neg]
    v = np.outer(weight[pos], weight[neg]) / (weight[pos].sum() * weight[neg].sum())
    loss, first, second = (v * f(m) for f in functions)
    change = second * (z[pos][:, None] - z[neg])
    slope[pos], slope[neg] = first.sum(axis=1), -first.sum(axis=0)
    bent[pos], bent[neg] = change.sum(axis=1), -change.sum(axis=0)
    return loss.sum(), slope, bent


@pytest.mark.parametrize("name", CASES)
def test_ten_thousand_small_inputs(name):
    loss, *functions = CASES[name]
    rng = np.random.default_rng(0)
    at_a_kink = 0
    found, expected = ([], [], []), ([], [], [])
    for _ in range(10_000):
        y, scores, weight = random_input(rng)
        z = rng.standard_normal(len(y))
        value, slope, bent = brute_force(y, scores, weight, functions, z)
        sums = PairSums(Classes.of(y, weight), scores, loss)
        at_a_kink += np.any(scores[y > 0][:, None] - scores[y < 0] == loss[0].high)
        ours, theirs = ([sums.value], sums.slope, sums.curvature(z)), ([value], slope, bent)
        for k in range(3):
            assert len(ours[k]) == len(theirs[k])
            found[k].append(ours[k])
            expected[k].append(theirs[k])
    # all at once: a comparison of each would take longer than what is compared
    value, slope, curvature = zip(map(np.concatenate, found), map(np.concatenate, expected), strict=True)
    assert_allclose(*value, rtol=1e-11, atol=1e-13)
    assert_allclose(*slope, rtol=1e-11, atol=1e-13)
    assert_allclose(*curvature, rtol=1e-10, atol=1e-12)
    assert at_a_kink > 1000


@pytest.mark.parametrize("name", CASES)
def test_slope_and_curvature_are_derivatives(name):
    loss = CASES[name][0]
    rng = np.random.default_rng(1)
    y, s = np.where(rng.random(200) < 0.3, 1, -1), rng.standard_normal(200)
    classes, z, eps = Classes.of(y, rng.random(200) + 0.1), rng.standard_normal(200), 1e-6
    up, down = (PairSums(classes, s + t * z, loss) for t in (eps, -eps))
    middle = PairSums(classes, s, loss)
    assert_allclose(middle.slope @ z, (up.value - down.value) / (2 * eps), rtol=1e-4)
    assert_allclose(z @ middle.curvature(z), (up.slope - down.slope) @ z / (2 * eps), rtol=1e-3, atol=1e-6)


def test_a_narrow_ramp_is_one_minus_the_auc():
    rng = np.random.default_rng(2)
    y, s = np.where(rng.random(500) < 0.3, 1, -1), rng.standard_normal(500)
    wrong = np.mean(s[y > 0][:, None] < s[y < 0])
    assert_allclose(PairSums(Classes.of(y, np.ones(500)), s, ramp(1e-9)).value, wrong, rtol=1e-9)


def wrong_pairs(y, s):
    m = s[y > 0][:, None] - s[y < 0]
    return np.mean(m < 0) + 0.5 * np.mean(m == 0)


@pytest.mark.parametrize("tau", [1e-3, 1e-6, 1e-9])
def test_a_narrow_ramp_survives_ties(tau):
    rng = np.random.default_rng(2)
    y, s = np.where(rng.random(500) < 0.3, 1, -1), np.round(rng.standard_normal(500), 1)
    m = s[y > 0][:, None] - s[y < 0]
    expected = np.mean(m < -1e-2) + 0.5 * np.mean(np.abs(m) <= 1e-2)
    assert_allclose(PairSums(Classes.of(y, np.ones(500)), s, ramp(tau)).value, expected, rtol=1e-6)
    assert_allclose(PairSums(Classes.of(y, np.ones(500)), 10 * s // 1, STEP).value, wrong_pairs(y, 10 * s // 1))


def test_the_objective_names_them():
    rng = np.random.default_rng(3)
    y, s, weight = np.where(rng.random(50) < 0.3, 1, -1), rng.standard_normal(50), rng.random(50)
    for name in ("hinge", "squared hinge", "smooth hinge"):
        value = brute_force(y, s, weight, CASES[name][1:], s)[0]
        assert_allclose(pair_loss(name.replace(" ", "_"), y, s, weight), value)


@pytest.mark.parametrize("n", [0, 1, 2, 5000])
def test_falling_is_a_stable_sort(n):
    rng = np.random.default_rng(n)
    sizes = 10.0 ** rng.integers(-300, 300, n)
    for scores in (rng.standard_normal(n), rng.integers(-3, 4, n) + 0.5, rng.standard_normal(n) * sizes, np.ones(n)):
        order, ordered = falling(scores)
        assert np.array_equal(order, np.argsort(-scores, kind="stable"))
        assert np.array_equal(ordered, scores[order])
    zeros = np.array([0.0, -0.0, 1e-320, -1e-320, 0.0])
    assert np.array_equal(zeros[falling(zeros)[0]], np.sort(zeros)[::-1])


@pytest.mark.parametrize("name", CASES)
def test_pairs_within_groups(name):
    loss, *functions = CASES[name]
    rng = np.random.default_rng(3)
    for _ in range(300):
        n = rng.integers(1, 25)
        y, group = rng.choice([-1, 1], n), rng.integers(0, rng.integers(1, 6), n)
        scores, weight, z = rng.integers(-4, 5, n) / 2.0, rng.random(n) + 0.1, rng.standard_normal(n)
        weight[rng.random(n) < 0.1] = 0.0
        pairs = [(i, j) for i in range(n) for j in range(n) if y[i] > 0 > y[j] and group[i] == group[j]]
        total = sum(weight[i] * weight[j] for i, j in pairs)
        value, slope, bend = 0.0, np.zeros(n), np.zeros(n)
        for i, j in pairs:
            share = weight[i] * weight[j] / (total or 1.0)
            f, first, second = (share * float(g(scores[i] - scores[j])) for g in functions)
            value += f
            slope[[i, j]] += first, -first
            bend[[i, j]] += second * (z[i] - z[j]), -second * (z[i] - z[j])
        sums = PairSums(Classes.of(y, weight, group), scores, loss)
        assert_allclose(sums.value, value, atol=1e-12)
        assert_allclose(sums.slope, slope, atol=1e-12)
        assert_allclose(sums.curvature(z), bend, atol=1e-12)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_multiples_of_scores_are_sorted_once(name, grouped):
    rng = np.random.default_rng(3)
    y, weight = np.where(rng.random(80) < 0.3, 1, -1), rng.random(80) + 0.1
    scores = rng.integers(-4, 5, 80) / 2.0
    classes = Classes.of(y, weight, rng.integers(0, 5, 80) if grouped else None)
    stretched = Stretched(classes, scores)
    for multiple in (0.25, 1.0, 8.0):
        expected = PairSums(classes, multiple * scores, CASES[name][0]).value
        assert_allclose(stretched.value(CASES[name][0], multiple), expected, rtol=1e-12)
