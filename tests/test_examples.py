"""The examples run and print what they promise."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
WORDS = {
    "imbalanced_table.py": ["out of fold", "against balanced logistic regression", "cases"],
    "sparse_text.py": ["telling words", "test AUC"],
    "stream.py": ["after  40000 rows", "one fitted to all at once"],
}


def test_all_examples_are_listed():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(WORDS)


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:FigureCanvasAgg is non-interactive")
def test_example(name, capsys):
    plt.switch_backend("Agg")
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert plt.get_fignums(), "no picture"
    plt.close("all")
    printed = capsys.readouterr().out
    for words in WORDS[name]:
        assert words in printed
