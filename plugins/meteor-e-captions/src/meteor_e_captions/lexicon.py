"""The words of English captions with their kinds, weights and synonyms."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meteor_e import Meteor
from meteor_e.api import Token
from meteor_e.base.word_lists import load_word_lists

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Cells, Floats, Integers

_WORD = re.compile(r"[a-z0-9]+(?:['\u2019-][a-z0-9]+)*")
_END = "\0"
"""Separates captions."""
_MARKS_TO_SPACES = bytes(code if chr(code).isalnum() or chr(code) == _END else ord(" ") for code in range(256))
LONGEST_TEXT = 20_000
"""Number of characters of a caption that are processed; the rest is ignored."""

KINDS = ("function", "object", "attribute", "action", "relation", "number", "color")
"""Kinds of words. Each word has one kind, regardless of its context."""


def _split_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


COLORS = _split_set(
    "amber beige black blond blonde blue bronze brown brunette burgundy colorful cream crimson dark gold golden gray "
    "green lavender light magenta maroon navy orange pink plaid purple red silver striped tan teal turquoise "
    "violet white yellow"
) | {"grey"}
NUMBERS = {
    **{word: value for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"))},
    **dict.fromkeys(("couple", "pair", "both"), 2),
    **dict.fromkeys(("few", "several", "many", "multiple", "numerous", "group", "crowd"), 100),
}  # fmt: skip
"""Values of number words; 100 stands for a large number."""
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
"""Function words. They have a tenth of the weight that they would have as content words."""
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
# Pairs of words that cannot both describe the same thing.
_OPPOSITES = (
    "man woman|men women|boy girl|boys girls|male female|he she|his her|father mother|husband wife|indoors outdoors|"
    "inside outside|indoor outdoor|sitting standing|sits stands|sit stand|up down|upstairs downstairs|young old|"
    "big small|large small|large tiny|huge tiny|tall short|long short|day night|hot cold|wet dry|open closed|"
    "opens closes|opening closing|full empty|loud quiet|loudly quietly|loudly softly|fast slow|quickly slowly|"
    "black white|happy sad|smiling crying|laughing crying|laughs cries|asleep awake|sleeping running|left right|"
    "near far|front behind|above below|over under|before after|summer winter|sunny rainy|light dark|starts stops|"
    "clean dirty|first last|pushing pulling|high low|nearby distant|dog cat|water land|winning losing|with without"
)
OPPOSITES: dict[str, tuple[str, ...]] = {}
for _pair in _OPPOSITES.split("|"):
    _first, _second = _pair.split()
    OPPOSITES[_first] = (*OPPOSITES.get(_first, ()), _second)
    OPPOSITES[_second] = (*OPPOSITES.get(_second, ()), _first)

_LOWEST_FREQUENCY = 1e-7
_FUNCTION_WEIGHT = 0.1
_WEIGHT_STEPS = 1 << 18
"""Weights are multiples of 1 / 2**18, so that their sums do not depend on the order of addition."""


def split(text: str) -> list[str]:
    """Return the words of a caption in lower case, without punctuation."""
    return _WORD.findall(text[:LONGEST_TEXT].lower().replace("\u2019", "'"))


def _normalize(texts: Sequence[str]) -> list[str]:
    """Return each caption in lower case, without punctuation, and with spaces between words."""
    # All captions are processed together, which is faster, except for those that may have punctuation inside words.
    is_simple = [
        text.isascii() and "'" not in text and "-" not in text and _END not in text and len(text) <= LONGEST_TEXT
        for text in texts
    ]
    simple_texts = _END.join(compress(texts, is_simple)).lower().encode().translate(_MARKS_TO_SPACES).decode()
    normalized = iter(simple_texts.split(_END))
    return [
        next(normalized) if simple else " ".join(split(text)) for text, simple in zip(texts, is_simple, strict=True)
    ]


class EncodedCaptions(NamedTuple):
    """Captions as word ids.

    Attributes:
        word_ids: the words of all captions, concatenated.
        lengths: the number of words of each caption.
        normalized: the captions in lower case, without punctuation.
    """

    word_ids: Integers
    lengths: Integers
    normalized: list[str]

    @property
    def caption_index(self) -> Integers:
        """For each word, the index of its caption."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


