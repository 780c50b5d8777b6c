"""The README's Python runs as it stands."""

import re
from pathlib import Path


def test_readme_code():
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) >= 2
    names = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert names["model"].score(names["X_test"], names["y_test"]) > 0.9
    assert names["stream"].t_ == len(names["y_train"])
