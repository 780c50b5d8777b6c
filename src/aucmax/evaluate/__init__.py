"""What scores are worth: AUC and its kin with intervals and tests, curves, streams and pictures, for any model."""

from __future__ import annotations

import importlib
from typing import Any

# Public names and where they live; loaded when first used, pictures above all.
_HOMES = {
    "AUCSummary": "summary",
    "Bootstrap": "bootstrap",
    "Calibration": "score_display",
    "CalibrationDisplay": "score_display",
    "Comparison": "difference",
    "Confusion": "thresholds",
    "ConvergenceDisplay": "fit_display",
    "Covariance": "delong",
    "DETCurve": "curves",
    "Interval": "intervals",
    "LiftCurve": "curves",
    "LiftDisplay": "curve_display",
    "MulticlassAUC": "multiclass",
    "OperatingPoint": "thresholds",
    "PathDisplay": "fit_display",
    "PrecisionRecallCurve": "curves",
    "PrecisionRecallDisplay": "curve_display",
    "ROCCurve": "curves",
    "ROCDisplay": "curve_display",
    "Ranks": "ranks",
    "SampleSize": "design",
    "ScoresDisplay": "score_display",
    "Table": "table",
    "WindowedAUC": "window",
    "area_under_lift": "areas",
    "average_precision": "areas",
    "bootstrap_ci": "bootstrap",
    "calibration_curve": "score_display",
    "compare": "table",
    "confusion_at": "thresholds",
    "critical_difference": "ranks",
    "delong_ci": "delong",
    "delong_covariance": "delong",
    "delong_test": "difference",
    "delong_test_unpaired": "difference",
    "det_curve": "curves",
    "f_beta": "thresholds",
    "gini": "roc",
    "group_auc": "roc",
    "h_measure": "areas",
    "hand_till_auc": "multiclass",
    "holm": "table",
    "lift_curve": "curves",
    "operating_point": "thresholds",
    "ovr_auc": "multiclass",
    "partial_auc": "areas",
    "prbep": "thresholds",
    "precision_recall_curve": "curves",
    "required_sample_size": "design",
    "roc_auc": "roc",
    "roc_convex_hull": "curves",
    "roc_curve": "curves",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'aucmax.evaluate' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"aucmax.evaluate.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
