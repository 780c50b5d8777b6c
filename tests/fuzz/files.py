"""Kinds of inputs that are files: mutations of healthy ones."""

import random

from aucmax.data import read, tables
from aucmax.persist import container, open_model
from tests.conftest import make_problem
from tests.fuzz import models


class Text:
    """LIBSVM text or CSV."""

    def __init__(self, name, healthy, make, **options):
        self.name, self.healthy, self.make, self.options = name, healthy, make, options

    def prepare(self, full=True, folder=None):
        """Read a file that is whole, which compiles and loads what damaged ones will ask for."""
        path = folder / self.name
        path.write_text(self.healthy)
        read(path, **self.options)

    def attempt(self, number, tell, folder):
        """Read a damaged file."""
        path = folder / self.name
        path.write_bytes(self.make(random.Random(f"{self.name} {number}")))
        tell(f"read {self.name}")
        read(path, **self.options)


class Wide(Text):
    """CSV files by the reader for very many columns."""

    def attempt(self, number, tell, folder):
        """Read a damaged file as if it were a wide one."""
        before = tables.WIDEST, tables.CSV_BLOCK
        tables.WIDEST, tables.CSV_BLOCK = 0, 256
        try:
            super().attempt(number, tell, folder)
        finally:
            tables.WIDEST, tables.CSV_BLOCK = before


class Models:
    """Model files; what is loaded is used."""

    def prepare(self, full=True, folder=None):
        """Make models of every kind, and use each."""
        self.X, self.y = make_problem(n=20, d=6)
        self.known = models.originals()
        for arrays, document in self.known:
            path = folder / "model.auc"
            path.write_bytes(container.packed(arrays, document))
            self.use(open_model(path).model)

    def attempt(self, number, tell, folder):
        """Load a damaged model, and use it."""
        path = folder / "model.auc"
        path.write_bytes(models.model(random.Random(f"model {number}"), self.known))
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
