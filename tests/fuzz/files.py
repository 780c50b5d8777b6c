"""Kinds of inputs that are files: mutations of healthy ones."""

import io
import random
from inspect import signature

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from aucmax.data import read, stream, tables
from aucmax.persist import container, open_model
from tests.conftest import make_problem
from tests.fuzz import arrays, columns, members, models
from tests.fuzz.judge import WrongResultError


class Readable:
    """Files that ``read`` reads: healthy and damaged ones, each made by a function of a random generator."""

    def __init__(self, name, whole, make, **options):
        self.name, self.whole, self.make, self.options = name, whole, make, options

    def prepare(self, full=True, folder=None):
        """Read files that are whole, which compiles and loads what damaged ones will ask for."""
        for seed in range(10):
            for streamed in (False, True):
                self.used(folder, self.whole(random.Random(seed)), streamed)

    def attempt(self, number, tell, folder):
        """Read a damaged file."""
        rng = random.Random(f"{self.name} {number}")
        data, streamed = self.make(rng), rng.random() < 0.3
        tell(f"{'stream' if streamed else 'read'} {self.name}")
        self.used(folder, data, streamed)

    def used(self, folder, data, streamed):
        """Read what a file holds, at once or in chunks; all of it is to be finite."""
        path = folder / self.name
        path.write_bytes(data)
        for table in stream(path, **self.options) if streamed else [read(path, **self.options)]:
            for part in (table.X.data if sp.issparse(table.X) else table.X, table.y):
                values = np.asarray(part if part is not None else [])
                if values.dtype.kind == "f" and not np.isfinite(values).all():
                    raise WrongResultError("what was read is not finite")


class Wide(Readable):
    """CSV files by the reader for very many columns."""

    def used(self, folder, data, streamed):
        """Read a file as if it were a wide one."""
        before = tables.WIDEST, tables.CSV_BLOCK
        tables.WIDEST, tables.CSV_BLOCK = 0, 256
        try:
            super().used(folder, data, streamed)
        finally:
            tables.WIDEST, tables.CSV_BLOCK = before


def text(name, healthy, make, cls=Readable, **options):
    """LIBSVM text or CSV."""
    return cls(name, lambda rng: healthy.encode(), make, **options)


def npz():
    """Arrays in npz files."""

    def whole(rng):
        out = io.BytesIO()
        np.savez(out, **members.healthy(rng))
        return out.getvalue()

    return Readable("rows.npz", whole, members.case)


def columnar(kind):
    """Arrow, Feather or Parquet."""
    known = [columns.healthy(random.Random(seed)) for seed in range(30)]
    usual = columns.usual()

    def whole(rng):
        return columns.WRITERS[kind](rng, usual)

    return Readable(f"rows.{kind}", whole, lambda rng: columns.case(kind, rng, known), target="y")


class Models:
    """Model files; what is loaded is used."""

    def prepare(self, full=True, folder=None):
        """Make models of every kind, and use each."""
        self.X, self.y = make_problem(n=20, d=6)
        self.known = models.originals()
        for parts in self.known:
            path = folder / "model.auc"
            path.write_bytes(container.packed(*parts))
            self.use(open_model(path).model)

    def attempt(self, number, tell, folder):
        """Load a damaged model, and use it."""
        rng, path = random.Random(f"model {number}"), folder / "model.auc"
        path.write_bytes(models.case(rng, *rng.choice(self.known)))
        tell("load")
        model = open_model(path).model
        tell(f"use {type(model).__name__}")
        self.use(model)

    def use(self, model):
        """Let it score and learn, where it can."""
        if hasattr(model, "decision_function"):
            model.decision_function(self.X)
        if hasattr(model, "partial_fit"):
            model.partial_fit(self.X, self.y, classes=model.classes_)


class Checkpoints:
    """Checkpoints of fits, from which the same fit goes on."""

    def prepare(self, full=True, folder=None):
        """Keep the state of fits of every sort, and go on from each."""
        self.X, self.y = make_problem(n=30, d=6)
        rng = random.Random(0)
        rng.random = lambda: 1.0  # no rare sorts
        self.known = []
        for name, cls in arrays.ESTIMATORS.items():
            for rows in (self.X, sp.csr_matrix(self.X)) if "checkpoint" in signature(cls.fit).parameters else ():
                path, model = folder / f"{name} {sp.issparse(rows)}", arrays.made(name, rng)
                model.fit(rows, self.y, checkpoint=path, every="0s")
                if path.exists():
                    self.known.append((model, rows, *container.unpacked(path.read_bytes(), path)))
                    clone(model).fit(rows, self.y, checkpoint=path)

    def attempt(self, number, tell, folder):
        """Go on from a damaged checkpoint; what comes of it is to be finite."""
        rng, path = random.Random(f"checkpoint {number}"), folder / "checkpoint"
        model, rows, *parts = rng.choice(self.known)
        path.write_bytes(models.case(rng, *parts))
        tell(f"{type(model).__name__}.fit goes on")
        with np.errstate(all="ignore"):
            scores = clone(model).fit(rows, self.y, checkpoint=path).decision_function(self.X)
        if not np.isfinite(scores).all():
            raise WrongResultError("scores are not finite")
