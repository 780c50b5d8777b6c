"""Errata of the thesis, chapter 1: measures of a classifier."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import huber
from scipy.stats import mannwhitneyu

from aucmax import evaluate
from aucmax.model.objective import pair_loss

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
    """As printed it jumps where its branches meet; the smooth hinge is the right one of what a pair lacks to 1."""
    apart = np.array([-2.0, -1.01, 0.3, 1.01, 3.0])
    inside = np.abs(apart) <= 1
    for offset, same in ((0.5, True), (1.0, False)):
        loss = np.where(inside, apart**2 / 2, np.abs(apart) - offset)
        assert np.allclose(loss, huber(1.0, apart)) == same
    for lacking in (*apart, 1.0 - 1e-9, 1.0, 1.0 + 1e-9):
        found = pair_loss("smooth_hinge", np.array([1, -1]), np.array([1.0 - lacking, 0.0]), np.ones(2))
        assert found == pytest.approx(huber(1.0, max(lacking, 0.0)))


def test_missed_positives_are_false_negatives():
    """By the words of section 1.2 TP + FP are the positives, so that precision is recall, also for table 1.4."""
    found = evaluate.confusion_at(*labelled(TP, FP, FN, TN), 1.0)
    called = {"FP": FN, "FN": FP}  # a positive that is labelled negative; a negative that is labelled positive
    assert TP / (TP + called["FP"]) == found.recall
    assert found.precision == TP / (TP + FP) != found.recall
    assert evaluate.confusion_at([1, 1, 0], [0.0, 1.0, 0.0], 1.0) == (1, 0, 1, 1)  # tn, fp, fn, tp


def test_accuracy_of_table_1_5():
    """80 % are right in the column Hyp, 60 % at the threshold of the text; the AUC is 1 as the text has it."""
    scores = np.array([0.999, 0.999, 0.992, 0.988, 0.974, 0.955, 0.682, 0.531, 0.480, 0.441])
    y, hypothesis = np.repeat([1, 0], [4, 6]), np.repeat([1, 0], [6, 4])
    assert np.mean(hypothesis == y) == 0.8
    assert evaluate.confusion_at(y, scores, 0.5).accuracy == 0.6
    fitting = [s for s in scores if np.array_equal(scores >= s, hypothesis == 1)]
    assert fitting == [0.955]
    assert evaluate.roc_auc(y, scores) == 1.0


def algorithm_3(y, scores):
    """The thesis's algorithm 3."""
    order = np.argsort(-scores, kind="stable")
    fp = tp = fp_before = tp_before = 0
    area, before = 0.0, -np.inf
    for i in order:
        if scores[i] != before:
            area += (fp - fp_before) * (tp + tp_before) / 2
            before, tp_before, fp_before = scores[i], tp, fp
        tp, fp = tp + (y[i] > 0), fp + (y[i] <= 0)
    area += (fp - fp_before) * (tp + tp_before) / 2
    return area / (tp * fp)


def test_ties_count_half():
    """Definition 1.1 counts ties in full: w = 0 is perfect. Wilcoxon's statistic and algorithm 3 count halves."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 60])
    for values in (1, 3, 50):
        scores = rng.integers(0, values, 100) + 0.3 * y * (values == 50)
        pairs = scores[:40, None] - scores[None, 40:]
        printed, half = np.mean(pairs >= 0), np.mean(pairs > 0) + np.mean(pairs == 0) / 2
        wilcoxon = mannwhitneyu(scores[:40], scores[40:]).statistic / (40 * 60)
        assert algorithm_3(y, scores) == pytest.approx(half) == pytest.approx(wilcoxon)
        assert evaluate.roc_auc(y, scores) == pytest.approx(half)
        assert printed == pytest.approx(half + np.mean(pairs == 0) / 2)
        if values == 1:  # w = 0
            assert (printed, half) == (1.0, 0.5)
