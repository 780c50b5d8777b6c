import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from aucmax.kernel.moments import Moments, class_moments


def slow(X, weight):
    mean = np.average(X, axis=0, weights=weight)
    return weight.sum(), mean, ((X - mean).T * weight) @ (X - mean)


@pytest.mark.parametrize("share", [0.1, 0.7])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32)])
def test_class_moments(share, kind):
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((300, 5)), 3)
    y = np.where(rng.random(300) < share, 1, -1)
    weight = rng.uniform(0.5, 2.0, 300)
    for moments, side in zip(class_moments(kind(X), y, weight, block=64), (y > 0, y < 0), strict=True):
        for found, expected in zip(moments, slow(X[side], weight[side]), strict=True):
            assert_allclose(found, expected, rtol=1e-5 if kind(X).dtype == np.float32 else 1e-11, atol=1e-5)


def test_merging_is_exact_and_large_means_do_not_cancel():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((200, 4)) + 1e8
    y = np.ones(200)
    y[::3] = -1
    whole = class_moments(X, y, None)
    merged = [Moments.empty(4), Moments.empty(4)]
    for rows in np.split(np.arange(200), [0, 7, 90]):
        if len(rows):
            merged = [m.merge(part) for m, part in zip(merged, class_moments(X[rows], y[rows], None), strict=True)]
    for a, b, side in zip(whole, merged, (y > 0, y < 0), strict=True):
        exact = slow(X[side] - 1e8, np.ones(side.sum()))
        assert_allclose(a.scatter, exact[2], rtol=1e-5, atol=1e-5)
        assert_allclose(b.scatter, exact[2], rtol=1e-5, atol=1e-5)
        assert a.weight == b.weight == side.sum()


def test_merging_with_nothing_changes_nothing():
    some = class_moments(np.eye(3), np.array([1, 1, -1]), None)[0]
    assert some.merge(Moments.empty(3)) is some
    assert_allclose(Moments.empty(3).merge(some).scatter, some.scatter)
