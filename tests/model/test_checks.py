"""scikit-learn's own checks, without exemptions but one: stochastic solvers see repeated rows in another order."""

import pytest
from sklearn.utils.estimator_checks import check_dataframe_column_names_consistency, parametrize_with_checks

from tests.estimators import DETERMINISTIC, ESTIMATORS

SAMPLE_WEIGHT_CHECKS = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
REASON = "a stochastic solver takes a step per row, so repeating a row is not the same as weighting its one step"


def expected_failures(estimator):
    if type(estimator).__name__ in DETERMINISTIC:
        return {}
    return dict.fromkeys(SAMPLE_WEIGHT_CHECKS, REASON)


# as scikit-learn does for its own iterative solvers: weights compare to 1e-7 only where the solver's gap is smaller
PRECISE = {"ROCSVM": {"tol": 1e-8}}
DEFAULTS = [cls(**PRECISE.get(name, {})) for name, cls in ESTIMATORS.items()]
VARIANTS = [
    ESTIMATORS["BAM"](loss="smooth_hinge"),
    ESTIMATORS["CBR"](covariance="diag", buffer="reservoir"),
    ESTIMATORS["OAM"](variant="gra"),
    ESTIMATORS["OPAUC"](rank=5),
    ESTIMATORS["SOLAM"](ball="l1"),
    ESTIMATORS["SPAM"](l1=1e-4),
]


@parametrize_with_checks([*DEFAULTS, *VARIANTS], expected_failed_checks=expected_failures)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_data_frame_column_names(name):
    check_dataframe_column_names_consistency(name, ESTIMATORS[name]())
