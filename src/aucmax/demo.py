"""``make demo``: train every algorithm on embedded data and compare them.

Prints how well they rank, how close to the optimum they come and how fast they are, and writes the same with pictures
as ``report.html``.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax import algorithms
from aucmax.algorithms.exact import ExactAUC
from aucmax.bench.about import heading
from aucmax.bench.errata import errata
from aucmax.evaluate import delong_ci, roc_curve
from aucmax.evaluate.intervals import Interval
from aucmax.model.objective import pair_square_loss
from aucmax.report import write

L2 = 1e-3
LANDMARKS = 200
DRAWN = ("AUCClassifier", "BAM", "SPAM-L2", "PSAM", "OAM-seq", "NBAM", "LogisticRegression")  # as ROC curves
ONE_PASS = {"max_iter": 1}  # online algorithms see a row once


class Task(NamedTuple):
    """A data set, split and scaled by its training part."""

    title: str
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def tasks() -> list[Task]:
    """The embedded data sets."""
    rare = make_classification(
        n_samples=50_000,
        n_features=40,
        n_informative=12,
        n_clusters_per_class=1,
        weights=[0.99],
        flip_y=0.0,
        class_sep=0.45,
        random_state=0,
    )
    sets = {
        "breast cancer, 569 rows, 30 columns": load_breast_cancer(return_X_y=True),
        "generated, 50,000 rows, 40 columns": rare,
    }
    found = []
    for title, (X, y) in sets.items():
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
        scaler = StandardScaler().fit(X_train)
        title = f"{title}, {100 * y.mean():.0f} % positive"
        found.append(Task(title, scaler.transform(X_train), y_train, scaler.transform(X_test), y_test))
    return found


def contestants() -> dict[str, Any]:
    """Every algorithm under the name it has in print."""
    return {
        "ExactAUC": aucmax.ExactAUC(L2),
        "SPAM-L2": aucmax.SPAM(L2, random_state=0),
        "SPAM-NET": aucmax.SPAM(L2, 1e-4, random_state=0),
        "VRSPAM-L2": aucmax.VRSPAM(L2, random_state=0),
        "VRSPAM-NET": aucmax.VRSPAM(L2, 1e-4, random_state=0),
        "SOLAM": aucmax.SOLAM(random_state=0),
        "SOLAM-l1": aucmax.SOLAM(ball="l1", random_state=0),
        "regSOLAM": aucmax.RegSOLAM(L2, random_state=0),
        "FSAUC": aucmax.FSAUC(random_state=0),
        "SPDAM": aucmax.SPDAM(L2, random_state=0),
        "MBA": aucmax.MBA(1e-4, L2, random_state=0),
        "BAM": aucmax.BAM(L2, random_state=0),
        "ROC-area SVM": aucmax.ROCSVM(L2, tol=1e-3),
        "PSAM": aucmax.PSAM(L2, random_state=0),
        "ASAM": aucmax.ASAM(L2, random_state=0),
        "RankOpt": aucmax.RankOpt(),
        "OAM-seq": aucmax.OAM(variant="seq", random_state=0, **ONE_PASS),
        "OAM-gra": aucmax.OAM(variant="gra", random_state=0, **ONE_PASS),
        "OPAUC": aucmax.OPAUC(L2, random_state=0, **ONE_PASS),
        "OPAUC, rank 10": aucmax.OPAUC(L2, rank=10, random_state=0, **ONE_PASS),
        "AdaOAM": aucmax.AdaOAM(L2, random_state=0, **ONE_PASS),
        "CBR": aucmax.CBR(random_state=0, **ONE_PASS),
        "CBR-diag": aucmax.CBR(covariance="diag", random_state=0, **ONE_PASS),
        "Uni-Exp": aucmax.UniExp(L2, random_state=0, **ONE_PASS),
        "NSOLAM": algorithms.NSOLAM(LANDMARKS, random_state=0),
        "NBAM": algorithms.NBAM(LANDMARKS, random_state=0),
        "NPSAM": algorithms.NPSAM(LANDMARKS, random_state=0),
        "NASAM": algorithms.NASAM(LANDMARKS, random_state=0),
        "AUCClassifier": aucmax.AUCClassifier(),
        "AUCClassifierCV": aucmax.AUCClassifierCV(),
        "LogisticRegression": LogisticRegression(class_weight="balanced", max_iter=1000),
    }


class Line(NamedTuple):
    """A line of the table; what is not a number is left out."""

    name: str
    loss: str
    auc: Interval
    gap: float
    seconds: float
    speed: float
    scores: np.ndarray
    compiling: float

    def __str__(self) -> str:
        gap = "" if np.isnan(self.gap) else f"{self.gap:.2e}"
        speed = "" if np.isnan(self.speed) else f"{self.speed:,.0f}"
        auc = f"{self.auc.estimate:.5f} [{self.auc.low:.4f}, {self.auc.high:.4f}]"
        return f"{self.name:<20}{self.loss:<16}{auc:<26}{gap:>10}{self.seconds:>10.4f}{speed:>14}"


HEAD = f"{'algorithm':<20}{'loss':<16}{'test AUC, 95 % interval':<26}{'loss gap':>10}{'seconds':>10}{'rows/s':>14}"


def square_loss(w: np.ndarray, task: Task) -> float:
    """The mean pairwise square loss on the training rows."""
    return pair_square_loss(np.where(task.y_train == 1, 1, -1), task.X_train @ w, np.ones(len(task.y_train)))


def measure(name: str, model: Any, task: Task, least: float) -> Line:
    """Train once on a few rows to compile, once for the clock."""
    few = np.r_[np.flatnonzero(task.y_train == 0)[:120], np.flatnonzero(task.y_train == 1)[:120]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        begun = time.perf_counter()
        model.fit(task.X_train[few], task.y_train[few])
        compiled = time.perf_counter()
        model.fit(task.X_train, task.y_train)
        seconds = time.perf_counter() - compiled
    scores = model.decision_function(task.X_test)
    solver = model[-1] if isinstance(model, Pipeline) else model
    loss = str(getattr(solver, "_pair_loss", getattr(solver, "loss_", "logistic")))
    gap = square_loss(model.coef_[0], task) - least if loss == "square" and solver is model else np.nan
    speed = getattr(solver, "t_", np.nan) / seconds
    auc = delong_ci(task.y_test, scores)
    return Line(name, loss.replace("_", " "), auc, gap, seconds, speed, scores, compiled - begun)


def leaderboard(task: Task) -> list[Line]:
    """Every algorithm on a set, the best first, with progress on a terminal."""
    bar, rows = sys.stderr if sys.stderr.isatty() else None, []
    least = square_loss(ExactAUC(0.0).fit(task.X_train, task.y_train).coef_[0], task)
    for k, (name, model) in enumerate(contestants().items(), 1):
        if bar:
            bar.write(f"\r\x1b[K[{k}/{len(contestants())}] {name} (the first time, kernels are compiled)")
            bar.flush()
        rows.append(measure(name, model, task, least))
    if bar:
        bar.write("\r\x1b[K")
    return sorted(rows, key=lambda row: -row.auc.estimate)


def roc_figure(task: Task, rows: list[Line], number: int) -> dict[str, Any]:
    """ROC curves of some algorithms on the test rows."""
    x, series = np.linspace(0.0, 1.0, 101), []
    for row in rows:
        if row.name in DRAWN:
            curve = roc_curve(task.y_test, row.scores)
            y = np.interp(x, curve.fpr, curve.tpr)
            series.append({"name": row.name, "x": x.tolist(), "y": y.tolist(), "low": None, "high": None})
    labels = {"x": "false positive rate", "y": "true positive rate", "log_x": False, "log_y": False, "kind": "roc"}
    return {"id": f"roc-{number}", "title": f"ROC curves: {task.title}", "note": "", "series": series, **labels}


def curve_figure(task: Task) -> dict[str, Any]:
    """Test AUC along the fits of the stochastic algorithms."""
    series = []
    for name in ("SPAM-L2", "SOLAM", "regSOLAM", "FSAUC", "PSAM", "ASAM"):
        model = contestants()[name].fit(task.X_train, task.y_train, X_val=task.X_test, y_val=task.y_test)
        x, y = model.history_["iteration"].tolist(), model.history_["validation_auc"].tolist()
        series.append({"name": name, "x": x, "y": y, "low": None, "high": None})
    labels = {"x": "rows seen", "y": "test AUC", "log_x": True, "log_y": False, "kind": "lines"}
    return {"id": "curves", "title": f"On the way: {task.title}", "note": "", "series": series, **labels}


def facts(found: list[tuple[Task, list[Line]]]) -> dict[str, Any]:
    """All of it for the report."""
    lines = []
    for task, rows in found:
        best = rows[0]
        lines.append(f"{task.title}: {best.name} ranks best, test AUC {best.auc}.")
    lines.append(
        "Intervals of two algorithms on the same test rows overlap easily; aucmax compare tests the difference."
    )
    board = [
        {
            "name": row.name,
            "auc": row.auc.estimate,
            "low": row.auc.low,
            "high": row.auc.high,
            "seconds": row.seconds,
            "note": task.title.split(",")[0],
        }
        for task, rows in found
        for row in rows
    ]
    return {
        **heading("aucmax on embedded data"),
        "quick": False,
        "summary": {"lines": lines, "counts": []},
        "leaderboard": board,
        "figures": [*(roc_figure(*item, k) for k, item in enumerate(found, 1)), curve_figure(found[-1][0])],
        "errata": errata(),
        "again": ["make demo", "make bench-papers"],
    }


def main() -> None:
    """Run the demonstration."""
    begun, found = time.perf_counter(), []
    for task in tasks():
        rows = leaderboard(task)
        found.append((task, rows))
        print(f"\n{task.title}\n")
        print(HEAD)
        print(*rows, sep="\n")
    print("\nloss gap: mean pairwise square loss on the training rows above its least value, where that is minimised")
    print("(penalties make it positive). OAM, OPAUC, AdaOAM, CBR and Uni-Exp see every row once.")
    print("N...: on 200 k-means Nyström features.")
    print("LogisticRegression (class_weight='balanced') is scikit-learn's, for comparison.")
    path = Path("report.html").resolve()
    write(facts(found), path)
    compiling = sum(row.compiling for _, rows in found for row in rows)
    print(f"\n{time.perf_counter() - begun:.0f} s in all, {compiling:.0f} s of them for first fits, of 240 rows:")
    print("these compile the kernels, or load them")
    print(f"the same with pictures: {path}")


if __name__ == "__main__":
    main()
