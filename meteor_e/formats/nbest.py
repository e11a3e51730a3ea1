"""Lists of candidates: n-best lists of Moses, plain text with N lines per source, or JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, groupby, islice

import msgspec

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.texts import reject_duplicate_keys
from meteor_e.formats.plain import read_segments

NBEST_FORMATS = {
    "moses": "ID ||| TEXT ||| FEATURES ||| SCORE; the lines of a source are consecutive",
    "lines": "N lines per source (--candidates N)",
    "jsonl": "one JSON list of texts per line, or an object with the list under 'candidates'",
}
"""The names of the formats, with a description of each."""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The candidates of a source. An object of JSON Lines has the same fields.

    Attributes:
        candidates: texts to choose from.
        references: texts that the candidates are scored against; ``None`` for the candidates themselves.
        weights: non-negative weights of the references, which need not sum to 1; ``None`` for equal weights.
        scores: the system's scores of the candidates.
        id: the identifier of the source in its file.
    """

    candidates: list[str]
    references: list[str] | None = None
    weights: list[float] | None = None
    scores: list[float] | None = None
    id: str | int | None = None

    def __post_init__(self) -> None:
        references = self.candidates if self.references is None else self.references
        for name, values, texts in (("weights", self.weights, references), ("scores", self.scores, self.candidates)):
            if values is not None and len(values) != len(texts):
                raise InputError(f"there are {len(values)} {name} for {len(texts)} texts")
            if not all(map(math.isfinite, values or ())):
                raise InputError(f"{name} must be finite numbers")


def read_candidates(
    path: PathLike, form: str | None = None, count: int | None = None, *, encoding: str = "utf-8"
) -> Iterator[Source]:
    """Yield the candidates of each source in the order of the file.

    Args:
        path: the path of the file; ``-`` is standard input.
        form: one of :data:`NBEST_FORMATS`. By default, it is ``lines`` if there is a count, and otherwise the format of
            the first line.
        count: the number of lines per source, for the format ``lines``.
        encoding: the encoding of the file.

    Raises:
        ConfigError: if form and count cannot be combined, or the format is unknown.
        InputError: if the file cannot be read, is empty or is malformed, or if only some of its sources have an id or
            scores.
    """
    name = input_name(path)
    numbered_lines = enumerate(read_segments(path, encoding=encoding), 1)
    lines = ((f"{name}, line {number}", line) for number, line in numbered_lines)
    first_line = next(lines, None)
    if first_line is None:
        raise InputError(f"{name} is empty; there are no candidates")
    if form is None:
        form = "lines" if count else _detect_format(first_line[1])
    needs_count = form not in ("moses", "jsonl")
    if needs_count != bool(count):
        raise ConfigError(
            f"{name}: plain text needs --candidates N, the number of lines per source; other formats do not allow it"
        )
    all_lines = chain([first_line], lines)
    if count:
        sources = _read_groups(all_lines, count)
    elif form == "moses":
        sources = _read_moses(all_lines)
    else:
        sources = map(_decode_source, all_lines)
    yield from _check_same_fields(sources, name)


def _check_same_fields(sources: Iterable[Source], name: str) -> Iterator[Source]:
    """Yield the sources, and raise InputError if only some of them have an id or scores."""
    first_source: Source | None = None
    for number, source in enumerate(sources, 1):
        first_source = first_source or source
        for field in ("id", "scores"):
            if (getattr(source, field) is None) != (getattr(first_source, field) is None):
                raise InputError(
                    f"{name}: only one of the sources 1 and {number} has {field!r}; all sources need it, or no source"
                )
        yield source


def _detect_format(line: str) -> str:
    """Return the format of a file from its first line."""
    if line.lstrip()[:1] in ("[", "{"):
        return "jsonl"
    return "moses" if " ||| " in line else "lines"


def weight_by_scores(sources: Iterable[Source]) -> Iterator[Source]:
    """Yield the sources with the exponential function of each score as weight. Scores are logarithms of probabilities.

    Raises:
        InputError: if a source does not have scores, or has references or weights.
    """
    for number, source in enumerate(sources, 1):
        if source.scores is None or (source.references, source.weights) != (None, None):
            raise InputError(
                f"source {number}: weights by scores need a source that has scores, but no references and no weights"
            )
        highest = max(source.scores)
        yield msgspec.structs.replace(source, weights=[math.exp(score - highest) for score in source.scores])


_Lines = Iterable[tuple[str, str]]
"""Pairs of a line's position, for messages, and its text."""


def _read_groups(lines: _Lines, count: int) -> Iterator[Source]:
    """Yield the sources of plain text, ``count`` lines each."""
    remaining_lines = iter(lines)
    while group := list(islice(remaining_lines, count)):
        if len(group) < count:
            last_position = group[-1][0]
            raise InputError(f"{last_position} is the last line: the number of lines is not a multiple of {count}")
        yield Source([text for _, text in group])


def _read_moses(lines: _Lines) -> Iterator[Source]:
    """Yield the sources of an n-best list."""
    source_ids = set()
    lines_with_fields = ((position, [field.strip() for field in line.split("|||")]) for position, line in lines)
    for source_id, group in groupby(lines_with_fields, key=lambda entry: entry[1][0]):
        entries = list(group)
        position = entries[0][0]
        if source_id in source_ids:
            raise InputError(f"{position}: source {source_id} occurs again; the lines of a source must be consecutive")
        source_ids.add(source_id)
        yield _make_moses_source(position, source_id, [fields for _, fields in entries])


def _make_moses_source(position: str, source_id: str, rows: list[list[str]]) -> Source:
    """Return the source with the candidates of an n-best list.

    Args:
        position: the position of its first line, for messages.
        source_id: the id of the source.
        rows: the fields of its lines: id, text and optionally features and score.
    """
    field_counts = {min(4, len(row)) for row in rows}
    if not source_id or len(field_counts) > 1 or min(field_counts) < 2:
        raise InputError(f"{position}: all lines of a source must have the form ID ||| TEXT ||| FEATURES ||| SCORE")
    texts = [row[1] for row in rows]
    with _input_errors(f"{position}: the score"):
        scores = [float(row[3]) for row in rows if len(row) > 3]
        return Source(texts, scores=scores or None, id=source_id)


def _decode_source(numbered_line: tuple[str, str]) -> Source:
    """Return the source of a line of JSON."""
    position, line = numbered_line
    with _input_errors(position):
        content = json.loads(line, object_pairs_hook=reject_duplicate_keys)
        if not isinstance(content, dict):
            content = {"candidates": content}
        return msgspec.convert(content, Source)


@contextmanager
def _input_errors(position: str) -> Iterator[None]:
    """Convert errors about the content to InputErrors that name the position."""
    try:
        yield
    except (ValueError, RecursionError, msgspec.ValidationError, InputError) as error:
        raise InputError(f"{position}: {error}") from error
