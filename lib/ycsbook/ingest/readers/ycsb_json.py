"""YCSB's two JSON exporters: an array of figures, and figures joined by `} {`, which is no JSON.

Both write the metrics of the text summary, one flat object each: `{"metric": "READ", "measurement": "Operations",
"value": 469}`. So every object is read on its own, wherever it stands, and whatever stands between the objects is
read as YCSB's text output: with the exporter on stdout, one file holds both.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace

from ycsbook.errors import RunLogError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers.ycsb import Stream, runs_of

FORMAT = "ycsb-json"
# A run's summary takes some 10 kB; with the buckets of a histogram, or many runs appended, a hundred times that.
MAX_BYTES = 64 * 1024 * 1024
_SNIFFED_BYTES = 64 * 1024

_MARK = re.compile(
    rb'\{\s{0,40}(?:"value"\s{0,40}:[^{},]{0,60},\s{0,40})?"(?:metric|measurement)"\s{0,40}:\s{0,40}"', re.ASCII
)
# Objects of YCSB hold no others, so what is between two braces is one, however broken its surroundings are.
_FLAT = re.compile(r"\{[^{}]{1,2000}\}")
# An object that was begun and not ended: torn in the middle or at the end of the file.
_TORN = re.compile(r'\{\s*(?:"(?:metric|measurement|value)"[^{}]*|"[a-z]{0,11}\s*)?\Z', re.ASCII)
_SEPARATORS = " \t\r\n,[]\ufeff\x00"
_NAME = re.compile(r"[^\[\]\x00-\x1f\x7f\ud800-\udfff]{1,80}")
_KEYS = {"metric", "measurement", "value"}


def recognises(head: bytes, name: str = "") -> bool:
    return bool(_MARK.search(head))


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """Read the runs that JSON output tells of, with the stderr of the same runs where it exists, in order; at least
    one, which may be empty. Raises RunLogError for what is unreadable, larger than 64 MiB, or none of YCSB's JSON."""
    streams, has_json = [], False
    for source in sources:
        stream = Stream(str(source))
        head = source.head(_SNIFFED_BYTES)
        # A run that crashed before its summary leaves an empty file, which is of this format too.
        has_json |= not head.strip(b" \t\r\n,[]{}\0")
        if recognises(head) or len(sources) == 1:
            has_json |= _read(source.content(MAX_BYTES), stream)
        else:
            for chunk in source.chunks():
                stream.feed(chunk)
        streams.append(stream)
    if not has_json:
        shape = '{"metric": ..., "measurement": ..., "value": ...}'
        reason = f"holds no figures as YCSB's JSON exporters write them, {shape}"
        raise RunLogError(sources[0] if sources else "", None, reason)
    # The first stream is that of the summaries, whichever way round the files were given.
    streams.sort(key=lambda stream: not any(run.summary.overall or run.summary.operations for run in stream.runs))
    return [replace(log, format=FORMAT) for log in runs_of(streams)]


def _read(content: bytes, stream: Stream) -> bool:
    """Feed a stream with a file's figures and with the text between them; whether there is anything of JSON."""
    text = content.decode("utf-8", errors="replace")
    done, line, has_figures = 0, 1, False
    for match in _FLAT.finditer(text):
        try:
            pairs = _DECODER.decode(match[0])
        except (ValueError, RecursionError):
            pairs = None
        is_broken = pairs is None and '"metric"' in match[0]
        if not is_broken and (pairs is None or not {key for key, _ in pairs} >= _KEYS):
            continue  # braces of other things
        _between(text[done : match.start()], line, stream, last=False)
        line += text.count("\n", done, match.start())
        if is_broken:
            stream.runs[-1].truncated = True
        else:
            has_figures = True
            _take(pairs, line, stream)
        line += text.count("\n", match.start(), match.end())
        done = match.end()
    tail = text[done:]
    _between(tail, line, stream, last=True)
    torn = _TORN.search(tail) is not None
    # The array exporter ends with the bracket it began with.
    torn |= has_figures and text.lstrip(_SEPARATORS.replace("[", "")).startswith("[") and "]" not in tail
    stream.runs[-1].truncated |= torn
    return has_figures or torn


def _take(pairs: list[tuple[str, object]], line: int, stream: Stream) -> None:
    figure = dict(pairs)
    operation, metric = figure["metric"], figure["measurement"]
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in (operation, metric)):
        return
    if len(pairs) > len(figure):
        stream.runs[-1].summary.conflicts.setdefault(f"{operation} {metric} (a key stands twice)")
        return
    if isinstance(figure["value"], str):
        stream.at = line - 1
        stream.feed(f"[{operation}], {metric}, {figure['value']}\n".encode())


def _between(text: str, line: int, stream: Stream, *, last: bool) -> None:
    """Read what is no figure as text of YCSB: status lines, the command line, errors."""
    if _TORN.search(text):
        stream.runs[-1].truncated = True
    if not text.strip(_SEPARATORS):
        return
    lines = text.split("\n")
    for i, raw in enumerate(lines):
        if raw.strip(_SEPARATORS):
            cut = last and i == len(lines) - 1
            stream.at = line + i - 1
            stream.feed(raw.encode("utf-8") + (b"" if cut else b"\n"))


# Numbers stay as they are printed, so that one reader decides what is a number, of text and JSON alike.
_DECODER = json.JSONDecoder(object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str)
