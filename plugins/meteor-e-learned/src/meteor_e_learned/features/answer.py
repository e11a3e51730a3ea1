"""Whether an answer to a question says what an acceptable answer says: words, numbers, names, characters, refusals.

A question may have many acceptable answers. Most columns hold the best value over them; the others describe the
*nearest* one, which shares most with the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e_learned.features.short_texts import Term, fold, split_lines, split_list, split_terms
from meteor_e_learned.frequencies import frequencies

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

_COMMENT = re.compile(r"\s*\([^()]*\)\s*$")
_REFUSALS = (
    *(" sorry", " apologi", " as an ai ", " unable to ", " unclear", " unknown", " please provide ", " more context "),
    *(" im not ", " i am not ", " i do not ", " i dont ", " i cannot ", " i cant ", " i could not ", " i couldnt "),
    *(" could not find ", " couldnt find ", " did not find ", " didnt find ", " cannot be determined"),
    *(" no information ", " no record ", " no evidence ", " no definitive ", " no specific ", " no clear "),
    *(" not clear", " not sure", " not certain", " not specified", " not available", " not possible", " not enough "),
    *(
        " it is impossible ",
        " it is difficult ",
        " there is no ",
        " there are no ",
        " there was no ",
        " there were no ",
    ),
)
"""Phrases of folded texts that refuse an answer."""
_NEGATIONS = frozenset(
    split_list("no not never neither nor cannot isnt wasnt didnt doesnt none without arent werent wont dont")
)
_NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z]\w+")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
NEGATION_DISTANCE = 4
"""Words before the first matching word among which a negation counts."""
COMPARED_CHARACTERS = 500, 5000
"""Characters of an acceptable answer and of an answer that the search for a similar passage compares."""
TRIGRAM = 3

COMPARISONS = 7
"""Columns that compare an answer with each acceptable answer."""
MOST_NUMBERS = 4
"""The number of other numbers in an answer beyond which more do not count."""

COLUMNS = (
    *("contains", "contains_joined", "recall", "content_recall", "new_recall", "rare_recall", "trigram_recall"),
    *(
        "contained_letters",
        "passage_similarity",
        "similarity",
        "precision",
        "has_number",
        "number_recall",
        "number_conflict",
    ),
    *("position", "first_match", "first_sentence_recall", "span"),
    *("length", "new_words", "new_names", "refusal", "negation_before"),
    *("missing_letters", "missing_rarity", "reference_words", "new_reference_words", "from_question"),
    *("references", "missing_by_references"),
)


class Reference:
    """An acceptable answer, compared with many answers; what only some answers need is computed when one does.

    Args:
        terms: its terms, at least one.
        question: forms of the terms of the question.

    Attributes:
        forms: forms of its terms.
        spaced: the forms, separated by spaces, with a space on both sides.
        numbers: forms of its numbers.
    """

    def __init__(self, terms: Sequence[Term], question: frozenset[str]) -> None:
        self._terms, self._question = terms, question
        self.forms = [term.form for term in terms]
        self.spaced = f" {' '.join(self.forms)} "
        self.numbers = [form for form in self.forms if form[0].isdigit()]

    @cached_property
    def joined(self) -> str:
        """The forms without spaces."""
        return "".join(self.forms)

    @cached_property
    def trigrams(self) -> set[str]:
        """Sequences of three characters of ``joined``."""
        return _trigrams(self.joined)

    @cached_property
    def content(self) -> Sequence[Term]:
        """The content words; all words if there are none."""
        return [term for term in self._terms if term.is_content] or self._terms

    @cached_property
    def new(self) -> Sequence[Term]:
        """The content words that the question does not contain; all content words if there are none."""
        return [term for term in self.content if term.form not in self._question] or self.content


class Question:
    """A question with its distinct acceptable answers.

    Args:
        text: the question.
        references: the acceptable answers. A comment in parentheses at the end is left out.

    Attributes:
        forms: forms of the question's terms.
        references: the acceptable answers that contain a word.
        known: forms of all their terms.
    """

    def __init__(self, text: str, references: Sequence[str]) -> None:
        self.forms = frozenset(term.form for term in split_terms(fold(text)))
        # Read at once, because a question may have a hundred acceptable answers.
        folded = fold("\n".join(" ".join(reference.split()) for reference in references))
        lines = "\n".join(_COMMENT.sub("", line) or line for line in dict.fromkeys(folded.split("\n")))
        distinct: dict[str, Reference] = {}
        for terms in filter(None, split_lines(lines)):
            reference = Reference(terms, self.forms)
            distinct.setdefault(reference.spaced, reference)
        self.references = list(distinct.values())
        self.known = {form for reference in self.references for form in reference.forms}


def _trigrams(joined: str) -> set[str]:
    return {joined[index : index + TRIGRAM] for index in range(max(1, len(joined) - TRIGRAM + 1))}


class Answer:
    """An answer, compared with the acceptable answers to its question."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        self.padded = f" {self.folded} ".replace(",", " ")
        self.terms = split_terms(self.folded)
        self.forms = [term.form for term in self.terms]
        self.joined = "".join(self.forms)
        self.spaced = f" {' '.join(self.forms)} "
        self.positions: dict[str, int] = {}
        for position, form in enumerate(self.forms):
            self.positions.setdefault(form, position)

    @cached_property
    def trigrams(self) -> set[str]:
        """Sequences of three characters of ``joined``."""
        return _trigrams(self.joined)

    def first_sentence(self) -> set[str]:
        """Return the forms of the terms of the first sentence."""
        end = _SENTENCE_END.search(self.folded)
        return set(self.forms) if end is None else {term.form for term in split_terms(self.folded[: end.start()])}


