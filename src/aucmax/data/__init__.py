"""From files and tables to rows: readers, streams, named sets."""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "DataError": "aucmax.data.errors",
    "Stream": "aucmax.data.chunks",
    "Table": "aucmax.data.table",
    "TableEncoder": "aucmax.data.encode",
    "fetch": "aucmax.data.registry",
    "load_set": "aucmax.data.registry",
    "named_sets": "aucmax.data.registry",
    "read": "aucmax.data.reading",
    "read_libsvm": "aucmax.data.libsvm",
    "read_npz": "aucmax.data.npz",
    "stream": "aucmax.data.chunks",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'aucmax.data' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
