"""Describes the words of English captions: their kinds, weights, synonyms and opposites."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meteor_e import Meteor
from meteor_e.api import Token
from meteor_e.base.word_lists import load_word_lists

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Cells, Floats, Integers

_WORD = re.compile(r"[a-z0-9]+(?:['\u2019-][a-z0-9]+)*")
_END = "\0"
"""The character that separates captions."""
_MARKS_TO_SPACES = bytes(code if chr(code).isalnum() or chr(code) == _END else ord(" ") for code in range(256))
LONGEST_TEXT = 20_000
"""The number of characters of a caption that are processed. All further characters are ignored."""

KINDS = ("function", "object", "attribute", "action", "relation", "number", "color")
"""The kinds of words. Each word has one kind, regardless of its context."""


def _split_set(text: str) -> frozenset[str]:
    """Return the words of a string as a set."""
    return frozenset(text.split())


COLORS = _split_set(
    "amber beige black blond blonde blue bronze brown brunette burgundy colorful cream crimson dark gold golden gray "
    "green lavender light magenta maroon navy orange pink plaid purple red silver striped tan teal turquoise "
    "violet white yellow"
) | {"grey"}
_LARGE_NUMBER = 100
NUMBERS = {
    **{word: value for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"))},
    **dict.fromkeys(("couple", "pair", "both"), 2),
    **dict.fromkeys(("few", "several", "many", "multiple", "numerous", "group", "crowd"), _LARGE_NUMBER),
}  # fmt: skip
"""The values of number words. The value 100 represents any large number."""
_RELATIONS = _split_set(
    "above across against along amid among around at atop before behind below beneath beside between beyond by down in "
    "inside into near off on onto out outside over through toward towards under underneath up with within without"
)
NEGATIONS = _split_set("no not none nobody nothing never without cannot n't")
FUNCTION_WORDS = (
    _split_set(
        "a an the this that these those some any each every either neither another such all other its it's it is i "
        "you he she we they me him her us them my your his our their one's who whom whose which what when where why "
        "how and but or so yet because although though while whereas if than as of to for from about like after "
        "during until upon via be am are was were been being has have had having do does did doing will would shall "
        "should can could may might must there here then also just very too someone somebody something anyone "
        "himself herself itself themselves each nearby next 's 're 've 'll 't s t"
    )
    | _RELATIONS
    | NEGATIONS
)
"""Function words. Their weights are a tenth of the weights that content words of the same frequency have."""
NO_CONTENT = FUNCTION_WORDS | COLORS | NUMBERS.keys()
_ATTRIBUTES = _split_set(
    "old young elderly little small big large huge tiny tall short long wide narrow high low deep shallow loud quiet "
    "soft hard fast slow quick steady constant heavy bright happy sad angry smiling wet dry snowy rainy sunny cloudy "
    "sandy rocky grassy dirty clean open closed empty full crowded busy hot cold warm wooden metal plastic concrete "
    "stone shirtless barefoot bald bearded asian african american indian chinese japanese hispanic caucasian "
    "middle-aged distant close indoor outdoor urban rural modern ancient beautiful pretty"
)
_NOT_ACTIONS = _split_set(
    "bed building ceiling clothing earring evening morning painting ring railing red seed shed sled something string "
    "swing thing weed wedding wing king spring anything everything nothing drawing crossing landing siding awning "
    "parking dining swimming living lightning hundred bread dressing"
)
_ACTIONS = _split_set(
    "stand stands sit sits walk walks run runs ride rides play plays jump jumps hold holds wear wears look looks talk "
    "talks speak speaks sing sings dance dances eat eats drink drinks sleep sleeps swim swims climb climbs throw "
    "throws catch catches kick kicks hit hits push pushes pull pulls carry carries read reads write writes work works "
    "cook cooks clap claps laugh laughs cry cries smile smiles watch watches wait waits drive drives fly flies fall "
    "falls blow blows bark barks meow meows chirp chirps ring rings rings buzz buzzes hum hums roar roars whistle "
    "rumble rumbles crackle crackles drip drips pour pours splash splashes"
)
_OPPOSITE_PAIRS = (
    "man woman|men women|boy girl|boys girls|male female|he she|his her|father mother|husband wife|indoors outdoors|"
    "inside outside|indoor outdoor|sitting standing|sits stands|sit stand|up down|upstairs downstairs|young old|"
    "big small|large small|large tiny|huge tiny|tall short|long short|day night|hot cold|wet dry|open closed|"
    "opens closes|opening closing|full empty|loud quiet|loudly quietly|loudly softly|fast slow|quickly slowly|"
    "black white|happy sad|smiling crying|laughing crying|laughs cries|asleep awake|sleeping running|left right|"
    "near far|front behind|above below|over under|before after|summer winter|sunny rainy|light dark|starts stops|"
    "clean dirty|first last|pushing pulling|high low|nearby distant|dog cat|water land|winning losing|with without"
)
"""Pairs of words that cannot both describe the same object or event."""


def _index_opposites() -> dict[str, tuple[str, ...]]:
    """Return a dictionary from words to their opposites."""
    opposites: dict[str, tuple[str, ...]] = {}
    for pair in _OPPOSITE_PAIRS.split("|"):
        first, second = pair.split()
        opposites[first] = (*opposites.get(first, ()), second)
        opposites[second] = (*opposites.get(second, ()), first)
    return opposites


OPPOSITES = _index_opposites()
"""The opposites of each word."""

_LOWEST_FREQUENCY = 1e-7
_FUNCTION_WEIGHT = 0.1
_WEIGHT_STEPS = 1 << 18
"""Weights are rounded to multiples of 1 / 2**18, so that their sums do not depend on the order of addition."""
_MIN_INFORMATION = 1e-3


def split(text: str) -> list[str]:
    """Split a caption into words in lower case, without punctuation."""
    return _WORD.findall(text[:LONGEST_TEXT].lower().replace("\u2019", "'"))


def _normalize(texts: Sequence[str]) -> list[str]:
    """Convert captions to lower case, and remove punctuation."""
    simple_texts = [text for text in texts if _is_simple(text)]
    # Simple captions are joined, because a single call that removes punctuation is faster than one call per caption.
    joined_text = _END.join(simple_texts).lower()
    translated_texts = joined_text.encode().translate(_MARKS_TO_SPACES).decode().split(_END)
    # If no caption is simple, splitting the empty string still returns one string, and ``zip`` ignores this string.
    normalized = dict(zip(simple_texts, translated_texts, strict=False))
    return [normalized[text] if text in normalized else " ".join(split(text)) for text in texts]


def _is_simple(text: str) -> bool:
    """Return whether a caption is a short ASCII text without apostrophes and hyphens."""
    return text.isascii() and "'" not in text and "-" not in text and _END not in text and len(text) <= LONGEST_TEXT


class EncodedTexts(NamedTuple):
    """Several captions or references whose words are encoded as ids.

    Attributes:
        word_ids: the word ids of all texts, concatenated.
        lengths: the number of words of each text.
        normalized: the texts in lower case, without punctuation.
    """

    word_ids: Integers
    lengths: Integers
    normalized: list[str]

    @property
    def text_of_word(self) -> Integers:
        """For each word, the index of its text."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


