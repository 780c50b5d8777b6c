"""Many settings in one sweep give the models of separate fits, to the last bit."""

import numpy as np
import pytest
import scipy.sparse as sp

import aucmax
from aucmax.model.together import fit_together, together
from tests.conftest import make_problem
from tests.estimators import ESTIMATORS, TOGETHER

SETTINGS = {  # beyond two sizes of the first parameter
    "SPAM": [{"l2": 1e-2, "step": 10.0}, {"l2": 1e-3, "average": False}, {"l2": 1e-3, "l1": 1e-3}],
    "SOLAM": [{"radius": 100.0, "step": 10.0}, {"ball": "l1"}],
    "RegSOLAM": [{"l2": 1e-2, "max_iter": 2}, {"l2": 1e-2, "tol": 10.0}],  # which settles at once
    "FSAUC": [{"radius": 100.0, "step": 2.0}],
    "PSAM": [{"gamma": 1e-2, "tol": None}],
    "OAM": [{"C": 1.0, "variant": "gra"}],
    "OPAUC": [{"step": 0.01, "l2": 0.1}, {"rank": 3}],
}
ABOUT = {"l2": 1e-4, "gamma": 1e-4, "radius": 1.0, "C": 0.01}


def settings(name):
    """Some settings of an algorithm."""
    key = next(key for key in ABOUT if key in ESTIMATORS[name]().get_params())
    return [{key: ABOUT[key]}, {key: 100.0 * ABOUT[key]}, *SETTINGS.get(name, [])]


CASES = [(name, sparse, 300) for name in TOGETHER for sparse in (False, True)]


@pytest.mark.parametrize(("name", "sparse", "n"), [*CASES, ("SPAM", True, 9000), ("PSAM", False, 9000)])
def test_the_same_models(name, sparse, n):
    X, y = make_problem(n=n, d=7)
    X = sp.csr_matrix(X) if sparse else X
    cls = ESTIMATORS[name]
    models = [cls(**{"max_iter": 4, "random_state": 3, **setting}) for setting in settings(name)]
    assert together(models)
    assert fit_together(models, X, y) == [None] * len(models)
    for model in models:
        alone = cls(**model.get_params()).fit(X, y)
        assert np.array_equal(model.coef_, alone.coef_)
        assert np.array_equal(model.intercept_, alone.intercept_)
        assert (model.n_iter_, model.t_) == (alone.n_iter_, alone.t_)
        assert np.array_equal(model.predict(X[:5]), alone.predict(X[:5]))


def test_one_diverges_and_the_others_go_on():
    X, y = make_problem(n=300, d=7)
    models = [aucmax.OPAUC(step=step, max_iter=5, random_state=0, schedule="constant") for step in (0.1, 1e6)]
    errors = fit_together(models, X, y)
    assert errors[0] is None
    assert isinstance(errors[1], FloatingPointError)
    assert models[0].score(X, y) > 0.5


def test_what_cannot_be_together():
    assert not together([aucmax.BAM(), aucmax.BAM()])
    assert not together([aucmax.SPAM(random_state=0), aucmax.SOLAM(random_state=0)])
    assert not together([aucmax.SPAM(random_state=0), aucmax.SPAM(random_state=1)])
    assert not together([aucmax.SPAM(), aucmax.SPAM()])
    assert not together([aucmax.SPAM(random_state=0, early_stopping=True)])


def test_bad_input():
    X, y = make_problem(n=50, d=3)
    with pytest.raises(ValueError, match="SPAM\\(l2=-1\\)"):
        fit_together([aucmax.SPAM(random_state=0), aucmax.SPAM(-1, random_state=0)], X, y)
    with pytest.raises(ValueError, match="one class only"):
        fit_together([aucmax.SPAM(random_state=0)], X, np.ones(50))
