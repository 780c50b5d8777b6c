"""What the commands say about names, kinds of runs and files."""

import pytest

from aucmax.bench.cell import Cell, asked
from aucmax.bench.store import Store
from aucmax.bench.suite import suite_of
from aucmax.cli import main
from tests.bench.test_outcome import SUITE, add, result


@pytest.fixture
def store(tmp_path):
    """A store with some figures of a quick run."""
    found = Store(tmp_path / "s.sqlite")
    found.begin()
    add(found, "diabetes", "OPAUC", 0.99)
    add(found, "german", "OPAUC", 0.5)
    add(found, "a9a", "OPAUC", 0.898, suite="fsauc-2")
    add(found, "mnist", "OPAUC", 0.9, repeats=[0])
    return found


@pytest.mark.parametrize("option", ["--set", "--algorithm"])
@pytest.mark.parametrize("action", ["run", "show"])
def test_unknown_names_are_refused_before_a_store_is_made(option, action, tmp_path, capsys):
    path = tmp_path / "new.sqlite"
    assert main(["bench", action, SUITE, option, "nonesuch", "--store", str(path)]) == 1
    said = capsys.readouterr().err
    assert f"{option} nonesuch: not in thesis-3.2; expected one of" in said
    assert "Traceback" not in said
    assert not path.exists()


def test_no_store_is_made_where_no_set_is_at_hand(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(tmp_path))
    path = tmp_path / "new.sqlite"
    assert main(["bench", "run", SUITE, "--data-dir", str(tmp_path), "--store", str(path)]) == 1
    assert "none of the sets is at hand" in capsys.readouterr().err
    assert not path.exists()


def test_show_keeps_to_what_was_named(store, capsys):
    assert main(["bench", "show", SUITE, "--quick", "--set", "german", "--store", str(store.path)]) == 0
    said = capsys.readouterr().out
    assert "german" in said
    assert "diabetes" not in said


def test_the_only_results_there_are_follow_and_that_is_said(store, tmp_path, capsys):
    place, page = ["--store", str(store.path)], tmp_path / "r.html"
    for command in (["bench", "show", SUITE], ["bench", "export", SUITE, "-o", str(tmp_path / "c.csv")]):
        assert main([*command, *place]) == 0
        assert "no results of full runs; those of quick ones follow, as with --quick" in capsys.readouterr().err
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 1 + 11
    assert main(["report", *place, "-o", str(page)]) == 0
    assert '"quick":true' in page.read_text()
    capsys.readouterr()
    cell = Cell(SUITE, "diabetes", "regSOLAM", "tuned", 0, False)
    store.add(cell, asked(cell, suite_of(SUITE)), result(0.9))
    assert main(["bench", "show", SUITE, *place]) == 0
    said = capsys.readouterr()
    assert (said.err, "1 of 25 runs" in said.out) == ("", True)


def test_latex_marks_every_state_and_says_what_they_mean(store, tmp_path, capsys):
    path = tmp_path / "t.tex"
    assert main(["bench", "export", "--quick", "--store", str(store.path), "-o", str(path)]) == 0
    assert "2 tables" in capsys.readouterr().out
    text = path.read_text()
    assert text.count(r"\begin{tabular}") == 2
    marks = {"german": r"\downarrow", "diabetes": r"\uparrow", "a9a": r"\triangledown", "mnist": r"\diamond"}
    for where, mark in marks.items():
        line = next(line for line in text.splitlines() if line.startswith(where))
        assert f"${mark}$" in line
        assert any(f"${mark}$" in legend.split(r"\begin")[0] for legend in text.split(r"\end{tabular}")[1:])
    assert main(["bench", "export", "psam-iii", "--quick", "--store", str(store.path), "-o", str(path)]) == 1
    assert "no results of psam-iii" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["r.html", "c.csv", "t.tex", "c.parquet"])
def test_a_missing_folder_is_named_as_it_was_given(name, store, tmp_path, capsys):
    path = tmp_path / "nonesuch" / name
    command = ["report"] if name == "r.html" else ["bench", "export", SUITE]
    assert main([*command, "--quick", "--store", str(store.path), "-o", str(path)]) == 1
    said = capsys.readouterr().err
    assert str(path) in said
    assert ".part" not in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", SUITE, "--jobs", "0"], "--jobs 0: expected at least 1"),
        (["run", "all", SUITE], "all and thesis-3.2: all means every suite; name either"),
        (["rates", "nonesuch"], "bench rates takes no suites, got nonesuch"),
        (["times", "--set", "a9a"], "bench times takes no --set"),
        (["figures", "--algorithm", "PSAM"], "bench figures takes no --algorithm"),
        (["rates", "-o", "r.csv"], "bench rates takes no -o"),
        (["rates", "--jobs", "2"], "bench rates takes no --jobs"),
        (["show", "--again"], "bench show takes no --again"),
        (["export", "--data-dir", "d", "-o", "c.csv"], "bench export takes no --data-dir"),
        (["list", "--set", "a9a"], "bench list takes no --set"),
        (["run", SUITE, "-o", "r.csv"], "bench run takes no -o"),
        (["export", SUITE, "--set", "a9a", "-o", "c.csv"], "bench export takes no --set"),
        (["times"], "none of the sets is at hand"),
        (["figures"], "none of the sets is at hand"),
    ],
)
def test_what_is_refused_makes_no_store(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    monkeypatch.setenv("AUCMAX_CACHE_DIR", str(tmp_path))
    assert main(["bench", *arguments]) == 1
    assert words in capsys.readouterr().err
    assert not list(tmp_path.glob("*.sqlite"))


@pytest.mark.parametrize("name", ["c.csv", "c.parquet"])
def test_no_results_are_not_exported(name, store, tmp_path, capsys):
    path = tmp_path / name
    assert main(["bench", "export", "psam-iii", "--quick", "--store", str(store.path), "-o", str(path)]) == 1
    assert "no results of psam-iii; run aucmax bench run first" in capsys.readouterr().err
    assert not path.exists()
