"""What looking at rows before they are used costs: ``python -m benchmarks.checking`` (``make bench``).

The check is timed beside the whole call that makes it, in turn, and given as a share of that call.
"""

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from aucmax import BAM, SPAM, AUCClassifier
from aucmax.model.inputs import sound
from benchmarks.sets import real
from benchmarks.timing import line, machine, medians

SETS = {"a9a": (1.0, False), "news20": (1.0, False), "covtype": (7.0, True)}
MODELS = {
    "SPAM": lambda: SPAM(max_iter=5, tol=None, random_state=0),
    "BAM": lambda: BAM(1e-3),
    "AUCClassifier": lambda: AUCClassifier(random_state=0),
}


def share(title, goal, X, call):
    """One line: the seconds of the check over those of the call."""
    check, whole = medians(lambda: lambda: sound(X), lambda: call)
    line(title, check / whole, f"at most {goal}", f"{1e3 * check:.2f} ms of {1e3 * whole:.1f} ms")


def measure(name, X, y):
    form = "dense" if isinstance(X, np.ndarray) else "CSR"
    for title, make in MODELS.items():
        share(f"{name}, {form}: check / fit of {title}", 0.03, X, lambda make=make: make().fit(X, y))
    model = SPAM(max_iter=1, tol=None, random_state=0).fit(X, y)
    share(f"{name}, {form}: check / decision_function", 0.3, X, lambda: model.decision_function(X))


def main():
    print(machine())
    with threadpool_limits(1):
        for name, (positive, dense) in SETS.items():
            found = real(name)
            if found is None:
                continue
            X, y = found
            y = (y == positive).astype(int)
            measure(name, sp.csr_matrix(X), y)
            if dense:
                measure(name, X.toarray(), y)


if __name__ == "__main__":
    main()
