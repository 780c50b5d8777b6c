"""What the functions of ``aucmax.evaluate`` give, by rows with ties, with and without weights."""

import inspect
import itertools

import numpy as np

from aucmax import evaluate

RNG = np.random.RandomState(0)
Y = (np.arange(120) % 3 == 0).astype(int)
ONE = np.round(RNG.standard_normal(120) + Y, 3)
SCORES = {"": (ONE, np.round(0.5 * ONE + RNG.standard_normal(120), 3)), "ties": (np.rint(2 * ONE), np.rint(ONE))}
WEIGHT = np.round(RNG.uniform(0.5, 2.0, 120), 2)
CLASSES = np.array(["a", "b", "c"])[(np.arange(120) * 7) % 3]
COLUMNS = np.round(RNG.standard_normal((120, 3)) + (CLASSES[:, None] == ["a", "b", "c"]), 1)
RESULTS = np.round(RNG.random_sample((9, 4)), 2)
METRICS = ("roc_auc", "partial_auc", "average_precision", "h_measure")
RESAMPLED = {"random_state": 0, "n_resamples": 40}
METHODS = ("score", "logit", "delong", "hanley-mcneil")
POINTS = [{"criterion": "youden"}, *({"criterion": name, "value": 0.4} for name in ("cost", "max_fpr", "min_recall"))]
SAYING = ("compare", "critical_difference", "delong_ci", "delong_test", "hand_till_auc", "operating_point")


def pairs(given, second):
    """Arguments of functions that take more than labels and scores; the others are called with these two."""
    one, probabilities = given["scores"], 1.0 / (1.0 + np.exp(-given["scores"]))
    weight = {"sample_weight": given["weight"]}
    halves = {f"sample_weight_{side}": None if given["weight"] is None else given["weight"][:60] for side in "ab"}
    return {
        "bootstrap_ci": [
            ((Y, one), {"random_state": 0, "n_resamples": 40, "metric": name, **weight}) for name in METRICS
        ],
        "calibration_curve": [((Y, probabilities), {"bins": 5, **weight})],
        "compare": [((Y, {"one": one, "two": second}), weight)],
        "confusion_at": [((Y, one, 0.5), weight)],
        "critical_difference": [((RESULTS, ["a", "b", "c", "d"]), {})],
        "delong_ci": [((Y, one), {"method": name, **weight}) for name in METHODS],
        "delong_covariance": [((Y, np.column_stack([one, second])), weight)],
        "delong_test": [((Y, one, second), weight)],
        "delong_test_unpaired": [((Y[:60], one[:60], Y[60:], second[60:]), halves)],
        "f_beta": [((Y, one), {"beta": 2.0, **weight}), ((Y, one), {"threshold": 0.5, **weight})],
        "group_auc": [((Y, one, np.arange(120) % 5), weight)],
        "h_measure": [((Y, one), weight), ((Y, one), {"severity_ratio": 0.2, **weight})],
        "hand_till_auc": [((CLASSES, COLUMNS), weight)],
        "holm": [(([0.01, 0.04, 0.03, 0.2],), {})],
        "operating_point": [((Y, one), {**how, **weight}) for how in POINTS],
        "ovr_auc": [((CLASSES, COLUMNS), {"average": how, **weight}) for how in ("macro", "weighted")],
        "partial_auc": [((Y, one), {**how, **weight}) for how in ({"max_fpr": 0.3}, {"min_tpr": 0.5})],
        "required_sample_size": [((0.8,), how) for how in ({"null": 0.7}, {"width": 0.1}, {"other": 0.7})],
    }


def called(name, given, second):
    """All that a function is asked."""
    usual = [((Y, given["scores"]), {"sample_weight": given["weight"]})]
    return [getattr(evaluate, name)(*args, **more) for args, more in pairs(given, second).get(name, usual)]


def flat(found):
    """The numbers in a result, and its texts, one after another."""
    if isinstance(found, dict):
        return flat(list(found.values()))
    if isinstance(found, list | tuple):
        return [value for part in found for value in flat(part)]
    if isinstance(found, np.ndarray):
        return found.ravel().tolist()
    return [found]


def apart(key, found):
    """Numbers and texts under two names."""
    values = [value for value in flat(found) if value is not None]
    texts = [value for value in values if isinstance(value, str)]
    numbers = [float(value) for value in values if not isinstance(value, str)]
    return {f"{key}/numbers": np.array(numbers)} | ({f"{key}/texts": np.array(texts)} if texts else {})


def functions():
    """Every public function, on scores with ties and without, with weights and without."""
    names = [name for name in evaluate.__all__ if inspect.isfunction(getattr(evaluate, name))]
    found = {}
    for name, (kind, (one, second)), weight in itertools.product(names, SCORES.items(), (None, WEIGHT)):
        words = " and ".join(filter(None, [kind, "" if weight is None else "weights"])) or "plain"
        answers = called(name, {"scores": one, "weight": weight}, second)
        found |= apart(f"evaluate/{name}/{words}", answers)
        found |= {f"evaluate/{name}/{words}/said": [str(a) for a in answers]} if name in SAYING else {}
    return found


def accumulated():
    """The two that take in rows as they come."""
    exact, rough = (evaluate.AUCSummary(bins) for bins in (2**16, 16))
    window = evaluate.WindowedAUC(50)
    steps = []
    for at in range(0, 120, 30):
        part = slice(at, at + 30)
        for one in (exact, rough, window):
            one.update(Y[part], ONE[part])
        steps.append([exact.auc, rough.auc, rough.error_bound, window.auc, window.n_pos, window.n_neg, window.n_seen])
    merged = rough.merge(evaluate.AUCSummary(16).update(Y, SCORES["ties"][0]))
    return {
        "evaluate/AUCSummary and WindowedAUC/steps": np.array(steps),
        "evaluate/AUCSummary/merged": np.array([merged.auc, merged.error_bound, merged.n_pos, merged.n_neg]),
        "evaluate/WindowedAUC/trace": evaluate.WindowedAUC(20).trace(Y, ONE),
    }


def statistics():
    return functions() | accumulated()
