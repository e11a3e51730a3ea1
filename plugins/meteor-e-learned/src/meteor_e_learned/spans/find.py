"""From texts to error spans."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from meteor_e import Alignment, Meteor
from meteor_e.api import ConfigError, InputError
from meteor_e_learned.features.vocabulary import UNKNOWN, Frequencies
from meteor_e_learned.features.word_classes import WORD_CLASSES
from meteor_e_learned.spans.features import Words
from meteor_e_learned.spans.model import SpanModel, load_span_model
from meteor_e_learned.spans.offsets import utf16_offsets, word_offsets

if TYPE_CHECKING:
    import os

__all__ = ["KINDS", "Found", "Missing", "Span", "Spans", "describe", "runs_of", "word_information"]

KINDS = (
    *("content word", "function word", "word order", "number", "name", "negation", "addition", "omission"),
    *("repetition", "punctuation", "untranslated"),
)
"""The kinds of error that an alignment can know."""
Information: TypeAlias = Callable[[Sequence[str]], NDArray[np.float64]]
_SEGMENTS = 256
POLARITY = 0.5
"""The least probability of an English negation that matches nothing, where the hypothesis has more of them than the
reference. Ratings have too few to learn it from."""
_SHOWN = 3
_NEGATIONS = WORD_CLASSES["negation"]
_FUNCTION_WORDS = frozenset[str]().union(*WORD_CLASSES.values())


class Span(NamedTuple):
    """A part of a hypothesis that is probably wrong.

    Attributes:
        start, end: offsets in the raw text, in characters; the end is exclusive.
        severity: ``minor`` or ``major``.
        probability: that a rater marks its surest word, in [0, 1].
        kind: one of :data:`KINDS`.
        reason: why it is marked, in words.
    """

    start: int
    end: int
    severity: str
    probability: float
    kind: str
    reason: str


class Missing(NamedTuple):
    """A part of the reference that the hypothesis probably lacks.

    Attributes:
        start, end: offsets in the raw reference, in characters; the end is exclusive.
        at: where in the hypothesis it is missing, an offset in characters.
        severity: ``minor`` or ``major``.
        probability: that a rater notes an omission there, in [0, 1].
        text: the missing words, as the reference has them.
        reference: which of the references, from 0.
    """

    start: int
    end: int
    at: int
    severity: str
    probability: float
    text: str
    reference: int


@dataclass(frozen=True)
class Found:
    """What was found in one segment.

    Attributes:
        hypothesis: the raw text.
        spans: sorted; they do not overlap.
        missing: what is missing of the reference that agrees best, sorted.
    """

    hypothesis: str
    spans: list[Span]
    missing: list[Missing]

    def to_dict(self, *, utf16: bool = False, references: Sequence[str] = ()) -> dict[str, Any]:
        """Return a form that JSON can hold.

        Args:
            utf16: count offsets in UTF-16 code units, as web tools do.
            references: the raw references; needed for ``utf16``.
        """
        spans = [span._asdict() for span in self.spans]
        missing = [each._asdict() for each in self.missing]
        if utf16:
            for entry in spans:
                entry["start"], entry["end"] = utf16_offsets(self.hypothesis, [entry["start"], entry["end"]])
            for entry in missing:
                text = references[entry["reference"]]
                entry["start"], entry["end"] = utf16_offsets(text, [entry["start"], entry["end"]])
                (entry["at"],) = utf16_offsets(self.hypothesis, [entry["at"]])
        return {"spans": spans, "missing": missing}


class Spans:
    """Finds error spans.

    Args:
        language: code of the language of the texts.
        model: ``listed``, ``any`` or a file; by default ``listed`` for languages that wordfreq has frequencies of, such
            as English, and ``any`` for all others.
        threshold: words of at least this probability are marked; by default the model's, which gave the best F1.
        meteor: the chain that aligns; by default the language's own.

    Raises:
        ConfigError: if the threshold is not above 0 and below 1, or the model wants frequencies that are not there.
    """

    def __init__(
        self,
        language: str = "en",
        *,
        model: str | os.PathLike[str] | None = None,
        threshold: float | None = None,
        meteor: Meteor | None = None,
    ) -> None:
        self.meteor = meteor or Meteor(language)
        self.language = self.meteor.chain.language.code
        self.model: SpanModel = load_span_model(model or ("listed" if has_frequencies(self.language) else "any"))
        self.threshold = self.model.threshold if threshold is None else threshold
        if not 0 < self.threshold < 1:
            raise ConfigError(f"the threshold of spans is a probability above 0 and below 1, not {threshold}")
        self._information = word_information(self.language) if self.model.lists else None

    @property
    def signature(self) -> str:
        """What must be the same for the spans to be the same."""
        return f"{self.model.signature}|threshold:{self.threshold:g}|{self.meteor.signature}"

    def find(self, hypothesis: str, references: str | Sequence[str]) -> list[Span]:
        """Return the error spans of a segment, sorted.

        Args:
            hypothesis: raw.
            references: one or several, raw. A word that agrees with one of them is not marked for the others.

        Raises:
            InputError: if there is no reference, or the segment cannot be aligned.
        """
        return next(self.find_all([hypothesis], [references])).spans

    def find_all(self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]) -> Iterator[Found]:
        """Yield what is found in each segment, in order; some hundred are read ahead.

        Raises:
            InputError: if one side ends before the other, or a segment has no reference or cannot be aligned.
        """
        for described, batch in self._described(hypotheses, references):
            yield from self._batch(described, batch)

    def unmatched(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]
    ) -> Iterator[list[tuple[int, int, str]]]:
        """Yield start, end and severity (always ``minor``) of the words that match no reference: the baseline."""
        for described, batch in self._described(hypotheses, references):
            words, pair = described.words, 0
            for _, texts in batch:
                size, starts = int(words.lengths[0][pair]), words.starts[0]
                kinds = [words.kind[starts[at] : starts[at] + size] for at in range(pair, pair + len(texts))]
                free = np.flatnonzero(np.max(kinds, axis=0) == 0)
                places = described.offsets[pair]
                runs = np.split(free, np.flatnonzero(np.diff(free) > 1) + 1) if len(free) else []
                yield [(places[run[0]][0], places[run[-1]][1], "minor") for run in runs]
                pair += len(texts)

    def _described(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]
    ) -> Iterator[tuple[Described, Sequence[tuple[str, Sequence[str]]]]]:
        """Yield some hundred segments at a time, with what is known of their words."""
        sides = iter(_paired(hypotheses, references))
        first = 1
        while batch := list(itertools.islice(sides, _SEGMENTS)):
            yield describe(self.meteor, batch, self._information, first), batch
            first += len(batch)

    def _batch(self, described: Described, batch: Sequence[tuple[str, Sequence[str]]]) -> Iterator[Found]:
        words = described.words
        error, major = self.model.probabilities(words.numbers(), self.language)
        if self.language == "en":
            added = described.added_negations()
            error[added] = np.maximum(error[added], POLARITY)
            major[added] = np.maximum(major[added], POLARITY)
        runs = runs_of(words, self._information)
        missed = self.model.omissions(runs.numbers)
        starts, at = words.starts[0], 0
        matched = np.bincount(words.owner, words.kind > 0, len(words.alignments))
        for hypothesis, texts in batch:
            pairs = range(at, at + len(texts))
            at += len(texts)
            size = int(words.lengths[0][pairs[0]])
            rows = [slice(starts[pair], starts[pair] + size) for pair in pairs]
            # The reference that agrees with most words explains the rest.
            best = max(range(len(texts)), key=lambda place: (matched[pairs[place]], -place))
            least = np.min([error[row] for row in rows], axis=0) if len(rows) > 1 else error[rows[0]]
            # A text with the words of a reference, in their order, has no errors that an alignment can know.
            equal = any(words.alignments[pair].hypothesis == words.alignments[pair].reference for pair in pairs)
            marked = np.flatnonzero((least >= self.threshold) & (not equal))
            spans: list[Span] = []
            if len(marked):
                severe = major[rows[best]]
                spans = list(described.spans(pairs[best], marked, least, severe))
            missing = described.missing(pairs[best], best, runs, missed, self.model.omission_threshold)
            yield Found(hypothesis, spans, missing)


class Runs(NamedTuple):
    """Runs of unmatched words of references; marks end a run.

    Attributes:
        pair: of hypothesis and reference.
        start, end: words of the reference; the end is exclusive.
        numbers: ``(runs, columns)``, as :data:`~meteor_e_learned.spans.model.OMISSION_COLUMNS` names them.
        of_pair: where the runs of each pair begin, and where the last ones end.
    """

    pair: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    numbers: NDArray[np.float64]
    of_pair: NDArray[np.int64]


@dataclass(frozen=True)
class Described:
    """The words of some pairs of hypothesis and reference, and where they stand in the raw texts."""

    pairs: Sequence[tuple[str, str]]
    offsets: Sequence[Sequence[tuple[int, int]]]
    words: Words

    def spans(
        self, pair: int, marked: NDArray[np.int64], error: NDArray[np.float64], major: NDArray[np.float64]
    ) -> Iterator[Span]:
        """Yield the spans of marked words, neighbors in one.

        Args:
            pair: of hypothesis and reference.
            marked: places of words in the hypothesis, sorted.
            error, major: probabilities of each word.
        """
        text, places = self.pairs[pair][0], self.offsets[pair]
        first = self.words.starts[0][pair]
        end = -1
        for run in np.split(marked, np.flatnonzero(np.diff(marked) > 1) + 1):
            surest = int(run[np.argmax(error[run])])
            start = max(end, min(places[at][0] for at in run.tolist()))
            end = max(start, *(places[at][1] for at in run.tolist()))
            if start == end:
                continue
            kind, reason = self._explained(pair, int(first) + surest, text[slice(*places[surest])])
            severity = "major" if major[run].max() >= 0.5 else "minor"
            yield Span(start, end, severity, round(float(error[surest]), 4), kind, reason)

    def added_negations(self) -> NDArray[np.int64]:
        """Return the places of English negations without a match, of hypotheses with more negations than references."""
        words = self.words
        own, theirs = (
            np.array([word in _NEGATIONS for word in side], bool) for side in (words.hypothesis, words.reference)
        )
        if not own.any():
            return np.zeros(0, np.int64)
        left, right = (np.concatenate([[0], np.cumsum(side)]) for side in (own, theirs))
        more = np.diff(left[words.starts[0]]) > np.diff(right[words.starts[1]])
        return np.flatnonzero(own & (words.kind == 0) & more[words.owner])

    def _explained(self, pair: int, word: int, shown: str) -> tuple[str, str]:
        """Return kind and reason for a word, by its place among all words."""
        words = self.words
        form = words.hypothesis[word]
        shape = words.shapes[word, 0]
        if words.kind[word]:
            how = ("", "", " in another form", " by another word")[words.kind[word]]
            return "word order", f"{shown!r} matches{how}, but stands in another place or beside other words"
        reference = self._instead(pair, word)
        seen = f"; the reference has {reference!r} there" if reference else "; the reference has nothing there"
        unmatched = f"{shown!r} matches no word of the reference{seen}"
        if words.foreign[word]:
            return "untranslated", f"{shown!r} is in a script that the reference does not use"
        if words.repeated[0][word] or words.repeated[1][word]:
            return "repetition", f"{shown!r} stands there more often than in the reference"
        if shape == 1:
            return "punctuation", unmatched
        if shape == 2:
            return "number", unmatched
        if form in _NEGATIONS:
            return "negation", unmatched
        if words.capitals[word] and word > words.starts[0][pair]:
            return "name", unmatched
        if not words.gap[word]:
            return "addition", unmatched
        return ("function word" if form in _FUNCTION_WORDS else "content word"), unmatched

    def _instead(self, pair: int, word: int) -> str:
        """Return the first unmatched words of the reference that stand where an unmatched word does."""
        words, (left, right) = self.words, self.words.starts
        before = next((at for at in range(word - 1, left[pair] - 1, -1) if words.kind[at]), None)
        first = right[pair] if before is None else right[pair] + words.partner[before] + 1
        found: list[str] = []
        for at in range(int(first), int(right[pair + 1])):
            if words.reference_matched[at]:
                if found or at > first + _SHOWN:
                    break
                continue
            found.append(words.reference[at])
        return " ".join(found[:_SHOWN]) + (" …" if len(found) > _SHOWN else "") if words.gap[word] else ""

    def missing(
        self, pair: int, reference: int, runs: Runs, probabilities: NDArray[np.float64], threshold: float
    ) -> list[Missing]:
        """Return what the hypothesis of a pair lacks.

        Args:
            pair: of hypothesis and reference.
            reference: which of the segment's references it is.
            runs: of all pairs.
            probabilities: that people miss each.
            threshold: from which probability on it counts.
        """
        rows = np.arange(runs.of_pair[pair], runs.of_pair[pair + 1])
        rows = rows[probabilities[rows] >= threshold]
        if not len(rows):
            return []
        words = self.words
        text = self.pairs[pair][1]
        places = word_offsets(text, words.alignments[pair].reference)
        after = {
            match.reference_start + match.reference_length: match.hypothesis_start + match.hypothesis_length
            for match in words.alignments[pair].matches
        }
        found = []
        for row in rows.tolist():
            start, end = int(runs.start[row]), int(runs.end[row])
            place = next((after[at] for at in range(start, -1, -1) if at in after), 0)
            at = self.offsets[pair][place - 1][1] if place else 0
            first, last = places[start][0], max(places[start][0], places[end - 1][1])
            probability = float(probabilities[row])
            severity = "major" if probability >= max(0.5, threshold) else "minor"
            found.append(Missing(first, last, at, severity, round(probability, 4), text[first:last], reference))
        return found


def describe(
    meteor: Meteor, batch: Sequence[tuple[str, Sequence[str]]], information: Information | None = None, first: int = 1
) -> Described:
    """Align segments, and describe every word of every pair of hypothesis and reference.

    Args:
        meteor: the chain that aligns.
        batch: hypotheses with their references.
        information: of words, as :func:`word_information` gives it; ``None`` to go without.
        first: the number of the first segment, for messages.

    Raises:
        InputError: for a segment that cannot be aligned.
    """
    pairs = [(hypothesis, text) for hypothesis, texts in batch for text in texts]
    alignments: list[Alignment] = []
    for part, scored in meteor.scored_batches(*zip(*pairs, strict=True), alignments=True):
        if scored.failures:
            place, error = min(scored.failures.items())
            numbers = [number for number, (_, texts) in enumerate(batch, first) for _ in texts]
            raise InputError(f"segment {numbers[part.first - 1 + place]}: {error}") from error
        alignments += (alignment for alignment in scored.alignments if alignment is not None)
    offsets = [word_offsets(text, each.hypothesis) for (text, _), each in zip(pairs, alignments, strict=True)]
    capitals = [
        start < end and text[start].isupper()
        for (text, _), places in zip(pairs, offsets, strict=True)
        for start, end in places
    ]
    return Described(pairs, offsets, Words(alignments, np.array(capitals, bool), information))


def word_information(language: str) -> Information:
    """Return what tells how much words tell, in (0, 1]: the logarithm of their frequency, from wordfreq's list.

    Raises:
        ConfigError: for a language that wordfreq does not have.
    """
    return partial(_information, Frequencies(language))


def _information(frequencies: Frequencies, words: Sequence[str]) -> NDArray[np.float64]:
    # No function in a function, which could not go to another process.
    result: NDArray[np.float64] = np.log(np.maximum(frequencies.of_all(words), UNKNOWN)) / math.log(UNKNOWN)
    return result


def has_frequencies(language: str) -> bool:
    """Return whether there is a list of how frequent a language's words are."""
    try:
        word_information(language)
    except ConfigError:
        return False
    return True


