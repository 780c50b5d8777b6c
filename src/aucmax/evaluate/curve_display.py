"""Pictures of curves: ROC, precision and recall, lift."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from aucmax.evaluate import check
from aucmax.evaluate.areas import mean_precision
from aucmax.evaluate.curves import Steps
from aucmax.evaluate.delong import interval, moments
from aucmax.evaluate.intervals import Interval
from aucmax.evaluate.picture import FAINT, Band, Display, band, label, shade, style, unit_square
from aucmax.kernel.ranking import steps

MOST_POINTS = 4096  # more than any screen can show


class CurveDisplay(Display):
    """A curve over all thresholds with a confidence band.

    Parameters
    ----------
    x, y : ndarray
        The curve.
    summary : Interval or float, optional
        The number that sums it up.
    share : float, optional
        The share of positives.
    band : Band, optional
        Limits of y at places along x.
    name : str, optional
        The label.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    ax_, figure_
        Where it was drawn.
    """

    _axes: ClassVar[tuple[str, str]]
    _corner: ClassVar[str] = "lower right"
    _drawstyle: ClassVar[str] = "default"

    def __init__(
        self,
        *,
        x: np.ndarray,
        y: np.ndarray,
        summary: Interval | float | None = None,
        share: float | None = None,
        band: Band | None = None,
        name: str | None = None,
    ) -> None:
        self.x, self.y, self.summary, self.share, self.band, self.name = x, y, summary, share, band, name

    def plot(self, ax: Any = None, *, name: str | None = None, plot_chance: bool = True, **line: Any) -> Self:
        """Draw; on the same axes again to compare models.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            New ones by default.
        name : str, optional
            The label.
        plot_chance : bool
            Draw the line of a ranking at random, once on the axes.
        **line
            For the curve, as matplotlib knows them.
        """
        ax = self._on(ax)
        if plot_chance and not ax.get_lines():
            self._backdrop(ax)
        given, text = self.name if name is None else name, self._text()
        words = ": ".join(part for part in (given, text) if part)
        thin = np.unique(np.linspace(0, len(self.x) - 1, MOST_POINTS).astype(int))
        wish = style(ax, {"drawstyle": self._drawstyle, **line})
        (self.line_,) = ax.plot(self.x[thin], self.y[thin], label=words or None, **wish)
        shade(ax, self.band, self.line_.get_color())
        unit_square(ax, *self._axes)
        if words:
            label(ax, self._corner)
        return self

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        scores: Any,
        sample_weight: Any = None,
        *,
        name: str | None = None,
        level: float = 0.95,
        n_resamples: int = 200,
        random_state: int | None = None,
        ax: Any = None,
        **line: Any,
    ) -> Self:
        """Draw the curve of scores.

        Parameters
        ----------
        y, scores, sample_weight
            As for :func:`roc_auc`.
        name : str, optional
            The label.
        level : float
            Of the band, pointwise, and of the interval of the AUC.
        n_resamples : int
            Of the band's bootstrap; 0 draws none.
        random_state : int, optional
            Seeds it.
        ax, **line
            As for ``plot``.
        """
        check.number("level", level, 0.0, 1.0)
        ranked = check.two_sided(y, scores, sample_weight)
        found = Steps(*steps(*ranked.sides))
        limits = None
        if n_resamples > 0:
            limits = band(ranked, cls._curve, level=level, n_resamples=n_resamples, random_state=random_state)
        across, up = cls._curve(found)
        share = float(found.pos[-1] / (found.pos[-1] + found.neg[-1]))
        summary = cls._summary(ranked, found, level)
        return cls(x=across, y=up, summary=summary, share=share, band=limits, name=name).plot(ax, **line)

    # What a curve provides ------------------------------------------------------------------------------------------

    @staticmethod
    def _curve(found: Steps) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    @staticmethod
    def _summary(ranked: check.Ranking, found: Steps, level: float) -> Interval | float | None:
        return None

    def _text(self) -> str:
        return ""

    def _backdrop(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color=FAINT, linewidth=0.8)
        ax.text(0.6, 0.57, "at random", color=FAINT, rotation=45, rotation_mode="anchor", fontsize="small", va="top")


class ROCDisplay(CurveDisplay):
    """A ROC curve with a confidence band, and the AUC with its interval.

    The parameters and attributes are those of all curves: ``x`` are false and ``y`` true positive rates, ``summary``
    the AUC.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from aucmax.evaluate import ROCDisplay
    >>> display = ROCDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="model", random_state=0)
    >>> display.line_.get_label().startswith("model: AUC 0.75 [")
    True
    """

    _axes = ("False positive rate", "True positive rate")

    @staticmethod
    def _curve(found: Steps) -> tuple[np.ndarray, np.ndarray]:
        return found.rates

    @staticmethod
    def _summary(ranked: check.Ranking, found: Steps, level: float) -> Interval | float | None:
        few = min(np.count_nonzero(ranked.positive), np.count_nonzero(~ranked.positive)) < 2
        return float(np.trapezoid(*found.rates[::-1])) if few else interval(moments(ranked), level)

    def _text(self) -> str:
        return "" if self.summary is None else f"AUC {_shown(self.summary)}"


class PrecisionRecallDisplay(CurveDisplay):
    """Precision against recall with a confidence band; the level line is the share of positives.

    The parameters and attributes are those of all curves: ``x`` are recalls and ``y`` precisions, ``summary`` is the
    average precision.
    """

    _axes = ("Recall", "Precision")
    _corner = "best"
    _drawstyle = "steps-pre"

    @staticmethod
    def _curve(found: Steps) -> tuple[np.ndarray, np.ndarray]:
        precision = found.pos / (found.pos + found.neg)
        return np.append(0.0, found.pos / found.pos[-1]), np.append(precision[0], precision)

    @staticmethod
    def _summary(ranked: check.Ranking, found: Steps, level: float) -> Interval | float | None:
        return mean_precision(found)

    def _text(self) -> str:
        return "" if self.summary is None else f"average precision {_shown(self.summary)}"

    def _backdrop(self, ax: Any) -> None:
        if self.share is not None:
            ax.axhline(self.share, color=FAINT, linewidth=0.8)
            ax.text(0.0, self.share + 0.01, "at random", color=FAINT, fontsize="small")


class LiftDisplay(CurveDisplay):
    """The positives found by contacting the highest scores first, with a confidence band.

    The parameters and attributes are those of all curves: ``x`` are the shares of rows contacted and ``y`` the shares
    of positives found. A mark says what the first tenth finds; the dashed line is a perfect ranking's.
    """

    _axes = ("Share of rows contacted", "Share of positives found")

    @staticmethod
    def _curve(found: Steps) -> tuple[np.ndarray, np.ndarray]:
        everyone = found.pos + found.neg
        return np.append(0.0, everyone / everyone[-1]), np.append(0.0, found.pos / found.pos[-1])

    def plot(self, ax: Any = None, *, name: str | None = None, plot_chance: bool = True, **line: Any) -> Self:
        """Draw; the parameters are those of all curves."""
        super().plot(ax, name=name, plot_chance=plot_chance, **line)
        self.ax_.plot([0.1], [self._tenth()], marker="o", markersize=4, color=self.line_.get_color(), linestyle="")
        return self

    def _tenth(self) -> float:
        return float(np.interp(0.1, self.x, self.y))

    def _text(self) -> str:
        return f"the first tenth finds {self._tenth():.0%}"

    def _backdrop(self, ax: Any) -> None:
        super()._backdrop(ax)
        if self.share is not None:
            ax.plot([0, self.share, 1], [0, 1, 1], color=FAINT, linewidth=0.8, linestyle=(0, (4, 2)))


def _shown(value: Interval | float) -> str:
    """A number, with its limits to as many digits as tell them apart."""
    if not isinstance(value, Interval):
        return f"{value:.3f}"
    width = value.high - value.low
    digits = 2 if width > 0.05 else 3 if width > 0.005 else 4
    return f"{value.estimate:.{digits}f} [{value.low:.{digits}f}, {value.high:.{digits}f}]"
