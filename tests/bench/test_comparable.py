"""The rule that says which printed figures can be compared: each of its criteria can fail, and all are asked alike."""

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from aucmax.bench.comparable import CRITERIA, OTHER_PROBLEM, reasons, repeats_of
from aucmax.bench.outcome import rows_of
from aucmax.bench.suite import Taken, known_files, suite_names, suite_of
from aucmax.data.registry import named_sets
from tests.errata.real import exact_auc, real

AT_HAND = [(suite_of(name), *key) for name in suite_names() for key in suite_of(name).published]
AT_HAND = [(suite, where, algorithm) for suite, where, algorithm in AT_HAND if where in suite.sets]
COMPARED = {
    "fsauc-2": 2,
    "psam-ii": 1,
    "psam-iii": 0,
    "thesis-3.2": 16,
    "thesis-4.2": 12,
    "thesis-5.2": 1,
    "thesis-6.3": 2,
    "thesis-6.4": 10,
    "vrspam-2": 7,
}


def fails(suite, where, algorithm):
    return [reason.criterion for reason in reasons(suite, where, algorithm)]


@pytest.fixture
def fine():
    """A suite with a figure that can be compared."""
    suite = suite_of("thesis-4.2")
    assert fails(suite, "a9a", "SPAM-NET") == []
    return suite


def entry(suite, **changes):
    return suite._replace(sets={**suite.sets, "a9a": suite.sets["a9a"]._replace(**changes)})


def test_rows_and_columns_are_the_papers(fine):
    for counted in ((32562, 123), (32561, 122), (141691, 123)):
        assert fails(fine._replace(counted={**fine.counted, "a9a": counted}), "a9a", "SPAM-NET") == ["rows"]
    assert fails(entry(fine, files=("a9a", "a9a.t")), "a9a", "SPAM-NET") == ["rows"]


def test_numbers_are_the_sources():
    """Of usps and cod-rna the files at hand hold as many rows as the papers', but other numbers."""
    suite = suite_of("vrspam-2")
    assert "rows" in fails(suite, "usps", "VRSPAM-L2")
    assert reasons(suite, "usps", "VRSPAM-L2")[0].text.startswith("the grey values at hand")
    assert set(known_files().other_numbers) | known_files().two_scales <= set(named_sets())


def test_groups_of_classes_are_given(fine):
    several = fine._replace(counted={**fine.counted, "a9a": (581012, 54)})
    several = entry(several, files=("covtype",))
    for labels, found in (
        ("random halves", True),
        ("first half", True),
        ("even against odd", False),
        ("2 against the rest", False),
    ):
        assert ("classes" in fails(entry(several, labels=labels), "a9a", "SPAM-NET")) == found
        taken = Taken(("SPAM-NET",), "rows", labels=labels)  # what counts is what the other paper did
        assert (
            "classes" in fails(entry(several, labels="even against odd")._replace(taken=(taken,)), "a9a", "SPAM-NET")
        ) == found
    assert "classes" not in fails(entry(fine, labels="random halves"), "a9a", "SPAM-NET")  # it has two


def test_print_can_be_read(fine):
    figure = fine.published["a9a", "SPAM-NET"]._replace(sure=False)
    assert fails(fine._replace(published={**fine.published, ("a9a", "SPAM-NET"): figure}), "a9a", "SPAM-NET") == [
        "print"
    ]


def test_what_can_hardly_be_read():
    """Six sets of PSAM's table II, five of them at hand: all of their figures, whatever the algorithm."""
    unsure = {(suite.name, where) for suite, where, name in AT_HAND if not suite.published[where, name].sure}
    assert unsure == {("psam-ii", where) for where in ("spambase", "ijcnn1", "a9a", "connect-4", "mnist")}
    for suite, where, algorithm in AT_HAND:
        assert ("print" in fails(suite, where, algorithm)) == ((suite.name, where) in unsure)


def test_rows_of_the_table_are_their_sets(fine):
    assert fails(fine._replace(interchanged={"a9a": "swapped"}), "a9a", "SPAM-NET") == ["interchanged"]
    assert {where for suite, where, name in AT_HAND if "interchanged" in fails(suite, where, name)} == {
        "usps",
        "letter",
    }


