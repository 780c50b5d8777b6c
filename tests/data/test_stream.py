import bz2

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from aucmax import SPAM, ExactAUC
from aucmax.data import DataError, read, read_libsvm, sources, stream
from tests.conftest import make_problem


def lines_of(X, y):
    return [
        f"{label} " + " ".join(f"{j + 1}:{x[j]!r}" for j in np.flatnonzero(x))
        for x, label in zip(X.tolist(), y, strict=True)
    ]


@pytest.fixture
def rows():
    X, y = make_problem(n=1500, d=12, seed=1)
    X[:, 0] = np.arange(1, 1501)  # the number of the row
    return X, y


@pytest.fixture(params=["libsvm", "libsvm.bz2", "npz", "csv", "parquet", "frame"])
def source(request, rows, tmp_path, monkeypatch):
    """The same rows in every format, in many parts where there are such."""
    monkeypatch.setattr(sources, "SEGMENT", 3000)
    monkeypatch.setattr("aucmax.data.libsvm.BLOCK", 3000)
    monkeypatch.setattr("aucmax.data.tables.BATCH", 100)
    X, y = rows
    path, kind = tmp_path / f"rows.{request.param}", request.param
    frame = pd.DataFrame({f"x{j}": X[:, j] for j in range(12)} | {"y": y})
    if kind.startswith("libsvm"):
        text = "\n".join(lines_of(X, y)).encode()
        path.write_bytes(bz2.compress(text) if kind.endswith("bz2") else text)
    elif kind == "npz":
        np.savez(path, X=sp.csr_matrix(X).toarray(), y=y)
    elif kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path, row_group_size=200)
    return (frame if kind == "frame" else path), kind


def options_of(kind):
    return {"target": "y"} if kind in ("csv", "parquet", "frame") else {}


def dense(X):
    return X.toarray() if sp.issparse(X) else X


def test_every_pass_gives_every_row_once_in_a_new_order(source, rows):
    path, kind = source
    X, y = rows
    chunks = stream(path, **options_of(kind), chunk_rows=64, buffer_bytes=2**16)
    assert sorted(chunks.classes.tolist()) == [-1, 1]
    orders = []
    for _ in range(2):
        taken = [(dense(chunk.X), chunk.y) for chunk in chunks]
        assert all(len(label) <= 64 for _, label in taken)
        seen, labels = np.vstack([x for x, _ in taken]), np.concatenate([label for _, label in taken])
        number = seen[:, 0].astype(int) - 1
        assert sorted(number) == list(range(1500))
        np.testing.assert_array_equal(seen, X[number])
        np.testing.assert_array_equal(labels, y[number])
        orders.append(number)
    assert not np.array_equal(*orders)
    again = stream(path, **options_of(kind), chunk_rows=64, buffer_bytes=2**16)
    np.testing.assert_array_equal(orders[0], np.concatenate([dense(c.X)[:, 0] for c in again]).astype(int) - 1)


def test_without_shuffling_the_order_is_that_of_the_file(source, rows):
    path, kind = source
    chunks = stream(path, **options_of(kind), shuffle=False, chunk_rows=100, buffer_bytes=2**14)
    assert np.concatenate([dense(chunk.X)[:, 0] for chunk in chunks]).tolist() == list(range(1, 1501))


def test_held_out_rows_stay_out_in_every_pass(source, rows):
    path, kind = source
    chunks = stream(path, **options_of(kind), holdout=0.2, chunk_rows=100, buffer_bytes=2**16, positive=1)
    model = SPAM()
    seen = []
    for _ in range(2):
        numbers = set()
        for chunk in chunks:
            numbers |= set(dense(chunk.X)[:, 0].astype(int))
            model.partial_fit(chunk.X, chunk.y, classes=[0, 1])
        seen.append(numbers)
    out = set(dense(chunks.held_out.X)[:, 0].astype(int))
    assert seen[0] == seen[1] == set(range(1, 1501)) - out
    assert 200 < len(out) < 400
    np.testing.assert_array_equal(chunks.held_out.y, rows[1][dense(chunks.held_out.X)[:, 0].astype(int) - 1] > 0)
    held = chunks.held_out
    assert chunks.auc(model) == pytest.approx(model.score(held.X, held.y))


def test_exact_from_a_stream_is_exact(source, rows):
    path, kind = source
    model, whole = ExactAUC(), ExactAUC().fit(*rows)
    chunks = stream(path, **options_of(kind), chunk_rows=100)
    for chunk in chunks:
        model.partial_fit(chunk.X, chunk.y, classes=chunks.classes)
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-6, atol=1e-12)


def test_rows_come_from_all_over_a_plain_file(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "SEGMENT", 500)
    path = tmp_path / "sorted"
    path.write_text("\n".join(lines_of(*rows)))
    first = next(iter(stream(path, chunk_rows=50, buffer_bytes=3 * 2**12)))
    numbers = first.X.toarray()[:, 0]
    assert numbers.max() - numbers.min() > 700


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("size", [1, 7, 50, 10_000])
def test_segments_cut_anywhere(end, size, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "SEGMENT", size)
    monkeypatch.setattr(sources, "MORE", 5)
    path = tmp_path / "rows"
    path.write_bytes(
        (b"\xef\xbb\xbf" + end.join(lines_of(rows[0][:20], rows[1][:20])).encode()) + end.encode() * (size % 2)
    )
    whole = read_libsvm(path)
    parts = [p._replace(X=p.X.copy()) for p in sources.LibsvmSource(path, sources.Format(12)).parts(None)]
    np.testing.assert_array_equal(sp.vstack([p.X for p in parts]).toarray(), whole.X.toarray())
    np.testing.assert_array_equal(np.concatenate([p.y for p in parts]), whole.y)


def test_a_fault_in_a_segment_names_its_line(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "SEGMENT", 400)
    path = tmp_path / "rows"
    lines = lines_of(*rows)
    lines[700] += " 1:1"
    path.write_text("\n".join(lines))
    with pytest.raises(DataError) as caught:
        list(stream(path, n_features=12))
    assert caught.value.line == 701
    with pytest.raises(DataError) as caught:
        list(sources.LibsvmSource(path, sources.Format(12)).parts(np.random.default_rng(0)))
    assert caught.value.line == 701


def test_a_table_streamed_is_a_table_read():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"c": rng.choice(list("abcdef"), 500), "x": rng.standard_normal(500), "y": rng.choice([0, 1], 500)}
    )
    frame.loc[3, "c"], frame.loc[7, "x"] = None, None
    table, chunks = read(frame, target="y"), stream(frame, target="y", shuffle=False)
    np.testing.assert_array_equal(np.vstack([chunk.X for chunk in chunks]), table.X)
    assert chunks.encoder.rules_ == table.encoder.rules_


def test_bad_calls(tmp_path):
    (tmp_path / "rows").write_text("1 1:1\n")
    for wrong in ({"chunk_rows": 0}, {"holdout": 1.0}, {"holdout": -0.1}, {"buffer_bytes": 0}):
        with pytest.raises(ValueError, match="expected at least one row"):
            stream(tmp_path / "rows", **wrong)
    with pytest.raises(DataError, match="no rows are held out"):
        _ = stream(tmp_path / "rows").held_out
    (tmp_path / "none").write_text("\n")
    with pytest.raises(DataError, match="no rows"):
        next(iter(stream(tmp_path / "none")))
