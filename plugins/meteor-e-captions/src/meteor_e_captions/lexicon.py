"""Words of captions: what kind each is, how much it tells, and which words mean the same (English)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from meteor_e import Meteor
from meteor_e.api import Token
from meteor_e.toolkit import Memory, require

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e.toolkit import Cells, Floats, Integers

_WORD = re.compile(r"[a-z0-9]+(?:['\u2019-][a-z0-9]+)*")
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}
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
"""Words for numbers; 100 stands for more than can be counted."""
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
    text = text[:LONGEST_TEXT].lower()
    if text.isascii() and "'" not in text and "-" not in text:
        return text.translate(_BLANKS).split()  # the same, and quicker
    return _WORD.findall(text.replace("\u2019", "'"))


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
    found: Mapping[str, float] = require(
        "wordfreq", "metric 'caption-light'", distribution="meteor-e-captions"
    ).get_frequency_dict("en", "large")
    return found


def _information(word: str) -> float:
    """Return how much a word tells, in (0, 1]: the logarithm of its frequency in wordfreq's list, relative to 1e-7."""
    return min(1.0, math.log(max(_frequencies().get(word, 0.0), _RAREST)) / math.log(_RAREST))


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


class Lexicon:
    """Numbers words, and knows stem, kind, weight and synonyms of each.

    Args:
        meteor: whose stems and synonyms decide which words mean the same.
        documents: one set of words per image or clip of a corpus; weights are then inverse document frequencies,
            ln((N + 1)/(n + 1))/ln(N + 1) of N documents of which n hold a word with the same stem. By default,
            weights come from wordfreq's list, so that a score does not depend on the other captions.
    """

    def __init__(self, meteor: Meteor, documents: Iterable[Iterable[str]] | None = None) -> None:
        matchers = {matcher.name: matcher for matcher in meteor.matchers}
        self._stem, self._synonym = matchers["stem"], matchers["synonym"]
        self._numbers: dict[str, int] = {}
        self._stems: dict[object, int] = {}
        self._synsets: dict[object, int] = {}
        self.words: list[str] = []
        self._stem_of: list[int] = []
        self._kind_of: list[int] = []
        self._weight_of: list[float] = []
        self._synsets_of: list[list[int]] = []
        self.class_names: list[str] = []
        self._classes: dict[str, int] = {}
        self._class_of: list[int] = []
        self._telling_of: list[bool] = []
        self._texts = Memory[str, tuple[list[int], str]](50_000)
        self._arrays: tuple[Integers, Integers, Floats, Integers, Integers] | None = None
        self._counts: dict[int, int] = {}
        self._documents = 0
        if documents is not None:
            for words in documents:
                self._documents += 1
                for stem in {self.stem_number(word) for word in words}:
                    self._counts[stem] = self._counts.get(stem, 0) + 1

    def stem_number(self, word: str) -> int:
        """Return the number of a word's stem."""
        return self._stems.setdefault(self._stem_key(word), len(self._stems))

    def _stem_key(self, word: str) -> object:
        return next(iter(self._stem.keys(Token(word))))  # type: ignore[attr-defined]

    def number(self, word: str) -> int:
        """Return the number of a word."""
        number = self._numbers.get(word)
        if number is None:
            number = self._numbers[word] = len(self.words)
            self._add(word)
        return number

    def _add(self, word: str) -> None:
        kind, stem = kind_of(word), self.stem_number(word)
        name = word_class(word)
        if name not in self._classes:
            self._classes[name] = len(self.class_names)
            self.class_names.append(name)
        self._class_of.append(self._classes[name])
        self._telling_of.append(word not in FUNCTION_WORDS and word not in COLORS and word not in NUMBERS)
        self.words.append(word)
        self._stem_of.append(stem)
        self._kind_of.append(KINDS.index(kind))
        weight = _information(word)
        if self._documents:
            weight = math.log((self._documents + 1) / (self._counts.get(stem, 0) + 1)) / math.log(self._documents + 1)
        function = kind in ("function", "relation")
        weight = max(weight, 1e-3) * (_FUNCTION_WEIGHT if function else 1.0)
        # Sums of such numbers are the same in every order.
        self._weight_of.append(round(weight * _PARTS) / _PARTS)
        synsets = [] if function else self._synonym.keys(Token(word))  # type: ignore[attr-defined]
        self._synsets_of.append([self._synsets.setdefault(key, len(self._synsets)) for key in sorted(synsets)])
        self._arrays = None

    def numbered(self, text: str) -> tuple[list[int], str]:
        """Return the numbers of a text's words, and the words in lower case, joined by blanks."""
        found = self._texts.get(text)
        if found is None:
            words = split(text)
            try:
                listed = list(map(self._numbers.__getitem__, words))
            except KeyError:
                listed = [self.number(word) for word in words]
            found = self._texts[text] = listed, " ".join(words)
        return found

    def numbers(self, text: str) -> NDArray[np.int64]:
        """Return the numbers of a text's words."""
        return np.array(self.numbered(text)[0], np.int64)

    @property
    def arrays(self) -> tuple[Integers, Integers, Floats, Integers, Integers]:
        """For each word its stem, kind and weight; and the synsets of all words, those of word n from ``starts[n]``."""
        if self._arrays is None:
            lengths = [len(synsets) for synsets in self._synsets_of]
            self._arrays = (
                np.array(self._stem_of, np.int64),
                np.array(self._kind_of, np.int64),
                np.array(self._weight_of),
                np.array([0, *np.cumsum(lengths)], np.int64),
                np.array([each for synsets in self._synsets_of for each in synsets], np.int64),
            )
        return self._arrays

    @property
    def classes(self) -> Integers:
        """For each word the number of its class, of ``class_names``."""
        return np.array(self._class_of, np.int64)

    @property
    def telling(self) -> Cells:
        """For each word whether it is a content word, no color and no number."""
        return np.array(self._telling_of, bool)

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
            word = self.words[number]
            others = OPPOSITES.get(word, ())
            if word in NUMBERS and NUMBERS[word] < 100:
                others = tuple(other for other, value in NUMBERS.items() if value != NUMBERS[word] and value < 100)
            stems = (self._stems.get(self._stem_key(other)) for other in others)
            found.append(tuple(stem for stem in stems if stem is not None))
        return found
