"""Errata of the paper on FSAUC."""

import numpy as np
import pytest
from scipy.stats import chi2, combine_pvalues

import aucmax
from aucmax import FSAUC
from aucmax.algorithms.fsauc import CENTRE, lemma_1
from aucmax.algorithms.solam import dual_at
from aucmax.bench.suite import suite_of
from aucmax.kernel.moments import positive_share
from aucmax.model.base import checked_data
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


def test_fsauc_sign_of_lemma_3(monkeypatch):
    """Whatever w, alpha begins at the difference of the class means along it, negatives first: algorithm 2, line 8."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(1, 1, (8000, 3)), np.repeat([1, -1], 4000)
    X[y < 0] -= 2.0
    A = np.full(3, -2.0)  # E[x|y=-1] - E[x|y=1]
    data = checked_data(X, y.astype(np.int8), np.ones(8000))
    for w in np.eye(3):
        assert dual_at(w, data).alpha == pytest.approx(A @ w, abs=0.1)  # by lemma 3 it would be 2
    monkeypatch.setattr(aucmax.algorithms.fsauc, "FIRST_STAGE", 100)
    order = rng.permutation(8000)[:101]
    scalars, w = FSAUC(10.0).partial_fit(X[order], y[order])._stream.machine[2:0:-1]
    pos, neg = (X[order[:101]][y[order] == sign].mean(axis=0) for sign in (1, -1))
    centre = w.w.v[:, CENTRE]
    assert scalars.stage.number == 2
    assert scalars.stage.start.alpha == pytest.approx((neg - pos) @ centre, rel=0.02)
    assert scalars.stage.start.alpha < -0.01


def test_fsauc_stage_too_short_for_lemma_1():
    """On w8a the paper's own stages make D the root of a negative number when δ = 0.1; its remark does not see it."""
    _, T = stages(49749)
    p = 0.0297
    assert np.sqrt(np.log(2 / 0.1) / T) < p  # the remark after lemma 1
    assert p * T - np.sqrt(2 * T * CONFIDENCE) < 0
    assert p - np.sqrt(2 * CONFIDENCE / T) < 0
    assert np.isfinite(lemma_1(1.0, 1.0, float(T), p)).all()


def test_fsauc_third_line_of_algorithm_3():
    """After line 3 p̂ is no share of anything; the share that the library's steps use is that of line 6."""
    X, y = make_problem(n=60, d=4)
    model, p, pos, neg = FSAUC(10.0), 0.0, 0, 0
    for i, label in enumerate(y):
        p += label > 0  # line 3
        pos, neg = pos + (label > 0), neg + (label < 0)
        assert label < 0 or p >= 1  # more than any share, before line 6
        p = pos / (pos + neg)  # line 6
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[-1, 1])
        if pos and neg:
            assert positive_share(model._stream.machine.scalars.seen) == pytest.approx(p)
    assert 0.1 < p < 0.5


def test_fsauc_deviations_of_one_split():
    """Table 2: the AUC of random test parts of these sizes varies more than FSAUC's, whatever the scores."""
    table = {  # test rows and share of positives by table 1; what part of its file the test rows are
        "a9a": (8141, 0.2408, 1 / 2),
        "ijcnn1": (23616, 0.0949, 1 / 6),
        "covtype.binary": (96836, 0.5119, 1 / 6),
        "HIGGS": (1833334, 0.5298, 1 / 6),
        "w8a": (7476, 0.0297, 1 / 2),
        "real-sim": (12052, 0.3068, 1 / 6),
        "rcv1.binary": (116274, 0.5241, 1 / 6),
        "news20.binary": (3333, 0.5029, 1 / 6),
    }

    def least(where, method):
        auc, (rows, p, part) = suite_of("fsauc-2").published[where, method].auc, table[where]
        return least_deviation(auc, p * rows, (1 - p) * rows) * np.sqrt(1 - part)

    def chance(where, method):
        return chi2.cdf(4 * (suite_of("fsauc-2").published[where, method].std / least(where, method)) ** 2, 4)

    assert 0.0022 < least("a9a", "FSAUC") < 0.0023
    assert 0.0011 < least("covtype.binary", "FSAUC") < 0.0012
    assert 0.0001 < chance("a9a", "FSAUC") < 0.00015
    assert 0.0035 < chance("covtype.binary", "FSAUC") < 0.0045
    together = combine_pvalues([chance(where, "FSAUC") for where in table], method="fisher").pvalue
    assert together < 2e-6
    for method, p in (("SOLAM-l1", 0.80), ("OPAUC", 0.41)):  # no evidence
        assert chance("covtype.binary", method) == pytest.approx(p, abs=0.01)
