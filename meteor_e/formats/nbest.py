"""This module reads candidate lists: Moses n-best lists, plain text with N lines per source, and JSON Lines."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, groupby, islice
from typing import NamedTuple

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
"""The table maps the name of each format of candidate lists to its description."""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The candidates of a source sentence. The JSON objects in a JSON Lines file can have the fields of this class.

    Attributes:
        candidates: the texts to choose from.
        references: the texts that the candidates are scored against. By default, these are the candidates.
        weights: the non-negative weights of the references, which need not sum to 1. By default, they are equal.
        scores: the system's scores of the candidates, or ``None`` if they are unknown.
        id: the id of the source in its file, or ``None`` if it does not have one.
    """

    candidates: list[str]
    references: list[str] | None = None
    weights: list[float] | None = None
    scores: list[float] | None = None
    id: str | int | None = None

    def __post_init__(self) -> None:
        references = self.candidates if self.references is None else self.references
        _check_weights_or_scores("weights", self.weights, references)
        _check_weights_or_scores("scores", self.scores, self.candidates)


def _check_weights_or_scores(kind: str, values: list[float] | None, texts: list[str]) -> None:
    """Raise InputError if values are given, but there is not exactly one finite value for each text.

    Args:
        kind: ``weights`` or ``scores``, for the error message.
        values: the weights or scores of the texts, or ``None``.
        texts: the texts.
    """
    if values is None:
        return
    if len(values) != len(texts):
        raise InputError(f"there are {len(values)} {kind} for {len(texts)} texts")
    if not all(math.isfinite(value) for value in values):
        raise InputError(f"{kind} must be finite numbers")


def read_candidates(
    path: PathLike, form: str | None = None, count: int | None = None, *, encoding: str = "utf-8"
) -> Iterator[Source]:
    """Read a file of candidate lists, and yield the candidates of each source sentence.

    Args:
        path: the path of the file; ``-`` is standard input.
        form: one of :data:`NBEST_FORMATS`. By default, the format is ``lines`` if there is a count, and otherwise it is
            detected from the first line.
        count: the number of lines per source in the format ``lines``.
        encoding: the encoding of the file.

    Raises:
        ConfigError: if the format ``lines`` lacks a number of lines per source, or if another format has such a number.
        InputError: if the file cannot be read, is empty or malformed, or if only some sources have an id or scores.
    """
    name = input_name(path)
    lines = _read_lines(path, encoding)
    first_line = next(lines, None)
    if first_line is None:
        raise InputError(f"{name} is empty; there are no candidates")
    detected_form = form or _detect_format(first_line.text, count)
    read_sources = _choose_reader(detected_form, count, name)
    sources = read_sources(chain([first_line], lines))
    yield from _check_same_fields(sources, name)


def _read_lines(path: PathLike, encoding: str) -> Iterator[_Line]:
    """Yield the lines of a file with their locations."""
    name = input_name(path)
    for number, text in enumerate(read_segments(path, encoding=encoding), 1):
        yield _Line(f"{name}, line {number}", text)


def _detect_format(first_line: str, count: int | None) -> str:
    """Detect the format of a candidate file from its first line.

    If the caller specifies a number of lines per source sentence, the format is always ``lines``, because the other
    formats do not allow this number.
    """
    if count:
        return "lines"
    if first_line.lstrip()[:1] in ("[", "{"):
        return "jsonl"
    return "moses" if " ||| " in first_line else "lines"


def _choose_reader(form: str, count: int | None, name: str) -> Callable[[Iterable[_Line]], Iterable[Source]]:
    """Return the function that reads a certain format of candidate lists.

    Raises:
        ConfigError: if the format ``lines`` lacks a number of lines per source, or if another format has such a number.
    """
    is_plain_text = form not in ("moses", "jsonl")
    if is_plain_text and count:
        return partial(_read_groups, count=count)
    if is_plain_text or count:
        raise ConfigError(
            f"{name}: plain text needs --candidates N, the number of lines per source; other formats do not allow it"
        )
    return _read_moses if form == "moses" else partial(map, _decode_source)


