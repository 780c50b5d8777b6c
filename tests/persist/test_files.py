"""Files that are damaged, strange or hostile."""

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest
import safetensors.numpy
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.data import TableEncoder
from aucmax.data.encode import Rule
from aucmax.persist import ModelFileError, container
from tests.estimators import ESTIMATORS, ONLINE, quick

RULE = "data.encode.Rule"


@pytest.fixture
def saved(problem, tmp_path):
    path = tmp_path / "model.auc"
    aucmax.save(quick("SPAM", l1=0.01).partial_fit(*problem), path)
    return path


def opened(path):
    arrays, document = container.unpacked(path.read_bytes(), path)
    return arrays, document


def rewritten(path, change):
    """Change the document or the arrays, and repair the checksum."""
    arrays, document = opened(path)
    found = change(document, arrays)
    arrays = found if isinstance(found, list) else arrays
    path.write_bytes(container.packed(arrays, document))


def test_the_rest_is_a_safetensors_file(saved):
    body = saved.read_bytes()[container.HEAD :]
    assert "0" in safetensors.numpy.load(body)


def test_damage_is_noticed(saved):
    raw = saved.read_bytes()
    for at in (0, 9, 45, 60, len(raw) // 2, len(raw) - 1):
        saved.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        with pytest.raises(ModelFileError, match=r"not a model file|checksum"):
            aucmax.load(saved)
    for size in (0, 5, 40, 47, len(raw) - 1):
        saved.write_bytes(raw[:size])
        with pytest.raises(ModelFileError, match=r"not a model file|checksum"):
            aucmax.load(saved)


def encoder_of(*state):
    return {"$estimator": ["TableEncoder", [], list(state)]}


def state(document, name):
    return next(pair for pair in document["model"]["$estimator"][2] if pair[0] == name)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d, a: d.update(format=2), "format 2, expected 1"),
        (lambda d, a: d.update(more=1), "format"),
        (lambda d, a: d.pop("notes"), "format"),
        (lambda d, a: d.update(model=3), "no model"),
        (lambda d, a: d.update(model={"$dict": []}), "no model"),
        (lambda d, a: d.update(encoder=d["model"]), "an encoder of the kind SPAM"),
        (lambda d, a: d["model"]["$estimator"][2].append(["steps", []]), "SPAM with steps, which only a Pipeline has"),
        (lambda d, a: d.update(model={"$estimator": ["Pipeline", [["steps", []]], []]}), "a Pipeline without steps"),
        (lambda d, a: d.update(model={"$estimator": ["Pipeline", [["steps", [3]]], []]}), "a step that is no name"),
        (lambda d, a: d.update(encoder=encoder_of(["rules_", {"$tuple": [1]}])), "rules of a table that are none"),
        (lambda d, a: d.update(encoder=encoder_of(["names_", 3])), "rules of a table that are none"),
        (
            lambda d, a: d.update(encoder=encoder_of(["rules_", {"$tuple": []}], ["names_", ["a"]], ["sparse_", True])),
            "do not make the columns it names",
        ),
        (lambda d, a: d.update(notes={"$dict": [[2**61, 1]]}), "a dict with the key 2305843009213693952"),
        (lambda d, a: d["model"]["$estimator"].__setitem__(0, "os.system"), "no estimator 'os.system'"),
        (lambda d, a: d["model"]["$estimator"].__setitem__(0, "save"), "no estimator 'save'"),
        (lambda d, a: d["model"]["$estimator"].__setitem__(0, "__version__"), "no estimator"),
        (lambda d, a: d["model"]["$estimator"].__setitem__(0, 3), "no estimator"),
        (lambda d, a: d["model"]["$estimator"][1].append(["colour", 1]), "no parameters"),
        (lambda d, a: d["model"]["$estimator"][2].append(["__class__", 1]), "cannot have an attribute"),
        (lambda d, a: d["model"]["$estimator"][2].append(["decision_function", 1]), "cannot have an attribute"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x y", 1]), "cannot have an attribute"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$eval": "1"}]), "unknown kind '\\$eval'"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$array": [999, "C"]}]), "no array"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$array": [-1, "C"]}]), "no array"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$named": ["os.stat_result", []]}]), "no tuple"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$named": ["data.chunks.Stream", []]}]), "no tuple"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$texts": ["<U99999999", [1], ["a"]]}]), "far wider"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$texts": ["<f8", [1], ["a"]]}]), "kind"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$float": "9"}]), "not a sound model file"),
        (lambda d, a: d["model"]["$estimator"][2].append(["x", {"$a": 1, "$b": 2}]), "2 entries"),
        (lambda d, a: [*a, np.ones(3)], "1 arrays that belong to nothing"),
        (lambda d, a: state(d, "n_features_in_").__setitem__(1, 10**6), "too small for 1000000 columns"),
        (lambda d, a: state(d, "n_features_in_").__setitem__(1, "30"), "n_features_in_="),
        (lambda d, a: state(d, "coef_").__setitem__(1, 3), "do not suit"),
    ],
)
def test_what_is_not_known_is_refused(change, words, saved):
    rewritten(saved, change)
    with pytest.raises(ModelFileError, match=words):
        aucmax.load(saved)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"$strings": [{"$array": [0, "C"]}, {"$array": [1, "C"]}]}, "strings beyond"),
        ({"$strings": [{"$array": [1, "C"]}, {"$array": [1, "C"]}]}, "strings that are none"),
        ({"$strings": [[1], [2]]}, "strings that are none"),
        ({"$alike": [RULE, 10**12, [["same", "a"]] * 6]}, "columns of other lengths"),
        ({"$alike": [RULE, 3, [["same", "a"]] * 5 + [["list", ["a"]]]]}, "columns of other lengths"),
        ({"$alike": [RULE, 1, [["same", "a"]] * 5 + [["run", ["a"]]]]}, "unknown way"),
        ({"$alike": ["os.Popen", 1, [["list", ["a"]]]]}, "no tuple"),
        ({"$alike": [RULE, 1, [["list", ["a"]]]]}, "no tuple"),
    ],
)
def test_what_is_written_together_must_fit_together(value, words, saved):
    arrays = [np.frombuffer(b"abc", dtype=np.uint8), np.array([1, 4])]
    _, document = opened(saved)
    document["model"] = {"$estimator": ["SPAM", [], []]}
    document["notes"] = {"$dict": [["x", value], ["a", {"$array": [0, "C"]}], ["b", {"$array": [1, "C"]}]]}
    saved.write_bytes(container.packed(arrays, document))
    with pytest.raises(ModelFileError, match=words):
        aucmax.load(saved)