class WordColumns(NamedTuple):
    """Properties of all words, indexed by word id.

    Attributes:
        stem: the id of the stem.
        kind: the index of the kind in :data:`KINDS`.
        weight: the information weight.
        word_class: the id of the class, an index of ``CaptionLexicon.class_names``.
        is_function: whether the word is a function word.
        is_content: whether the word is a content word, except for colors and numbers.
        is_negation: whether the word is a negation.
        is_exclusive: whether the word excludes other words.
        synset_starts: the index in ``synsets`` of each word's first synset.
        synsets: the synset ids of all words, concatenated.
    """

    stem: Integers
    kind: Integers
    weight: Floats
    word_class: Integers
    is_function: Cells
    is_content: Cells
    is_negation: Cells
    is_exclusive: Cells
    synset_starts: Integers
    synsets: Integers


def kind_of(word: str) -> str:
    """Return the kind of a word, one of :data:`KINDS`."""
    if word in COLORS:
        return "color"
    if word in NUMBERS or word[0].isdigit():
        return "number"
    if word in _RELATIONS:
        return "relation"
    if word in FUNCTION_WORDS:
        return "function"
    if word in _ATTRIBUTES or (word.endswith("ly") and len(word) > 4):
        return "attribute"
    if word in _ACTIONS or (len(word) > 4 and word.endswith(("ing", "ed")) and word not in _NOT_ACTIONS):
        return "action"
    return "object"


@cache
def _load_frequencies() -> Mapping[str, float]:
    """Return the frequencies of all words that are more frequent than the lowest frequency."""
    lists = load_word_lists("metric 'caption-light'", "meteor-e-captions")
    by_list = [(10 ** (-centibels / 100), words) for centibels, words in enumerate(lists)]
    return {word: frequency for frequency, words in by_list if frequency > _LOWEST_FREQUENCY for word in words}


def _compute_information(words: Sequence[str]) -> Floats:
    """Return the information weights of words, in (0, 1]: the logarithm of the frequency, relative to log 1e-7."""
    frequencies, lowest_log = _load_frequencies(), math.log(_LOWEST_FREQUENCY)
    logs = [math.log(max(frequencies.get(word, 0.0), _LOWEST_FREQUENCY)) for word in words]
    return np.array([min(1.0, log / lowest_log) for log in logs])


_SINGLETON_CLASSES = FUNCTION_WORDS | frozenset(["front", "top", "side", "back", "much"])


@cache
def word_class(word: str) -> str:
    """Return the class of a word: the word itself, or a category such as ``<color>`` or ``<-ing>``."""
    if word in _SINGLETON_CLASSES:
        return word
    if word in COLORS:
        return "<color>"
    if word[0].isdigit() or word in NUMBERS:
        return "<number>"
    for ending, min_length in (("ing", 4), ("ed", 3), ("ly", 4)):
        if len(word) > min_length and word.endswith(ending):
            return f"<-{ending}>"
    return "<-s>" if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else "<word>"


def get_opposites(word: str) -> tuple[str, ...]:
    """Return the words that contradict a word. Numbers below 100 contradict each other."""
    if word in NUMBERS and NUMBERS[word] < 100:
        return tuple(number for number, value in NUMBERS.items() if value != NUMBERS[word] and value < 100)
    return OPPOSITES.get(word, ())


_EXCLUSIVE_WORDS = frozenset(word for word in (*NUMBERS, *OPPOSITES) if get_opposites(word))


class _Ids(dict[Any, int]):
    """Assigns consecutive ids, from 0, to keys when they are first looked up."""

    def __init__(self) -> None:
        super().__init__()
        self.keys_by_id: list[Any] = []

    def __missing__(self, key: Any) -> int:
        new_id = self[key] = len(self.keys_by_id)
        self.keys_by_id.append(key)
        return new_id


