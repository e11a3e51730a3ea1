"""Lists of candidates: n-best lists of Moses, so many lines per source, or JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, groupby

import msgspec

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.texts import distinct_keys
from meteor_e.formats.plain import read_segments

NBEST_FORMATS = {
    "moses": "ID ||| TEXT ||| FEATURES ||| SCORE, the lines of one source together",
    "lines": "so many lines per source (--candidates N)",
    "jsonl": "one JSON list of texts per line, or an object with the list under 'candidates'",
}
"""Formats of lists, and what they look like."""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The candidates of a source; an object of JSON Lines has the same fields.

    Attributes:
        candidates: texts to choose from.
        references: texts to score them against; ``None`` for the candidates.
        weights: of the references, not negative; they need not add up to 1. ``None`` for equal ones.
        scores: the system's own scores of the candidates.
        id: the name of the source in its file.
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
        path: the file; ``-`` is standard input.
        form: one of :data:`NBEST_FORMATS`; by default ``lines`` with a count, else the first line tells.
        count: lines per source, for ``lines``.
        encoding: of the text.

    Raises:
        ConfigError: if form and count do not go together, or the form cannot be told.
        InputError: if the file cannot be read, is empty or malformed, with the line; or if only some of the sources
            have an ID or scores.
    """
    name = input_name(path)
    lines = ((f"{name}, line {at}", line) for at, line in enumerate(read_segments(path, encoding=encoding), 1))
    head = next(lines, None)
    if head is None:
        raise InputError(f"{name} is empty; there are no candidates")
    if form is None and count is None:
        form = "jsonl" if head[1].lstrip()[:1] in ("[", "{") else "moses" if " ||| " in head[1] else "lines"
    if form in ("moses", "jsonl") if count else form not in ("moses", "jsonl"):
        raise ConfigError(
            f"{name}: lines without marks need --candidates N, the lines per source; no other format does"
        )
    every = chain([head], lines)
    sources = _lines(every, count) if count else _moses(every) if form == "moses" else map(_json, every)
    first: Source | None = None
    for number, source in enumerate(sources, 1):
        first = first or source
        for what in ("id", "scores"):
            if (getattr(source, what) is None) != (getattr(first, what) is None):
                raise InputError(f"{name}: of sources 1 and {number}, only one has {what!r}; all need it, or none")
        yield source


def weighted_by_scores(sources: Iterable[Source]) -> Iterator[Source]:
    """Yield sources whose weights are the probabilities that the system's scores are the natural logarithms of.

    Raises:
        InputError: if a source has no scores, or has weights.
    """
    for number, source in enumerate(sources, 1):
        if source.scores is None or (source.references, source.weights) != (None, None):
            raise InputError(
                f"source {number}: weights by scores need scores, and no references or weights beside them"
            )
        highest = max(source.scores)
        yield msgspec.structs.replace(source, weights=[math.exp(score - highest) for score in source.scores])


_Lines = Iterable[tuple[str, str]]


def _lines(lines: _Lines, count: int) -> Iterator[Source]:
    for _, group in groupby(enumerate(lines), key=lambda line: line[0] // count):
        texts = [line for _, line in group]
        if len(texts) < count:
            raise InputError(f"{texts[-1][0]} is the last one: the number of lines is not a multiple of {count}")
        yield Source([text for _, text in texts])


def _moses(lines: _Lines) -> Iterator[Source]:
    """Yield the sources of an n-best list."""
    seen = set()
    split = ((where, [part.strip() for part in line.split("|||")]) for where, line in lines)
    for identity, group in groupby(split, key=lambda line: line[1][0]):
        wheres, rows = zip(*group, strict=True)
        if identity in seen:
            raise InputError(f"{wheres[0]}: source {identity} comes back; its lines stand together")
        seen.add(identity)
        if not identity or len({min(4, len(row)) for row in rows}) > 1 or len(rows[0]) < 2:
            raise InputError(f"{wheres[0]}: all lines of a source are of the form ID ||| TEXT ||| FEATURES ||| SCORE")
        texts, scores = ([row[at] for row in rows if len(row) > at] for at in (1, 3))
        with _errors_of(f"{wheres[0]}: the score"):
            yield Source(texts, scores=list(map(float, scores)) or None, id=identity)


def _json(given: tuple[str, str]) -> Source:
    where, line = given
    with _errors_of(where):
        content = json.loads(line, object_pairs_hook=distinct_keys)
        return msgspec.convert(content if isinstance(content, dict) else {"candidates": content}, Source)


@contextmanager
def _errors_of(where: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, RecursionError, msgspec.ValidationError, InputError) as error:
        raise InputError(f"{where}: {error}") from error
