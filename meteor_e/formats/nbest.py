"""Lists of candidates: Moses n-best lists, so many lines per source, or JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.formats.plain import read_segments

__all__ = ["NBEST_FORMATS", "read_candidates"]

NBEST_FORMATS = {
    "moses": "ID ||| TEXT ||| …, the lines of one source together",
    "lines": "so many lines per source (--candidates N)",
    "jsonl": "one JSON list of texts per line, or an object with the list under 'candidates'",
}
"""Forms of lists, and what they look like."""


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
        form = "jsonl" if first.lstrip()[:1] in ("[", "{") else "moses" if " ||| " in first else None
    if form is None:
        raise ConfigError(
            f"{name}: line 1 is neither of a Moses n-best list (ID ||| TEXT) nor JSON; "
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
        yield from _moses(every(), name)
    else:
        for number, line in every():
            yield _json(line, f"{name}, line {number}")


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


def _moses(lines: Iterator[tuple[int, str]], name: str) -> Iterator[list[str]]:
    candidates: list[str] = []
    current: str | None = None
    seen: set[str] = set()
    for number, line in lines:
        source, separator, rest = line.partition("|||")
        source = source.strip()
        if not separator or not source:
            raise InputError(f"{name}, line {number}: not of the form ID ||| TEXT ||| …")
        if source != current:
            if source in seen:
                raise InputError(f"{name}, line {number}: source {source} comes back; its lines must stand together")
            seen.add(source)
            if candidates:
                yield candidates
            current, candidates = source, []
        candidates.append(rest.partition("|||")[0].strip())
    yield candidates


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
