"""Files as users have them: models, checkpoints of fits that were cut off, a store of results.

Each is written once and kept, with the numbers that it must give, so that later versions are shown to read it.
"""

import contextlib
import shutil
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.algorithms import NPSAM
from aucmax.data import read
from aucmax.persist import open_model
from aucmax.persist.checkpoint import Checkpoint
from tests.estimators import quick
from tests.golden.experiments import read_store, write_store
from tests.golden.readers import table_text
from tests.golden.rows import DENSE, IN_UNITS, KINDS, THREE, WEIGHT, halves, made

STREAMS = {  # models that have met half of the rows, and go on with the other
    "spam.auc": ("csr", lambda: quick("SPAM", l1=1e-3)),
    "oam.auc": ("csr", lambda: quick("OAM", buffer_size=8)),
    "exactauc.auc": ("dense", lambda: quick("ExactAUC")),
    "stream.auc": ("dense", aucmax.AUCClassifier),
    "wide.auc": ("wide", aucmax.AUCClassifier),
}
FITTED = {
    "kernel.auc": (IN_UNITS, lambda: aucmax.AUCClassifierCV(("logistic",), 3, 3, kernel="rbf", n_components=15)),
    "pipeline.auc": (DENSE, lambda: make_pipeline(StandardScaler(), quick("SPAM"))),
    "npsam.auc": (DENSE, lambda: NPSAM(15, random_state=0)),
}
RUNS = {  # fits that are cut off after so many writes of their checkpoint
    "spam.ckpt": (DENSE, 3, lambda: aucmax.SPAM(l1=1e-3, max_iter=6, tol=None, random_state=0, record=True)),
    "classifier.ckpt": (IN_UNITS, 4, lambda: aucmax.AUCClassifierCV(("logistic", "ramp"), n_l2=3, cv=3)),
}
TABLE = made(90, 6, 0.7, 6)


class CutError(Exception):
    """The fit is cut off here."""


@contextlib.contextmanager
def offers(most=None):
    """Count the states that are offered to checkpoints, and cut the fit off after so many."""
    offer, made = Checkpoint.offer, []

    def counted(self, state):
        offer(self, state)
        made.append(None)
        if most is not None and len(made) > most:
            raise CutError

    with mock.patch.object(Checkpoint, "offer", counted):
        yield made


def write_stream(path):
    kind, model = STREAMS[path.name]
    chunk, _ = halves(KINDS[kind])
    aucmax.save(model().partial_fit(*chunk, classes=[-1, 1]), path)


def read_stream(path, folder):
    """Scores after half of the rows, and after the others."""
    rows, model = KINDS[STREAMS[path.name][0]], aucmax.load(path)
    before = model.decision_function(rows.other)
    return np.array([before, model.partial_fit(*halves(rows)[1]).decision_function(rows.other)])


def write_fitted(path):
    rows, model = FITTED[path.name]
    aucmax.save(model().fit(rows.X, rows.y), path)


def read_fitted(path, folder):
    return aucmax.load(path).decision_function(FITTED[path.name][0].other)


def table_in(folder):
    path = folder / "rows.csv"
    path.write_text(table_text(TABLE))
    return path


def write_encoded(path):
    table = read(table_in(path.parent), target="churn")
    (path.parent / "rows.csv").unlink()
    model = aucmax.AUCClassifier("logistic", 0.1).fit(table.X, THREE[:90], WEIGHT[:90])
    aucmax.save(model, path, encoder=table.encoder, notes={"target": "churn"})


def read_encoded(path, folder):
    """Scores of rows by the rules that lie with the model."""
    found = open_model(path)
    assert found.notes == {"target": "churn"}
    return found.model.decision_function(read(table_in(folder), encoder=found.encoder).X[:10])


def write_run(path):
    rows, writes, model = RUNS[path.name]
    with offers(writes), contextlib.suppress(CutError):
        model().fit(rows.X, rows.y, checkpoint=path, every=0)


def read_run(path, folder):
    """The coefficients of the fit that goes on from a checkpoint, in fewer steps than a whole one."""
    rows, _, model = RUNS[path.name]
    resumed, whole = shutil.copy(path, folder), folder / "whole.ckpt"
    with offers() as made:
        found = model().fit(rows.X, rows.y, checkpoint=resumed, every="1h")
    with offers() as all_of_them:
        model().fit(rows.X, rows.y, checkpoint=whole, every="1h")
    assert len(made) < len(all_of_them), f"{path}: the fit began anew"
    return np.append(found.coef_, found.intercept_)


def version_of(path):
    """The version of the library that wrote a model file or a checkpoint."""
    return open_model(path).versions["aucmax"]


KEPT = {  # how each is written, and read to the numbers that it must give
    **dict.fromkeys(STREAMS, (write_stream, read_stream)),
    **dict.fromkeys(FITTED, (write_fitted, read_fitted)),
    "encoded.auc": (write_encoded, read_encoded),
    **dict.fromkeys(RUNS, (write_run, read_run)),
    "store.sqlite": (write_store, read_store),
}
FOLDER = Path(__file__).parent / "data" / "files"


def expected(name):
    """The file of the numbers that a file must give."""
    return FOLDER / f"{name}.npy"