@pytest.mark.parametrize("levels", [200, 5000])
def test_deep_values_are_refused(levels, saved):
    arrays, document = opened(saved)
    text = json.dumps(document)
    text = text.replace('"notes": {"$dict": []}', '"notes": {"$dict": [["a", ' + "[" * levels + "]" * levels + "]]}")
    body = safetensors.numpy.save({str(k): a for k, a in enumerate(arrays)}, {"json": text})
    saved.write_bytes(container.MARK + hashlib.sha256(body).digest() + body)
    with pytest.raises(ModelFileError, match=r"nested|sound"):
        aucmax.load(saved)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("name", ONLINE)
def test_no_state_that_a_kernel_would_step_beyond(name, kind, problem, tmp_path):
    """Every array of a stream, made shorter or longer or its integers wild, is refused or does no harm."""
    X, y = problem
    X = X if kind == "dense" else sp.csr_matrix(X)
    path = tmp_path / "model.auc"
    extra = {"l1": 0.01} if name == "SPAM" else {}
    aucmax.save(quick(name, **extra).partial_fit(X, y), path)
    arrays, _ = opened(path)
    raw = path.read_bytes()
    refused = 0
    for k, array in enumerate(arrays):
        changed = [array[:-1], np.concatenate([array, array])] if array.ndim and len(array) else []
        if array.dtype.kind == "i" and array.size:
            changed += [np.full_like(array, value) for value in (-2, 2**31 - 2, 31)]
        for new in changed:
            rewritten(path, lambda d, a, k=k, new=new: [*a[:k], new, *a[k + 1 :]])
            try:
                aucmax.load(path).partial_fit(X, y)
            except (ModelFileError, FloatingPointError, ValueError):
                refused += 1
            path.write_bytes(raw)
    assert refused > 0


