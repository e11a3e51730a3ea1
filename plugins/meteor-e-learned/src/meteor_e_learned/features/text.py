"""Feature that compares the words, characters, word pairs and negations of a hypothesis with those of its reference.

This module is the reference implementation in Python. The extension module ``_native`` computes bit-identical values in
one pass over the words.
"""

from __future__ import annotations

import contextlib
import functools
import math
import mmap
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from meteor_e.api import ConfigError, Feature, FeatureBatch
from meteor_e.base.arithmetic import add_in_order
from meteor_e.base.array_cache import Floats
from meteor_e.base.extras import require
from meteor_e_learned.features.references import mean_over_references, segment_pairs
from meteor_e_learned.frequencies import FREQUENT, USUAL, english_lists, frequencies

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext

_native: ModuleType | None = None
if os.environ.get("METEOR_E_PURE", "0") in ("", "0"):
    with contextlib.suppress(ImportError):
        from meteor_e_learned import _native  # type: ignore[no-redef]


def split_words(text: str) -> frozenset[str]:
    """Return the set of words in a text. Words are separated by white space."""
    return frozenset(text.split())


WORD_CLASSES: dict[str, frozenset[str]] = {
    "determiner": split_words(
        "a an the this that these those some any each every either neither another such all both half many much few "
        "several own other"
    ),
    "pronoun": split_words(
        "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself "
        "yourself himself herself itself ourselves yourselves themselves one someone somebody something anyone anybody "
        "anything everyone everybody everything there"
    ),
    "preposition": split_words(
        "of in to for with on at from by about as into like through after over between out against during without "
        "before under around among within along across behind beyond up down off above near since until towards "
        "toward despite upon per via onto"
    ),
    "conjunction": split_words(
        "and but or so yet because although though while whereas if unless whether than however therefore thus also "
        "then moreover"
    ),
    "auxiliary": split_words(
        "be am is are was were been being have has had having do does did doing will would shall should can could may "
        "might must ought 's 're 've 'll 'm 'd"
    ),
    "question": split_words("who whom whose which what when where why how"),
    "negation": split_words("no not never none nobody nothing nowhere nor cannot 't t hardly"),
}
"""Lowercase words by class. A word in several classes belongs to the first of them."""
_CLASS_INDEX = {word: index for index, words in reversed(list(enumerate(WORD_CLASSES.values()))) for word in words}
DETERMINER, PRONOUN, _, _, AUXILIARY, _, NEGATION = range(len(WORD_CLASSES))
NUMBER, MARK, CONTENT = (len(WORD_CLASSES) + offset for offset in range(3))
DENIALS = WORD_CLASSES["negation"] - {"t"} | {"without", "neither"}
IMPLIED = split_words(
    "absence absent avoid avoided avoiding avoids ban banned barely cease ceased denied denies deny denying disagree "
    "disagreed disagrees dislike dislikes except fail failed failing fails failure far few forbid forbidden forbids "
    "ignore ignored illegal impossible improbable incapable inability insufficient instead lack lacked lacking "
    "lacks little lose loses lost miss missed misses missing neglect neglected negative only prevent prevented "
    "preventing prevents prohibit prohibited rarely rather refusal refuse refused refuses refusing reject rejected "
    "rejects scarcely seldom stop stopped stops too unable uncertain unclear unexpected unfortunately unhappy unknown "
    "unlike unlikely unnecessary unless unwilling"
)
"""Words that imply a negation. A text may use one of them where another text says "not"."""
_WORD_PROPERTIES = {
    form: (_CLASS_INDEX.get(form, CONTENT), form in DENIALS, form in IMPLIED)
    for form in sorted({*_CLASS_INDEX, *DENIALS, *IMPLIED})
}
"""For each word of the lists above: its class, whether it is a negation, and whether it implies a negation."""
_WORD = re.compile(r"\w+|'\w+|[^\w\s]")
_SUFFIX = re.compile(r"(?<=\w{3})(?:ing|e?[sd]|e)$")
_MAX_EDIT_LENGTH = 2000
"""Number of leading characters of a text that the edit distance compares."""
ORDERS = 6
"""Length of the longest character n-grams."""
BACK_OFF = 0.4
"""Weight of the unigram probability for a word pair that is not listed (stupid backoff, Brants et al., 2007)."""
UNLISTED = 5000.0
"""Count assumed for an unlisted word, slightly below the lowest count in the list."""
STRONGEST = 8.0
"""Maximum association (pointwise mutual information) of a word pair."""