def runs_of(words: Words, information: Information | None) -> Runs:
    """Find the runs of unmatched words of all references, and describe them."""
    matched = words.reference_matched
    owner = np.repeat(np.arange(len(words.alignments)), words.lengths[1])
    distinct, _, numbers = words.distinct
    shape = words.shapes_of_all[numbers]
    wanted = ~matched & (shape[:, 0] != 1)
    edge = np.ones(len(wanted) + 1, bool)
    edge[1:-1] = (wanted[1:] != wanted[:-1]) | (owner[1:] != owner[:-1])
    places = np.flatnonzero(edge)
    start, end = places[:-1], places[1:]
    inside = wanted[start] if len(wanted) else np.zeros(len(start), bool)
    start, end = start[inside], end[inside]
    pair = owner[start]
    letters = np.concatenate([[0], np.cumsum(shape[:, 1])])
    told = information(distinct)[numbers] if information is not None and len(distinct) else np.zeros(len(numbers))
    most = (
        np.maximum.reduceat(np.append(told, 0.0), np.column_stack([start, end]).ravel())[::2]
        if len(start)
        else told[:0]
    )
    # How many unmatched words of the hypothesis stand between the words that the run's neighbors match.
    instead = np.zeros(len(start))
    unmatched = np.concatenate([[0], np.cumsum(words.kind == 0)])
    at = np.full(len(matched), -1)
    for_words = np.flatnonzero(words.partner >= 0)
    at[words.starts[1][words.owner[for_words]] + words.partner[for_words]] = for_words
    before = np.maximum.accumulate(np.where(at >= 0, np.arange(len(at)), -1)) if len(at) else at
    if len(start):
        low = words.starts[0][pair]
        previous = before[np.maximum(start - 1, 0)]
        own = (previous >= words.starts[1][pair]) & (start > words.starts[1][pair])
        first = np.where(own, at[np.maximum(previous, 0)] + 1, low)
        last = np.minimum(first + (end - start) + 2, words.starts[0][pair + 1])
        instead = (unmatched[np.maximum(first, last)] - unmatched[first]).astype(np.float64)
    shares = [
        np.bincount(side, good, len(words.alignments)) / np.maximum(1, size)
        for side, good, size in ((owner, matched, words.lengths[1]), (words.owner, words.kind > 0, words.lengths[0]))
    ]
    rows = np.column_stack(
        [
            np.log(np.maximum(1, end - start)),
            np.log(np.maximum(1, letters[end] - letters[start])),
            most,
            np.log1p(instead),
            shares[0][pair],
            shares[1][pair],
        ]
    ).reshape(len(start), 6)
    base = words.starts[1][pair]
    return Runs(pair, start - base, end - base, rows, np.searchsorted(pair, np.arange(len(words.alignments) + 1)))


def _paired(
    hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Pair hypotheses with lists of references."""
    nothing: Any = object()
    for number, (hypothesis, texts) in enumerate(itertools.zip_longest(hypotheses, references, fillvalue=nothing), 1):
        if hypothesis is nothing or texts is nothing:
            side = "hypotheses" if hypothesis is nothing else "references"
            raise InputError(f"the {side} end after segment {number - 1}; the other side goes on")
        several = [texts] if isinstance(texts, str) else list(texts)
        if not several:
            raise InputError(f"segment {number} has no reference; give one or more")
        yield hypothesis, several
