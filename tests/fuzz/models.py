"""Mutations of model files: of their documents, of their arrays, and now and then of their bytes."""

import copy
import hashlib
import json

import numpy as np
import safetensors.numpy
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.data import TableEncoder
from aucmax.persist import container
from aucmax.persist.writer import Writer
from tests.conftest import make_problem
from tests.estimators import ONLINE, quick
from tests.fuzz.damage import FLOATS
from tests.fuzz.texts import bytes_changed


def originals():
    """Models of every kind as arrays and documents."""
    X, y = make_problem(n=60, d=6)
    sparse = sp.csr_matrix(X)
    models = [quick(name).partial_fit(A, y) for name in ONLINE for A in (X, sparse)]
    models += [quick("SPAM", l1=0.05).partial_fit(A, y) for A in (X, sparse)]
    models += [
        aucmax.AUCClassifier().fit(X, y),
        make_pipeline(StandardScaler(), aucmax.KMeansNystroem(5), quick("BAM")).fit(X, y),
    ]
    encoder = TableEncoder(categorical=("a",))
    found = []
    for model in models:
        writer = Writer()
        document = {
            "format": 1,
            "versions": {"aucmax": "0"},
            "model": writer.value(model, "model"),
            "encoder": writer.value(encoder, "encoder"),
            "notes": writer.value({"a": [1, "b", None, 2.5]}, "notes"),
        }
        found.append((writer.arrays, document))
    return found


def places(document, found=None):
    """Every list and dict in a document."""
    found = [] if found is None else found
    if isinstance(document, dict | list):
        found.append(document)
        for item in document.values() if isinstance(document, dict) else document:
            places(item, found)
    return found


STRANGE = [
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**63,
    2**80,
    -(2**70),
    1.5,
    1e300,
    "",
    "x",
    "SPAM",
    "nan",
    [],
    {},
    [[]],
    {"$array": [0, "C"]},
    {"$array": [1, "F"]},
    {"$float": "nan"},
    {"$dict": []},
    {"$tuple": [1]},
    {"$named": ["kernel.moments.Seen", [1, 2, 3, 4]]},
    {"$estimator": ["SPAM", [], []]},
    {"$estimator": ["Pipeline", [["steps", []]], []]},
    {"$texts": ["<U1", [1], ["a"]]},
    {"$csr": [True, [2, 2], 1, 2, 3]},
    {"$generator": {"$dict": []}},
    {"$random": {"$dict": []}},
    {"$scalar": 1},
]


def document_changed(rng, document):
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        place = rng.choice(places(document))
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            continue
        key = rng.choice(keys)
        action = rng.randrange(5)
        if action == 0:
            place[key] = copy.deepcopy(rng.choice(STRANGE))
        elif action == 1:
            del place[key]
        elif action == 2:
            other = rng.choice(places(document))
            place[key] = copy.deepcopy(other) if len(json.dumps(other)) < 10_000 else 0
        elif action == 3 and isinstance(place, list):
            place.insert(key, copy.deepcopy(place[key]))
        elif isinstance(place[key], int | float) and not isinstance(place[key], bool):
            place[key] = rng.choice([place[key] + 1, -place[key], place[key] * 2**20, 0])
    return document


def arrays_changed(rng, arrays):
    for _ in range(rng.choice([0, 0, 1, 2])):
        if not arrays:
            break
        k = rng.randrange(len(arrays))
        array = arrays[k]
        action = rng.randrange(6)
        if action == 0:
            arrays[k] = array.ravel()[: rng.randrange(array.size + 1)]
        elif action == 1:
            arrays[k] = np.concatenate([array.ravel(), array.ravel()])
        elif action == 2:
            arrays[k] = array.astype(rng.choice(["float32", "int64", "int32", "bool", "uint8"]))
        elif action == 3 and array.size:
            arrays[k] = array.copy()
            values = FLOATS if array.dtype.kind == "f" else [0, 1, 5, 6, 7, 100]
            arrays[k].flat[rng.randrange(array.size)] = rng.choice(values)
        elif action == 4 and array.size and array.dtype.kind == "i":
            arrays[k] = np.full_like(array, rng.choice([-2, -1, 0, 1, 5, 6, 2**31 - 1]))
        elif array.ndim:
            arrays[k] = np.ascontiguousarray(array.T)
    return arrays


def case(rng, arrays, document):
    """The bytes of a file like one that is known by its arrays and its document."""
    arrays, document = copy.deepcopy((arrays, document))
    document, arrays = document_changed(rng, document), arrays_changed(rng, arrays)
    body = safetensors.numpy.save({str(k): a for k, a in enumerate(arrays)}, {"json": json.dumps(document)})
    if rng.random() < 0.3:
        head = 8 + int.from_bytes(body[:8], "little")
        body = bytes_changed(rng, body[:head]) + body[head:]
    whole = container.MARK + hashlib.sha256(body).digest() + body
    return whole if rng.random() < 0.97 else bytes_changed(rng, whole)
