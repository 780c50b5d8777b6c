"""Damaged labels, scores and weights for every public function that measures scores."""

import inspect
import random

import numpy as np

from aucmax import evaluate
from tests.fuzz import damage
from tests.fuzz.judge import WrongResultError

N = 40
FUNCTIONS = {
    name: each
    for name in evaluate.__all__
    if inspect.isfunction(each := getattr(evaluate, name)) and {"y", "y_a"} & set(inspect.signature(each).parameters)
}
SETTINGS = {"threshold": 0.1, "n_resamples": 20, "n_jobs": 1, "random_state": 0}
NUMBERS = ("estimate", "low", "high", "auc", "precision", "recall", "aucs", "p_value", "value", "std")


class Scores:
    """The kind of inputs that are labels, scores and weights."""

    def prepare(self, full=True, folder=None):
        """Call every function with what is healthy."""
        rng = np.random.default_rng(0)
        y = np.arange(N) % 2
        scores, weight = y + rng.standard_normal(N).round(1), rng.uniform(0.5, 2.0, N)
        given = {"y": y, "scores": scores, "sample_weight": weight, "groups": np.arange(N) // 10}
        self.whole = given | {"probabilities": 1.0 / (1.0 + np.exp(-scores))}
        for name in ("y", "scores", "sample_weight"):
            self.whole |= {f"{name}_{side}": given[name] for side in "ab"}
        # some functions leave out some numbers of healthy scores too
        self.unsaid = {name: unsaid(function(**self.arguments(function))) for name, function in FUNCTIONS.items()}

    def arguments(self, function):
        """What a function takes, whole."""
        known = inspect.signature(function).parameters
        given = {name: value for name, value in (self.whole | SETTINGS).items() if name in known}
        if function is evaluate.compare:
            given["scores"] = {"a": self.whole["scores"], "b": self.whole["probabilities"]}
        if function in (evaluate.delong_covariance, evaluate.hand_till_auc, evaluate.ovr_auc):
            given["scores"] = np.column_stack([1.0 - self.whole["probabilities"], self.whole["probabilities"]])
        return given

    def attempt(self, number, tell, folder):
        """Call a function with one or two arguments that are damaged."""
        rng = random.Random(f"scores {number}")
        name = rng.choice(list(FUNCTIONS))
        given = self.arguments(FUNCTIONS[name])
        words = []
        for _ in range(rng.choice([1, 1, 2])):
            key = rng.choice([key for key in given if key not in SETTINGS])
            if isinstance(given[key], dict) and "b" in given[key]:
                given[key]["b"], how = damage.array_changed(rng, given[key]["b"])
            else:
                given[key], how = damage.array_changed(rng, given[key])
            words.append(f"{key}: {how}")
        tell(f"{name} {', '.join(words)}")
        with np.errstate(all="ignore"):
            missing = unsaid(FUNCTIONS[name](**given)) - self.unsaid[name]
        if missing:
            raise WrongResultError(f"{name} gives no finite number as its {', '.join(sorted(missing))}")


def unsaid(found):
    """The parts of a result that are to be numbers and are none."""
    parts = {"result": found} if isinstance(found, float) else {key: getattr(found, key, 0.0) for key in NUMBERS}
    arrays = {key: np.asarray(part) for key, part in parts.items()}
    return {key for key, part in arrays.items() if part.dtype.kind == "f" and not np.isfinite(part).all()}
