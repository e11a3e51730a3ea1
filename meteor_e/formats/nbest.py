"""Lists of candidates: n-best lists of Moses, plain text with N lines per source, or JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, groupby

import msgspec

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.texts import reject_duplicate_keys
from meteor_e.formats.plain import read_segments

NBEST_FORMATS = {
    "moses": "ID ||| TEXT ||| FEATURES ||| SCORE, the lines of one source together",
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
                raise InputError(f"{name} are finite numbers")


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
    if form is None and count is None:
        form = _recognize_format(first_line[1])
    if form in ("moses", "jsonl") if count else form not in ("moses", "jsonl"):
        raise ConfigError(
            f"{name}: lines without marks need --candidates N, the lines per source; no other format does"
        )
    all_lines = chain([first_line], lines)
    if count:
        sources = _read_groups(all_lines, count)
    elif form == "moses":
        sources = _read_moses(all_lines)
    else:
        sources = map(_decode_source, all_lines)
    first_source: Source | None = None
    for number, source in enumerate(sources, 1):
        first_source = first_source or source
        for field in ("id", "scores"):
            if (getattr(source, field) is None) != (getattr(first_source, field) is None):
                raise InputError(f"{name}: of sources 1 and {number}, only one has {field!r}; all need it, or none")
        yield source


def _recognize_format(line: str) -> str:
    """Return the format of a file by its first line."""
    if line.lstrip()[:1] in ("[", "{"):
        return "jsonl"
    return "moses" if " ||| " in line else "lines"


def weight_by_scores(sources: Iterable[Source]) -> Iterator[Source]:
    """Yield the sources with reference weights proportional to exp(score), as scores are logarithms of probabilities.

    Raises:
        InputError: if a source does not have scores, or has references or weights.
    """
    for number, source in enumerate(sources, 1):
        if source.scores is None or (source.references, source.weights) != (None, None):
            raise InputError(
                f"source {number}: weights by scores need scores, and no references or weights beside them"
            )
        highest = max(source.scores)
        yield msgspec.structs.replace(source, weights=[math.exp(score - highest) for score in source.scores])


_Lines = Iterable[tuple[str, str]]
"""Pairs of a line's position, for messages, and its text."""


def _read_groups(lines: _Lines, count: int) -> Iterator[Source]:
    """Yield the sources of plain text, ``count`` lines each."""
    for _, group in groupby(enumerate(lines), key=lambda line: line[0] // count):
        texts = [line for _, line in group]
        if len(texts) < count:
            raise InputError(f"{texts[-1][0]} is the last one: the number of lines is not a multiple of {count}")
        yield Source([text for _, text in texts])


def _read_moses(lines: _Lines) -> Iterator[Source]:
    """Yield the sources of an n-best list."""
    source_ids = set()
    rows_with_positions = ((position, [field.strip() for field in line.split("|||")]) for position, line in lines)
    for source_id, group in groupby(rows_with_positions, key=lambda entry: entry[1][0]):
        positions, rows = zip(*group, strict=True)
        if source_id in source_ids:
            raise InputError(f"{positions[0]}: source {source_id} comes back; its lines stand together")
        source_ids.add(source_id)
        if not source_id or len({min(4, len(row)) for row in rows}) > 1 or len(rows[0]) < 2:
            raise InputError(
                f"{positions[0]}: all lines of a source are of the form ID ||| TEXT ||| FEATURES ||| SCORE"
            )
        texts, scores = ([row[index] for row in rows if len(row) > index] for index in (1, 3))
        with _input_errors(f"{positions[0]}: the score"):
            yield Source(texts, scores=list(map(float, scores)) or None, id=source_id)


def _decode_source(numbered_line: tuple[str, str]) -> Source:
    """Return the source of a line of JSON."""
    position, line = numbered_line
    with _input_errors(position):
        content = json.loads(line, object_pairs_hook=reject_duplicate_keys)
        return msgspec.convert(content if isinstance(content, dict) else {"candidates": content}, Source)


@contextmanager
def _input_errors(position: str) -> Iterator[None]:
    """Convert errors about the content to InputErrors that name the position."""
    try:
        yield
    except (ValueError, RecursionError, msgspec.ValidationError, InputError) as error:
        raise InputError(f"{position}: {error}") from error
