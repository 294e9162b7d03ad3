"""Walks a page from its first heading to its last table, and makes rows of it."""

import re
from collections.abc import Iterable, Sequence
from math import isnan, nan
from pathlib import Path

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest import readers
from ycsbook.ingest.log.labels import shape, slug
from ycsbook.ingest.log.table_columns import FIGURE, Role, with_spec
from ycsbook.ingest.published import page_cells, page_forms, page_rows, page_tables, page_units
from ycsbook.ingest.published.page_cells import BLANK, PageSpec, PageSpecs, RowError, figure, is_note, no_run
from ycsbook.ingest.published.page_facts import PageFacts
from ycsbook.ingest.published.page_headings import DEVIATION, LATENCIES, NOT_MEASURED, columns, is_averaged_percentile
from ycsbook.ingest.published.page_mix import LOAD, LOAD_PHASE, mix
from ycsbook.ingest.published.page_rows import SETTINGS, VendorRow
from ycsbook.ingest.published.page_tables import Heading, Lost, PageRow, PageTable, below, check_alignment, placed

NEEDED = {"threads": "threads", "throughput_ops_s": "throughput (QPS)"}
MAX_THREADS = 100_000
MAX_ERRORS = 50

_FIGURE = re.compile(rf"{FIGURE}\s?[kKmMwW万千%]?")  # 8 threads, 16c and 99th are headings
# What tells of throughputs and latencies in tables that are not read, and that these were not measured.
_OF_FIGURES = re.compile(r"throughput|\b[qtr]ps\b|ops/s|latenc|\bp\d\d|吞吐|时延|延迟", re.IGNORECASE)
_BEGINS = re.compile(r"[<>~≈]?\s?\d")
_HAS_UNIT = re.compile(r"[(\[](?:[nuμµm]?s|[km]?[oqt]ps|[km]?ops/s\w*|毫秒|微秒)[)\]]", re.IGNORECASE)
_AIMED = re.compile(r"\b(?:expect(?:ed|ations)|theoretical|hypothetical|targets|goals)\b|预期|理论", re.IGNORECASE)
_MEASURED = re.compile(r"actual|achieved|measured|\bvs\b|实[测际]", re.IGNORECASE)
_THREADS = re.compile(r"^(?:(?:number of|#) ?)?threads$", re.IGNORECASE)


