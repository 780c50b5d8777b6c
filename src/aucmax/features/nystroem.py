"""The k-means Nyström embedding (PSAM paper, section IV, nonlinear methods; K. Zhang and others, ICML 2008).

    φ(x) = k(x, C)·K_CC^{-1/2},   k(x, c) = exp(-γ|x - c|²),   C the centres of k-means

Departures: k-means runs on a sample, of 10 rows for each landmark by default, from a start at random, and stops after
5 iterations by default, before its centres have settled; the paper says nothing of how it is run. There are 500
landmarks by default, where the paper has 1,600 or 400. The paper's bandwidth is a mean squared distance b and its
kernel is not written: here γ = 1/b. Features are float32 by default. Directions of K_CC that rounding drowns are left
out of the inverse root (a pseudo-inverse), so that equal or nearly equal landmarks do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from aucmax.features.gaussian import Centres, kernel_blocks
from aucmax.features.landmarks import landmarks, spread
from aucmax.model.inputs import checked_matrix
from aucmax.model.params import COUNT, Choice, Number, Range, check_parameters

BANDWIDTH_ROWS = 80_000  # the paper takes the bandwidth from so many rows
# Eigenvalues of K_CC, relative to the largest, that count: below, the rounding of k(x, C) outweighs what they carry.
FLOORS = {"float32": 1e-8, "float64": 1e-12}


@dataclass(eq=False, repr=False)
class KMeansNystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Features whose inner products approximate a Gaussian kernel: a Nyström map on k-means centres.

    .. math:: \varphi(x) = k(x, C)\,K_{CC}^{-1/2}, \qquad k(x, c) = \exp(-\gamma|x - c|^2)

    with C the landmarks, so that φ(x)·φ(z) ≈ k(x, z), exactly so between landmarks. A linear model on these features
    is a kernel model at the price of a linear one.

    Parameters
    ----------
    n_components : int, default=500
        Landmarks, at least 1, and columns of the result. The paper takes 1,600. Time and memory of ``transform`` per
        row grow with their square and with their number; ``fit`` decomposes a matrix of this size once.
    gamma : float or "auto", default="auto"
        γ, above 0. "auto" is ``1/b`` with b the mean squared distance of the first 80,000 rows to their mean; 1 where
        these rows are all equal.
    dtype : {"float32", "float64"}, default="float32"
        Of the features and of the arithmetic of ``transform``. The landmarks and the root are found in float64.
    sample_size : int or None, default=None
        Rows, drawn at random, on which k-means runs, at least ``n_components``; None takes 10 per landmark.
    kmeans_iter : int, default=5
        Iterations of k-means at most, at least 1; fewer when no row changes its centre.
    random_state : int, RandomState instance or None, default=None
        Seeds the sample and the start of k-means.

    Attributes
    ----------
    components_ : ndarray of shape ``(n_components_, d)``
        The landmarks.
    normalization_ : ndarray of shape ``(n_components_, n_components_)``
        The symmetric inverse root of their kernel matrix, over the directions kept.
    gamma_ : float
        γ.
    n_components_ : int
        Landmarks and columns: ``n_components``, or the number of distinct rows where that is less.
    rank_ : int
        Directions kept: eigenvalues of the kernel matrix above 1e-8 (float32) or 1e-12 (float64) times the largest.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With no more distinct rows than ``n_components``, these rows are the landmarks, and the kernel is exact on them;
    with fewer, a warning says so, as scikit-learn's ``Nystroem`` warns. The number of columns never depends on
    ``rank_``.

    ``transform`` goes through the rows in blocks of about two megabytes of kernel values and holds nothing else of the
    size of its result. ``fit`` holds the sample twice, once in float32. Sparse rows (CSR) are used as they are; the
    landmarks are dense.

    References
    ----------
    K. Zhang, I. W. Tsang, J. T. Kwok, "Improved Nyström low-rank approximation and error analysis", ICML 2008.

    M. Khalid, H. Chitsaz, I. Ray, "Proximal stochastic AUC maximization", IEEE 2020, section IV.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from sklearn.pipeline import make_pipeline
    >>> from aucmax import ExactAUC, KMeansNystroem
    >>> X, y = make_circles(500, noise=0.1, factor=0.5, random_state=0)
    >>> model = make_pipeline(KMeansNystroem(50, random_state=0), ExactAUC())
    >>> bool(ExactAUC().fit(X, y).score(X, y) < 0.6 and model.fit(X, y).score(X, y) > 0.99)
    True
    """

    _ranges: ClassVar[dict[str, Range]] = {
        "n_components": COUNT,
        "gamma": Number(0.0, open_low=True, word="auto"),
        "dtype": Choice(tuple(FLOORS)),
        "sample_size": Number(1, integer=True, optional=True),
        "kmeans_iter": COUNT,
    }

    n_components: int = 500
    gamma: float | str = "auto"
    dtype: str = field(default="float32", kw_only=True)
    sample_size: int | None = field(default=None, kw_only=True)
    kmeans_iter: int = field(default=5, kw_only=True)
    random_state: Any = field(default=None, kw_only=True)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the landmarks and the root of their kernel.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.
        y : None
            Not used.

        Returns
        -------
        self
            The fitted transformer.
        """
        check_parameters(self, self._ranges)
        if self.sample_size is not None and self.sample_size < self.n_components:
            raise ValueError(
                f"KMeansNystroem(sample_size={self.sample_size}): expected at least n_components={self.n_components}, "
                "a row per landmark; raise it, or set it to None."
            )
        X = checked_matrix(self, X, reset=True)
        b = spread(X, min(X.shape[0], BANDWIDTH_ROWS))  # for a given γ too: it refuses numbers whose squares overflow
        automatic = 1.0 / b if b > np.finfo(float).tiny else 1.0
        gamma = automatic if isinstance(self.gamma, str) else float(self.gamma)
        rng = check_random_state(self.random_state)
        C = landmarks(X, int(self.n_components), self.sample_size, int(self.kmeans_iter), rng)
        root, rank = inverse_root(C, gamma, FLOORS[self.dtype])
        self.components_, self.gamma_, self.rank_ = C, gamma, rank
        self.normalization_ = root.astype(self.dtype)
        self.n_components_ = len(C)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The features of the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape ``(n, n_components_)``
            The features, in ``dtype``.
        """
        check_is_fitted(self)
        X = checked_matrix(self, X, reset=False)
        root = self.normalization_
        centres = Centres.of(self.components_, self.gamma_, root.dtype, shifted=isinstance(X, np.ndarray))
        features = np.empty((X.shape[0], self.n_components_), dtype=root.dtype)
        for where, kernel in kernel_blocks(X, centres, root.dtype):
            np.matmul(kernel, root, out=features[where])
        return features

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = [self.dtype]
        return tags


def inverse_root(C: np.ndarray, gamma: float, floor: float) -> tuple[np.ndarray, int]:
    """The symmetric root of the pseudo-inverse of the landmarks' kernel matrix, and its rank."""
    K = np.empty((len(C), len(C)))
    for where, kernel in kernel_blocks(C, Centres.of(C, gamma, np.float64, shifted=True), np.float64):
        K[where] = kernel
    K += K.T
    K *= 0.5
    values, vectors = np.linalg.eigh(K)
    kept = values > floor * values[-1]
    half = vectors[:, kept] * values[kept] ** -0.25
    return half @ half.T, int(np.count_nonzero(kept))
