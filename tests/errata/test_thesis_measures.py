"""Errata of the thesis, chapter 1: measures of a classifier."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import huber

from aucmax import evaluate

TP, FP, FN, TN = 1, 11, 9, 979  # the thesis's table 1.4


def labelled(tp, fp, fn, tn):
    """Labels and scores with this confusion matrix at the threshold 1."""
    y = np.repeat([1, 0, 1, 0], [tp, fp, fn, tn])
    return y, np.repeat([1.0, 1.0, 0.0, 0.0], [tp, fp, fn, tn])


def test_false_positive_rate_divides_by_the_negatives():
    found = evaluate.confusion_at(*labelled(TP, FP, FN, TN), 1.0)
    assert FP / (TP + FN) > 1  # eq. 1.4: no rate
    assert found.fpr == FP / (FP + TN)
    assert found.fpr != pytest.approx(FN / (FP + TN))  # section 1.3


def test_break_even_point():
    """Precision equals recall where FP = FN; eq. 1.7 only says that the classes are equally large."""
    rng = np.random.default_rng(0)
    for tp, fp, fn, tn in rng.integers(1, 9, (500, 4)):
        found = evaluate.confusion_at(*labelled(tp, fp, fn, tn), 1.0)
        assert (abs(found.precision - found.recall) < 1e-12) == (tp + fn == tp + fp)
    even = evaluate.confusion_at(*labelled(1, 1, 3, 3), 1.0)
    assert even.tp + even.fn == even.fp + even.tn
    assert even.precision != even.recall
    assert evaluate.prbep(*labelled(3, 1, 1, 9)) == 0.75  # TP + FN = 4, FP + TN = 10


def test_f_score_weighs_missed_positives():
    tp, fp, fn, beta = 6, 3, 5, 2.0
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    harmonic = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    printed = (1 + beta**2) * tp / ((1 + beta**2) * tp + fp + fn)
    assert evaluate.f_beta(*labelled(tp, fp, fn, 4), beta=beta, threshold=1.0) == pytest.approx(harmonic)
    assert abs(printed - harmonic) > 0.05


def test_recall_ignores_the_class_ratio():
    once = evaluate.confusion_at(*labelled(6, 3, 5, 4), 1.0)
    more = evaluate.confusion_at(*labelled(6, 30, 5, 40), 1.0)  # ten times the negatives, the same classifier
    assert more.recall == once.recall
    assert more.precision < once.precision


def test_best_area_under_a_lift_chart():
    y = np.array([1, 1, 0, 0, 0])
    areas = [evaluate.area_under_lift(y, np.array(s), normalized=False) for s in permutations(range(5))]
    assert max(areas) == pytest.approx(2 * (1 - 0.4 / 2))
    assert max(areas) < 2 - 0.3  # the P of section 1.2


def test_huber_loss_is_continuous():
    apart = np.array([-2.0, -1.01, 0.3, 1.01, 3.0])
    inside = np.abs(apart) <= 1
    for offset, same in ((0.5, True), (1.0, False)):
        loss = np.where(inside, apart**2 / 2, np.abs(apart) - offset)
        assert np.allclose(loss, huber(1.0, apart)) == same
