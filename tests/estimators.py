"""Every estimator of the library, for the tests that hold for all of them."""

import aucmax
from aucmax.model.iterative import IterativeEstimator
from aucmax.model.stepped import SteppedEstimator

# the algorithms; transformers and the front door have tests of their own
NAMES = sorted(name for name in aucmax.__all__ if hasattr(getattr(aucmax, name), "objective"))
ESTIMATORS = {name: getattr(aucmax, name) for name in NAMES}
ONLINE = {name: cls for name, cls in ESTIMATORS.items() if hasattr(cls, "partial_fit")}
STEPPED = [name for name, cls in ESTIMATORS.items() if issubclass(cls, SteppedEstimator)]  # from row to row, by passes
ITERATIVE = [name for name, cls in ESTIMATORS.items() if issubclass(cls, IterativeEstimator)]
TOGETHER = [name for name, cls in ESTIMATORS.items() if cls._train is SteppedEstimator._train]  # many in one sweep
DETERMINISTIC = {"BAM", "ExactAUC", "ROCSVM", "RankOpt"}  # run to their end, whatever the seed


def quick(name, **parameters):
    """An estimator that is done soon and always draws the same numbers."""
    cls = ESTIMATORS[name]
    known = cls().get_params()
    wanted = {"random_state": 0, "max_iter": 5, "tol": None, "n_pairs": 2000, "buffer_size": 20}
    if name == "ROCSVM":  # which to 1e-12 takes six times as long with its default
        wanted["l2"] = 0.1
    wanted.update(parameters)
    if name in {*DETERMINISTIC, "MBA"}:
        wanted.update({"max_iter": 10_000, "tol": 1e-12 if name == "ROCSVM" else 1e-10})
    return cls(**{key: value for key, value in wanted.items() if key in known})
