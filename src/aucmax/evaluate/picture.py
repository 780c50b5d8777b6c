"""What all pictures share: axes, ink, labels, bands from resamples. matplotlib is imported when one is made."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np

from aucmax.evaluate import check
from aucmax.evaluate.curves import Steps
from aucmax.evaluate.resampling import Resampler

# each darker or lighter than the last and drawn otherwise, so that they differ in grey too
STYLES = (("#16324f", "-"), ("#c4512d", "--"), ("#5b8e7d", "-."), ("#e0a458", (0, (1, 1))))
FAINT = "#8a8a8a"
GRID = 201


class Band(NamedTuple):
    """Limits of a curve at places along it."""

    x: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Display:
    """A picture in the manner of scikit-learn's displays: it keeps what it shows and draws it with ``plot``.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        Around the axes.
    """

    ax_: Any
    figure_: Any

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, name: str | None = None, **options: Any
    ) -> Self:
        """Score rows with a fitted estimator, and draw.

        Parameters
        ----------
        estimator
            With ``decision_function`` or ``predict_proba``.
        X, y, sample_weight
            Rows, labels and weights.
        name : str, optional
            The label; the class of the estimator by default.
        **options
            As for ``from_predictions``.

        Returns
        -------
        display
            What was drawn.
        """
        scores = scores_of(estimator, X, probabilities=getattr(cls, "_probabilities", False))
        given = type(estimator).__name__ if name is None else name
        made: Self = cls.from_predictions(y, scores, sample_weight, name=given, **options)  # type: ignore[attr-defined]
        return made

    def _on(self, ax: Any, size: tuple[float, float] = (4.6, 4.4)) -> Any:
        """Axes to draw on, new ones unless given."""
        if ax is None:
            ax = pyplot().subplots(figsize=size, layout="constrained")[1]
            bare(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return ax


def pyplot() -> Any:
    """matplotlib.pyplot, or one line that says what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install 'aucmax[plot]'.") from error
    return plt


def bare(ax: Any) -> None:
    """Take away what shows no data."""
    ax.spines[["top", "right"]].set_visible(False)


def style(ax: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The next colour and line style of the axes, with the caller's wishes on top."""
    count = sum(line.get_gid() == "aucmax" for line in ax.get_lines())
    colour, dashes = STYLES[count % len(STYLES)]
    return {"color": colour, "linestyle": dashes, "linewidth": 1.6, "gid": "aucmax", **options}


def unit_square(ax: Any, x: str, y: str) -> None:
    """Axes from 0 to 1, both alike."""
    ax.set(xlabel=x, ylabel=y, xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")


def label(ax: Any, place: str) -> None:
    """Name the lines in a corner that they leave free."""
    ax.legend(loc=place, frameon=False, handlelength=2.2, borderaxespad=0.8, fontsize="small")


def scores_of(estimator: Any, X: Any, *, probabilities: bool = False) -> np.ndarray:
    """The scores of a fitted estimator for two classes; its probabilities where they are asked for."""
    if hasattr(estimator, "decision_function") and not probabilities:
        scores = np.asarray(estimator.decision_function(X))
    elif hasattr(estimator, "predict_proba"):
        scores = np.asarray(estimator.predict_proba(X))[:, 1:]
    else:
        wanted = "predict_proba" if probabilities else "decision_function or predict_proba"
        raise ValueError(f"{type(estimator).__name__} has no {wanted}; use from_predictions with its scores.")
    return check.column("scores", scores)


def band(
    ranked: check.Ranking,
    curve: Callable[[Steps], tuple[np.ndarray, np.ndarray]],
    *,
    level: float,
    n_resamples: int,
    random_state: int | None,
) -> Band:
    """Pointwise limits of a curve, by the bootstrap within classes."""
    resampler, grid = Resampler(ranked, None), np.linspace(0.0, 1.0, GRID)
    seeds = np.random.default_rng(random_state).integers(2**64, size=n_resamples, dtype=np.uint64).tolist()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        heights = np.array(list(pool.map(lambda seed: np.interp(grid, *curve(resampler.steps(seed))), seeds)))
    low, high = np.quantile(heights, [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=0)
    return Band(grid, low, high)


def shade(ax: Any, limits: Band | None, colour: Any) -> None:
    """Draw a band, if there is one."""
    if limits is not None:
        ax.fill_between(limits.x, limits.low, limits.high, color=colour, alpha=0.16, linewidth=0)
