"""The caption of a figure says what is in it."""

import numpy as np
import pytest

from aucmax.bench.errata import errata
from aucmax.bench.figures import _drawn, _entries, figure_plans, note_of
from aucmax.bench.suite import Entry, suite_of
from tests.conftest import make_problem


@pytest.mark.parametrize("name", figure_plans())
def test_notes_name_every_curve_its_parameters_and_the_bands(name):
    plan = figure_plans()[name]
    note = note_of(plan, _entries(plan, plan["sets"][0]), 3)
    assert "means over 3 random 80/20 splits, bands reach from the least to the greatest" in note
    for curve in plan["curves"]:
        assert f"{curve['name']}: " in note
        assert all(f"{key}={value}" in note for key, value in curve["params"].items())


def test_a_drawn_figure_has_its_note():
    X, y = make_problem(n=80, d=3)
    y = (y > 0).astype(np.int8)
    plan = {"title": "t", "along": ["iteration", "seconds"], "note": "A word."}
    plan["curves"] = [{"name": "S", "estimator": "SPAM", "params": {"max_iter": 2}}]
    entries = {"S": Entry("some", ("some",), "range", "unit", "")}
    notes = [figure["note"] for figure in _drawn("f", plan, entries, {"S": [(X, y, X, y)]})]
    assert all(note.startswith("A word. Lines are means over 1 random") for note in notes)
    assert [note.endswith("Seconds are medians over the splits.") for note in notes] == [False, True]


@pytest.mark.parametrize("name", [name for name, plan in figure_plans().items() if "suites" in plan])
def test_figures_of_papers_have_the_rows_and_the_algorithms_of_their_tables(name):
    plan = figure_plans()[name]
    for where in plan["sets"]:
        table = next(suite for suite in map(suite_of, plan["suites"]) if where in suite.sets)
        for curve, entry in _entries(plan, where).items():
            assert entry == table.entry(where, curve)
    for curve in plan["curves"]:
        known = table.algorithms.get(curve["name"])
        if known is not None:
            assert curve["estimator"] == known.estimator
            assert curve["params"].get("scale") == known.fixed.get("scale")


def test_a_note_names_the_curves_whose_rows_are_others():
    plan = figure_plans()["thesis-3a"]
    note = note_of(plan, _entries(plan, "usps"), 3)
    assert "columns as they are, rows as they are; columns as they are, rows divided by their norm" in note
    assert "after their mean is taken off (regSOLAM)." in note


def test_some_errata_are_remarks():
    remarks = [entry["where"].split(".")[0] for entry in errata() if entry["kind"] == "remark"]
    assert remarks == ["T21", "T24", "T44", "V5", "F1", "F6", "P5", "P8"]
