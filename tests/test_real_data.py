"""On real sets, where they are at hand: the algorithms agree with each other and with the exact optimum."""

import numpy as np
import pytest

from aucmax import FSAUC, SOLAM, SPAM, VRSPAM, ExactAUC, RegSOLAM


@pytest.mark.parametrize("name", ["a9a", "ijcnn1"])
def test_stochastic_solvers_come_close_to_the_exact_optimum(data_set, name):
    X, y = data_set(name)
    exact = ExactAUC(l2=1e-3).fit(X, y)
    best, start = exact.objective(X, y), np.mean(y > 0) * np.mean(y < 0)
    for model in (SPAM(1e-3, random_state=0), RegSOLAM(1e-3, random_state=0)):
        gap = model.fit(X, y).objective(X, y) - best
        assert 0 < gap < 0.03 * (start - best)
    for model in (SOLAM(random_state=0), FSAUC(random_state=0)):
        assert model.fit(X, y).score(X, y) > exact.score(X, y) - 0.01


def test_variance_reduction_reaches_the_optimum_of_sparse_text(data_set):
    X, y = data_set("reuters_acq")
    exact = ExactAUC(l2=0.01, tol=1e-12).fit(X, y)
    model = VRSPAM(l2=0.01, tol=1e-8, max_iter=500, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-6 * np.abs(exact.coef_).max())
