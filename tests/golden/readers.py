"""What the readers make of files of every format, and what a stream of a file gives."""

import bz2
import importlib.util
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import scipy.sparse as sp

import aucmax
from aucmax.data import TableEncoder, read, stream
from tests.golden.rows import DENSE, made

OF_TABLES = ("readers/csv", "readers/tsv", "readers/parquet", "readers/sparse columns")  # want pyarrow
HAS_TABLES = importlib.util.find_spec("pyarrow") is not None
PLANS = ("basic", "gold", "", "rare", "basic", "gold", "basic")


def libsvm_text(rows, queries=False):
    """LIBSVM text of some rows."""
    lines = []
    for k, (x, y) in enumerate(zip(rows.X, rows.y, strict=True)):
        entries = " ".join(f"{j + 1}:{x[j]:.17g}" for j in np.flatnonzero(x))
        lines.append(f"{y} " + (f"qid:{k // 8} " if queries else "") + entries)
    return "\n".join(["# rows", *lines, ""])


def table_text(rows, mark=","):
    """Text of a table with numbers, dates, texts, truth values and gaps."""
    lines = [mark.join(["visits", "share", "joined", "plan", "active", "code", "churn"])]
    for k, (x, y) in enumerate(zip(rows.X, rows.y, strict=True)):
        share = "" if x[0] == 0 else repr(float(x[0]))
        date = "" if k % 11 == 4 else f"2021-{k % 12 + 1:02}-{k % 28 + 1:02}"
        cells = [str(k % 9), share, date, PLANS[k % 7], str(x[1] > 0).lower(), f"0{k % 3}", "yes" if y > 0 else "no"]
        lines.append(mark.join(cells))
    return "\n".join([*lines, ""])


def described(table, key):
    """The parts of a table by name."""
    found = {"rows": table.X.toarray() if sp.issparse(table.X) else table.X, "is sparse": sp.issparse(table.X)}
    found |= {name: getattr(table, name) for name in ("y", "query", "names") if getattr(table, name) is not None}
    if table.encoder is not None:
        found["rules"] = [str(tuple(rule)) for rule in table.encoder.rules_]
        found["words"] = [rule.describe() for rule in table.encoder.rules_]
    return {f"readers/{key}/{name}": value for name, value in found.items()}


def chunked(source, key, **how):
    """What a stream gives in two passes, and what a model learns of it."""
    chunks = stream(source, chunk_rows=30, holdout=0.2, buffer_bytes=20_000, random_state=3, **how)
    parts = [part for _ in range(2) for part in chunks]
    X = sp.vstack([part.X for part in parts]).toarray() if sp.issparse(parts[0].X) else np.vstack([p.X for p in parts])
    model = aucmax.train(aucmax.AUCClassifier(), stream(source, chunk_rows=30, random_state=3, holdout=0.2, **how))
    found = {
        "rows": X[:, :3],
        "sizes": [part.X.shape[0] for part in parts],
        "y": np.concatenate([part.y for part in parts]),
        "held out": chunks.held_out.X.shape[0],
        "auc": chunks.auc(model),
        "coef": model.coef_,
    }
    return {f"readers/{key}/{name}": value for name, value in found.items()}


def of_texts(folder):
    """LIBSVM text, plain and compressed."""
    some = made(60, 9, 0.4, 4)
    plain, packed, queries = (folder / name for name in ("rows.svm", "rows.bz2", "queries.svm"))
    plain.write_text(libsvm_text(DENSE))
    packed.write_bytes(bz2.compress(libsvm_text(some).encode()))
    queries.write_text(libsvm_text(some, queries=True))
    found = described(read(packed), "libsvm, bz2") | described(read(queries, positive=1), "libsvm, queries")
    found |= described(read(packed, n_features=11, dtype="float32"), "libsvm, float32")
    return found | chunked(plain, "libsvm, stream") | chunked(packed, "libsvm, bz2, stream")


def of_arrays(folder):
    """npz files, dense and sparse."""
    some = made(40, 6, 0.4, 5)
    np.savez(folder / "dense.npz", X=some.X, y=np.where(some.y > 0, "yes", "no"))
    X = sp.csr_matrix(some.X)
    np.savez_compressed(folder / "csr.npz", data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=some.y)
    found = described(read(folder / "dense.npz", positive="yes"), "npz, dense")
    return found | described(read(folder / "csr.npz"), "npz, csr") | chunked(folder / "csr.npz", "npz, stream")


def of_tables(folder):
    """CSV, TSV and Parquet."""
    from pyarrow import csv, parquet  # an extra

    some = made(90, 6, 0.7, 6)
    paths = {name: folder / f"rows.{name}" for name in ("csv", "tsv", "parquet")}
    paths["csv"].write_text(table_text(some))
    paths["tsv"].write_text(table_text(some, "\t"))
    parquet.write_table(csv.read_csv(paths["csv"]), paths["parquet"], row_group_size=30)
    found = {}
    for name, path in paths.items():
        found |= described(read(path, target="churn", positive="yes"), name)
        found |= chunked(path, f"{name}, stream", target="churn", positive="yes")
    later = read(paths["csv"], target="churn").encoder
    narrow = TableEncoder(2, categorical=("code",), drop=("share",))
    found |= described(read(paths["tsv"], encoder=later), "tsv, rules of another")
    found |= described(read(paths["csv"], target=-1, encoder=narrow), "csv, other rules")
    wide = TableEncoder(min_count=1, categorical=("visits", "code", "joined"), drop=("share", "active"))
    return found | described(read(paths["csv"], target="churn", encoder=wide), "sparse columns")


def readers():
    """Every format, by files written for the purpose; tables where pyarrow is there."""
    found = {}
    with TemporaryDirectory() as name:
        for part in (of_texts, of_arrays, *([of_tables] if HAS_TABLES else [])):
            found |= part(Path(name))
    return found
