"""Pictures of scores: how they are distributed in each class, and whether probabilities are what they say."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import ndtri

from aucmax.evaluate import check
from aucmax.evaluate.picture import FAINT, STYLES, Display, label, style, unit_square


class Calibration(NamedTuple):
    """Groups of rows with about the same probability: its mean, the share of positives with limits, the weight."""

    predicted: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    weight: np.ndarray


def calibration_curve(
    y: Any, probabilities: Any, sample_weight: Any = None, *, bins: int = 10, level: float = 0.95
) -> Calibration:
    """The share of positives among rows of about the same probability, with Wilson's intervals.

    Parameters
    ----------
    y, sample_weight
        As for :func:`roc_auc`.
    probabilities : array-like of shape (n,)
        Of the positive class, from 0 to 1.
    bins : int
        Groups of about equal weight, at least 1; equal probabilities stay together, so that there may be fewer.
    level : float
        Of the intervals.

    Returns
    -------
    Calibration
        ``predicted``, ``observed``, ``low``, ``high``, ``weight``, a value for each group.

    Examples
    --------
    >>> from aucmax.evaluate import calibration_curve
    >>> calibration_curve([0, 1, 0, 1], [0.2, 0.2, 0.7, 0.9], bins=2).observed.tolist()
    [0.5, 0.5]
    """
    check.number("level", level, 0.0, 1.0)
    bins = int(check.number("bins", bins, 1, 2**31, closed=True))
    rows = check.two_sided(y, probabilities, sample_weight)
    p = rows.scores.astype(np.float64, copy=False)
    if p.min() < 0.0 or p.max() > 1.0:
        raise ValueError(f"probabilities go from {p.min():g} to {p.max():g}, expected 0 to 1; give predict_proba's.")
    weight = np.ones(len(p)) if rows.weight is None else rows.weight
    order = np.argsort(p, kind="stable")
    middle = np.cumsum(weight[order]) - 0.5 * weight[order]
    place = np.minimum((bins * middle / weight.sum()).astype(int), bins - 1)
    # equal probabilities go where the first of them goes
    first = np.maximum.accumulate(np.where(np.append(True, np.diff(p[order]) > 0.0), np.arange(len(p)), 0))
    _, codes = np.unique(place[first], return_inverse=True)
    return _groups(codes, p[order], rows.positive[order], weight[order], float(ndtri(0.5 + 0.5 * level)))


def _groups(codes: np.ndarray, p: np.ndarray, positive: np.ndarray, weight: np.ndarray, z: float) -> Calibration:
    total = np.bincount(codes, weights=weight)
    predicted = np.bincount(codes, weights=weight * p) / total
    observed = np.bincount(codes, weights=weight * positive) / total
    n = total**2 / np.bincount(codes, weights=weight**2)
    centre = (observed + z * z / (2.0 * n)) / (1.0 + z * z / n)
    half = z * np.sqrt(observed * (1.0 - observed) / n + z * z / (4.0 * n * n)) / (1.0 + z * z / n)
    low, high = np.minimum(centre - half, observed), np.maximum(centre + half, observed)  # rounding aside
    return Calibration(predicted, observed, np.maximum(low, 0.0), np.minimum(high, 1.0), total)


class CalibrationDisplay(Display):
    """The share of positives against the probability that was predicted, with intervals.

    Parameters
    ----------
    curve : Calibration
        What to show.
    name : str, optional
        The label.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    ax_, figure_
        Where it was drawn.
    """

    _probabilities = True

    def __init__(self, *, curve: Calibration, name: str | None = None) -> None:
        self.curve, self.name = curve, name

    def plot(self, ax: Any = None, *, name: str | None = None, plot_chance: bool = True, **line: Any) -> Self:
        """Draw; ``plot_chance`` draws the diagonal that perfect probabilities follow."""
        ax = self._on(ax)
        if plot_chance and not ax.get_lines():
            ax.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8)
            words = {"color": FAINT, "fontsize": "small", "rotation": 45, "rotation_mode": "anchor"}
            ax.text(0.8, 0.77, "as predicted", va="top", **words)
        c, given = self.curve, self.name if name is None else name
        wish = style(ax, {"marker": "o", "markersize": 4, **line})
        (self.line_,) = ax.plot(c.predicted, c.observed, label=given, **wish)
        ax.vlines(c.predicted, c.low, c.high, color=self.line_.get_color(), linewidth=1.0)
        unit_square(ax, "Predicted probability", "Share of positives")
        if given:
            label(ax, "upper left")
        return self

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        probabilities: Any,
        sample_weight: Any = None,
        *,
        bins: int = 10,
        level: float = 0.95,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> Self:
        """Draw the calibration of probabilities; the parameters are those of :func:`calibration_curve` and ``plot``."""
        curve = calibration_curve(y, probabilities, sample_weight, bins=bins, level=level)
        return cls(curve=curve, name=name).plot(ax, **line)


class ScoresDisplay(Display):
    """The distribution of the scores in either class, each class of area one.

    Parameters
    ----------
    edges : ndarray of shape (bins + 1,)
        Of the bins.
    pos, neg : ndarray of shape (bins,)
        The densities of the positives and of the negatives.
    name : str, optional
        The title.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    """

    def __init__(self, *, edges: np.ndarray, pos: np.ndarray, neg: np.ndarray, name: str | None = None) -> None:
        self.edges, self.pos, self.neg, self.name = edges, pos, neg, name

    def plot(self, ax: Any = None, *, name: str | None = None, threshold: float | None = None) -> Self:
        """Draw; ``threshold`` marks a score."""
        ax = self._on(ax, (5.2, 3.4))
        top = 1.25 * max(self.pos.max(), self.neg.max())
        middles = 0.5 * (self.edges[:-1] + self.edges[1:])
        right_first = middles @ self.pos < middles @ self.neg  # each name on the side where the other class is not
        for density, words, (colour, dashes), right in (
            (self.neg, "negatives", STYLES[1], right_first),
            (self.pos, "positives", STYLES[0], not right_first),
        ):
            if words == "positives":
                ax.stairs(density, self.edges, fill=True, color=colour, alpha=0.22, linewidth=0)
            ax.stairs(density, self.edges, color=colour, linestyle=dashes, linewidth=1.5)
            cut = middles @ density / density.sum() if right else np.inf
            peak = int(np.argmax(density * ((middles >= cut) if right else 1.0)))
            side = {"ha": "left" if right else "right", "va": "bottom", "color": colour, "textcoords": "offset points"}
            ax.annotate(words, (middles[peak], density[peak]), (4 if right else -4, 3), **side)
        if threshold is not None:
            ax.axvline(threshold, color=FAINT, linewidth=0.8)
            ax.text(threshold, top, " threshold", color=FAINT, va="top", fontsize="small")
        ax.set(xlabel="Score", yticks=[], ylim=(0, top), xlim=(self.edges[0], self.edges[-1]))
        ax.spines["left"].set_visible(False)
        given = self.name if name is None else name
        if given:
            ax.set_title(given, loc="left", fontsize="medium")
        return self

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        scores: Any,
        sample_weight: Any = None,
        *,
        bins: int = 40,
        name: str | None = None,
        threshold: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the scores of both classes.

        Parameters
        ----------
        y, scores, sample_weight
            As for :func:`roc_auc`; infinite scores are put in the outermost bins.
        bins : int
            Bins of equal width.
        name : str, optional
            The title.
        threshold : float, optional
            A score to mark.
        ax : matplotlib Axes, optional
            New ones by default.

        Returns
        -------
        display
            What was drawn.
        """
        rows = check.two_sided(y, scores, sample_weight)
        values = rows.scores.astype(np.float64, copy=False)
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        bins = int(check.number("bins", bins, 1, 2**20, closed=True))
        edges = np.histogram_bin_edges(np.array([low, high]), bins)
        values = np.clip(values, edges[0], edges[-1])
        pos, neg = (
            np.histogram(values[own], edges, weights=None if rows.weight is None else rows.weight[own], density=True)[0]
            for own in (rows.positive, ~rows.positive)
        )
        return cls(edges=edges, pos=pos, neg=neg, name=name).plot(ax, threshold=threshold)
