"""The pairwise square loss as a quadratic: its matrix, its minimisers, and the same without a matrix for wide X."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import scipy.linalg as la
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from aucmax.kernel import quadratic
from aucmax.kernel.moments import Moments, column_squares
from aucmax.model.data import Data, as_rows


class Quadratic(NamedTuple):
    """The problem ``½wᵀAw - b·w`` without its penalties."""

    A: np.ndarray
    b: np.ndarray


def quadratic_of(pos: Moments, neg: Moments) -> Quadratic:
    """The problem from the class moments."""
    p = pos.weight / (pos.weight + neg.weight)
    gap = pos.mean - neg.mean
    scale = 2.0 * p * (1.0 - p)
    A = scale * (pos.scatter / pos.weight + neg.scatter / neg.weight + np.outer(gap, gap))
    return Quadratic(A, scale * gap)


def solve_ridge(problem: Quadratic, l2: float) -> np.ndarray:
    """The minimiser with an L2 penalty; the one of least norm where it is not unique."""
    if l2 > 0.0:
        try:
            factor = la.cho_factor(problem.A + l2 * np.eye(len(problem.b)), lower=True, overwrite_a=True)
        except la.LinAlgError:
            pass
        else:
            return np.asarray(la.cho_solve(factor, problem.b))
    return np.asarray(ridge_path(problem, np.array([l2]))[0])


def ridge_path(problem: Quadratic, l2s: np.ndarray) -> np.ndarray:
    """The minimisers for many L2 penalties, one a row, from one eigendecomposition."""
    values, vectors = la.eigh(problem.A)
    floor = len(values) * np.finfo(float).eps * max(values[-1], 0.0)
    along = problem.b @ vectors
    curves = np.maximum(values, 0.0)[None, :] + np.asarray(l2s, dtype=float)[:, None]
    inverse = np.divide(1.0, curves, out=np.zeros_like(curves), where=curves > floor)
    return np.asarray((inverse * along) @ vectors.T)


class Implicit(NamedTuple):
    """``A = Xᵀ diag(omega) X + Z diag(signs) Zᵀ`` and b, for X too wide for a matrix A."""

    data: Data
    omega: np.ndarray
    Z: np.ndarray
    signs: np.ndarray
    b: np.ndarray

    @classmethod
    def of(cls, data: Data) -> Implicit:
        """The problem of the given rows: centring is a correction of rank two, the gap one of rank one."""
        mass = np.array(data.masses)
        scale = 2.0 * mass.prod() / mass.sum() ** 2
        means = data.class_sums / mass
        gap = means[:, 0] - means[:, 1]
        omega = scale * data.weight / np.where(data.y > 0, *mass)
        return cls(data, omega, np.column_stack([means, gap]), np.array([-scale, -scale, scale]), scale * gap)

    def product(self, w: np.ndarray) -> np.ndarray:
        """A·w."""
        inner = self.data.combination(self.omega * self.data.products(w.reshape(-1, 1))[:, 0])
        return np.asarray(inner + self.Z @ (self.signs * (self.Z.T @ w.ravel())))

    def diagonal(self) -> np.ndarray:
        """The diagonal of A."""
        out = np.zeros(self.data.d)
        column_squares(self.data.rows, self.omega, out)
        return np.asarray(np.maximum(out + self.Z**2 @ self.signs, 0.0))

    def solve_ridge(self, l2: float, tol: float, max_iter: int, start: np.ndarray | None) -> tuple[np.ndarray, int]:
        """Conjugate gradients with a diagonal preconditioner; the minimiser and the iterations made."""
        d = self.data.d
        diagonal = self.diagonal() + l2
        inverse = np.divide(1.0, diagonal, out=np.ones(d), where=diagonal > 0.0)
        made = [0]
        w, info = cg(
            LinearOperator((d, d), matvec=lambda v: self.product(v) + l2 * v.ravel(), dtype=float),
            self.b,
            x0=start,
            rtol=tol,
            maxiter=max_iter,
            M=LinearOperator((d, d), matvec=lambda v: inverse * v.ravel(), dtype=float),
            callback=lambda _: made.__setitem__(0, made[0] + 1),
        )
        if info > 0:
            warn_unconverged("conjugate gradients", max_iter, tol)
        return w, made[0]

    def solve_net(
        self, penalty: quadratic.Penalty, budget: quadratic.Budget, start: np.ndarray | None
    ) -> tuple[np.ndarray, int]:
        """Coordinate descent along the columns of X."""
        across = self.data.matrix.T
        columns = as_rows(np.ascontiguousarray(across) if self.data.dense else across.tocsr())
        w = np.zeros(self.data.d) if start is None else start.copy()
        form = quadratic.ByColumns(columns, self.omega, self.Z, self.signs)
        scores = self.data.products(w[:, None])
        sweeps, worst = quadratic.descend_columns(form, self.b, penalty, budget, w, scores, self.Z.T @ w)
        if worst > budget.tol:
            warn_unconverged("coordinate descent", budget.sweeps, budget.tol)
        return w, sweeps


def warn_unconverged(method: str, made: int, tol: float) -> None:
    """Say that a solver ran out of iterations or of digits."""
    warnings.warn(
        f"{method} ended after {made} iterations without reaching tol={tol:g}; "
        "raise max_iter or l2, or scale the columns of X.",
        ConvergenceWarning,
        stacklevel=4,
    )


def solve_net(
    problem: Quadratic, penalty: quadratic.Penalty, budget: quadratic.Budget, start: np.ndarray | None
) -> tuple[np.ndarray, int]:
    """Coordinate descent on the matrix A; the minimiser and the sweeps made."""
    w = np.zeros(len(problem.b)) if start is None else start.copy()
    sweeps, worst = quadratic.descend_gram(problem.A, problem.b, penalty, budget, w, np.empty(len(w)))
    if worst > budget.tol:
        warn_unconverged("coordinate descent", budget.sweeps, budget.tol)
    return w, sweeps
