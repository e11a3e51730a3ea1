"""Words, characters, word pairs and negations that a text and its reference share, lack and add, by class and rarity.

The definition is here, one pair of texts at a time. The extension ``_native`` gives the same numbers, bit for bit, in
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
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from meteor_e.api import ConfigError, Feature, FeatureBatch
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


def listed(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


WORD_CLASSES: dict[str, frozenset[str]] = {
    "determiner": listed(
        "a an the this that these those some any each every either neither another such all both half many much few "
        "several own other"
    ),
    "pronoun": listed(
        "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself "
        "yourself himself herself itself ourselves yourselves themselves one someone somebody something anyone anybody "
        "anything everyone everybody everything there"
    ),
    "preposition": listed(
        "of in to for with on at from by about as into like through after over between out against during without "
        "before under around among within along across behind beyond up down off above near since until towards "
        "toward despite upon per via onto"
    ),
    "conjunction": listed(
        "and but or so yet because although though while whereas if unless whether than however therefore thus also "
        "then moreover"
    ),
    "auxiliary": listed(
        "be am is are was were been being have has had having do does did doing will would shall should can could may "
        "might must ought 's 're 've 'll 'm 'd"
    ),
    "question": listed("who whom whose which what when where why how"),
    "negation": listed("no not never none nobody nothing nowhere nor cannot 't t hardly"),
}
"""The classes and their words, in lower case; a word is of the first class that has it."""
_CLASS = {word: place for place, members in reversed(list(enumerate(WORD_CLASSES.values()))) for word in members}
DETERMINER, PRONOUN, _, _, AUXILIARY, _, NEGATION = range(len(WORD_CLASSES))
NUMBER, MARK, CONTENT = (len(WORD_CLASSES) + step for step in range(3))
DENIALS = WORD_CLASSES["negation"] - {"t"} | {"without", "neither"}
IMPLIED = listed(
    "absence absent avoid avoided avoiding avoids ban banned barely cease ceased denied denies deny denying disagree "
    "disagreed disagrees dislike dislikes except fail failed failing fails failure far few forbid forbidden forbids "
    "ignore ignored illegal impossible improbable incapable inability insufficient instead lack lacked lacking "
    "lacks little lose loses lost miss missed misses missing neglect neglected negative only prevent prevented "
    "preventing prevents prohibit prohibited rarely rather refusal refuse refused refuses refusing reject rejected "
    "rejects scarcely seldom stop stopped stops too unable uncertain unclear unexpected unfortunately unhappy unknown "
    "unlike unlikely unnecessary unless unwilling"
)
"""Words that deny without a word of negation: one text may use them where another says "not"."""
_LISTED = {
    form: (_CLASS.get(form, CONTENT), form in DENIALS, form in IMPLIED)
    for form in sorted({*_CLASS, *DENIALS, *IMPLIED})
}
"""The class of each word of these lists, and whether it denies or implies it."""
_WORD = re.compile(r"\w+|'\w+|[^\w\s]")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|e?[sd]|e)$")
_LONGEST = 2000
"""Characters of a text that the edit distance compares."""
ORDERS = 6
"""Characters of the longest n-grams."""
BACK_OFF = 0.4
"""Weight of a word's own frequency where a pair is not listed (Brants et al., 2007)."""
UNLISTED = 5000.0
"""The count of a word that is not listed, a little below the rarest that are."""
STRONGEST = 8.0
"""The most that one pair can add to the association of words."""

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
"""Counts of a text and one reference."""


class Word(NamedTuple):
    """Properties of a word.

    Attributes:
        form: in lower case.
        stem: without its ending (s, d, ed, ing).
        plain: as lists of pairs have it; empty for a mark of punctuation.
        kind: its class, or number, mark or content word.
        letters: how many.
        wordlike: it begins with a letter.
        unknown, rare, frequent: by wordfreq's list; the first two only of what is wordlike.
        capital: it begins with a capital.
        denies, implies: it is a negation; it denies without one.
    """

    form: str
    stem: str
    plain: str
    kind: int
    letters: int
    wordlike: bool
    unknown: bool
    rare: bool
    frequent: bool
    capital: bool
    denies: bool
    implies: bool


def describe(text: str) -> Word:
    """Return what is known about a word as it stands in a text."""
    form = text.lower()
    first = form[0]
    kind = NUMBER if first.isdigit() else CONTENT if first.isalpha() or first == "'" else MARK
    kind, denies, implies = _LISTED.get(form, (kind, False, False))
    wordlike, lists = first.isalpha(), frequencies()
    return Word(
        form, _ENDING.sub("", form), "" if kind == MARK else form.lstrip("'"), kind, len(form), wordlike,
        wordlike and form not in lists.listed, wordlike and form not in lists.usual, form in lists.frequent,
        text[0].isupper(), denies, implies,
    )  # fmt: skip


