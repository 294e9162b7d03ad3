"""An executed notebook as one HTML page that fetches nothing when opened, and runs nothing."""

import functools
import re
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters.html import HTMLExporter
from nbconvert.exporters.templateexporter import TemplateExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter

from ycsbook.report import html
from ycsbook.store import atomic

# What nbconvert's page would fetch from elsewhere when opened, or run; neither formulas nor diagrams need it here.
_REMOTE = re.compile(r'<script\b.*?</script\s*>|<link[^>]*\bhref="https?://[^"]*"[^>]*>', re.DOTALL | re.IGNORECASE)
# Inputs and outputs that are wider than the page are scrolled with the keyboard once they can be reached with it.
_SCROLLED = re.compile(r'<div (?=class="(?:[^"]* )?(?:jp-Cell-inputWrapper|jp-OutputArea-output)[ "])')
# A > may stand inside of quotation marks.
_IMAGE = re.compile(r"""<img(?=[\s/>])((?:"[^"]*"|'[^']*'|[^'">])*)>""")
_ALT = re.compile(r"\salt\s*=")


def export(notebook: Path) -> Path:
    """Write the notebook's page beside it; raises StoreError where the folder cannot be written."""
    content = nbformat.read(notebook, as_version=4)
    # The page's head would fetch a program for them; what they showed stands in the outputs as HTML.
    content.metadata.pop("widgets", None)
    page, _ = exporter().from_notebook_node(content)
    # What a log may have brought into an output is shown and does nothing.
    head = f'<head><meta http-equiv="Content-Security-Policy" content="{html.policy()}">'
    target = notebook.with_suffix(".html")
    dark = f"<style>@media screen and (prefers-color-scheme: dark) {{{_dark_theme()}}}</style></head>"
    atomic.write_text(target, _REMOTE.sub("", page).replace("<head>", head, 1).replace("</head>", dark, 1))
    return target


@functools.cache
def _dark_theme() -> str:
    environment = exporter().environment
    return re.sub(
        r"/\*.*?\*/\s*", "", environment.loader.get_source(environment, "static/theme-dark.css")[0], flags=re.DOTALL
    )


@functools.cache
def exporter() -> HTMLExporter:
    """The one exporter: its templates take longer to compile than a page to make."""
    without_prompts = {"exclude_input_prompt": True, "exclude_output_prompt": True}
    return _Exporter(sanitize_html=False, require_js_url="", mathjax_url="", **without_prompts)


class _Exporter(HTMLExporter):
    """nbconvert's exporter; what that adds by parsing the whole page is added to the text, in half the time."""

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> tuple[str, dict[str, Any]]:
        self.register_filter("highlight_code", Highlight2HTML(pygments_lexer="ipython3", parent=self))
        # Without the state of widgets, whose program would be fetched.
        without_widgets = WidgetsDataTypeFilter(notebook_metadata={}, parent=self, resources=resources or {})
        self.register_filter("filter_data_type", without_widgets)
        page, resources = TemplateExporter.from_notebook_node(self, nb, resources, **kw)
        return _IMAGE.sub(_described, _SCROLLED.sub('<div tabindex="0" ', page)), resources


def _described(image: re.Match) -> str:
    return image[0] if _ALT.search(image[1]) else f'<img alt="No description" {image[1].lstrip()}>'