class PageReader:
    """Walks a page's headings and table rows and remembers which mix, columns and spec are in force. `needed`: of
    which a row of headings must name one group; `threads`: of tables without, as the user says."""

    def __init__(self, path: str | Path, needed: Sequence[Iterable[str]] = (NEEDED,), *, threads: str = ""):
        self.path, self.needed, self.threads = path, needed, threads
        self.without_threads: list[RunLogError] = []  # tables that miss nothing but these
        self.lacking: list[RunLogError] = []  # one, if this table does
        self.unread: list[RunLogError] = []  # tables with figures of runs that are not read
        self.specs = PageSpecs()
        self.rows: list[VendorRow] = []
        self.rejected: list[RunLogError] = []
        self.unlisted = 0
        self.facts = PageFacts()
        self.heading = self.title = ""  # the nearest above; of the table
        self.taken: list[page_rows.KeyedRow] = []
        # Of the table so far:
        self.table = PageTable(())
        self.of_each = False  # it has threads of each client, and no clients
        self.columns: list[Role] | None = None
        self.headings = self.above = self.first = ()  # of the columns; the row above; the first row below the headings
        self.wide: page_forms.WideTable | None = None
        self.version = ""  # of a row above
        self.pending: list[page_rows.PendingRow] = []
        self.unit_errors: dict[str, tuple[int, str]] = {}  # of columns whose unit is unknown: line, reason
        self.lacks: list[tuple[PageRow, list[str]]] = []  # of each table: the headings that lack least, and what
        self.legend = ""  # what the page says of units
        self.below: list[tuple[str, int]] = []  # of the table

    def walked(self, text: str) -> "PageReader":
        """Read a page to its end; returns itself."""
        self.legend = page_units.legend(text)
        elements = [*placed(text)]
        for at, (self.facts.line, element) in enumerate(elements):
            self.below = page_units.lines_below(elements, at) if isinstance(element, PageTable) else []
            self.take(element)
        self.rows, twice = page_rows.rows_of_page(self.taken)
        for line, reason in twice:
            self._reject(line, reason)
        return self

    def nearest(self) -> tuple[int | None, str]:
        """The line of the table whose headings lack least of what is needed, and what a user is told of it."""
        reason = f"no table found whose headings name threads and throughput (QPS), {len(self.lacks)} looked at"
        if not self.lacks:
            return None, reason
        row, lacks = min(self.lacks, key=lambda of_table: len(of_table[1]))
        return row.line, f"{reason}: the nearest is {_told(row, lacks)}"

    def _reject(self, line: int, reason: str, errors: list[RunLogError] | None = None) -> None:
        errors = self.rejected if errors is None else errors
        # A hostile page has more bad rows than memory should hold.
        if len(errors) < MAX_ERRORS:
            errors.append(RunLogError(self.path, line, reason))
        else:
            self.unlisted += 1

    def _reject_row(self, row: PageRow, error: RowError) -> None:
        """As _reject, with the heading of the cell as the page prints it."""
        names = [c and c[0] for c in self.columns or ()]
        heading = self.headings[names.index(error.column)] if error.column in names else error.column
        self._reject(row.line, f"{error}{f'; its heading is {shown(heading)}' if heading != error.column else ''}")

    def take(self, element: page_tables.Element) -> None:
        match element:
            case PageTable():
                self._table(element)
            case Lost(line, reason) if self.columns:
                self._reject(line, reason)
            case Heading(_, text):
                self.heading = text
                self.facts.heading(*element)
            case str():
                self.facts.sentence(element)

    def _table(self, table: PageTable) -> None:
        self.table, self.columns, self.above, self.version, before = table, None, (), "", len(self.taken)
        caption = table.caption.strip("# ")
        self.title = caption if self.heading in caption else f"{self.heading}\n{caption}".strip()
        self.facts.new_table(caption, self.below)
        if self.facts.of_table("generator") == "wrk":
            # Its threads are no concurrency: connections are.
            rows = [row.changed(lambda cell: _THREADS.sub("wrk threads", cell)) for row in table.rows]
            self.table = table = table._replace(rows=rows)
        self.of_each = bool(table.rows) and page_forms.of_each_client(table.rows[0].cells)
        if self.of_each and (n := self.facts.clients()):
            cells = page_forms.times_clients([row.cells for row in table.rows], n)
            rows = [row._replace(cells=of_row) for row, of_row in zip(table.rows, cells, strict=True)]
            self.table = table = table._replace(rows=rows)
        has_threads = bool(self.threads or self._threads_of_text())
        names = ((row, _names(row.cells, has_threads=has_threads)) for row in table.rows)
        lacks = [(row, [word for name, word in NEEDED.items() if name not in named]) for row, named in names]
        self.lacks += [min(lacks, key=lambda of_row: len(of_row[1]))] if lacks else []
        is_aimed = _AIMED.search(self.heading) or page_cells.is_projection(self.heading)
        if is_aimed and not _MEASURED.search(self.heading) and _has_figures(table):
            self._reject(table.rows[0].line, f"heading {shown(self.heading)}: not measured, expected runs")
            return
        for row in table.rows:
            try:
                self._cells(row)
            except RowError as e:
                self._reject_row(row, e)
        if table.lost and table.lost.whole_table and self.columns:
            # Where the page was cut nobody knows; the last figure may have lost digits.
            del self.taken[before:]
            self.pending.clear()
        if not (self.columns or self.lacking):
            self.facts.settings(row.cells for row in table.rows)
            if self.columns is None and _has_figures(table, self.title):
                nearest, lacks = self.lacks[-1]
                reason = f"a table with figures is not read: it is {_told(nearest, lacks)}"
                self._reject(nearest.line, reason, self.unread)
        self._end_table()
        if table.lost:
            self.take(table.lost)

    def _cells(self, element: PageRow) -> None:
        above, self.above = self.above, element.cells
        if headings := self._headings(above, element):
            self.lacking = []
            self._end_table()
            self.columns, self.facts.is_lost = [], False  # none, where they are refused
            self.wide = headings if isinstance(headings, page_forms.WideTable) else None
            self.headings = self.wide.headings if self.wide else headings
            self.specs.new_table()
            self.columns = self._columns(element._replace(cells=self.headings))
            self.first = ()
        elif self.columns:
            for cells in self.wide.rows(element.cells) if self.wide else (element.cells,):
                try:
                    self._row(element._replace(cells=cells))
                except RowError as e:
                    self._reject_row(element, e)

    def _headings(self, above: tuple[str, ...], row: PageRow) -> page_forms.WideTable | tuple[str, ...] | None:
        """The headings that a row is, alone or with the row above it; None: it is none."""
        cells = row.cells
        if self.columns is not None and not page_forms.THREADED.search("|".join(cells)):
            return None
        if any(page_cells.is_of_unit(name, cell) for cell in cells for name in ("throughput_ops_s", "latency_us")):
            return None
        # Where the text says the threads, only what has no figures names columns.
        is_bare = not self.columns and not any(map(_FIGURE.fullmatch, cells))
        is_silent = is_bare and (not page_forms.THREADED.search("|".join(cells)) or page_forms.of_each_client(cells))
        has_threads = is_bare and bool(self._threads_of_text() or (self.threads and is_silent))
        headings = self._named(above, cells, has_threads=has_threads)
        is_known = self.lacking or len(self.without_threads) >= MAX_ERRORS
        if not (headings or is_known) and is_silent and self._named(above, cells, has_threads=True):
            said = self.facts.says("threads")
            lines = ", ".join(map(str, self.facts.lines("threads"))) if len(said) > 1 or None in said else ""
            why = f" that is plain: line {lines} leaves it open" if lines else ""
            why = " of all clients: nothing says how many there were" if self.of_each else why
            reason = f"a table with throughput but no thread count{why}; {readers.WITHOUT_THREADS}"
            self.lacking = [RunLogError(self.path, row.line, reason)]
        return headings

    def _threads_of_text(self) -> float | None:
        """How many threads the text around the table says; those of all clients where its own are of each."""
        return None if self.of_each else self.facts.of_table("threads", "clients")

    def _named(self, above: tuple, cells: tuple, *, has_threads: bool) -> page_forms.WideTable | tuple[str, ...] | None:
        is_heading, tried = any(map(_names(cells, has_threads=has_threads).issuperset, self.needed)), [cells]
        if (is_heading or not self.columns) and not self.pending and len(above) == len(cells):
            tried = [below(above, cells), *([] if self.columns else tried)]
        titles = self.title.split("\n")[::-1]
        rates = page_forms.rate_columns([row.cells for row in self.table.rows], cells)
        wide = (page_forms.wide_table(headings, *titles, has_threads=has_threads, rates=rates) for headings in tried)
        return next(filter(None, wide), tried[-1] if is_heading else None)

    def _columns(self, row: PageRow) -> list[Role]:
        runs = self.wide.runs if self.wide else [range(len(row.cells))]
        width = self.wide.width if self.wide else len(row.cells)
        rows = [of for of in self.table.rows if len(of.cells) == width and of.cells != self.above]
        cells = [[of.cells[i] for of in rows] if isinstance(i, int) else [] for i in runs[0]]
        roles = with_spec(row.cells, columns(row.cells, has_threads=bool(self._threads_of_text())), cells)
        roles, left_out = page_cells.by_cells(row.cells, roles, cells, self.facts.mix_of_row(None)[0])
        for reason in left_out:
            self._reject(row.line, reason)
        lines, read = [of.line for of in rows], [at for at, role in enumerate(roles) if role]
        for i in {run[at] for run in runs for at in read if isinstance(run[at], int)}:
            if reason := page_cells.two_signs([of.cells[i] for of in rows], lines):
                raise RowError(f"heading {shown(self.above[i])}: {reason}")
        roles, doubts = page_units.of_columns(row.cells, roles, self.facts, self.below, self.legend)
        for at, doubt in doubts.items():
            if not isnan(roles[at][1]):
                self._reject(row.line, f"{doubt}; taken as in {shown(row.cells[at])}")
        self.unit_errors = {}
        names = [c[0] for c in roles if c]
        for at, (cell, column) in enumerate(zip(row.cells, roles, strict=True)):
            name, factor = column or ("", 1.0)
            if is_twice := bool(name) and names.count(name) > 1:
                reason = f"two columns are headed {name}, expected one: {shown(cell)} is one of them"
            elif isnan(factor) and name != "threads":
                reason = doubts.get(at) or f"heading {shown(cell)}: unknown unit, expected ops/s, us, ms, % or GB"
            else:
                continue
            if name in NEEDED and (is_twice or not set(names) & set(LATENCIES)):
                raise RowError(reason)
            is_other = name in NEEDED and re.search(NOT_MEASURED, cell.lower())  # Throughput (max)
            if (name in NEEDED or _is_latency(name)) and not (is_twice or is_other):
                # Its cells may say; those that do not are missing, which the first of them tells.
                self.unit_errors[name] = (row.line, reason)
                of_bounds = f"heading {shown(cell)}: its cells such as <1 ms are bounds, from which no figure is taken"
                self.unit_errors[f"bound of {name}"] = (row.line, of_bounds)
            else:
                self._reject(row.line, f"{reason}; the column is left out")
                roles[at] = None
        return roles

    def _row(self, row: PageRow) -> None:
        cells = row.cells
        if not any(cells):
            return
        # A number alone is a run of which nothing was filled in.
        stands_alone = len(cells) > 1 and not (any(cells[1:]) or _FIGURE.fullmatch(cells[0]))
        if stands_alone and is_note(cells[0]):
            raise RowError(f"{shown(cells[0])}: a note, expected a run")
        try:
            if instead := next(filter(no_run, cells), ""):
                raise RowError(f"{shown(instead)}: {no_run(instead)}, expected a run")
            if stands_alone:
                self._banner(cells[0], row.line)
                return
            check_alignment(cells, self.first or cells, len(self.columns))
            self.first = self.first or cells
            by_column = {c[0]: (cell, c[1]) for cell, c in zip(cells, self.columns, strict=True) if c}
            if "%" in by_column.get("failed_operations", ("",))[0].partition(" (")[0]:
                by_column["failed_share"] = by_column.pop("failed_operations")
            mix_of_row = self.facts.mix_of_row(by_column.get("mix", (None,))[0])
            spec = self.specs.of_row(by_column, row.line)
        except RowError:
            # Blank cells below say as above, and nobody knows what that is.
            columns = {c[0] for c in self.columns if c}
            if not columns.isdisjoint(("spec", "cores")):
                self.specs.current = None
            self.facts.is_lost = "mix" in columns
            raise
        is_load = any(map(LOAD_PHASE.fullmatch, cells))
        self._measurement(by_column, (LOAD, 0.0) if is_load else mix_of_row, spec, row)

    def _banner(self, cell: str, line: int) -> None:
        """A row with nothing but its first cell: what it names holds for the rows below."""
        is_shape = shape(cell) is not None
        if any(c and c[0] == "spec" for c in self.columns) and not is_shape:
            raise RowError(f"{shown(cell)}: stands alone in its row, expected a run")
        printed = None if is_shape else mix(cell)
        if printed:
            self.facts.table = printed
        else:
            self.specs.take(cell, line, stands_alone=True)

    def _measurement(
        self, by_column: dict[str, tuple[str, float]], mix_of_row: tuple[str, float], spec: PageSpec, cells: PageRow
    ) -> None:
        if self.threads and not self.facts.of_table("title_threads", "title_clients"):
            by_column = {"threads": (self.threads, 1.0), **by_column}
        of_text = None if "threads" in by_column else self._threads_of_text()
        figures = {
            name: self._figure(name, *by_column.get(name, ("", 1.0)))
            for name in (*NEEDED, "cpu_utilisation", "failed_operations", "failed_share", *LATENCIES)
        }
        # What reads is no load, whatever its title says.
        workload, reads = ("", nan) if mix_of_row[0] == LOAD and figures["ral_us"] > 0 else mix_of_row
        is_inferred = bool(of_text) or self.of_each
        if spec is page_cells.NO_SPEC and (shape_above := self.facts.of_table("title_spec", "spec")):
            spec = self.specs.known(slug(*shape_above[1:]), shape_above)
            is_inferred |= not self.facts.of_table("title_spec")
        percentiles = [(*name.split("@"), self._figure(name, *by_column[name])) for name in by_column if "@" in name]
        threads = figures.pop("threads")
        threads = of_text or threads
        if not (1 <= threads <= MAX_THREADS and threads == int(threads)):
            got = shown(by_column.get("threads", ("",))[0])
            raise RowError(f"threads: got {got}, expected a whole number from 1 to {MAX_THREADS:,}", "threads")
        if all(isnan(figures[name]) for name in ("throughput_ops_s", *LATENCIES)):
            raise RowError("got neither throughput nor latency, expected a measurement")
        share = figures.pop("failed_share")
        # Equal rows have one NaN.
        figures["goodput_ops_s"] = nan if isnan(share) else figures["throughput_ops_s"] * (1 - share)
        figures["printed_noise"] = page_cells.scatter(by_column.get("throughput_ops_s", ("",))[0])
        if DEVIATION in by_column:
            deviation = self._figure("throughput_ops_s", *by_column[DEVIATION])
            figures["printed_noise"] = page_cells.share_of(deviation, figures["throughput_ops_s"])
        self.version = by_column.get("server_version", ("", 1.0))[0] or self.version
        settings = {name: self.facts.of_table(name) or "" for name in SETTINGS}
        settings["server_version"] = self.version or settings["server_version"]
        repeat = re.sub(r"\D", "", by_column.get("repeat", ("",))[0])
        times = f"repeat {repeat}" if repeat else ""
        key = " ".join(filter(None, (spec.slug, *settings.values(), workload, f"{int(threads)} threads", times)))
        phase, workload = (LOAD, "") if workload == LOAD else ("run", workload)
        row = VendorRow(
            cells.line,
            *spec,
            workload,
            reads,
            int(threads),
            **figures,
            **settings,
            phase=phase,
            averaged=any(map(is_averaged_percentile, self.headings)),
            percentiles=tuple((name, float(percent), us) for name, percent, us in percentiles if not isnan(us)),
            inferred=is_inferred,
            repeat=float(repeat or nan),
        )
        # Blank cells say as above.
        above = self.pending[-1][2] if self.pending else cells.cells
        filled = [cell or last for cell, last in zip(cells.cells, above, strict=True)]
        self.pending.append((key, row, filled))

    def _end_table(self) -> None:
        self.without_threads, self.lacking = (self.without_threads + self.lacking)[:MAX_ERRORS], []
        columns = zip(self.headings, self.columns or (), strict=False)
        unknown = [(heading or "-") if c is None else "" for heading, c in columns]
        if of_time := page_rows.intervals(self.pending, unknown):
            line, reason = self.pending[0][1].line, f"heading {shown(of_time)}: rows of one run as it went on"
            self._reject(line, f"{reason}, expected a row for each run; give its mean, or its log")
            self.pending = []
        self.taken += page_rows.rows_of_table(self.pending, unknown, self.title)
        self.pending = []

    def _figure(self, name: str, cell: str, scale: float) -> float:
        got = f"{name}: got {shown(cell)}"
        if cell in self.table.unclear and scale == 1.0 and name in ("throughput_ops_s", "failed_operations"):
            raise RowError(
                f"{got}, where the dot may group thousands or begin decimals; write thousands without it", name
            )
        try:
            value = figure(name, cell, scale)
        except RowError as e:
            raise RowError(f"{got}, expected {e}", name) from None
        kind = f"bound of {name}" if page_cells.is_bound(cell) else name
        if isnan(value) and cell.lower() not in BLANK and kind in self.unit_errors:
            self._reject(*self.unit_errors.pop(kind))
        # A mean latency of 0 is how pages say that there was no such operation.
        return nan if value == 0 and _is_latency(name) else value


def _is_latency(name: str) -> bool:
    return name.partition("@")[0] in LATENCIES


def _has_figures(table: PageTable, title: str = "") -> bool:
    """Whether a table has numbers, and these, its headings, what begins its rows or a title with a unit tell of
    throughputs or latencies."""
    cells = [cell for row in table.rows for at, cell in enumerate(row.cells) if not at or _BEGINS.match(cell)]
    headings = table.rows[0].cells if table.rows else ()
    names = [*cells, *headings, title if _HAS_UNIT.search(title) else ""]
    return any(map(_BEGINS.match, cells)) and any(map(_OF_FIGURES.search, names))


def _names(cells: Sequence[str], *, has_threads: bool) -> set[str]:
    """The columns that cells name as headings; `has_threads`: they are known, and Ops may be how many there were."""
    read = [cell for cell in cells if not (has_threads and cell in ("Ops", "ops"))]
    return {c[0] for c in columns(read, has_threads=has_threads) if c} | ({"threads"} if has_threads else set())


def _told(row: PageRow, lacks: Sequence[str]) -> str:
    missing = " and ".join(lacks) or "a row that holds nothing but headings"
    return f"headed {shown(' | '.join(row.cells))} and lacks {missing}"