COUNTED = (
    *("length", "words_difference", "abs_log_character_ratio"),
    *("chrf", "precision2", "precision6", "capitals", "capitals_missing", "capitals_added", "digits"),
    *("first_capital", "unknown_added", "unknown_added_share", "rare_added", "unknown_capitalized"),
    *("frequent_recall", "repeated", "determiner_recall", "pronoun_recall", "pronoun_missing"),
    *("auxiliary_added", "negation_missing", "mark_precision", "content_recall"),
    *("letters_difference", "frequent_difference", "distinct_reference"),
    *("negations_missing", "denials_added", "polarity"),
    *("pairs_log_probability", "pairs_least_log_probability", "pairs_unlisted", "pairs_association"),
    *("pairs_moved_log_probability", "pairs_moved_least_log_probability", "edit_similarity"),
)
"""Columns that are computed from a hypothesis and one reference."""


class Word(NamedTuple):
    """Properties of a word.

    Attributes:
        form: the lowercase word.
        stem: the form without its suffix (s, d, ed, ing).
        pair_form: the form without leading apostrophes, as in the lists of word pairs. It is empty for a punctuation
            mark.
        kind: the index of its word class, or ``NUMBER``, ``MARK`` or ``CONTENT``.
        length: the number of characters.
        wordlike: whether the word begins with a letter.
        unknown: whether the word is wordlike, but wordfreq does not list it.
        rare: whether the word is wordlike, but wordfreq does not list it as usual.
        frequent: whether wordfreq lists the word as frequent.
        capital: whether the word begins with a capital letter.
        is_negation: whether the word is a negation.
        implies_negation: whether the word implies a negation, such as "fail".
    """

    form: str
    stem: str
    pair_form: str
    kind: int
    length: int
    wordlike: bool
    unknown: bool
    rare: bool
    frequent: bool
    capital: bool
    is_negation: bool
    implies_negation: bool


def _guess_kind(form: str) -> int:
    """Guess from the first character whether a token is a number, a content word or a punctuation mark."""
    first_character = form[0]
    if first_character.isdigit():
        return NUMBER
    if first_character.isalpha() or first_character == "'":
        return CONTENT
    return MARK


def describe(token: str) -> Word:
    """Return the properties of a token."""
    form = token.lower()
    kind = _CLASS_INDEX[form] if form in _CLASS_INDEX else _guess_kind(form)
    wordlike = form[0].isalpha()
    frequency_lists = frequencies()
    return Word(
        form=form,
        stem=_SUFFIX.sub("", form),
        pair_form="" if kind == MARK else form.lstrip("'"),
        kind=kind,
        length=len(form),
        wordlike=wordlike,
        unknown=wordlike and form not in frequency_lists.listed,
        rare=wordlike and form not in frequency_lists.usual,
        frequent=form in frequency_lists.frequent,
        capital=token[0].isupper(),
        is_negation=form in DENIALS,
        implies_negation=form in IMPLIED,
    )


class WordSequence:
    """A text, split into words, word pairs and characters.

    Args:
        text: the text.
        describe_word: the function that returns the properties of a token.
    """

    def __init__(self, text: str, describe_word: Callable[[str], Word]) -> None:
        self.size, self.text = len(text), text[:_MAX_EDIT_LENGTH]
        self.words = [describe_word(token) for token in _WORD.findall(text)]
        self.forms = [word.form for word in self.words]
        self.characters = "".join(text.split())
        self.capitals = Counter(filter(str.isupper, self.characters))
        pair_forms = [word.pair_form for word in self.words if word.pair_form]
        self.vocabulary, self.pairs = set(pair_forms), list(pairwise(pair_forms))

    def ngrams(self, order: int) -> Counter[str]:
        """Count the character n-grams of the given order. Spaces are ignored."""
        return Counter(self.characters[start : start + order] for start in range(len(self.characters) - order + 1))

    def list_content_stems(self) -> list[tuple[str, bool]]:
        """Return the stem of each content word, and whether one of the four words before it is a negation."""
        return [
            (word.stem, any(preceding.is_negation for preceding in self.words[max(0, position - 4) : position]))
            for position, word in enumerate(self.words)
            if word.kind == CONTENT
        ]


