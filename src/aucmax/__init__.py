"""Models that rank: direct AUC maximisation on imbalanced data."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public names and where they live; loaded when first used, so that importing the package costs next to nothing.
_HOMES = {
    "AUCClassifier": "aucmax.classifier",
    "AUCClassifierCV": "aucmax.classifier",
    "AdaOAM": "aucmax.algorithms.adaoam",
    "ASAM": "aucmax.algorithms.psam",
    "BAM": "aucmax.algorithms.bam",
    "CBR": "aucmax.algorithms.cbr",
    "ExactAUC": "aucmax.algorithms.exact",
    "FSAUC": "aucmax.algorithms.fsauc",
    "KMeansNystroem": "aucmax.features.nystroem",
    "MBA": "aucmax.algorithms.mba",
    "OAM": "aucmax.algorithms.oam",
    "OPAUC": "aucmax.algorithms.opauc",
    "PSAM": "aucmax.algorithms.psam",
    "RankOpt": "aucmax.algorithms.rankopt",
    "RegSOLAM": "aucmax.algorithms.solam",
    "ROCSVM": "aucmax.algorithms.rocsvm",
    "SOLAM": "aucmax.algorithms.solam",
    "SPAM": "aucmax.algorithms.spam",
    "SPDAM": "aucmax.algorithms.spdam",
    "UniExp": "aucmax.algorithms.uniexp",
    "VRSPAM": "aucmax.algorithms.vrspam",
    "load": "aucmax.persist",
    "save": "aucmax.persist",
    "train": "aucmax.outofcore",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'aucmax' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
