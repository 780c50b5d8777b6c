"""The state of compressed rows, against a literal look at every row."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax.kernel.structure import BROKEN, OUTSIDE, SORTED, UNSORTED, structure


def literal(indices, indptr, columns):
    """The definition, row by row."""
    ends = indptr.tolist()
    if ends[0] != 0 or any(b < a for a, b in itertools.pairwise(ends)) or ends[-1] > len(indices):
        return BROKEN
    rows = [indices[a:b].tolist() for a, b in itertools.pairwise(ends)]
    if any(not 0 <= j < columns for row in rows for j in row):
        return OUTSIDE
    return SORTED if all(b > a for row in rows for a, b in itertools.pairwise(row)) else UNSORTED


@settings(deadline=None)  # the first example compiles
@given(
    st.lists(st.integers(-1, 4), max_size=12),
    st.lists(st.integers(0, 4), min_size=1, max_size=6),
    st.integers(1, 4),
    st.sampled_from([np.int32, np.int64]),
    st.booleans(),
)
def test_equals_the_literal_look(columns_of, lengths, columns, dtype, broken):
    indptr = np.append(0, np.cumsum(lengths)).astype(dtype)
    if not broken:
        columns_of = (columns_of * 20)[: indptr[-1]] if columns_of else [0] * int(indptr[-1])
    indices = np.array(columns_of, dtype=dtype)
    assert structure(indices, indptr, columns) == literal(indices, indptr, columns)


@pytest.mark.parametrize("ends", [[0, 3, 2, 4], [1, 2, 3, 4], [0, 1, 2, 5], [-1, 0, 0, 4]])
def test_ends_that_do_not_rise_from_zero_to_what_is_there(ends):
    assert structure(np.arange(4, dtype=np.int32), np.array(ends, dtype=np.int32), 4) == BROKEN
