"""Lists of candidates: n-best lists of Moses and fairseq, so many lines per source, or JSON Lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TypeVar

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import read_segments

T = TypeVar("T")

NBEST_FORMATS = {
    "moses": "ID ||| TEXT ||| …, the lines of one source together",
    "fairseq": "what fairseq-generate writes: H-ID, score and text between tabs, the lines of one source together",
    "lines": "so many lines per source (--candidates N)",
    "jsonl": "one JSON list of texts per line, or an object with the list under 'candidates'",
}
"""Forms of lists, and what they look like."""

_FAIRSEQ = re.compile(r"([A-Z])-(\d+)\t(.*)", re.DOTALL)


def read_candidates(
    path: PathLike, form: str | None = None, count: int | None = None, *, encoding: str = "utf-8"
) -> Iterator[list[str]]:
    """Yield the candidates of each source.

    Args:
        path: the file; ``-`` is standard input.
        form: one of :data:`NBEST_FORMATS`; by default ``lines`` with a count, else what the first line looks like.
        count: lines per source, for ``lines``.
        encoding: of the text.

    Raises:
        ConfigError: if form and count do not go together, or the form cannot be told.
        InputError: if the file cannot be read, is empty or malformed, with the line.
    """
    if form is None and count is not None:
        form = "lines"
    if form is not None and form not in NBEST_FORMATS:
        raise ConfigError(f"unknown form of candidates {form!r}; there are {', '.join(NBEST_FORMATS)}")
    if (form == "lines") != (count is not None):
        raise ConfigError("the number of lines per source goes with the form 'lines', which needs it")
    name = input_name(path)
    lines = read_segments(path, encoding=encoding)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{name} is empty; there are no candidates")
    if form is None:
        form = _recognized(first)
    if form is None:
        raise ConfigError(
            f"{name}: line 1 is neither of an n-best list (Moses: ID ||| TEXT; fairseq: H-ID) nor JSON; "
            "say how many lines belong to a source with --candidates N"
        )

    def every() -> Iterator[tuple[int, str]]:
        assert first is not None
        yield 1, first
        yield from enumerate(lines, 2)

    if form == "lines":
        assert count is not None
        yield from _lines(every(), name, count)
    elif form == "moses":
        yield from _together(_moses(every(), name), name)
    elif form == "fairseq":
        hypotheses = None
        for hypotheses in _together(_fairseq(every(), name), name):
            yield _fairseq_texts(hypotheses, name)
        if hypotheses is None:
            raise InputError(f"{name} has no lines H- or D-; there are no candidates")
    else:
        for number, line in every():
            yield _json(line, f"{name}, line {number}")


def _recognized(line: str) -> str | None:
    """Return the form that a first line looks like."""
    if line.lstrip()[:1] in ("[", "{"):
        return "jsonl"
    if _FAIRSEQ.fullmatch(line):
        return "fairseq"
    return "moses" if " ||| " in line else None


def _lines(lines: Iterator[tuple[int, str]], name: str, count: int) -> Iterator[list[str]]:
    if count < 1:
        raise ConfigError(f"a source has at least one candidate, not {count}")
    candidates: list[str] = []
    total = 0
    for total, line in lines:  # noqa: B007 - the last number is the number of lines
        candidates.append(line)
        if len(candidates) == count:
            yield candidates
            candidates = []
    if candidates:
        raise InputError(f"{name} has {total} lines, which is not a multiple of {count}")


def _moses(lines: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[int, str, str]]:
    for number, line in lines:
        source, separator, rest = line.partition("|||")
        source = source.strip()
        if not separator or not source:
            raise InputError(f"{name}, line {number}: not of the form ID ||| TEXT ||| …")
        yield number, source, rest.partition("|||")[0].strip()


def _fairseq(lines: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[int, str, tuple[str, str]]]:
    """Yield the hypotheses, as tokens (H) and as text (D); sources, references and scores of words are passed over."""
    for number, line in lines:
        found = _FAIRSEQ.fullmatch(line)
        if found is None:
            raise InputError(
                f"{name}, line {number}: not of fairseq's form H-ID⇥SCORE⇥TEXT; take the lines of hypotheses alone "
                "(grep '^[HD]-')"
            )
        kind, source, rest = found.groups()
        if kind in "HD":
            score, tab, text = rest.partition("\t")
            if not tab or not _is_number(score):
                raise InputError(f"{name}, line {number}: a score and a text are needed after {kind}-{source}")
            yield number, source, (kind, text)


def _fairseq_texts(lines: list[tuple[str, str]], name: str) -> list[str]:
    """Return the texts of a source: detokenized ones where there are any."""
    tokens, texts = ([text for kind, text in lines if kind == one] for one in "HD")
    if tokens and texts and len(tokens) != len(texts):
        raise InputError(f"{name}: a source has {len(tokens)} lines H- and {len(texts)} lines D-")
    return texts or tokens


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _together(entries: Iterable[tuple[int, str, T]], name: str) -> Iterator[list[T]]:
    """Yield what belongs to each source; its lines stand together."""
    seen: set[str] = set()
    for source, group in groupby(entries, key=lambda entry: entry[1]):
        lines = list(group)
        if source in seen:
            raise InputError(f"{name}, line {lines[0][0]}: source {source} comes back; its lines must stand together")
        seen.add(source)
        yield [text for _, _, text in lines]


def _json(line: str, where: str) -> list[str]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from error
    if isinstance(content, dict):
        content = content.get("candidates")
    if not isinstance(content, list) or not content or not all(isinstance(text, str) for text in content):
        raise InputError(f"{where}: a list of texts is needed, or an object with such a list under 'candidates'")
    return content
