"""Every estimator survives a file, bit by bit, and goes on learning as if nothing had happened."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

import aucmax
from aucmax import SPAM, AUCClassifier, AUCClassifierCV, KMeansNystroem
from aucmax.algorithms import NBAM
from aucmax.data import TableEncoder, read
from aucmax.data.encode import Rule
from aucmax.persist import ModelFileError, open_model
from aucmax.persist.container import unpacked
from tests.conftest import make_problem
from tests.estimators import ESTIMATORS, ONLINE, quick

VARIANTS = {
    "SPAM": [{"l1": 0.01}, {"average": False}],
    "OPAUC": [{"rank": 3}],
    "CBR": [{"variant": "diagonal"}, {"buffer": "fifo"}],
    "OAM": [{"variant": "gra"}],
    "ExactAUC": [{"l1": 0.01}],
}
STREAMS = [(name, extra) for name in ONLINE for extra in [{}, *VARIANTS.get(name, [])]]


def same(a, b, seen=None):
    """Whether two values are equal to the last bit, types, memory layout and shared arrays included."""
    seen = {} if seen is None else seen
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        if seen.setdefault(id(a), id(b)) != id(b):
            return False
        flags = a.flags.c_contiguous == b.flags.c_contiguous or not (a.flags.c_contiguous or a.flags.f_contiguous)
        return flags and a.dtype == b.dtype and a.shape == b.shape and (a.dtype == object or a.tobytes() == b.tobytes())
    if isinstance(a, BaseEstimator):
        return same(vars(a), vars(b), seen)
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key], seen) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(same(x, y, seen) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.random.Generator):
        return a.bit_generator.state == b.bit_generator.state
    if isinstance(a, float) and np.isnan(a):
        return bool(np.isnan(b))
    return a == b


def there_and_back(model, tmp_path):
    path = tmp_path / "model.auc"
    aucmax.save(model, path)
    first = path.read_bytes()
    again = aucmax.load(path)
    assert same(model, again)
    aucmax.save(again, path)
    assert path.read_bytes() == first
    assert [p.name for p in tmp_path.iterdir()] == ["model.auc"]
    return again


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_algorithm(name, problem, tmp_path):
    X, y = problem
    labels = np.where(y > 0, "yes", "no")
    model = quick(name, record=True).fit(pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]), labels)
    again = there_and_back(model, tmp_path)
    assert again.feature_names_in_.tolist()[:2] == ["c0", "c1"]
    there_and_back(quick(name), tmp_path)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize(("name", "extra"), STREAMS)
def test_a_stream_goes_on(name, extra, kind, tmp_path):
    X, y = make_problem(n=600, d=20)
    X = X if kind == "dense" else sp.csr_matrix(X)
    model = quick(name, **extra).partial_fit(X[:300], y[:300])
    again = there_and_back(model, tmp_path)
    model.partial_fit(X[300:], y[300:])
    again.partial_fit(X[300:], y[300:])
    assert same(model, again)


@pytest.mark.parametrize("model", [AUCClassifier(), AUCClassifierCV(cv=3, n_l2=4)], ids=["one", "cv"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_front_door(model, classes, tmp_path):
    X, y = make_problem(n=300, d=8)
    y = np.where(X[:, 0] > 1, classes - 1, y > 0)
    again = there_and_back(model.fit(X, y), tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.explain_choice() == model.explain_choice()


@pytest.mark.parametrize("scaler", [MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler])
def test_pipelines(scaler, problem, tmp_path):
    X, y = problem
    model = make_pipeline(scaler(), KMeansNystroem(20, random_state=0), quick("SPAM")).fit(X, y)
    again = there_and_back(model, tmp_path)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.score(X, y) == model.score(X, y)


def test_ready_pipelines_and_random_states(problem, tmp_path):
    X, y = problem
    model = NBAM(20, random_state=np.random.RandomState(3)).fit(X, y)
    path = tmp_path / "model.auc"
    aucmax.save(model, path)
    again = aucmax.load(path)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again[0].random_state.randint(1000) == model[0].random_state.randint(1000)


def test_a_loaded_model_knows_the_columns_of_its_table(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["late", "early"])
    table = read(frame.assign(y=[0, 1] * 30), target="y")
    model = AUCClassifier("logistic", 1e-3, costs={0: 1.0, 1: 20.0}, threshold="cost").fit(table.X, table.y)
    aucmax.save(model, tmp_path / "model.auc", encoder=table.encoder)
    again = aucmax.load(tmp_path / "model.auc")
    assert again.get_params() == model.get_params()
    assert set(again.summary().feature) == {"late", "early"}
    np.testing.assert_allclose(again.decision_function(frame), model.decision_function(table.X), atol=1e-12)
    with pytest.raises(ValueError, match="in the same order"):
        again.decision_function(frame[["early", "late"]])
    aucmax.save(make_pipeline(MaxAbsScaler(), SPAM()).fit(table.X, table.y), tmp_path / "p.auc", encoder=table.encoder)
    assert list(aucmax.load(tmp_path / "p.auc").feature_names_in_) == ["late", "early"]


def test_encoder_notes_and_versions(tmp_path):
    frame = pd.DataFrame({"age": [31, None, 54, 20] * 5, "plan": ["a", "b", "a", None] * 5, "y": [0, 1, 0, 1] * 5})
    table = read(frame, target="y")
    model = AUCClassifier().fit(table.X, table.y)
    notes = {"auc": 0.9, "none": float("nan"), "list": [1, "two", None, (3.0,)], "weights": np.arange(3)}
    aucmax.save(model, tmp_path / "model.auc", encoder=table.encoder, notes=notes)
    found = open_model(tmp_path / "model.auc")
    assert same(found.model, model)
    assert same(found.encoder, table.encoder)
    assert same(found.notes, notes)
    assert found.versions["aucmax"] == aucmax.__version__
    np.testing.assert_array_equal(read(frame, encoder=found.encoder).X, table.X)
    assert isinstance(found.encoder, TableEncoder)


def test_many_columns_take_little_of_the_header(tmp_path):
    """The JSON of a file is limited to 100 MB; a rule of its own for each of a million columns would not fit."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((4, 3000))).rename(columns=lambda j: f"gène {j}")
    frame.iloc[0, ::7] = np.nan
    model, path = aucmax.SPAM(), tmp_path / "model.auc"
    encoder = read(frame).encoder
    aucmax.save(model, path, encoder=encoder, notes={"empty": [""] * 2000, "mixed": ["a", 1] * 1000})
    _, document = unpacked(path.read_bytes(), path)
    assert len(json.dumps(document["encoder"])) < 1000
    found = open_model(path)
    assert same(found.encoder, encoder)
    assert all(type(rule) is Rule for rule in found.encoder.rules_)
    assert found.notes == {"empty": [""] * 2000, "mixed": ["a", 1] * 1000}
    np.testing.assert_array_equal(read(frame, encoder=found.encoder).X, read(frame).X)


