"""Early stopping, and validation rows of different weight."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import roc_auc_score

from aucmax import SPAM
from aucmax.model.trace import Trace, Validation
from tests.conftest import make_problem

ROWS = Validation(np.eye(4), np.array([1, 1, -1, -1]), np.ones(4))
BAD, GOOD, BEST = ([0, 1, 1, 2], [2, 1, 1, 0], [3, 2, 1, 0])  # scores of the rows


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_a_fit_stops_after_so_many_passes_without_a_better_one(patience):
    estimator = SimpleNamespace(
        early_stopping=True, n_iter_no_change=patience, record=False, verbose=False, _first_checkpoint=100
    )
    trace = Trace(estimator, lambda w: 0.0, ROWS)
    weights = [np.array(w, dtype=float) for w in (BAD, BEST, GOOD, BEST, BAD, GOOD)]  # as good is not better
    stops = [trace.should_stop(w) for w in weights[: 2 + patience]]
    assert stops == [False] * (1 + patience) + [True]
    assert_array_equal(trace.chosen(weights[-1]), BEST)


def test_validation_rows_count_by_their_weight():
    X, y = make_problem()
    weight = np.random.default_rng(0).uniform(0.1, 5.0, 100)
    options = {"X_val": X[300:], "y_val": y[300:], "sample_weight_val": weight}
    model = SPAM(max_iter=2, random_state=0).fit(X[:300], y[:300], **options)
    scores = model.decision_function(X[300:])
    expected = roc_auc_score(y[300:] > 0, scores, sample_weight=weight)
    assert model.history_["validation_auc"][-1] == pytest.approx(expected, rel=1e-12)
    assert abs(expected - roc_auc_score(y[300:] > 0, scores)) > 1e-4


def test_a_pass_is_measured_by_the_size_of_the_weights():
    """A fit settles after as many passes in any units of X."""
    X, y = make_problem()
    passes = [SPAM(1.0 * unit**2, tol=0.05, max_iter=50, random_state=0).fit(X * unit, y).n_iter_ for unit in (1, 1000)]
    assert 2 < passes[0] == passes[1] < 50
