"""Results in SQLite: every cell with its scores, or its error, and where it was run; safe against kills at any time."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy
import sklearn

import aucmax
from aucmax.bench.cell import Cell

SCHEMA = """
create table if not exists run (
    id integer primary key, began real not null, version text not null, source text not null,
    versions text not null, machine text not null);
create table if not exists cell (
    key text primary key, run integer not null references run(id), suite text not null, "set" text not null,
    algorithm text not null, kind text not null, repeat integer not null, quick integer not null,
    auc real, seconds real, choosing real, rows integer, tested integer, params text, error text, ended real not null,
    asked text);
create index if not exists cell_suite on cell (suite, quick);
create table if not exists folds (key text primary key references cell(key), aucs text not null);
create table if not exists rate (
    algorithm text primary key, run integer not null references run(id), facts text not null);
create table if not exists timing (
    id text primary key, run integer not null references run(id), facts text not null);
create table if not exists rival (
    id text primary key, run integer not null references run(id), facts text not null);
create table if not exists figure (
    id text primary key, quick integer not null, run integer not null references run(id), facts text not null);
"""
TABLES = {"run", "cell", "folds", "rate", "timing", "rival", "figure"}
COLUMNS = ("auc", "seconds", "choosing", "rows", "tested")


class Store:
    """An open store.

    Parameters
    ----------
    path
        The file; made if it is not there.
    reading
        Whether nothing is to be written, to it or beside it; then it must be there.
    """

    def __init__(self, path: Any, *, reading: bool = False) -> None:
        self.path = Path(path)
        try:
            self.db = self._connected(reading)
            self.db.row_factory = sqlite3.Row
            names = {row["name"] for row in self.db.execute("select name from sqlite_master where type = 'table'")}
            asked = {row["name"] for row in self.db.execute("pragma table_info(cell)")}
            if (names or reading) and not (names >= TABLES and "asked" in asked):
                raise ValueError(f"{path}: not a store of results (its tables are others); name another with --store")
            if not reading:
                self.db.execute("pragma journal_mode = wal")
                self.db.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise ValueError(f"{path}: not a store of results ({error}); name another file with --store") from error
        self.run: int | None = None

    def _connected(self, reading: bool) -> sqlite3.Connection:
        if not reading:
            return sqlite3.connect(self.path, timeout=60.0, isolation_level=None)
        # nobody writes to a store that has no log beside it, so that none is needed to read it, nor the right to one
        logged = self.path.with_name(f"{self.path.name}-wal").exists()
        address = f"{self.path.resolve().as_uri()}?mode=ro{'' if logged else '&immutable=1'}"
        return sqlite3.connect(address, uri=True, timeout=60.0, isolation_level=None)

    def close(self) -> None:
        """Close it."""
        self.db.close()

    def begin(self) -> None:
        """Note that a run begins, by what and where."""
        facts = (time.time(), aucmax.__version__, source(), json.dumps(versions()), machine())
        done = self.db.execute("insert into run (began, version, source, versions, machine) values (?,?,?,?,?)", facts)
        self.run = done.lastrowid

    def done(self, suite: str, quick: bool, *, failed: bool = True) -> set[tuple[str, str | None]]:
        """The cells of a suite that have ended, by key and what was asked; those that failed are among them or not."""
        text = "select key, asked from cell where suite = ? and quick = ? and (error is null or ?)"
        return {(row["key"], row["asked"]) for row in self.db.execute(text, (suite, int(quick), int(failed)))}

    def add(self, cell: Cell, asked: str, result: dict[str, Any] | None, error: str | None = None) -> None:
        """Keep what came of a cell."""
        found = result or {}
        values = [cell.key, self.run, *cell[:5], int(cell.quick), *(found.get(name) for name in COLUMNS)]
        values += [json.dumps(found.get("params", {})), error, time.time(), asked]
        with self.db:
            self.db.execute("begin")
            self.db.execute(f"insert or replace into cell values ({','.join('?' * len(values))})", values)
            aucs = json.dumps(found.get("folds", []))
            self.db.execute("insert or replace into folds values (?,?)", (cell.key, aucs))

    def count(self, quick: bool) -> int:
        """How many cells of quick runs, or of full ones, have ended."""
        return int(self.db.execute("select count(*) from cell where quick = ?", (int(quick),)).fetchone()[0])

    def cells(self, suite: str | None = None, quick: bool | None = None) -> list[dict[str, Any]]:
        """All cells, or those of a suite, in a fixed order."""
        text = "select cell.*, aucs as folds from cell left join folds using (key) where 1 "
        text += 'order by suite, "set", algorithm, kind, repeat'
        values: list[Any] = []
        for name, value in (("suite", suite), ("quick", quick)):
            if value is not None:
                text, values = text.replace("where 1", f"where 1 and {name} = ?"), [value, *values]
        found = map(dict, self.db.execute(text, values))
        return [
            {**row, "params": json.loads(row["params"]), "folds": json.loads(row["folds"] or "[]")} for row in found
        ]

    def runs(self) -> dict[int, dict[str, Any]]:
        """By what and where every run was made."""
        return {row["id"]: dict(row) for row in self.db.execute("select * from run")}

    def runs_of(self, table: str) -> list[int]:
        """The run of every entry of a table."""
        return [row["run"] for row in self.db.execute(f"select run from {table}")]

    def add_rate(self, algorithm: str, facts: dict[str, Any], quick: bool = False) -> None:
        """Keep the measured rate of an algorithm; that of a quick run beside that of a full one."""
        key, text = f"{algorithm}/quick" if quick else algorithm, json.dumps({**facts, "quick": quick})
        self.db.execute("insert or replace into rate values (?,?,?)", (key, self.run, text))

    def rates(self) -> list[dict[str, Any]]:
        """The measured rates."""
        return [json.loads(row["facts"]) for row in self.db.execute("select facts from rate order by rowid")]

    def add_timing(self, facts: dict[str, Any]) -> None:
        """Keep a training time."""
        key = f"{facts['set']}/{facts['algorithm']}"
        self.db.execute("insert or replace into timing values (?,?,?)", (key, self.run, json.dumps(facts)))

    def timings(self) -> list[dict[str, Any]]:
        """The training times."""
        return [json.loads(row["facts"]) for row in self.db.execute("select facts from timing order by rowid")]

    def add_rival(self, facts: dict[str, Any]) -> None:
        """Keep what a model of ours or of another library takes and reaches."""
        key = f"{facts['set']}/{facts['library']}/{facts['model']}"
        self.db.execute("insert or replace into rival values (?,?,?)", (key, self.run, json.dumps(facts)))

    def rivals(self) -> list[dict[str, Any]]:
        """All of them."""
        return [json.loads(row["facts"]) for row in self.db.execute("select facts from rival order by rowid")]

    def add_figure(self, facts: dict[str, Any], quick: bool) -> None:
        """Keep a figure; that of a quick run beside that of a full one."""
        self.db.execute("delete from figure where id = ? and quick = ?", (facts["id"], int(quick)))  # by an old key
        values = (f"{facts['id']}/quick" if quick else facts["id"], int(quick), self.run, json.dumps(facts))
        self.db.execute("insert or replace into figure values (?,?,?,?)", values)

    def figures(self, quick: bool) -> list[dict[str, Any]]:
        """The figures drawn."""
        found = self.db.execute("select facts from figure where quick = ? order by id", (int(quick),))
        return [json.loads(row["facts"]) for row in found]


def versions() -> dict[str, str]:
    """The versions that a result may depend on."""
    found = {module.__name__: str(module.__version__) for module in (np, scipy, sklearn, numba)}
    return {"python": platform.python_version(), **found}


def machine() -> str:
    """The machine in words."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = (line for line in info.read_text(errors="replace").splitlines() if line.startswith("model name"))
        name = next(lines, name).split(":")[-1].strip()
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


def source() -> str:
    """The commit of the sources, where they lie in a repository."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "released"
