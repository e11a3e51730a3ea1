"""Words of English captions: kind, information weight, and synonyms of each."""

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
from meteor_e.base.word_lists import decoded_word_lists

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Cells, Floats, Integers

_WORD = re.compile(r"[a-z0-9]+(?:['\u2019-][a-z0-9]+)*")
_END = "\0"
"""Ends a caption among the words of many."""
_BLANKS = bytes(code if chr(code).isalnum() or chr(code) == _END else ord(" ") for code in range(256))
LONGEST_TEXT = 20_000
"""Characters of a caption that are looked at."""

KINDS = ("function", "object", "attribute", "action", "relation", "number", "color")
"""Kinds of words; a word is of one kind, whatever is around it."""


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


COLORS = _listed(
    "amber beige black blond blonde blue bronze brown brunette burgundy colorful cream crimson dark gold golden gray "
    "green lavender light magenta maroon navy orange pink plaid purple red silver striped tan teal turquoise "
    "violet white yellow"
) | {"grey"}
NUMBERS = {
    **{word: number for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"))},
    **dict.fromkeys(("couple", "pair", "both"), 2),
    **dict.fromkeys(("few", "several", "many", "multiple", "numerous", "group", "crowd"), 100),
}  # fmt: skip
"""Words for numbers; 100 means more than can be counted."""
_RELATIONS = _listed(
    "above across against along amid among around at atop before behind below beneath beside between beyond by down in "
    "inside into near off on onto out outside over through toward towards under underneath up with within without"
)
NEGATIONS = _listed("no not none nobody nothing never without cannot n't")
FUNCTION_WORDS = (
    _listed(
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
"""Words whose order and neighbors make the grammar; they weigh a tenth of others."""
NO_CONTENT = FUNCTION_WORDS | COLORS | NUMBERS.keys()
_ATTRIBUTES = _listed(
    "old young elderly little small big large huge tiny tall short long wide narrow high low deep shallow loud quiet "
    "soft hard fast slow quick steady constant heavy bright happy sad angry smiling wet dry snowy rainy sunny cloudy "
    "sandy rocky grassy dirty clean open closed empty full crowded busy hot cold warm wooden metal plastic concrete "
    "stone shirtless barefoot bald bearded asian african american indian chinese japanese hispanic caucasian "
    "middle-aged distant close indoor outdoor urban rural modern ancient beautiful pretty"
)
_NOT_ACTIONS = _listed(
    "bed building ceiling clothing earring evening morning painting ring railing red seed shed sled something string "
    "swing thing weed wedding wing king spring anything everything nothing drawing crossing landing siding awning "
    "parking dining swimming living lightning hundred bread dressing"
)
_ACTIONS = _listed(
    "stand stands sit sits walk walks run runs ride rides play plays jump jumps hold holds wear wears look looks talk "
    "talks speak speaks sing sings dance dances eat eats drink drinks sleep sleeps swim swims climb climbs throw "
    "throws catch catches kick kicks hit hits push pushes pull pulls carry carries read reads write writes work works "
    "cook cooks clap claps laugh laughs cry cries smile smiles watch watches wait waits drive drives fly flies fall "
    "falls blow blows bark barks meow meows chirp chirps ring rings rings buzz buzzes hum hums roar roars whistle "
    "rumble rumbles crackle crackles drip drips pour pours splash splashes"
)
# Words that exclude each other as descriptions of one thing.
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
    _one, _other = _pair.split()
    OPPOSITES[_one] = (*OPPOSITES.get(_one, ()), _other)
    OPPOSITES[_other] = (*OPPOSITES.get(_other, ()), _one)

_RAREST = 1e-7
_FUNCTION_WEIGHT = 0.1
_PARTS = 1 << 18


def split(text: str) -> list[str]:
    """Return the words of a caption in lower case, without marks."""
    return _WORD.findall(text[:LONGEST_TEXT].lower().replace("\u2019", "'"))


def _plain(texts: Sequence[str]) -> list[str]:
    """Return for each caption its words in lower case, without marks, with blanks between them."""
    # All captions at once, which is quicker, except for those that may have a word with a mark inside.
    easy = [
        text.isascii() and "'" not in text and "-" not in text and _END not in text and len(text) <= LONGEST_TEXT
        for text in texts
    ]
    joined = _END.join(compress(texts, easy)).lower().encode().translate(_BLANKS).decode()
    plain = iter(joined.split(_END))
    return [next(plain) if is_easy else " ".join(split(text)) for text, is_easy in zip(texts, easy, strict=True)]


class EncodedCaptions(NamedTuple):
    """Captions as numbers of words.

    Attributes:
        words: of all captions, one after the other.
        lengths: how many words each caption has.
        plain: the captions in lower case, without marks.
    """

    words: Integers
    lengths: Integers
    plain: list[str]

    @property
    def of(self) -> Integers:
        """For each word the caption that it is of."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


class WordColumns(NamedTuple):
    """Properties of all words, by their numbers.

    Attributes:
        stem, kind, weight: of each word.
        word_class: number in ``CaptionLexicon.class_names``.
        function: whether it is a function word.
        telling: whether it is a content word, no color and no number.
        negates: whether it is a negation.
        excludes: whether it excludes other words.
        starts, synsets: the synsets of all words, those of word n from ``starts[n]``.
    """

    stem: Integers
    kind: Integers
    weight: Floats
    word_class: Integers
    function: Cells
    telling: Cells
    negates: Cells
    excludes: Cells
    starts: Integers
    synsets: Integers


def kind_of(word: str) -> str:
    """Return a word's kind, one of :data:`KINDS`."""
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
def _frequencies() -> Mapping[str, float]:
    """Return the frequencies of words that are not among the rarest."""
    lists = decoded_word_lists("metric 'caption-light'", "meteor-e-captions")
    by_list = [(10 ** (-number / 100), words) for number, words in enumerate(lists)]
    return {word: frequency for frequency, words in by_list if frequency > _RAREST for word in words}


def _information(words: Sequence[str]) -> Floats:
    """Return the information weights of words, in (0, 1]: log frequencies in wordfreq's list, relative to log 1e-7."""
    frequency = _frequencies().get
    return np.array([min(1.0, math.log(max(frequency(word, 0.0), _RAREST)) / math.log(_RAREST)) for word in words])


_OWN_CLASS = FUNCTION_WORDS | frozenset(["front", "top", "side", "back", "much"])


@cache
def word_class(word: str) -> str:
    """Return the class of a word."""
    if word in _OWN_CLASS:
        return word
    if word in COLORS:
        return "<color>"
    if word[0].isdigit() or word in NUMBERS:
        return "<number>"
    for ending, least in (("ing", 4), ("ed", 3), ("ly", 4)):
        if len(word) > least and word.endswith(ending):
            return f"<-{ending}>"
    return "<-s>" if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else "<word>"


def excluded_by(word: str) -> tuple[str, ...]:
    """Return the words that a word excludes; numbers below 100 exclude each other."""
    if word in NUMBERS and NUMBERS[word] < 100:
        return tuple(other for other, value in NUMBERS.items() if value != NUMBERS[word] and value < 100)
    return OPPOSITES.get(word, ())


_EXCLUDING = frozenset(word for word in (*NUMBERS, *OPPOSITES) if excluded_by(word))


class _Numbers(dict[Any, int]):
    """Numbers what is looked up from 0 on, and lists it."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[Any] = []

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self.listed)
        self.listed.append(key)
        return number


class CaptionLexicon:
    """Numbers words, and knows stem, kind, weight and synonyms of each.

    Args:
        meteor: whose stems and synonyms decide which words mean the same.
    """

    def __init__(self, meteor: Meteor) -> None:
        self._meteor = meteor
        self._stem = {matcher.name: matcher for matcher in meteor.matchers}["stem"]
        self._stems, self._synsets, self._classes, self._numbers = (_Numbers() for _ in range(4))
        self._numbers[_END] = -1
        self.words: list[str] = self._numbers.listed
        self.class_names: list[str] = self._classes.listed
        self._excluded: dict[int, list[str]] = {}
        self._columns = self._describe([])

    def _stem_of(self, word: str) -> str:
        return self._stem.stem(Token(word))  # type: ignore[attr-defined, no-any-return]

    def _describe(self, words: Sequence[str]) -> WordColumns:
        stem = np.array([self._stems[self._stem_of(word)] for word in words], np.int64)
        kind = np.array([KINDS.index(kind_of(word)) for word in words], np.int64)
        function = np.isin(kind, [KINDS.index("function"), KINDS.index("relation")])
        weight = np.maximum(_information(words), 1e-3) * np.where(function, _FUNCTION_WEIGHT, 1.0)
        synsets = self._meteor.synsets([word for word, left_out in zip(words, function, strict=True) if not left_out])
        sizes = np.zeros(len(words), np.int64)
        sizes[~function] = [*map(len, synsets)]
        return WordColumns(
            stem,
            kind,
            np.rint(weight * _PARTS) / _PARTS,  # sums of such numbers are the same in every order
            np.array([self._classes[word_class(word)] for word in words], np.int64),
            np.array([word in FUNCTION_WORDS for word in words], bool),
            np.array([word not in NO_CONTENT for word in words], bool),
            np.array([word in NEGATIONS or word.endswith("n't") for word in words], bool),
            np.array([word in _EXCLUDING for word in words], bool),
            np.cumsum([0, *sizes]),
            np.fromiter(map(self._synsets.__getitem__, chain.from_iterable(synsets)), np.int64),
        )

    def number_all(self, texts: Sequence[str]) -> EncodedCaptions:
        """Number the words of captions."""
        plain = _plain(texts)
        found = f" {_END} ".join([*plain, ""]).split()
        numbers = np.fromiter(map(self._numbers.__getitem__, found), np.int64, len(found))
        ends = np.flatnonzero(numbers < 0)
        return EncodedCaptions(numbers[numbers >= 0], np.diff(ends, prepend=-1) - 1, plain)

    @property
    def columns(self) -> WordColumns:
        """Properties of the words so far."""
        known = self._columns
        if fresh := self.words[len(known.stem) :]:
            more = self._describe(fresh)
            more = more._replace(starts=more.starts[1:] + known.starts[-1])
            both: Any = zip(known, more, strict=True)
            known = self._columns = WordColumns._make(map(np.concatenate, both))
        return known

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of stems and of synsets."""
        return max(len(self._stems), 1), max(len(self._synsets), 1)

    def opposites(self, words: Sequence[int]) -> list[tuple[int, ...]]:
        """Return for each word the stems of those that exclude it, as far as captions have them.

        Numbers are excluded by other numbers.
        """
        found = []
        for number in words:
            known = self._excluded.get(number)
            if known is None:
                known = self._excluded[number] = [*map(self._stem_of, excluded_by(self.words[number]))]
            found.append(tuple(self._stems[stem] for stem in known if stem in self._stems))
        return found