def test_many_rules_of_several_kinds(tmp_path):
    frame = pd.DataFrame(
        {f"x{j}": [1.0, 2.0, 4.0] for j in range(1500)} | {"t": ["a", "a", None], "u": ["b", "c", "b"]}
    )
    encoder = read(frame).encoder
    aucmax.save(aucmax.SPAM(), tmp_path / "model.auc", encoder=encoder)
    assert same(open_model(tmp_path / "model.auc").encoder, encoder)


def test_many_tuples_of_arrays(tmp_path):
    """What a tuple holds may be anything, also what does not compare to one truth value."""
    many = tuple(Rule(f"x{j}", np.arange(6.0), float(j)) for j in range(1200))
    aucmax.save(aucmax.SPAM(), tmp_path / "model.auc", notes={"many": many})
    assert same(open_model(tmp_path / "model.auc").notes["many"], many)


class Held:
    """A state that is no tuple."""

    in_model_files = True


def test_objects_that_are_meant_for_files(problem, tmp_path, monkeypatch):
    X, y = problem
    home = sys.modules["aucmax.model.stream"]
    monkeypatch.setattr(Held, "__module__", "aucmax.model.stream")
    monkeypatch.setattr(home, "Held", Held, raising=False)
    model = quick("SPAM").fit(X, y)
    model.held_ = Held()
    model.held_.inner, model.held_.weights = quick("OAM").partial_fit(X, y), np.arange(3.0)
    aucmax.save(model, tmp_path / "a.auc")
    again = aucmax.load(tmp_path / "a.auc")
    assert type(again.held_) is Held
    assert same(vars(again.held_), vars(model.held_))
    monkeypatch.setattr(Held, "in_model_files", False)
    with pytest.raises(ModelFileError, match="no object"):
        aucmax.load(tmp_path / "a.auc")
    with pytest.raises(ModelFileError, match="is a Held"):
        aucmax.save(model, tmp_path / "a.auc")


def test_what_cannot_be_saved_changes_nothing(problem, tmp_path):
    X, y = problem
    path = tmp_path / "model.auc"
    aucmax.save(quick("SPAM").fit(X, y), path)
    before = path.read_bytes()
    odd = quick("SPAM").fit(X, y)
    odd.hook_ = lambda: None
    for model, words in (
        (odd, r"SPAM\.SPAM\.hook_ is a function"),
        (make_pipeline(FunctionTransformer(), quick("SPAM")), "FunctionTransformer, which a model file cannot hold"),
        (3, r"save\(int\): expected an estimator"),
    ):
        with pytest.raises(ModelFileError, match=words):
            aucmax.save(model, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.auc"]
