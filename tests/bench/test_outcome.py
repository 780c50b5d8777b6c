"""What counts of a store: whole figures, of suites as they are now."""

import csv

import numpy as np
import pytest
from scipy import stats

from aucmax.bench.cell import SHIPPED, TUNED, Cell, asked
from aucmax.bench.export import _figure
from aucmax.bench.facts import facts_of
from aucmax.bench.outcome import deviation, interval, judged, rows_of
from aucmax.bench.rates import _sloped
from aucmax.bench.store import Store
from aucmax.bench.suite import suite_of
from aucmax.bench.summary import summary
from aucmax.cli import main

SUITE = "thesis-3.2"


def result(auc):
    return {"auc": auc, "seconds": 0.1, "choosing": 0.1, "rows": 10, "tested": 10, "params": {"l2": 0.1}, "folds": []}


def add(store, where, algorithm, auc, *, kind=TUNED, repeats=range(5), changed=(), failed=(), suite=SUITE):
    """Keep the cells of a figure; some asked by another suite than today's, some failed."""
    for repeat in repeats:
        cell = Cell(suite, where, algorithm, kind, repeat, True)
        text = "another suite" if repeat in changed else asked(cell, suite_of(suite))
        lost = repeat in failed
        store.add(cell, text, None if lost else result(auc), "Traceback\nValueError: no" if lost else None)


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "s.sqlite")
    found.begin()
    return found


def row(store, where, algorithm="OPAUC", suite=SUITE):
    found = rows_of(suite_of(suite), store.cells(suite, True), True)
    return next(row for row in found if (row.set, row.algorithm) == (where, algorithm))


def test_the_interval_of_a_mean_is_students():
    found = [0.81, 0.84, 0.79, 0.9]
    expected = stats.t.interval(0.95, 3, np.mean(found), stats.sem(found))
    assert interval(found) == pytest.approx(expected)
    assert interval([0.99, 0.6])[1] == 1.0
    assert interval([0.9]) == (None, None)


def test_a_slope_may_be_flatter_by_its_error_alone():
    t = np.logspace(0, 5, 50)
    early = np.where(t < 1000.0, 1.0, t)  # what comes before does not count
    for power, state in ((-0.7, "met"), (-0.41, "met"), (-0.39, "not met"), (-0.1, "not met")):
        rate = _sloped("SOLAM", -0.5, t, early**power)
        assert (rate.state, rate.measured) == (state, f"slope {power:.2f}")


def test_results_are_judged_by_one_printed_deviation():
    for ours, word in ((0.91, "better"), (0.9, "reproduced"), (0.88, "reproduced"), (0.8799, "short")):
        assert judged(ours, 0.9, 0.02) == word
    assert judged(0.8999, 0.9, None) == "short"


def test_results_of_a_changed_suite_do_not_count(store, tmp_path, capsys):
    add(store, "diabetes", "OPAUC", 0.99, changed=range(5))
    add(store, "german", "OPAUC", 0.99, changed=(1, 2))
    found = row(store, "diabetes")
    assert (found.state, found.ours, found.aside) == ("not run", None, 5)
    assert found.cause == "5 older results are left aside: the suite has changed since"
    found = row(store, "german")
    assert (found.state, found.runs, found.planned) == ("unfinished", 3, 5)
    assert found.cause.startswith("3 of 5 runs; 2 older results")
    lines = facts_of(store, quick=True)["summary"]["lines"]
    assert "7 older results are left aside" in " ".join(lines)
    path = ["--store", str(store.path), "--quick"]
    assert main(["bench", "export", SUITE, *path, "-o", str(tmp_path / "cells.csv")]) == 0
    assert len(list(csv.DictReader((tmp_path / "cells.csv").read_text().splitlines()))) == 3
    assert "7 older" in capsys.readouterr().out
    assert main(["bench", "show", SUITE, *path]) == 0
    said = capsys.readouterr().out
    assert "3 of 5 runs  unfinished" in said
    assert "0 of 5 runs  not run  (5 older results" in said


def test_a_figure_counts_when_all_its_runs_are_there(store):
    add(store, "diabetes", "OPAUC", 0.99, repeats=range(4))
    add(store, "german", "OPAUC", 0.99, failed=(2,))
    add(store, "splice", "OPAUC", 0.99)
    add(store, "splice", "OPAUC", 0.98, kind=SHIPPED, repeats=range(4))
    assert (row(store, "diabetes").state, row(store, "diabetes").cause) == ("unfinished", "4 of 5 runs")
    assert (row(store, "german").state, row(store, "german").cause) == ("failed", "1 of 5 runs failed: ValueError: no")
    assert [row(store, where).judged for where in ("diabetes", "german", "splice")] == ["", "", "better"]
    assert row(store, "splice").shipped is None
    add(store, "diabetes", "OPAUC", 0.99, repeats=[4])
    add(store, "splice", "OPAUC", 0.98, kind=SHIPPED)
    assert row(store, "diabetes").state == "better"
    assert row(store, "splice").shipped == pytest.approx(0.98)