@pytest.mark.parametrize("name", ONLINE)
def test_no_stream_of_unknown_width(name, problem, tmp_path):
    """Without n_features_in_ nothing could be compared with the state, so it is refused."""
    model = quick(name).partial_fit(*problem)
    del model.n_features_in_
    aucmax.save(model, tmp_path / "model.auc")
    with pytest.raises(ModelFileError, match="without n_features_in_"):
        aucmax.load(tmp_path / "model.auc")


def test_no_stream_in_another_order_of_memory(problem, tmp_path):
    """It would do no harm, but make numba compile anew."""
    model = aucmax.OPAUC(random_state=0).partial_fit(*problem)
    sums = np.asfortranarray(model._stream.sums)
    model._stream = model._stream._replace(sums=sums)
    aucmax.save(model, tmp_path / "model.auc")
    with pytest.raises(ModelFileError, match="another run"):
        aucmax.load(tmp_path / "model.auc")


def test_pipelines_that_are_none(problem, tmp_path):
    model = make_pipeline(StandardScaler(), quick("SPAM")).fit(*problem)
    for steps in ([("a", quick("SPAM")), ("b", quick("SPAM"))], [], [("a",)], [(1, quick("SPAM"))]):
        model.steps = steps
        aucmax.save(model, tmp_path / "model.auc")
        with pytest.raises(
            ModelFileError,
            match=r"a Pipeline (without steps|with a step that is no name|whose step 'a' transforms nothing)",
        ):
            aucmax.load(tmp_path / "model.auc")


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError):
        aucmax.load(tmp_path / "gone.auc")
    with pytest.raises(ModelFileError, match="a folder, expected a file"):
        aucmax.load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", "/dev/null"):
        with pytest.raises(ModelFileError, match="a device or a pipe"):
            aucmax.load(path)
    (tmp_path / "text.auc").write_text("not a model")
    with pytest.raises(ModelFileError, match="not a model file"):
        aucmax.load(tmp_path / "text.auc")


def test_keys_that_could_not_be_loaded_are_not_saved(tmp_path):
    with pytest.raises(ModelFileError, match="a dict with the key 2305843009213693951"):
        aucmax.save(quick("SPAM"), tmp_path / "model.auc", notes={"a": {2**61 - 1: 1}})
    aucmax.save(quick("SPAM"), tmp_path / "model.auc", notes={"a": {2**61 - 2: 1, ("b", 1): 2, None: 3}})
    assert aucmax.persist.open_model(tmp_path / "model.auc").notes["a"] == {2**61 - 2: 1, ("b", 1): 2, None: 3}


def test_an_encoder_that_was_never_fitted_is_no_obstacle(problem, tmp_path):
    path = tmp_path / "model.auc"
    aucmax.save(quick("SPAM").fit(*problem), path, encoder=TableEncoder(max_categories=7))
    assert not hasattr(aucmax.load(path), "feature_names_in_")
    assert aucmax.persist.open_model(path).encoder.max_categories == 7


