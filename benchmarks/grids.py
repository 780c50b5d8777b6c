"""What many settings in one sweep save: ``python -m benchmarks.grids`` (``make bench``)."""

import numpy as np
from threadpoolctl import threadpool_limits

from aucmax import SOLAM, SPAM
from aucmax.model.together import fit_together
from benchmarks.sets import real
from benchmarks.timing import line, machine, medians


def grids():
    """A grid of each kind, as in the papers."""
    return {
        "SPAM, 33 settings": [
            SPAM(l2, step=c, max_iter=3, tol=None, random_state=0)
            for c in (1, 10, 100)
            for l2 in np.logspace(-5, 5, 11)
        ],
        "SOLAM, 84 settings": [
            SOLAM(r, step=c, max_iter=3, tol=None, random_state=0)
            for c in range(1, 101, 9)
            for r in np.logspace(-1, 5, 7)
        ],
    }


def compare(name, X, y):
    for title, models in grids().items():

        def alone(models=models):
            return lambda: [model.fit(X, y) for model in models]

        def at_once(models=models):
            return lambda: fit_together(models, X, y)

        a, b = medians(alone, at_once, rounds=3)
        line(f"{name}: {title}, one by one / in one sweep", a / b, "", f"{a:.2f} / {b:.2f} s")


def main():
    print(machine())
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 300))
    y = (X[:, 0] + rng.standard_normal(100_000) > 1).astype(int)
    with threadpool_limits(1):
        compare("dense, 1,000 x 20", X[:1000, :20].copy(), y[:1000])
        compare("dense, 100,000 x 300", X, y)
        for name in ("a9a", "news20"):
            found = real(name)
            if found is not None:
                X, y = found
                compare(name, X, y if name == "a9a" else y % 2)


if __name__ == "__main__":
    main()