class WordProperties(NamedTuple):
    """The properties of all words, stored in arrays that are indexed by word ids.

    Attributes:
        stem_id: the id of the stem.
        kind: the index of the kind in :data:`KINDS`.
        weight: the information weight.
        word_class: the id of the class, an index of ``CaptionLexicon.class_names``.
        is_function: whether the word is a function word.
        is_content: whether the word is neither a function word nor a color nor a number.
        is_negation: whether the word is a negation.
        is_exclusive: whether the word has opposites.
    """

    stem_id: Integers
    kind: Integers
    weight: Floats
    word_class: Integers
    is_function: Cells
    is_content: Cells
    is_negation: Cells
    is_exclusive: Cells


class Synsets(NamedTuple):
    """The synsets of all words. A synset is a set of words with the same meaning.

    Attributes:
        starts: for each word id, the index of the word's first synset in ``ids``. The last element is the length of
            ``ids``.
        ids: the synset ids of all words, concatenated.
    """

    starts: Integers
    ids: Integers

    def append(self, new_ids: Sequence[Sequence[int]]) -> Synsets:
        """Return a copy with the synsets of new words appended.

        Args:
            new_ids: the synset ids of each new word.
        """
        ends = self.starts[-1] + np.cumsum([len(ids) for ids in new_ids])
        flat_ids = np.array(list(chain.from_iterable(new_ids)), np.int64)
        return Synsets(np.concatenate([self.starts, ends]), np.concatenate([self.ids, flat_ids]))