@pytest.mark.parametrize("fill", [float("nan"), float("inf"), 3])
def test_a_rule_that_would_make_other_numbers_is_refused(fill, problem, tmp_path):
    path = tmp_path / "model.auc"
    encoder = TableEncoder()
    encoder.rules_, encoder.names_, encoder.sparse_ = (Rule("a", "number", fill),), ["a"], False
    aucmax.save(quick("SPAM").fit(*problem), path, encoder=encoder)
    with pytest.raises(ModelFileError, match=r"model\.auc: rules of a table that are none"):
        aucmax.load(path)


LOAD = """
import resource, sys
import aucmax, aucmax.persist
aucmax.AUCClassifier
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        aucmax.load(path)
        print("loaded", path)
    except aucmax.persist.ModelFileError as error:
        print("max_bytes" in str(error) and str(error).startswith(path))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""
MANY = 2**20
GREEDY = {
    "lists": (",".join(["[]"] * (4 * MANY)), []),
    "strings": (f'{{"$texts": ["<U1000", [{MANY}], [' + ",".join(['""'] * MANY) + "]]}", []),
    "models": (",".join(['{"$estimator":["AUCClassifier",[],[]]}'] * 2**17), []),
    "tuples": (
        ",".join(
            [
                f'{{"$alike": ["{RULE}", {MANY}, [["same","a"],["same","number"],["same",1.5],'
                '["array",{"$array":[0,"C"]}],["same",null],["same",false]]]}'
            ]
            * 50
        ),
        [np.zeros(MANY, dtype=bool)],
    ),
    "texts": (
        ",".join(['{"$strings": [{"$array": [0, "C"]}, {"$array": [1, "C"]}]}'] * 50),
        [np.full(2 * MANY, 97, dtype=np.uint8), np.arange(2, 2 * MANY + 2, 2)],
    ),
}


def test_what_would_take_far_more_memory_than_the_file_is_refused(saved, tmp_path):
    """Each of a few megabytes; unbounded, some would take tens of gigabytes."""
    paths = []
    for name, (text, arrays) in GREEDY.items():
        whole = json.dumps({**opened(saved)[1], "model": {"$estimator": ["SPAM", [], []]}, "notes": "here"})
        whole = whole.replace('"here"', '{"$dict": [["a", [' + text + "]]]}")
        body = safetensors.numpy.save({str(k): array for k, array in enumerate(arrays)}, {"json": whole})
        paths.append(tmp_path / name)
        paths[-1].write_bytes(container.MARK + hashlib.sha256(body).digest() + body)
    done = subprocess.run([sys.executable, "-c", LOAD, *map(str, paths)], capture_output=True, text=True, timeout=200)
    *refused, peak = done.stdout.split()
    assert refused == ["True"] * len(GREEDY), done.stdout + done.stderr[-2000:]
    assert int(peak) < 1200


def test_the_memory_that_a_file_may_take_is_an_argument(saved):
    with pytest.raises(ModelFileError, match=r"model\.auc: .* names and values .* by max_bytes="):
        aucmax.load(saved, max_bytes=5000)
    assert aucmax.load(saved, max_bytes=10**6).coef_ is not None
    with pytest.raises(ValueError, match="max_bytes=0"):
        aucmax.load(saved, max_bytes=0)


def test_a_file_too_large_is_not_read(saved, monkeypatch):
    monkeypatch.setattr(container, "LARGEST_FILE", 100)
    with pytest.raises(ModelFileError, match="more than the 100"):
        aucmax.load(saved)


def test_a_file_is_on_the_disk_before_it_takes_its_place_and_its_folder_after(saved, problem, monkeypatch):
    before, there, fsync = saved.read_bytes(), [], os.fsync

    def synced(handle):
        there.append(saved.read_bytes() == before)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", synced)
    aucmax.save(quick("SPAM").fit(*problem), saved)
    assert there == [True, False]


def test_random_numbers_are_not_read_beyond_their_table(problem, tmp_path):
    path, model = tmp_path / "model.auc", quick("SPAM", random_state=np.random.RandomState(3)).fit(*problem)
    aucmax.save(model, path)
    kept = str(["pos", int(model.random_state.get_state()[2])]).replace("'", '"')
    for at, sound in ((0, True), (624, True), (625, False), (-1, False)):
        arrays, document = container.unpacked(path.read_bytes(), path)
        changed = json.dumps(document)
        assert changed.count(kept) == 1
        other = tmp_path / "other.auc"
        other.write_bytes(container.packed(arrays, json.loads(changed.replace(kept, f'["pos", {at}]'))))
        if sound:
            assert aucmax.load(other).random_state.get_state()[2] == at
        else:
            with pytest.raises(ModelFileError, match="a state of random numbers that cannot be"):
                aucmax.load(other)


@pytest.mark.slow
def test_writers_do_not_mix(saved, problem):
    """Several processes write the same file; whatever remains is whole."""
    script = (
        "import sys, numpy as np, aucmax\n"
        "model = aucmax.SPAM(random_state=int(sys.argv[2]))\n"
        "model.extra_ = np.full(200_000, float(sys.argv[2]))\n"
        "for _ in range(8): aucmax.save(model, sys.argv[1])\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(saved), str(k)]) for k in range(2)]
    assert [w.wait(100) for w in writers] == [0, 0]
    model = aucmax.load(saved)
    assert set(model.extra_) == {float(model.random_state)}
    assert [p.name for p in saved.parent.iterdir()] == [saved.name]


AUDIT = """
import sys
import aucmax, aucmax.persist
from aucmax.persist.registry import estimator_class
paths = sys.argv[1:]
for name in aucmax.__all__:
    estimator_class(name)
