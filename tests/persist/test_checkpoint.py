"""A fit in memory that is cut off and begun again ends with the model of one that was not."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import aucmax
from aucmax.persist import ModelFileError
from aucmax.persist.checkpoint import Checkpoint, seconds_of
from tests.conftest import make_problem
from tests.estimators import ITERATIVE

VARIANTS = {  # of one class with states of other kinds
    "SPAM-net": {"l1": 1e-3},
    "SOLAM-l1": {"ball": "l1"},
    "VRSPAM-net": {"l1": 1e-3},
    "OAM-fifo": {"buffer": "fifo"},
    "OPAUC-rank": {"rank": 3},
    "CBR-diag": {"covariance": "diag"},
}
PASSES = {name: {"max_iter": 60 if name == "SPDAM" else 6} for name in ITERATIVE}
PASSES |= {name: {"max_iter": 6, **given} for name, given in VARIANTS.items()}


class CutError(Exception):
    """The power is off."""


def made(name, **more):
    return getattr(aucmax, name.split("-")[0])(**{"tol": None, **PASSES[name], **more})


@pytest.fixture
def power(monkeypatch):
    """Cuts the power after so many writes."""
    offer = Checkpoint.offer

    def cut_after(writes):
        count = iter(range(writes))

        def cut(self, state):
            offer(self, state)
            if next(count, None) is None:
                raise CutError

        monkeypatch.setattr(Checkpoint, "offer", cut)

    return cut_after


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", PASSES)
def test_goes_on_to_the_same_model(name, sparse, tmp_path, power, monkeypatch):
    X, y = make_problem(n=300, d=8)
    X = sp.csr_matrix(X) if sparse else X
    whole = made(name, random_state=3, record=True).fit(X, y)
    path = tmp_path / "run.ckpt"
    for writes in (2, 1):
        power(writes)
        with pytest.raises(CutError):
            made(name, random_state=3, record=True).fit(X, y, checkpoint=path, every=0)
    monkeypatch.undo()
    resumed = made(name, random_state=3, record=True).fit(X, y, checkpoint=path, every="1h")
    assert np.array_equal(resumed.coef_, whole.coef_)
    assert np.array_equal(resumed.intercept_, whole.intercept_)
    assert (resumed.n_iter_, resumed.t_) == (whole.n_iter_, whole.t_)
    for column in ("iteration", "objective"):
        assert np.array_equal(resumed.history_[column], whole.history_[column])


def test_blocks_of_a_pass(tmp_path, power, monkeypatch):
    X, y = make_problem(n=20_000, d=4)
    whole = aucmax.SPAM(max_iter=2, tol=None, random_state=0).fit(X, y)
    power(6)  # in the second pass
    with pytest.raises(CutError):
        aucmax.SPAM(max_iter=2, tol=None, random_state=0).fit(X, y, checkpoint=tmp_path / "c", every=0)
    monkeypatch.undo()
    resumed = aucmax.SPAM(max_iter=2, tol=None, random_state=0).fit(X, y, checkpoint=tmp_path / "c")
    assert np.array_equal(resumed.coef_, whole.coef_)


def test_early_stopping_and_any_random_state(tmp_path, power, monkeypatch):
    """With no seed given, the run that goes on draws what the one that was cut off would have drawn."""
    X, y = make_problem(n=400, d=6)
    given = {"early_stopping": True, "max_iter": 30, "n_iter_no_change": 3}
    power(3)
    with pytest.raises(CutError):
        aucmax.SPAM(**given).fit(X, y, checkpoint=tmp_path / "c", every=0)
    monkeypatch.undo()
    models = []
    for _ in range(2):
        model = aucmax.SPAM(**given)
        models.append(model.fit(X, y, checkpoint=tmp_path / "c", every="1h"))
        assert model.random_state is None
        assert not hasattr(model, "_keeper")
    assert np.array_equal(models[0].coef_, models[1].coef_)


@pytest.mark.parametrize("change", ["rows", "labels", "weight", "parameter", "start"])
def test_another_run_is_refused(change, tmp_path):
    X, y = make_problem(n=100, d=4)
    path = tmp_path / "c"
    aucmax.SPAM(random_state=0).fit(X, y, checkpoint=path, every=0)
    model = aucmax.SPAM(random_state=0, max_iter=5 if change == "parameter" else 20)
    weight = np.linspace(1, 2, 100) if change == "weight" else None
    if change == "rows":
        X = X + 1e-9
    if change == "labels":
        y = np.where(y > 0, "yes", "no")
    if change == "start":
        model.set_params(warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="checkpoint of another run"):
        model.fit(X, y, weight, checkpoint=path)


def test_a_checkpoint_of_another_version_is_refused(tmp_path, monkeypatch):
    X, y = make_problem(n=100, d=4)
    aucmax.SPAM(random_state=0).fit(X, y, checkpoint=tmp_path / "c", every=0)
    monkeypatch.setattr(aucmax, "__version__", "99.0")
    with pytest.raises(ValueError, match=r"a checkpoint of aucmax .*, not 99\.0; remove it"):
        aucmax.SPAM(random_state=0).fit(X, y, checkpoint=tmp_path / "c", every=0)


def test_state_of_another_shape_is_refused(tmp_path):
    X, y = make_problem(n=100, d=4)
    path = tmp_path / "c"
    aucmax.SPAM(random_state=0).fit(X, y, checkpoint=path, every=0)
    kept = Checkpoint(path, 0, aucmax.persist.open_model(path).notes["run"]).kept
    state = kept.notes["state"]
    wrong = {**kept.notes, "state": state._replace(before=np.zeros(3))}
    aucmax.save(kept.model, path, notes=wrong)
    with pytest.raises(ModelFileError, match="state of another run"):
        aucmax.SPAM(random_state=0).fit(X, y, checkpoint=path)


def infinite(value):
    """The same tuples, every float and every array of floats minus infinity."""
    if isinstance(value, tuple):
        parts = [infinite(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.full_like(value, -np.inf)
    return -np.inf if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda n: {"state": infinite(n["state"])}, "infinite, NaN or far too large"),
        (lambda n: {"state": n["state"]._replace(passes=10**15)}, "1000000000000000 iterations of at most 20"),
        (lambda n: {"state": n["state"]._replace(steps=-1)}, "counts that cannot be"),
        (lambda n: {"state": 3}, "state of another run"),
        (lambda n: {"seed": "x"}, "no seed"),
        (lambda n: {"trace": ([], None, 0, 0, 0.0)}, "no history of a run"),
        (lambda n: {"trace": (["x"], None, 0, 1, 0.0)}, "no history of a run"),
        (lambda n: {"trace": ([], (0.5, np.array([np.inf])), 0, 1, 0.0)}, "no history of a run"),
        (lambda n: {"trace": 3}, "no history of a run"),
    ],
)
def test_a_hostile_state_is_refused(change, words, tmp_path):
    """Such a fit would go on without end, or to weights that are no numbers."""
    X, y = make_problem(n=100, d=4)
    path = tmp_path / "c"
    aucmax.SPAM(random_state=0).fit(X, y, checkpoint=path, every=0)
    kept = aucmax.persist.open_model(path)
    aucmax.save(kept.model, path, notes={**kept.notes, **change(kept.notes)})
    with pytest.raises(ModelFileError, match=f"{path}: .*{words}.*; remove it, or name another file"):
        aucmax.SPAM(random_state=0).fit(X, y, checkpoint=path)


def test_folds_that_are_none_are_refused(tmp_path):
    X, y = make_problem(n=100, d=4)
    path = tmp_path / "c"
    aucmax.AUCClassifier().fit(X, y, checkpoint=path, every=0)
    kept = aucmax.persist.open_model(path)
    key = next(iter(kept.notes["state"]))
    for fold in (3, ["x"], [np.array([-np.inf])]):
        aucmax.save(kept.model, path, notes={**kept.notes, "state": {**kept.notes["state"], key: fold}})
        with pytest.raises(ModelFileError, match="folds that are none; remove it"):
            aucmax.AUCClassifier().fit(X, y, checkpoint=path)


def test_algorithms_without_steps_start_over(tmp_path):
    X, y = make_problem(n=100, d=4)
    model = aucmax.BAM().fit(X, y, checkpoint=tmp_path / "c", every=0)
    assert np.array_equal(model.coef_, aucmax.BAM().fit(X, y).coef_)


FRONT = {
    "AUCClassifier": aucmax.AUCClassifier(),
    "AUCClassifierCV": aucmax.AUCClassifierCV(("logistic", "ramp"), n_l2=3, cv=2),
    "two threads": aucmax.AUCClassifierCV(("logistic",), n_l2=3, cv=3, n_jobs=2),
}


def test_a_path_that_ends_early_is_kept_too(tmp_path):
    """So few rows are parted without a fault by weak penalties; those behind them are not tried."""
    X, y = make_problem(n=30, d=6)
    path = tmp_path / "run.ckpt"
    whole = aucmax.AUCClassifier(random_state=0).fit(X, y, checkpoint=path, every=0)
    folds = aucmax.persist.open_model(path).notes["state"].values()
    assert any(np.isnan(part).any() for arrays in folds for part in arrays)
    resumed = aucmax.AUCClassifier(random_state=0).fit(X, y, checkpoint=path, every=0)
    assert np.array_equal(resumed.coef_, whole.coef_)


@pytest.mark.parametrize("name", FRONT)
def test_the_front_door_keeps_the_folds_that_are_done(name, tmp_path, power, monkeypatch):
    X, y = make_problem(n=300, d=8)
    labels, path = np.where(y > 0, "yes", "no"), tmp_path / "run.ckpt"
    whole = clone(FRONT[name]).fit(X, labels)
    for writes in (1, 0):
        power(writes)
        with pytest.raises(CutError):
            clone(FRONT[name]).fit(X, labels, checkpoint=path, every=0)
    monkeypatch.undo()
    done = aucmax.persist.open_model(path).notes["state"]
    assert len(done) >= 3  # two of the first run, one more of the second
    model = clone(FRONT[name])
    resumed = model.fit(X, labels, checkpoint=path, every=0)
    assert np.array_equal(resumed.coef_, whole.coef_)
    assert np.array_equal(resumed.intercept_, whole.intercept_)
    assert model.random_state is None
    assert not hasattr(model, "_keeper")
    with pytest.raises(ValueError, match="checkpoint of another run"):
        clone(FRONT[name]).fit(X, y, checkpoint=path)


def test_folds_of_another_shape_are_refused(tmp_path):
    X, y = make_problem(n=300, d=8)
    model, path = clone(FRONT["AUCClassifierCV"]), tmp_path / "run.ckpt"
    model.fit(X, y, checkpoint=path, every=0)
    kept = aucmax.persist.open_model(path)
    state = {key: [part[:1] for part in arrays] for key, arrays in kept.notes["state"].items()}
    aucmax.save(kept.model, path, notes={**kept.notes, "state": state})
    with pytest.raises(ValueError, match="folds of other shapes"):
        model.fit(X, y, checkpoint=path)


def test_times():
    assert seconds_of("30s") == 30
    assert seconds_of("5m") == 300
    assert seconds_of(1.5) == 1.5
    with pytest.raises(ValueError, match="expected a time"):
        seconds_of("soon")
