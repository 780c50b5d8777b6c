"""Cells are run once each, failures are noted, a killed run goes on, and the same numbers come out."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

from aucmax import PSAM, KMeansNystroem
from aucmax.bench.cell import SHIPPED, TUNED, Cell, Rows, _held_out, _said, asked, run_cell, share
from aucmax.bench.comparable import repeats_of
from aucmax.bench.facts import _timing, facts_of
from aucmax.bench.outcome import interval, judged, rows_of, tally
from aucmax.bench.rates import measured_rates
from aucmax.bench.runner import How, Plan, run_plans
from aucmax.bench.sets import Problem, load, present, read
from aucmax.bench.splits import parts_of
from aucmax.bench.store import Store, machine, source
from aucmax.bench.suite import suite_of
from aucmax.bench.times import SCORED, _facts, seconds_of
from aucmax.cli import main
from aucmax.report import page
from tests.conftest import make_problem
from tests.kill.bench import group_is_gone

SUITE = "thesis-3.2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file of the name and the width of a set."""
    found = tmp_path_factory.mktemp("sets")
    X, y = make_problem(n=150, d=8)
    X[0] = 1.0
    lines = (f"{k} " + " ".join(f"{j + 1}:{x[j]:.6g}" for j in np.flatnonzero(x)) for x, k in zip(X, y, strict=True))
    (found / "diabetes").write_text("\n".join(lines))
    return found


def plan(*algorithms):
    return Plan(suite_of(SUITE), True, (), algorithms)


def results(store):
    return {cell["key"]: (cell["auc"], cell["params"]) for cell in store.cells()}


def silent(cell, outcome):
    pass


def test_a_run_and_another(folder, tmp_path):
    store = Store(tmp_path / "s.sqlite")
    store.begin()
    said = []
    failed = run_plans([plan("B-LS-SVM")], store, How(2, folder), lambda cell, text: said.append((cell.key, text)))
    assert failed == 0
    assert len(said) == len({key for key, _ in said}) == 2 * suite_of(SUITE).quick_repeats
    found = results(store)
    assert all(0.5 < auc <= 1 for auc, _ in found.values())
    assert {len(cell["folds"]) for cell in store.cells()} == {0, 3}
    run_plans([plan("B-LS-SVM")], store, How(1, folder), lambda *_: pytest.fail("a cell was run twice"))
    other = Store(tmp_path / "other.sqlite")
    other.begin()
    run_plans([plan("B-LS-SVM")], other, How(1, folder), silent)
    assert results(other) == found


def test_a_digest_holds_what_is_said_and_no_defaults():
    entry = suite_of("psam-iii").sets["susy"]
    assert "landmarks" in _said(entry)
    assert "landmarks" not in _said(entry._replace(landmarks=None))


def test_cells_of_a_changed_suite_run_anew(folder, tmp_path):
    """Those that the change is about, and no others."""
    store = Store(tmp_path / "s.sqlite")
    store.begin()
    run_plans([plan("B-LS-SVM", "SOLAM")], store, How(1, folder), silent)
    suite = suite_of(SUITE)
    other = suite.algorithms["B-LS-SVM"]._replace(quick={"l2": [2.0]})
    changed = Plan(suite._replace(algorithms={**suite.algorithms, "B-LS-SVM": other}), True, (), ("B-LS-SVM", "SOLAM"))
    said = []
    run_plans([changed], store, How(1, folder), lambda cell, _: said.append((cell.algorithm, cell.kind)))
    assert set(said) == {("B-LS-SVM", TUNED)}
    assert all(c["params"]["l2"] == 2.0 for c in store.cells() if (c["algorithm"], c["kind"]) in said)


