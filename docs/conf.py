"""How the site is built; ``make docs`` runs it with warnings as errors and without the network."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import aucmax  # noqa: E402

project = "aucmax"
author = "The aucmax developers"
project_copyright = author
release = version = aucmax.__version__

extensions = [
    "algorithm_pages",
    "linked_names",
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_templates", "gallery/*.py", "gallery/*.ipynb", "gallery/*.md5"]
nitpicky = False  # types such as "array-like" in docstrings are words, not names

templates_path = ["_templates"]
html_theme = "furo"
html_title = f"aucmax {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
# attributes as a plain list: those that are properties too are not declared twice
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_param = False
napoleon_use_rtype = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,  # times belong to a machine
    "remove_config_comments": True,
    "write_computation_times": False,
    "abort_on_example_error": True,
}

# deprecated names that an example meets while it looks at every docstring of other libraries
warnings.filterwarnings("ignore", category=DeprecationWarning)


def skip_foreign(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what classes inherit from other libraries, or are given by them."""
    home = getattr(getattr(member, "fget", member), "__module__", None) or "aucmax"
    return None if home.startswith("aucmax") else True


def setup(app: Any) -> None:
    """Connect the above."""
    app.connect("autodoc-skip-member", skip_foreign)
