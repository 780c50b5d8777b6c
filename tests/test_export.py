"""ONNX graphs, run by ONNX Runtime."""

import sys

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)

import aucmax
from aucmax.export import save_onnx, to_onnx
from tests.conftest import make_problem
from tests.estimators import ESTIMATORS, quick

onnxruntime = pytest.importorskip("onnxruntime")


def run(model, X):
    session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString(), providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {"X": X}), strict=True))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_algorithm(name, problem):
    X, y = problem
    model = quick(name).fit(X, y)
    found = run(model, X)
    assert set(found) == {"score"}
    np.testing.assert_allclose(found["score"], model.decision_function(X), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_front_door(classes):
    X, y = make_problem(n=300, d=8)
    y = np.where(X[:, 0] > 1, classes - 1, y > 0)
    model = aucmax.AUCClassifier().fit(X, y)
    found = run(model, X)
    np.testing.assert_allclose(found["score"], model.decision_function(X), rtol=1e-12, atol=1e-13)
    expected = model.predict_proba(X)
    np.testing.assert_allclose(found["probability"], expected[:, 1] if classes == 2 else expected, rtol=1e-12)


@pytest.mark.parametrize(
    "step",
    [
        MaxAbsScaler(),
        MinMaxScaler((-1, 2)),
        StandardScaler(),
        StandardScaler(with_mean=False),
        RobustScaler(),
        Normalizer(),
        Normalizer("l1"),
        aucmax.KMeansNystroem(20, dtype="float64", random_state=0),
    ],
    ids=lambda step: type(step).__name__,
)
def test_pipelines(step, problem):
    X, y = problem
    model = make_pipeline(step, quick("BAM")).fit(X, y)
    np.testing.assert_allclose(run(model, X)["score"], model.decision_function(X), rtol=1e-9, atol=1e-10)


def test_files_and_refusals(problem, tmp_path, monkeypatch):
    X, y = problem
    save_onnx(quick("BAM").fit(X, y), tmp_path / "a.onnx")
    first = (tmp_path / "a.onnx").read_bytes()
    save_onnx(quick("BAM").fit(X, y), tmp_path / "a.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == first
    with pytest.raises(ValueError, match="QuantileTransformer cannot be exported"):
        to_onnx(make_pipeline(QuantileTransformer(n_quantiles=10), quick("BAM")).fit(X, y))
    with pytest.raises(ValueError, match="no fitted linear model"):
        to_onnx(quick("BAM"))
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'aucmax\[onnx\]'"):
        to_onnx(quick("BAM").fit(X, y))
