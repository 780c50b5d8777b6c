"""The tuples of a state say what their whole numbers index, and a state that breaks a bound is found out."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

from aucmax.kernel.bounds import COLUMNS, FREE, bounded, count, fault_of, index, tuples_in, undeclared
from aucmax.kernel.net import Clock, Net
from aucmax.kernel.prox import Listed
from aucmax.kernel.rows import Slots
from aucmax.kernel.weights import Support
from aucmax.model.stepped import SteppedEstimator
from tests.estimators import ESTIMATORS, ONLINE, quick

VARIANTS = [{}, {"l1": 0.01}, {"rank": 5}, {"covariance": "diag"}, {"ball": "l1"}, {"buffer": "reservoir"}]


def states(problem):
    """The states of all streams, and of all fits that step, of dense and of sparse rows, by the estimator's name."""
    X, y = problem
    for name, cls in ESTIMATORS.items():
        for rows in (X, sp.csr_matrix(X)):
            for parameters in VARIANTS:
                if parameters.keys() <= cls().get_params().keys():
                    model = quick(name, **parameters)
                    if name in ONLINE:
                        yield name, model.partial_fit(rows, y)._stream, X.shape[1]
                    if isinstance(model, SteppedEstimator):
                        yield name, reached(model, rows, y), X.shape[1]


def reached(model, X, y):
    """The state that a checkpoint of a fit would hold after its last block."""
    kept = []

    class Keeper:
        trace = None

        def resumed(self, begun, d):
            return begun

        def offer(self, state, trace):
            kept.append(state)

    model._keeper = Keeper()
    model.fit(X, y)
    return kept[-1]


def test_every_state_declares_its_whole_numbers_and_is_within_its_bounds(problem):
    met = set()
    for name, state, d in states(problem):
        assert undeclared(state) == [], name
        assert fault_of(state, d) == "", name
        met |= {type(part) for part in tuples_in(state)}
    assert {Slots, Listed, Support, Net, Clock} <= met  # all that index anything are among them


class Bare(NamedTuple):
    """A tuple that forgets to say what its numbers index."""

    places: np.ndarray
    at: int
    weights: np.ndarray
    many: bool


@bounded(places=index(COLUMNS, low=-1), at=count("Declared.places"), number=FREE)
class Declared(NamedTuple):
    """The same with declarations."""

    places: np.ndarray
    at: int
    weights: np.ndarray
    number: int


def declared(places=(0, 4, -1), at=3, weight=1.0, number=99):
    return Declared(np.array(places), at, np.array([weight]), number)


def test_a_tuple_without_declarations_is_found():
    state = (Bare(np.zeros(3, dtype=np.int64), 0, np.zeros(3), True), declared())
    assert undeclared(state) == ["Bare.places", "Bare.at"]
    with pytest.raises(TypeError, match=r"Bare has no fields \['place'\]"):
        bounded(place=FREE)(Bare)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (declared(), ""),
        (declared(places=(0, 5)), "places beyond its bounds"),
        (declared(places=(0, -2)), "places beyond its bounds"),
        (declared(at=4), "at beyond its bounds"),
        (declared(at=-1), "at beyond its bounds"),
        (declared(weight=np.inf), ""),
        (declared(weight=np.nan), "weights that is not a number"),
        ((1.0, (declared(at=4),)), "at beyond its bounds"),
    ],
)
def test_a_state_beyond_its_bounds_is_found(state, words):
    assert fault_of(state, 5) == words


def test_slots_listed_and_calendar_hang_together():
    slots = Slots(np.zeros((2, 3)), np.zeros((2, 3), np.int32), np.array([3, 0]))
    assert fault_of(slots, 1) == ""
    assert fault_of(slots._replace(length=np.array([4, 0])), 1) == "length beyond its bounds"
    assert fault_of(slots._replace(indices=np.zeros((2, 2), np.int32)), 1) == "a buffer of two widths"
    short = slots._replace(data=np.zeros((2, 1)), indices=np.zeros((2, 1), np.int32))
    assert fault_of((slots, short), 1) == "length beyond its bounds"  # each by its own width
    names, listed = np.array([2, 0, 0]), np.array([True, False, True])
    lists = (Listed(np.zeros((3, 2)), names, listed), Support(1.0, 2))
    assert fault_of(lists, 3) == ""
    assert fault_of((lists[0], Support(1.0, 3)), 3) == "a list of another length"
    assert fault_of((lists[0]._replace(names=np.array([2, 2, 0])), lists[1]), 3) == "a list of another length"
    heads, entries = np.array([1, -1]), np.array([[0, -1], [2, 0], [1, -1]])
    clock = Clock(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0, 2)
    calendar = Net(np.zeros((3, 4)), heads, entries)
    assert fault_of((calendar, clock), 3) == ""
    assert fault_of((calendar, clock._replace(page=3)), 3) == "page beyond its bounds"
    assert fault_of((calendar, clock._replace(size=1)), 3) == "a calendar without an end"
    circle = entries.copy()
    circle[0, 1] = 1
    assert fault_of((calendar._replace(entries=circle), clock), 3) == "a calendar without an end"
    lost = np.array([[0, 9], [2, 0], [1, -1]])  # the next entry of the first is none
    assert fault_of((calendar._replace(entries=lost), clock), 3) == "entries beyond its bounds"
    stray = np.array([[3, -1], [2, 0], [1, -1]])
    assert fault_of((calendar._replace(entries=stray), clock), 3) == "entries beyond its bounds"