class Side:
    """A text, split.

    Args:
        text: the text.
        known: returns what is known about a word.
    """

    def __init__(self, text: str, known: Callable[[str], Word]) -> None:
        self.size, self.text = len(text), text[:_LONGEST]
        self.words = [known(word) for word in _WORD.findall(text)]
        self.forms = [word.form for word in self.words]
        self.characters = "".join(text.split())
        self.capitals = Counter(filter(str.isupper, self.characters))
        plain = [word.plain for word in self.words if word.plain]
        self.plain, self.pairs = set(plain), list(pairwise(plain))

    def count(self, holds: Callable[[Word], bool]) -> int:
        """Return how many words it holds for."""
        return sum(map(holds, self.words))

    def ngrams(self, order: int) -> Counter[str]:
        """Return the n-grams of characters."""
        return Counter(self.characters[at : at + order] for at in range(len(self.characters) - order + 1))

    def content(self) -> tuple[Counter[str], Counter[tuple[str, bool]]]:
        """Return the stems of content words, and the stems with whether one of four words before denies."""
        signed = [
            (word.stem, any(before.denies for before in self.words[max(0, at - 4) : at]))
            for at, word in enumerate(self.words)
            if word.kind == CONTENT
        ]
        return Counter(stem for stem, _ in signed), Counter(signed)


def count(left: Side, right: Side, lists: PairLists) -> list[float]:
    """Return the numbers of a text beside a reference, in the order of :data:`COUNTED`."""
    from rapidfuzz.distance import Levenshtein

    edits = Levenshtein.normalized_similarity(left.text, right.text)
    return [*_lengths(left, right), *_characters(left, right), *_words(left, right), *_pairs(left, right, lists), edits]


def _lengths(left: Side, right: Side) -> list[float]:
    words, characters = len(right.words), (left.size + 1) / (right.size + 1)
    return [math.log(words + 1), len(left.words) - words, abs(math.log(characters))]


def _characters(left: Side, right: Side) -> list[float]:
    """Return chrF (Popović, 2015) and n-grams, and capitals, digits, and whether both begin alike."""
    precisions = []
    precision = recall = 0.0
    orders = 0
    for order in range(1, ORDERS + 1):
        sides = [max(0, len(side.characters) - order + 1) for side in (left, right)]
        common = (left.ngrams(order) & right.ngrams(order)).total()
        precisions.append(common / max(1, sides[0]))
        if all(sides):  # An order counts where both sides have it.
            orders += 1
            precision += precisions[-1]
            recall += common / sides[1]
    precision, recall = precision / max(1, orders), recall / max(1, orders)
    # Recall weighs four times as much as precision.
    chrf = 5 * precision * recall / (4 * precision + recall) if precision + recall > 0 else 0.0
    capitals = [left.capitals.total(), *((one - other).total() for one, other in (
        (right.capitals, left.capitals), (left.capitals, right.capitals)
    ))]  # fmt: skip
    digits = sum(map(str.isdigit, left.characters))
    alike = left.characters[:1].isupper() == right.characters[:1].isupper()
    return [chrf, precisions[1], precisions[5], *capitals, digits, alike]


def _words(left: Side, right: Side) -> list[float]:
    """Return words in common by class, words that the reference lacks by rarity, repetitions and negations."""
    rest = Counter(right.forms)
    common = [0] * (CONTENT + 1)
    frequent = 0
    for word in left.words:
        if rest[word.form] > 0:
            rest[word.form] -= 1
            common[word.kind] += 1
            frequent += word.frequent
    of_left, of_right = Counter(word.kind for word in left.words), Counter(word.kind for word in right.words)

    def recall(kind: int) -> float:
        return common[kind] / of_right[kind] if of_right[kind] else 0.5

    def difference(value: Callable[[Word], int]) -> float:
        one, other = (sum(map(value, side.words)) / max(1, len(side.words)) for side in (left, right))
        return one - other

    added = [word for word in left.words if word.form not in rest]
    unknown = sum(word.unknown for word in added)
    negations, denials = (
        right.count(lambda word: word.denies) - left.count(lambda word: word.denies),
        left.count(lambda word: word.denies or word.implies) - right.count(lambda word: word.denies or word.implies),
    )
    (one, one_signed), (other, other_signed) = left.content(), right.content()
    return [
        unknown, unknown / max(1, left.count(lambda word: word.wordlike)), sum(word.rare for word in added),
        sum(word.unknown and word.capital for word in added),
        frequent / max(1, right.count(lambda word: word.frequent)),
        sum(one == other for one, other in pairwise(left.forms)),
        recall(DETERMINER), recall(PRONOUN), of_right[PRONOUN] - common[PRONOUN],
        of_left[AUXILIARY] - common[AUXILIARY], of_right[NEGATION] - common[NEGATION],
        common[MARK] / of_left[MARK] if of_left[MARK] else 0.5, recall(CONTENT),
        difference(lambda word: word.letters), difference(lambda word: word.frequent),
        len(set(right.forms)) / max(1, len(right.words)),
        max(0, negations), max(0, denials),
        (one & other).total() - (one_signed & other_signed).total(),
    ]  # fmt: skip