def test_no_option_was_chosen_knowing_test_figures(fine):
    known = fine.algorithms["SPAM-NET"]

    def changed(**what):
        return fine._replace(algorithms={**fine.algorithms, "SPAM-NET": known._replace(**what)})

    assert fails(changed(informed="passes"), "a9a", "SPAM-NET") == ["informed"]
    assert fails(changed(informed_wide="a sketch"), "a9a", "SPAM-NET") == []
    assert fails(changed(informed_wide="a sketch", wide_from=100), "a9a", "SPAM-NET") == ["informed"]
    assert fails(fine._replace(informed={"a9a": "columns"}), "a9a", "SPAM-NET") == ["informed"]


def test_choices_that_were_not_blind():
    """Where they are declared: wherever an algorithm has the option, not only where its figures are good or bad."""
    found = {(suite.name, name) for suite, where, name in AT_HAND if suite.algorithms[name].informed}
    for name, tables in {
        "OAMseq": ("thesis-3.2", "thesis-4.2", "psam-ii"),
        "OAMgra": ("thesis-3.2", "thesis-4.2", "psam-ii"),
        "SPAM-L2": ("thesis-4.2", "thesis-6.3", "thesis-6.4", "vrspam-2"),
        "SOLAM": ("fsauc-2", "psam-ii", "vrspam-2"),
    }.items():
        assert {table for table, algorithm in found if algorithm == name} == set(tables)
    assert {name for _, name in found} >= {"PSAM", "ASAM", "NSOLAM", "FSAUC", "SOLAM-l1"}
    suite = suite_of("psam-ii")
    assert suite.algorithms["OAMgra"].fixed["buffer"] == "fifo"
    assert "first in, first out" in suite.algorithms["OAMgra"].informed
    assert all("informed" in fails(suite, "sector", name) for where, name in suite.published if where == "sector")


def test_scale_is_the_papers(fine):
    for says, columns, rows, found in (
        ("rows", "as they are", "centred", []),
        ("rows", "range", "centred", ["scale"]),
        ("nothing", "as they are", "as they are", []),
        ("nothing", "as they are", "centred", ["scale"]),
        ("nothing", "largest", "as they are", ["scale"]),
        ("columns", "range", "as they are", []),
    ):
        assert fails(entry(fine, columns=columns, rows=rows)._replace(says=says), "a9a", "SPAM-NET") == found


def test_sets_that_come_in_two_scales():
    """The thesis normalises rows and does not say of which file: what fails for australian fails for all such sets."""
    for table in ("thesis-3.2", "thesis-4.2", "thesis-5.2", "thesis-6.3", "thesis-6.4"):
        suite = suite_of(table)
        own = [(where, name) for _, where, name in AT_HAND if _ is suite and suite.source(name) is None]
        two = {where for where, name in own if "scale" in fails(suite, where, name)}
        asked = {"diabetes", "fourclass", "german", "splice", "ionosphere", "australian"}
        assert two >= asked & set(suite.sets)
        assert not two & {"a9a", "ijcnn1", "usps", "arrhythmia", "breastw", "mammography", "thyroid", "spambase"}
    suite = suite_of("thesis-3.2")  # where OPAUC's figures are of another paper, which says where its columns are
    assert "scale" not in fails(suite, "diabetes", "OPAUC")
    assert "scale" in fails(suite, "diabetes", "regSOLAM")


def test_norms_of_rows_depend_on_the_scale_of_columns():
    """Rows of diabetes divided by their norm: as LIBSVM's file has them, and on [-1, 1], are two problems."""
    X, y = real("diabetes")
    X, y = X.toarray(), np.where(y > 0, 1, -1)
    ranged = 2 * (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) - 1
    rows = np.random.default_rng(0).permutation(len(y))
    found = []
    for kind in (X, ranged):
        unit = kind / np.linalg.norm(kind, axis=1, keepdims=True)
        found.append(exact_auc((unit[rows[::2]], y[rows[::2]]), (unit[rows[1::2]], y[rows[1::2]]), 1e-4))
    assert abs(found[0] - found[1]) > 0.01


