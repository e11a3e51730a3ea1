"""Lists of candidates: n-best lists of Moses and fairseq, so many lines per source, or JSON Lines."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, zip_longest
from typing import Any, NamedTuple

from meteor_e.base.errors import ConfigError, InputError, near_miss
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.texts import distinct_keys
from meteor_e.formats.plain import read_segments

NBEST_FORMATS = {
    "moses": "ID ||| TEXT ||| FEATURES ||| SCORE, the lines of one source together",
    "fairseq": "what fairseq-generate writes: H-ID, score and text between tabs, in any order",
    "lines": "so many lines per source (--candidates N)",
    "jsonl": "one JSON list of texts per line, or an object with the list under 'candidates'",
}
"""Forms of lists, and what they look like."""

FIELDS = ("id", "candidates", "references", "weights", "log_probabilities", "scores")
"""Fields of a JSON object that mean something here."""

_FAIRSEQ = re.compile(r"([A-Z])-(\d+)\t(.*)", re.DOTALL)
_FAIRSEQ_LOG = re.compile(r"[0-9-]{10} [0-9:,]{8,12} \| [A-Z]+ \| .*|Generate \S+ with beam=[0-9]+: .*")
"""What fairseq-generate writes among the lines of sources: its log, and the score of the whole at the end."""


@dataclass(frozen=True)
class Source:
    """The candidates of a source, and what is known of them.

    Attributes:
        candidates: texts to choose from.
        references: texts to score them against; ``None`` for the candidates.
        weights: of the references, not negative; they need not add up to 1. ``None`` for equal ones.
        scores: the system's own scores of the candidates.
        id: the name of the source in its file.
        details: for each candidate what else its line has, by name.
        other: what else belongs to the source, by name.
    """

    candidates: Sequence[str]
    references: Sequence[str] | None = None
    weights: Sequence[float] | None = None
    scores: Sequence[float] | None = None
    id: str | int | None = None
    details: Sequence[dict[str, Any]] | None = None
    other: dict[str, Any] = field(default_factory=dict)


class _Line(NamedTuple):
    """A line of an n-best list."""

    number: int
    id: str
    text: str
    score: float | None
    details: dict[str, Any]


def read_candidates(
    path: PathLike,
    form: str | None = None,
    count: int | None = None,
    *,
    encoding: str = "utf-8",
    other_fields: bool = True,
) -> Iterator[Source]:
    """Yield the candidates of each source; those of fairseq by their numbers, all others as in the file.

    Args:
        path: the file; ``-`` is standard input.
        form: one of :data:`NBEST_FORMATS`; by default ``lines`` with a count, else what the first line looks like.
        count: lines per source, for ``lines``.
        encoding: of the text.
        other_fields: whether JSON objects may have fields other than :data:`FIELDS`.

    Raises:
        ConfigError: if form and count do not go together, or the form cannot be told.
        InputError: if the file cannot be read, is empty or malformed, with the line; or if only some of the sources
            have an ID or scores.
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
        return _lines(every(), name, count)
    if form == "moses":
        return _alike(_together(_moses(every(), name), name), name)
    if form == "fairseq":
        return _alike(_fairseq(every(), name), name)
    return _alike((_json(line, f"{name}, line {number}", other_fields) for number, line in every()), name)


def with_references(sources: Iterable[Source], references: Iterable[Source]) -> Iterator[Source]:
    """Yield sources with the texts of a second file as references, with their weights and scores.

    Raises:
        InputError: if the files differ in their IDs or in the number of sources, or have references themselves.
    """
    for number, (source, other) in enumerate(zip_longest(sources, references), 1):
        if source is None or other is None:
            raise InputError(f"candidates and references: source {number} is only in one of the files")
        if None not in (source.id, other.id) and str(source.id) != str(other.id):
            raise InputError(f"source {number}: its ID is {source.id}, and {other.id} in the file of references")
        if source.references is not None or source.weights is not None or other.references is not None:
            raise InputError(f"source {number} has references or weights of its own, beside those of the second file")
        yield replace(source, references=other.candidates, weights=other.weights)


