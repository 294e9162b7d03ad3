"""The look of every picture: colour means threads, marker means RAM, a ring means a finding.

The colours are told apart under the common kinds of colour blindness and have a contrast of at least 3:1 on
white; each has a partner for dark pages, so that a finished picture can be recoloured (see report/pictures.py).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import cache

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ycsbook import messages, units
from ycsbook.plots.picture import LINE, POINTS_PER_INCH, TICK_LABEL, Picture, is_cjk, widest

INK, MUTED, GRID, PAPER, FLAG = "#1b2733", "#566472", "#d8dee5", "#ffffff", "#b0124a"
BLUE, ORANGE, GREEN, PURPLE, OCHRE, STEEL = "#0b6bb8", "#c24e08", "#0a7d5b", "#8a4799", "#8f6400", "#4f7390"

# The steps of a heat map from a great loss over little change to a great gain, and their partners on a dark page.
CHANGES = ("#f2a0b8", "#f8c4d3", "#fbe2ea", "#f1f4f6", "#dbeee7", "#b3dccd", "#84c5ae")
_DARK_CHANGES = ("#8a2049", "#64203d", "#432030", "#28323b", "#1c3a33", "#195043", "#167058")

# From few threads to many: ever darker, on a dark page ever lighter.
THREADS = ("#7f9a08", "#3d9440", "#0f8a72", "#0b7794", "#1f5fa6", "#3d45a0", "#43298a", "#2f1062")
_DARK_THREADS = ("#7d8f2c", "#4f9c52", "#35ab90", "#45b3cf", "#7fb2f2", "#a9b4ff", "#cfc3ff", "#f0e4ff")
# The thread counts of the whole report, where one is made.
_in_report: ContextVar[tuple[float, ...]] = ContextVar("thread counts of a report", default=())

# light colour: its partner on a dark page
DARK = {
    **dict(zip(CHANGES, _DARK_CHANGES, strict=True)),
    **dict(zip(THREADS, _DARK_THREADS, strict=True)),
    INK: "#e7edf3", MUTED: "#a3b0bd", GRID: "#37434f", PAPER: "#151c23", FLAG: "#ff8db0",
    BLUE: "#6bb6ff", ORANGE: "#ff9c60", GREEN: "#4ecfa3", PURPLE: "#d79be8", OCHRE: "#e6bd4c", STEEL: "#a8c3da",
}  # fmt: skip

CYCLE = (BLUE, ORANGE, GREEN, PURPLE, OCHRE, STEEL)
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h", "<", ">", "p", "*")

LATIN_FONT = "DejaVu Sans"
"""Comes with matplotlib."""
CJK_FONTS = (
    "Noto Sans CJK SC", "Source Han Sans SC", "Source Han Sans CN", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei",
    "Microsoft YaHei", "PingFang SC", "Hiragino Sans GB",
)  # fmt: skip
"""Fonts with Chinese letters, the first found is used."""
# A longer name would leave no room for the picture.
MAX_NAME = 20

RC = {
    "figure.facecolor": "none", "savefig.facecolor": "none", "axes.facecolor": "none",
    "font.size": 10, "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.titlepad": 8, "axes.labelsize": 9.5, "axes.labelcolor": MUTED, "axes.edgecolor": MUTED,
    "axes.linewidth": 0.8, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "axes.axisbelow": True, "axes.titlecolor": INK, "grid.color": GRID, "grid.linewidth": 0.8,
    "text.color": INK, "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelsize": TICK_LABEL,
    "ytick.labelsize": TICK_LABEL,
    "legend.frameon": False, "legend.fontsize": 8.5, "lines.linewidth": 1.8, "lines.markersize": 6,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "path", "svg.hashsalt": "ycsbook", "axes.unicode_minus": True, "path.simplify": False,
}  # fmt: skip


@cache
def cjk_font() -> str:
    """The font for Chinese letters on this machine; empty where there is none."""
    manager = font_manager.fontManager
    if not {entry.name for entry in manager.ttflist} & set(CJK_FONTS):
        # matplotlib keeps a list of the fonts it once found; one that was installed since is not on it.
        for path in set(font_manager.findSystemFonts()) - {entry.fname for entry in manager.ttflist}:
            with suppress(RuntimeError):  # a file that is no font
                manager.addfont(path)
    names = {entry.name for entry in manager.ttflist}
    return next((name for name in CJK_FONTS if name in names), "")


def theme() -> AbstractContextManager[None]:
    """The project's matplotlib settings; they hold while a picture is made and while it is saved."""
    return matplotlib.rc_context({**RC, "font.family": [LATIN_FONT]})