def compare_texts(hypothesis: WordSequence, reference: WordSequence, pair_lists: PairLists) -> list[float]:
    """Compare a hypothesis with one reference, and return the values of the columns in :data:`COUNTED`."""
    from rapidfuzz.distance import Levenshtein

    values = {
        **_compare_lengths(hypothesis, reference),
        **_compare_characters(hypothesis, reference),
        **_count_added_words(hypothesis, reference),
        **_compare_word_classes(hypothesis, reference),
        **_compare_averages(hypothesis, reference),
        **_compare_negations(hypothesis, reference),
        **_rate_added_pairs(hypothesis, reference, pair_lists),
        "edit_similarity": Levenshtein.normalized_similarity(hypothesis.text, reference.text),
    }
    return [values[column] for column in COUNTED]


def _compare_lengths(hypothesis: WordSequence, reference: WordSequence) -> dict[str, float]:
    """Return the length of the reference, and how much the hypothesis and the reference differ in length."""
    n_words = len(reference.words)
    character_ratio = (hypothesis.size + 1) / (reference.size + 1)
    return {
        "length": math.log(n_words + 1),
        "words_difference": len(hypothesis.words) - n_words,
        "abs_log_character_ratio": abs(math.log(character_ratio)),
    }


class NgramMatch(NamedTuple):
    """The overlap of the character n-grams of two texts.

    Attributes:
        precision: the fraction of the hypothesis's n-grams that occur in the reference, or 0 without n-grams.
        recall: the fraction of the reference's n-grams that occur in the hypothesis, or 0 without n-grams.
        is_defined: whether both texts are long enough to contain an n-gram.
    """

    precision: float
    recall: float
    is_defined: bool


def _match_ngrams(hypothesis: WordSequence, reference: WordSequence, order: int) -> NgramMatch:
    """Match the character n-grams of one length in two texts."""
    n_common = (hypothesis.ngrams(order) & reference.ngrams(order)).total()
    n_hypothesis = max(0, len(hypothesis.characters) - order + 1)
    n_reference = max(0, len(reference.characters) - order + 1)
    is_defined = n_hypothesis > 0 and n_reference > 0
    return NgramMatch(n_common / max(1, n_hypothesis), n_common / max(1, n_reference), is_defined)


def _compare_characters(hypothesis: WordSequence, reference: WordSequence) -> dict[str, float]:
    """Compare the characters of two texts, ignoring spaces.

    The values include chrF (Popović, 2015), precisions of character n-grams, and counts of capital letters and digits.
    """
    matches = {order: _match_ngrams(hypothesis, reference, order) for order in range(1, ORDERS + 1)}
    return {
        "chrf": _chrf(matches.values()),
        "precision2": matches[2].precision,
        "precision6": matches[6].precision,
        "capitals": hypothesis.capitals.total(),
        "capitals_missing": (reference.capitals - hypothesis.capitals).total(),
        "capitals_added": (hypothesis.capitals - reference.capitals).total(),
        "digits": sum(map(str.isdigit, hypothesis.characters)),
        # The value is false if only one of the two texts begins with a capital letter.
        "first_capital": hypothesis.characters[:1].isupper() == reference.characters[:1].isupper(),
    }


def _chrf(matches: Iterable[NgramMatch]) -> float:
    """Return the F-score with β = 2, in which recall has four times the weight of precision.

    Precision and recall are averaged over the n-gram orders for which both texts are long enough.
    """
    defined_matches = [match for match in matches if match.is_defined]
    n_orders = max(1, len(defined_matches))
    precision = add_in_order(match.precision for match in defined_matches) / n_orders
    recall = add_in_order(match.recall for match in defined_matches) / n_orders
    if precision + recall == 0:
        return 0.0
    return 5 * precision * recall / (4 * precision + recall)


