"""Random rankings with ties, infinities and weights, and what brute force says of them."""

import csv
from pathlib import Path

import numpy as np

DATA = Path(__file__).parent / "data"


def right(pos, neg):
    """1 where a positive scores above a negative, 1/2 where they tie."""
    return (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)


def brute_auc(y, scores, weight=None):
    weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=float)
    pairs = weight[y][:, None] * weight[~y]
    return (right(scores[y], scores[~y]) * pairs).sum() / pairs.sum()


def random_cases(count=60, seed=0, most=40, infinite=True):
    """Labels, scores and weights; two rows of each class at least."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(5, most))
        y = rng.random(n) < rng.uniform(0.2, 0.8)
        y[:4] = [True, False, True, False]
        scores = rng.integers(-4, 5, n) / 2.0 if rng.random() < 0.5 else rng.standard_normal(n)
        if infinite:
            scores = np.where(rng.random(n) < 0.08, np.inf, np.where(rng.random(n) < 0.08, -np.inf, scores))
        scores = np.where((scores == 0.0) & (rng.random(n) < 0.5), -0.0, scores)
        weight = rng.random(n) * (rng.random(n) < 0.9)
        weight[:4] += 0.1
        yield y, scores, weight


def table(name):
    """The rows of a stored file as dictionaries."""
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))
