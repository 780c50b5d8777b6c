"""Marks tests as slow whose like of the other class, or of the other kind of sparse data, stays."""

import pytest

SLOW = (
    "AUCClassifier()-check_estimator_sparse_array",
    "test_columns_far_from_zero_are_harmless[csr_matrix-AUCClassifierCV]",
    "test_dense_sparse_and_frames[AUCClassifierCV]",
    "n_l2=2)-check_estimator_sparse_array",
)


def pytest_collection_modifyitems(items):
    for item in items:
        if any(words in item.nodeid for words in SLOW):
            item.add_marker(pytest.mark.slow)