def kind_of(word: str) -> str:
    """Return the kind of a word, such as ``color`` or ``action``. The kinds are listed in :data:`KINDS`."""
    if word in COLORS:
        return "color"
    if word in NUMBERS or word[0].isdigit():
        return "number"
    if word in _RELATIONS:
        return "relation"
    if word in FUNCTION_WORDS:
        return "function"
    is_long = len(word) > 4
    if word in _ATTRIBUTES or (is_long and word.endswith("ly")):
        return "attribute"
    looks_like_action = is_long and word.endswith(("ing", "ed"))
    if word in _ACTIONS or (looks_like_action and word not in _NOT_ACTIONS):
        return "action"
    return "object"


@cache
def _load_frequencies() -> Mapping[str, float]:
    """Return the relative frequencies of all words that are not extremely rare."""
    frequencies = {}
    for centibels, words in enumerate(load_word_lists("metric 'caption-light'", "meteor-e-captions")):
        frequency = 10 ** (-centibels / 100)
        if frequency > _LOWEST_FREQUENCY:
            frequencies.update(dict.fromkeys(words, frequency))
    return frequencies


def _compute_information(words: Sequence[str]) -> Floats:
    """Return the information content of each word as a number from 0 to 1.

    The information content is the logarithm of the word's frequency, divided by the logarithm of the lowest frequency.
    """
    frequencies = _load_frequencies()
    lowest_log = math.log(_LOWEST_FREQUENCY)
    logs = [math.log(max(frequencies.get(word, 0.0), _LOWEST_FREQUENCY)) for word in words]
    return np.array([min(1.0, log / lowest_log) for log in logs])


_SINGLETON_CLASSES = FUNCTION_WORDS | frozenset(["front", "top", "side", "back", "much"])
_MIN_LENGTH_BY_ENDING = {"ing": 5, "ed": 4, "ly": 5}
"""For each ending that determines the class of a word, the minimum length of the word."""


@cache
def word_class(word: str) -> str:
    """Return the class of a word, such as ``<color>``. Classes reveal little about the topic of a text.

    Each function word is a class of its own. All other words belong to a class such as ``<color>`` or ``<-ing>``.
    """
    if word in _SINGLETON_CLASSES:
        return word
    if word in COLORS:
        return "<color>"
    if word[0].isdigit() or word in NUMBERS:
        return "<number>"
    for ending, min_length in _MIN_LENGTH_BY_ENDING.items():
        if len(word) >= min_length and word.endswith(ending):
            return f"<-{ending}>"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return "<-s>"
    return "<word>"


def get_opposites(word: str) -> tuple[str, ...]:
    """Return the words that contradict a word. For example, different number words contradict each other."""
    word_value = NUMBERS.get(word, _LARGE_NUMBER)
    if word_value < _LARGE_NUMBER:
        return tuple(number for number, value in NUMBERS.items() if value not in (word_value, _LARGE_NUMBER))
    return OPPOSITES.get(word, ())


_EXCLUSIVE_WORDS = frozenset(word for word in (*NUMBERS, *OPPOSITES) if get_opposites(word))


class _Ids(dict[Any, int]):
    """A dictionary that assigns consecutive ids to new keys when it looks them up."""

    def __init__(self) -> None:
        super().__init__()
        self.keys_by_id: list[Any] = []

    def __missing__(self, key: Any) -> int:
        new_id = self[key] = len(self.keys_by_id)
        self.keys_by_id.append(key)
        return new_id

    def look_up(self, keys: Iterable[Any]) -> Integers:
        """Return the id of each key. New keys receive new ids."""
        return np.array([self[key] for key in keys], np.int64)


def _has_synonyms(word: str) -> bool:
    """Return whether to use the synonyms of a word. The synonyms of function words and prepositions are ignored."""
    return kind_of(word) not in ("function", "relation")


def _compute_weights(words: Sequence[str]) -> Floats:
    """Compute the weight of each word from its information content. Words without synonyms receive lower weights."""
    information = np.maximum(_compute_information(words), _MIN_INFORMATION)
    weights = information * np.array([1.0 if _has_synonyms(word) else _FUNCTION_WEIGHT for word in words])
    rounded_weights: Floats = np.rint(weights * _WEIGHT_STEPS) / _WEIGHT_STEPS
    return rounded_weights


