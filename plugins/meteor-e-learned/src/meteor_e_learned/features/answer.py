"""Feature that compares an answer to a question with acceptable answers, which are called references.

A question can have many references. The comparison columns contain the best value over all references. Most other
columns compare the answer with the nearest reference only, which is the reference that is most similar to the answer.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.array_cache import Floats
from meteor_e_learned.features.answer_texts import (
    NEGATIONS,
    TRIGRAM,
    Answer,
    Question,
    Reference,
    select_numbers,
    split_trigrams,
)
from meteor_e_learned.frequencies import frequencies

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

NEGATION_DISTANCE = 4
"""Number of terms before the first matching term in which a negation is searched."""
MAX_REFERENCE_CHARACTERS, MAX_ANSWER_CHARACTERS = 500, 5000
"""Number of leading characters of a reference and of an answer whose similarity is measured."""
MAX_NEW_NUMBERS = 4
"""Maximum value of the column ``number_conflict``."""

COMPARISON_COLUMNS = (
    "contains",
    "contains_joined",
    "recall",
    "content_recall",
    "new_recall",
    "rare_recall",
    "trigram_recall",
)
"""Columns that contain the best value over all references."""
COLUMNS = (
    *COMPARISON_COLUMNS,
    "contained_letters",
    "passage_similarity",
    "similarity",
    "precision",
    "has_number",
    "number_recall",
    "number_conflict",
    "position",
    "first_match",
    "first_sentence_recall",
    "span",
    "length",
    "new_words",
    "new_names",
    "refusal",
    "negation_before",
    "missing_letters",
    "missing_rarity",
    "reference_words",
    "new_reference_words",
    "from_question",
    "references",
    "missing_by_references",
)


def _share(forms: Sequence[str], container: Container[str]) -> float:
    """Return the fraction of the forms that are in a container."""
    return sum([form in container for form in forms]) / len(forms)


def _compare(answer: Answer, reference: Reference) -> tuple[float, ...]:
    """Return the values of the comparison columns for an answer that does not contain the reference as a whole."""
    positions = answer.positions
    contains_letters = len(reference.letters) >= TRIGRAM and reference.letters in answer.letters
    trigrams = split_trigrams(reference.letters)
    trigram_recall = len(trigrams & answer.trigrams) / len(trigrams)
    if positions.keys().isdisjoint(reference.forms):
        return 0.0, float(contains_letters), 0.0, 0.0, 0.0, 0.0, trigram_recall
    new_terms = reference.new_terms
    matched_rarity = sum([term.rarity for term in new_terms if term.form in positions])
    return (
        0.0,
        float(contains_letters),
        _share(reference.forms, positions),
        _share(reference.content_forms, positions),
        _share(reference.new_forms, positions),
        matched_rarity / sum([term.rarity for term in new_terms]),
        trigram_recall,
    )


def _find_nearest(answer: Answer, question: Question) -> tuple[Sequence[float], Reference, int]:
    """Return the best value of each comparison column, the nearest reference, and a position in the answer.

    If the answer contains references as a whole, the longest of them is the nearest reference, and the position is the
    index of the term where the first of them begins. Otherwise, the position is the number of terms in the answer.
    """
    text = answer.padded_forms
    contained = [padded_forms for padded_forms in question.padded_references if padded_forms in text]
    if contained:
        first_character = min([text.index(padded_forms) for padded_forms in contained])
        longest = max(contained, key=lambda padded_forms: padded_forms.count(" "))
        position = text.count(" ", 1, first_character + 1)
        return [1.0] * len(COMPARISON_COLUMNS), question.make_reference(longest), position
    references = question.references
    rows = [_compare(answer, reference) for reference in references]
    nearest = max(range(len(rows)), key=lambda index: _rank_reference(rows[index], references[index]))
    return list(map(max, zip(*rows, strict=True))), references[nearest], len(answer.forms)


def _rank_reference(row: Sequence[float], reference: Reference) -> tuple[float, int]:
    """Return a sort key for references. References with a high recall have large keys. Short references win ties."""
    _, _, _, content_recall, _, rare_recall, trigram_recall = row
    return content_recall + rare_recall + trigram_recall, -len(reference.forms)


def _measure_similarity(answer: Answer, reference: Reference) -> tuple[float, float]:
    """Return the similarity of a reference to the most similar passage of an answer, and to the start of the answer."""
    from rapidfuzz import fuzz

    reference_text = reference.padded_forms.strip()[:MAX_REFERENCE_CHARACTERS]
    answer_text = answer.padded_forms.strip()[:MAX_ANSWER_CHARACTERS]
    if not answer_text:
        return 0.0, 0.0
    passage_similarity = fuzz.partial_ratio(reference_text, answer_text) / 100
    # If the answer is shorter than the reference, the answer is compared with only a part of the reference.
    length_penalty = min(1.0, len(answer_text) / len(reference_text)) ** 0.25
    similarity = fuzz.ratio(reference_text, answer_text[: 4 * MAX_REFERENCE_CHARACTERS]) / 100
    return passage_similarity * length_penalty, similarity


def _measure_numbers(answer: Answer, question: Question, new_forms: Iterable[str]) -> tuple[float, float, float]:
    """Return the three columns for numbers, which begin with whether any reference contains a number."""
    if not question.number_lists:
        return 0.0, 0.0, 0.0
    recall = max([_share(numbers, answer.positions) for numbers in question.number_lists])
    conflicts = min(MAX_NEW_NUMBERS, len(select_numbers(new_forms))) if recall < 1 else 0
    return 1.0, recall, float(conflicts)


def _has_negation_before(answer: Answer, position: int) -> bool:
    """Return whether one of the last terms before a position of the answer is a negation."""
    return not NEGATIONS.isdisjoint(answer.forms[max(0, position - NEGATION_DISTANCE) : position])


def describe(answer: Answer, question: Question) -> list[float]:
    """Return the values of all columns for an answer. All values are 0 if no reference contains a word."""
    if not question.padded_references:
        return [0.0] * len(COLUMNS)
    best, nearest, position = _find_nearest(answer, question)
    contains, rare_recall = best[0], best[5]
    content_forms = [term.form for term in answer.terms if term.is_content and term.form not in question.forms]
    new_forms = set(content_forms) - question.reference_forms
    new_names = answer.name_forms() - question.forms - question.reference_forms
    missing_terms = [term for term in nearest.new_terms if term.form not in answer.positions]
    match_positions = [answer.positions[form] for form in nearest.new_forms if form in answer.positions]
    length = len(answer.forms)
    first_match = min(match_positions, default=length)
    span = max(match_positions) - first_match + 1 if match_positions else 0
    log_references = math.log(len(question.padded_references))
    return [
        *best,
        math.log1p(len(nearest.letters)) * contains,
        *_measure_similarity(answer, nearest),
        _share(content_forms, nearest.forms) if content_forms else 0.0,
        *_measure_numbers(answer, question, new_forms),
        position / max(1, length),
        first_match / max(1, length),
        _share(nearest.new_forms, answer.first_sentence_forms()),
        math.log1p(span / len(match_positions)) if match_positions else 0.0,
        math.log1p(length),
        math.log1p(len(new_forms)),
        math.log1p(len(new_names)),
        float(answer.has_refusal()),
        float(bool(match_positions) and _has_negation_before(answer, first_match)),
        max([len(term.form) for term in missing_terms], default=0),
        max([term.rarity for term in missing_terms], default=0.0),
        math.log(len(nearest.forms)),
        math.log(len(nearest.new_terms)),
        _share(nearest.forms, question.forms),
        log_references,
        (1 - rare_recall) * log_references,
    ]


class AnswerFeature(Feature):
    """Feature that compares an English answer with acceptable answers. The source of a segment is the question."""

    name: ClassVar[str] = "answer"
    requires: ClassVar[tuple[str, ...]] = ("rapidfuzz", "wordfreq")
    needs: ClassVar[tuple[str, ...]] = ("hypotheses", "references", "sources")
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    dimension = len(COLUMNS)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Make the feature, and load the list of word frequencies.

        Raises:
            ConfigError: if the language is not English.
            ResourceError: if the frequency list is not installed.
        """
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} is for English only, not for language {context.language.code!r}")
        frequencies()
        return super().from_options(context, options)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return one row per answer. Consecutive answers to the same question share the analysis of the question."""
        previous_key, question = None, Question("", ())
        rows = np.empty((len(batch), len(COLUMNS)))
        segments = zip(batch.hypotheses, batch.references, batch.sources or (), strict=True)
        for index, (text, references, source) in enumerate(segments):
            key = source, references
            if key != previous_key:
                previous_key, question = key, Question(source, references)
            rows[index] = describe(Answer(text), question)
        return rows
