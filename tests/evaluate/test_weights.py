"""Weights over the whole range of float64: right and finite results, or an error that says what to do."""

import inspect

import numpy as np
import pytest

from aucmax import evaluate

RNG = np.random.default_rng(0)
Y = np.arange(120) % 3 == 0
SCORES = RNG.normal(size=120) + Y
BASE = RNG.uniform(0.5, 2.0, size=120)
FURTHER = {
    "bootstrap_ci": {"random_state": 0, "n_resamples": 50},
    "calibration_curve": {},
    "confusion_at": {"threshold": 0.3},
    "f_beta": {},
    "operating_point": {"criterion": "youden"},
    "partial_auc": {"max_fpr": 0.3},
}
WEIGHTED = [
    name
    for name in evaluate.__all__
    if inspect.isfunction(getattr(evaluate, name))
    and "sample_weight" in inspect.signature(getattr(evaluate, name)).parameters
]
SPREADS = ["delong_ci", "compare", "delong_test", "delong_covariance"]
OF_RATIOS = ["roc_auc", "gini", "delong_ci", "ovr_auc", "hand_till_auc", "partial_auc", "group_auc"]


def called(name, weight):
    function, y = getattr(evaluate, name), Y.astype(int)
    further = FURTHER.get(name, {})
    if name in ("ovr_auc", "hand_till_auc"):
        return function(y, np.column_stack([-SCORES, SCORES]), weight)
    if name == "group_auc":
        return function(y, SCORES, np.arange(120) % 5, weight)
    if name == "compare":
        return function(y, {"a": SCORES, "b": -(SCORES**2)}, sample_weight=weight)
    if name == "delong_test":
        return function(y, SCORES, -(SCORES**2), sample_weight=weight)
    if name == "delong_covariance":
        return function(y, np.column_stack([SCORES, -(SCORES**2)]), sample_weight=weight)
    if name == "calibration_curve":
        return function(y, 1.0 / (1.0 + np.exp(-SCORES)), sample_weight=weight)
    return function(y, SCORES, sample_weight=weight, **further)


def numbers(found):
    """All numbers in a result."""
    if isinstance(found, tuple | list):
        return [x for part in found for x in numbers(part)]
    if isinstance(found, dict):
        return numbers(list(found.values()))
    if isinstance(found, np.ndarray):
        return found.ravel().tolist() if found.dtype.kind in "biuf" else []
    if isinstance(found, bool | int | float | np.number):
        return [float(found)]
    return numbers(list(vars(found).values())) if hasattr(found, "__dict__") else []


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-100, 1e100, 1e200, 1e307])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_that_float64_cannot_multiply_are_refused(name, scale):
    with pytest.raises(ValueError, match=r"sample_weight sums to .* expected 1e-75 to 1e\+75|goes from"):
        called(name, BASE * scale)


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_single_weight_near_zero_counts_as_none(name):
    """Rows of weight 1e-300 do not move an AUC; they may add a point to a curve, or a row to the size of a sample."""
    tiny = np.where(np.arange(120) % 7 == 0, 1e-300, BASE)
    found, without = (numbers(called(name, weight)) for weight in (tiny, np.where(tiny < 1e-200, 0.0, tiny)))
    assert np.isnan(found).any() == np.isnan(without).any()
    if name in OF_RATIOS:
        assert found[0] == pytest.approx(without[0], rel=1e-12)


@pytest.mark.parametrize("scale", [2.0**-240, 2.0**-60, 2.0**60, 2.0**240])
@pytest.mark.parametrize("name", OF_RATIOS)
def test_the_scale_of_weights_does_not_matter(name, scale):
    expected = numbers(called(name, BASE))
    np.testing.assert_allclose(numbers(called(name, BASE * scale)), expected, rtol=1e-12)
    for side in (Y, ~Y):  # a class may weigh far less than the other
        np.testing.assert_allclose(numbers(called(name, np.where(side, BASE * scale, BASE))), expected, rtol=1e-9)


@pytest.mark.parametrize("weight", [["x"] * 120, [1.0, [2.0]] * 60, [10**400] * 120, [{}] * 120])
def test_weights_that_are_no_numbers_are_refused(weight):
    with pytest.raises(ValueError, match=r"sample_weight (holds what is no number|has entries of several lengths)"):
        evaluate.delong_ci(Y, SCORES, sample_weight=weight)


@pytest.mark.parametrize("name", [*SPREADS, "ovr_auc", "hand_till_auc"])
def test_one_row_with_all_the_weight_of_its_class_has_no_spread(name):
    for light in (1e-20, 1e-13):
        with pytest.raises(ValueError, match="gives one row nearly all the weight of its class"):
            called(name, np.where(np.arange(120) == 3, 1.0, light))
    assert np.isfinite(numbers(called("delong_ci", np.where(np.arange(120) == 3, 1.0, 1e-4)))).all()


def test_scores_of_several_lengths_are_refused():
    ragged = [[1.0], [1.0, 2.0]] * 60
    for name in ("roc_auc", "hand_till_auc", "delong_covariance"):
        with pytest.raises(ValueError, match="scores has entries of several lengths; give one number or label a row"):
            getattr(evaluate, name)(Y, ragged)


def test_masks_are_not_ignored():
    masked = np.ma.masked_array(SCORES, np.arange(120) == 4)
    for arguments in ((Y, masked), (np.ma.masked_array(Y, Y), SCORES), (Y, SCORES, np.ma.masked_array(BASE, ~Y))):
        with pytest.raises(ValueError, match=r"is a masked array with \d+ of 120 values masked"):
            evaluate.roc_auc(*arguments)
    both = np.ma.masked_array(np.column_stack([SCORES, -SCORES]), np.arange(240).reshape(120, 2) == 4)
    for name in ("delong_covariance", "hand_till_auc", "ovr_auc"):
        with pytest.raises(ValueError, match="scores is a masked array with 1 of 240 values masked"):
            getattr(evaluate, name)(Y, both)
    with pytest.raises(ValueError, match="masked"):
        evaluate.WindowedAUC(4).update(Y, masked)
    assert evaluate.roc_auc(Y, np.ma.masked_array(SCORES)) == evaluate.roc_auc(Y, SCORES)