for path in paths:
    if "warm" in path:
        aucmax.load(path)
seen = []
sys.addaudithook(lambda event, args: seen.append((event, str(args)[:200])) if watching else None)
watching = True
loaded = [aucmax.load(path) for path in paths]
watching = False
events = {event for event, _ in seen}
bad = [pair for pair in seen if pair[0].split(".")[0] in ("import", "exec", "compile", "subprocess", "os", "pickle",
       "ctypes", "socket", "marshal", "code", "shutil", "urllib", "cpython")]
assert "open" in events, events
assert not bad, bad[:5]
assert {args.split("'")[1] for event, args in seen if event == "open"} == set(paths)
print(sorted(events))
"""


def test_loading_runs_nothing(problem, tmp_path):
    """An audit hook sees every import, exec, subprocess and unpickling; there is none, only the file is opened.

    The state of a stream is compared with one newly begun, for which some algorithms run a kernel of ours; numba
    fetches it from its cache, by pickle, once a process. These files are therefore loaded once before.
    """
    X, y = problem
    models = {name: quick(name).fit(X, y) for name in ESTIMATORS}
    models["AUCClassifier"] = aucmax.AUCClassifier().fit(X, np.where(y > 0, "b", "a"))
    models["pipeline"] = make_pipeline(StandardScaler(), aucmax.KMeansNystroem(9), aucmax.BAM()).fit(X, y)
    models |= {f"warm {name}": quick(name).partial_fit(X, y) for name in ONLINE}
    for name, model in models.items():
        aucmax.save(model, tmp_path / f"{name}.auc")
    paths = [str(tmp_path / f"{name}.auc") for name in models]
    done = subprocess.run([sys.executable, "-c", AUDIT, *paths], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr


def test_a_device_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="a folder or a device"):
        aucmax.save(aucmax.SPAM(), tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    assert [found.name for found in tmp_path.iterdir()] == ["pipe"]


def test_notes_beyond_the_limit_of_a_header(tmp_path):
    with pytest.raises(ModelFileError, match="expected at most 95 MiB"):
        aucmax.save(aucmax.SPAM(), tmp_path / "model.auc", notes={"long": "x" * container.LARGEST_HEADER})
    assert not list(tmp_path.iterdir())
