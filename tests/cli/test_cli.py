"""The command as a new user would try it."""

import csv
import gzip
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

import aucmax
from aucmax.cli import main
from aucmax.cli.output import Progress, clock
from aucmax.data import read
from aucmax.evaluate import delong_ci
from aucmax.persist import open_model

pytest.importorskip("pyarrow")


def customers(n, seed):
    """A table with strings and missing values."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(3, 1, n).round(2),
            "country": rng.choice(["de", "fr", "us", "xx"], n, p=[0.4, 0.3, 0.25, 0.05]),
            "age": rng.integers(18, 90, n).astype(float),
            "id": [f"customer {k}" for k in range(n)],
        }
    )
    score = 0.05 * frame["amount"] + 3 * (frame["country"] == "xx") - 0.05 * frame["age"] + rng.logistic(size=n)
    frame["fraud"] = np.where(score > np.quantile(score, 0.85), "yes", "no")
    frame.loc[rng.random(n) < 0.1, "age"] = None
    frame.loc[rng.random(n) < 0.1, "country"] = None
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli")
    customers(600, 0).to_csv(path / "train.csv", index=False)
    customers(400, 1).to_csv(path / "test.csv", index=False)
    return path


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def told(capsys, *arguments, code=0):
    """Run a command; what it printed."""
    assert main(list(map(str, arguments))) == code
    return capsys.readouterr()


def test_from_a_file_to_a_model_to_predictions(here, capsys):
    said = told(capsys, "fit", "train.csv", "--target", "fraud")
    assert "AUC 0." in said.out
    assert "5-fold cross-validation" in said.out
    assert "the model is in train.auc" in said.out
    assert "600 rows" in said.err
    found = open_model("train.auc")
    frame = pd.read_csv("test.csv")
    X = read(frame, encoder=found.encoder).X
    expected = found.model.decision_function(X)
    told(capsys, "predict", "train.auc", "test.csv", "--output", "scores.csv")
    rows = pd.read_csv("scores.csv")
    np.testing.assert_array_equal(rows["score"], expected)
    np.testing.assert_allclose(rows["probability"], found.model.predict_proba(X)[:, 1], rtol=1e-12)
    assert rows["prediction"].tolist() == found.model.predict(X).tolist()
    piped = told(capsys, "predict", "train.auc", "test.csv")
    assert len(list(csv.reader(piped.out.splitlines()))) == 401
    facts = json.loads(told(capsys, "evaluate", "train.auc", "test.csv", "--json").out)
    assert facts["auc"] == pytest.approx(found.model.score(X, frame["fraud"]))
    assert facts["low"] < facts["auc"] < facts["high"]
    assert "average precision" in told(capsys, "evaluate", "train.auc", "test.csv").out


def test_other_methods_and_compare(here, capsys):
    told(capsys, "fit", "train.csv", "--target", "fraud", "-o", "a.auc", "--quiet")
    facts = json.loads(
        told(
            capsys,
            "fit",
            "train.csv",
            "--target",
            "-1",
            "-o",
            "b.auc",
            "--method",
            "SPAM",
            "--set",
            "l2=0.5",
            "--drop",
            "id",
            "--json",
        ).out
    )
    assert facts["model"] == "b.auc"
    assert open_model("b.auc").model.steps[-1][1].l2 == 0.5
    said = told(capsys, "compare", "a.auc", "b.auc", "test.csv", "--target", "fraud").out
    assert "p = " in said
    facts = json.loads(told(capsys, "compare", "a.auc", "a.auc", "test.csv", "--json").out)
    assert facts["difference"] == 0.0
    assert told(capsys, "fit", "train.csv", "--target", "fraud", "--method", "cv", "--cv", "0", "-o", "c.auc").out


def test_a_named_positive_class_is_called_so_in_predictions(here, capsys):
    options = ("--target", "fraud", "--method", "ExactAUC", "--cv", "0", "--drop", "id")
    told(capsys, "fit", "train.csv", *options, "--positive", "no", "-o", "no.auc")
    told(capsys, "predict", "no.auc", "test.csv", "--output", "no.csv")
    rows = pd.read_csv("no.csv")
    assert set(rows["prediction"]) == {"no", "not no"}
    assert ((rows["prediction"] == "no") == (rows["score"] > 0.0)).all()


def test_cross_validation_ranks_rows_that_were_not_learnt_from(here, capsys):
    options = (
        "--target",
        "fraud",
        "--method",
        "ExactAUC",
        "--set",
        "l2=0.001",
        "--drop",
        "id",
        "-o",
        "f.auc",
        "--json",
    )
    facts = json.loads(told(capsys, "fit", "train.csv", *options, "--cv", "3", "--seed", "5").out)
    frame = pd.read_csv("train.csv")
    X, y = read(frame.drop(columns="fraud"), encoder=open_model("f.auc").encoder).X, frame["fraud"].to_numpy()
    scores = np.zeros(len(y))
    for train, test in StratifiedKFold(3, shuffle=True, random_state=5).split(X, y):
        scores[test] = aucmax.ExactAUC(0.001).fit(X[train], y[train]).decision_function(X[test])
    expected = delong_ci(y == "yes", scores)
    found = facts["cross_validated"]
    assert [found[key] for key in ("auc", "low", "high")] == pytest.approx(expected[:3], rel=1e-6)


def test_comparisons_and_intervals_follow_seed_level_and_chance(here, capsys):
    for name, dropped, more in (("all", (), ()), ("few", ("amount", "country"), ("--seed", "7"))):
        options = ("--method", "SPAM", "--cv", "0", *(part for one in ("id", *dropped) for part in ("--drop", one)))
        told(capsys, "fit", "train.csv", "--target", "fraud", *options, "-o", f"{name}.auc", *more)
    assert [open_model(f"{name}.auc").model.steps[-1][1].random_state for name in ("all", "few")] == [0, 7]
    said = told(capsys, "compare", "all.auc", "few.auc", "test.csv").out
    assert "the difference is more than chance" in said
    assert "the difference may be chance" in told(capsys, "compare", "all.auc", "all.auc", "test.csv").out
    assert "(95% interval)" in said
    found, frame = open_model("all.auc"), pd.read_csv("test.csv")
    scores = found.model.decision_function(read(frame, encoder=found.encoder).X)
    for level in (0.5, 0.95):
        facts = json.loads(told(capsys, "evaluate", "all.auc", "test.csv", "--level", level, "--json").out)
        expected = delong_ci(frame["fraud"] == "yes", scores, level=level)
        assert [facts[key] for key in ("low", "high")] == pytest.approx([expected.low, expected.high])


def test_explain_ranks_by_weights_that_can_be_compared(here, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * (1.0, 1e6)
    y = (X @ (0.1, 1e-6) + rng.normal(size=200) > 0).astype(int)
    pd.DataFrame({"small": X[:, 0], "large": X[:, 1], "y": y}).to_csv("units.csv", index=False)
    told(capsys, "fit", "units.csv", "--target", "y", "--cv", "0")
    facts = json.loads(told(capsys, "explain", "units.auc", "--json").out)
    (first, weight, coef), (second, other, _) = facts["weights"]
    assert (first, second) == ("large", "small")
    assert abs(weight) > abs(other) > abs(coef)


def test_progress_goes_by_the_work():
    progress = Progress("ran", 10.0, True, "cells")
    progress.advance(1, work=8.0)
    progress.advance(1, work=0.0)
    assert "ran: 2 cells" in progress.line(8.0, "")
    assert "80%, 2 s left" in progress.line(8.0, "")


def test_times_in_words():
    said = [clock(seconds) for seconds in (0.4, 59.4, 60, 61, 3599, 3600, 5400)]
    assert said == ["0 s", "59 s", "1 min 00 s", "1 min 01 s", "59 min 59 s", "1.0 h", "1.5 h"]


def test_explain_and_export(here, capsys):
    told(capsys, "fit", "train.csv", "--target", "fraud", "--drop", "id", "-o", "e.auc", "--positive", "yes")
    said = told(capsys, "explain", "e.auc").out
    for words in ("AUCClassifier", "column country: category", "missing as", "country=xx", "target: fraud"):
        assert words in said
    facts = json.loads(told(capsys, "explain", "e.auc", "--json").out)
    assert facts["features"] == 8
    assert [name for name, *_ in facts["weights"]] == aucmax.load("e.auc").summary().feature.tolist()
    told(capsys, "export", "e.auc", "e.csv")
    weights = pd.read_csv("e.csv", index_col=0)["weight"]
    model = aucmax.load("e.auc")
    assert weights["intercept"] == model.intercept_[0]
    assert sorted(weights.iloc[1:]) == sorted(model.coef_[0])
    pytest.importorskip("onnx")
    assert "e.onnx" in told(capsys, "export", "e.auc", "e.onnx").out
    rows = told(capsys, "predict", "e.auc", "test.csv").out.splitlines()
    assert {row.split(",")[0] for row in rows[1:]} == {"yes", "not yes"}


@pytest.mark.parametrize("method", ["auto", "SPAM"])
def test_a_stream_and_its_checkpoint(method, here, capsys):
    plain = ["fit", "train.csv", "--target", "fraud", "--stream", "--passes", "2", "--method", method]
    said = told(capsys, *plain, "-o", "s.auc")
    assert "held-out rows" in said.out
    told(capsys, *plain, "-o", "t.auc", "--checkpoint", "run.ckpt", "--every", "0s")
    assert (here / "s.auc").read_bytes() == (here / "t.auc").read_bytes()
    assert not (here / "run.ckpt").exists()
    assert json.loads(told(capsys, "evaluate", "s.auc", "test.csv", "--json").out)["auc"] > 0.6


@pytest.mark.parametrize("method", ["auto", "SPAM"])
def test_a_fit_in_memory_and_its_checkpoint(method, here, capsys, monkeypatch):
    plain = ["fit", "train.csv", "--target", "fraud", "--method", method, "--cv", "3"]
    said = told(capsys, *plain, "-o", "s.auc").out
    kept = [*plain, "-o", "t.auc", "--checkpoint", "run.ckpt", "--every", "0s"]
    with monkeypatch.context() as patch:
        patch.setattr("aucmax.save", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        told(capsys, *kept, code=1)
    assert (here / "run.ckpt").exists()
    assert told(capsys, *kept).out.splitlines()[0] == said.splitlines()[0]
    assert (here / "s.auc").read_bytes() == (here / "t.auc").read_bytes()
    assert not list(here.glob("run.ckpt*"))


def test_the_checkpoint_of_another_run_is_refused(here, capsys, monkeypatch):
    command = [
        "fit",
        "train.csv",
        "--target",
        "fraud",
        "--stream",
        "-o",
        "s.auc",
        "--checkpoint",
        "x.ckpt",
        "--every",
        "0",
    ]
    with monkeypatch.context() as patch:
        patch.setattr("aucmax.save", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        told(capsys, *command, code=1)
    assert (here / "x.ckpt").exists()
    assert "another run" in told(capsys, *command, "--seed", "5", code=1).err
    told(capsys, *command)
    assert not (here / "x.ckpt").exists()


def test_libsvm_text_and_several_classes(here, capsys):
    rng = np.random.default_rng(0)
    lines = [f"{k % 3} 1:{k % 3 + rng.standard_normal():.3f} 4:{rng.standard_normal():.3f}" for k in range(300)]
    (here / "three").write_text("\n".join(lines))
    assert "mean over classes" in told(capsys, "fit", "three").out
    assert "mean over classes" in told(capsys, "evaluate", "three.auc", "three").out
    assert told(capsys, "predict", "three.auc", "three").out.startswith("prediction,score 0,score 1,score 2")
    assert "cross-validation" in told(capsys, "fit", "three", "--positive", "2", "-o", "two.auc").out
    assert told(capsys, "evaluate", "two.auc", "three").out.startswith("AUC 0.")
    assert "two classes" in told(capsys, "compare", "three.auc", "two.auc", "three", code=1).err
    assert "not one for each column" in told(capsys, "export", "three.auc", "three.csv", code=1).err


ERRORS = [
    (["fit", "gone.csv", "--target", "y"], "gone.csv: no such file"),
    (["fit", "train.csv"], "which column holds the labels? give --target; seen amount, country"),
    (["fit", "train.csv", "--target", "froud"], "no column 'froud'; seen 'amount'"),
    (["fit", "train.csv", "--target", "fraud", "--positive", "maybe"], "no row has the label 'maybe'"),
    (["fit", "train.csv", "--target", "fraud", "--drop", "zip"], "no column 'zip'"),
    (["fit", "empty.csv", "--target", "y"], "the file is empty"),
    (["fit", "empty.libsvm"], "no rows"),
    (["fit", "."], "a folder, expected a file"),
    (["fit", "pipe"], "pipe: a device or a pipe, expected a file"),
    (["fit", "pipe", "--format", "csv", "--target", "y", "--stream"], "pipe: a device or a pipe, expected a file"),
    (["predict", "good.auc", "pipe"], "pipe: a device or a pipe, expected a file"),
    (["predict", "pipe", "test.csv"], "pipe: a device or a pipe, expected a file that aucmax.save wrote"),
    (["predict", ".", "test.csv"], "a folder, expected a file that aucmax.save wrote"),
    (["fit", "train.csv", "--target", "fraud", "--max-bytes", "4K"], "expected at most 4,096: "),
    (["fit", "train.csv.gz", "--target", "fraud", "--max-bytes", "4K", "--stream"], "allow more by max_bytes=, in the"),
    (["evaluate", "good.auc", "train.csv.gz", "--max-bytes", "4K"], "in the command by --max-bytes"),
    (["fit", "binary"], "expected a label"),
    (["fit", "binary.csv", "--target", "y"], "binary.csv"),
    (["fit", "one.csv", "--target", "y"], "one class only"),
    (["fit", "train.csv", "--target", "fraud", "-o", "no/such/model.auc"], "is no folder"),
    (["fit", "train.csv", "--target", "fraud", "-o", "."], "is a folder"),
    (["fit", "train.csv", "--target", "fraud", "-o", "pipe"], "is a device"),
    (["fit", "train.csv", "--target", "fraud", "--cv", "-3"], "expected a number of folds"),
    (["fit", "names.csv", "--target", "y"], "no rows; expected some below"),
    (["fit", "train.csv", "--target", "fraud", "--method", "SPAM", "--set", "l3=1"], "expected NAME=VALUE with one of"),
    (["fit", "train.csv", "--target", "fraud", "--method", "SPAM", "--set", "l2=-1"], "SPAM(l2=-1)"),
    (["fit", "train.csv", "--target", "fraud", "--stream", "--method", "BAM"], "cannot learn from a stream"),
    (["fit", "train.csv", "--target", "fraud", "--stream", "--every", "soon"], "expected a time"),
    (["fit", "train.csv", "--target", "fraud", "--every", "never"], "expected a time"),
    (["predict", "gone.auc", "test.csv"], "gone.auc: No such file"),
    (["predict", "test.csv", "test.csv"], "not a model file"),
    (["evaluate", "scaler.auc", "test.csv"], "cannot score rows"),
    (["data", "info", "nothing"], "no set 'nothing' is known"),
    (["data", "fetch"], "name at least one set"),
    (["export", "good.auc", "model.txt"], "ends in .onnx or .csv"),
    (["predict", "good.auc", "one.csv"], "no column 'amount', which the model knows"),
    (["evaluate", "good.auc", "test.csv", "--target", "id"], "but the model knows"),
    (["predict", "good.auc", "empty.libsvm"], "trained on a table"),
]


def test_the_memory_of_a_file_is_an_option(here, capsys):
    plain = ["fit", "train.csv", "--target", "fraud", "--cv", "0", "-o", "m.auc", "--max-bytes"]
    for size in ("1g", "500M", str(10**9)):
        assert "trained" in told(capsys, *plain, size).out
    for size in ("0", "-1", "5X", "1.5G", ""):
        with pytest.raises(SystemExit):
            main([*plain, size])
        assert "expected a size of at least 1 byte, such as 500M" in capsys.readouterr().err


def test_scores_of_folds_that_are_none_are_refused(here, capsys, monkeypatch):
    command = ["fit", "train.csv", "--target", "fraud", "--cv", "3", "-o", "f.auc", "--checkpoint", "f.ckpt"]
    with monkeypatch.context() as patch:
        patch.setattr("aucmax.save", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        told(capsys, *command, code=1)
    found = open_model("f.ckpt")
    for wrong in (
        {"scores": np.full(600, -np.inf)},
        {"scores": 3},
        {"scores": np.zeros(5)},
        {"done": 9},
        {"done": "x"},
    ):
        aucmax.save(found.model, "f.ckpt", notes={**found.notes, **wrong})
        assert "f.ckpt: a checkpoint" in told(capsys, *command, code=1).err
    aucmax.save(found.model, "f.ckpt", notes=found.notes)
    told(capsys, *command)


def test_the_model_keeps_its_mode_and_its_link(here, capsys):
    (here / "kept").mkdir()
    (here / "link.auc").symlink_to("kept/model.auc")
    for _ in range(2):
        told(capsys, "fit", "train.csv", "--target", "fraud", "--cv", "0", "-o", "link.auc")
        (here / "kept" / "model.auc").chmod(0o600)
    told(capsys, "fit", "train.csv", "--target", "fraud", "--cv", "0", "-o", "link.auc")
    assert (here / "link.auc").is_symlink()
    assert (here / "kept" / "model.auc").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (here / "kept").iterdir()] == ["model.auc"]


@pytest.fixture
def odd_files(here):
    (here / "empty.csv").write_bytes(b"")
    (here / "empty.libsvm").write_bytes(b"")
    (here / "binary").write_bytes(bytes(range(256)) * 20)
    (here / "binary.csv").write_bytes(bytes(range(255, -1, -1)) * 20)
    (here / "one.csv").write_text("x,y\n1,0\n2,0\n3,0\n")
    (here / "names.csv").write_text("x,y\n")
    (here / "train.csv.gz").write_bytes(gzip.compress((here / "train.csv").read_bytes()))
    if not (here / "pipe").exists():
        os.mkfifo(here / "pipe")
    if not (here / "good.auc").exists():
        assert main(["fit", "train.csv", "--target", "fraud", "-o", "good.auc", "--cv", "0", "--quiet"]) == 0
        aucmax.save(aucmax.KMeansNystroem(), "scaler.auc")
    return here


@pytest.mark.parametrize(("arguments", "words"), ERRORS)
def test_errors_are_one_line(arguments, words, odd_files, capsys):
    capsys.readouterr()
    said = told(capsys, *arguments, code=1)
    last = said.err.splitlines()[-1]
    assert last.startswith("aucmax: error: ")
    assert words in last
    assert "Traceback" not in said.err
    assert last.isprintable()
    assert said.out == ""


def test_what_nobody_foresaw_is_one_line_too(here, capsys, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("a bolt\nis loose")

    monkeypatch.setattr(aucmax, "save", broken)
    command = ["fit", "train.csv", "--target", "fraud", "--cv", "0", "--method", "SPAM", "--quiet"]
    said = told(capsys, *command, code=1)
    assert said.err == "aucmax: error: unexpected RuntimeError: a bolt is loose; --debug shows where\n"
    with pytest.raises(RuntimeError):
        main([*command, "--debug"])


def test_debug_shows_the_traceback(here):
    with pytest.raises(ValueError, match="no such file"):
        main(["fit", "gone.csv", "--target", "y", "--debug"])


def test_a_million_columns(here, capsys):
    rng = np.random.default_rng(0)
    lines = [f"{k % 2} {k % 2 + 1}:1 {rng.integers(10, 10**6)}:{rng.random():.3f} 1000000:1" for k in range(200)]
    (here / "wide").write_text("\n".join(lines))
    said = told(capsys, "fit", "wide", "--method", "SPAM")
    assert "1,000,000 columns" in said.err
    assert told(capsys, "evaluate", "wide.auc", "wide").out.startswith("AUC 1.0")


def test_a_table_of_very_many_columns(here, capsys):
    """More than pyarrow is asked to read, and more than a person wants to see."""
    rng, d = np.random.default_rng(0), 10_500
    names = [*(f"x{j}" for j in range(d)), "who", "y"]
    lines = [",".join(names)]
    for k in range(12):
        values = rng.standard_normal(d) + 2 * (k % 2)
        lines.append(",".join([*(f"{value:.3f}" for value in values), f"person {k}", "case" if k % 2 else "control"]))
    (here / "genes.csv").write_text("\n".join(lines) + "\n")
    out = told(capsys, "fit", "genes.csv", "--target", "y", "--positive", "case", "--drop", "who", "--method", "SPAM")
    assert "12 rows, 10,500 columns" in out.err
    assert "the model is in genes.auc" in out.out
    scores = told(capsys, "predict", "genes.auc", "genes.csv").out.splitlines()
    assert [line.split(",")[0] for line in scores[1:]] == ["not case", "case"] * 6
    explained = told(capsys, "explain", "genes.auc").out
    assert "and 10,400 columns more" in explained
    assert len(explained.splitlines()) < 150


def test_no_space_left(here, capsys, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = told(capsys, "fit", "train.csv", "--target", "fraud", "--cv", "0", "-o", "full.auc", code=1)
    assert said.err.splitlines()[-1].startswith("aucmax: error: full.auc: No space left on device; free some space")
    assert not list(here.glob("*full.auc*"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_no_space_left_for_predictions(here, capsys):
    (here / "rows").write_text("".join(f"{k % 2} 1:{k % 2 + 1} 2:{k}\n" for k in range(20)))
    told(capsys, "fit", "rows", "--method", "SPAM", "--cv", "0")
    said = told(capsys, "predict", "rows.auc", "rows", "-o", "/dev/full", code=1)
    assert said.err.splitlines()[-1].startswith("aucmax: error: /dev/full: No space left on device; free some space")


@pytest.mark.parametrize("old", [True, False])
def test_predictions_are_written_whole_or_not_at_all(here, capsys, old):
    """A limit on the size of files stands in for a disk that fills up in the midst of the rows."""
    resource = pytest.importorskip("resource")
    (here / "rows").write_text("".join(f"{k % 2} 1:{k % 2 + 1} 2:{k}\n" for k in range(2000)))
    told(capsys, "fit", "rows", "--method", "SPAM", "--cv", "0")
    target = here / f"scores{old:d}.csv"
    if old:
        target.write_text("of another day")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        said = told(capsys, "predict", "rows.auc", "rows", "-o", target.name, code=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert f"{target.name}: File too large" in said.err
    assert [path.read_text() for path in here.glob(f"*{target.name}*")] == (["of another day"] if old else [])


@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() == 0, reason="root may read and write anything")
def test_no_permission(here, capsys):
    (here / "secret.csv").write_text("x,y\n1,0\n2,1\n")
    (here / "secret.csv").chmod(0)
    assert "cannot be read" in told(capsys, "fit", "secret.csv", "--target", "y", code=1).err


def test_sets(here, capsys, monkeypatch):
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    assert "a9a" in told(capsys, "data", "list").out
    assert "even against odd" in told(capsys, "data", "info", "usps").out
    assert json.loads(told(capsys, "data", "list", "a9a", "--json").out)["sets"][0]["rows"] == 32561
    (here / "usps.bz2").write_bytes(b"")
    assert "usps.bz2" in told(capsys, "data", "fetch", "usps", "--data-dir", here).out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, capsys):
    said = told(capsys, "completion", shell).out
    assert "predict" in said
    assert "zero-based" in said


def test_bash_completes():
    script = subprocess.run(
        [sys.executable, "-m", "aucmax.cli", "completion", "bash"], capture_output=True, text=True, check=True
    )
    tail = "COMP_WORDS=(aucmax ev); COMP_CWORD=1; _aucmax; echo ${COMPREPLY[@]}; "
    tail += "COMP_WORDS=(aucmax fit --tar); COMP_CWORD=2; _aucmax; echo ${COMPREPLY[@]}"
    done = subprocess.run(["bash", "-c", script.stdout + tail], capture_output=True, text=True)
    assert done.stdout.split() == ["evaluate", "--target"]


def test_help_loads_nothing_heavy():
    script = (
        "import sys\nfrom aucmax.cli import main\n"
        "try: main(['fit', '--help'])\nexcept SystemExit as stop: assert stop.code == 0\n"
        "print([m for m in ('numpy', 'numba', 'sklearn', 'pyarrow', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_wrong_command_line(capsys):
    for wrong in (["fly"], [], ["fit"], ["fit", "a", "--method", "magic"]):
        with pytest.raises(SystemExit) as stopped:
            main(wrong)
        assert stopped.value.code == 2
        assert "usage: aucmax" in capsys.readouterr().err


def test_interrupted_and_a_closed_pipe(here):
    rows = "".join(f"{k % 2} 1:{k}.5 2:{k % 7}\n" for k in range(20_000))
    (here / "long").write_text(rows)
    command = [sys.executable, "-m", "aucmax.cli", "fit", "long", "--stream", "--passes", "1000", "--method", "SPAM"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert "scanned" in process.stderr.readline()
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "aucmax: error: interrupted"
    assert out == ""
    assert main(["fit", "long", "--method", "SPAM", "--cv", "0", "--quiet"]) == 0
    piped = f"{sys.executable} -m aucmax.cli predict long.auc long | head -1"
    done = subprocess.run(["bash", "-c", piped], capture_output=True, text=True, timeout=100)
    assert done.stdout == "prediction,score\n"
    assert done.stderr == ""