class CaptionLexicon:
    """Assigns ids to words, and provides the stem, kind, weight and synonyms of each word.

    Args:
        meteor: the metric whose stems and synonyms decide which words have the same meaning.
    """

    def __init__(self, meteor: Meteor) -> None:
        self._meteor = meteor
        self._stemmer = {matcher.name: matcher for matcher in meteor.matchers}["stem"]
        self._stem_ids, self._synset_ids, self._class_ids, self._word_ids = (_Ids() for _ in range(4))
        self._word_ids[_END] = -1
        self.words: list[str] = self._word_ids.keys_by_id
        self.class_names: list[str] = self._class_ids.keys_by_id
        self._opposites: dict[int, list[str]] = {}
        self._columns = self._describe([])

    def _stem(self, word: str) -> str:
        return self._stemmer.stem(Token(word))  # type: ignore[attr-defined, no-any-return]

    def _describe(self, words: Sequence[str]) -> WordColumns:
        """Return the properties of words."""
        kind = np.array([KINDS.index(kind_of(word)) for word in words], np.int64)
        has_synonyms = ~np.isin(kind, [KINDS.index("function"), KINDS.index("relation")])
        weight = np.maximum(_compute_information(words), 1e-3) * np.where(has_synonyms, 1.0, _FUNCTION_WEIGHT)
        synsets = self._meteor.synsets([*compress(words, has_synonyms)])
        synset_counts = np.zeros(len(words), np.int64)
        synset_counts[has_synonyms] = [*map(len, synsets)]
        return WordColumns(
            stem=np.array([self._stem_ids[self._stem(word)] for word in words], np.int64),
            kind=kind,
            weight=np.rint(weight * _WEIGHT_STEPS) / _WEIGHT_STEPS,
            word_class=np.array([self._class_ids[word_class(word)] for word in words], np.int64),
            is_function=np.array([word in FUNCTION_WORDS for word in words], bool),
            is_content=np.array([word not in NO_CONTENT for word in words], bool),
            is_negation=np.array([word in NEGATIONS or word.endswith("n't") for word in words], bool),
            is_exclusive=np.array([word in _EXCLUSIVE_WORDS for word in words], bool),
            synset_starts=np.cumsum([0, *synset_counts]),
            synsets=np.fromiter(map(self._synset_ids.__getitem__, chain.from_iterable(synsets)), np.int64),
        )

    def encode(self, texts: Sequence[str]) -> EncodedCaptions:
        """Encode captions as word ids."""
        normalized = _normalize(texts)
        words = f" {_END} ".join([*normalized, ""]).split()
        ids = np.fromiter(map(self._word_ids.__getitem__, words), np.int64, len(words))
        ends = np.flatnonzero(ids < 0)
        return EncodedCaptions(ids[ids >= 0], np.diff(ends, prepend=-1) - 1, normalized)

    def _add_new_words(self) -> None:
        """Add the properties of words that were encoded since the last call."""
        new_words = self.words[len(self._columns.stem) :]
        if not new_words:
            return
        new_columns = self._describe(new_words)
        offset = self._columns.synset_starts[-1]
        new_columns = new_columns._replace(synset_starts=new_columns.synset_starts[1:] + offset)
        column_pairs: Any = zip(self._columns, new_columns, strict=True)
        self._columns = WordColumns._make(map(np.concatenate, column_pairs))

    @property
    def columns(self) -> WordColumns:
        """The properties of all words that have been encoded."""
        self._add_new_words()
        return self._columns

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of stems and the number of synsets of all words that have been encoded, at least 1 each."""
        self._add_new_words()
        return max(len(self._stem_ids), 1), max(len(self._synset_ids), 1)

    def opposites(self, words: Sequence[int]) -> list[tuple[int, ...]]:
        """Return the stems that contradict each word, as far as captions contain them.

        Numbers are contradicted by different numbers.
        """
        stem_ids = []
        for word in words:
            stems = self._opposites.get(word)
            if stems is None:
                stems = self._opposites[word] = [*map(self._stem, get_opposites(self.words[word]))]
            stem_ids.append(tuple(self._stem_ids[stem] for stem in stems if stem in self._stem_ids))
        return stem_ids
