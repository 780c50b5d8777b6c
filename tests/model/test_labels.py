"""Labels as two classes and as signs, and the ends of the ranges of parameters."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from aucmax.model.labels import signs, two_classes, two_numbers
from aucmax.model.params import Number
from tests.estimators import ESTIMATORS


def test_the_larger_label_is_positive():
    assert_array_equal(signs(np.array([7, 3, 7]), np.array([3, 7])), [1, -1, 1])
    assert_array_equal(signs(np.array(["no", "yes"]), np.array(["no", "yes"])), [-1, 1])
    assert_array_equal(two_classes(np.array([0.5, -2.0, 0.5])), [-2.0, 0.5])
    assert_array_equal(two_classes(np.array(["b", "a"], dtype=object)), ["a", "b"])


def test_a_single_label_of_no_class_is_named():
    with pytest.raises(ValueError, match=r"the label 5, but the classes are \[3, 7\]"):
        signs(np.array([3, 7, 5, 3]), np.array([3, 7]))


@pytest.mark.parametrize("labels", [[1, 2, 3], [1.0, 1.5, 2.0], ["a", "b", "c"]])
def test_three_labels_are_too_many(labels):
    assert two_numbers(np.array(labels)) is None
    with pytest.raises(ValueError, match="y holds 3 classes"):
        two_classes(np.array(labels))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_ends_of_ranges(name):
    """The last number that is allowed, and the first that is not."""
    for key, allowed in ESTIMATORS[name]._ranges.items():
        if not isinstance(allowed, Number):
            continue
        for end, is_open, outwards in ((allowed.low, allowed.open_low, -1), (allowed.high, allowed.open_high, 1)):
            if not np.isfinite(end):
                continue
            end = int(end) if allowed.integer else end
            beyond = end + outwards if allowed.integer else np.nextafter(end, outwards * np.inf)
            assert allowed.holds(end) == (not is_open), key
            assert not allowed.holds(beyond), key
            assert allowed.holds(end - outwards if allowed.integer else np.nextafter(end, -outwards * np.inf)), key
