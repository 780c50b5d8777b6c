"""Suites say what the papers print, name what exists, and never let a test row into training."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import aucmax
from aucmax.bench.cell import Cell, asked
from aucmax.bench.facts import _iterates
from aucmax.bench.figures import _drawn, _splits, figure_plans, note_of
from aucmax.bench.sets import Problem, scaled, two_labels
from aucmax.bench.splits import parts_of
from aucmax.bench.suite import Entry, _check, suite_names, suite_of
from aucmax.bench.variance import direction_variance, row_factors
from aucmax.data.registry import named_sets
from aucmax.model.params import check_parameters
from tests.conftest import make_problem

ENTRY = Entry("somewhere", ("somewhere",), "range", "centred", "random halves")


def test_all_printed_figures_are_there():
    figures = {name: len(suite_of(name).published) for name in suite_names()}
    assert sum(figures.values()) == 446
    assert figures["psam-ii"] == 100
    assert suite_of("thesis-4.2").published["splice", "SPAM-L2"].auc > 0.9
    assert suite_of("fsauc-2").published["a9a", "FSAUC"][:2] == (0.900782, 0.000197)  # with all of its digits


@pytest.mark.parametrize("name", suite_names())
def test_a_suite_names_what_exists(name):
    suite = suite_of(name)
    assert set(suite.sets) <= {where for where, _ in suite.published}
    for entry in suite.sets.values():
        assert {*entry.files, *filter(None, [entry.test])} <= set(named_sets())
    for algorithm in suite.algorithms.values():
        cls = getattr(aucmax, algorithm.estimator.removeprefix("N"))
        fixed = {key: value for key, value in algorithm.fixed.items() if key != "n_components"}
        for grid in filter(None, (algorithm.grid, algorithm.quick)):
            for values in itertools.product(*grid.values()):
                model = cls(**{**algorithm.own, **fixed, **algorithm.wide, **dict(zip(grid, values, strict=True))})
                check_parameters(model, model._ranges)
        for key, values in algorithm.quick.items():
            assert set(values) <= set(algorithm.grid[key]), f"{algorithm.name}: a quick run leaves the paper's grid"


def test_an_unknown_suite():
    with pytest.raises(ValueError, match=r"no suite 'thesis-9' is known; known are fsauc-2"):
        suite_of("thesis-9")


@pytest.mark.parametrize(
    ("splits", "given"), [("folds", 0), ("holdout", 0), ("thirds", 0), ("thirds", 40), ("given", 40)]
)
def test_parts_do_not_overlap(splits, given):
    y = (np.arange(200) % 4 == 0).astype(np.int8)
    seen = [parts_of(splits, y, given, repeat) for repeat in range(10)]
    for parts in seen:
        rows = np.concatenate(parts)
        assert len(np.unique(rows)) == len(rows) == 200
        assert abs(len(parts.validation) - (len(parts.test) if splits == "thirds" else 0)) <= 1
        assert all(0 < y[part].mean() < 1 for part in parts if len(part))
    if given:
        assert set(seen[0].test) <= set(range(160, 200))
    if splits == "folds":
        assert sorted(np.concatenate([parts.test for parts in seen[:5]])) == list(range(200))
        assert not np.array_equal(seen[0].test, seen[5].test)


def test_labels():
    y = np.repeat(np.arange(1.0, 7.0), 10)
    halves = two_labels(y, ENTRY)
    assert halves.mean() == 0.5
    assert np.array_equal(halves, two_labels(y, ENTRY))
    assert all(len(set(halves[y == label])) == 1 for label in range(1, 7))
    assert two_labels(y, ENTRY._replace(labels="even against odd"))[y == 2].all()
    assert set(y[two_labels(y, ENTRY._replace(labels="first half")) == 1]) == {1, 2, 3}
    assert set(y[two_labels(y, ENTRY._replace(labels="2 against the rest")) == 1]) == {2}
    assert set(y[:20][two_labels(y[:20], ENTRY) == 1]) == {2}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("columns", ["range", "largest", "as they are"])
@pytest.mark.parametrize("rows", ["unit", "centred", "as they are"])
def test_scaling_asks_the_training_rows_only(rows, columns, sparse):
    rng = np.random.default_rng(0)
    train, test = rng.normal(size=(30, 5)), rng.normal(size=(10, 5))
    kind = sp.csr_matrix if sparse else np.asarray
    entry = ENTRY._replace(rows=rows, columns=columns)
    one, _ = scaled(entry, (kind(train), kind(test)))
    two, _ = scaled(entry, (kind(train), kind(1000 * test)))
    dense = [part.toarray() if sparse else part for part in (one, two)]
    assert np.array_equal(*dense)
    if rows == "unit":
        assert np.allclose(np.linalg.norm(dense[0], axis=1), 1)
    elif rows == "as they are" and columns != "as they are":
        assert np.abs(dense[0]).max() == pytest.approx(1)


def test_columns_of_training_rows_end_at_the_ends_of_their_range():
    rng = np.random.default_rng(0)
    train = rng.uniform(3.0, 8.0, (30, 4))
    for columns, low in (("range", -1.0), ("zero to one", 0.0)):
        (found,) = scaled(ENTRY._replace(rows="as they are", columns=columns), (train,))
        assert np.allclose(found.min(axis=0), low)
        assert np.allclose(found.max(axis=0), 1.0)


def test_wrong_words():
    X = np.eye(3)
    with pytest.raises(ValueError, match="rows='odd': expected"):
        scaled(ENTRY._replace(rows="odd"), (X,))
    with pytest.raises(ValueError, match="columns='odd': expected"):
        scaled(ENTRY._replace(columns="odd"), (X,))


def test_variance_of_directions():
    """Their mean is the gradient, zero at the optimum; from its anchor the reduced direction does not vary."""
    X, y = make_problem(n=200, d=5)
    y = (y > 0).astype(np.int8)
    w = aucmax.ExactAUC(0.1).fit(X, y).coef_.ravel()
    directions = row_factors(X, y, w)[:, None] * X
    assert np.allclose(directions.mean(axis=0) + 0.1 * w, 0, atol=1e-9)
    literal = np.mean(np.sum((directions - directions.mean(axis=0)) ** 2, axis=1))
    assert direction_variance(X, y, w) == pytest.approx(literal)
    assert direction_variance(sp.csr_matrix(X), y, w) == pytest.approx(literal)
    assert direction_variance(X, y, w, w) == 0
    assert direction_variance(X, y, 1.01 * w, w) < 1e-3 * literal


def test_every_kind_of_figure_is_drawn():
    """Each on a few rows, as the report takes it: finite, of equal lengths, and the bands around the curves."""
    X, y = make_problem(n=120, d=4)
    splits = [(X[:80], (y[:80] > 0).astype(int), X[80:], (y[80:] > 0).astype(int))]
    plans = figure_plans()
    assert {
        "fsauc-1",
        "thesis-5",
        "sensitivity",
        "vrspam-1",
        "psam-1",
        "psam-1-nystrom",
        "thesis-3a",
        "thesis-3b",
        "roc",
    } <= set(plans)
    for name, plan in plans.items():
        plan = {**plan, "curves": [curve for curve in plan["curves"] if curve["estimator"] != "AUCClassifier"]}
        names = [curve["name"] for curve in plan["curves"]]
        drawn = list(_drawn(name, plan, dict.fromkeys(names, ENTRY), dict.fromkeys(names, splits)))
        assert len(drawn) == len(plan.get("along", "1"))
        for series in (series for facts in drawn for series in facts["series"]):
            parts = np.array([series[key] for key in ("x", "low", "y", "high")])
            assert np.isfinite(parts).all()
            assert (parts[1] <= parts[2]).all()
            assert (parts[2] <= parts[3]).all()


def test_a_figure_with_landmarks_embeds_what_the_training_rows_tell(tmp_path):
    X, y = make_problem(n=60, d=2)
    X[0] = 1.0
    lines = (f"{k} " + " ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(x)) for x, k in zip(X, y, strict=True))
    (tmp_path / "fourclass_scale").write_text("\n".join(lines))
    plan, entry = {"landmarks": 7, "curves": []}, ENTRY._replace(files=("fourclass_scale",), columns="as they are")
    splits = list(_splits(plan, entry, True, tmp_path))
    assert [[part.shape for part in split[::2]] for split in splits] == [[(48, 7), (12, 7)]] * 3
    assert "embedded with 7 landmarks" in note_of(plan, {"one": entry}, 3)
    (plain, *_), *_ = _splits({"curves": []}, entry, True, tmp_path)
    assert plain.shape[1] == 2


def test_figures_name_what_exists():
    for plan in figure_plans().values():
        for curve in plan["curves"]:
            getattr(aucmax, curve["estimator"])(**curve["params"])
    assert Problem(np.eye(2), np.array([0, 1])).given == 0


def test_grids_are_the_papers_or_a_note_says_what_they_lack():
    nystrom, linear = suite_of("psam-iii").algorithms, suite_of("psam-ii").algorithms
    for name in ("PSAM", "ASAM", "SOLAM", "BAM"):
        assert nystrom[f"N{name}"].grid == linear[name].grid
        assert nystrom[f"N{name}"].note
    assert {1e-10, 1e-9, 1e-8, 1e-7} < set(nystrom["NPSAM"].grid["gamma"])
    for name in ("thesis-6.3", "thesis-6.4"):
        assert suite_of(name).algorithms["SPAM-L2"].grid["l2"] == [10.0**k for k in range(-5, 2)]
    net = suite_of("vrspam-2").algorithms["VRSPAM-NET"]
    assert len(net.grid["l1"]) == 11 > len(net.grid["l2"])
    assert "four values of the L2 penalty" in net.note
    assert "diagonal variant from 500 columns" in linear["CBR-FIFO"].note
    assert "sector was run five times" in suite_of("thesis-3.2").note


def test_words_and_counts_of_a_suite_are_checked():
    suite = suite_of("thesis-3.2")
    with pytest.raises(ValueError, match=r"suite thesis-3\.2: says='odd', expected one of rows, columns, nothing"):
        _check(suite._replace(says="odd"))
    with pytest.raises(ValueError, match="says='odd'"):
        _check(suite._replace(taken=(suite.taken[0]._replace(says="odd"),)))
    algorithm = suite.algorithms["OPAUC"]._replace(iterate="first")
    with pytest.raises(ValueError, match="iterate='first', expected one of average, average of the last stage, last"):
        _check(suite._replace(algorithms={"OPAUC": algorithm}))
    counted = {where: number for where, number in suite.counted.items() if where != "a9a"}
    with pytest.raises(ValueError, match=r"\[counted\] and the sets differ in a9a"):
        _check(suite._replace(counted=counted))


def test_the_page_says_which_iterate_is_scored():
    assert _iterates(suite_of("fsauc-2")) == (
        "The iterate that is scored: the average of SOLAM, SOLAM-l1; the average of the last stage of FSAUC; "
        "the last of OPAUC."
    )


def test_what_only_says_something_of_an_algorithm_leaves_its_results():
    """A note, an iterate's name or a remark on a choice is no other experiment; a grid is."""
    suite, cell = suite_of("thesis-3.2"), Cell("thesis-3.2", "a9a", "OPAUC", "tuned", 0, True)
    known = suite.algorithms["OPAUC"]

    def digest(**changes):
        return asked(cell, suite._replace(algorithms={"OPAUC": known._replace(**changes)}))

    told = digest(note="other", informed="other", informed_wide="other", iterate="average")
    assert told == asked(cell, suite) != digest(grid={})
