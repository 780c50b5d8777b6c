"""Models as ONNX graphs, in float64, for programs that do not speak Python."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

import aucmax
from aucmax.data.errors import missing
from aucmax.features.nystroem import KMeansNystroem
from aucmax.persist.whole import write_whole

OPSET = 18
IR = 9


def _onnx() -> Any:
    try:
        return importlib.import_module("onnx")
    except ModuleNotFoundError as error:
        raise missing("onnx", "onnx", "An ONNX export") from error


class Graph:
    """Nodes and constants of a graph in the making."""

    def __init__(self) -> None:
        self.onnx = _onnx()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: Any, dtype: Any = np.float64) -> str:
        """The name of a constant."""
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(value, dtype=dtype), name))
        return name

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """The name of a node's result."""
        name = f"n{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name


def to_onnx(model: Any) -> Any:
    r"""A fitted classifier as an ONNX model.

    Its input ``X`` is a float64 matrix; its outputs are ``score``, as ``decision_function`` gives it, and for the
    classifiers with probabilities ``probability``, that of the positive class or of each class.

    Parameters
    ----------
    model : estimator
        Any linear estimator of this library, ``AUCClassifier`` and ``AUCClassifierCV``, or a ``Pipeline`` that ends in
        one, with ``MaxAbsScaler``, ``MinMaxScaler``, ``StandardScaler``, ``RobustScaler``, ``Normalizer`` and
        ``KMeansNystroem`` before it.

    Returns
    -------
    onnx.ModelProto
        The graph, checked.

    Raises
    ------
    ValueError
        If the model is of another kind.
    """
    graph = Graph()
    *before, last = [step for _, step in model.steps] if hasattr(model, "steps") else [model]
    value = "X"
    for step in before:
        value = _transformed(graph, step, value)
    names = _scored(graph, last, value)
    return _finished(graph, model, names)


def save_onnx(model: Any, path: Any) -> None:
    """Write a fitted classifier as an ONNX file; see :func:`to_onnx`."""
    write_whole(Path(path), to_onnx(model).SerializeToString(deterministic=True))


def _scored(graph: Graph, last: Any, value: str) -> dict[str, str]:
    if getattr(last, "coef_", None) is None:
        raise ValueError(f"{type(last).__name__} is no fitted linear model, which alone can be exported")
    if len(last.classes_) > 2 and getattr(last, "multi_class", "ovr") != "ovr":
        raise ValueError('several classes can be exported with multi_class="ovr" only')
    embedding = getattr(last, "embedding_", None)
    if embedding is not None:
        value = _embedded(graph, embedding.nystroem, graph.node("Div", value, graph.constant(embedding.sizes)))
    scores = graph.node("MatMul", value, graph.constant(last.coef_.T))
    scores = graph.node("Add", scores, graph.constant(last.intercept_))
    flat = len(last.classes_) == 2
    found = {"score": graph.node("Squeeze", scores, graph.constant([1], np.int64)) if flat else scores}
    if hasattr(last, "predict_proba"):
        # ONNX Runtime has no float64 sigmoid; exp is there
        odds = graph.node("Exp", graph.node("Neg", found["score"]))
        share = graph.node("Div", graph.constant(1.0), graph.node("Add", graph.constant(1.0), odds))
        if not flat:
            total = graph.node("ReduceSum", share, graph.constant([1], np.int64), keepdims=1)
            share = graph.node("Div", share, total)
        found["probability"] = share
    return found


def _transformed(graph: Graph, step: Any, value: str) -> str:
    name = type(step).__name__
    if isinstance(step, KMeansNystroem):
        return _embedded(graph, step, value)
    if name == "Normalizer":
        norms = {"l1": "ReduceL1", "l2": "ReduceL2"}
        if step.norm not in norms:
            raise ValueError(f'Normalizer(norm="{step.norm}") cannot be exported; use l1 or l2')
        size = graph.node(norms[step.norm], value, graph.constant([1], np.int64), keepdims=1)
        none = graph.node("Equal", size, graph.constant(0.0))
        return graph.node("Div", value, graph.node("Where", none, graph.constant(1.0), size))
    shift, scale = _affine(step, name)
    shifted = graph.node("Sub", value, graph.constant(shift)) if shift is not None else value
    return graph.node("Mul", shifted, graph.constant(scale)) if scale is not None else shifted


def _affine(step: Any, name: str) -> tuple[Any, Any]:
    """What a scaler subtracts, and what it multiplies by."""
    if name == "MaxAbsScaler" and not getattr(step, "clip", False):
        return None, 1.0 / step.scale_
    if name == "MinMaxScaler" and not step.clip:
        return -step.min_ / step.scale_, step.scale_
    if name == "StandardScaler":
        return (step.mean_ if step.with_mean else None), (1.0 / step.scale_ if step.with_std else None)
    if name == "RobustScaler":
        return (step.center_ if step.with_centering else None), (1.0 / step.scale_ if step.with_scaling else None)
    raise ValueError(f"{name} cannot be exported; expected a scaler or KMeansNystroem")


def _embedded(graph: Graph, step: KMeansNystroem, value: str) -> str:
    """exp(-γ|x - c|²)·root, about the mean of the centres lest the squares cancel."""
    origin = step.components_.mean(axis=0)
    centres = step.components_ - origin
    rows = graph.node("Sub", value, graph.constant(origin))
    square = graph.node("ReduceSumSquare", rows, graph.constant([1], np.int64), keepdims=1)
    cross = graph.node("MatMul", rows, graph.constant(-2.0 * centres.T))
    distance = graph.node("Add", graph.node("Add", cross, square), graph.constant((centres**2).sum(axis=1)))
    near = graph.node("Max", distance, graph.constant(0.0))
    kernel = graph.node("Exp", graph.node("Mul", near, graph.constant(-float(step.gamma_))))
    return graph.node("MatMul", kernel, graph.constant(step.normalization_))


def _finished(graph: Graph, model: Any, names: dict[str, str]) -> Any:
    helper, double = graph.onnx.helper, graph.onnx.TensorProto.DOUBLE
    width, count = int(model.n_features_in_), len(model.classes_)
    outputs = []
    for name, node in names.items():
        graph.nodes.append(helper.make_node("Identity", [node], [name]))
        outputs.append(helper.make_tensor_value_info(name, double, ["rows"] if count == 2 else ["rows", count]))
    inputs = [helper.make_tensor_value_info("X", double, ["rows", width])]
    made = helper.make_graph(graph.nodes, "aucmax", inputs, outputs, graph.constants)
    versions = [helper.make_opsetid("", OPSET)]
    found = helper.make_model(made, opset_imports=versions, ir_version=IR, producer_name="aucmax")
    found.producer_version = aucmax.__version__
    helper.set_model_props(found, {"classes": repr(model.classes_.tolist())})
    graph.onnx.checker.check_model(found)
    return found
