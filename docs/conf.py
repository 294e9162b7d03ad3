"""The documentation site: Sphinx with MyST, built without fetching anything. `make docs` builds and checks it."""

project = "ycsbook"
author = "the ycsbook authors"
extensions = ["myst_nb"]

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
