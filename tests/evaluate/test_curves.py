import numpy as np
import pytest
import sklearn.metrics as sk
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull

from aucmax import evaluate as ev
from tests.evaluate.cases import random_cases, table
from tests.evaluate.test_delong import CASES, stored

CLOSE = {"rtol": 1e-12, "atol": 1e-12}


def finite_cases(seed):
    return random_cases(count=40, seed=seed, infinite=False)


def test_roc_curve_equals_scikit_learns():
    for y, scores, weight in finite_cases(0):
        for drop in (True, False):
            found = ev.roc_curve(y, scores, drop_intermediate=drop)
            for a, b in zip(found, sk.roc_curve(y, scores, drop_intermediate=drop), strict=True):
                assert_allclose(a, b, **CLOSE)
        kept = weight > 0
        found = ev.roc_curve(y, scores, weight, drop_intermediate=False)
        theirs = sk.roc_curve(y[kept], scores[kept], sample_weight=weight[kept], drop_intermediate=False)
        for a, b in zip(found, theirs, strict=True):
            assert_allclose(a, b, **CLOSE)
        assert_allclose(np.trapezoid(found.tpr, found.fpr), ev.roc_auc(y, scores, weight), **CLOSE)


def test_precision_and_recall_equal_scikit_learns():
    for y, scores, weight in finite_cases(1):
        kept = weight > 0
        found = ev.precision_recall_curve(y, scores, weight)
        theirs = sk.precision_recall_curve(y[kept], scores[kept], sample_weight=weight[kept])
        for a, b in zip(found, theirs, strict=True):
            assert_allclose(a, b, **CLOSE)
        expected = sk.average_precision_score(y, scores, sample_weight=weight)
        assert_allclose(ev.average_precision(y, scores, weight), expected, **CLOSE)


def test_det_curve_equals_scikit_learns():
    for y, scores, weight in finite_cases(2):
        kept = weight > 0
        theirs = sk.det_curve(y[kept], scores[kept], sample_weight=weight[kept])
        for a, b in zip(ev.det_curve(y, scores, weight), theirs, strict=True):
            assert_allclose(a, b, **CLOSE)


def test_curves_take_infinite_scores():
    for y, scores, weight in random_cases(count=40, seed=3):
        curve = ev.roc_curve(y, scores, weight, drop_intermediate=False)
        assert_allclose(np.trapezoid(curve.tpr, curve.fpr), ev.roc_auc(y, scores, weight), **CLOSE)


def test_the_hull_is_the_upper_hull():
    for y, scores, weight in random_cases(count=40, seed=4):
        hull = ev.roc_convex_hull(y, scores, weight)
        curve = ev.roc_curve(y, scores, weight, drop_intermediate=False)
        points = np.column_stack([curve.fpr, curve.tpr])
        corner = np.vstack([points, [1.0, 0.0], [1.0, -1.0], [0.0, -1.0]])
        area = ConvexHull(corner).volume - 1.0
        assert_allclose(np.trapezoid(hull.tpr, hull.fpr), area, rtol=1e-9)
        slopes = np.diff(hull.tpr) * 1e6 / (np.diff(hull.fpr) + 1e-9)
        assert np.all(np.diff(slopes) < 0)
        assert set(hull.thresholds) <= set(curve.thresholds)


def test_lift():
    for y, scores, weight in random_cases(count=40, seed=5):
        curve = ev.lift_curve(y, scores, weight)
        share = weight[y].sum() / weight.sum()
        area = ev.area_under_lift(y, scores, weight)
        assert_allclose(np.trapezoid(curve.found, curve.contacted), area, **CLOSE)
        assert_allclose(area, share / 2 + (1 - share) * ev.roc_auc(y, scores, weight), **CLOSE)
        whole = ev.area_under_lift(y, scores, weight, normalized=False)
        assert_allclose(whole, weight[y].sum() * area, **CLOSE)
        assert_allclose(curve.lift[1:] * curve.contacted[1:], curve.found[1:], **CLOSE)


def test_area_under_lift_is_a_share_of_all_pairs():
    """Thesis, equation 1.9, ties counting half."""
    rng = np.random.default_rng(0)
    y, scores = rng.random(50) < 0.4, np.round(rng.standard_normal(50), 1)
    above = (scores[y][:, None] > scores) + 0.5 * (scores[y][:, None] == scores)
    assert_allclose(ev.area_under_lift(y, scores, normalized=False), y.sum() * above.mean(), **CLOSE)


