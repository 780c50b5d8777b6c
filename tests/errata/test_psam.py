"""Errata of the paper on PSAM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2

from aucmax import PSAM
from aucmax.bench.suite import suite_of
from tests.algorithms.test_pairwise import drawn_pairs
from tests.conftest import make_problem
from tests.errata.real import real
from tests.errata.test_thesis_tables import least_deviation
from tests.reference.pairwise import hinge, smooth_hinge
from tests.reference.psam import psam

X = np.array([0.6, -0.8])  # a difference of rows


def proximal(w, lam):
    """The closed form of the appendix."""
    return w + lam * np.clip((1 - w @ X) / (lam * (X @ X)), 0, 1) * X


def brute(w, lam):
    """The proximal point along x, by a fine grid."""
    steps = np.linspace(0, 3, 300_001)
    cost = lam * np.maximum(0, 1 - (w @ X + steps * (X @ X))) + steps**2 * (X @ X) / 2
    return w + steps[np.argmin(cost)] * X


def test_psam_derivative_of_the_hinge():
    """Section III.A gives the derivative of the smooth hinge for that of the hinge."""
    margins = np.array([-0.5, 0.25, 0.75, 1.5])
    printed = np.where(1 - margins >= 1, -1, np.where(1 - margins <= 0, 0, margins - 1))
    for loss, same in ((hinge, False), (smooth_hinge, True)):
        slopes = (loss(margins + 1e-6)[0] - loss(margins - 1e-6)[0]) / 2e-6
        assert np.allclose(printed, slopes, atol=1e-5) == same


def test_psam_update_is_the_prox():
    """w - prox(w)/(λ(t + t0)) moves w where the loss is zero already; algorithm 1's w = prox(w) does not."""
    w, lam = 3 * X, 0.1
    assert 1 - w @ X < 0
    assert_allclose(proximal(w, lam), w)
    assert np.linalg.norm(w - proximal(w, lam) / (lam * 100) - w) > 0.1


@pytest.mark.parametrize(("start", "lam"), [(0.0, 0.3), (3.0, 0.3), (0.5, 5.0)])
def test_psam_prox_is_no_projection(start, lam):
    """The appendix's closed form is right, its equality with a projection on w·x = 1 holds in one case of three."""
    w = start * X
    assert_allclose(proximal(w, lam), brute(w, lam), atol=1e-4)
    projection = w - (w @ X - 1) / (X @ X) * X
    assert np.allclose(proximal(w, lam), projection) == (0 < (1 - w @ X) / (lam * (X @ X)) < 1)


def test_psam_regularises_every_rskip_steps():
    """rcount < 0 is one step more in every round than the text's rskip, and shrinks by less than the penalty asks."""

    def due(last, skip, steps):
        """The steps after which algorithm 1's counter regularises."""
        count, found = skip, []
        for t in range(1, steps + 1):
            count -= 1
            if count <= last:
                found.append(t)
                count = skip
        return found

    # the penalty at every step shrinks w by 1 - 1/(t + t0); in rounds the product of all shrinkages is to be the same
    t0, skip, steps = 1000, 16, 34_000
    wanted = np.log1p(-1 / (np.arange(1, steps + 1) + t0)).sum()
    right, printed = (np.log1p(-skip / (np.array(due(last, skip, steps)) + t0)).sum() for last in (0, -1))
    assert right == pytest.approx(wanted, rel=0.005)
    assert printed == pytest.approx(wanted * skip / (skip + 1), rel=0.005)
    # the library's steps, against the paper's with either counter
    rows, y = make_problem(n=150, d=8, seed=2)
    pairs = drawn_pairs(rows, y, 3, 2)
    model = PSAM(0.5, skip, skip, max_iter=2, tol=None, random_state=3).fit(rows, y)
    away = [np.abs(model.coef_[0] - psam(rows, pairs, 0.5, due=due(last, skip, len(pairs)))).max() for last in (0, -1)]
    assert away[0] < 1e-9 * np.abs(model.coef_).max()
    assert away[1] > 1e-4 * np.abs(model.coef_).max()


def test_psam_first_step_without_t0():
    """With t0 = 1 the grid's γ gives first steps of 5·10⁶ and more; with t0 = 1/γ, as here, of at most one."""
    for gamma in 10.0 ** np.arange(-10, -6):
        assert 1 / (gamma * 2) >= 5e6
        assert 1 / (gamma * (1 + 1 / gamma)) <= 1
    rows, y = make_problem(n=300, d=6)
    assert PSAM(1e-8, random_state=0).fit(rows, y).score(rows, y) > 0.9


def test_psam_splits_of_table_1():
    """a9a and news20 come with test files, yet table I divides their training files."""
    table = {"a9a": (26048, 6513, 32561), "news20": (12748, 3187, 15935)}
    for train, test, given in table.values():
        assert train + test == given
        assert train == int(0.8 * given)
    assert [len(real(name)[1]) for name in ("a9a", "a9a.t", "news20.t")] == [32561, 16281, 3993]


def test_psam_is_not_always_ahead():
    """Table II, figures that the scan leaves clear, against the text's claim to outperform the online methods."""
    table = {  # CBR-FIFO, SOLAM, ASAM, PSAM
        "cod-rna": (98.893, 98.770, 98.900, 98.687),
        "susy": (85.953, 83.525, 85.820, 85.950),
        "aloi": (81.576, 73.846, 80.311, 80.993),
        "news20": (98.619, 97.605, 97.904, 98.182),
    }
    for *others, ours in table.values():
        assert ours < max(others)
    assert all(table["cod-rna"][3] < other for other in table["cod-rna"][:3])


def test_psam_deviations_of_one_split():
    """Table II: the AUC of random fifths of these sets varies more than printed, whatever the scores."""
    cases = {("a9a", "PSAM"): (32561, 0.2408), ("a9a", "SOLAM"): (32561, 0.2408), ("farm-ads", "PSAM"): (4143, 0.5334)}
    cases["spambase", "CBR-FIFO"] = (4601, 0.394)
    for key, (rows, p) in cases.items():
        printed = suite_of("psam-ii").published[key]
        least = least_deviation(printed.auc, p * rows / 5, (1 - p) * rows / 5) * np.sqrt(0.8)
        assert least > 0.003
        assert chi2.cdf(4 * (printed.std / least) ** 2, 4) < 1e-3


def test_psam_halves_of_classes_are_balanced():
    """Any half of the classes of these sets has nearly half of the rows; of covtype it may have few."""
    smaller = {}
    for name in ("mnist.t", "news20", "sector.scale", "covtype"):
        counts = np.sort(np.unique(real(name)[1], return_counts=True)[1])
        smaller[name] = counts[: len(counts) // 2].sum() / counts.sum()
    assert smaller["mnist.t"] > 0.47
    assert smaller["news20"] > 0.498
    assert smaller["sector.scale"] > 0.41
    assert smaller["covtype"] < 0.1