def _count_added_words(hypothesis: WordSequence, reference: WordSequence) -> dict[str, float]:
    """Count unknown and rare words that occur in the hypothesis, but not in the reference."""
    reference_forms = set(reference.forms)
    added_words = [word for word in hypothesis.words if word.form not in reference_forms]
    n_unknown = sum(word.unknown for word in added_words)
    n_wordlike = sum(word.wordlike for word in hypothesis.words)
    return {
        "unknown_added": n_unknown,
        "unknown_added_share": n_unknown / max(1, n_wordlike),
        "rare_added": sum(word.rare for word in added_words),
        "unknown_capitalized": sum(word.unknown and word.capital for word in added_words),
    }


def _compare_word_classes(hypothesis: WordSequence, reference: WordSequence) -> dict[str, float]:
    """Measure how many words of each word class two texts have in common, and count doubled words.

    Each word class is represented by an index, such as ``PRONOUN``.
    """
    common_words = _list_common_words(hypothesis, reference)
    n_common_frequent = sum(word.frequent for word in common_words)
    n_reference_frequent = sum(word.frequent for word in reference.words)
    common_counts = Counter(word.kind for word in common_words)
    hypothesis_counts = Counter(word.kind for word in hypothesis.words)
    reference_counts = Counter(word.kind for word in reference.words)
    return {
        "frequent_recall": n_common_frequent / max(1, n_reference_frequent),
        "repeated": sum(form == next_form for form, next_form in pairwise(hypothesis.forms)),
        "determiner_recall": _share_of_class(common_counts, reference_counts, DETERMINER),
        "pronoun_recall": _share_of_class(common_counts, reference_counts, PRONOUN),
        "pronoun_missing": reference_counts[PRONOUN] - common_counts[PRONOUN],
        "auxiliary_added": hypothesis_counts[AUXILIARY] - common_counts[AUXILIARY],
        "negation_missing": reference_counts[NEGATION] - common_counts[NEGATION],
        "mark_precision": _share_of_class(common_counts, hypothesis_counts, MARK),
        "content_recall": _share_of_class(common_counts, reference_counts, CONTENT),
    }


def _list_common_words(hypothesis: WordSequence, reference: WordSequence) -> list[Word]:
    """Return the words of the hypothesis that occur in the reference. Each word of the reference is matched once."""
    unmatched_forms = Counter(reference.forms)
    common_words = []
    for word in hypothesis.words:
        if unmatched_forms[word.form] > 0:
            unmatched_forms[word.form] -= 1
            common_words.append(word)
    return common_words


def _share_of_class(common_counts: Mapping[int, int], text_counts: Mapping[int, int], word_class: int) -> float:
    """Return the fraction of a text's words of one class, such as pronouns, that also occur in the other text.

    The result is 0.5 if the text does not contain a word of the class.
    """
    n_words = text_counts[word_class]
    return common_counts[word_class] / n_words if n_words else 0.5


def _compare_averages(hypothesis: WordSequence, reference: WordSequence) -> dict[str, float]:
    """Compare the mean word lengths and the shares of frequent words, and measure repetition in the reference."""
    n_hypothesis_words = max(1, len(hypothesis.words))
    n_reference_words = max(1, len(reference.words))
    hypothesis_length = sum(word.length for word in hypothesis.words) / n_hypothesis_words
    reference_length = sum(word.length for word in reference.words) / n_reference_words
    hypothesis_frequent = sum(word.frequent for word in hypothesis.words) / n_hypothesis_words
    reference_frequent = sum(word.frequent for word in reference.words) / n_reference_words
    return {
        "letters_difference": hypothesis_length - reference_length,
        "frequent_difference": hypothesis_frequent - reference_frequent,
        "distinct_reference": len(set(reference.forms)) / n_reference_words,
    }


def _compare_negations(hypothesis: WordSequence, reference: WordSequence) -> dict[str, float]:
    """Count missing and added negations, and shared words that are negated in only one of the two texts."""
    hypothesis_negations = sum(word.is_negation for word in hypothesis.words)
    reference_negations = sum(word.is_negation for word in reference.words)
    # Denials are negations such as "not", and words that imply a negation, such as "fail".
    hypothesis_denials = sum(word.is_negation or word.implies_negation for word in hypothesis.words)
    reference_denials = sum(word.is_negation or word.implies_negation for word in reference.words)
    return {
        "negations_missing": max(0, reference_negations - hypothesis_negations),
        "denials_added": max(0, hypothesis_denials - reference_denials),
        "polarity": _count_polarity_changes(hypothesis, reference),
    }


