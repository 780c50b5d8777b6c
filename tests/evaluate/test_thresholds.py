import numpy as np
import pytest
import sklearn.metrics as sk
from numpy.testing import assert_allclose

from aucmax import evaluate as ev
from tests.evaluate.cases import random_cases


def test_confusion_equals_scikit_learns():
    for y, scores, weight in random_cases(seed=0):
        for threshold in (-np.inf, 0.0, 0.5, np.inf):
            predicted = scores >= threshold
            expected = sk.confusion_matrix(y, predicted, sample_weight=weight, labels=[False, True]).ravel()
            found = ev.confusion_at(y, scores, threshold, weight)
            assert_allclose(found, expected, atol=1e-12)
            expected = sk.precision_recall_fscore_support(
                y, predicted, beta=2.0, average="binary", sample_weight=weight, zero_division=1.0
            )
            assert_allclose([found.precision, found.recall], expected[:2], atol=1e-12)
            if predicted.any():
                assert_allclose(found.f_beta(2.0), expected[2], atol=1e-12)
            assert_allclose(found.accuracy, sk.accuracy_score(y, predicted, sample_weight=weight), atol=1e-12)


def test_constant_weights_count():
    assert ev.confusion_at([0, 1], [0, 1], 0.5, [3.0, 3.0]) == (3.0, 0.0, 0.0, 3.0)
    assert ev.operating_point([0, 1], [0, 1], [3.0, 3.0]).confusion == (3.0, 0.0, 0.0, 3.0)
    assert ev.area_under_lift([0, 1], [0, 1], [3.0, 3.0], normalized=False) == 2.25
    assert np.isnan(ev.confusion_at([1, 1], [0, 1], 0.5).fpr)


def test_a_rate_may_be_as_large_as_is_allowed_or_as_small_as_is_asked():
    y, scores = [1, 0, 1, 0, 0, 1, 0], [9, 8, 7, 6, 5, 4, 3]
    assert ev.operating_point(y, scores, criterion="max_fpr", value=0.5).threshold == 7
    assert ev.operating_point(y, scores, criterion="max_fpr", value=0.25).threshold == 7
    assert ev.operating_point(y, scores, criterion="max_fpr", value=0.75).threshold == 4
    assert ev.operating_point(y, scores, criterion="min_recall", value=2 / 3).threshold == 7
    assert ev.operating_point(y, scores, criterion="cost", value=5.0).threshold == 4
    assert ev.operating_point(y, scores, criterion="cost", value=0.5).threshold == 9


def test_the_best_f_score_is_the_best_of_all_thresholds():
    for y, scores, weight in random_cases(seed=1):
        for beta in (0.5, 1.0, 2.0):
            each = [ev.f_beta(y, scores, weight, beta=beta, threshold=t) for t in scores]
            assert_allclose(ev.f_beta(y, scores, weight, beta=beta), np.nanmax(each), atol=1e-12)


def test_break_even_point():
    for y, scores, _ in random_cases(seed=2):
        drawn = np.random.default_rng(0).random((4000, len(y)))
        order = np.lexsort((drawn, np.broadcast_to(-scores, drawn.shape)))
        expected = np.mean(y[order[:, : y.sum()]])  # ties broken at random
        assert_allclose(ev.prbep(y, scores), expected, atol=0.02)


def brute_points(y, scores, weight):
    for threshold in (np.inf, *np.unique(scores[weight > 0])[::-1]):
        yield threshold, ev.confusion_at(y, scores, threshold, weight)


def test_operating_points_are_the_best_of_all_thresholds():
    for y, scores, weight in random_cases(seed=3, infinite=False):
        points = [c for _, c in brute_points(y, scores, weight)]
        youden = ev.operating_point(y, scores, weight).confusion
        assert_allclose(youden.recall - youden.fpr, max(c.recall - c.fpr for c in points), atol=1e-12)
        cost = ev.operating_point(y, scores, weight, criterion="cost", value=3.0).confusion
        assert_allclose(cost.fp + 3 * cost.fn, min(c.fp + 3 * c.fn for c in points), atol=1e-12)
        few = ev.operating_point(y, scores, weight, criterion="max_fpr", value=0.3).confusion
        assert few.fpr <= 0.3
        assert_allclose(few.recall, max(c.recall for c in points if c.fpr <= 0.3), atol=1e-12)
        many = ev.operating_point(y, scores, weight, criterion="min_recall", value=0.7).confusion
        assert many.recall >= 0.7
        assert_allclose(many.fpr, min(c.fpr for c in points if c.recall >= 0.7), atol=1e-12)


def test_the_confusion_is_that_of_the_threshold():
    for y, scores, weight in random_cases(seed=4):
        for criterion, value in (("youden", None), ("cost", 1.0), ("max_fpr", 0.5), ("min_recall", 0.5)):
            point = ev.operating_point(y, scores, weight, criterion=criterion, value=value)
            if point.threshold < np.inf:
                assert_allclose(point.confusion, ev.confusion_at(y, scores, point.threshold, weight), atol=1e-12)
            assert "recall" in str(point)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "best"}, "criterion='best': expected one of 'youden'"),
        ({"value": 0.5}, "needs none"),
        ({"criterion": "max_fpr"}, "value=None: expected a number from 0 to 1"),
        ({"criterion": "min_recall", "value": 1.5}, "value=1.5"),
        ({"criterion": "cost", "value": -1}, "value=-1"),
    ],
)
def test_bad_criteria_say_what_is_wrong(options, message):
    with pytest.raises(ValueError, match=message):
        ev.operating_point([0, 1], [1, 2], **options)


def test_a_threshold_is_a_number():
    with pytest.raises(ValueError, match="threshold is NaN"):
        ev.confusion_at([0, 1], [1, 2], float("nan"))