class CaptionLexicon:
    """Assigns ids to the words of captions, and provides the stem, kind, weight and synonyms of each word.

    Args:
        meteor: the metric whose stems and synonyms decide which words have the same meaning.
    """

    def __init__(self, meteor: Meteor) -> None:
        self._meteor = meteor
        self._stemmer = next(matcher for matcher in meteor.matchers if matcher.name == "stem")
        self._stem_ids = _Ids()
        self._synset_ids = _Ids()
        self._class_ids = _Ids()
        self._word_ids = _Ids()
        # The separator between captions has the id -1, because it is not a word.
        self._word_ids[_END] = -1
        # The lexicon contains no words yet.
        self._word_properties = self._describe([])
        self._synsets = Synsets(starts=np.zeros(1, np.int64), ids=np.zeros(0, np.int64))

    @property
    def words(self) -> list[str]:
        """The encoded words. The index of a word is its id."""
        return self._word_ids.keys_by_id

    @property
    def class_names(self) -> list[str]:
        """The classes of all encoded words. The index of a class is its id."""
        return self._class_ids.keys_by_id

    def _stem(self, word: str) -> str:
        """Return the stem of a word according to METEOR's stemmer."""
        return self._stemmer.stem(Token(word))  # type: ignore[attr-defined, no-any-return]

    def _describe(self, words: Sequence[str]) -> WordProperties:
        """Assign ids to the stems and the classes of new words, and return all properties of these words."""
        return WordProperties(
            stem_id=self._stem_ids.look_up(map(self._stem, words)),
            kind=np.array([KINDS.index(kind_of(word)) for word in words], np.int64),
            weight=_compute_weights(words),
            word_class=self._class_ids.look_up(map(word_class, words)),
            is_function=np.array([word in FUNCTION_WORDS for word in words], bool),
            is_content=np.array([word not in NO_CONTENT for word in words], bool),
            is_negation=np.array([word in NEGATIONS or word.endswith("n't") for word in words], bool),
            is_exclusive=np.array([word in _EXCLUSIVE_WORDS for word in words], bool),
        )

    def encode(self, texts: Sequence[str]) -> EncodedTexts:
        """Replace the words of captions by ids. New words receive new ids."""
        normalized = _normalize(texts)
        # Each caption is followed by a separator, whose id is -1.
        words = f" {_END} ".join([*normalized, ""]).split()
        ids = np.fromiter(map(self._word_ids.__getitem__, words), np.int64, len(words))
        ends = np.flatnonzero(ids < 0)
        lengths = np.diff(ends, prepend=-1) - 1
        return EncodedTexts(word_ids=ids[ids >= 0], lengths=lengths, normalized=normalized)

    def _list_synsets(self, words: Sequence[str]) -> list[list[int]]:
        """Return the ids of each word's synsets. New synsets receive new ids."""
        words_with_synonyms = [word for word in words if _has_synonyms(word)]
        synsets_by_word = dict(zip(words_with_synonyms, self._meteor.synsets(words_with_synonyms), strict=True))
        return [[self._synset_ids[synset] for synset in synsets_by_word.get(word, ())] for word in words]

    def _add_new_words(self) -> None:
        """Determine the properties and synsets of the words that were encoded since the last call of this method."""
        n_described_words = len(self._word_properties.stem_id)
        new_words = self.words[n_described_words:]
        if not new_words:
            return
        columns = zip(self._word_properties, self._describe(new_words), strict=True)
        self._word_properties = WordProperties._make(np.concatenate(column_parts) for column_parts in columns)
        self._synsets = self._synsets.append(self._list_synsets(new_words))

    @property
    def word_properties(self) -> WordProperties:
        """The properties of all encoded words."""
        self._add_new_words()
        return self._word_properties

    @property
    def synsets(self) -> Synsets:
        """The synsets of all encoded words."""
        self._add_new_words()
        return self._synsets

    @property
    def n_stems(self) -> int:
        """The number of distinct stems of all encoded words, but at least 1."""
        self._add_new_words()
        return max(len(self._stem_ids), 1)

    @property
    def n_synsets(self) -> int:
        """The number of distinct synsets of all encoded words, but at least 1."""
        self._add_new_words()
        return max(len(self._synset_ids), 1)

    def find_opposites(self, word_ids: Sequence[int]) -> list[list[int]]:
        """For each word, return the ids of the stems with a contradictory meaning, such as "woman" for "man".

        Stems that do not occur in any encoded caption are omitted.

        Args:
            word_ids: the ids of the words.
        """
        stems_by_word = [self._opposite_stems.get(self.words[word_id], []) for word_id in word_ids]
        return [[self._stem_ids[stem] for stem in stems if stem in self._stem_ids] for stems in stems_by_word]

    @cached_property
    def _opposite_stems(self) -> dict[str, list[str]]:
        """The stems of each word's opposites."""
        return {word: [self._stem(opposite) for opposite in get_opposites(word)] for word in _EXCLUSIVE_WORDS}
