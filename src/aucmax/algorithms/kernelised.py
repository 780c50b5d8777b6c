"""NPSAM, NASAM, NSOLAM and NBAM: a linear algorithm on the k-means Nyström embedding (PSAM paper, table III).

Each is a function that returns a plain scikit-learn ``Pipeline`` of the steps ``nystroem`` and ``solver``: cloned,
searched, pickled and scored (by the AUC, the solver's score) as any pipeline. A subclass of ``Pipeline`` could not be
cloned with another signature than ``Pipeline(steps)``.

Departures: there are 500 landmarks by default; the paper has 1,600, and 400 for susy. All others are those of
``KMeansNystroem`` and of the solver.
"""

from __future__ import annotations

from inspect import signature
from typing import Any

from sklearn.pipeline import Pipeline

import aucmax
from aucmax.features.nystroem import KMeansNystroem


def NPSAM(n_components: int = 500, gamma: float | str = "auto", **parameters: Any) -> Pipeline:  # noqa: N802
    """PSAM on Nyström features: the pairwise hinge loss, stochastically.

    Parameters
    ----------
    n_components, gamma
        The landmarks and the Gaussian kernel's γ, as in ``KMeansNystroem``; the paper takes 1,600 and "auto".
    **parameters
        Further parameters of ``KMeansNystroem``, and those of ``PSAM``; ``random_state`` seeds both. A name that both
        have is the embedding's: set the solver's by ``set_params(solver__name=...)``.

    Returns
    -------
    Pipeline
        With the steps ``nystroem`` and ``solver``, not fitted.
    """
    return _kernelised("PSAM", n_components, gamma, parameters)


def NASAM(n_components: int = 500, gamma: float | str = "auto", **parameters: Any) -> Pipeline:  # noqa: N802
    """ASAM on Nyström features: the smooth pairwise hinge loss, stochastically; parameters as for ``NPSAM``."""
    return _kernelised("ASAM", n_components, gamma, parameters)


def NSOLAM(n_components: int = 500, gamma: float | str = "auto", **parameters: Any) -> Pipeline:  # noqa: N802
    """SOLAM on Nyström features: the pairwise square loss, stochastically; parameters as for ``NPSAM``.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from aucmax.algorithms import NSOLAM
    >>> X, y = make_circles(500, noise=0.1, factor=0.5, random_state=0)
    >>> model = NSOLAM(50, radius=100, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    >>> model.get_params()["solver__radius"]
    100
    """
    return _kernelised("SOLAM", n_components, gamma, parameters)


def NBAM(n_components: int = 500, gamma: float | str = "auto", **parameters: Any) -> Pipeline:  # noqa: N802
    """BAM on Nyström features: the squared pairwise hinge loss, by Newton's method; parameters as for ``NPSAM``."""
    return _kernelised("BAM", n_components, gamma, parameters)


def _kernelised(name: str, n_components: int, gamma: float | str, parameters: dict[str, Any]) -> Pipeline:
    solver = getattr(aucmax, name)
    shared = {"random_state"} & set(signature(solver).parameters)
    own = set(signature(KMeansNystroem).parameters)
    embedding = {key: value for key, value in parameters.items() if key in own}
    rest = {key: value for key, value in parameters.items() if key not in own or key in shared}
    steps = [("nystroem", KMeansNystroem(n_components, gamma, **embedding)), ("solver", solver(**rest))]
    return Pipeline(steps)
