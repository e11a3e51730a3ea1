"""Error spans in the forms that others read."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from meteor_e.api import ConfigError
from meteor_e_learned.spans.find import Found, Span
from meteor_e_learned.spans.offsets import utf16_offsets

__all__ = ["FORMATS", "written"]

FORMATS = {
    "text": "the segments with their spans in brackets, and the reasons",
    "jsonl": "one JSON object per segment",
    "json": "one JSON document, with the signature",
    "tsv": "one row per span",
    "mqm": "Google's MQM columns, the span between <v> and </v>",
    "esa": "one JSON object per segment, spans as Appraise and WMT have them: start_i, end_i (inclusive), severity",
    "pearmut": "a campaign for Pearmut, with the spans filled in",
    "html": "a page with the spans in color over the text",
    "wmt": "lines of the WMT QE task's span subtask, ends are the last character",
}
"""The forms, and what they hold."""

Segments = Iterable[tuple[Found, Sequence[str]]]


def written(
    form: str, segments: Segments, *, system: str, pair: str, method: str, signature: str, utf16: bool = False
) -> Iterator[str]:
    """Yield the text of the spans of segments, piece by piece.

    Args:
        form: one of :data:`FORMATS`.
        segments: what was found, with the raw references.
        system: name of the system.
        pair: ``source-target``, for ``wmt``.
        method: what found the spans, for ``mqm`` and ``wmt``.
        signature: for ``json``.
        utf16: count offsets in UTF-16 code units; for JSON, TSV and ESA. Pearmut always does.

    Raises:
        ConfigError: if Pearmut does not take the system's name.
    """
    if form == "json":
        rows = [_object(number, found, texts, utf16) for number, (found, texts) in enumerate(segments, 1)]
        document = {"version": 1, "signature": signature, "system": system, "segments": rows}
        yield json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        return
    if form == "pearmut":
        yield json.dumps(_campaign(segments, system), ensure_ascii=False, indent=2) + "\n"
        return
    if form == "html":
        yield from _page(segments, system, signature)
        return
    yield from _HEADS.get(form, "")
    for number, (found, texts) in enumerate(segments, 1):
        if form == "jsonl":
            yield json.dumps(_object(number, found, texts, utf16), ensure_ascii=False) + "\n"
        elif form == "tsv":
            yield _rows(_tsv(number, found, texts, utf16))
        elif form == "mqm":
            yield _rows(_mqm(number, found, texts[0], system, method))
        elif form == "esa":
            entry = {"system": system, "segment": number, "tgt": found.hypothesis, "error_spans": _esa(found, utf16)}
            yield json.dumps(entry, ensure_ascii=False) + "\n"
        elif form == "wmt":
            yield _wmt(number, found, pair, method)
        else:
            yield _text(number, found)


_HEADS = {
    "tsv": "segment\ttype\tstart\tend\tseverity\tprobability\tkind\ttext\treason\n",
    "mqm": "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n",
}
_SEVERITIES = {"major": "Major", "minor": "Minor"}


def _object(number: int, found: Found, references: Sequence[str], utf16: bool) -> dict[str, Any]:
    return {"segment": number, **found.to_dict(utf16=utf16, references=references)}


def _rows(rows: Iterable[Sequence[object]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter="\t", lineterminator="\n").writerows(rows)
    return stream.getvalue()


def _tsv(number: int, found: Found, references: Sequence[str], utf16: bool) -> Iterator[Sequence[object]]:
    shown = found.to_dict(utf16=utf16, references=references)
    for span, entry in zip(found.spans, shown["spans"], strict=True):
        text = found.hypothesis[span.start : span.end]
        yield (
            *(number, "span", entry["start"], entry["end"], span.severity, span.probability, span.kind, text),
            span.reason,
        )
    for missing, entry in zip(found.missing, shown["missing"], strict=True):
        reason = f"missing in the hypothesis at {entry['at']}; offsets are those of reference {missing.reference + 1}"
        yield (
            *(number, "missing", entry["start"], entry["end"], missing.severity, missing.probability, "omission"),
            *(missing.text, reason),
        )


def _mqm(number: int, found: Found, reference: str, system: str, method: str) -> Iterator[Sequence[object]]:
    """Yield a row per span; a segment without any has one row of the category ``No-error``."""

    def row(target: str, category: str, severity: str) -> Sequence[object]:
        return system, "", 1, number, method, reference, target, category, severity

    text = found.hypothesis
    for span in found.spans:
        marked = f"{text[: span.start]}<v>{text[span.start : span.end]}</v>{text[span.end :]}"
        yield row(marked, f"Other/{span.kind}", _SEVERITIES[span.severity])
    for missing in found.missing:
        marked = f"{text[: missing.at]}<v></v>{text[missing.at :]}"
        yield row(marked, "Accuracy/Omission", _SEVERITIES[missing.severity])
    if not found.spans and not found.missing:
        yield row(text, "No-error", "No-error")


def _esa(found: Found, utf16: bool, missing: str | int = "missing") -> list[dict[str, object]]:
    """Return spans with the last character as the end, then omissions, which stand at ``missing``."""
    places = [at for span in found.spans for at in (span.start, span.end)]
    counted = iter(utf16_offsets(found.hypothesis, places) if utf16 else places)
    spans: list[dict[str, object]] = [
        {"start_i": next(counted), "end_i": next(counted) - 1, "severity": span.severity} for span in found.spans
    ]
    return spans + [{"start_i": missing, "end_i": missing, "severity": each.severity} for each in found.missing]


def _campaign(segments: Segments, system: str) -> dict[str, Any]:
    """Return a campaign for Pearmut: one document per segment. Its token for omissions stands after the text."""
    if system.isdigit():
        raise ConfigError(f"Pearmut takes no system whose name is a number, {system!r}; rename the file")
    documents = []
    for number, (found, texts) in enumerate(segments, 1):
        spans = _esa(found, True, utf16_offsets(found.hypothesis, [len(found.hypothesis)])[0])
        for span in spans:
            span["category"] = None
        item = {"item_id": str(number), "ref": texts[0], "tgt": {system: found.hypothesis}}
        documents.append([{**item, "error_spans": {system: spans}}])
    info = {"assignment": "task-based", "protocol": "ESA"}
    return {"info": info, "campaign_id": f"spans of {system}", "data": [documents]}


def _wmt(number: int, found: Found, pair: str, method: str) -> str:
    spans = found.spans
    starts = " ".join(str(span.start) for span in spans) or "-1"
    ends = " ".join(str(span.end - 1) for span in spans) or "-1"
    types = " ".join(span.severity for span in spans) or "no-error"
    # A tab or a line end within a segment would be another field; offsets stay.
    text = found.hypothesis.translate({9: " ", 10: " ", 13: " "})
    return f"{pair}\t{method}\t{number - 1}\t{text}\t{starts}\t{ends}\t{types}\n"


def _text(number: int, found: Found) -> str:
    pieces, at = [], 0
    for span in found.spans:
        pieces += [found.hypothesis[at : span.start], "[", found.hypothesis[span.start : span.end], "]"]
        at = span.end
    lines = [f"{number}: {''.join(pieces)}{found.hypothesis[at:]}"]
    lines += [f"    {_span_line(span)}" for span in found.spans]
    lines += [
        f"    {each.severity} omission at {each.at} ({each.probability:.2f}): {each.text!r} is missing"
        for each in found.missing
    ]
    return "\n".join(lines) + "\n"


def _span_line(span: Span) -> str:
    return f"{span.severity} {span.kind} {span.start}-{span.end} ({span.probability:.2f}): {span.reason}"


_STYLE = """body{font:16px/1.6 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1a1a1a}
@media(prefers-color-scheme:dark){body{background:#161616;color:#e8e8e8}}
section{border-top:1px solid #8884;padding:.6rem 0}p{margin:.2rem 0;overflow-wrap:anywhere;white-space:pre-wrap}
.reference{opacity:.75}mark{color:#1a1a1a;border-radius:3px;padding:0 2px}
.minor{background:#ffe08a}.major{background:#ff9d8a}
.missing{background:none;color:inherit;border-bottom:2px dotted #c33}
ul{margin:.2rem 0;font-size:.85em}footer{font-size:.8em;overflow-wrap:anywhere}"""


def _page(segments: Segments, system: str, signature: str) -> Iterator[str]:
    """Yield an HTML page: hypotheses and references with what is wrong and what is missing."""
    name = html.escape(system)
    yield (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Error spans of {name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>\n'
        f'<h1>Error spans of {name}</h1>\n<p><mark class="minor">minor</mark> <mark class="major">major</mark> '
        '<mark class="missing">missing in the hypothesis</mark></p>\n'
    )
    for number, (found, references) in enumerate(segments, 1):
        marks = [(span.start, span.end, span.severity, f"{span.kind}: {span.reason}") for span in found.spans]
        yield f'<section id="s{number}"><p>{number}. {_colored(found.hypothesis, marks)}</p>\n'
        for place, text in enumerate(references):
            lost = [
                (each.start, each.end, "missing", f"missing at {each.at}")
                for each in found.missing
                if each.reference == place
            ]
            yield f'<p class="reference">{_colored(text, lost)}</p>\n'
        reasons = [f"<li>{html.escape(_span_line(span))}</li>" for span in found.spans]
        yield f"<ul>{''.join(reasons)}</ul></section>\n" if reasons else "</section>\n"
    yield f"<footer>{html.escape(signature)}</footer></body></html>\n"


def _colored(text: str, marks: Iterable[tuple[int, int, str, str]]) -> str:
    pieces, at = [], 0
    for start, end, style, title in marks:
        shown = html.escape(text[start:end])
        pieces += [html.escape(text[at:start]), f'<mark class="{style}" title="{html.escape(title)}">{shown}</mark>']
        at = end
    return "".join(pieces) + html.escape(text[at:])
