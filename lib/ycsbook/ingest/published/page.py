"""A vendor's performance page: Markdown or HTML tables of throughput and latency per server spec, read to the same rows
as the published table made from it. docs/ingest.md says which tables are read.

A row that could mean two things, or whose cells may have moved, is left out, with an error.
"""

import re
from collections.abc import Collection, Sequence
from itertools import takewhile
from pathlib import Path

from ycsbook.errors import RunLogError
from ycsbook.ingest import readers
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.labels import identifier, settings_of_texts, slug, undated, without_settings
from ycsbook.ingest.published import page_text
from ycsbook.ingest.published.page_facts import PageFacts, facts_in, has_one_client
from ycsbook.ingest.published.page_headings import LATENCIES
from ycsbook.ingest.published.page_mix import mix
from ycsbook.ingest.published.page_reader import PageReader
from ycsbook.ingest.published.page_rows import SETTINGS, VendorRow
from ycsbook.ingest.published.page_tables import LOWEST_LEVEL, Heading, PageTable, placed
from ycsbook.ingest.published.published import PublishedRows, published_rows
from ycsbook.ingest.readers import prefixes
from ycsbook.ingest.readers.text_runs import OF_THREADS
from ycsbook.ingest.runs import command_line

FORMAT = "published-page"
MAX_BYTES = 4_000_000
# The headings of a table stand among so many rows.
_SEARCHED = 500
_TABLE_MARK = re.compile(rb"<t(?:able|r|d|h)\b|\|\s{0,9}:?-", re.IGNORECASE)

_OF_LOG = re.compile(r"\[[A-Z][A-Z-]{1,40}\]")  # a line of a log may be a row of a table


def recognises(head: bytes, name: str = "", *, threads: str = "", drawn: bool = True) -> bool:
    """Whether this holds a row of headings with threads, if not given, and throughput; pages have it deep within. Not
    `drawn`: in Markdown or HTML."""
    reader = PageReader(name, threads=threads)
    is_likely = _TABLE_MARK.search(head) or (drawn and page_text.MARK.search(head))
    for _, element in placed(head.decode("utf-8-sig", errors="replace")) if is_likely else ():
        reader.take(element._replace(rows=element.rows[:_SEARCHED]) if isinstance(element, PageTable) else element)
        if reader.columns or reader.rejected:
            return True
    return False