@pytest.mark.parametrize("name", CASES)
def test_partial_auc_equals_proc(name):
    y, scores, _, expected = stored(name)
    checked = 0
    for key, value in expected.items():
        if key.startswith(("max_fpr", "min_tpr")):
            limit, standard = {key[:7]: float(key[8:].removesuffix("_std"))}, key.endswith("_std")
            assert_allclose(ev.partial_auc(y, scores, **limit, standardized=standard), value, rtol=1e-11)
            checked += 1
    assert checked >= 4


def test_partial_auc_equals_scikit_learns():
    for y, scores, weight in finite_cases(6):
        for max_fpr in (0.05, 0.3, 0.5, 0.9, 1.0):
            expected = sk.roc_auc_score(y, scores, sample_weight=weight, max_fpr=max_fpr)
            assert_allclose(ev.partial_auc(y, scores, weight, max_fpr=max_fpr), expected, **CLOSE)
        assert_allclose(ev.partial_auc(y, scores, weight), ev.roc_auc(y, scores, weight), **CLOSE)


def test_partial_auc_with_both_limits_is_the_area_of_the_corner():
    grid = (np.arange(20_000) + 0.5) / 20_000
    for y, scores, weight in random_cases(count=10, seed=7):
        curve = ev.roc_curve(y, scores, weight)
        for max_fpr, min_tpr in ((0.3, 0.5), (0.8, 0.2), (1.0, 0.7), (0.1, 0.9)):
            heights = np.interp(grid * max_fpr, curve.fpr, curve.tpr)
            area = max_fpr * np.mean(np.maximum(heights - min_tpr, 0.0))
            found = ev.partial_auc(y, scores, weight, max_fpr=max_fpr, min_tpr=min_tpr, standardized=False)
            assert_allclose(found, area, atol=2e-4)


def test_h_measure_equals_hmeasures():
    inputs = table("hmeasure_inputs.csv")
    for row in table("hmeasure_outputs.csv"):
        own = [r for r in inputs if r["case"] == row["case"]]
        y, scores = np.array([int(r["y"]) for r in own]), np.array([float(r["score"]) for r in own])
        ratio = float(row["severity_ratio"]) if row["severity_ratio"] else None
        assert_allclose(ev.h_measure(y, scores, severity_ratio=ratio), float(row["h"]), **CLOSE)


def test_h_measure_by_integration():
    costs = (np.arange(20_000) + 0.5) / 20_000
    for y, scores, weight in random_cases(count=10, seed=8):
        share, ratio = weight[y].sum() / weight.sum(), 0.7
        density = costs * (1 - costs) ** (1 / ratio)
        curve = ev.roc_curve(y, scores, weight)
        losses = costs[:, None] * (1 - share) * curve.fpr + (1 - costs[:, None]) * share * (1 - curve.tpr)
        trivial = np.minimum(costs * (1 - share), (1 - costs) * share)
        expected = 1 - (losses.min(axis=1) @ density) / (trivial @ density)
        assert_allclose(ev.h_measure(y, scores, weight, severity_ratio=ratio), expected, atol=1e-6)


def test_extremes_of_the_h_measure():
    assert_allclose(ev.h_measure([0, 0, 1, 1], [1, 2, 3, 4]), 1.0)
    assert_allclose(ev.h_measure([0, 1, 0, 1], [1, 1, 1, 1]), 0.0, atol=1e-12)
    assert_allclose(ev.h_measure([0, 0, 1, 1], [4, 3, 2, 1]), 0.0, atol=1e-12)


@pytest.mark.parametrize("limits", [{"max_fpr": 0.0}, {"min_tpr": 1.0}, {"max_fpr": 1.5}, {"min_tpr": "high"}])
def test_limits_are_checked(limits):
    with pytest.raises(ValueError, match="expected"):
        ev.partial_auc([0, 1], [1, 2], **limits)


def test_a_curve_needs_both_classes():
    for curve in (ev.roc_curve, ev.precision_recall_curve, ev.det_curve, ev.lift_curve, ev.h_measure, ev.prbep):
        with pytest.raises(ValueError, match="one class only"):
            curve([1, 1], [0.3, 0.4])
