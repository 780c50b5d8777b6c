"""Pictures of fits: how the AUC rises while training, and how it depends on the penalty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from aucmax.evaluate.picture import FAINT, Display, bare, pyplot, style

WIDE, HIGH = 80.0, 13.0  # points that a name takes, roughly


class ConvergenceDisplay(Display):
    """The AUC of held-out rows against the passes over the data and against seconds.

    Parameters
    ----------
    histories : mapping of names to histories
        A history is an estimator's ``history_``: a mapping with ``iteration``, ``seconds`` and ``validation_auc``.
    n_rows : int, optional
        Rows of the training data; iterations, where an iteration takes one row, are then shown as passes.

    Attributes
    ----------
    axes_ : array of two matplotlib Axes
        Against passes and against seconds.
    figure_ : matplotlib Figure
        Around them.
    """

    def __init__(self, *, histories: Mapping[str, Mapping[str, Any]], n_rows: int | None = None) -> None:
        for name, history in histories.items():
            missing = {"iteration", "seconds", "validation_auc"} - set(history)
            if missing or not np.isfinite(np.asarray(history["validation_auc"], dtype=float)).any():
                raise ValueError(
                    f"The history of {name} holds no validation_auc; fit it with X_val and y_val (history_ then has "
                    "iteration, seconds and validation_auc)."
                )
        self.histories, self.n_rows = dict(histories), n_rows

    def plot(self, axes: Any = None, **line: Any) -> Self:
        """Draw on two axes, new ones by default; the names stand at the ends of the lines."""
        if axes is None:
            axes = pyplot().subplots(1, 2, figsize=(8.4, 3.6), sharey=True, layout="constrained")[1]
            for ax in axes:
                bare(ax)
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        ends = []
        for name, history in self.histories.items():
            across = np.asarray(history["iteration"], dtype=float) / (self.n_rows or 1)
            aucs = np.asarray(history["validation_auc"], dtype=float)
            for ax, x in zip(axes, (across, np.asarray(history["seconds"], dtype=float)), strict=True):
                shown = (x > 0.0) & np.isfinite(aucs)
                (drawn,) = ax.plot(x[shown], aucs[shown], **style(ax, line))
            ends.append((float(x[shown][-1]), float(aucs[shown][-1]), name, drawn.get_color()))
        for ax, words in zip(axes, ("Passes over the data" if self.n_rows else "Iterations", "Seconds"), strict=True):
            ax.set(xscale="log", xlabel=words)
        axes[0].set_ylabel("AUC of held-out rows")
        _name_ends(axes[1], ends)
        return self

    @classmethod
    def from_estimators(
        cls, estimators: Mapping[str, Any], *, n_rows: int | None = None, axes: Any = None, **line: Any
    ) -> Self:
        """Draw fitted estimators that keep a ``history_``; the parameters are those of the class and of ``plot``."""
        return cls(histories={name: one.history_ for name, one in estimators.items()}, n_rows=n_rows).plot(axes, **line)


def _name_ends(ax: Any, ends: list[tuple[float, float, str, Any]]) -> None:
    """Names beside the ends of lines, moved up where they would overlap."""
    ax.figure.canvas.draw()  # so that places on the paper are known
    points = [ax.transData.transform(end[:2]) * 72.0 / ax.figure.dpi for end in ends]
    taken: list[tuple[float, float]] = []
    for k in np.argsort([at[1] for at in points], kind="stable"):
        x, y, name, colour = ends[k]
        across, up = points[k]
        for other, height in taken:
            if abs(other - across) < WIDE and up < height + HIGH:
                up = height + HIGH
        taken.append((across, up))
        words = {"textcoords": "offset points", "color": colour, "va": "center", "annotation_clip": False}
        ax.annotate(name, (x, y), (6, up - points[k][1]), **words)


class PathDisplay(Display):
    """The cross-validated AUC along a path of penalties, one line a loss, with the choice marked.

    Parameters
    ----------
    paths : mapping of names to (penalties, AUCs of shape (folds, penalties))
        What to show.
    chosen : tuple of a name and a penalty, optional
        What was chosen.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    """

    def __init__(
        self, *, paths: Mapping[str, tuple[np.ndarray, np.ndarray]], chosen: tuple[str, float] | None = None
    ) -> None:
        self.paths, self.chosen = dict(paths), chosen

    def plot(self, ax: Any = None, **line: Any) -> Self:
        """Draw the means over folds and one standard error to either side."""
        ax = self._on(ax, (5.4, 3.8))
        ends = []
        for name, (penalties, aucs) in self.paths.items():
            order = np.argsort(penalties)
            x, folds = np.asarray(penalties, dtype=float)[order], np.asarray(aucs, dtype=float)[:, order]
            known = np.isfinite(folds).all(axis=0)
            x, folds = x[known], folds[:, known]
            mean = folds.mean(axis=0)
            error = folds.std(axis=0, ddof=1) / np.sqrt(len(folds)) if len(folds) > 1 else np.zeros_like(mean)
            (drawn,) = ax.plot(x, mean, **style(ax, line))
            ax.fill_between(x, mean - error, mean + error, color=drawn.get_color(), alpha=0.16, linewidth=0)
            ends.append((float(x[-1]), float(mean[-1]), name, drawn.get_color()))
            if self.chosen is not None and self.chosen[0] == name:
                at = float(np.interp(np.log(self.chosen[1]), np.log(x), mean))
                ax.plot([self.chosen[1]], [at], marker="o", markersize=6, color=drawn.get_color(), linestyle="")
                text = {"textcoords": "offset points", "color": FAINT, "ha": "center", "fontsize": "small"}
                ax.annotate("chosen", (self.chosen[1], at), (0, 8), **text)
        ax.set(xscale="log", xlabel="Penalty", ylabel="Mean AUC of held-out rows")
        _name_ends(ax, ends)
        return self

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **line: Any) -> Self:  # type: ignore[override]
        """Draw the path of a fitted ``AUCClassifierCV``.

        Parameters
        ----------
        estimator
            With ``cv_results_`` (``loss``, ``l2``, ``split0_auc`` and so on), ``loss_`` and ``l2_``.
        ax, **line
            As for ``plot``.

        Returns
        -------
        display
            What was drawn.
        """
        results = estimator.cv_results_
        losses = np.asarray(results["loss"])
        splits = np.array([results[key] for key in results if key.startswith("split") and key.endswith("_auc")])
        paths = {
            str(loss): (results["l2"][losses == loss], splits[:, losses == loss]) for loss in dict.fromkeys(losses)
        }
        return cls(paths=paths, chosen=(str(estimator.loss_), float(np.mean(estimator.l2_)))).plot(ax, **line)
