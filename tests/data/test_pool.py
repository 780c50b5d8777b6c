import numpy as np
import pytest
import scipy.sparse as sp

from aucmax.data.pool import Pool


@pytest.mark.parametrize("usual", [1, 10_000])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, sp.csr_array])
def test_a_pool_is_its_parts_stacked(kind, usual):
    rng = np.random.default_rng(0)
    pool = Pool(usual)
    for _ in range(3):
        parts = [rng.integers(0, 3, (n, 4)).astype(float) for n in (3, 1, 7)]
        pool.empty()
        for part in parts:
            pool.add(kind(part), part[:, 0])
        X, at = pool.matrix, rng.permutation(11)
        taken = pool.taken(X, at)
        assert type(taken) is type(kind(parts[0]))
        np.testing.assert_array_equal(taken.toarray() if sp.issparse(taken) else taken, np.vstack(parts)[at])
        np.testing.assert_array_equal(np.concatenate(pool.labels), np.vstack(parts)[:, 0])
        pool.entries.array[:] = -1.0  # what was taken is a copy
        assert (taken >= 0).min() if not sp.issparse(taken) else taken.min() >= 0


def test_later_parts_may_be_of_a_wider_type():
    pool = Pool(100)
    pool.add(np.ones((2, 2), dtype=np.float32), None)
    pool.add(np.full((1, 2), 1e300), None)
    assert pool.matrix.tolist() == [[1.0, 1.0], [1.0, 1.0], [1e300, 1e300]]
