"""The lazy elastic net against the literal proximal step on every coordinate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucmax import VRSPAM
from aucmax.kernel import net
from tests.conftest import make_problem
from tests.reference.common import soft
from tests.reference.spam import spam
from tests.reference.vrspam import vrspam


@pytest.mark.parametrize("seed", range(40))
def test_lines_events_and_products(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 40))
    sums, mu = rng.standard_normal((d, 2)), 0.3 * rng.standard_normal(d) * rng.integers(0, 2)
    l1, eps, factor = 0.2 * rng.random(), 0.3 * rng.random(), 1 / (1 + 0.03 * rng.random())
    w = 0.1 * rng.standard_normal(d) * (rng.random(d) < 0.7)
    lazy = net.net(d, True)
    lazy.v[:, 3] = mu
    net.reset(lazy, w, l1)
    clock = net.clock(lazy, sums)
    total, mass = np.zeros(d), 0.0
    for t in range(200):
        gamma = 1 / (1 + t)
        total, mass = total + gamma * w, mass + gamma
        clock = net.accumulate(clock, gamma)
        for j in rng.integers(0, d, rng.integers(0, 4)):
            change = 0.1 * rng.standard_normal() * rng.integers(0, 2)
            value = clock.s * (lazy.v[j, 0] - clock.E * lazy.v[j, 1]) + change
            w[j] += change
            clock = net.place(lazy, clock, sums, j, value, l1)
            clock = net.joined(clock, change * sums[j, 0], change * sums[j, 1], 0.0, 0.0)
        w = factor * soft(w - eps * mu, eps * l1)
        clock = net.shrink(lazy, clock, sums, net.Shrinkage(eps, l1, factor))
        assert_allclose(net.current(lazy, clock), w, atol=1e-12)
        assert_allclose([clock.pos, clock.neg], w @ sums, atol=1e-11)
    assert_allclose(net.average(lazy, clock), total / mass, atol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_compiled_over_many_small_problems(seed):
    """Explicit zeros touch coordinates that have just left zero, where rounding may mistake their sign."""
    X, y = make_problem(n=150, d=10, seed=seed)
    start = spam(X, y, 0.1, 0.1)[1]
    model = VRSPAM(0.1, 0.1, step=0.3, max_iter=3, tol=None, shuffle=False).fit(X, y)
    expected = vrspam(X, y, 0.1, 0.1, step=0.3, start=start, stages=3)
    assert_allclose(model.coef_[0], expected, atol=1e-9 * np.abs(expected).max())
