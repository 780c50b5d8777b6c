"""What the library gives on fixed rows, by name; and the file that such results are kept in."""

import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from tests.golden.doors import doors
from tests.golden.experiments import cells
from tests.golden.measures import statistics
from tests.golden.models import algorithms, features
from tests.golden.readers import readers

DATA = Path(__file__).parent / "data"
STORED = DATA / "results.npz"
PARTS = {  # by what their names begin with
    "algorithms": algorithms,
    "features": features,
    "classifier": doors,
    "evaluate": statistics,
    "readers": readers,
    "bench": cells,
}


def plain(value):
    """A value as an array of numbers of 64 bits, or of texts."""
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        return array.astype(str)
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def results(part):
    """All results of one part."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few stop early, where they stand is compared too
        return {name: plain(value) for name, value in PARTS[part]().items()}


def pack(found, path):
    """Write results to a file: all numbers of a kind in one array, since thousands of small ones take room."""
    kinds = {kind: [value for value in found.values() if value.dtype.kind == kind] for kind in "fiU"}
    joined = {kind: np.concatenate([value.ravel() for value in values]) for kind, values in kinds.items()}
    texts = np.frombuffer("\0".join(joined["U"].tolist()).encode(), np.uint8)
    about = "\0".join(f"{name}\t{value.dtype.kind}\t{','.join(map(str, value.shape))}" for name, value in found.items())
    about = np.frombuffer(about.encode(), np.uint8)
    np.savez_compressed(path, about=about, numbers=joined["f"], integers=joined["i"], texts=texts)


def unpacked(path):
    """The results in a file."""
    with np.load(path) as file:
        about, texts = (file[name].tobytes().decode().split("\0") for name in ("about", "texts"))
        parts = {"f": file["numbers"], "i": file["integers"], "U": np.array(texts)}
    found, at = {}, dict.fromkeys(parts, 0)
    for line in about:
        name, kind, shape = line.split("\t")
        shape = tuple(map(int, filter(None, shape.split(","))))
        size = int(np.prod(shape))
        found[name] = parts[kind][at[kind] : at[kind] + size].reshape(shape)
        at[kind] += size
    return found