def _count_polarity_changes(hypothesis: WordSequence, reference: WordSequence) -> int:
    """Count the content words of both texts that are negated in only one of them. Words are compared by their stems."""
    hypothesis_stems = hypothesis.list_content_stems()
    reference_stems = reference.list_content_stems()
    n_equally_negated = (Counter(hypothesis_stems) & Counter(reference_stems)).total()
    n_common = (Counter(stem for stem, _ in hypothesis_stems) & Counter(stem for stem, _ in reference_stems)).total()
    return n_common - n_equally_negated


class PairRating(NamedTuple):
    """Measures of how common a word pair is.

    Attributes:
        pair: the two words.
        log_probability: the log probability of the second word, given the first word.
        association: the pointwise mutual information of the two words, or 0 if the pair is not listed.
        is_listed: whether the list contains the pair.
    """

    pair: tuple[str, str]
    log_probability: float
    association: float
    is_listed: bool


def _rate_pair(pair: tuple[str, str], pair_lists: PairLists) -> PairRating:
    """Measure how common a word pair is."""
    first, second = pair
    word_probability = pair_lists.words.get(second, UNLISTED) / pair_lists.total
    pair_count = pair_lists.pairs.get(f"{first} {second}")
    if pair_count is None:
        return PairRating(pair, math.log(BACK_OFF * word_probability), 0.0, is_listed=False)
    probability = min(1.0, pair_count / pair_lists.words.get(first, pair_count))
    association = min(STRONGEST, math.log(probability / word_probability))
    return PairRating(pair, math.log(probability), association, is_listed=True)


def _rate_added_pairs(hypothesis: WordSequence, reference: WordSequence, pair_lists: PairLists) -> dict[str, float]:
    """Find the word pairs that occur only in the hypothesis, and measure how common these pairs are.

    A word pair of the hypothesis is called moved if the reference contains both words, but not next to each other.
    """
    reference_pairs = set(reference.pairs)
    ratings = [_rate_pair(pair, pair_lists) for pair in hypothesis.pairs if pair not in reference_pairs]
    moved_ratings = [rating for rating in ratings if reference.vocabulary.issuperset(rating.pair)]
    log_probabilities = [rating.log_probability for rating in ratings]
    moved_log_probabilities = [rating.log_probability for rating in moved_ratings]
    n_pairs = max(1, len(hypothesis.pairs))
    return {
        "pairs_log_probability": add_in_order(log_probabilities) / n_pairs,
        "pairs_least_log_probability": min(log_probabilities, default=0.0),
        "pairs_unlisted": sum(not rating.is_listed for rating in ratings),
        "pairs_association": add_in_order(rating.association for rating in ratings) / n_pairs,
        "pairs_moved_log_probability": add_in_order(moved_log_probabilities) / n_pairs,
        "pairs_moved_least_log_probability": min(moved_log_probabilities, default=0.0),
    }


class PairLists(NamedTuple):
    """Counts of words and word pairs on English web pages (Norvig, 2009), and the total number of words."""

    words: Mapping[str, float]
    pairs: Mapping[str, float]
    total: float


def _straighten_quotes(text: str) -> str:
    """Replace typographic quotation marks in a text by straight quotation marks."""
    if text.isascii():
        return text
    return text.replace("‘", "'").replace("’", "'").replace("“", '"').replace("”", '"')


TextComparer = Callable[[list[str], list[str]], Floats]
"""A function from hypotheses and references to values, ``(texts, columns)``, in the order of :data:`COUNTED`."""


