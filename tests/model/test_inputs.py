"""Arrays that are not what they seem: nothing unchecked reaches scipy's compiled code or a kernel."""

import numpy as np
import pytest
import scipy.sparse as sp

import aucmax
from aucmax import SPAM, AUCClassifier, ExactAUC, KMeansNystroem
from aucmax.model.inputs import sound
from tests.estimators import ESTIMATORS, ONLINE, quick

every = pytest.mark.parametrize("name", ESTIMATORS)


def healthy():
    return sp.csr_matrix(np.eye(80, 6) + np.arange(480).reshape(80, 6) % 5)


def damage(part, index, value):
    """A matrix with a wrong value in one of its arrays, and with flags that call it sound."""
    X = healthy()
    X.has_canonical_format = True
    getattr(X, part)[index] = value
    return X


def shortened(part, length):
    X = healthy()
    X.has_canonical_format = True
    setattr(X, part, getattr(X, part)[:length].copy())
    return X


def typed(part, dtype):
    X = healthy()
    setattr(X, part, getattr(X, part).astype(dtype))
    return X


CORRUPT = {
    "last end beyond the entries": (lambda: damage("indptr", -1, 10**9), "rising sequence"),
    "an end beyond the entries": (lambda: damage("indptr", 5, 10**9), "rising sequence"),
    "a falling end": (lambda: damage("indptr", 5, 0), "rising sequence"),
    "a negative end": (lambda: damage("indptr", 1, -7), "rising sequence"),
    "a first end above zero": (lambda: damage("indptr", 0, 1), "rising sequence"),
    "a negative column": (lambda: damage("indices", 7, -1), "column indices from -1 to 5, expected 0 to 5"),
    "a column too many": (lambda: damage("indices", 7, 6), "column indices from 0 to 6, expected 0 to 5"),
    "a column far away": (lambda: damage("indices", 7, 2**31 - 1), "column indices from 0 to 2147483647"),
    "a bad column in the last entry": (lambda: damage("indices", -1, 6), "column indices from 0 to 6"),
    "data cut short": (lambda: shortened("data", 3), "rising sequence from 0 to at most 3"),
    "indices cut short": (lambda: shortened("indices", 3), "rising sequence from 0 to at most 3"),
    "too few ends": (lambda: shortened("indptr", 40), "40 entries in indptr, expected 81"),
    "no ends": (lambda: shortened("indptr", 0), "0 entries in indptr, expected 81"),
    "columns that are floats": (lambda: typed("indices", float), "indices of the type float64"),
    "two integer types": (lambda: typed("indptr", np.int64), "int32 and indptr of int64|int64"),
    "columns in a square": (
        lambda: _with(healthy(), indices=np.zeros((4, 4), np.int32)),
        "expected a plain array of one",
    ),
    "a masked array": (lambda: _with(healthy(), data=np.ma.masked_array(healthy().data)), "as data a MaskedArray"),
    "no array": (lambda: _with(healthy(), data=None), "as data a NoneType of the shape"),
    "coordinates beyond the shape": (lambda: _coordinates(row=99), "coordinates from 0 to 99, expected 0 to 79"),
    "negative coordinates": (lambda: _coordinates(row=-1), "coordinates from -1"),
    "lists of two lengths": (lambda: _lists(), "lengths"),
    "diagonals without offsets": (lambda: _with(_of("dia"), offsets=np.array([0])), "1 offsets"),
    "offsets that are floats": (lambda: _with(_of("dia"), offsets=np.zeros(85)), "offsets of the type float64"),
    "diagonals in a line": (lambda: _with(_of("dia"), data=np.zeros(85)), "data of the shape"),
    "a block beyond the columns": (lambda: _block("indices", 0, 99), "blocks beyond its bounds"),
    "a block's end beyond the blocks": (lambda: _block("indptr", 5, 10**9), "blocks beyond its bounds"),
    "blocks of another size": (lambda: _with(_of("bsr"), data=np.zeros((1, 7, 1))), "blocks of the shape"),
}


def _with(X, **parts):
    for name, value in parts.items():
        setattr(X, name, value)
    return X


def _of(form):
    return healthy().asformat(form)


def _block(part, index, value):
    X = _of("bsr")
    getattr(X, part)[index] = value
    return X


def _coordinates(row):
    X = healthy().tocoo()
    X.coords[0][3] = row
    return X


def _lists():
    X = healthy().tolil()
    X.data[3] = [1.0]
    return X


@pytest.mark.parametrize("case", CORRUPT)
def test_a_corrupt_sparse_matrix_is_refused(case):
    make, words = CORRUPT[case]
    with pytest.raises(ValueError, match=f"X is a corrupt sparse matrix: .*({words})"):
        sound(make())


def test_a_shape_of_other_numbers_is_refused():
    for shape in ((80, 6.0), (80.0, 6), (-80, 6)):
        X = healthy()
        X._shape = shape
        with pytest.raises(ValueError, match=r"sparse array of the shape .* expected two numbers"):
            sound(X)


def test_a_damaged_csc_matrix_is_refused():
    X = healthy().tocsc()
    X.indices[3] = 80
    with pytest.raises(ValueError, match="column indices from 0 to 80, expected 0 to 79"):
        sound(X)


def calls(model, y):
    """Every public method that takes rows, on rows that may be anything."""
    found = {
        "fit": lambda X: model.fit(X, y),
        "partial_fit": lambda X: model.partial_fit(X, y),
        "decision_function": lambda X: model.decision_function(X),
        "predict": lambda X: model.predict(X),
        "predict_proba": lambda X: model.predict_proba(X),
        "score": lambda X: model.score(X, y),
        "objective": lambda X: model.objective(X, y),
        "transform": lambda X: model.transform(X),
    }
    return {name: call for name, call in found.items() if hasattr(model, name)}


