"""Training from files, interrupted at any chunk."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import aucmax
from aucmax.data import read, stream
from aucmax.persist import ModelFileError, open_model
from aucmax.persist.writer import Writer
from tests.conftest import make_problem
from tests.estimators import ONLINE, quick


class StopError(Exception):
    """Somebody pulled the plug."""


@pytest.fixture
def path(tmp_path):
    X, y = make_problem(n=900, d=8)
    lines = (
        f"{label} " + " ".join(f"{j + 1}:{x[j]!r}" for j in np.flatnonzero(x))
        for x, label in zip(X.tolist(), y, strict=True)
    )
    found = tmp_path / "rows"
    found.write_text("\n".join(lines))
    return found


def chunks_of(path, **options):
    return stream(path, chunk_rows=100, holdout=0.1, n_features=8, **options)


def state(model):
    writer = Writer()
    document = writer.value(model, "model")
    return document, [array.tobytes() for array in writer.arrays]


@pytest.mark.parametrize("name", ONLINE)
def test_an_interrupted_run_ends_with_the_same_model(name, path, tmp_path):
    make = lambda: make_pipeline(MaxAbsScaler(), quick(name))  # noqa: E731
    whole = aucmax.train(make(), chunks_of(path), passes=2)
    checkpoint = tmp_path / "run.ckpt"
    seen = []
    for stop in (3, 11, 12, 20, 1000):
        count = 0

        def report(rows, stop=stop):
            nonlocal count
            count += 1
            seen.append(rows)
            if count == stop:
                raise StopError

        model = make()
        try:
            aucmax.train(model, chunks_of(path), passes=2, checkpoint=checkpoint, every=0, report=report)
        except StopError:
            continue
        break
    assert state(model) == state(whole)
    assert len(seen) > 40


def test_equals_partial_fit_by_hand(path):
    model = aucmax.train(quick("SPAM"), chunks_of(path), passes=2)
    twin, chunks = quick("SPAM"), chunks_of(path)
    for _ in range(2):
        for chunk in chunks:
            twin.partial_fit(chunk.X, chunk.y, classes=chunks.classes)
    assert state(model) == state(twin)


def test_other_runs_are_refused(path, tmp_path):
    kept = tmp_path / "run.ckpt"
    aucmax.train(quick("SPAM"), chunks_of(path), checkpoint=kept, every=0)
    for model, chunks, passes in (
        (quick("SPAM", l2=0.5), chunks_of(path), 1),
        (quick("OAM"), chunks_of(path), 1),
        (quick("SPAM"), chunks_of(path, random_state=1), 1),
        (quick("SPAM"), chunks_of(path), 2),
        (make_pipeline(StandardScaler(with_mean=False), quick("SPAM")), chunks_of(path), 1),
    ):
        with pytest.raises(ValueError, match="another run"):
            aucmax.train(model, chunks, passes=passes, checkpoint=kept)
    aucmax.train(quick("SPAM"), chunks_of(path), checkpoint=kept)
    path.write_text(path.read_text() + "\n")
    with pytest.raises(ValueError, match="another run"):
        aucmax.train(quick("SPAM"), chunks_of(path), checkpoint=kept)


def test_a_hostile_checkpoint_is_refused(path, tmp_path):
    kept = tmp_path / "run.ckpt"
    aucmax.train(quick("SPAM"), chunks_of(path), checkpoint=kept, every=0)
    found = open_model(kept)

    def infinite(model):
        model.intercept_ = np.array([-np.inf])

    def longer(model):
        model.steps.append(("1", quick("SPAM")))

    cases = [(None, {"done": done}) for done in (3, [-1], ["x"], [1, 2], None)]
    for change, notes in [*cases, (infinite, {}), (longer, {})]:
        model = open_model(kept).model
        if change is not None:
            change(model if change is longer else model.steps[0][1])
        aucmax.save(model, tmp_path / "hostile", notes={**found.notes, **notes})
        with pytest.raises(ModelFileError, match=r"hostile: .*; remove it, or name another file"):
            aucmax.train(quick("SPAM"), chunks_of(path), checkpoint=tmp_path / "hostile")
    aucmax.save(quick("SPAM"), tmp_path / "hostile", notes=found.notes)
    with pytest.raises(ModelFileError, match="no checkpoint of such a model"):
        aucmax.train(quick("SPAM"), chunks_of(path), checkpoint=tmp_path / "hostile")


def test_bad_calls(path, tmp_path):
    with pytest.raises(ValueError, match="BAM cannot learn from a stream"):
        aucmax.train(aucmax.BAM(), chunks_of(path))
    for wrong in (0, 1.5):
        with pytest.raises(ValueError, match="expected a whole number"):
            aucmax.train(quick("SPAM"), chunks_of(path), passes=wrong)
    with pytest.raises(ValueError, match="such as 30s"):
        aucmax.train(quick("SPAM"), chunks_of(path), every="soon")
    used = chunks_of(path)
    next(iter(used))
    with pytest.raises(ValueError, match="first pass"):
        aucmax.train(quick("SPAM"), used, checkpoint=tmp_path / "c")


@pytest.mark.parametrize("kind", ["libsvm", "parquet"])
@pytest.mark.slow
def test_memory_stays_bounded(kind, tmp_path):
    """A file of some 300 MB as rows is trained from with little more than the imports."""
    script = """
import resource, sys
import aucmax
from aucmax.data import stream
chunks = stream(sys.argv[1], **({"n_features": 50} if sys.argv[2] == "libsvm" else {"target": "y"}), buffer_bytes=2**24)
next(iter(chunks))
model = aucmax.SPAM()
first = next(iter(chunks))
model.partial_fit(first.X, first.y, classes=[0, 1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
aucmax.train(aucmax.SPAM(), stream(sys.argv[1], **({"n_features": 50} if sys.argv[2] == "libsvm" else {"target": "y"}),
                                   buffer_bytes=2**24))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    rng = np.random.default_rng(0)
    path = tmp_path / f"rows.{kind}"
    block = rng.standard_normal((20_000, 50))
    y = (block[:, 0] > 1).astype(int)
    if kind == "libsvm":
        text = "".join(
            f"{label} " + " ".join(f"{j + 1}:{x:.4g}" for j, x in enumerate(row)) + "\n"
            for row, label in zip(block, y, strict=True)
        )
        path.write_text(text * 30)
    else:
        pa = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        table = pa.table({f"c{j}": block[:, j] for j in range(50)} | {"y": y})
        with parquet.ParquetWriter(path, table.schema) as writer:
            for _ in range(30):
                writer.write_table(table)
    done = subprocess.run([sys.executable, "-c", script, str(path), kind], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 120  # MB


def test_read_and_stream_agree_on_the_model(path):
    table = read(path)
    model = aucmax.train(aucmax.ExactAUC(), stream(path, chunk_rows=64))
    np.testing.assert_allclose(model.coef_, aucmax.ExactAUC().fit(table.X, table.y).coef_, rtol=1e-6, atol=1e-12)
