"""Where arrays lie in memory changes no bit of a result."""

import numpy as np
from sklearn.datasets import make_classification

import aucmax.model.newton as newton
from aucmax import AUCClassifier


def placed(arrays, block, rng):
    """Copies of arrays in one block, in any order, with small gaps between them."""
    found, at = [None] * len(arrays), int(rng.integers(64))
    for k in rng.permutation(len(arrays)):
        at += int(rng.integers(10))
        found[k] = block[at : at + arrays[k].size].reshape(arrays[k].shape)
        found[k][...] = arrays[k]
        at += arrays[k].size
    return found


def test_directions_do_not_depend_on_where_their_room_lies(monkeypatch):
    rng, descend, replays = np.random.default_rng(0), newton.descend, []

    def replayed(system, by, rough, most, room):
        told = descend(system, by, rough, most, room)
        for _ in range(4):
            *other, l2, g = placed([*room, system.l2, system.g], np.zeros(20_000), rng)
            again = descend(system._replace(l2=l2, g=g), by, rough, most, type(room)(*other))
            replays.append(told == again and all(np.array_equal(a, b) for a, b in zip(room, other, strict=True)))
        return told

    monkeypatch.setattr(newton, "descend", replayed)
    X, y = make_classification(random_state=0, n_samples=900, n_features=12, n_informative=6, flip_y=0.1)
    for loss in ("logistic", "squared_hinge"):
        AUCClassifier(loss, 1e-4).fit(X, y)
    AUCClassifier().fit(X, y)
    assert len(replays) > 100
    assert all(replays)
