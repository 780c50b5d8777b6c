"""Threads of BLAS."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_info, threadpool_limits

from aucmax import AUCClassifier
from aucmax.classifier.threads import BLAS


@pytest.mark.parametrize("kind", ["linear", "rbf", "wide", "stream"])
def test_one_model_whatever_the_threads_of_blas(kind):
    X, y = make_classification(300, 60, n_informative=10, weights=[0.8], random_state=0)
    X = np.random.default_rng(0).standard_normal((300, 600)) + y[:, None] if kind == "wide" else X
    found = []
    for threads in (1, 2):
        kernel = "rbf" if kind == "rbf" else None
        model = AUCClassifier("square", 0.1, kernel=kernel, n_components=60)
        with threadpool_limits(threads, user_api="blas"):
            found.append((model.partial_fit if kind == "stream" else model.fit)(X, y).coef_)
    assert_array_equal(*found)


def test_the_threads_of_blas_are_given_back_whichever_fit_ends_first():
    def threads():
        return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        first, second = BLAS.held(), BLAS.held()
        first.__enter__()
        second.__enter__()
        assert set(threads()) == {1}
        first.__exit__(None, None, None)
        assert set(threads()) == {1}
        second.__exit__(None, None, None)
        assert threads() == before
        with pytest.raises(ValueError, match="2 classes"):
            AUCClassifier().fit(np.eye(20), np.ones(20))
        assert threads() == before