def weighted_by_scores(sources: Iterable[Source], weighing: Iterable[Source]) -> Iterator[Source]:
    """Yield sources whose references have the probabilities that their system's scores are the logarithms of.

    Args:
        sources: what is weighted.
        weighing: for each source what has the scores: itself, or the source of the references.

    Raises:
        InputError: if a source has no scores, or has weights.
    """
    for number, (source, other) in enumerate(zip(sources, weighing, strict=True), 1):
        if other.scores is None or source.weights is not None:
            raise InputError(f"source {number}: weights by scores need scores, and no weights in the file")
        yield replace(source, weights=probabilities(other.scores))


def probabilities(logarithms: Sequence[float]) -> list[float]:
    """Return what natural logarithms belong to, up to a factor."""
    return [math.exp(logarithm - max(logarithms)) for logarithm in logarithms]


def _recognized(line: str) -> str | None:
    """Return the form that a first line looks like."""
    if line.lstrip()[:1] in ("[", "{"):
        return "jsonl"
    if _FAIRSEQ.fullmatch(line) or _FAIRSEQ_LOG.fullmatch(line):
        return "fairseq"
    return "moses" if " ||| " in line else None


def _alike(sources: Iterable[Source], name: str) -> Iterator[Source]:
    """Make sure that all sources have an ID, or none; the same for scores."""
    first: Source | None = None
    for number, source in enumerate(sources, 1):
        first = first or source
        for what in ("id", "scores"):
            if (getattr(source, what) is None) != (getattr(first, what) is None):
                raise InputError(f"{name}: of sources 1 and {number}, only one has {what!r}; all need it, or none")
        yield source


def _lines(lines: Iterator[tuple[int, str]], name: str, count: int) -> Iterator[Source]:
    if count < 1:
        raise ConfigError(f"a source has at least one candidate, not {count}")
    candidates: list[str] = []
    total = 0
    for total, line in lines:  # noqa: B007 - the last number is the number of lines
        candidates.append(line)
        if len(candidates) == count:
            yield Source(candidates)
            candidates = []
    if candidates:
        raise InputError(f"{name} has {total} lines, which is not a multiple of {count}")


def _moses(lines: Iterator[tuple[int, str]], name: str) -> Iterator[_Line]:
    for number, line in lines:
        parts = [part.strip() for part in line.split("|||")]
        if len(parts) < 2 or not parts[0]:
            raise InputError(f"{name}, line {number}: not of the form ID ||| TEXT ||| …")
        score = None
        if len(parts) > 3:
            score = _number(parts[3], f"{name}, line {number}: the score (ID ||| TEXT ||| FEATURES ||| SCORE)")
        details: dict[str, Any] = {"features": parts[2]} if len(parts) > 2 else {}
        yield _Line(number, parts[0], parts[1], score, {**details, "more": parts[4:]} if parts[4:] else details)


def _together(entries: Iterable[_Line], name: str) -> Iterator[Source]:
    """Yield what belongs to each source; its lines stand together."""
    seen: set[str] = set()
    for source, group in groupby(entries, key=lambda entry: entry.id):
        lines = list(group)
        if source in seen:
            raise InputError(f"{name}, line {lines[0].number}: source {source} comes back; its lines stand together")
        seen.add(source)
        scores = [line.score for line in lines if line.score is not None]
        if scores and len(scores) < len(lines):
            raise InputError(f"{name}, line {lines[0].number}: source {source} has a score in some of its lines only")
        texts, details = [line.text for line in lines], [line.details for line in lines]
        yield Source(texts, scores=scores or None, id=source, details=details)


