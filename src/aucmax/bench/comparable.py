"""Which printed figures can be compared with ours: one rule, asked of every figure of every table alike.

The rule asks what the papers say, what is known of the files at hand and how the suites were made, never a result: a
figure that fails a criterion counts neither for us nor against us. ``docs/benchmarks.md`` has the rule in words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from aucmax.bench.sets import files_of
from aucmax.bench.suite import Suite, known_files
from aucmax.data.registry import set_of


class Criterion(NamedTuple):
    """A criterion of the rule: its words, the function that tells why a figure fails it, and tests of those facts."""

    words: str
    failing: Callable[[Suite, str, str], str]  # empty where the criterion is met
    tests: tuple[str, ...]


class Reason(NamedTuple):
    """A criterion that a figure fails, why, and the tests that show it."""

    criterion: str
    text: str
    tests: tuple[str, ...]


def reasons(suite: Suite, where: str, algorithm: str) -> list[Reason]:
    """Return the criteria that a figure fails; one that fails none can be compared. Sets not at hand are not asked."""
    if where not in suite.sets:
        return []
    found = ((name, known.failing(suite, where, algorithm), known.tests) for name, known in CRITERIA.items())
    return [Reason(name, text, tests) for name, text, tests in found if text]


def repeats_of(suite: Suite, where: str, algorithm: str, quick: bool) -> int:
    """Return how often a figure is run; in a quick run once, where its problem is certainly or possibly another one."""
    if quick and any(reason.criterion in OTHER_PROBLEM for reason in reasons(suite, where, algorithm)):
        return 1
    return suite.quick_repeats if quick else suite.repeats


def _rows(suite: Suite, where: str, algorithm: str) -> str:
    """Return how the files at hand differ from the set that the paper counts."""
    files, (rows, columns) = files_of(suite.sets[where]), suite.counted[where]
    here = sum(set_of(name).rows for name in files), max(set_of(name).columns for name in files)
    if here != (rows, columns):
        return f"the paper has {rows:,} rows of {columns:,} columns, the files at hand have {here[0]:,} of {here[1]:,}"
    return next((text for name, text in known_files().other_numbers.items() if name in files), "")


def _classes(suite: Suite, where: str, algorithm: str) -> str:
    """Return a complaint if a set has several classes and the paper does not name those of the two groups."""
    entry, taken = suite.sets[where], suite.source(algorithm)
    labels = (taken.labels if taken else "") or entry.labels
    two = all(set_of(name).labels == "as they are" for name in files_of(entry))
    if two or labels == "even against odd" or labels.endswith(" against the rest"):
        return ""
    return "which classes are in which of the two groups is not given, and other groups give other figures"


def _print(suite: Suite, where: str, algorithm: str) -> str:
    """Return a complaint where the printed figure is a guess at damaged print."""
    return "" if suite.published[where, algorithm].sure else "the print can hardly be read"


def _interchanged(suite: Suite, where: str, algorithm: str) -> str:
    """Return why the printed row is not that of the set it is printed for."""
    return suite.interchanged.get(where, "")


def _informed(suite: Suite, where: str, algorithm: str) -> str:
    """Return the options that the paper leaves open and that were chosen knowing test figures."""
    found = suite.algorithms[algorithm]
    wide = suite.counted[where][1] > found.wide_from
    options = [found.informed, found.informed_wide if wide else "", suite.informed.get(where, "")]
    named = ", ".join(filter(None, options))
    return f"chosen knowing test figures, where the paper leaves it open: {named}" if named else ""


def _scale(suite: Suite, where: str, algorithm: str) -> str:
    """Return why the scale of the numbers is not the paper's, or is not known to be.

    A paper that says nothing of scaling takes a set as its source has it.
    """
    entry, says = suite.entry(where, algorithm), (suite.source(algorithm) or suite).says
    if says == "columns":
        return ""
    if any(name in known_files().two_scales for name in files_of(entry)):
        return "the paper's sources have the set in two scales, and the paper does not say which it takes"
    kept = entry.columns == "as they are" and (says == "rows" or entry.rows == "as they are")
    return "" if kept else "the paper says nothing of scaling, and here columns or rows are scaled"


CRITERIA = {  # in the order of docs/benchmarks.md
    "rows": Criterion(
        "the files at hand do not hold the paper's rows and columns",
        _rows,
        ("test_rows_that_the_papers_count", "test_parts_of_ijcnn1_differ"),
    ),
    "classes": Criterion(
        "which of several classes are in which of the two groups is not given",
        _classes,
        ("test_groups_of_classes_move_the_auc", "test_some_groups_of_classes_reach_what_is_printed"),
    ),
    "print": Criterion("the print can hardly be read", _print, ("test_what_can_hardly_be_read",)),
    "interchanged": Criterion(
        "the printed row is another set's", _interchanged, ("test_vrspam_usps_and_letter_are_swapped",)
    ),
    "informed": Criterion(
        "an option that the paper leaves open was chosen knowing test figures",
        _informed,
        ("test_choices_that_were_not_blind",),
    ),
    "scale": Criterion(
        "the scale of the columns or rows is not given, or is another one here",
        _scale,
        ("test_norms_of_rows_depend_on_the_scale_of_columns",),
    ),
}
OTHER_PROBLEM = ("rows", "classes", "interchanged")
