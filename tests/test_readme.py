"""The README's Python runs as it stands."""

from pathlib import Path

from tests.markdown import run_page


def test_readme_code():
    names = run_page(Path(__file__).parents[1] / "README.md")
    assert names["model"].score(names["X_test"], names["y_test"]) > 0.9
    assert names["stream"].t_ == len(names["y_train"])
