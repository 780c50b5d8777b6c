"""Cells of a table of the papers on a generated set, and a store that holds them."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from aucmax.bench.cell import run_cell
from aucmax.bench.runner import How, Plan, run_plans
from aucmax.bench.sets import load
from aucmax.bench.store import Store
from aucmax.bench.suite import suite_of
from tests.golden.readers import libsvm_text
from tests.golden.rows import made

SUITE, SET = "thesis-3.2", "diabetes"
PLAN = Plan(suite_of(SUITE), True, (SET,), ("B-LS-SVM", "OPAUC"))


def set_in(folder):
    """A folder with a file of the name and the width of a set."""
    some = made(120, 8, 0.9, 7)
    some.X[0] = 1.0
    (folder / SET).write_text(libsvm_text(some))
    return folder


def told(cells):
    """What the store says of cells, without the seconds."""
    return np.array([[cell[name] for name in ("auc", "rows", "tested")] for cell in cells])


def cells():
    """The first cells of each kind, run in this process."""
    with TemporaryDirectory() as name:
        folder = set_in(Path(name))
        problem = load(PLAN.suite.sets[SET], folder)
        chosen = [cell for cell in PLAN.cells(folder)[SET] if cell.repeat < 2]
        done = [run_cell(cell, PLAN.suite, problem) for cell in chosen]
    return {
        "bench/keys": [cell.key for cell in chosen],
        "bench/cells": told(done),
        "bench/folds": [auc for one in done for auc in one["folds"]],
        "bench/parameters": [str(sorted(one["params"].items())) for one in done],
    }


def write_store(path):
    """A store with all cells of the plan, as the command writes it, without the name of the machine."""
    with TemporaryDirectory() as name:
        store = Store(path)
        store.begin()
        run_plans([PLAN], store, How(1, set_in(Path(name))), lambda cell, text: None)
        store.close()
    with closing(sqlite3.connect(path)) as base:
        base.execute("update run set machine = 'a machine', source = 'released'")
        base.commit()
        base.execute("pragma journal_mode = delete")
        base.execute("vacuum")


def read_store(path, folder):
    """What a store holds; nothing is left to run, neither when it is read nor when it is gone on with."""
    store = Store(path, reading=True)
    held = told(store.cells())
    store.close()
    writable = folder / "again.sqlite"
    shutil.copy(path, writable)
    again = Store(writable)
    left = PLAN.left(again, set_in(folder))
    again.close()
    assert not any(left.values()), f"{path}: {sum(map(len, left.values()))} cells would be run again"
    return held
