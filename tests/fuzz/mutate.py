"""Mutations that know the structure of what they change, so that most of them get far into a reader."""

import bz2
import copy
import gzip
import hashlib
import json
import lzma
import random

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

PLAIN = ["0", "-0", "1", "-1", "+1", "1.", ".5", "1e5", "1e-5", "1e-400", "9007199254740993", "0.1" * 30, "2147483646"]
LARGE = [
    "1e309",
    "-1e309",
    "2147483647",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "9" * 30,
    "1" * 2000,
]
ODD = [
    ".",
    "nan",
    "inf",
    "-inf",
    "0x1p3",
    "1_0",
    "1,5",
    "1e",
    "1e+",
    "--1",
    "+-1",
    "",
    "1:1",
    ":",
    "::",
    "qid:1",
    "qid:",
]
SIGNS = ["qid:x", "#", "#x", "\x00", "\xff", "\r", "\t", "1\r", "true", "None", "é", "'", '"', "\n"]
NUMBERS = [*PLAIN, *PLAIN, *LARGE, *ODD, *SIGNS]


def lines(rng):
    """Some lines of LIBSVM text."""
    found = []
    with_queries = rng.random() < 0.1
    for _ in range(rng.randint(1, 12)):
        columns = sorted(rng.sample(range(1, 60), rng.randint(0, 6)))
        query = [f"qid:{rng.randint(0, 9)}"] if with_queries else []
        found.append(
            [str(rng.choice([1, -1])), *query, *(f"{j}:{rng.uniform(-9, 9):.{rng.randint(0, 20)}g}" for j in columns)]
        )
    return found


def tokens_changed(rng, rows, separator):
    """Replace, drop, repeat, swap and split tokens."""
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        row = rng.choice(rows)
        if not row:
            continue
        k = rng.randrange(len(row))
        action = rng.randrange(7)
        if action == 0:
            row[k] = rng.choice(NUMBERS)
        elif action == 1:
            del row[k]
        elif action == 2:
            row.insert(k, row[rng.randrange(len(row))])
        elif action == 3:
            j = rng.randrange(len(row))
            row[k], row[j] = row[j], row[k]
        elif action == 4:
            head, _, tail = row[k].partition(":")
            row[k] = rng.choice(
                [f"{rng.choice(NUMBERS)}:{tail}", f"{head}:{rng.choice(NUMBERS)}", head, f"{head}: {tail}"]
            )
        elif action == 5:
            row[k] = (row[k] * rng.choice([2, 30, 2000]))[:100_000]
        else:
            row[k] += separator + rng.choice(NUMBERS)
    return rows


def bytes_changed(rng, data):
    """Flip, drop, insert and cut bytes."""
    data = bytearray(data)
    for _ in range(rng.choice([0, 0, 0, 0, 1, 1, 3])):
        at = rng.randrange(len(data) + 1)
        action = rng.randrange(5)
        if action == 0 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif action == 1:
            del data[at : at + rng.choice([1, 1, 10])]
        elif action == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 1, 4, 40])))
        elif action == 3:
            del data[at:]
        else:
            data[at:at] = data[: rng.randrange(200)]
    return bytes(data)


def packed(rng, data):
    """Sometimes compressed, and then sometimes damaged."""
    kind = rng.choice([None] * 12 + [gzip.compress, bz2.compress, lzma.compress])
    return data if kind is None else bytes_changed(rng, kind(data))


def libsvm(rng):
    end = rng.choice(["\n"] * 6 + ["\r\n"] * 2 + ["\r"])
    rows = tokens_changed(rng, lines(rng), " ")
    text = end.join(rng.choice([" ", " ", "\t", "  "]).join(row) for row in rows)
    return packed(rng, bytes_changed(rng, text.encode("utf-8", "replace")))


def table(rng):
    width = rng.randint(1, 5)
    rows = [[f"c{j}" for j in range(width)] + ["y"]]
    words = ["a", "b", "long text", "", "NA", "?", '"x"', "2020-01-01", "true", "1e3", "-", "'"]
    kinds = [rng.random() < 0.5 for _ in range(width)]
    for _ in range(rng.randint(0, 12)):
        cells = [f"{rng.uniform(-9, 9):.3f}" if is_number else rng.choice(words) for is_number in kinds]
        rows.append([*cells, str(rng.randrange(2))])
    rows = tokens_changed(rng, rows, rng.choice([",", "\n", '"', ";"]))
    comma = rng.choice([","] * 9 + [";"])
    text = rng.choice(["\n", "\n", "\r\n", "\r"]).join(comma.join(row) for row in rows)
    return packed(rng, bytes_changed(rng, text.encode("utf-8", "replace")))


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
            arrays[k].flat[rng.randrange(array.size)] = rng.choice([0, 1, 5, 6, 7, 100])
        elif action == 4 and array.size and array.dtype.kind == "i":
            arrays[k] = np.full_like(array, rng.choice([-2, -1, 0, 1, 5, 6, 2**31 - 1]))
        elif array.ndim:
            arrays[k] = np.ascontiguousarray(array.T)
    return arrays


def model(rng, known):
    arrays, document = copy.deepcopy(rng.choice(known))
    document, arrays = document_changed(rng, document), arrays_changed(rng, arrays)
    body = safetensors.numpy.save({str(k): a for k, a in enumerate(arrays)}, {"json": json.dumps(document)})
    if rng.random() < 0.3:
        head = 8 + int.from_bytes(body[:8], "little")
        body = bytes_changed(rng, body[:head]) + body[head:]
    whole = container.MARK + hashlib.sha256(body).digest() + body
    return whole if rng.random() < 0.97 else bytes_changed(rng, whole)


def case(kind, number, known):
    """The bytes of one case; the same for the same number."""
    rng = random.Random(f"{kind} {number}")
    if kind == "model":
        return model(rng, known)
    return {"libsvm": libsvm, "csv": table}[kind](rng)
