import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from aucmax.kernel.prox import Point, Region, project_intersection, project_l1_ball
from tests.reference.common import project_l1
from tests.reference.fsauc import project_intersection as slow_intersection

numbers = st.floats(-100, 100, allow_subnormal=False)
vectors = st.integers(1, 12).flatmap(lambda d: arrays(float, d, elements=numbers))


@settings(deadline=None, max_examples=300)
@given(vectors, st.floats(1e-3, 300))
def test_l1_ball(v, radius):
    column = np.array(v)[:, None]
    size = project_l1_ball(column, radius)
    assert_allclose(column[:, 0], project_l1(v, radius), atol=1e-10)
    assert_allclose(size, np.abs(column).sum(), rtol=1e-12)


def test_l1_ball_of_tied_and_huge_numbers():
    for v in ([3.0, 3.0, 3.0], [1e17, 1e17, 1.0], [1e300, -1e300], [0.0, 0.0]):
        column = np.array(v)[:, None]
        project_l1_ball(column, 1.0)
        assert np.abs(column).sum() <= 1.0 + 1e-12 or max(v) >= 1e16


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 10**6), st.floats(0.05, 3.0), st.floats(0.05, 3.0))
def test_intersection(seed, R, r):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 8))
    z = 4 * rng.standard_normal(d + 2)
    centre = np.append(project_l1(rng.standard_normal(d), R * rng.random()), rng.uniform(-R, R, 2))
    v = np.zeros((d, 3))
    v[:, 0], v[:, 1] = z[:-2], centre[:-2]
    a, b = project_intersection(v, Region(R, R, r, 1.0), Point(z[-2], z[-1]), Point(centre[-2], centre[-1]))
    found = np.append(v[:, 2], [a, b])
    assert_allclose(found, slow_intersection(z, centre, R, r), atol=1e-9)
    assert np.abs(found[:-2]).sum() <= R * (1 + 1e-12)
    assert np.linalg.norm(found - centre) <= r * (1 + 1e-9)


def test_intersection_satisfies_the_optimality_condition():
    """The projection q of z has (z - q)·(point - q) ≤ 0 for every point of the set."""
    rng = np.random.default_rng(0)
    z, centre, R, r = 3 * rng.standard_normal(6), np.zeros(6), 1.0, 0.8
    v = np.zeros((4, 3))
    v[:, 0] = z[:-2]
    a, b = project_intersection(v, Region(R, R, r, 1.0), Point(z[-2], z[-1]), Point(0.0, 0.0))
    q = np.append(v[:, 2], [a, b])
    points = np.array([slow_intersection(5 * rng.standard_normal(6), centre, R, r) for _ in range(200)])
    assert ((points - q) @ (z - q)).max() < 1e-9