def _check_same_fields(sources: Iterable[Source], name: str) -> Iterator[Source]:
    """Yield the sources unchanged. Raise InputError if only some of the sources have an id or scores."""
    first_source: Source | None = None
    for number, source in enumerate(sources, 1):
        first_source = first_source or source
        for field in ("id", "scores"):
            is_missing = getattr(source, field) is None
            is_missing_in_first = getattr(first_source, field) is None
            if is_missing != is_missing_in_first:
                raise InputError(
                    f"{name}: only one of the sources 1 and {number} has {field!r}; all sources need it, or no source"
                )
        yield source


def weight_by_scores(sources: Iterable[Source]) -> Iterator[Source]:
    """Give each candidate a weight that is proportional to its probability, and yield the sources.

    The scores of the candidates must be log-probabilities.

    Raises:
        InputError: if a source lacks scores, or already has references or weights.
    """
    for number, source in enumerate(sources, 1):
        if source.scores is None or source.references is not None or source.weights is not None:
            raise InputError(
                f"source {number}: weights by scores need a source that has scores, but no references and no weights"
            )
        # Subtracting the highest score first prevents an overflow of the exponential function.
        highest_score = max(source.scores)
        weights = [math.exp(score - highest_score) for score in source.scores]
        yield msgspec.structs.replace(source, weights=weights)


class _Line(NamedTuple):
    """A line of a file, with its location for error messages, such as ``file.txt, line 1``."""

    location: str
    text: str


def _read_groups(lines: Iterable[_Line], count: int) -> Iterator[Source]:
    """Read plain text with a fixed number of candidate lines per source sentence, and yield the sources."""
    remaining_lines = iter(lines)
    while group := list(islice(remaining_lines, count)):
        if len(group) < count:
            raise InputError(f"{group[-1].location} is the last line: the number of lines is not a multiple of {count}")
        yield Source([line.text for line in group])


def _read_moses(lines: Iterable[_Line]) -> Iterator[Source]:
    """Read a Moses n-best list, in which each line begins with a source id, and yield the sources."""
    finished_ids = set()
    for source_id, group in groupby(lines, key=lambda line: line.text.partition("|||")[0].strip()):
        source_lines = list(group)
        location = source_lines[0].location
        if source_id in finished_ids:
            raise InputError(f"{location}: source {source_id} occurs again; the lines of a source must be consecutive")
        finished_ids.add(source_id)
        yield _parse_moses_source(location, source_id, [line.text for line in source_lines])


class _MosesLine(NamedTuple):
    """The fields of a line in a Moses n-best list. Fields after the score are ignored."""

    source_id: str
    candidate: str
    features: str = ""
    score: str = ""


_MOSES_FIELDS = len(_MosesLine._fields)


def _parse_moses_source(location: str, source_id: str, lines: Iterable[str]) -> Source:
    """Parse the lines of a source in a Moses n-best list.

    Args:
        location: the location of the first line, for error messages.
        source_id: the id of the source.
        lines: the lines. Each contains the id, the candidate, and optionally the features and the score.
    """
    rows = [[field.strip() for field in line.split("|||")[:_MOSES_FIELDS]] for line in lines]
    field_counts = {len(row) for row in rows}
    if not source_id or len(field_counts) > 1 or min(field_counts) < 2:
        raise InputError(f"{location}: all lines of a source must have the form ID ||| TEXT ||| FEATURES ||| SCORE")
    moses_lines = [_MosesLine(*row) for row in rows]
    candidates = [line.candidate for line in moses_lines]
    if field_counts != {_MOSES_FIELDS}:
        return Source(candidates, id=source_id)
    # The constructor of Source raises an error if a score is not finite.
    with _input_errors(f"{location}: the score"):
        return Source(candidates, scores=[float(line.score) for line in moses_lines], id=source_id)


def _decode_source(line: _Line) -> Source:
    """Parse one line of JSON Lines, and return the source with its candidates."""
    with _input_errors(line.location):
        content = json.loads(line.text, object_pairs_hook=reject_duplicate_keys)
        if not isinstance(content, dict):
            content = {"candidates": content}
        return msgspec.convert(content, Source)


@contextmanager
def _input_errors(location: str) -> Iterator[None]:
    """Convert errors in the ``with`` block to InputErrors. Their messages begin with the location in the file."""
    try:
        yield
    except (ValueError, RecursionError, msgspec.ValidationError, InputError) as error:
        raise InputError(f"{location}: {error}") from error
