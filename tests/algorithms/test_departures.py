"""Every algorithm says in its module's docstring where it differs from its paper."""

import importlib
import inspect
import pkgutil

import pytest

import aucmax
from aucmax import SPAM, AdaOAM, KMeansNystroem, algorithms
from aucmax.bench.suite import ITERATES, suite_names, suite_of

MODULES = [name for _, name, _ in pkgutil.iter_modules(algorithms.__path__)]


@pytest.mark.parametrize("name", [*(f"aucmax.algorithms.{name}" for name in MODULES), "aucmax.features.nystroem"])
def test_departures_are_listed(name):
    assert "\nDepartures: " in inspect.getdoc(importlib.import_module(name))


def departures(cls):
    return " ".join(inspect.getmodule(cls).__doc__.split("Departures: ")[1].split())


def test_defaults_that_are_not_the_papers_are_named():
    assert SPAM().average
    assert "by default the step-weighted average" in departures(SPAM)
    assert KMeansNystroem().kmeans_iter == 5
    assert "stops after 5 iterations by default" in departures(KMeansNystroem)
    assert "H is a diagonal matrix only" in departures(AdaOAM)
    for cls in (aucmax.OAM, aucmax.CBR):
        assert "not from the oldest on" in departures(cls)
        assert cls().max_iter == 20
        assert "up to 20" in departures(cls)


@pytest.mark.parametrize("name", suite_names())
def test_suites_say_which_iterate_they_score(name):
    """As the estimators return it; of SPAM the average, where the paper's algorithm ends with the last one."""
    for algorithm in suite_of(name).algorithms.values():
        model = getattr(aucmax, algorithm.estimator.removeprefix("N"))(**algorithm.own)
        assert algorithm.iterate in ITERATES
        if isinstance(model, SPAM):
            average = {**algorithm.own, **algorithm.fixed}.get("average", model.average)
            assert algorithm.iterate == ("average" if average else "last")
            assert "algorithm 20 returns the last" in algorithm.note
        else:
            said = " ".join((type(model).__doc__ + inspect.getmodule(model).__doc__).split())
            stages = "Returns the last stage's average" in said
            every = any(text in said for text in ("Returns the step-weighted average", "enters the average, which is"))
            kind = "average of the last stage" if stages else "average" if every else "last"
            assert algorithm.iterate == kind, algorithm.name