def shows(text: str) -> bool:
    """Whether the fonts found here can draw the text: Latin always, Chinese where a font for it is installed."""
    return not is_cjk(text) or bool(cjk_font())


def drawn_language(lang: str) -> str:
    """The language of the pictures of a page: English where no font here has the letters of the page's."""
    return lang if shows(messages.text("report-kicker", lang)) else "en"


def spec_name(label: str, slug: str) -> str:
    """What a picture calls a spec: the vendor's label where the fonts can draw it, else the slug; never a long text."""
    name = label if label and shows(label) else slug
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"


def plain(text: str) -> str:
    """The text as matplotlib prints it literally: a dollar sign would start mathematics."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("$", r"\$")


def thread_colours(threads: Iterable[float]) -> dict[float, str]:
    """A colour for each thread count, by its place among those of the report; without a report, among these. One or two
    counts are told apart best by blue and orange."""
    counts = {float(t) for t in threads if not math.isnan(t)}
    every = sorted(counts.union(_in_report.get()))
    steps = np.linspace(0, len(THREADS) - 1, len(every)).round().astype(int)
    colours = (BLUE, ORANGE) if len(every) < 3 else [THREADS[step] for step in steps]
    return {t: colour for t, colour in zip(every, colours, strict=False) if t in counts}


@contextmanager
def one_meaning(threads: Iterable[float]) -> Iterator[None]:
    """While these are the thread counts of a report, each has the same colour in all of its pictures."""
    token = _in_report.set(tuple(float(t) for t in set(threads) if not math.isnan(t)))
    try:
        yield
    finally:
        _in_report.reset(token)


def alike(pictures: Iterable[Figure]) -> None:
    """Make pictures that stand side by side as high as the highest, with titles in letters of one size."""
    pictures = [picture for picture in pictures if isinstance(picture, Picture)]
    height = max((picture.get_size_inches()[1] for picture in pictures), default=0.0)
    legend = max((picture.legend_height for picture in pictures), default=0.0)
    size = min((picture.heading_size for picture in pictures if picture.heading), default=0.0)
    for picture in pictures:
        picture.set_size_inches(picture.get_size_inches()[0], height)
        picture.legend_height = legend
        if picture.heading:
            picture.heading.set_fontsize(size)


def ram_markers(ram_gib: Iterable[float]) -> dict[float, str]:
    """A marker for each RAM size, smallest first; the same for all where there are too many sizes to tell apart."""
    sizes = sorted({float(r) for r in ram_gib if not math.isnan(r)})
    return dict(zip(sizes, _MARKERS, strict=False)) if len(sizes) <= len(_MARKERS) else dict.fromkeys(sizes, "o")


def panel(height: float = 4.4, width: float = 4.9) -> tuple[Figure, Axes]:
    """A small figure with one axes (inches), made without pyplot, so that nothing is kept open."""
    figure = Picture(figsize=(width, height))
    figure.cjk = (LATIN_FONT, cjk_font()) if cjk_font() else ()
    return figure, figure.add_subplot()


@contextmanager
def picture(height: float = 4.4, width: float = 4.9) -> Iterator[tuple[Figure, Axes]]:
    with theme():
        yield panel(height, width)


def title(axes: Axes, text: str) -> None:
    """The title at the left, its lines as they are; one that no font here can draw is left out, never boxes."""
    drawable = "\n".join(plain(line) for line in text.splitlines() if shows(line))
    # At its usual height, as it is said: matplotlib would measure all ticks for a place above them.
    heading = axes.set_title(drawable, loc="left", y=1.0)
    if isinstance(axes.figure, Picture):
        axes.figure.heading = heading if heading.get_text() else None


def labelled(axes: Axes, heading: str, lang: str, *, x: str, y: str = "") -> Axes:
    axes.set_xlabel(messages.text(x, lang))
    if y:
        axes.set_ylabel(messages.text(y, lang))
    title(axes, heading)
    return axes


def name_beside(
    axes: Axes, name: str, at: tuple[float, float], colour: str = MUTED, offset: tuple[float, float] = (6, 0),
    *, va: str = "center", **more: object,
) -> None:  # fmt: skip
    """A name beside a point, `offset` in points to the right and up; `more` as Axes.annotate takes it."""
    axes.annotate(plain(name), at, xytext=offset, textcoords="offset points", va=va, fontsize=8.5, color=colour, **more)


def rows_from_top(axes: Axes, names: Sequence[str]) -> None:
    # Before the ticks are made, which else would each be changed again.
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0, left=False)
    axes.set_yticks(range(len(names)), [plain(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)


def core_ticks(axes: Axes, cores: Sequence[float], apart: float = 0.3) -> None:
    """A log2 axis whose ticks are the core counts that were measured, thinned to be so many doublings apart."""
    axes.set_xscale("log", base=2)
    ticks: list[float] = []
    for value in sorted(set(cores)):
        if not ticks or math.log2(value / ticks[-1]) > apart:
            ticks.append(value)
    # Before the ticks are made, which else would each be changed again.
    axes.minorticks_off()
    axes.grid(axis="x", visible=False)
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])


def ops_ticks(axes: Axes) -> None:
    """Throughput from 0, thousands shortened to k."""
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: ops(value))


def ops_log(axes: Axes, which: str, values: np.ndarray, show: Callable[[float], str] | None = None) -> None:
    """Throughput on a log axis ("x" or "y") around these values, with ticks at 1, 2 and 5; on a short one between. Of
    other values `show` says how a tick prints them."""
    values = values[values > 0]
    low, high = (values.min() / 1.25, values.max() * 1.25) if len(values) else (1.0, 10.0)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [tick for power in powers for step in (1, 2, 5) if low <= (tick := step * 10.0**power) <= high]
    if len(ticks) < 2:
        ticks = [tick for tick in MaxNLocator(5).tick_values(low, high) if low <= tick <= high]
    getattr(axes, f"set_{which}scale")("log")
    # Before the ticks are made, which else would each be changed again.
    axes.minorticks_off()
    getattr(axes, f"set_{which}lim")(low, high)
    getattr(axes, f"set_{which}ticks")(ticks, [(show or ops)(tick) for tick in ticks])


def ops(value: float) -> str:
    return f"{value:g}" if abs(value) < 1000 else f"{value / 1000:g}k"


def milliseconds(latency_us: float) -> str:
    return f"{latency_us / units.US_PER_MS:g}"


def entry(label: str, **look: object) -> Line2D:
    return Line2D([], [], label=label, **look)


def dot(label: str, colour: str = MUTED, marker: str = "o", **look: object) -> Line2D:
    return entry(label, color=colour, marker=marker, linestyle="none", **look)


def thread_handles(threads: Iterable[float], lang: str = "en") -> list[Line2D]:
    colours = thread_colours(threads)
    return [entry(messages.text("threads", lang, threads=n), color=colours[n], marker="o") for n in colours]


def ram_handles(ram_gib: Iterable[float], unit: str) -> list[Line2D]:
    """Legend entries: a marker per RAM size; none where the sizes share one. unit: GB, as vendors write it, or GiB."""
    markers = ram_markers(ram_gib)
    return [dot(f"{size:g} {unit}", marker=markers[size]) for size in markers if len(markers) <= len(_MARKERS)]


def legend(figure: Figure, handles: Sequence[Line2D]) -> None:
    """The legend below the axes, in rows of up to four, as many as fit."""
    size = RC["legend.fontsize"]
    labels, room = [str(handle.get_label()) for handle in handles], figure.get_size_inches()[0] * POINTS_PER_INCH
    columns = max((n for n in range(1, min(4, len(labels)) + 1) if _legend_width(labels, n, size) <= room), default=1)
    rows = math.ceil(len(handles) / columns)
    figure.legend(
        handles=handles, loc="lower center", ncols=columns, handlelength=1.5, columnspacing=1.3, labelspacing=0.4,
        borderpad=0.3, borderaxespad=0.2,
    )  # fmt: skip
    if isinstance(figure, Picture):
        figure.legend_height = size * (rows * (LINE + 0.4) + 0.5)


def _legend_width(labels: Sequence[str], columns: int, size: float) -> float:
    """How wide a legend of so many columns is, in points; matplotlib fills them one after the other."""
    parts = [list(part) for part in np.array_split(np.asarray(labels, dtype=object), columns)]
    # Handle, its space to the text, and the space between columns.
    return sum(widest(part, size) + size * (1.5 + 0.8 + 1.3) for part in parts)