def _share(forms: Sequence[str], known: Container[str]) -> float:
    return sum([form in known for form in forms]) / len(forms)


def _compare(answer: Answer, reference: Reference) -> tuple[float, ...]:
    """Return how much of an acceptable answer an answer contains, which does not contain it as a whole."""
    positions, new = answer.positions, reference.new
    return (
        0.0,
        float(len(reference.joined) >= TRIGRAM and reference.joined in answer.joined),
        _share(reference.forms, positions),
        _share([term.form for term in reference.content], positions),
        _share([term.form for term in new], positions),
        sum([term.rarity for term in new if term.form in positions]) / sum([term.rarity for term in new]),
        len(reference.trigrams & answer.trigrams) / len(reference.trigrams),
    )


def _compare_all(answer: Answer, references: Sequence[Reference]) -> tuple[Sequence[float], Reference, int]:
    """Return the best comparison in each column, the nearest reference, and the first term of a contained reference.

    The position is the number of terms if no reference is contained.
    """
    contained = [reference for reference in references if reference.spaced in answer.spaced]
    if contained:
        starts = [answer.spaced.count(" ", 1, answer.spaced.index(each.spaced) + 1) for each in contained]
        return [1.0] * COMPARISONS, max(contained, key=lambda each: len(each.forms)), min(starts)
    rows = [_compare(answer, reference) for reference in references]
    # Recall of content words, of rare words and of trigrams; among equals, the shortest reference.
    ranks = [(row[3] + row[5] + row[6], -len(each.forms)) for row, each in zip(rows, references, strict=True)]
    nearest = references[max(range(len(ranks)), key=ranks.__getitem__)]
    return list(map(max, zip(*rows, strict=True))), nearest, len(answer.forms)


def describe(answer: Answer, question: Question) -> list[float]:
    """Return the numbers of an answer, in the order of :data:`COLUMNS`."""
    if not question.references:
        return [0.0] * len(COLUMNS)
    best, nearest, start = _compare_all(answer, question.references)
    content = [term.form for term in answer.terms if term.is_content and term.form not in question.forms]
    new_words = set(content) - question.known
    new_numbers = sum(form[0].isdigit() for form in new_words)
    number_recalls = [_share(each.numbers, answer.positions) for each in question.references if each.numbers]
    number_recall = max(number_recalls, default=0.0)
    missing = [term for term in nearest.new if term.form not in answer.positions]
    length, log_references = len(answer.forms), math.log(len(question.references))
    places = [answer.positions[term.form] for term in nearest.new if term.form in answer.positions]
    first = min(places, default=length)
    before = answer.forms[max(0, first - NEGATION_DISTANCE) : first] if places else []
    return [
        *best,
        math.log1p(len(nearest.joined)) * best[0],
        *_similarities(answer, nearest),
        _share(content, set(nearest.forms)) if content else 0.0,
        float(bool(number_recalls)),
        number_recall,
        min(MOST_NUMBERS, new_numbers) * float(bool(number_recalls) and number_recall < 1),
        start / max(1, length),
        first / max(1, length),
        _share([term.form for term in nearest.new], answer.first_sentence()),
        math.log1p((max(places) - first + 1) / len(places)) if places else 0.0,
        math.log1p(length),
        math.log1p(len(new_words)),
        math.log1p(_count_new_names(answer, question)),
        float(any(phrase in answer.padded for phrase in _REFUSALS)),
        float(not _NEGATIONS.isdisjoint(before)),
        max([len(term.form) for term in missing], default=0),
        max([term.rarity for term in missing], default=0.0),
        math.log(len(nearest.forms)),
        math.log(len(nearest.new)),
        _share(nearest.forms, question.forms),
        log_references,
        (1 - best[5]) * log_references,
    ]


def _similarities(answer: Answer, nearest: Reference) -> tuple[float, float]:
    """Return the similarity of an acceptable answer and the most similar passage, and the whole answer."""
    from rapidfuzz import fuzz

    longest_reference, longest_answer = COMPARED_CHARACTERS
    left, right = nearest.spaced.strip()[:longest_reference], answer.spaced.strip()[:longest_answer]
    if not right:
        return 0.0, 0.0
    passage = fuzz.partial_ratio(left, right) / 100
    # The passage of a shorter text is the shorter text itself.
    return passage * min(1.0, len(right) / len(left)) ** 0.25, fuzz.ratio(left, right[: 4 * longest_reference]) / 100


def _count_new_names(answer: Answer, question: Question) -> int:
    """Count capitalized words inside sentences that neither the question nor an acceptable answer contains."""
    names = {term.form for term in split_terms(fold(" ".join(_NAME.findall(answer.text))))}
    return len(names - question.forms - question.known)


class AnswerFeature(Feature):
    """How an answer to a question compares with acceptable answers (English). The sources are the questions."""

    name: ClassVar[str] = "answer"
    requires: ClassVar[tuple[str, ...]] = ("rapidfuzz", "wordfreq")
    needs: ClassVar[tuple[str, ...]] = ("hypotheses", "references", "sources")
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    dimension = len(COLUMNS)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English, and say at once if a list is not installed."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} knows English words only, not {context.language.code!r}")
        frequencies()
        return super().from_options(context, options)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Compare the answers. Consecutive answers to one question share what is read of it."""
        previous, question = None, Question("", ())
        rows = np.empty((len(batch), len(COLUMNS)))
        for index, (text, references, source) in enumerate(
            zip(batch.hypotheses, batch.references, batch.sources or (), strict=True)
        ):
            if (source, references) != previous:
                previous, question = (source, references), Question(source, references)
            rows[index] = describe(Answer(text), question)
        return rows