def _pairs(left: Side, right: Side, lists: PairLists) -> list[float]:
    """Return how usual the pairs of words are that the reference lacks.

    By counts of the web's words and pairs of words (Norvig, 2009): logarithms of the second word's probability, per
    pair of the text, the least of them; pairs that are not listed; association; and logarithms of pairs whose two words
    the reference has.
    """
    known = set(right.pairs)
    total = least = unlisted = association = moved = least_moved = 0.0
    for pair in left.pairs:
        if pair in known:
            continue
        first, second = pair
        together, alone = lists.pairs.get(f"{first} {second}"), lists.words.get(second, UNLISTED) / lists.total
        if together is None:
            logarithm = math.log(BACK_OFF * alone)
            unlisted += 1
        else:
            probability = min(1.0, together / lists.words.get(first, together))
            logarithm = math.log(probability)
            association += min(STRONGEST, math.log(probability / alone))
        total += logarithm
        least = min(least, logarithm)
        if first in right.plain and second in right.plain:
            moved += logarithm
            least_moved = min(least_moved, logarithm)
    count = max(1, len(left.pairs))
    return [total / count, least, unlisted, association / count, moved / count, least_moved]


class PairLists(NamedTuple):
    """Counts of words and of pairs of words."""

    words: Mapping[str, float]
    pairs: Mapping[str, float]
    total: float


def _straight(text: str) -> str:
    """Return a text with straight quotation marks; faster than ``translate``."""
    if text.isascii():
        return text
    return text.replace("‘", "'").replace("’", "'").replace("“", '"').replace("”", '"')


@functools.cache
def _counter() -> Callable[[list[str], list[str]], Floats]:
    """Return what counts texts beside references, ``(texts, counted)``.

    The extension reads wordsegment's files as they are: 333,213 words and 258,437 pairs of words.

    Raises:
        ConfigError: if the package is not installed, or its files are damaged.
    """
    package: Any = require("wordsegment", "feature 'text'", distribution="meteor-e-learned")
    made = package.Segmenter()
    try:
        if _native is not None:
            counter = _native.TextCounter(
                _mapped(made.UNIGRAMS_FILENAME), _mapped(made.BIGRAMS_FILENAME), english_lists(), _LISTED, usual=USUAL,
                frequent=FREQUENT, total=made.TOTAL, back_off=BACK_OFF, unlisted=UNLISTED, strongest=STRONGEST,
            )  # fmt: skip
            lock = threading.Lock()

            def in_turn(left: list[str], right: list[str]) -> Floats:
                with lock:
                    found: Floats = counter.numbers(left, right)
                return found

            return in_turn
        made.load()
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"feature 'text': the counts of wordsegment cannot be read: {error}; run: "
            "pip install --force-reinstall wordsegment"
        ) from error
    frequencies()  # An error belongs here, not to the first word.
    lists = PairLists(made.unigrams, made.bigrams, made.total)
    known = functools.lru_cache(maxsize=1 << 17)(describe)

    def one_by_one(left: list[str], right: list[str]) -> Floats:
        rows = [count(Side(one, known), Side(other, known), lists) for one, other in zip(left, right, strict=True)]
        return np.array(rows, float).reshape(len(left), len(COUNTED))

    return one_by_one


def _mapped(file: str) -> mmap.mmap:
    """Return a file's content, of which memory holds what has been read."""
    with Path(file).open("rb") as handle:
        return mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)


class TextFeature(Feature):
    """Numbers of a text beside its reference, all counted in one pass over the words (English).

    ``references``, ``length`` and ``words_difference`` say what kind of text it is: the number of references, the
    logarithm of one plus the reference's words, and the hypothesis's words minus the reference's. ``chrf`` and
    character n-grams of orders 2 and 6 are without spaces. Words are unknown or rare by wordfreq's list. ``*_added``
    is what the reference lacks, ``*_missing`` what the hypothesis lacks. ``polarity`` counts content words that are
    negated on one side only. ``pairs_*`` is how usual added pairs of words are on the web. Against several references,
    every number is the mean over them.
    """

    name: ClassVar[str] = "text"
    requires: ClassVar[tuple[str, ...]] = ("wordfreq", "wordsegment", "rapidfuzz")
    columns: ClassVar[tuple[str, ...]] = ("references", *COUNTED)
    dimension = len(columns)

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Refuse other languages than English, and say at once if a list is not installed."""
        if context.language.code != "en":
            raise ConfigError(f"feature {cls.name!r} knows English words only, not {context.language.code!r}")
        _counter()
        return super().from_options(context, options)

    def compute(self, batch: FeatureBatch) -> Floats:
        """Count."""
        left, right = ([_straight(text) for text in side] for side in segment_pairs(batch))
        counts = [len(each) for each in batch.references]
        rows = np.column_stack([np.repeat(np.array(counts, float), counts), _counter()(left, right)])
        return mean_over_references(rows, batch)
