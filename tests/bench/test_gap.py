"""The duality gap of SOLAM's saddle problem, against brute force, and the averages that it is asked of."""

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from aucmax import SOLAM, RegSOLAM
from aucmax.bench.gap import Point, averages, duality_gap, highest, lowest, saddle_of, value
from aucmax.bench.rates import problem


def literal(X, y, point, l2):
    """The mean of F over the rows, by equation 3.5, and the penalty."""
    p, total = np.mean(y > 0), 0.0
    for x, label in zip(X, y, strict=True):
        s = point.w @ x
        if label > 0:
            total += (1 - p) * (s - point.a) ** 2 - 2 * (1 + point.alpha) * (1 - p) * s
        else:
            total += p * (s - point.b) ** 2 + 2 * (1 + point.alpha) * p * s
    return total / len(y) - p * (1 - p) * point.alpha**2 + l2 / 2 * point.w @ point.w


def small(radius, l2=0.0, d=2):
    X, y = problem(60, d=d, seed=3)
    return X, y, saddle_of(X, y, radius, l2)


POINTS = [Point(np.array([0.3, -0.2]), 0.1, -0.2, 0.4), Point(np.array([0.05, 0.1]), 0.3, 0.0, -2.5)]


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("l2", [0.0, 0.7])
def test_value_is_the_mean_over_rows(point, l2):
    X, y, saddle = small(1.0, l2)
    assert value(saddle, point) == pytest.approx(literal(X, y, point, l2), rel=1e-12)


@pytest.mark.parametrize(("radius", "l2"), [(0.05, 0.0), (0.4, 0.3), (50.0, 0.0), (50.0, 0.7)])
@pytest.mark.parametrize("point", POINTS)
def test_gap_against_brute_force(radius, l2, point):
    """The maximum over a grid of alpha, and the minimum over (w, a, b) by a constrained search from many starts."""
    _, _, saddle = small(radius, l2)
    grid = np.linspace(-2 * saddle.box, 2 * saddle.box, 2001)
    top = max(value(saddle, point._replace(alpha=alpha)) for alpha in grid)
    between = saddle.p * (1 - saddle.p) * (grid[1] - grid[0]) ** 2  # what a parabola rises between two of them
    assert top - 1e-15 <= value(saddle, highest(saddle, point)) <= top + between

    def at(v):
        return value(saddle, Point(v[:2], v[2], v[3], point.alpha))

    ball = {"type": "ineq", "fun": lambda v: radius**2 - v[:2] @ v[:2]}
    bounds = [(-radius, radius)] * 2 + [(-saddle.box, saddle.box)] * 2
    rng = np.random.default_rng(0)
    starts = rng.uniform(-0.5, 0.5, (5, 4)) * min(radius, 3.0)
    options = {"ftol": 1e-14, "maxiter": 1000}
    found = [minimize(at, v, method="SLSQP", bounds=bounds, constraints=[ball], options=options) for v in starts]
    least = min(result.fun for result in found if ball["fun"](result.x) > -1e-9)
    deepest = lowest(saddle, point)
    assert np.linalg.norm(deepest.w) <= radius * (1 + 1e-9)
    assert max(abs(deepest.a), abs(deepest.b)) <= saddle.box
    assert value(saddle, deepest) == pytest.approx(least, rel=1e-6, abs=1e-9)
    gap = duality_gap(saddle, point)
    assert gap == pytest.approx(value(saddle, highest(saddle, point)) - value(saddle, deepest), abs=1e-15)


def test_gap_is_zero_at_the_saddle_point_alone():
    """At the saddle point it is zero, and elsewhere above; the maximum stops at the edge of alpha's interval."""
    _, _, saddle = small(50.0, 0.3)
    point = Point(np.zeros(2), 0.0, 0.0, 0.0)
    for _ in range(200):  # alternate, with a damped alpha: a contraction
        point = lowest(saddle, point)
        point = point._replace(alpha=0.5 * point.alpha + 0.5 * highest(saddle, point).alpha)
    assert 0 <= duality_gap(saddle, point) < 1e-12
    for moved in (
        point._replace(w=point.w + 0.1),
        point._replace(a=point.a + 0.1),
        point._replace(b=point.b - 0.1),
        point._replace(alpha=point.alpha + 0.1),
    ):
        assert duality_gap(saddle, moved) > 1e-4
    far = point._replace(w=1000 * point.w)
    assert abs(highest(saddle._replace(box=1.0), far).alpha) == 2.0


@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_averages_are_those_of_the_estimators(l2):
    """The weights are those of SOLAM and regSOLAM on the same rows in the same order, to 1e-9, at every mark."""
    X, y = problem(300, d=4)
    kappa = 2 * np.linalg.norm(X, axis=1).max()
    X[[0, -1]] *= kappa / np.linalg.norm(X[[0, -1]], axis=1)[:, None]  # the longest come first, in either order
    radius = kappa * np.sqrt(2 / l2) if l2 else 0.7  # a ball that is met
    saddle = saddle_of(X / kappa, y, radius, l2 / kappa**2)
    marks, orders = np.array([50, 300]), np.array([np.arange(300), np.arange(300)[::-1]])
    for mark, point in zip(marks, averages(X / kappa, y, orders, 5.0, saddle, marks), strict=True):
        for order, w in zip(orders, point.w, strict=True):
            model = (RegSOLAM(l2, step=5.0) if l2 else SOLAM(0.7, step=5.0)).set_params(max_iter=1, shuffle=False)
            seen = order[:mark]
            assert np.allclose(model.fit(X[seen], y[seen]).coef_[0] * kappa, w, rtol=1e-9, atol=1e-12)


def test_the_gap_of_the_averages_falls():
    X, y = problem(4000, d=4)
    X = X / np.linalg.norm(X, axis=1).max()
    saddle = saddle_of(X, y, 10.0)
    points = averages(X, y, np.arange(4000)[None], 10.0, saddle, np.array([30, 300, 4000]))
    gaps = [duality_gap(saddle, Point(*(part[0] for part in point))) for point in points]
    assert all(before > after > 0 for before, after in itertools.pairwise(gaps))