OTHERS = {"AUCClassifier": AUCClassifier, "KMeansNystroem": lambda: KMeansNystroem(5)}


@pytest.mark.parametrize("name", [*ESTIMATORS, *OTHERS])
def test_every_method_refuses_a_corrupt_matrix_and_stays_as_it_was(name):
    y = np.arange(80) % 2
    model = (OTHERS[name]() if name in OTHERS else quick(name)).fit(healthy(), y)
    before = {key: np.copy(value) for key, value in vars(model).items() if isinstance(value, np.ndarray)}
    for case in ("last end beyond the entries", "a column too many", "data cut short"):
        make, words = CORRUPT[case]
        for call in calls(model, y).values():
            with pytest.raises(ValueError, match=words):
                call(make())
    for key, value in before.items():
        np.testing.assert_array_equal(getattr(model, key), value)


def test_every_estimator_with_rows_is_tried():
    names = {name for name in aucmax.__all__ if hasattr(getattr(aucmax, name), "fit")}
    assert names - {*ESTIMATORS, *OTHERS} == {"AUCClassifierCV", "TableEncoder"} & names


def test_flags_are_believed_by_nobody():
    X = healthy()
    first, last = X.indptr[2:4]
    X.indices[first:last] = X.indices[first:last][::-1].copy()
    X.data[first:last] = X.data[first:last][::-1].copy()
    X.has_canonical_format = X.has_sorted_indices = True
    y = np.arange(80) % 2
    np.testing.assert_array_equal(ExactAUC().fit(X, y).coef_, ExactAUC().fit(healthy(), y).coef_)


def test_an_entry_that_occurs_twice_counts_as_their_sum():
    X = sp.csr_matrix((np.ones(160), (np.repeat(np.arange(80), 2), np.repeat(np.arange(80) % 5, 2))), shape=(80, 5))
    twice = sp.csr_matrix((np.ones(160), np.repeat(np.arange(80) % 5, 2), np.arange(0, 161, 2)), shape=(80, 5))
    twice.has_canonical_format = True
    y = np.arange(80) % 2
    np.testing.assert_array_equal(SPAM(random_state=0).fit(twice, y).coef_, SPAM(random_state=0).fit(X, y).coef_)
    assert twice.nnz == 160  # the user's own stays as it is


def test_entries_beyond_the_last_row_are_left_out():
    X = healthy()
    padded = healthy()
    padded.data, padded.indices = np.append(X.data, [np.nan, 2.0]), np.append(X.indices, np.int32([0, 1]))
    y = np.arange(80) % 2
    np.testing.assert_array_equal(quick("SPAM").fit(padded, y).coef_, quick("SPAM").fit(X, y).coef_)


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
def test_every_sparse_format_is_the_same_rows(form, kind):
    X, y = kind(healthy()), np.arange(80) % 2
    np.testing.assert_array_equal(
        SPAM(random_state=0).fit(X.asformat(form), y).coef_, SPAM(random_state=0).fit(X, y).coef_
    )


def test_a_sound_matrix_is_not_copied():
    X = healthy()
    assert sound(X) is X
    dense = np.ones((3, 2))
    assert sound(dense) is dense


def test_ends_of_empty_rows_are_looked_at_too():
    """scipy's own check looks at no ends if there are no entries, and then writes beyond its arrays."""
    X = sp.csr_matrix((3, 2))
    X.indptr[1] = 7
    with pytest.raises(ValueError, match="rising sequence"):
        sound(X)


def test_rows_without_entries_are_sound():
    X = sp.csr_matrix(np.array([[0, 0], [1, 0], [0, 0], [0, 1], [1, 1], [0, 0]], dtype=float))
    assert sound(X) is X
    assert sound(sp.csr_matrix((0, 3))).shape == (0, 3)


@every
def test_masked_values_are_refused_and_masks_of_nothing_are_fine(name, problem):
    X, y = problem
    masked = np.ma.masked_array(X, np.zeros(X.shape, dtype=bool))
    plain = quick(name).fit(X, y).coef_
    np.testing.assert_array_equal(quick(name).fit(masked, np.ma.masked_array(y)).coef_, plain)
    masked[3, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"X is a masked array with 1 of .* values masked"):
        quick(name).fit(masked, y)
    with pytest.raises(ValueError, match="y is a masked array"):
        quick(name).fit(X, np.ma.masked_array(y, y == y[0]))
    with pytest.raises(ValueError, match="y is a masked array"):
        quick(name).fit(X, y).score(X, np.ma.masked_array(y, y == y[0]))
    with pytest.raises(ValueError, match="y is a masked array"):
        AUCClassifier("square", 0.1).fit(X, y).score(X, np.ma.masked_array(y, y == y[0]))


def test_scores_that_overflow_are_an_error(problem):
    X, y = problem
    model = ExactAUC().fit(X, y)
    rows = X[:5].copy()
    rows[2] = 1e300 * np.sign(model.coef_[0])
    model.coef_ = 1e20 * model.coef_
    with pytest.raises(ValueError, match="score of row 2 of X overflows"):
        model.decision_function(rows)


@pytest.mark.parametrize("name", ONLINE)
def test_a_stream_refuses_a_corrupt_chunk_and_goes_on(name):
    X, y = healthy(), np.arange(80) % 2
    model, twin = quick(name).partial_fit(X, y), quick(name).partial_fit(X, y)
    with pytest.raises(ValueError, match="corrupt"):
        model.partial_fit(CORRUPT["a column too many"][0](), y)
    np.testing.assert_array_equal(model.partial_fit(X, y).coef_, twin.partial_fit(X, y).coef_)
