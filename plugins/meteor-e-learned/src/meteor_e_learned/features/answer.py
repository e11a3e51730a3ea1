"""Feature that compares an answer to a question with acceptable answers, which are called references.

A question can have many references. Some columns contain the maximum over all references. All other columns compare the
answer only with the most similar reference, which is called the nearest reference.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from rapidfuzz import fuzz

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.arithmetic import add_in_order
from meteor_e.base.array_cache import Floats
from meteor_e_learned.features.answer_texts import (
    NEGATIONS,
    TRIGRAM,
    Answer,
    Question,
    Reference,
    select_numbers,
)
from meteor_e_learned.features.short_texts import STOP_WORDS
from meteor_e_learned.frequencies import load_rarities

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

NEGATION_DISTANCE = 4
"""Number of words before the first matching word in which a negation is searched."""
MAX_REFERENCE_CHARACTERS = 500
"""Number of leading characters of a reference whose similarity to an answer is measured."""
MAX_PASSAGE_CHARACTERS = 5000
"""Number of leading characters of an answer in which the passage that resembles the reference is searched."""
MAX_COMPARED_CHARACTERS = 4 * MAX_REFERENCE_CHARACTERS
"""Number of leading characters of an answer that are compared with the reference as a whole."""
MAX_NEW_NUMBERS = 4
"""Maximum value of the column ``number_conflict``."""


class Comparison(NamedTuple):
    """Measures of the overlap between an answer and one reference.

    Attributes:
        contains_joined: whether the answer contains the reference if spaces are ignored.
        recall: the fraction of the reference's words that occur in the answer.
        content_recall: the recall of content words.
        new_recall: the recall of content words that are not in the question.
        rare_recall: the recall of these words, weighted by their rarity.
        trigram_recall: the recall of character trigrams.
    """

    contains_joined: float = 0.0
    recall: float = 0.0
    content_recall: float = 0.0
    new_recall: float = 0.0
    rare_recall: float = 0.0
    trigram_recall: float = 0.0


class Match(NamedTuple):
    """The result of comparing an answer with all references of its question.

    Attributes:
        best: the best value of each comparison over all references.
        nearest: the nearest reference.
        contains_reference: whether the answer contains a reference as a whole.
        position: the index of the answer's word where the first contained reference begins. If the answer does not
            contain a reference as a whole, it is the number of words in the answer.
    """

    best: Comparison
    nearest: Reference
    contains_reference: bool
    position: int


FULL_MATCH = Comparison(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
"""Comparison of an answer with a reference that the answer contains as a whole."""
COLUMNS = (
    "contains",
    *Comparison._fields,
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
    """Return the fraction of the normalized words that occur in a container, or 0 if there are no words."""
    return sum(map(container.__contains__, forms)) / len(forms) if forms else 0.0


def _compare(answer: Answer, reference: Reference) -> Comparison:
    """Measure how much of a reference occurs in an answer that does not contain the reference as a whole.

    Texts are compared by their forms, which are normalized words.
    """
    answer_forms = answer.positions
    contains_joined = float(len(reference.letters) >= TRIGRAM and reference.letters in answer.letters)
    trigram_recall = len(reference.trigrams & answer.trigrams) / len(reference.trigrams)
    # A shortcut for the most frequent case, in which the answer does not contain any word of the reference.
    if answer_forms.keys().isdisjoint(reference.forms):
        return Comparison(contains_joined, trigram_recall=trigram_recall)
    forms_and_rarities = zip(reference.new_forms, reference.new_rarities, strict=True)
    matched_rarities = [rarity for form, rarity in forms_and_rarities if form in answer_forms]
    return Comparison(
        contains_joined=contains_joined,
        recall=_share(reference.forms, answer_forms),
        content_recall=_share(reference.content_forms, answer_forms),
        new_recall=_share(reference.new_forms, answer_forms),
        rare_recall=add_in_order(matched_rarities) / reference.new_rarity,
        trigram_recall=trigram_recall,
    )


def _match_contained_references(answer: Answer, question: Question, contained: Sequence[str]) -> Match:
    """Return the comparison result for an answer that contains the full text of at least one reference.

    Args:
        answer: the answer.
        question: the question.
        contained: the padded forms of the references that the answer contains.
    """
    first_character = min([answer.padded_forms.index(padded_forms) for padded_forms in contained])
    # Each word is followed by a space, so the number of spaces before a word is the word's index.
    position = answer.padded_forms.count(" ", 1, first_character + 1)
    longest = max(contained, key=lambda padded_forms: padded_forms.count(" "))
    return Match(FULL_MATCH, question.find_reference(longest), contains_reference=True, position=position)


def _match_references(answer: Answer, question: Question) -> Match:
    """Compare an answer with all references of its question.

    If the answer contains the full text of several references, the longest of these references counts as the most
    similar reference.
    """
    contained = [padded_forms for padded_forms in question.padded_references if padded_forms in answer.padded_forms]
    if contained:
        return _match_contained_references(answer, question, contained)
    references = [question.find_reference(padded_forms) for padded_forms in question.padded_references]
    comparisons = [_compare(answer, reference) for reference in references]
    best = Comparison(*map(max, zip(*comparisons, strict=True)))
    _, nearest = max(zip(comparisons, references, strict=True), key=_rank_reference)
    return Match(best, nearest, contains_reference=False, position=len(answer.forms))


def _rank_reference(compared_reference: tuple[Comparison, Reference]) -> tuple[float, int]:
    """Return a sort key that ranks references by recall. If the recall is equal, short references rank higher."""
    comparison, reference = compared_reference
    total_recall = comparison.content_recall + comparison.rare_recall + comparison.trigram_recall
    return total_recall, -len(reference.forms)


def _measure_similarity(answer: Answer, match: Match, content_forms: Sequence[str]) -> dict[str, float]:
    """Compare an answer with the nearest reference.

    Args:
        answer: the answer.
        match: the nearest reference, and whether the answer contains it as a whole.
        content_forms: the content words of the answer that are not in the question.
    """
    # Long texts are truncated to limit the time.
    reference_text = match.nearest.padded_forms.strip()[:MAX_REFERENCE_CHARACTERS]
    passage_text = answer.padded_forms.strip()[:MAX_PASSAGE_CHARACTERS]
    compared_text = passage_text[:MAX_COMPARED_CHARACTERS]
    return {
        "contained_letters": math.log1p(len(match.nearest.letters)) if match.contains_reference else 0.0,
        "passage_similarity": _compare_passages(passage_text, reference_text),
        "similarity": fuzz.ratio(reference_text, compared_text) / 100,
        "precision": _share(content_forms, match.nearest.forms),
    }


def _compare_passages(answer_text: str, reference_text: str) -> float:
    """Return how similar a reference is to the best-matching passage of an answer."""
    if not answer_text:
        return 0.0
    is_contained = reference_text in answer_text
    passage_similarity: float = 1.0 if is_contained else fuzz.partial_ratio(reference_text, answer_text) / 100
    # Short answers are penalized, because partial_ratio compares a short answer with only a part of the reference.
    length_penalty: float = min(1.0, len(answer_text) / len(reference_text)) ** 0.25
    return passage_similarity * length_penalty


def _measure_numbers(answer: Answer, question: Question, new_forms: Iterable[str]) -> dict[str, float]:
    """Compare the numbers in an answer with the numbers in the references."""
    if not question.number_lists:
        return {"has_number": 0.0, "number_recall": 0.0, "number_conflict": 0.0}
    recall = max([_share(numbers, answer.positions) for numbers in question.number_lists])
    n_conflicts = min(MAX_NEW_NUMBERS, len(select_numbers(new_forms))) if recall < 1 else 0
    return {"has_number": 1.0, "number_recall": recall, "number_conflict": float(n_conflicts)}


def _measure_positions(answer: Answer, match: Match, match_positions: Sequence[int]) -> dict[str, float]:
    """Measure where the words of the nearest reference occur in an answer.

    Args:
        answer: the answer.
        match: the nearest reference, and the position of the first contained reference.
        match_positions: the positions of the nearest reference's words in the answer.
    """
    n_words = len(answer.forms)
    first_match = min(match_positions, default=n_words)
    last_match = max(match_positions, default=n_words)
    words_per_match = (last_match - first_match + 1) / max(1, len(match_positions))
    return {
        "position": match.position / max(1, n_words),
        "first_match": first_match / max(1, n_words),
        "first_sentence_recall": _share(match.nearest.new_forms, answer.first_sentence_forms()),
        "span": math.log1p(words_per_match) if match_positions else 0.0,
    }


def _measure_additions(
    answer: Answer, question: Question, new_forms: Collection[str], match_positions: Sequence[int]
) -> dict[str, float]:
    """Return measures of an answer's additions to the references, such as the number of new words.

    Args:
        answer: the answer.
        question: the question and its references.
        new_forms: the content words of the answer that occur in neither the references nor the question.
        match_positions: the positions of the nearest reference's words in the answer.
    """
    new_names = answer.name_forms() - question.forms - question.reference_forms
    return {
        "length": math.log1p(len(answer.forms)),
        "new_words": math.log1p(len(new_forms)),
        "new_names": math.log1p(len(new_names)),
        "refusal": float(answer.has_refusal()),
        "negation_before": float(_has_negation_before(answer, match_positions)),
    }


def _has_negation_before(answer: Answer, match_positions: Sequence[int]) -> bool:
    """Return whether a negation occurs shortly before the first word of the answer that matches the reference."""
    if not match_positions:
        return False
    first_match = min(match_positions)
    return not NEGATIONS.isdisjoint(answer.forms[max(0, first_match - NEGATION_DISTANCE) : first_match])


def _measure_missing_words(answer: Answer, reference: Reference) -> dict[str, float]:
    """Return the maximum length and the maximum rarity of the reference words that the answer does not contain.

    Stop words and words of the question are ignored if the reference contains other words.
    """
    max_length, max_rarity = 0, 0.0
    for form, rarity in zip(reference.new_forms, reference.new_rarities, strict=True):
        if form not in answer.positions:
            max_length = max(max_length, len(form))
            max_rarity = max(max_rarity, rarity)
    return {"missing_letters": max_length, "missing_rarity": max_rarity}


def _measure_difficulty(question: Question, match: Match) -> dict[str, float]:
    """Measure how easy a question is, and how likely an answer matches a reference by chance."""
    log_references = math.log(len(question.padded_references))
    return {
        "reference_words": math.log(len(match.nearest.forms)),
        "new_reference_words": math.log(len(match.nearest.new_forms)),
        "from_question": _share(match.nearest.forms, question.forms),
        "references": log_references,
        "missing_by_references": (1 - match.best.rare_recall) * log_references,
    }


def describe(answer: Answer, question: Question) -> list[float]:
    """Return the feature values of an answer, in the order of :data:`COLUMNS`.

    Texts are compared by their forms, which are normalized words. All values are 0 if the references do not contain any
    words.
    """
    if not question.padded_references:
        return [0.0] * len(COLUMNS)
    match = _match_references(answer, question)
    match_positions = [answer.positions[form] for form in match.nearest.new_forms if form in answer.positions]
    words_and_forms = zip(answer.words, answer.forms, strict=True)
    content_forms = [form for word, form in words_and_forms if word not in STOP_WORDS and form not in question.forms]
    new_forms = set(content_forms) - question.reference_forms
    # The values must be in the order of COLUMNS. Looking up each value by its name would be slower.
    return [
        float(match.contains_reference),
        *match.best,
        *_measure_similarity(answer, match, content_forms).values(),
        *_measure_numbers(answer, question, new_forms).values(),
        *_measure_positions(answer, match, match_positions).values(),
        *_measure_additions(answer, question, new_forms, match_positions).values(),
        *_measure_missing_words(answer, match.nearest).values(),
        *_measure_difficulty(question, match).values(),
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
        """Check the language, and load the list of word frequencies.

        Raises:
            ConfigError: if the language is not English.
            ResourceError: if the frequency list is not installed.
        """
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} is for English only, not for language {context.language.code!r}")
        load_rarities()
        return super().from_options(context, options)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return one row of feature values per answer.

        If consecutive answers have the same question, the question is analyzed only once.
        """
        rows = []
        question, question_key = None, None
        for text, references, source in zip(batch.hypotheses, batch.references, batch.sources or (), strict=True):
            if question is None or question_key != (source, references):
                question, question_key = Question(source, references), (source, references)
            rows.append(describe(Answer(text), question))
        return np.array(rows, float).reshape(len(rows), len(COLUMNS))
