"""The Gaussian kernel in front of the linear model, on columns of unit size."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aucmax.classifier.scaling import Columns, scaled
from aucmax.classifier.tails import tamed
from aucmax.features.nystroem import KMeansNystroem
from aucmax.model.base import checked_data


class Embedding(NamedTuple):
    """The sizes of the columns, and the map of rows of such columns."""

    sizes: np.ndarray
    nystroem: KMeansNystroem

    @classmethod
    def of(cls, X: Any, weight: np.ndarray, n_components: int, seed: int) -> Embedding:
        """The embedding of some rows. A gross value lies far from all landmarks, but must not widen the kernel."""
        ones = np.ones(X.shape[0], dtype=np.int8)
        X = tamed(X, Columns.of(checked_data(X, ones, weight)))
        sizes = Columns.of(checked_data(X, ones, weight)).usual()
        nystroem = KMeansNystroem(n_components, random_state=seed)
        return cls(sizes, nystroem.fit(scaled(X, sizes)))

    def transform(self, X: Any) -> np.ndarray:
        """The features of some rows."""
        return np.asarray(self.nystroem.transform(scaled(X, self.sizes)))
