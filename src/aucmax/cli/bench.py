"""``aucmax bench``: the papers' tables, run again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aucmax.bench.cell import Cell
from aucmax.bench.export import export
from aucmax.bench.figures import drawn_sets, figures
from aucmax.bench.outcome import Row, deviation, rows_of, tally
from aucmax.bench.rates import measured_rates
from aucmax.bench.rivals import measured_rivals
from aucmax.bench.runner import How, Plan, run_plans
from aucmax.bench.sets import present, size_of
from aucmax.bench.store import Store
from aucmax.bench.suite import Entry, Suite, suite_names, suite_of
from aucmax.bench.times import measured_times, timed_sets
from aucmax.cli.output import Output, Progress, clock

NO_SETS = "none of the sets is at hand; name their folder with --data-dir or AUCMAX_DATA"
MEASURES = ("rates", "times", "figures")  # which know no suites, sets or algorithms
USED = {  # of the options that some actions alone know
    "list": ("--data-dir",),
    "run": ("--set", "--algorithm", "--jobs", "--again", "--data-dir"),
    "show": ("--set", "--algorithm"),
    "export": ("-o",),
    "times": ("--data-dir",),
    "figures": ("--data-dir",),
}


def bench(options: Any) -> int:
    """Run one of the actions."""
    refuse(options)
    actions: dict[str, Callable[[Any], int]] = {
        "list": _list,
        "run": _run,
        "show": _show,
        "export": _export,
        "rates": _rates,
        "times": _times,
        "figures": _figures,
    }
    return actions[options.action](options)


def refuse(options: Any) -> None:
    """Refuse what an action would not use."""
    given = {
        "--set": options.set,
        "--algorithm": options.algorithm,
        "-o": options.output,
        "--jobs": options.jobs is not None,
        "--again": options.again,
        "--data-dir": options.data_dir,
    }
    if options.action in MEASURES and options.suites:
        raise ValueError(f"bench {options.action} takes no suites, got {' '.join(options.suites)}")
    for flag, value in given.items():
        if value and flag not in USED.get(options.action, ()):
            raise ValueError(f"bench {options.action} takes no {flag}")
    if options.jobs is not None and options.jobs < 1:
        raise ValueError(f"--jobs {options.jobs}: expected at least 1")


def chosen(options: Any) -> list[Suite]:
    """The suites that were named; all of them if none was."""
    names = tuple(dict.fromkeys(options.suites)) or suite_names()
    if "all" in names:
        others = [name for name in names if name != "all"]
        if others:
            raise ValueError(f"all and {', '.join(others)}: all means every suite; name either")
        names = suite_names()
    suites = [suite_of(name) for name in names]
    for word, given, place in (("set", options.set, 0), ("algorithm", options.algorithm, 1)):
        known = sorted({key[place] for suite in suites for key in suite.published})
        for name in given:
            if name not in known:
                raise ValueError(f"--{word} {name}: not in {', '.join(names)}; expected one of {', '.join(known)}")
    return suites


def kind_of(options: Any, store: Store) -> bool:
    """Whether results of quick runs are meant: those asked for, or the only ones there are, which is then said."""
    counts = {quick: store.count(quick) for quick in (True, False)}
    if counts[options.quick] or not counts[not options.quick]:
        return bool(options.quick)
    there, asked = ("quick", "full") if not options.quick else ("full", "quick")
    flag = "with" if there == "quick" else "without"
    Output(options).note(
        f"{store.path} has no results of {asked} runs; those of {there} ones follow, as {flag} --quick"
    )
    return not options.quick


def _list(options: Any) -> int:
    out, lines, facts = Output(options), [], []
    for suite in chosen(options):
        here = [name for name, entry in suite.sets.items() if present(entry, options.data_dir)]
        count = sum(where in here for where, _ in suite.published)
        facts.append({"suite": suite.name, "title": suite.title, "figures": len(suite.published), "at hand": count})
        lines.append(f"{suite.name:<12} {suite.title}; {count} of {len(suite.published)} figures on sets at hand")
    return out.result(lines, {"suites": facts})


def _run(options: Any) -> int:
    out, begun = Output(options), time.monotonic()
    jobs = options.jobs or os.cpu_count() or 1
    plans = [Plan(suite, options.quick, tuple(options.set), tuple(options.algorithm)) for suite in chosen(options)]
    if not any(plan.cells(options.data_dir) for plan in plans):
        raise ValueError(NO_SETS)
    store = Store(options.store)  # not before all that was given is known to make sense
    store.begin()
    waiting = [(plan, plan.left(store, options.data_dir, again=options.again)) for plan in plans]
    work = {(plan.suite.name, where): work_of(plan.suite.sets[where]) for plan, found in waiting for where in found}
    progress = Progress(
        "ran",
        sum(work[plan.suite.name, where] * len(cells) for plan, found in waiting for where, cells in found.items()),
        options.quiet,
        "cells",
    )

    def report(cell: Cell, outcome: str) -> None:
        progress.advance(1, f", last {cell.suite} {cell.set} {cell.algorithm}, {outcome}", work[cell.suite, cell.set])

    failed, left = run_plans(plans, store, How(jobs, options.data_dir, options.again), report), progress.done
    progress.close()
    lines = [f"{left} cells in {clock(time.monotonic() - begun)}, {failed} failed; results are in {store.path}"]
    counts: dict[str, int] = {}
    for plan in plans:
        rows = rows_of(plan.suite, store.cells(plan.suite.name, options.quick), options.quick)
        for state, count in tally(rows).items():
            counts[state] = counts.get(state, 0) + count
    lines.append(", ".join(f"{count} {state}" for state, count in sorted(counts.items())))
    return out.result(lines, {"cells": left, "failed": failed, "states": counts, "store": str(store.path)})


def work_of(entry: Entry) -> float:
    """About how long a cell of a set takes beside those of others, for the time left: the largest sets come first."""
    return float(size_of(entry) ** 0.25)


def opened(options: Any) -> Store:
    """The store, which must be there."""
    if not Path(options.store).is_file():
        raise ValueError(f"{options.store}: no such file; run aucmax bench run first, or name a file with --store")
    return Store(options.store, reading=True)


def _show(options: Any) -> int:
    suites, lines, facts = chosen(options), [], {}
    store = opened(options)
    quick = kind_of(options, store)
    for suite in suites:
        rows = [row for row in rows_of(suite, store.cells(suite.name, quick), quick) if _named(row, options)]
        found = [row for row in rows if row.ours is not None or row.state == "failed" or row.aside]
        facts[suite.name] = [row._asdict() for row in rows]
        lines += [f"{suite.name}: {suite.title}", *map(_line, found), f"  {_words(tally(rows))}"]
    return Output(options).result(lines, facts)


def _named(row: Row, options: Any) -> bool:
    return row.set in (options.set or [row.set]) and row.algorithm in (options.algorithm or [row.algorithm])


def _line(row: Row) -> str:
    std = "" if row.printed_std is None else f" ± {deviation(row.printed_std)}"
    ours = "-" if row.ours is None else f"{row.ours:.4f}"
    runs = f"{row.runs} of {row.planned} runs"
    shipped = "" if row.shipped is None else f"  as shipped {row.shipped:.4f}"
    printed = f"{row.printed:.4f}{std}"
    why = f"  ({row.cause})" if row.cause else ""
    return f"  {row.set:<16}{row.algorithm:<12}printed {printed:<18}  ours {ours:<6}  {runs}{shipped}  {row.state}{why}"


def _words(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {state}" for state, count in counts.items())


def _rates(options: Any) -> int:
    """Measure the rates of convergence, and keep them."""
    store, lines, facts = Store(options.store), [], []
    store.begin()
    Output(options).note("measuring; this takes a minute or two")
    for rate in measured_rates(20_000 if options.quick else 200_000):
        store.add_rate(rate.algorithm, rate.facts(), options.quick)
        facts.append(rate.facts())
        note = f" ({rate.note})" if rate.note else ""
        lines.append(f"{rate.algorithm:<22}promised {rate.promised:<14}measured {rate.measured}: {rate.state}{note}")
    return Output(options).result(lines, {"rates": facts})


def _times(options: Any) -> int:
    """Measure the training times of the paper on PSAM, and of other libraries, and keep them."""
    out, facts, rivals = Output(options), [], []
    if not timed_sets(options.data_dir):
        raise ValueError(NO_SETS)
    store = Store(options.store)
    store.begin()
    for found in measured_times(options.data_dir):
        store.add_timing(found)
        facts.append(found)
        out.note(f"timed: {found['set']}, {found['algorithm']}")
    for found in measured_rivals(options.data_dir):
        store.add_rival(found)
        rivals.append(found)
        out.note(f"timed: {found['set']}, {found['model']}")
    lines = [
        f"{found['set']:<12}{found['algorithm']:<8}printed {found['printed']:8.3f} s  ours {found['ours']:8.4f} s  "
        f"{found['ratio']:6.1f} times as fast"
        for found in facts
    ]
    lines += [
        f"{found['set']:<12}{found['library']:<14}{found['model']:<46}{found['seconds']:8.4f} s  AUC {found['auc']:.4f}"
        for found in rivals
    ]
    return out.result(lines, {"timings": facts, "rivals": rivals})


def _figures(options: Any) -> int:
    """Draw the papers' figures anew, for the report."""
    out, names = Output(options), []
    if not drawn_sets(options.data_dir):
        raise ValueError(NO_SETS)
    store = Store(options.store)
    store.begin()
    for facts in figures(options.quick, options.data_dir):
        store.add_figure(facts, options.quick)
        out.note(f"drawn: {facts['title']}, against {facts['x']}")
        names.append(facts["id"])
    return out.result([f"{len(names)} figures are in {store.path}; aucmax report shows them"], {"figures": names})


def _export(options: Any) -> int:
    if not options.output:
        raise ValueError("where to? name a file with -o that ends in .csv, .parquet or .tex")
    names = [suite.name for suite in chosen(options)]
    store = opened(options)
    quick = kind_of(options, store)
    count = export(store, names, quick, Path(options.output))
    aside = sum(row.aside for name in names for row in rows_of(suite_of(name), store.cells(name, quick), quick))
    lines = [f"{options.output}: {count} {'tables' if options.output.endswith('.tex') else 'entries'}"]
    if aside:
        lines.append(f"{aside} older results are left aside: the suites have changed since")
    return Output(options).result(lines, {"entries": count, "aside": aside, "output": options.output})
