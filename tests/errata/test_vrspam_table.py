"""Errata of table 2 of the paper on VRSPAM: the printed figures, checked against each other and against the sets."""

import numpy as np
import pytest

from aucmax.bench.errata import errata
from aucmax.bench.sets import load, present
from aucmax.bench.splits import parts_of
from aucmax.bench.suite import suite_of
from tests.errata.real import exact_auc, real

SETS = ("diabetes", "german", "splice", "usps", "letter", "a9a", "w8a", "mnist", "acoustic", "ijcnn1")  # by table 1
METHODS = ("VRSPAM-L2", "VRSPAM-NET", "SPAM-L2", "SPAM-NET", "SOLAM", "OPAUC")
THESIS = ("SPAM-L2", "SPAM-NET", "regSOLAM", "OPAUC")  # the last four in the thesis


def row(name):
    """A row of VRSPAM's table 2: means and standard deviations."""
    return tuple(suite_of("vrspam-2").published[name, method][:2] for method in METHODS)


def of_thesis(name):
    """What the thesis's table 4.2 has for the last four columns."""
    return tuple(suite_of("thesis-4.2").published[name, method][:2] for method in THESIS)


GERMAN, ROW_4, ROW_5 = row("german"), row("usps"), row("letter")
MEANS = [[mean for mean, _ in row(name)] for name in SETS]


def test_vrspam_usps_and_letter_are_swapped():
    """Row 5, letter by table 1, has the thesis's figures of usps; the sets themselves say the same."""
    assert ROW_5[2:] == of_thesis("usps")
    found = {}
    for name in ("usps.t", "letter.scale.t"):
        X, y = real(name)
        X, y = X.toarray(), np.where(y % 2 == 0, 1, -1)
        found[name[:4]] = exact_auc((X[::2], y[::2]), (X[1::2], y[1::2]), 0.1)
    assert ROW_5[0][0] - 0.015 < found["usps"] < ROW_5[0][0]  # with half of the test file to learn from
    assert found["lett"] < ROW_4[0][0] - 0.05 < ROW_5[0][0] - 0.15  # which has classes of another kind, as V14 says
    why = next(entry["why"] for entry in errata() if entry["where"].startswith("V9."))
    assert all(f"{auc:.3f}"[1:] in why for auc in found.values())


def test_vrspam_copied_deviations():
    """Row 4's SPAM figures are german's with .06 added, deviations included; no fold of 4,000 rows varies like that."""
    for mine, other in zip(ROW_4[2:4], GERMAN[2:4], strict=True):
        assert mine[0] - other[0] == pytest.approx(0.06)
        assert mine[1] == other[1]
        most = np.sqrt(mine[0] * (1 - mine[0]) / (0.4 * 9298 / 5))  # of any AUC of folds of usps, of letter less
        assert mine[1] > 2 * most


def test_vrspam_deviation_of_acoustic():
    """Row 9 prints .033 for VRSPAM-NET where all others have .003: more than folds of 15,765 rows allow."""
    most = np.sqrt(0.8052 * (1 - 0.8052) / (0.2 * 78823 / 5))
    assert 4 * most < 0.033
    assert most > 0.0033


def test_vrspam_is_best_in_six_rows():
    best = [int(np.argmax(row)) for row in MEANS]
    assert sum(column < 2 for column in best) == 6  # "almost all"
    assert best[0] == 5  # VRSPAM-NET is in bold


FOUND = {  # the row of the table; the exact minimiser with rows as our table has them, as they are, and as fitted to
    "splice": (2, 0.930, 0.926, 0.932),
    "ijcnn1": (9, 0.935, 0.933, 0.933),
    "w8a": (6, 0.966, 0.962, 0.971),
}


@pytest.mark.parametrize("name", FOUND)
def test_vrspam_beyond_the_exact_minimiser(name):
    """Means above what the exact minimiser of the same objective reaches, even on the very rows it was fitted to."""
    suite, (row, reached, plain, fitted) = suite_of("vrspam-2"), FOUND[name]
    if not present(suite.sets[name]):
        pytest.skip(f"needs the files of {name} in the folder that AUCMAX_DATA names")
    X, y, _ = load(suite.sets[name])
    splits = [parts_of(suite.splits, y, 0, repeat) for repeat in range(suite.quick_repeats)]
    aucs = [exact_auc((X[s.train], y[s.train]), (X[s.test], y[s.test]), 1e-4) for s in splits]
    assert round(np.mean(aucs), 3) == plain
    assert round(exact_auc((X, y), (X, y), 1e-4), 3) == fitted < MEANS[row][0] - 0.01
    assert round(suite.cause(name, "VRSPAM-L2").reach, 3) == reached  # which a test of the suites computes
    entry = next(found for found in errata() if found["where"].startswith("V13."))
    assert all(f"{auc:.3f}"[1:] in entry["right"] for auc in (reached, plain))
    assert f"{fitted:.3f}"[1:] in entry["why"]


def test_solam_on_w8a_beyond_the_exact_minimiser():
    """SOLAM has the same minimiser; half of the rows are enough to see it."""
    X, y = real("w8a")
    X, y = X[::2].toarray(), np.where(y[::2] == y.max(), 1, -1)
    assert exact_auc((X, y), (X, y), 1e-4) < MEANS[6][4] - 0.002


def test_vrspam_compares_other_groups_of_classes():
    """SPAM's, SOLAM's and OPAUC's figures are the thesis's; on usps even against odd is not like other groups."""
    repeated = {name for name in SETS if name not in ("usps", "letter", "w8a") and row(name)[2:] == of_thesis(name)}
    assert repeated == {"diabetes", "german", "splice", "a9a", "mnist", "acoustic", "ijcnn1"}
    X, y = real("usps.t")  # y is the digit and 1
    X = X.toarray()

    def auc(positive):
        labels = np.where(np.isin(y, positive), 1, -1)
        return exact_auc((X[::2], labels[::2]), (X[1::2], labels[1::2]), 0.1)

    even, low, high = auc((1, 3, 5, 7, 9)), auc((1, 2, 3, 4, 5)), auc((1, 3, 4, 6, 7))
    assert low < 0.89 < 0.96 < even < 0.975 < 0.98 < high
