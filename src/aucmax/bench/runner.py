"""Runs the cells of suites, each in a process of its own that shares the rows with this one.

A cell that fails is noted with its error, and the rest goes on. Killed at any moment, the same call runs what is left:
results are written one by one, and nothing about a cell depends on the others.
"""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from aucmax.bench.cell import SHIPPED, TUNED, Cell, run_cell, warm
from aucmax.bench.sets import Problem, load, present
from aucmax.bench.store import Store
from aucmax.bench.suite import Suite

Report = Callable[[Cell, str], None]


class Plan(NamedTuple):
    """What is to be run of a suite."""

    suite: Suite
    quick: bool
    sets: tuple[str, ...] = ()  # all of them
    algorithms: tuple[str, ...] = ()

    def cells(self, data_dir: Any = None) -> dict[str, list[Cell]]:
        """The cells of every set whose files are at hand."""
        suite = self.suite
        repeats = suite.quick_repeats if self.quick else suite.repeats
        found: dict[str, list[Cell]] = {}
        for where, algorithm in suite.published:
            left_out = (self.sets and where not in self.sets) or (self.algorithms and algorithm not in self.algorithms)
            if left_out or where not in suite.sets or not present(suite.sets[where], data_dir):
                continue
            cells = (
                Cell(suite.name, where, algorithm, kind, repeat, self.quick)
                for kind in (TUNED, SHIPPED)
                for repeat in range(repeats)
            )
            found.setdefault(where, []).extend(cells)
        return found

    def left(self, store: Store, data_dir: Any = None, *, again: bool = False) -> dict[str, list[Cell]]:
        """Those of them that have not ended; with ``again``, those that failed too."""
        ended = store.done(self.suite.name, self.quick)
        kept = {key for key, error in ended.items() if error is None or not again}
        return {where: [c for c in cells if c.key not in kept] for where, cells in self.cells(data_dir).items()}


def run_plan(plan: Plan, store: Store, *, jobs: int, data_dir: Any, report: Report, again: bool = False) -> int:
    """Run what is left of a plan; the number of cells that failed. ``again`` runs cells anew that failed before."""
    failed = 0
    for where, left in plan.left(store, data_dir, again=again).items():
        if not left:
            continue
        problem = load(plan.suite.sets[where], data_dir)
        warm(plan.suite, problem, where)
        for cell, result, error in _results(left, plan.suite, problem, jobs):
            store.add(cell, result, error)
            failed += error is not None
            report(cell, f"AUC {result['auc']:.4f}" if result else f"failed: {(error or '').splitlines()[-1]}")
    return failed


def _results(
    cells: Iterable[Cell], suite: Suite, problem: Problem, jobs: int
) -> Iterator[tuple[Cell, dict[str, Any] | None, str | None]]:
    """What comes of cells, as they end."""
    if "fork" not in multiprocessing.get_all_start_methods():
        for cell in cells:
            yield (cell, *_outcome(cell, suite, problem))
        return
    waiting = list(cells)[::-1]
    running: dict[Any, tuple[Cell, Any]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            cell = waiting.pop()
            here, there = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.get_context("fork").Process(
                target=_work, args=(there, here, cell, suite, problem), daemon=True
            )
            process.start()
            there.close()
            running[here] = cell, process
        for done in wait(list(running)):
            assert isinstance(done, Connection)
            cell, process = running.pop(done)
            try:
                result, error = done.recv()
            except EOFError:
                process.join()
                result, error = None, f"the process ended with code {process.exitcode}"
            process.join()
            done.close()
            yield cell, result, error


def _work(out: Connection, other: Connection, cell: Cell, suite: Suite, problem: Problem) -> None:
    other.close()  # so that this process ends if nobody is left to read
    out.send(_outcome(cell, suite, problem))


def _outcome(cell: Cell, suite: Suite, problem: Problem) -> tuple[dict[str, Any] | None, str | None]:
    try:
        with threadpool_limits(1):
            return run_cell(cell, suite, problem), None
    except Exception:
        return None, traceback.format_exc(limit=-4)
