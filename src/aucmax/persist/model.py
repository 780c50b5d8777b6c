"""``save`` and ``load``."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.pipeline import Pipeline

import aucmax
from aucmax.data.encode import Rule, TableEncoder
from aucmax.persist.checks import check_estimators
from aucmax.persist.container import ModelFileError, Room, packed, read_bytes, unpacked
from aucmax.persist.reader import Reader
from aucmax.persist.whole import write_whole
from aucmax.persist.writer import Writer

FORMAT = 1
ENTRIES = {"format", "versions", "model", "encoder", "notes"}


class ModelFile(NamedTuple):
    """What is in a model file.

    Attributes
    ----------
    model : estimator
        The model.
    encoder : TableEncoder or None
        The rules by which a table's columns become its features.
    notes : dict
        What was noted with it: for example how it was trained.
    versions : dict
        The versions of the libraries that wrote it.
    """

    model: Any
    encoder: TableEncoder | None
    notes: dict[str, Any]
    versions: dict[str, str]


def save(model: Any, path: Any, *, encoder: TableEncoder | None = None, notes: dict[str, Any] | None = None) -> None:
    """Write a model to a file, by custom with the suffix ``.auc``.

    The file appears whole or not at all: it is written beside its place, synced and moved. The same model always makes
    the same bytes.

    Parameters
    ----------
    model : estimator
        Any estimator or transformer of this library, or a scikit-learn ``Pipeline`` of such and of scalers; fitted or
        not. The state of ``partial_fit`` is written too, so that a stream can go on after loading.
    path : path
        The file; one that is there is replaced.
    encoder : TableEncoder, optional
        The rules by which a table's columns became the model's features.
    notes : dict, optional
        Further numbers, strings, arrays, lists and dicts to keep with the model.

    Raises
    ------
    ModelFileError
        If the model holds something that a file cannot, such as a function.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import aucmax
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = aucmax.ExactAUC().fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     aucmax.save(model, pathlib.Path(folder) / "model.auc")
    ...     again = aucmax.load(pathlib.Path(folder) / "model.auc")
    >>> bool((again.decision_function(X) == model.decision_function(X)).all())
    True
    """
    writer = Writer()
    document = {
        "format": FORMAT,
        "versions": {
            "aucmax": aucmax.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "scikit-learn": sklearn.__version__,
        },
        "model": writer.value(model, type(model).__name__),
        "encoder": writer.value(encoder, "encoder"),
        "notes": writer.value(dict(notes or {}), "notes"),
    }
    if not isinstance(document["model"], dict) or "$estimator" not in document["model"]:
        raise ModelFileError(f"save({type(model).__name__}): expected an estimator")
    write_whole(Path(path), packed(writer.arrays, document))


def open_model(path: Any, *, max_bytes: int | None = None) -> ModelFile:
    """Read all of a model file: the model, its encoder, the notes and the versions.

    Parameters
    ----------
    path : path
        A file that :func:`save` wrote.
    max_bytes : int, optional
        The most bytes that what is in the file may take in memory, by an estimate; by default a gigabyte and four times
        the size of the file.

    Returns
    -------
    ModelFile
        Its parts.

    Raises
    ------
    ModelFileError
        If the file is not one, is damaged, would take more memory, or holds what this version does not know. Nothing
        in a file is run or imported.
    """
    path = Path(path)
    raw = read_bytes(path)
    room = Room(len(raw), max_bytes)
    arrays, document = unpacked(raw, path, room)
    if not isinstance(document, dict) or document.get("format") != FORMAT or set(document) != ENTRIES:
        seen = document.get("format") if isinstance(document, dict) else document
        raise ModelFileError(f"{path}: format {str(seen)[:40]}, expected {FORMAT}; a newer version may read it")
    reader = Reader(arrays, room)
    try:
        model, encoder, notes = (reader.value(document[name]) for name in ("model", "encoder", "notes"))
        versions = {str(key): str(value) for key, value in dict(document["versions"]).items()}
        found = ModelFile(model, encoder, notes, versions)
        _check(found, reader)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError, AttributeError, MemoryError) as error:
        raise ModelFileError(f"{path}: not a sound model file ({type(error).__name__}: {str(error)[:120]})") from error
    return found


def _check(found: ModelFile, reader: Reader) -> None:
    if not hasattr(found.model, "get_params") or not isinstance(found.notes, dict):
        raise ModelFileError("no model in the file")
    if found.encoder is not None and not isinstance(found.encoder, TableEncoder):
        raise ModelFileError(f"an encoder of the kind {type(found.encoder).__name__}")
    _check_steps(found.model)
    if hasattr(found.encoder, "rules_") or hasattr(found.encoder, "names_"):
        _check_rules(found.encoder)
    check_estimators(found.model)
    if not all(reader.used):
        raise ModelFileError(f"{reader.used.count(False)} arrays that belong to nothing")


def _check_steps(model: Any) -> None:
    """Only a pipeline has steps, and each of them is a named estimator."""
    if not isinstance(model, Pipeline):
        if hasattr(model, "steps"):
            raise ModelFileError(f"{type(model).__name__} with steps, which only a Pipeline has")
        return
    steps = model.steps
    if not isinstance(steps, list) or not steps:
        raise ModelFileError("a Pipeline without steps")
    for step in steps:
        sound = isinstance(step, list | tuple) and len(step) == 2 and isinstance(step[0], str)
        if not sound or not hasattr(step[1], "get_params"):
            raise ModelFileError("a Pipeline with a step that is no name with an estimator")
        _check_steps(step[1])
    for name, step in steps[:-1]:
        if not hasattr(step, "transform"):
            raise ModelFileError(f"a Pipeline whose step {name[:40]!r} transforms nothing")


def _check_rules(encoder: Any) -> None:
    """The rules of a table are of the types they should be, and make the columns that the encoder names."""
    rules: Any = getattr(encoder, "rules_", None)
    names: Any = getattr(encoder, "names_", None)
    sound = isinstance(rules, tuple) and all(isinstance(rule, Rule) and rule.sound for rule in rules)
    if not sound or not isinstance(names, list) or not all(type(name) is str for name in names):
        raise ModelFileError("rules of a table that are none")
    if sum(rule.width for rule in rules) != len(names) or type(getattr(encoder, "sparse_", None)) is not bool:
        raise ModelFileError("rules of a table that do not make the columns it names")


def load(path: Any, *, max_bytes: int | None = None) -> Any:
    """Read the model from a file; :func:`aucmax.persist.open_model` gives all that is in it.

    Where the file has the rules of a table, as those of the command line have, the model knows its columns by their
    names: frames with others, or in another order, are refused. ``aucmax.data.read(frame, encoder=...)`` makes rows of
    a table by the rules.

    Parameters
    ----------
    path : path
        A file that :func:`save` wrote.
    max_bytes : int, optional
        The most bytes that what is in the file may take in memory, by an estimate; by default a gigabyte and four times
        the size of the file.

    Returns
    -------
    estimator
        The model, as it was saved.

    Raises
    ------
    ModelFileError
        If the file is not one, is damaged, would take more memory, or holds what this version does not know. Nothing
        in a file is run or imported.
    """
    found = open_model(path, max_bytes=max_bytes)
    first = found.model.steps[0][1] if isinstance(found.model, Pipeline) else found.model
    names = getattr(found.encoder, "names_", None)  # of rules that were never found there are none
    if names is not None and getattr(first, "n_features_in_", None) == len(names):
        first.feature_names_in_ = np.array(names, dtype=object)
    return found.model
