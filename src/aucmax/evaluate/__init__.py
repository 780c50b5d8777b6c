"""What scores are worth: AUC and its kin with intervals and tests, curves, streams and pictures, for any model."""

from __future__ import annotations

import importlib
from typing import Any

# Public names and where they live; loaded when first used, pictures above all.
_HOMES = {
    "Comparison": "difference",
    "Confusion": "thresholds",
    "Covariance": "delong",
    "DETCurve": "curves",
    "Interval": "intervals",
    "LiftCurve": "curves",
    "OperatingPoint": "thresholds",
    "PrecisionRecallCurve": "curves",
    "ROCCurve": "curves",
    "area_under_lift": "areas",
    "average_precision": "areas",
    "confusion_at": "thresholds",
    "delong_ci": "delong",
    "delong_covariance": "delong",
    "delong_test": "difference",
    "delong_test_unpaired": "difference",
    "det_curve": "curves",
    "f_beta": "thresholds",
    "gini": "roc",
    "group_auc": "roc",
    "h_measure": "areas",
    "lift_curve": "curves",
    "operating_point": "thresholds",
    "partial_auc": "areas",
    "prbep": "thresholds",
    "precision_recall_curve": "curves",
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