def read(source: Source, threads: str = "") -> tuple[PublishedRows, list[RunLogError]]:
    """The rows of a vendor's page in Markdown, HTML or text with tables, whose data set has the name of the file; and
    an error for each row, heading or table that is left out. Raises RunLogError where not a single row can be read."""
    try:
        text = source.content(MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise RunLogError(source, None, f"cannot be read as UTF-8 text: {e}; save it as UTF-8") from None
    dataset = identifier(source.name.rsplit(".", 1)[0], "page")
    measured_rows, rejected = parse_rows(text, str(source), threads)
    # Other versions and settings of the server are other data sets: their rows are no repeats of each other.
    telling = [name for name in SETTINGS if len({getattr(row, name) for row in measured_rows}) > 1]

    def name(row: VendorRow) -> str:
        settings = (identifier(getattr(row, of)) for of in telling)
        return "-".join(filter(None, (dataset, *(text for text in settings if text not in row.variant), row.variant)))

    measured = (
        (f"{source}:{row.line}", row.line, row._asdict() | {"dataset": name(row), "threads": float(row.threads)})
        for row in measured_rows
    )
    facts = {"format": FORMAT}
    if concern := command_line.printed_write_concern(text):
        facts["write_concern"] = concern
    facts |= {"clients": 1.0} if has_one_client(text) else {}
    return published_rows(str(source), measured, facts), rejected


def left_out(source: Source) -> list[str]:
    """A remark on what is left out of a page's tables, as it does not show it."""
    _, hidden = page_text.without_hidden(source.content(MAX_BYTES).decode("utf-8-sig", errors="replace"))
    return [f"{source}: left out of its tables, as the page hides it: {hidden}"] if hidden else []


def tables_beside_logs(source: Source, read: Collection[str]) -> list[str]:
    """A remark for each table with figures of a document that is read for the logs it quotes, whose lines are none, nor
    is one whose first row, below a rule, is in the lines `read`."""
    lines = source.head(MAX_BYTES).decode("utf-8-sig", errors="replace").split("\n")
    reader = PageReader(source).walked("\n".join("" if _OF_LOG.search(of) else of for of in lines))
    told = (e for e in (*reader.without_threads, *reader.unread) if e.line is None or str(e.line + 2) not in read)
    return [str(error).replace(readers.WITHOUT_THREADS, "put it into a file of its own") for error in told]


def parse_page(text: str, path: str | Path) -> list[VendorRow]:
    """As parse_rows, but raises the error of the first row, heading or table that cannot be read, and where a row does
    not say its spec and mix, so that damage shows."""
    rows, rejected = parse_rows(text, path)
    if rejected:
        raise rejected[0]
    for row in rows:
        if not row.workload:
            raise RunLogError(path, row.line, "no section heading above says the read:update mix, such as 50:50")
        if not row.spec:
            raise RunLogError(path, row.line, "no spec above these figures, expected a row or column such as 2核4G")
    return rows


def parse_rows(text: str, path: str | Path, threads: str = "") -> tuple[list[VendorRow], list[RunLogError]]:
    """The measurements in the text of a vendor's page, and an error for each row that cannot be read, MAX_ERRORS and
    one that counts the others; `path`: what errors name, `threads`: of tables that say none. Latencies headed RAL or
    WAL without a unit are in us. Raises RunLogError where there is no such table, or none of its rows can be read."""
    reader = PageReader(path, threads=threads).walked(text)
    without_threads, nearest = reader.without_threads, reader.nearest()
    if not (reader.rows or reader.rejected):
        # Latencies alone are better than nothing; beside throughputs they mostly repeat their runs.
        reader = PageReader(path, [("threads", name) for name in LATENCIES]).walked(text)
    if not reader.rows:
        line, reason = nearest
        _, hidden = page_text.without_hidden(text)
        reason += f"; left out, as the page hides it: {hidden}" if hidden else ""
        first, *other_errors = [*reader.rejected, *without_threads] or [RunLogError(path, line, reason)]
        lines = [str(other.line) for other in other_errors if other.reason == first.reason]
        raise RunLogError(path, first.line, f"{first.reason}; also in lines {', '.join(lines)}") if lines else first
    more = [RunLogError(path, None, f"{reader.unlisted} more of its rows cannot be read")] if reader.unlisted else []
    return reader.rows, reader.rejected + without_threads + reader.unread + more


# What a page says of each log that it quotes, by the headings, lines and sentences above it, as of a table there.

# So much of a file is looked at; what stands beyond has no titles.
MAX_QUOTED_BYTES = 1_000_000
_TITLES = 3  # of one section, as lines in bold below each other
_AROUND = " :：,，;()（）-|/#"  # names
Columns = dict[str, float | str]
# A line that ends in a colon, stands between marks or is a name is a title of the log right below it.
_TITLE = re.compile(
    r"((?:[^|.!?]|[.!?](?!\s)){1,80})[:：]|[=*~#>-]{2,40}\s?([^|]{1,80}?)\s?[=*~#<-]{0,40}"
    r"|([A-Z][\w+-]{0,30}(?:[ .][\w+-]{1,30}){0,3})"
)
# Commands are the readers' to understand.
_OPTION = re.compile(r"\s--?t(?:hreads?)?[ =]")
# What begins a block in other markup: {noformat}, ----, #+BEGIN_SRC.
_FENCE = re.compile(r"\W*|[^\w\s*=(]\S*")
_BINDING = re.compile(r"^(?:load|run) (?!-)([\w.-]+)|\s--?(?:db|database)[ =](?:[a-z]+\.)*([\w-]+)")
# Words that name no server: what is left of a title without them, its settings and its numbers does.
_PLAIN = re.compile(
    r"\b(?:ycsb|logs?|outputs?|workloads?|load(?:ing|s)?|runs?|running|phase|results?|data|the|this|with|of|for|on|from|in"
    r"|at|and|an?|tests?|bench(?:mark)?(?:ing|s)?|inserts?|reads?|writes?|updates?|scans?|latest|heavy|only|mostly|mixed"
    r"|steps?|stage|first|second|third|try|again|here|is|are|gives|got|summary|numbers?|performance|client|standard|ops"
    r"|throughput|latency|transactions?|raw|full|command|using|by|it|to|i|we|my|our|now|then|that|as|follow(?:s|ing)|shows?)\b"
    r"|加载|装载|导入|运行|结果|数据|测试|阶段|性能|\d+",
    re.IGNORECASE,
)
_CONNECTIONS = re.compile(
    r"\b\d{1,6}\s?(?:个|(?:concurrent|parallel) )?(?:connections?\b|conns?\b|users?\b|соединени[а-я]*|连接数?|用户数?)",
    re.IGNORECASE,
)
_ENDED = re.compile(r"\b(?:finished|completed|ended)\b|完成|结束|完毕", re.IGNORECASE)
_LOADS = re.compile(r"\b(?:loads?|loading|inserts?|inserting)\b|加载|装载|导入", re.IGNORECASE)
_RUNS = re.compile(r"\b(?:runs?|running|transactions?|reads?|updates?)\b|运行|读", re.IGNORECASE)


def columns_of_logs(text: str, lines: Sequence[int], commands: Sequence[str] = ()) -> list[Columns]:
    """What a page says of the logs whose totals stand in these lines, as columns of `runs`. What tells the logs apart
    in their titles, and is no setting, is the name of the server, or else the binding that their commands name."""
    bare = _unbarred([line.lstrip("> ") if line.startswith(">") else line for line in text.split("\n")])
    logs = frozenset(lines)  # also the rows of tables
    of_logs = (at in logs or ": Count=" in line or prefixes.may_hold_line(line) for at, line in enumerate(bare, 1))
    words = "\n".join("" if is_log else line for is_log, line in zip(of_logs, bare, strict=True))
    facts, since, columns, titles = PageFacts(), [], [{} for _ in lines], [[] for _ in lines]
    is_below = False  # right below a log, which words there may be of
    totals = [(line, at) for at, line in enumerate(lines)]
    for line, element in sorted([*totals, *placed(words)], key=lambda item: item[0]):
        facts.line = line
        match element:
            case Heading(_, said) | str(said) if is_below and _ENDED.search(said):
                pass
            case Heading():
                facts.heading(*element)
                since, is_below = [], False
            case PageTable():
                facts.new_table(element.caption)
                facts.settings(row.cells for row in element.rows)
            case str() if facts.says("threads") and (
                OF_THREADS.search(element.encode())
                or (_TITLE.fullmatch(element.strip()) and [*facts_in("threads", element)])
            ):  # others from here on
                facts.heading(LOWEST_LEVEL + 1, element)
                since, is_below = [(line, element)], False
            case str() if not (_OPTION.search(element) or _FENCE.fullmatch(element)):
                facts.sentence(element)
                since.append((line, element))
                is_below = False
            case int():
                above = (text for section in facts.sections for text in section.titles[-_TITLES:])
                titles[element] = [*_title(since), *[*above][::-1]]
                columns[element] = _columns(facts, since, titles[element])
                since, is_below = [], True
    for above, binding in zip(titles, map(_BINDING.search, commands), strict=False):
        above.extend([binding[1] or binding[2]] if binding else [])
    names = _names(titles)
    shapes = [str(of_log.get("spec_label", "")) for of_log in columns]
    told = [str(of.get("spec_label", "")).replace(s, "").strip(_AROUND) for of, s in zip(names, shapes, strict=True)]
    # Servers alike that are called differently: what ran there is told.
    if len({*zip(shapes, told, strict=True)}) > len({*shapes}):
        names = [{"dataset": what} if s else of for of, s, what in zip(names, shapes, told, strict=True)]
    return [name | of_log for name, of_log in zip(names, columns, strict=True)]


def _unbarred(lines: Sequence[str]) -> list[str]:
    """The lines, with commas for bars of what is no row of a table: `=== Threads: 8 | Run: 2 ===`."""
    near = zip(["", *lines], lines, [*lines[1:], ""], strict=False)
    return [line if "|" in above + below or line[:1] == "|" else line.replace("|", ",") for above, line, below in near]


def _title(since: Sequence[tuple[int, str]]) -> list[str]:
    """The title that the last line above a log is, if it is a paragraph of its own."""
    *_, (above, _), (line, text) = [(-1, ""), (-1, ""), *since]
    match = _TITLE.fullmatch(text.strip()) if line - 1 > above else None
    return [match[1] or match[2] or match[3]] if match else []


def _columns(facts: PageFacts, since: Sequence[tuple[int, str]], titles: Sequence[str]) -> Columns:
    facts.new_table("")
    facts.caption.texts = [(text, False, line) for line, text in since]
    words = [*(text for _, text in since[-1:]), *titles]
    said = {name: facts.of_table(name) for name in ("threads", *SETTINGS) if facts.says(name)}
    if "threads" not in said and (clients := facts.of_table("clients") or 0) > 1:  # a single one may be the machine
        said["threads"] = clients
    columns = settings_of_texts(words) | said
    if shape := facts.of_table("title_spec", "spec"):
        columns |= {"spec": slug(*shape[1:]), "spec_label": shape.label, "cores": shape.cores, "ram_gib": shape.ram_gib}
    phases = ((_LOADS.search(text), _RUNS.search(text)) for text in words)
    columns["phase"] = next(("load" if load else "run" for load, runs in phases if bool(load) != bool(runs)), "")
    return {name: value for name, value in columns.items() if value}


def _names(titles: Sequence[Sequence[str]]) -> list[Columns]:
    """The server of each log: its nearest title that not all have and that tells something, without settings and the
    words before it that tell nothing in all of them."""
    unset = ([_CONNECTIONS.sub("", without_settings(undated(t))) for t in of if mix(t) is None] for of in titles)
    bare = [[t.strip(_AROUND) for t in of] for of in unset]
    shared = set.intersection(*map(set, bare))
    words_of_titles = [next((t.split() for t in of if t not in shared and _tells(t)), []) for of in bare]
    heads = zip(*(words for words in words_of_titles if words), strict=False)
    first = sum(1 for _ in takewhile(lambda head: len({*head}) == 1 and not _tells(head[0]), heads))
    labels = [" ".join(words[first:]) for words in words_of_titles]
    labels = labels if len({*labels} - {""}) > 1 else [""] * len(labels)
    return [{"spec": identifier(label), "spec_label": label} if identifier(label) else {} for label in labels]


def _tells(title: str) -> bool:
    return bool(re.search(r"[^\W_]", _PLAIN.sub("", title)))
