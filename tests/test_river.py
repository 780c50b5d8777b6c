import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

river = pytest.importorskip("river")

from river import checks  # noqa: E402

from aucmax import OAM, SPAM, ExactAUC  # noqa: E402
from aucmax.river import AUCRiver  # noqa: E402

CHECKS = list(checks.yield_checks(AUCRiver(max_features=32)))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_rivers_own_checks(check):
    check(AUCRiver(max_features=32))


def test_there_are_many_of_them():
    assert len(CHECKS) > 20


@pytest.mark.parametrize("estimator", [SPAM(random_state=0), OAM(random_state=0), ExactAUC()])
def test_equals_the_estimator_on_the_same_rows(estimator):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 3)), rng.random(200) < 0.3
    X[y, 0] += 2
    model = AUCRiver(estimator, max_features=3)
    for row, label in zip(X, y, strict=True):
        model.learn_one(dict(zip("abc", row, strict=True)), bool(label))
    twin = estimator.partial_fit(sp.csr_matrix(X), y.astype(int), classes=[0, 1])
    row = {"c": 1.0, "a": -2.0}
    assert model.score_one(row) == pytest.approx(twin.decision_function([[-2.0, 0.0, 1.0]])[0], rel=1e-9)
    assert not hasattr(model.estimator, "_stream") or model.estimator is estimator


def test_probabilities_rise_with_the_score():
    model = AUCRiver()
    assert model.predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    rng = np.random.default_rng(0)
    for _ in range(300):
        y = bool(rng.random() < 0.3)
        model.learn_one({"a": rng.normal() + 2 * y, "b": rng.normal()}, y)
    shares = [model.predict_proba_one({"a": a})[True] for a in (-5.0, 0.0, 1.0, 5.0, 1e6)]
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert shares[-1] > 0.9


def test_bad_rows_change_nothing():
    model = AUCRiver(classes=("no", "yes"), max_features=2)
    model.learn_one({"a": 1.0}, "no")
    before = model.score_one({"a": 1.0})
    for x, y, words in (
        ({"a": math.nan}, "no", "finite number"),
        ({"a": "red"}, "no", "feature 'a' is 'red'"),
        ({"a": 1.0}, "maybe", "one of the two labels"),
        ({"b": 1.0, "c": 2.0}, "no", "more than max_features=2"),
    ):
        with pytest.raises(ValueError, match=words):
            model.learn_one(x, y)
    assert model.score_one({"a": 1.0}) == before
    assert model.score_one({"unknown": 3.0, "a": 1.0}) == before


def test_without_river_one_line_says_what_to_install():
    script = "import sys; sys.modules['river'] = None; import aucmax.river"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith("install it: pip install 'aucmax[river]'")
