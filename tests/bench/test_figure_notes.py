"""The caption of a figure says what is in it."""

import numpy as np
import pytest

from aucmax.bench.errata import errata
from aucmax.bench.figures import _drawn, figure_plans, note_of
from aucmax.bench.suite import Entry, suite_of
from tests.conftest import make_problem


@pytest.mark.parametrize("name", figure_plans())
def test_notes_name_every_curve_its_parameters_and_the_bands(name):
    plan = figure_plans()[name]
    entry = Entry("some", ("some",), plan.get("columns", "range"), plan.get("rows", "unit"), "")
    note = note_of(plan, entry, 3)
    assert "means over 3 random 80/20 splits, bands reach from the least to the greatest" in note
    for curve in plan["curves"]:
        assert f"{curve['name']}: " in note
        assert all(f"{key}={value}" in note for key, value in curve["params"].items())


def test_a_drawn_figure_has_its_note():
    X, y = make_problem(n=80, d=3)
    y = (y > 0).astype(np.int8)
    plan = {"title": "t", "along": ["iteration", "seconds"], "note": "A word."}
    plan["curves"] = [{"name": "S", "estimator": "SPAM", "params": {"max_iter": 2}}]
    entry = Entry("some", ("some",), "range", "unit", "")
    notes = [figure["note"] for figure in _drawn("f", plan, entry, [(X, y, X, y)])]
    assert all(note.startswith("A word. Lines are means over 1 random") for note in notes)
    assert [note.endswith("Seconds are medians over the splits.") for note in notes] == [False, True]


def test_the_figure_of_fsauc_steps_as_its_table_does():
    table = suite_of("fsauc-2").algorithms
    curves = {curve["name"]: curve["params"] for curve in figure_plans()["fsauc-1"]["curves"]}
    for name in ("FSAUC", "SOLAM", "SOLAM-l1"):
        assert curves[name]["scale"] == table[name].fixed["scale"] == "none"


def test_some_errata_are_remarks():
    remarks = [entry["where"].split(".")[0] for entry in errata() if entry["kind"] == "remark"]
    assert remarks == ["T21", "T24", "T44", "V5", "F1", "F6", "P5", "P8"]
