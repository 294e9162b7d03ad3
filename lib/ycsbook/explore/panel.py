"""Widgets one below the other that can also be read where no widget works: on a page, or when the kernel is gone."""

from collections.abc import Callable, Sequence

import ipywidgets

from ycsbook.explore import hover

_WIDE = ipywidgets.Layout(width="100%", max_width="900px")


class WidgetPanel(ipywidgets.VBox):
    """A column of widgets. Where widgets do not work, what they last showed stands in their place.

    Parameters
        clicked: called with the run of a point that was clicked in one of the panel's pictures.
    """

    def __init__(self, children: Sequence[ipywidgets.Widget], clicked: Callable[[str], None]):
        # What a picture writes a run into (hover.CLICK): never seen, nor reached with the keyboard.
        clicked_run = ipywidgets.Text(layout=ipywidgets.Layout(display="none"))
        clicked_run.add_class("ycsbook-clicked")

        def on_click(change: dict) -> None:
            if change["new"]:
                # Empty again, so that a second click on the same point is another one.
                clicked_run.value = ""
                clicked(change["new"])

        clicked_run.observe(on_click, "value")
        super().__init__([*children, clicked_run])
        self.add_class("ycsbook-panel")

    def _repr_mimebundle_(self, **options: object) -> dict[str, str]:
        texts = [w.value.replace(hover.CLICK, "") for w in self.children if isinstance(w, ipywidgets.HTML) and w.value]
        return {**super()._repr_mimebundle_(**options), "text/html": "".join(texts), "text/plain": "Widgets"}


def dropdown(name: str, options: object = (), width: str = "270px") -> ipywidgets.Dropdown:
    """A drop-down list."""
    layout = ipywidgets.Layout(width=width, max_width="99%")
    return ipywidgets.Dropdown(description=name, options=options, layout=layout)


def refill(chosen: ipywidgets.Dropdown | ipywidgets.Select, options: Sequence) -> None:
    """Give a list other options; the choice is kept where it is one of them, else the first is chosen."""
    before = chosen.value
    chosen.options = options
    values = [option[1] if isinstance(option, tuple) else option for option in options]
    chosen.index = values.index(before) if before in values else 0 if values else None


def choose(chosen: ipywidgets.Dropdown, value: object) -> None:
    """Choose a value; one that is not in the list changes nothing."""
    if value in [option[1] for option in chosen.options]:
        chosen.value = value


def rows(name: str, height: str) -> ipywidgets.Select:
    """A list that shows several rows at once, as wide as the picture."""
    return ipywidgets.Select(
        layout=ipywidgets.Layout(width="100%", max_width="900px", height=height), tooltip=name, description=""
    )


def html() -> ipywidgets.HTML:
    """A place for a picture or a text."""
    return ipywidgets.HTML(layout=_WIDE)


def row(*widgets: ipywidgets.Widget) -> ipywidgets.Box:
    """Widgets side by side, in several lines where it is narrow."""
    return ipywidgets.Box(widgets, layout=ipywidgets.Layout(display="flex", flex_flow="row wrap"))