def test_suites_share_what_is_read_and_large_sets_come_first(folder, tmp_path, monkeypatch):
    X, y = make_problem(n=60, d=2)
    X[0] = 1.0
    lines = (f"{k} " + " ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(x)) for x, k in zip(X, y, strict=True))
    both = tmp_path / "sets"
    both.mkdir()
    (both / "diabetes").write_text((folder / "diabetes").read_text())
    (both / "fourclass_scale").write_text("\n".join(lines))
    seen = []
    monkeypatch.setattr(
        "aucmax.bench.runner.read", lambda entry, data_dir: seen.append(entry.files) or read(entry, data_dir)
    )
    store = Store(tmp_path / "s.sqlite")
    store.begin()
    suites = [suite_of(name)._replace(quick_repeats=1) for name in ("thesis-3.2", "thesis-4.2", "thesis-6.3")]
    plans = [Plan(suite, True, (), ("regSOLAM",)) for suite in suites]
    assert run_plans(plans, store, How(2, both), silent) == 0
    assert seen == [("diabetes",), ("fourclass_scale",)]
    assert {(cell["suite"], cell["set"]) for cell in store.cells()} == {
        (plan.suite.name, where) for plan in plans for where in ("diabetes", "fourclass")
    }


def test_a_quick_run_trains_on_fewer_rows_where_steps_are_dear(folder):
    suite = suite_of(SUITE)
    problem = load(suite.sets["diabetes"], folder)
    dear = suite.algorithms["OPAUC"]
    assert 1e10 / 300**2 > 60_000 > 1e10 / 784**2 == dear.quick_cost / 784**2
    for cost, quick, rows in ((dear.quick_cost, True, 120), (50 * 8**2, True, 50), (50 * 8**2, False, 120)):
        changed = suite._replace(algorithms={"OPAUC": dear._replace(quick_cost=cost, grid={"l2": [0.01]}, quick={})})
        cell = Cell(SUITE, "diabetes", "OPAUC", TUNED, 0, quick)
        assert run_cell(cell, changed, problem)["rows"] == rows
    wide = changed.algorithms["OPAUC"]._replace(wide_from=4)
    assert run_cell(cell._replace(quick=True), changed._replace(algorithms={"OPAUC": wide}), problem)["rows"] == 120


def test_a_quick_run_repeats_what_can_be_compared():
    """And what cannot for the scale of its columns alone; but not another problem, such as a part of ijcnn1's rows."""
    suite = suite_of(SUITE)
    for where, repeats in (("a9a", 5), ("diabetes", 5), ("mnist", 1), ("ijcnn1", 1)):
        assert repeats_of(suite, where, "regSOLAM", True) == repeats
        assert repeats_of(suite, where, "regSOLAM", False) == 25


def test_a_quick_run_trains_on_so_many_numbers(folder):
    suite = suite_of(SUITE)
    dense = load(suite.sets["diabetes"], folder)
    sparse = dense._replace(X=sp.csr_matrix(np.where(np.arange(8) < 4, dense.X + 9.0, 0.0)))  # half of the numbers
    for quick, rows in ((True, {50, 100}), (False, {120})):
        cell, limited = Cell(SUITE, "diabetes", "regSOLAM", SHIPPED, 0, quick), suite._replace(quick_numbers=50 * 8)
        assert {run_cell(cell, limited, problem)["rows"] for problem in (dense, sparse)} == rows


def test_cells_share_an_embedding(folder, monkeypatch):
    suite = suite_of("psam-iii")
    few = {key: a._replace(fixed={"n_components": 5}) for key, a in suite.algorithms.items()}
    suite = suite._replace(algorithms=few, sets={"cod-rna": suite.sets["cod-rna"]._replace(files=("diabetes",))})
    problem = load(suite.sets["cod-rna"], folder)
    cells = [
        Cell("psam-iii", "cod-rna", name, SHIPPED, repeat, True) for repeat in (0, 1) for name in ("NPSAM", "NBAM")
    ]
    alone = []
    for cell in cells:
        alone.append(run_cell(cell, suite, problem)["auc"])
        share(cell._replace(repeat=7), suite, problem)  # another one takes its place
    fits = []
    fit = KMeansNystroem.fit
    monkeypatch.setattr(KMeansNystroem, "fit", lambda self, *rest: fits.append(self.random_state) or fit(self, *rest))
    found = []
    for cell in cells:
        share(cell, suite, problem)
        found.append(run_cell(cell, suite, problem)["auc"])
    assert found == alone
    assert fits == [0, 1]


def test_test_rows_choose_nothing(folder, monkeypatch):
    """With all test labels turned round, the same parameters are chosen and the AUC is turned round too."""
    suite = suite_of(SUITE)
    problem = load(suite.sets["diabetes"], folder)
    cell = Cell(SUITE, "diabetes", "B-LS-SVM", TUNED, 0, True)
    found = run_cell(cell, suite, problem)
    parts = parts_of("folds", problem.y, 0, 0)
    y = problem.y.copy()
    y[parts.test] = 1 - y[parts.test]
    monkeypatch.setattr("aucmax.bench.cell.parts_of", lambda *_: parts)
    turned = run_cell(cell, suite, Problem(problem.X, y))
    assert turned["params"] == found["params"]
    assert turned["auc"] == pytest.approx(1 - found["auc"])


def test_a_failure_is_noted_and_the_rest_goes_on(folder, tmp_path, monkeypatch):
    import aucmax.bench.runner as runner

    def broken(cell, suite, problem):
        if cell.kind == SHIPPED and cell.repeat == 1:
            raise ValueError("out of order")
        if cell.kind == SHIPPED and cell.repeat == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return run_cell(cell, suite, problem)

    store = Store(tmp_path / "s.sqlite")
    store.begin()
    with monkeypatch.context() as patch:
        patch.setattr(runner, "run_cell", broken)
        assert run_plans([plan("B-LS-SVM")], store, How(2, folder), silent) == 2
    errors = {cell["repeat"]: cell["error"] for cell in store.cells() if cell["error"]}
    assert "out of order" in errors[1]
    assert "code -9" in errors[2]
    assert run_plans([plan("B-LS-SVM")], store, How(2, folder), silent) == 0
    assert any(cell["error"] for cell in store.cells())
    assert run_plans([plan("B-LS-SVM")], store, How(2, folder, again=True), silent) == 0
    assert not any(cell["error"] for cell in store.cells())


IDLE = """
import sys, time
import aucmax.bench.runner as runner
from aucmax.cli import run

begun = sys.argv.pop()

def idle(cell, suite, problem):
    open(begun, "w").close()
    time.sleep(60)

runner.run_cell = idle
run()
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_a_run(how, folder, tmp_path):
    begun, told = tmp_path / "begun", tmp_path / "told"
    few = ["--quick", "--jobs", "1", "--quiet", "--algorithm", "B-LS-SVM", "--data-dir", str(folder)]
    command = ["bench", "run", SUITE, *few, "--store", str(tmp_path / "s.sqlite"), str(begun)]
    with (
        told.open("wb") as file,
        subprocess.Popen(
            [sys.executable, "-c", IDLE, *command], stdout=file, stderr=file, start_new_session=True
        ) as process,
    ):
        while not begun.exists():
            assert process.poll() is None, told.read_text()
            time.sleep(0.05)
        process.send_signal(how)
        process.wait(30)
    assert group_is_gone(process.pid)
    assert "Traceback" not in told.read_text()


@pytest.mark.slow
def test_killed_it_goes_on_to_the_same_numbers(folder, tmp_path):
    command = [
        sys.executable,
        "-m",
        "aucmax.cli",
        "bench",
        "run",
        SUITE,
        "--quick",
        "--data-dir",
        str(folder),
        "--quiet",
    ]
    command += ["--algorithm", "B-LS-SVM", "--algorithm", "OAMseq", "--store"]
    whole = tmp_path / "whole.sqlite"
    begun = time.monotonic()
    subprocess.run([*command, str(whole)], check=True, capture_output=True, timeout=300)
    usual = time.monotonic() - begun
    killed = tmp_path / "killed.sqlite"
    for part in (0.6, 0.8, 0.9):
        with subprocess.Popen([*command, str(killed)], stdout=subprocess.DEVNULL) as process:
            time.sleep(part * usual)
            process.send_signal(signal.SIGKILL)
    subprocess.run([*command, str(killed)], check=True, capture_output=True, timeout=300)
    assert results(Store(killed)) == results(Store(whole))


def test_what_is_no_store_is_neither_read_nor_written(tmp_path, capsys):
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("create table places (name text)")
    db.close()
    empty = tmp_path / "empty.sqlite"
    empty.touch()
    before = {path: path.read_bytes() for path in (other, empty)}
    for path in before:
        assert main(["bench", "show", "--store", str(path)]) == 1
        assert "not a store of results (its tables are others)" in capsys.readouterr().err
    with pytest.raises(ValueError, match="its tables are others"):
        Store(other)
    assert {path: path.read_bytes() for path in before} == before
    assert set(tmp_path.iterdir()) == set(before)


def test_a_store_that_may_not_be_written_is_read(tmp_path, capsys):
    store = Store(tmp_path / "s.sqlite")
    store.begin()
    cell = Cell(SUITE, "diabetes", "regSOLAM", TUNED, 0, True)
    store.add(cell, asked(cell, suite_of(SUITE)), {"auc": 0.9, "params": {}})
    found = Store(store.path, reading=True)  # while another writes
    assert len(found.cells()) == 1
    found.close()
    store.close()
    found = Store(store.path, reading=True)
    assert {path.name for path in tmp_path.iterdir()} == {"s.sqlite"}
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        found.begin()
    assert len(found.cells()) == 1
    found.close()
    torn = bytearray(store.path.read_bytes())
    torn[4096 + 100 :] = bytes(len(torn) - 4096 - 100)
    store.path.write_bytes(torn)
    assert main(["bench", "show", SUITE, "--quick", "--store", str(store.path)]) == 1
    said = capsys.readouterr().err
    assert "unexpected" not in said
    assert str(store.path) in said


def test_the_commands(folder, tmp_path, capsys):
    store = ["--store", str(tmp_path / "s.sqlite"), "--quick"]
    few = ["--algorithm", "B-LS-SVM", "--data-dir", str(folder), "--quiet"]
    assert main(["bench", "show", *store]) == 1
    assert "run aucmax bench run first" in capsys.readouterr().err
    assert main(["bench", "run", SUITE, *store, *few]) == 0
    assert "10 cells" in capsys.readouterr().out
    assert main(["bench", "show", SUITE, *store]) == 0
    assert "diabetes        B-LS-SVM    printed 0.8325 ± 0.0329" in capsys.readouterr().out
    written = tmp_path / "report.html"
    assert main(["report", *store, "-o", str(written)]) == 0
    said = capsys.readouterr().out
    assert "of 1 figures that can be compared" in said
    assert str(written) in said
    assert "B-LS-SVM" in written.read_text()
    for name in ("cells.csv", "cells.parquet", "table.tex"):
        assert main(["bench", "export", SUITE, *store, "-o", str(tmp_path / name)]) == 0
    with (tmp_path / "cells.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 10
    assert json.loads(next(row["params"] for row in lines if row["kind"] == TUNED))["l2"] > 0
    assert {row["source"] for row in lines} == {source()}
    assert {row["machine"] for row in lines} == {machine()}
    schema = pytest.importorskip("pyarrow.parquet").read_schema(tmp_path / "cells.parquet")
    assert str(schema.field("error").type) == "string"  # though no cell has failed
    table = (tmp_path / "table.tex").read_text()
    assert r"diabetes & B-LS-SVM & 0.8325 $\pm$ 0.0329" in table
    assert "& 5 of 5 & 0." in table
    capsys.readouterr()
    assert main(["bench", "list", "--data-dir", str(folder)]) == 0
    assert "thesis-3.2   Table 3.2: regSOLAM against online and batch methods; 6 of 68" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "thesis-9"], "no suite 'thesis-9'"),
        (["run", SUITE, "--data-dir", "."], "none of the sets is at hand"),
        (["run", SUITE, "--jobs", "-1"], "expected at least 1"),
        (["export", SUITE], "name a file with -o"),
        (["show", "--store", "text"], "not a store of results"),
        (["figures", "--data-dir", "."], "none of the sets is at hand"),
        (["times", "--data-dir", "."], "none of the sets is at hand"),
    ],
)
def test_wrong_commands(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(tmp_path))
    (tmp_path / "text").write_text("no store at all, but some words that are long enough to be read as a page" * 20)
    assert main(["bench", *arguments]) == 1
    assert words in capsys.readouterr().err


def test_what_is_made_of_numbers():
    assert judged(0.91, 0.9, 0.02) == "better"
    assert judged(0.89, 0.9, 0.02) == "reproduced"
    assert judged(0.87, 0.9, 0.02) == "short"
    low, high = interval([0.8, 0.9, 0.85])
    assert low == pytest.approx(0.85 - 4.3027 * 0.05 / 3**0.5, abs=1e-4)
    assert high == pytest.approx(0.85 + 4.3027 * 0.05 / 3**0.5, abs=1e-4)
    suite = suite_of("psam-ii")
    base = {"suite": "psam-ii", "set": "a9a", "algorithm": "PSAM", "kind": TUNED, "params": {}, "seconds": 1.0}
    cells = [{**base, "repeat": k, "auc": auc, "error": None} for k, auc in enumerate((0.1, 0.2))]
    cells.append({**base, "set": "cod-rna", "auc": None, "seconds": None, "error": "Traceback\nValueError: no"})
    rows = {(row.set, row.algorithm): row for row in rows_of(suite, cells)}
    assert (rows["a9a", "PSAM"].state, rows["a9a", "PSAM"].judged) == ("not comparable", "short")
    assert rows["a9a", "PSAM"].runs == 2
    assert rows["cod-rna", "PSAM"].state == "failed"
    assert rows["cod-rna", "PSAM"].cause == "ValueError: no"
    assert rows["epsilon", "PSAM"].state == "no data"
    assert sum(tally(list(rows.values())).values()) == 100


def test_rates_of_few_rows():
    found = measured_rates(rows=4000, seeds=2)
    assert [rate.algorithm for rate in found][:2] == ["SOLAM, duality gap", "regSOLAM, duality gap"]
    assert {rate.algorithm: rate.state for rate in found}["VRSPAM"] == "met"
    assert all(np.isfinite(rate.y).all() and len(rate.x) == len(rate.y) for rate in found)


def test_facts_of_rates_figures_and_errata(tmp_path):
    store = Store(tmp_path / "s.sqlite")
    store.begin()
    for rate in measured_rates(rows=3000, seeds=1):
        store.add_rate(rate.algorithm, rate.facts())
    series = {"name": "one", "x": [1.0, 2.0], "y": [0.5, 0.6], "low": [0.4, 0.5], "high": [0.6, 0.7]}
    drawn = {"id": "some", "title": "Some", "x": "steps", "y": "test AUC", "kind": "lines", "note": "", "log_x": True}
    store.add_figure({**drawn, "log_y": False, "series": [series]}, quick=True)
    facts = facts_of(store, quick=True)
    assert [figure["id"] for figure in facts["figures"]] == ["rates-slopes", "rates-lines", "some"]
    assert len(facts["rates"]) == 7
    assert sum(item["value"] for item in facts["summary"]["counts"]) == 446
    assert all(entry["where"] and entry["printed"] and entry["right"] for entry in facts["errata"])
    assert len(facts["errata"]) > 50
    assert "SPDAM" in page(facts)


def test_printed_seconds_beside_ours():
    suite = suite_of("psam-ii")
    base = {"suite": "psam-ii", "set": "a9a", "algorithm": "PSAM", "kind": TUNED, "params": {}, "error": None}
    rows = rows_of(suite, [{**base, "repeat": 0, "auc": 0.9, "seconds": 0.1}])
    found = next(row for row in rows if row.set == "a9a" and row.algorithm == "PSAM")
    timing = _timing(found, "psam-ii")
    assert timing["ratio"] == pytest.approx(found.printed_seconds / 0.1)
    assert _timing(found._replace(seconds=None), "psam-ii") is None


def test_measured_times_come_before_those_of_cells(tmp_path):
    X, y = make_problem(n=250, d=5)
    ours = seconds_of(PSAM, X, (y > 0).astype(int))
    assert ours > 0
    store = Store(tmp_path / "s.sqlite")
    store.begin()
    store.add_timing(
        {"set": "a9a", "algorithm": "PSAM", "printed": 1.0, "ours": ours, "ratio": 1 / ours, "note": "some"}
    )
    for key in ("PSAM", "BAM"):
        store.add(
            (cell := Cell("psam-ii", "a9a", key, TUNED, 0, True)),
            asked(cell, suite_of("psam-ii")),
            {"auc": 0.9, "seconds": 0.1, "choosing": 0.1, "rows": 1, "tested": 1, "params": {}},
        )
    found = facts_of(store, quick=True)["timings"]
    assert [(row["algorithm"], row["note"] == "some") for row in found] == [("PSAM", True), ("BAM", False)]


@pytest.mark.parametrize(("share", "rows"), [(0.5, 4000), (0.05, 6000), (0.01, 20000)])
def test_a_quick_run_chooses_by_enough_of_a_rare_class(share, rows):
    y = (np.arange(20000) < share * 20000).astype(np.int8)
    cell = Cell("thesis-6.4", "mammography", "SPDAM", TUNED, 0, True)
    train, nothing = Rows(np.zeros((20000, 1)), y), Rows(np.zeros((0, 1)), y[:0])
    pairs = _held_out(cell, suite_of("thesis-6.4"), train, nothing)
    assert sum(len(held_out.y) for _, held_out in pairs) == rows


def test_a_set_may_ask_for_more_rows_to_choose_by():
    """All training rows of w8a; a rare class alone would ask for 10,000."""
    suite, y = suite_of("vrspam-2"), (np.arange(51760) < 1546).astype(np.int8)
    train, nothing = Rows(np.zeros((len(y), 1)), y), Rows(np.zeros((0, 1)), y[:0])
    cell = Cell("vrspam-2", "w8a", "SOLAM", TUNED, 0, True)
    assert sum(len(held_out.y) for _, held_out in _held_out(cell, suite, train, nothing)) == len(y)
    fewer = suite._replace(sets={"w8a": suite.sets["w8a"]._replace(quick_rows=0)})
    assert sum(len(held_out.y) for _, held_out in _held_out(cell, fewer, train, nothing)) == 10043
    assert asked(cell, fewer) != asked(cell, suite)


def test_a_single_pass_is_chosen_for_by_all_rows():
    """C of OAM on fewer rows is another one: it asks for all that a quick run trains on."""
    suite, y = suite_of("thesis-4.2"), (np.arange(40000) % 2).astype(np.int8)
    train, nothing = Rows(np.zeros((len(y), 1)), y), Rows(np.zeros((0, 1)), y[:0])
    for name, rows in (("OAMseq", 40000), ("OAMgra", 40000), ("SPAM-L2", 4000)):
        cell = Cell("thesis-4.2", "ijcnn1", name, TUNED, 0, True)
        assert sum(len(held_out.y) for _, held_out in _held_out(cell, suite, train, nothing)) == rows
        fewer = suite._replace(algorithms={**suite.algorithms, name: suite.algorithms[name]._replace(quick_rows=1)})
        assert asked(cell, fewer) != asked(cell, suite)
        shipped = cell._replace(kind=SHIPPED)  # which chooses nothing
        assert asked(shipped, fewer) == asked(shipped, suite)


def test_oam_on_ijcnn1_has_a_small_enough_c():
    """The grid once stopped at 2^-10, below which the AUC on held-out training rows still rises."""
    suite = suite_of("thesis-4.2")
    entry = suite.sets["ijcnn1"]
    if not present(entry):
        pytest.skip("needs the file of ijcnn1 in the folder that AUCMAX_DATA names")
    problem = load(entry)
    for name in ("OAMseq", "OAMgra"):
        cell = Cell("thesis-4.2", "ijcnn1", name, TUNED, 0, True)
        found = run_cell(cell, suite, problem)
        printed = suite.published["ijcnn1", name]
        assert found["params"]["C"] < 2.0**-10
        assert found["auc"] > printed.auc - printed.std


def test_timings_say_that_the_auc_is_of_more_passes():
    assert all(suite_of("psam-ii").algorithms[name].fixed["max_iter"] == SCORED for name in ("PSAM", "ASAM"))
    notes = {name: _facts("a9a", name, 1.0, 0.5, 10)["note"] for name in ("PSAM", "ASAM", "SOLAM")}
    assert ["the AUC is of 60 passes, about 4 times as long" in notes[name] for name in notes] == [True, True, False]
