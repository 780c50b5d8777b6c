"""The algorithms, one file each, and their kernelised forms as ready pipelines."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["NASAM", "NBAM", "NPSAM", "NSOLAM"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'aucmax.algorithms' has no attribute {name!r}")
    return getattr(importlib.import_module("aucmax.algorithms.kernelised"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
