"""Runs the cells of suites, each in a process of its own that shares the rows with this one.

A cell that fails is noted with its error, and the rest goes on. Killed at any moment, the same call runs what is left:
results are written one by one, and nothing about a cell depends on the others.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from aucmax.bench.cell import SHIPPED, TUNED, Cell, asked, run_cell, share, warm
from aucmax.bench.comparable import repeats_of
from aucmax.bench.sets import Problem, files_of, present, problem_of, read, size_of
from aucmax.bench.store import Store
from aucmax.bench.suite import Suite

Report = Callable[[Cell, str], None]
LOOK = 0.5  # seconds after which a process looks whether the one that waits for its result is there


class Plan(NamedTuple):
    """What is to be run of a suite."""

    suite: Suite
    quick: bool
    sets: tuple[str, ...] = ()  # all of them
    algorithms: tuple[str, ...] = ()

    def cells(self, data_dir: Any = None) -> dict[str, list[Cell]]:
        """The cells of every set whose files are at hand."""
        suite = self.suite
        found: dict[str, list[Cell]] = {}
        for where, algorithm in suite.published:
            left_out = (self.sets and where not in self.sets) or (self.algorithms and algorithm not in self.algorithms)
            if left_out or where not in suite.sets or not present(suite.sets[where], data_dir):
                continue
            cells = (
                Cell(suite.name, where, algorithm, kind, repeat, self.quick)
                for kind in (TUNED, SHIPPED)
                for repeat in range(repeats_of(suite, where, algorithm, self.quick))
            )
            found.setdefault(where, []).extend(cells)
        return found

    def left(self, store: Store, data_dir: Any = None, *, again: bool = False) -> dict[str, list[Cell]]:
        """Those of them that have not ended, or that a suite asked otherwise then; with ``again``, failed ones too."""
        ended = store.done(self.suite.name, self.quick, failed=not again)
        return {
            where: [cell for cell in cells if (cell.key, asked(cell, self.suite)) not in ended]
            for where, cells in self.cells(data_dir).items()
        }


class Task(NamedTuple):
    """A cell with all that it needs."""

    cell: Cell
    suite: Suite
    problem: Problem


class How(NamedTuple):
    """How plans are run: processes, the folder of the sets, and whether cells that failed before run anew."""

    jobs: int
    data_dir: Any = None
    again: bool = False


def run_plans(plans: Sequence[Plan], store: Store, how: How, report: Report) -> int:
    """Run what is left of plans; the number of cells that failed."""
    failed, suites = 0, {plan.suite.name: plan.suite for plan in plans}
    for cell, result, error in _results(_tasks(plans, store, how), how.jobs):
        store.add(cell, asked(cell, suites[cell.suite]), result, error)
        failed += error is not None
        report(cell, f"AUC {result['auc']:.4f}" if result else f"failed: {(error or '').splitlines()[-1]}")
    return failed


def _tasks(plans: Sequence[Plan], store: Store, how: How) -> Iterator[Task]:
    """The cells that are left, largest sets first: the last ones are short, and all processes end together.

    Files are read once for all suites that have them, and only when their turn comes: meanwhile other cells run.
    """
    waiting: dict[tuple[str, ...], list[tuple[Plan, str, list[Cell]]]] = {}
    for plan in plans:
        for where, cells in plan.left(store, how.data_dir, again=how.again).items():
            if cells:
                waiting.setdefault(files_of(plan.suite.sets[where]), []).append((plan, where, cells))
    entries = {names: found[0][0].suite.sets[found[0][1]] for names, found in waiting.items()}
    for names in sorted(waiting, key=lambda names: -size_of(entries[names])):
        files = read(entries[names], how.data_dir)
        for plan, where, cells in waiting[names]:
            problem = problem_of(files, plan.suite.sets[where])
            warm(plan.suite, problem, where)
            for cell in sorted(cells, key=lambda cell: cell.repeat):  # cells that share an embedding, one by one
                share(cell, plan.suite, problem)
                yield Task(cell, plan.suite, problem)


def _results(tasks: Iterator[Task], jobs: int) -> Iterator[tuple[Cell, dict[str, Any] | None, str | None]]:
    """What comes of cells, as they end."""
    if "fork" not in multiprocessing.get_all_start_methods():
        for task in tasks:
            yield (task.cell, *_outcome(task))
        return
    running: dict[Any, tuple[Cell, Any]] = {}
    while True:
        for task in itertools.islice(tasks, jobs - len(running)):
            here, process = _begun(task)
            running[here] = task.cell, process
        if not running:
            return
        for done in wait(list(running)):
            assert isinstance(done, Connection)
            cell, process = running.pop(done)
            yield (cell, *_received(done, process))


def _begun(task: Task) -> tuple[Connection, Any]:
    """A process that runs a cell, and where its result will come from."""
    here, there = multiprocessing.Pipe(duplex=False)
    parts = (there, here, task, os.getpid())
    process = multiprocessing.get_context("fork").Process(target=_work, args=parts, daemon=True)
    process.start()
    there.close()
    return here, process


def _received(done: Connection, process: Any) -> tuple[dict[str, Any] | None, str | None]:
    """The result of a process, or how it ended."""
    try:
        result, error = done.recv()
    except EOFError:
        process.join()
        result, error = None, f"the process ended with code {process.exitcode}"
    process.join()
    done.close()
    return result, error


def _work(out: Connection, other: Connection, task: Task, parent: int) -> None:
    """Run a cell in a process that ends with its parent, however that one ends; Ctrl-C is for the parent to hear."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other.close()
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    outcome = _outcome(task)
    with contextlib.suppress(BrokenPipeError):  # nobody is left to read
        out.send(outcome)


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os._exit(1)


def _outcome(task: Task) -> tuple[dict[str, Any] | None, str | None]:
    try:
        with threadpool_limits(1):
            return run_cell(*task), None
    except Exception:
        return None, traceback.format_exc(limit=-4)
