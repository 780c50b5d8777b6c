"""One thread for BLAS while a model is fitted: its matrices are small, and its sums depend on the number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


class OneThread:
    """Limits BLAS from the first fit that begins to the last that ends: the limit is one of the process.

    Fits of several threads overlap, and each putting back what it found would leave the limit in place.
    """

    def __init__(self) -> None:
        self._lock, self._running = Lock(), 0
        self._blas: Any = None  # found once, since to look for the libraries takes milliseconds
        self._limit: Any = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the limit."""
        with self._lock:
            if not self._running:
                self._blas = self._blas or ThreadpoolController()
                self._limit = self._blas.limit(limits=1, user_api="blas")
            self._running += 1
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._limit.restore_original_limits()


BLAS = OneThread()
