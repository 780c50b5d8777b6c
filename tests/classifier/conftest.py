"""Marks one of two checks of the front door that differ by scipy's class of sparse data only."""

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if "AUCClassifier()-check_estimator_sparse_array" in item.nodeid:
            item.add_marker(pytest.mark.slow)