def test_runs_that_were_asked_for_once_do_not_count(store):
    """Of figures that are not comparable a quick run makes one repeat; it made five."""
    add(store, "mnist", "OPAUC", 0.9)
    found = row(store, "mnist")
    assert (found.state, found.runs, found.aside) == ("not comparable", 1, 0)


def test_the_summary_counts_all_figures_on_sets_at_hand(store):
    add(store, "diabetes", "OPAUC", 0.99)  # better
    add(store, "german", "OPAUC", 0.5)  # short
    add(store, "mnist", "OPAUC", 0.99, repeats=[0])  # not comparable, above
    add(store, "usps", "OPAUC", 0.5, repeats=[0])  # not comparable, below
    add(store, "a9a", "OPAUC", 0.898, suite="fsauc-2")  # a known cause
    add(store, "splice", "OPAUC", 0.99, repeats=[0])  # unfinished
    rows = [*rows_of(suite_of(SUITE), store.cells(SUITE, True), True), row(store, "a9a", "OPAUC", "fsauc-2")]
    lines = summary(rows, quick=False)["lines"]
    assert lines[0] == (
        "Of 69 printed figures 63 are on sets at hand. Ours reach the printed mean minus one printed standard "
        "deviation for 2 of these 63, 2 of them above the printed mean; 3 fall short."
    )
    assert lines[1].startswith("Why they fall short: they cannot be compared, by the rule below")
    assert "(not comparable): 1; a cause that stands beside the figure and that a test shows: 1;" in lines[1]
    assert lines[1].endswith("; no cause is known: 1.")
    assert lines[2].startswith("1 of 3 figures that can be compared reach that bound, 1 are above")
    assert lines[2].endswith("Of the 2 that cannot, 1 do.")
    assert lines[3].startswith("Whether a figure can be compared is decided by one rule")
    assert lines[3].endswith(
        "(how many figures, and how many for no other reason): the files at hand do not hold the paper's rows and "
        "columns: 12 (4); which of several classes are in which of the two groups is not given: 26 (6); an option "
        "that the paper leaves open was chosen knowing test figures: 24 (10); the scale of the columns or rows is not "
        "given, or is another one here: 8 (4)."
    )
    assert lines[4] == "Of the figures on sets at hand, 1 unfinished, 57 not run; these count as neither."


def test_shortfalls_name_their_tests(store):
    add(store, "a9a", "OPAUC", 0.898, suite="fsauc-2")
    add(store, "german", "OPAUC", 0.5)
    known, plain = row(store, "a9a", "OPAUC", "fsauc-2"), row(store, "german")
    assert known.tests == "test_fsauc_deviations_of_one_split"
    assert known.below == pytest.approx(0.90035 - 0.00045 - 0.898)
    assert (plain.tests, plain.below > 0.1) == ("", True)
    add(store, "german", "OPAUC", 0.99)
    assert row(store, "german").below is None


def test_what_cannot_be_compared_says_why_and_keeps_its_cause(store):
    """All criteria that a figure fails, and the cause of a shortfall beside them, whether ours is better or worse."""
    for auc, cause in ((0.9999, ""), (0.9349, "; printed above the exact minimiser")):
        add(store, "ijcnn1", "VRSPAM-L2", auc, repeats=[0], suite="vrspam-2")
        found = row(store, "ijcnn1", "VRSPAM-L2", "vrspam-2")
        assert (found.state, found.fails) == ("not comparable", ("rows", "scale"))
        assert found.cause.startswith("the paper has 141,691 rows of 22 columns, the files at hand have 49,990 of 22; ")
        assert ("; printed above the exact minimiser" in found.cause) == bool(cause)
    assert found.tests.endswith("test_norms_of_rows_depend_on_the_scale_of_columns, test_what_exact_minimisers_reach")


@pytest.mark.parametrize(
    ("std", "text"),
    [
        *((0.0, "0.0000"), (0.00003, "0.00003"), (0.00047, "0.00047"), (0.0009, "0.0009"), (0.0276, "0.0276")),
        *((0.00143, "0.0014"), (0.0000349, "0.000035"), (1e-12, "0.000000000")),
    ],
)
def test_a_small_deviation_is_not_rounded_away(std, text):
    assert deviation(std) == text
    assert _figure(0.5, std) == rf"0.5000 $\pm$ {text}"
