"""Where results come from, and which of quick and full ones a page shows."""

import numpy as np
import pytest

from aucmax.bench import errata as printed
from aucmax.bench.facts import facts_of
from aucmax.bench.rivals import compared, models
from aucmax.bench.store import Store
from tests.bench.test_outcome import add
from tests.conftest import make_problem

RATE = {
    "promised": "slope -1",
    "measured": "slope -1.1",
    "state": "met",
    "note": "",
    "x": [1.0],
    "y": [1.0],
    "log_x": True,
}
DRAWN = {
    "id": "some",
    "title": "Some",
    "x": "steps",
    "y": "AUC",
    "kind": "lines",
    "note": "",
    "log_x": True,
    "log_y": False,
}


@pytest.fixture
def store(tmp_path):
    found = Store(tmp_path / "s.sqlite")
    found.begin()
    return found


def run_by(store, commit, machine):
    store.begin()
    store.db.execute("update run set source = ?, machine = ? where id = ?", (commit, machine, store.run))


def test_the_page_names_the_commits_and_machines_of_what_it_shows(store):
    run_by(store, "aaa", "one")
    add(store, "diabetes", "regSOLAM", 0.9)
    run_by(store, "old", "gone")
    add(store, "splice", "regSOLAM", 0.9, changed=range(5))
    run_by(store, "bbb", "two")
    add(store, "german", "regSOLAM", 0.9, repeats=range(3))
    run_by(store, "ccc", "three")  # a run that left nothing
    facts = facts_of(store, quick=True)
    assert facts["commit"] == "aaa (5 results), bbb (3 results)"
    assert facts["machine"] == "one (5 results), two (3 results)"
    store.add_rival({"set": "a", "library": "x", "model": "y", "seconds": 1.0, "auc": 0.5})
    assert facts_of(store, quick=True)["notes"]["rivals"].endswith("Measured by commit ccc; machine: three.")


def test_quick_and_full_rates_and_figures_lie_beside_each_other(store):
    store.add_rate("A", {"algorithm": "A", **RATE}, quick=True)
    assert [rate["note"] for rate in facts_of(store, quick=False)["rates"]] == ["of a quick run, on fewer rows"]
    store.add_rate("A", {"algorithm": "A", **RATE, "measured": "slope -1.3"})
    for quick, measured in ((True, "slope -1.1"), (False, "slope -1.3")):
        found = facts_of(store, quick)["rates"]
        assert [(rate["measured"], rate["note"]) for rate in found] == [(measured, "")]
    for quick in (True, False, True):
        store.add_figure({**DRAWN, "title": f"quick {quick}", "series": []}, quick)
    for quick in (True, False):
        assert [figure["title"] for figure in store.figures(quick)] == [f"quick {quick}"]


@pytest.mark.parametrize("quick", [True, False])
def test_commands_and_empty_parts_agree_with_quick(store, quick):
    facts = facts_of(store, quick)
    flagged = [line for line in facts["again"] if "--quick" in line]
    assert len(flagged) == (4 if quick else 0)
    assert f"aucmax bench rates{' --quick' * quick} measures it" in facts["notes"]["rates"]
    assert f"aucmax bench figures{' --quick' * quick} draws" in facts["notes"]["figures"]
    assert "aucmax bench times measures it" in facts["notes"]["rivals"]


def test_rivals_are_timed_on_the_same_rows():
    X, y = make_problem(n=400, d=5)
    y = (y > 0).astype(np.int8)
    found = list(compared("some", (X[:300], y[:300]), (X[300:], y[300:])))
    assert [(row["library"], row["model"]) for row in found] == list(models())
    assert {"aucmax", "scikit-learn"} == {row["library"] for row in found}
    assert all(row["auc"] > 0.6 and row["seconds"] >= 0 and row["rows"] == 300 for row in found)


def test_errata_come_from_the_package_first(tmp_path, monkeypatch):
    """As in a wheel, which has no folder docs beside it."""
    assert len(printed.errata()) > 50
    (tmp_path / "errata.md").write_text("## Some\n\n### X1. Here\n\n- **Printed**: `a`.\n- **Right**: b.\n", "utf-8")
    monkeypatch.setattr(printed.resources, "files", lambda _: tmp_path)
    assert printed.errata() == [
        {"where": "X1. Here", "kind": "error", "printed": "`a`.", "right": "b.", "why": "", "test": ""}
    ]
