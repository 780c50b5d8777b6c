"""Errata of the paper on FSAUC."""

import numpy as np
import pytest
from scipy.stats import chi2

from aucmax import FSAUC
from aucmax.algorithms.fsauc import lemma_1
from aucmax.bench.suite import suite_of
from tests.conftest import make_problem
from tests.errata.test_thesis_tables import least_deviation

CONFIDENCE = np.log(12 / 0.1)


def stages(n):
    """The number of stages and their length, algorithm 1, line 1."""
    m = int(0.5 * np.log2(2 * n / np.log2(n))) - 1
    return m, n // m


def test_fsauc_step_recursion():
    """From the first stage to the second the step grows, on every set of the paper's table 1."""
    table = {"a9a": (32561, 0.2408), "ijcnn1": (94460, 0.0949), "covtype": (387341, 0.5119), "w8a": (49749, 0.0297)}
    for n, p in table.values():
        beta = lemma_1(1.0, 1.0, float(stages(n)[1]), p)[1]
        assert np.sqrt(beta / 9) / 2 > 20
    X, y = make_problem(n=400, d=8)
    found = [FSAUC(10.0, how, step=1.0, random_state=0).fit(X, y).objective(X, y) for how in ("halving", "paper")]
    assert found[0] < 0.8 * found[1]


def test_fsauc_roots_end_before_kappa_and_g():
    """As far as the scan shows, roots reach over G and κ: then neither the step nor the reach D does its work."""
    zeta, r, G, T = 9.0, 3.0, 50.0, 1000

    def bound(eta):
        return zeta * r**2 / (eta * T) + 3 * eta * G**2

    assert bound(np.sqrt(zeta) * r / (np.sqrt(3 * T) * G)) == pytest.approx(2 * np.sqrt(3 * zeta) * r * G / np.sqrt(T))
    assert bound(np.sqrt(zeta) * r / np.sqrt(3 * T * G)) > 3 * 2 * np.sqrt(3 * zeta) * r * G / np.sqrt(T)
    kappa = 4.0
    A = np.array([-2 * kappa, 0.0])  # the difference of class means at -κ and κ
    moved = abs(A @ (np.array([r, 0.0]) - np.zeros(2)))  # alpha's way when w moves by r
    assert 2 * np.sqrt(2 * kappa) * r < moved <= 2 * np.sqrt(2) * kappa * r


def test_fsauc_sign_of_lemma_3():
    rng = np.random.default_rng(0)
    pos, neg = rng.normal(1, 1, (4000, 3)), rng.normal(-1, 1, (4000, 3))
    A = np.full(3, -2.0)  # E[x|y=-1] - E[x|y=1]
    box = neg.mean(axis=0) - pos.mean(axis=0)  # algorithm 2, line 8
    assert np.linalg.norm(box - A) < 0.1
    assert np.linalg.norm(-box - A) > 6  # lemma 3


def test_fsauc_stage_too_short_for_lemma_1():
    """On w8a the paper's own stages make D the root of a negative number when δ = 0.1; its remark does not see it."""
    _, T = stages(49749)
    p = 0.0297
    assert np.sqrt(np.log(2 / 0.1) / T) < p  # the remark after lemma 1
    assert p * T - np.sqrt(2 * T * CONFIDENCE) < 0
    assert p - np.sqrt(2 * CONFIDENCE / T) < 0
    assert np.isfinite(lemma_1(1.0, 1.0, float(T), p)).all()


def test_fsauc_third_line_of_algorithm_3():
    """Line 3 adds to p̂ what line 6 then overwrites."""
    shares = []
    for third in (True, False):
        p = pos = neg = 0.0
        for label in (1, -1, -1, 1, -1):
            p += third * (label > 0)
            pos, neg = pos + (label > 0), neg + (label < 0)
            p = pos / (pos + neg)
        shares.append(p)
    assert shares == [0.4, 0.4]


def test_fsauc_deviations_of_one_split():
    """Table 2: the AUC of random test parts of these sizes varies more than printed, whatever the scores."""
    cases = {"a9a": (16281, 0.2362, 2), "covtype.binary": (581012, 0.4876, 6)}  # rows, share of positives, parts
    for where, (rows, p, parts) in cases.items():
        printed = suite_of("fsauc-2").published[where, "FSAUC"]
        test = rows / parts
        least = least_deviation(printed.auc, p * test, (1 - p) * test) * np.sqrt(1 - 1 / parts)
        assert least > (0.0022 if where == "a9a" else 0.0011)
        assert chi2.cdf(4 * (printed.std / least) ** 2, 4) < 1e-2
        if where == "a9a":
            assert chi2.cdf(4 * (printed.std / least) ** 2, 4) < 1e-3
