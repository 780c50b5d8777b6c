"""What a terminal shows and a spreadsheet opens: names that were made to be obeyed."""

import csv
import json
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import aucmax
from aucmax.cli import main, output
from aucmax.kernel.folder import log
from aucmax.persist import open_model
from tests.cli.test_cli import told

pytest.importorskip("pyarrow")

CLEAR = "\x1b[2J"
NASTY = [CLEAR, "\x9b2J", "\u202egnp", "\x07", "a\tb", "a\nb", "\r", "\x00", "\x7f", "\u2028", "\ud800", "\u2066"]
FORMULAS = ['=cmd|"/c calc"!A1', "@SUM(A1)", "+A1", "-A1", "\t=1", "\r=1", "\n=1", "＝1"]
RED = f"{CLEAR}red"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Rows whose columns, categories and labels have names that a terminal or a spreadsheet obeys; a model of them."""
    path = tmp_path_factory.mktemp("shown")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"=1+1": rng.standard_normal(200), f"a{CLEAR}": rng.choice([RED, "blue"], 200)})
    frame["y"] = np.where(frame["=1+1"] + rng.standard_normal(200) > 0.5, "=fraud()", CLEAR)
    frame.to_csv(path / "rows.csv", index=False)
    arguments = ["fit", str(path / "rows.csv"), "--target", "y", "-o", str(path / "model.auc"), "--cv", "2", "--quiet"]
    assert main(arguments) == 0
    return path


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def seen(text):
    """Whether a terminal shows every character; what it shows."""
    assert all(c.isprintable() or c == "\n" for c in text), text
    return text


@pytest.mark.parametrize("text", NASTY)
def test_what_cannot_be_seen_is_escaped(text):
    assert output.shown(f"é{text}ñ 世界").isprintable()
    assert output.shown(text) != text
    found = output.as_json({text: f"é{text}"})
    assert found.isprintable()
    assert "é" in found
    assert json.loads(found) == {text: f"é{text}"}


def test_what_can_be_seen_stays():
    assert output.shown("Größe = 5 € 世界 😀 'x'") == "Größe = 5 € 世界 😀 'x'"
    assert output.shown("\x1b[2J\x9b\u202e\t\n") == "\\x1b[2J\\x9b\\u202e\\t\\n"


def test_one_function_prints_all():
    sources = {path.name: path.read_text() for path in Path(output.__file__).parent.glob("*.py")}
    assert len(sources) > 10
    for name, text in sources.items():
        assert "print(" not in text, name
        assert name == "output.py" or not re.search(r"std(out|err)\.write", text), name


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_harmless(text):
    assert output.field(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "-1", "+1.5e3", "-0.0", "a=b", "yes", "'x", "not =1", " =1", "-inf"])
def test_other_fields_stay(text):
    assert output.field(text) == text


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "rows.csv", "--target", "y", "-o", f"{CLEAR}.auc", "--cv", "2", "--method", "SPAM"],
        ["fit", "rows.csv", "--target", "y", "-o", "stream.auc", "--stream"],
        ["explain", "model.auc"],
        ["evaluate", "model.auc", "rows.csv"],
        ["compare", "model.auc", "model.auc", "rows.csv"],
        ["predict", "model.auc", "rows.csv"],
        ["predict", "model.auc", "rows.csv", "-o", f"{CLEAR}.csv"],
        ["export", "model.auc", f"{CLEAR}.csv"],
    ],
    ids=lambda arguments: " ".join(arguments[:1]),
)
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["text", "json"])
def test_no_command_prints_what_a_terminal_obeys(here, capsys, arguments, more):
    said = told(capsys, *arguments, *more)
    seen(said.out)
    seen(said.err)


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", f"gone{CLEAR}\n\u202e"],
        ["fit", "rows.csv", "--target", CLEAR],
        ["fit", "rows.csv", "--target", "y", "--set", CLEAR],
        ["data", "info", CLEAR],
        ["bench", "run", CLEAR],
    ],
    ids=lambda arguments: " ".join(arguments[:1]),
)
def test_no_error_prints_what_a_terminal_obeys(here, capsys, arguments):
    said = told(capsys, *arguments, "--quiet", code=1)
    assert "\\x1b[2J" in seen(said.err)
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[CLEAR], ["explain", "x", CLEAR], ["fit", "x", f"--\u202e{CLEAR}"]])
def test_no_wrong_command_line_prints_what_a_terminal_obeys(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert "\\x1b[2J" in seen(capsys.readouterr().err)


def test_no_traceback_prints_what_a_terminal_obeys(here):
    command = [sys.executable, "-m", "aucmax.cli", "explain", f"gone{CLEAR}", "--debug"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "\\x1b[2J" in seen(done.stderr)


@pytest.mark.filterwarnings("default")
def test_warnings_and_logs_are_lines_of_the_command(here, capsys, monkeypatch):
    def warned(*_, **__):
        warnings.warn(f"so {CLEAR}\nit is", stacklevel=1)
        log.warning("kept in %s", CLEAR)
        return open_model("model.auc")

    monkeypatch.setattr("aucmax.cli.explain.open_model", warned)
    said = told(capsys, "explain", "model.auc").err.splitlines()
    assert said == ["aucmax: warning: so \\x1b[2J it is", "aucmax: warning: kept in \\x1b[2J"]
    assert log.handlers == []


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def test_predictions_that_no_spreadsheet_runs(here, capsys):
    told(capsys, "predict", "model.auc", "rows.csv", "-o", "safe.csv")
    told(capsys, "predict", "model.auc", "rows.csv", "-o", "raw.csv", "--raw")
    safe, raw = rows_of("safe.csv"), rows_of("raw.csv")
    assert {row[0] for row in raw[1:]} == {"=fraud()", CLEAR}
    assert {row[0] for row in safe[1:]} == {"'=fraud()", CLEAR}
    assert [row[1:] for row in raw] == [row[1:] for row in safe]
    told_there = told(capsys, "predict", "model.auc", "rows.csv").out
    assert "'=fraud()" in seen(told_there)
    assert CLEAR in told(capsys, "predict", "model.auc", "rows.csv", "--raw").out


def test_scores_of_several_classes_have_harmless_names(here, capsys):
    X = np.random.default_rng(0).standard_normal((90, 2))
    y = np.array(["=a", "-1", "c\x1b"])[np.arange(90) % 3]
    aucmax.save(aucmax.AUCClassifier().fit(X, y), "three.auc")
    np.savez("rows.npz", X=X)
    told(capsys, "predict", "three.auc", "rows.npz", "-o", "three.csv")
    found = rows_of("three.csv")
    assert set(found[0]) == {"prediction", "score =a", "score -1", "score c\x1b"}
    assert {row[0] for row in found[1:]} <= {"'=a", "-1", "c\x1b"}


def test_weights_that_no_spreadsheet_runs(here, capsys):
    told(capsys, "export", "model.auc", "safe.csv")
    told(capsys, "export", "model.auc", "raw.csv", "--raw")
    safe, raw = ([row[0] for row in rows_of(name)] for name in ("safe.csv", "raw.csv"))
    assert "=1+1" in raw
    assert [output.field(name) for name in raw] == safe != raw


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_raw_fields_are_not_for_terminals(here):
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "aucmax.cli", "predict", "model.auc", "rows.csv", "--raw", "--quiet"]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL)
    os.close(theirs)
    found = b""
    while b"=fraud()" not in found or b"2J" not in found:
        found += os.read(ours, 65536)
    process.kill()
    process.wait()
    os.close(ours)
    assert b"\x1b" not in found
    assert b"\\x1b[2J" in found
