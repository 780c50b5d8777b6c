"""The features of a linear model by their weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Summary(NamedTuple):
    """Features by falling size of their weight, in units of the columns' sizes."""

    feature: np.ndarray
    weight: np.ndarray
    coef: np.ndarray
    side: np.ndarray | None = None  # of several classes, the one whose log-odds the weight is for, or "b over a"

    @classmethod
    def of(cls, coef: np.ndarray, sizes: np.ndarray, names: np.ndarray, sides: np.ndarray, top: int | None) -> Summary:
        """The table of coefficients, one line a side; a feature counts by its largest weight over them."""
        weights = coef * sizes
        side, columns = np.abs(weights).argmax(axis=0), np.arange(len(sizes))
        order = np.argsort(-np.abs(weights[side, columns]), kind="stable")[:top]
        shown = sides[side[order]] if len(sides) > 1 else None
        return cls(names[order], weights[side, columns][order], coef[side, columns][order], shown)

    def __str__(self) -> str:
        head = f"{'feature':<30}{'weight':>12}{'coef':>14}" + ("" if self.side is None else "  class")
        rows = zip(self.feature, self.weight, self.coef, strict=True)
        lines = [f"{name!s:<30.30}{weight:>12.4g}{coef:>14.4g}" for name, weight, coef in rows]
        if self.side is not None:
            lines = [f"{line}  {side}" for line, side in zip(lines, self.side, strict=True)]
        return "\n".join([head, *lines])
