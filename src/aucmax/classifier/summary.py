"""The features of a linear model by their weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Summary(NamedTuple):
    """Features by falling size of their weight, in units of the columns' sizes."""

    feature: np.ndarray
    weight: np.ndarray
    coef: np.ndarray

    @classmethod
    def of(cls, coef: np.ndarray, sizes: np.ndarray, names: np.ndarray, top: int | None) -> Summary:
        """The table of coefficients, one line a class; a feature counts by its largest weight over the classes."""
        weights = coef * sizes
        side, columns = np.abs(weights).argmax(axis=0), np.arange(len(sizes))
        order = np.argsort(-np.abs(weights[side, columns]), kind="stable")[:top]
        return cls(names[order], weights[side, columns][order], coef[side, columns][order])

    def __str__(self) -> str:
        head = f"{'feature':<30}{'weight':>12}{'coef':>14}"
        rows = zip(self.feature, self.weight, self.coef, strict=True)
        return "\n".join([head, *(f"{name!s:<30.30}{weight:>12.4g}{coef:>14.4g}" for name, weight, coef in rows)])
