"""Configuration of the documentation; `make docs` builds it with warnings as errors."""

import sys
import warnings
from importlib import metadata
from pathlib import Path

# ArviZ 0.23 announces its successor on import.
warnings.filterwarnings("ignore", category=FutureWarning, module="arviz")

project = "bayescorr"
author = "The bayescorr developers"
copyright = "2026, the bayescorr developers"
release = metadata.version("bayescorr")

extensions = [
    "_mathml",
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
]
# autosummary writes its pages with the first suffix.
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build"]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
myst_update_mathjax = False
html_math_renderer = "mathml"
# scripts/run_notebooks.py executes the notebooks and stores their output.
nb_execution_mode = "off"
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Options start with two dashes, which must not become one.
smartquotes = False

html_theme = "pydata_sphinx_theme"
html_title = "bayescorr"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
html_show_sourcelink = False

sys.path.insert(0, str(Path(__file__).parent))
import _generate  # noqa: E402

_generate.write_all()