def _fairseq(lines: Iterator[tuple[int, str]], name: str) -> Iterator[Source]:
    """Yield the hypotheses: texts (D) where there are any, else tokens (H). The file is read whole."""
    sources: dict[int, dict[str, list[tuple[float, str]]]] = {}
    others: dict[int, dict[str, list[str]]] = {}
    logged = 0
    for number, line in lines:
        found = _FAIRSEQ.fullmatch(line)
        if found is None:
            if _FAIRSEQ_LOG.fullmatch(line):
                logged += 1
                continue
            raise InputError(
                f"{name}, line {number}: not of fairseq's form H-ID⇥SCORE⇥TEXT; take the lines of hypotheses alone "
                "(grep '^[HD]-')"
            )
        kind, source, rest = found.groups()
        if kind in "HD":
            score, tab, text = rest.partition("\t")
            what = f"{name}, line {number}: a score and a text are needed after {kind}-{source}; the score"
            value = _number(score if tab else "", what)
            sources.setdefault(int(source), {}).setdefault(kind, []).append((value, text))
        else:
            others.setdefault(int(source), {}).setdefault(kind, []).append(rest)
    if not sources:
        raise InputError(f"{name} has no lines H- or D-; there are no candidates")
    if logged:
        warnings.warn(f"{name}: {logged} line{'s' * (logged > 1)} of fairseq's log left out", stacklevel=1)
    for source in sorted(others.keys() - sources.keys()):
        raise InputError(f"{name}: source {source} has no lines H- or D-; there are no candidates")
    for source, kinds in sorted(sources.items()):
        tokens, texts = kinds.get("H", []), kinds.get("D", [])
        if tokens and texts and len(tokens) != len(texts):
            raise InputError(f"{name}: source {source} has {len(tokens)} lines H- and {len(texts)} lines D-")
        if tokens and texts and [score for score, _ in tokens] != [score for score, _ in texts]:
            raise InputError(f"{name}: lines H- and D- of source {source} have other scores or another order")
        other = {kind: each[0] if len(each) == 1 else each for kind, each in others.get(source, {}).items()}
        details = [{"tokens": text} for _, text in tokens] if texts and tokens else None
        scores = [score for score, _ in texts or tokens]
        yield Source([text for _, text in texts or tokens], scores=scores, id=source, details=details, other=other)


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{what} is {text!r}, which is not a number")
    return value


def _json(line: str, where: str, other_fields: bool) -> Source:
    try:
        content = json.loads(line, object_pairs_hook=distinct_keys)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not valid JSON: {error}") from error
    content = content if isinstance(content, dict) else {"candidates": content}
    for name in content.keys() - set(FIELDS):
        near = "" if name == "source" else near_miss("log_probabilities" if "prob" in name else name, FIELDS)
        if near or not other_fields:
            raise InputError(
                f"{where}: unknown field {name!r}{near}; the fields are {', '.join(FIELDS)}. "
                "Others go with --format jsonl, which writes them with the choice"
            )
    texts = _texts(content.get("candidates"), f"{where}: a list of texts is needed, or an object with it under")
    references = content.get("references")
    if references is not None:
        references = _texts(references, f"{where}: a list of texts is needed under", "references")
    count = len(texts if references is None else references)
    weights = _numbers(content, "weights", count, where)
    logarithms = _numbers(content, "log_probabilities", count, where)
    if weights is not None and logarithms is not None:
        raise InputError(f"{where}: weights or log_probabilities, not both")
    identity = content.get("id")
    if isinstance(identity, bool) or not isinstance(identity, (str, int, type(None))):
        raise InputError(f"{where}: 'id' is a text or a whole number, not {json.dumps(identity)}")
    return Source(
        texts,
        references,
        weights if logarithms is None else probabilities(logarithms),
        _numbers(content, "scores", len(texts), where),
        identity,
        other={name: value for name, value in content.items() if name not in FIELDS},
    )


def _texts(content: Any, needed: str, name: str = "candidates") -> list[str]:
    if not isinstance(content, list) or not content or not all(isinstance(text, str) for text in content):
        raise InputError(f"{needed} '{name}'")
    return content


def _numbers(content: dict[str, Any], name: str, count: int, where: str) -> list[float] | None:
    """Return the numbers of a field, one per text."""
    values = content.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or len(values) != count:
        raise InputError(f"{where}: {name!r} is a list of {count} numbers, one per text")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{where}: {name!r} holds {json.dumps(value)}, which is not a number")
    numbers = [_number(str(value), f"{where}: {name!r}: a value") for value in values]
    if name == "weights" and (min(numbers) < 0 or not max(numbers)):
        raise InputError(f"{where}: weights are not negative, and one of them is above 0")
    return numbers
