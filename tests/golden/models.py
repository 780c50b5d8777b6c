"""What every algorithm and the features give."""

import itertools

import numpy as np

import aucmax
from aucmax import algorithms as bundles
from aucmax.model.together import fit_together
from tests.estimators import DETERMINISTIC, ESTIMATORS, ONLINE, TOGETHER, quick
from tests.golden.rows import DENSE, KINDS, WEIGHT, halves

VARIANTS = {  # beside the defaults: states and schedules of other kinds
    "AdaOAM": [{"l2": 1e-2}],
    "BAM": [{"loss": "smooth_hinge"}],
    "CBR": [{"covariance": "diag"}, {"buffer": "reservoir"}],
    "ExactAUC": [{"l1": 1e-2}],
    "FSAUC": [{"schedule": "paper"}, {"radius": 1.0}],
    "OAM": [{"buffer": "fifo"}, {"variant": "gra", "C": 1.0}],
    "OPAUC": [{"rank": 3}, {"schedule": "constant", "step": 1e-3}],
    "PSAM": [{"avg_skip": 1, "reg_skip": 1}, {"early_stopping": True}],
    "RegSOLAM": [{"l2": 1e-2}],
    "SOLAM": [{"ball": "l1"}, {"early_stopping": True}],
    "SPAM": [{"l1": 1e-3}, {"l1": 1e-3, "early_stopping": True}, {"average": False}, {"schedule": "power"}],
    "SPDAM": [{"schedule": "theorem"}],
    "VRSPAM": [{"l1": 1e-3}],
}
COEFFICIENTS = 60  # of a model that are stored, at most; the scores depend on all


def told(model, rows):
    """What a fitted algorithm says of itself and of rows."""
    found = {
        "coef": model.coef_[:, :: max(1, model.coef_.shape[1] // COEFFICIENTS)],
        "intercept": model.intercept_,
        "scores": model.decision_function(rows.other),
        "labels": model.predict(rows.other),
        "objective": model.objective(rows.X, rows.y),
    }
    return found | {name: getattr(model, name) for name in ("n_iter_", "t_") if hasattr(model, name)}


def fits(name):
    """Models of one algorithm by what was done with it."""
    for kind, rows in KINDS.items():
        firm = kind == "wide" and name in {*DETERMINISTIC, "MBA"}  # else many directions are as good, and bits decide
        yield kind, quick(name, **({"l2": 0.1} if firm else {})).fit(rows.X, rows.y), rows
    yield "weights", quick(name).fit(DENSE.X, DENSE.y, WEIGHT), DENSE
    # so few that no tolerance is reached, after a number of them that bits decide
    yield "history", quick(name, record=True).set_params(max_iter=5).fit(DENSE.X, DENSE.y), DENSE
    for given in VARIANTS.get(name, []):
        words = ",".join(f"{key}={value}" for key, value in given.items())
        for kind in ("dense", "csr"):
            yield f"{words}/{kind}", quick(name, **given).fit(KINDS[kind].X, KINDS[kind].y), KINDS[kind]


def streams(name):
    """Models of one algorithm that met the rows in two chunks."""
    variants = [{}, *VARIANTS.get(name, [])[:1]]
    for given, (kind, rows) in itertools.product(variants, KINDS.items()):
        model = quick(name, **given)
        for X, y in halves(rows):
            model.partial_fit(X, y, classes=[-1, 1])
        yield f"{','.join(given)}/{kind}", model, rows


def settings(name):
    """Settings of an algorithm that are fitted in one sweep."""
    known = ESTIMATORS[name]().get_params()
    key = next(key for key in ("l2", "gamma", "radius", "C") if key in known)
    return [{}, {key: 10.0 * known[key]}, {"max_iter": 3}]


def together(name):
    for kind in ("dense", "csr"):
        models = [quick(name, **given) for given in settings(name)]
        assert fit_together(models, KINDS[kind].X, KINDS[kind].y) == [None] * len(models)
        for k, model in enumerate(models):
            yield f"{kind}/{k}", model, KINDS[kind]


def algorithms():
    """Every public algorithm: fits, streams, and sweeps of several settings."""
    ways = {"fit": (fits, ESTIMATORS), "partial_fit": (streams, ONLINE), "fit_together": (together, TOGETHER)}
    found = {}
    for way, (models, names) in ways.items():
        for name in names:
            for case, model, rows in models(name):
                key = f"algorithms/{name}/{way}/{case}"
                found |= {f"{key}/{part}": value for part, value in told(model, rows).items()}
                if case == "history":
                    found[f"{key}/steps"] = model.history_["iteration"]
                    found[f"{key}/objectives"] = model.history_["objective"]
    return found


def features():
    """The Nyström features in both precisions, and algorithms on them."""
    found = {}
    for kind in ("dense", "csr"):
        for dtype in ("float32", "float64"):
            rows = KINDS[kind]
            made = aucmax.KMeansNystroem(15, dtype=dtype, random_state=0).fit(rows.X)
            key = f"features/{dtype}/{kind}"
            found[f"{key}/landmarks"] = made.components_
            found[f"{key}/rank"] = made.rank_
            found[f"{key}/gamma"] = made.gamma_
            found[f"{key}/rows"] = np.asarray(made.transform(rows.other))
            found[f"{key}/names"] = made.get_feature_names_out()
    for name in bundles.__all__:
        for kind in ("dense", "csr"):
            model = getattr(bundles, name)(15, random_state=0).fit(KINDS[kind].X, KINDS[kind].y)
            found[f"features/{name}/{kind}/scores"] = model.decision_function(KINDS[kind].other)
    return found
