"""What the library gives is what it gave: results on fixed rows, and files that earlier versions wrote.

``AUCMAX_GOLDEN=exact`` compares to the last bit, for use on one machine before and after a change.
"""

import os
import re

import numpy as np
import pytest

import aucmax
from tests.golden.files import FOLDER, KEPT, RUNS, expected, version_of
from tests.golden.readers import HAS_TABLES, OF_TABLES
from tests.golden.results import PARTS, STORED, results, unpacked

EXACT = os.environ.get("AUCMAX_GOLDEN") == "exact"
USUAL = 1e-12  # relative to the largest of an array
# Other processors and libraries of linear algebra round otherwise. What that comes to was tried with OpenBLAS made for
# Nehalem, Haswell and SkylakeX, and with kernels compiled for the oldest processors; texts and choices never changed.
SINGLE = 1e-5  # arithmetic in float32: 1.1e-6 seen
STOPPED = 1e-7  # descents that end within a tolerance, where rounding decides at which step: 4.6e-9 seen
AMPLIFIED = 1e-9  # steps that divide by differences, or put weights back onto a ball: 1.9e-12 seen
LOOSER = {  # the first pattern counts that a name begins with
    r"features/(float32|N\w+)/|classifier/\w+/kernel/|files/(kernel|npsam)\.auc": SINGLE,
    r"classifier/\w+/(stream of|stochastic)": USUAL,
    r"classifier/|algorithms/ROCSVM/|algorithms/ExactAUC/\w+/.*wide|files/(classifier\.ckpt|encoded\.auc)": STOPPED,
    r"algorithms/(CBR|FSAUC)/": AMPLIFIED,
}
COUNTS = {r"algorithms/(ROCSVM|ExactAUC)/.*/(n_iter_|t_)$": 0.25}  # of iterations to a tolerance: 0.14 seen
REMAKE = "run `python -m tests.golden.make` if this is meant, and say so in the changelog"


def looked_up(name, table, otherwise):
    """The entry of the first pattern that a name begins with."""
    return next((value for pattern, value in table.items() if re.match(pattern, name)), otherwise)


def distance(found, stored):
    """The largest difference of two arrays, relative to the largest finite value; infinite where they are not alike."""
    finite = np.isfinite(stored)
    if found.shape != stored.shape or not np.array_equal(found[~finite], stored[~finite], equal_nan=True):
        return np.inf
    if np.array_equal(found, stored, equal_nan=True):
        return 0.0
    return np.abs(found - stored)[finite].max() / np.abs(np.append(stored[finite], found[finite])).max()


def fault(name, found, stored):
    """What is wrong with a result, or None."""
    if found.dtype.kind == "U" or stored.dtype.kind == "U":
        same = np.array_equal(found, stored)
        return None if same else f"{name}: {found.tolist()}, stored {stored.tolist()}"
    usual = 0.0 if stored.dtype.kind == "i" else USUAL
    most = 0.0 if EXACT else looked_up(name, COUNTS if stored.dtype.kind == "i" else LOOSER, usual)
    off = distance(found, stored)
    return None if off <= most else f"{name}: off by {off:.2g} of its largest value, expected at most {most:g}"


@pytest.fixture(scope="module")
def stored():
    return unpacked(STORED)


@pytest.mark.parametrize("part", PARTS)
def test_results_are_those_that_are_stored(part, stored):
    kept = {name: value for name, value in stored.items() if name.startswith(f"{part}/")}
    if not HAS_TABLES:
        kept = {name: value for name, value in kept.items() if not name.startswith(OF_TABLES)}
    found = results(part)
    strange = [f"{name}: not stored" for name in found if name not in kept]
    strange += [f"{name}: stored, but not given any more" for name in kept if name not in found]
    strange += filter(None, (fault(name, value, kept[name]) for name, value in found.items() if name in kept))
    assert not strange, "\n".join([f"{len(strange)} of {len(kept)} results are others; {REMAKE}:", *strange[:30]])


def test_nothing_else_is_stored(stored):
    assert {name.partition("/")[0] for name in stored} == set(PARTS)
    names = {*KEPT, *(expected(name).name for name in KEPT)}
    assert {path.name for path in FOLDER.iterdir()} == names, f"{FOLDER} holds other files; {REMAKE}"


@pytest.mark.parametrize("name", KEPT)
def test_files_of_earlier_versions_are_read(name, tmp_path):
    """Models and stores of any version; checkpoints, by their contract, of the same version only."""
    path = FOLDER / name
    if name == "encoded.auc":
        pytest.importorskip("pyarrow")
    if name in RUNS and version_of(path) != aucmax.__version__:
        pytest.skip(f"is of aucmax {version_of(path)}; remove it, and run `python -m tests.golden.make` for a new one")
    _, read = KEPT[name]
    complaint = fault(f"files/{name}", read(path, tmp_path), np.load(expected(name)))
    assert complaint is None, complaint
