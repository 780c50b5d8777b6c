"""What the classifiers of the front door choose, and the models that they come to."""

import numpy as np

from aucmax import AUCClassifier, AUCClassifierCV
from tests.golden.models import COEFFICIENTS
from tests.golden.rows import DENSE, DOOR, GROUPS, IN_UNITS, THREE, WEIGHT, halves

LOSSES = ("logistic", "squared_hinge", "smooth_hinge", "square", "ramp")
TEXTS = np.where(DENSE.y > 0, "yes", "no")
COSTS = {"threshold": "cost", "costs": (1.0, 5.0)}
KERNEL = {"kernel": "rbf", "n_components": 20}

QUICK = {  # parameters, and what fit is given; "y" are other labels
    "auto": ({}, {}),
    "texts": ({}, {"y": TEXTS}),
    "weights": ({}, {"sample_weight": WEIGHT}),
    "groups": ({}, {"groups": GROUPS}),
    "groups, weights": ({"loss": "ramp", "l2": 0.1}, {"groups": GROUPS, "sample_weight": WEIGHT}),
    "given": ({"loss": "logistic", "l2": 0.03}, {}),
    "unpenalised": ({"loss": "squared_hinge", "l2": 0.0}, {}),
    "l2 alone": ({"l2": 0.1}, {}),
    "sparse weights": ({"l1": 0.02}, {}),
    "stochastic": ({"solver": "stochastic", "loss": "square"}, {}),
    "stochastic hinge": ({"solver": "stochastic", "loss": "smooth_hinge", "l2": 0.1}, {}),
    "calibrated": ({"calibration": "cv"}, {}),
    "prevalence": ({"prevalence": 0.02, "threshold": "balanced"}, {}),
    "costs": (COSTS, {}),
    "youden": ({"threshold": "youden"}, {"sample_weight": WEIGHT}),
    "threshold": ({"threshold": 0.2, "l2": 0.1}, {}),
    "three": ({}, {"y": THREE}),
    "three, weights": ({"loss": "squared_hinge"}, {"y": THREE, "sample_weight": WEIGHT}),
    "three, pairs": ({"multi_class": "ovo"}, {"y": THREE}),
    "three, shares": ({"prevalence": (0.2, 0.3, 0.5), "calibration": "cv"}, {"y": THREE}),
    "seed": ({"random_state": 3}, {}),
    **{f"loss {loss}": ({"loss": loss}, {}) for loss in LOSSES},
}
CROSSED = {
    "auto": ({}, {}),
    "weights": ({}, {"sample_weight": WEIGHT}),
    "groups": ({}, {"groups": GROUPS}),
    "three": ({"n_l2": 4}, {"y": THREE}),
    "three, pairs": ({"n_l2": 4, "multi_class": "ovo"}, {"y": THREE}),
    "two losses": ({"losses": ("logistic", "square"), "n_l2": 4, "cv": 3, "one_standard_error": True}, {"y": TEXTS}),
    "sparse weights": ({"losses": "logistic", "l1": 0.02, "n_l2": 4}, {}),
    "stochastic": ({"solver": "stochastic", "n_l2": 3, "cv": 3}, {}),
    "calibrated, costs": ({"losses": "squared_hinge", "n_l2": 3, "calibration": "cv", **COSTS}, {}),
}
ON_WIDE = ("auto", "given", "sparse weights", "stochastic", "calibrated")
DENSE_ALONE = ("texts", "seed", "threshold", "youden", "groups, weights", "three, shares", "two losses")


def told(model, rows, y):
    """What a fitted classifier says of itself and of rows."""
    found = {name: getattr(model, name) for name in ("loss_", "l2_", "intercept_", "threshold_", "classes_")}
    found["coef"] = model.coef_[:, :: max(1, model.coef_.shape[1] // COEFFICIENTS)]
    found["scores"] = model.decision_function(rows.other)
    found["probabilities"] = model.predict_proba(rows.other)
    found["labels"] = model.predict(rows.other)
    found["auc"] = model.score(rows.X, y)
    found["choice"] = model.explain_choice()
    found["summary"] = str(model.summary(4))
    if hasattr(model, "cv_results_"):
        found |= {f"cv/{name}": values for name, values in model.cv_results_.items()}
        found["best"] = model.best_score_
        found["oof"] = np.array([] if model.oof_auc_ is None else model.oof_auc_, dtype=float)
    return found


def kinds_of(case):
    """The kinds of rows that a case is tried on."""
    usual = ("dense",) if case in DENSE_ALONE else ("dense", "csr")
    return (*usual, "wide") if case in ON_WIDE else usual


def chosen():
    """Fits in memory."""
    for cls, cases in ((AUCClassifier, QUICK), (AUCClassifierCV, CROSSED)):
        for case, (parameters, given) in cases.items():
            for kind in kinds_of(case):
                rows, given = DOOR[kind], dict(given)
                y = given.pop("y", rows.y)
                yield f"{cls.__name__}/{case}/{kind}", cls(**parameters).fit(rows.X, y, **given), rows, y
        model = cls(**KERNEL).fit(IN_UNITS.X, IN_UNITS.y)
        yield f"{cls.__name__}/kernel/dense", model, IN_UNITS, IN_UNITS.y


def streamed():
    """Streams: exact with few columns, step by step with many; of two classes and of three."""
    for kind, rows in DOOR.items():
        labels = THREE[: len(rows.y)]
        for case, y in (("two", rows.y), ("three", labels)):
            model = AUCClassifier()
            for X, part in halves(rows._replace(y=y)):
                model.partial_fit(X, part, classes=np.unique(y))
            yield f"AUCClassifier/stream of {case}/{kind}", model, rows, y


def doors():
    """Every case by name."""
    found = {}
    for models in (chosen, streamed):
        for key, model, rows, y in models():
            found |= {f"classifier/{key}/{part}": value for part, value in told(model, rows, y).items()}
    return found