def test_all_algorithms_of_a_set_and_table_are_asked_alike():
    """Rows, classes, interchanged rows: facts of a set in a table, and of the paper that the figures are of."""
    seen = {}
    for suite, where, name in AT_HAND:
        source = suite.source(name)
        found = [
            criterion for criterion in fails(suite, where, name) if criterion in ("rows", "classes", "interchanged")
        ]
        assert seen.setdefault((suite.name, where, source and source.labels), found) == found
    for table, where in (("psam-ii", "sector"), ("psam-ii", "connect-4"), ("thesis-4.2", "ijcnn1")):
        suite = suite_of(table)
        of = {name for place, name in suite.published if place == where}
        assert all(reasons(suite, where, name) for name in of)


def test_no_result_changes_what_can_be_compared():
    """Neither a good nor a bad one."""
    base = {"kind": "tuned", "repeat": 0, "params": {}, "seconds": 1.0, "error": None}
    for name in suite_names():
        suite = suite_of(name)
        found = []
        for auc in (0.0, 0.5, 1.0):
            cells = [{**base, "set": where, "algorithm": key, "auc": auc} for where, key in suite.published]
            rows = rows_of(suite, cells)
            found.append([row.state == "not comparable" for row in rows])
            assert all((row.state == "not comparable") == bool(row.fails) for row in rows)
        assert found[0] == found[1] == found[2]


def test_how_many_can_be_compared():
    found = Counter(suite.name for suite, where, name in AT_HAND if not reasons(suite, where, name))
    assert {name: found[name] for name in suite_names()} == COMPARED
    assert sum(COMPARED.values()) == 51
    assert len(AT_HAND) == 360


def test_how_many_fail_each_criterion():
    every = [fails(*key) for key in AT_HAND]
    assert Counter(name for names in every for name in names) == {
        "rows": 91,
        "classes": 126,
        "print": 33,
        "interchanged": 12,
        "informed": 170,
        "scale": 169,
    }
    alone = Counter(names[0] for names in every if len(names) == 1)
    assert alone == {"rows": 17, "classes": 11, "print": 1, "informed": 42, "scale": 44}
    assert set(OTHER_PROBLEM) < set(CRITERIA)


def test_a_set_that_is_not_at_hand_is_not_asked():
    suite = suite_of("psam-ii")
    assert reasons(suite, "epsilon", "PSAM") == []
    assert repeats_of(suite, "epsilon", "PSAM", True) == suite.quick_repeats


PAGE = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def table(header):
    """The rows of a table of the page, by their first column, as whole numbers."""
    lines = PAGE.split(header)[1].splitlines()[2:]
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines)
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {name: list(map(int, numbers)) for name, *numbers in cells}


def test_the_page_has_these_counts():
    """What can be computed without data: how many of every table are compared, are not, or are on sets not at hand."""
    found = table("| table | better | reproduced | cause known | short | not comparable | no data |")
    assert set(found) == {*suite_names(), "all"}
    here = Counter(suite.name for suite, _, _ in AT_HAND)
    for name in suite_names():
        *compared, other, absent = found[name]
        assert sum(compared) == COMPARED[name], name
        assert other == here[name] - COMPARED[name], name
        assert absent == len(suite_of(name).published) - here[name], name
    assert found["all"] == [sum(column) for column in zip(*(found[name] for name in suite_names()), strict=True)]


def test_the_first_page_agrees():
    """The README's count is that of the table on the page of the benchmarks."""
    better, reproduced, known, short, *_ = table(
        "| table | better | reproduced | cause known | short | not comparable | no data |"
    )["all"]
    text = " ".join((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split())
    printed = sum(len(suite_of(name).published) for name in suite_names())
    assert (known, short) == (1, 0)
    assert f"Of {printed} printed figures {len(AT_HAND)} are on sets at hand, and {sum(COMPARED.values())} of" in text
    assert f"{better} of ours are better, {reproduced} reproduce the print, one falls short for a known cause" in text


def test_the_page_says_how_many_fail_each_criterion():
    found = table("| criterion | fail it | and no other | of the 201 compared before |")
    every = [fails(*key) for key in AT_HAND]
    assert list(found) == list(CRITERIA)
    for name, (failing, alone, before) in found.items():
        assert failing == sum(name in names for names in every), name
        assert alone == sum(names == [name] for names in every), name
        assert before <= failing