@functools.cache
def _load_comparer() -> TextComparer:
    """Load the word lists, and return the function that compares hypotheses with references.

    Raises:
        ConfigError: if wordsegment is not installed, or its files are damaged.
    """
    wordsegment: Any = require("wordsegment", "feature 'text'", distribution="meteor-e-learned")
    segmenter = wordsegment.Segmenter()
    if _native is not None:
        return _make_native_comparer(_native, segmenter)
    with _wordsegment_errors():
        segmenter.load()
    frequencies()  # Errors in wordfreq's lists are raised here, and not while the first text is scored.
    pair_lists = PairLists(segmenter.unigrams, segmenter.bigrams, segmenter.total)
    cached_describe = functools.lru_cache(maxsize=1 << 17)(describe)
    return functools.partial(_compare_in_python, pair_lists, cached_describe)


@contextlib.contextmanager
def _wordsegment_errors() -> Iterator[None]:
    """Raise ConfigError if the word counts of wordsegment cannot be read."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"feature 'text': the counts of wordsegment cannot be read: {error}; run: "
            "pip install --force-reinstall wordsegment"
        ) from error


def _make_native_comparer(native: ModuleType, segmenter: Any) -> TextComparer:
    """Return a function that compares texts with the extension module."""
    with _wordsegment_errors():
        counter = native.TextCounter(
            _map_file(segmenter.UNIGRAMS_FILENAME),
            _map_file(segmenter.BIGRAMS_FILENAME),
            english_lists(),
            _WORD_PROPERTIES,
            usual=USUAL,
            frequent=FREQUENT,
            total=segmenter.TOTAL,
            back_off=BACK_OFF,
            unlisted=UNLISTED,
            strongest=STRONGEST,
        )
    return functools.partial(_compare_natively, counter, threading.Lock())


def _compare_natively(counter: Any, lock: threading.Lock, hypotheses: list[str], references: list[str]) -> Floats:
    """Compare hypotheses with references. The lock ensures that only one thread at a time uses the counter."""
    with lock:
        values: Floats = counter.numbers(hypotheses, references)
    return values


def _compare_in_python(
    pair_lists: PairLists, describe_word: Callable[[str], Word], hypotheses: list[str], references: list[str]
) -> Floats:
    """Compare hypotheses with references in pure Python. The extension module computes the same values."""
    rows = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        hypothesis_words = WordSequence(hypothesis, describe_word)
        reference_words = WordSequence(reference, describe_word)
        rows.append(compare_texts(hypothesis_words, reference_words, pair_lists))
    return np.array(rows, float).reshape(len(hypotheses), len(COUNTED))


def _map_file(path: str) -> mmap.mmap:
    """Return a memory map of a file. Only the parts of the file that are read occupy memory."""
    with Path(path).open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class TextFeature(Feature):
    """Feature that compares the words and characters of an English hypothesis with its reference.

    ``references`` is the number of references, ``length`` the logarithm of one plus the number of words in the
    reference, and ``words_difference`` the number of words in the hypothesis minus the number in the reference.
    ``chrf`` and the character n-gram precisions of orders 2 and 6 ignore spaces. wordfreq's list decides which words
    are unknown or rare. ``*_added`` counts what only the hypothesis contains, ``*_missing`` what only the reference
    contains. ``polarity`` counts shared content words that are negated in only one of the two texts. ``pairs_*`` tells
    how usual the added word pairs are on the web. With several references, each value is the mean over the references.
    """

    name: ClassVar[str] = "text"
    requires: ClassVar[tuple[str, ...]] = ("wordfreq", "wordsegment", "rapidfuzz")
    columns: ClassVar[tuple[str, ...]] = ("references", *COUNTED)
    dimension = len(columns)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Check the language, and load the word lists.

        Raises:
            ConfigError: if the language is not English, or a word list is not installed.
        """
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} supports English only, not {context.language.code!r}")
        _load_comparer()
        return super().from_options(context, options)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Return one row of feature values per hypothesis, averaged over its references."""
        hypotheses, references = segment_pairs(batch)
        compare = _load_comparer()
        comparisons = compare(
            [_straighten_quotes(hypothesis) for hypothesis in hypotheses],
            [_straighten_quotes(reference) for reference in references],
        )
        reference_counts = [len(segment_references) for segment_references in batch.references]
        # Each reference of a segment has a row, which begins with the number of the segment's references.
        first_column = np.repeat(np.array(reference_counts, float), reference_counts)
        return mean_over_references(np.column_stack([first_column, comparisons]), batch)
