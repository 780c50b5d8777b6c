"""Side-by-side timing: alternate the contestants, take medians."""

import platform
import time
from collections.abc import Callable

import numba
import numpy as np
import sklearn

import aucmax


def medians(*contestants: Callable[[], Callable[[], object]], rounds: int = 5) -> list[float]:
    """The median seconds of each, in turn, warmed up once. A contestant prepares, untimed, what is then timed."""
    seconds: list[list[float]] = [[] for _ in contestants]
    for round_ in range(rounds + 1):
        for k, prepare in enumerate(contestants):
            run = prepare()
            begun = time.perf_counter()
            run()
            if round_ > 0:
                seconds[k].append(time.perf_counter() - begun)
    return [float(np.median(s)) for s in seconds]


def machine() -> str:
    versions = ", ".join(f"{m.__name__} {m.__version__}" for m in (aucmax, numba, np, sklearn))
    return f"{platform.machine()}, Python {platform.python_version()}, {versions}; one thread, medians of 5, warm"


def line(name: str, ratio: float, goal: str, detail: str) -> None:
    print(f"{name:<58}{ratio:>8.2f}   {goal:<12}{detail}", flush=True)
