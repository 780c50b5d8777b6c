"""Buffers of rows: their places, and the room of their slots."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from aucmax.kernel.buffer import Passed, empty, places, roomier
from aucmax.model.data import as_rows


@pytest.mark.parametrize("longest", [1, 3, 8])
def test_a_slot_has_room_for_the_longest_row(longest):
    X = np.zeros((5, 10))
    X[3, :longest] = 1.0
    X[1, 0] = 2.0
    for rows in (as_rows(X), as_rows(sp.csr_matrix(X))):
        buffer = roomier(empty(10, 2, dense=False), rows)
        assert buffer.rows.data.shape == buffer.rows.indices.shape == (4, longest)
        assert roomier(buffer, as_rows(sp.csr_matrix(X[:2]))) is buffer


def test_the_last_rows_of_each_class_are_kept_first_in_first_out():
    y = np.array([1, 1, -1, 1, -1, 1])
    rng = np.random.default_rng(0)
    assert_array_equal(places("fifo", y, Passed(0.0, 0.0), 2, rng)[:, 0], [0, 1, 2, 0, 3, 1])
    assert_array_equal(places("fifo", y, Passed(1.0, 3.0), 2, rng)[:, 0], [1, 0, 3, 1, 2, 0])


def test_a_reservoir_keeps_every_row_with_the_same_probability():
    size, n, draws = 3, 9, 4000
    rng, kept = np.random.default_rng(0), np.zeros(n)
    for _ in range(draws):
        slots = np.full(size, -1)
        for row, slot in enumerate(places("reservoir", np.ones(n), Passed(0.0, 0.0), size, rng)[:, 0]):
            if slot >= 0:
                slots[int(slot)] = row
        kept[slots] += 1
    assert np.abs(kept / draws - size / n).max() < 0.03
