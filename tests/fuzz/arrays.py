"""Damaged arrays for every method of every public estimator."""

import copy
import inspect
import random

import numpy as np
import scipy.sparse as sp

import aucmax
from tests.conftest import make_problem
from tests.estimators import DETERMINISTIC
from tests.fuzz import damage
from tests.fuzz.judge import WrongResultError

ESTIMATORS = {name: each for name in aucmax.__all__ if hasattr(each := getattr(aucmax, name), "fit")}
METHODS = ("fit", "fit_transform", "partial_fit", "objective", "score")
METHODS += ("decision_function", "predict", "predict_proba", "predict_log_proba", "transform")
N, D = 40, 6
TAME = 1e100  # products of larger numbers may well leave the numbers there are
EXPONENTIAL = {"UniExp": 100.0}  # and so may the exponentials in some objectives, of these
# estimators that are given float32 and 64-bit indices for training too: each combination is compiled by itself
OF_ALL_TYPES = ("BAM", "KMeansNystroem", "SPAM")
SLOW = {"AUCClassifier": 0.15, "AUCClassifierCV": 0.05}  # how often they are trained, beside others
VARIANTS = {
    "l1": (0.0, 0.05),
    "early_stopping": (False, True),
    "kernel": (None, "rbf"),
    "multi_class": ("ovr", "ovo"),
    "average": (False, True),
}
QUICK = {"random_state": 0, "max_iter": 2, "tol": 1e-3, "n_pairs": 200, "buffer_size": 10, "n_components": 5, "cv": 2}


def made(name, rng):
    """An estimator that is soon done, sometimes of a rarer sort."""
    cls = ESTIMATORS[name]
    known = cls().get_params()
    given = {key: value for key, value in QUICK.items() if key in known}
    if name in DETERMINISTIC:
        given |= {key: 20 for key in ("max_iter",) if key in known}
    for key, values in VARIANTS.items():
        if key in known and rng.random() < 0.1:
            given[key] = values[-1]
    return cls(**given)


def healthy(rng, method, name):
    """Rows of a form that a user may give."""
    X, _ = make_problem(n=N, d=D)
    if method in ("fit", "partial_fit", "objective", "fit_transform") and name not in OF_ALL_TYPES:
        kind, index = "f8", "i4"
    else:
        kind, index = rng.choice(["f8", "f8", "f4"]), rng.choice(["i4", "i4", "i8"])
    if rng.random() < 0.3:
        return X.astype(kind)
    forms = ["csr"] * 14 + ["csc", "coo", "bsr", "dia", "lil"]
    of_class = rng.choice(["array", "matrix"])
    found = getattr(sp, f"{rng.choice(forms)}_{of_class}")(X.astype(kind))
    if found.format == "csr":
        found.indices, found.indptr = found.indices.astype(index), found.indptr.astype(index)
    return found


class Arrays:
    """The kind of inputs that are arrays in memory."""

    def prepare(self, full=True, folder=None):
        """Fit every estimator on dense and sparse rows, which compiles what damaged ones will ask for."""
        X, self.y = make_problem(n=N, d=D)
        rng = random.Random(0)
        rng.random = lambda: 1.0  # no rare sorts
        self.healthy = X
        self.fitted = {}
        forms = [X, sp.csr_matrix(X)]
        for name in ESTIMATORS:
            rare = [each.astype("f4") for each in forms] if full and name in OF_ALL_TYPES else []
            for rows in (*rare, *forms):
                model = made(name, rng).fit(rows, self.y)
                if hasattr(model, "objective"):
                    model.objective(rows, self.y)
                if hasattr(model, "partial_fit"):
                    copy.deepcopy(model).partial_fit(rows, self.y)
            self.fitted[name] = model

    def attempt(self, number, tell, folder):
        """Make an input and give it to a method."""
        rng = random.Random(f"arrays {number}")
        name = rng.choice(list(ESTIMATORS))
        methods = [method for method in METHODS if hasattr(ESTIMATORS[name], method)]
        if rng.random() > SLOW.get(name, 1.0):
            methods = [method for method in methods if method not in ("fit", "partial_fit")]
        method = rng.choice([*methods, methods[0]])
        training = method in ("fit", "fit_transform")
        continued = method == "partial_fit" and rng.random() < 0.5
        model = made(name, rng) if training or (method == "partial_fit" and not continued) else self.fitted[name]
        if continued:
            model = copy.deepcopy(model)
        if not hasattr(model, method):  # which some parameters take away
            method = "fit"
        given = self.given(rng, model, method, healthy(rng, method, name))
        words = self.damaged(rng, given)
        tell(f"{name}.{method} {words}")
        with np.errstate(all="ignore"):
            self.check(model, method, given, getattr(model, method)(**given))

    def given(self, rng, model, method, X):
        """What a method takes, whole."""
        known = inspect.signature(getattr(model, method)).parameters
        weight = np.linspace(0.5, 2.0, N)
        whole = {
            "X": X,
            "y": self.y,
            "sample_weight": weight,
            "groups": np.arange(N) // 10,
            "X_val": self.healthy,
            "y_val": self.y,
            "sample_weight_val": weight,
            "classes": np.array([-1, 1]),
        }
        given = {key: value for key, value in whole.items() if key in known}
        for key in ("sample_weight", "groups", "classes"):
            if rng.random() < 0.5:
                given.pop(key, None)
        if rng.random() < 0.8:
            given = {key: value for key, value in given.items() if not key.endswith("_val")}
        return given

    def damaged(self, rng, given):
        """Damage one or two of the arguments; the words for it."""
        words = []
        for _ in range(rng.choice([1, 1, 1, 1, 2])):
            key = rng.choice(["X"] * 4 + list(given))
            if key == "classes" or key not in given:
                key = "y" if "y" in given else "X"
            value = given[key]
            if sp.issparse(value):
                given[key], how = damage.sparse_changed(rng, value)
            else:
                given[key], how = damage.array_changed(rng, value)
            words.append(f"{key}: {how}")
        return ", ".join(words)

    def check(self, model, method, given, found):
        """Whatever was accepted gives numbers."""
        if method in ("fit", "partial_fit", "fit_transform"):
            later = "transform" if hasattr(model, "transform") else "decision_function"
            width = getattr(model, "n_features_in_", D)
            if width != D:
                return
            finite(f"{later} after it", getattr(model, later)(self.healthy))
        elif largest(given["X"]) <= (EXPONENTIAL.get(type(model).__name__, TAME) if method == "objective" else TAME):
            finite("the result", found)


def finite(what, found):
    """Fault anything that is not a finite number."""
    values = np.asarray(found)
    if values.dtype.kind in "fc" and not np.all(np.isfinite(values)):
        raise WrongResultError(f"{what} is not finite")


def largest(X):
    """The largest number in X, by whatever means; infinite where that cannot be told."""
    try:
        values = np.asarray(X.data if sp.issparse(X) else X, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return np.inf
    return float(np.max(np.abs(values), initial=0.0))
