"""The documentation site: Sphinx with MyST, built without fetching anything. `make docs` builds and checks it."""

project = "ycsbook"
author = "the ycsbook authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# docs/api.md is made from docstrings.
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_attr_annotations = False
napoleon_use_rtype = False

# Notebooks are run by `ycsbook report`; a site that ran them would measure.
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
exclude_patterns = ["_build", "**/evidence/**"]

html_theme = "furo"
html_title = "ycsbook"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b6394", "color-brand-content": "#0b6394"},
    "dark_css_variables": {"color-brand-primary": "#6cb6e6", "color-brand-content": "#6cb6e6"},
}

_SECTIONS = {"Attributes", "Examples", "Parameters", "Raises", "References", "Returns"}


def _with_colons(*event):
    """The sections of our docstrings as napoleon knows them."""
    lines = event[-1]
    lines[:] = [f"{line}:" if line in _SECTIONS else line for line in lines]


def setup(app):
    """Before napoleon, which listens with the usual priority."""
    app.connect("autodoc-process-docstring", _with_colons, priority=100)
