"""Words of short English texts, in a form in which equal facts look equal: names, dates, numbers.

Questions, acceptable answers and answers of language models are compared in this form. ``The U.S.'s 1,000 islands``
becomes ``us 1000 island`` after stop words are left out; ``twenty-first`` becomes ``21``.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import NamedTuple

from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.text.stemming import SnowballStemmer
from meteor_e_learned.frequencies import word_rarity


def split_list(text: str) -> list[str]:
    """Return the words of a list."""
    return text.split()


STOP_WORDS = frozenset(
    split_list(
        "a an the of in on at to for by with from and or is was are were be been it its as that this these those he "
        "she they his her their i you we who whom which what when where how why did do does has have had not also known"
    )
)
"""Words that say nothing about which answer a text gives."""

_CARDINALS = split_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_ORDINALS = split_list(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENS = dict(zip(split_list("twenty thirty forty fifty sixty seventy eighty ninety"), range(20, 100, 10), strict=True))
_NUMBERS = {
    **{name: str(number) for names in (_CARDINALS, _ORDINALS) for number, name in enumerate(names)},
    **{name: str(number) for name, number in _TENS.items()},
    **{name[:-1] + "ieth": str(number) for name, number in _TENS.items()},
    **{"once": "1", "twice": "2", "hundred": "100", "thousand": "1000"},
}
_WORD = re.compile(r"\d+(?:\.\d+)+|[^\W_]+")
_WORD_OR_BREAK = re.compile(_WORD.pattern + r"|\n")
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_POSSESSIVE = re.compile(r"\s?'s\b")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|s)")
_ACCENTS = re.compile("[\u0300-\u036f]")
_QUOTES = str.maketrans("’‘`–—", "'''--")

LONGEST_WORD = 40
"""Longer words are not remembered."""
NUMBER_RARITY = 4.5
"""The rarity of a number; lists of words do not say."""
RARITIES = 0.5, 8.0
"""The lowest and the highest rarity of a word: of "the", and of a word that is not listed."""


class Term(NamedTuple):
    """A word as it is compared.

    Attributes:
        form: the stem of a word, or the digits of a number.
        is_content: whether the word is a content word.
        rarity: how rare the word is in English.
    """

    form: str
    is_content: bool
    rarity: float


def fold(text: str) -> str:
    """Return a text in lower case, without accents, possessives, apostrophes, and dots and commas within words."""
    text = text.lower()
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text.translate(_QUOTES)))
    if "'" in text:
        text = _POSSESSIVE.sub("", text).replace("'", "")
    if "." in text:
        text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    if "," in text:
        text = _THOUSANDS.sub("", text)
    return text


@functools.cache
def _stem() -> SnowballStemmer:
    return SnowballStemmer("english")


def _make_term(word: str) -> Term:
    ordinal = _ORDINAL.fullmatch(word)
    form = _NUMBERS.get(word) or (ordinal[1] if ordinal else word)
    if form[0].isdigit():
        return Term(form, True, NUMBER_RARITY)
    lowest, highest = RARITIES
    return Term(_stem()(form), word not in STOP_WORDS, max(lowest, min(highest, word_rarity(word) - 1)))


_terms: BoundedCache[str, Term] = BoundedCache(1 << 16, _make_term)


def split_terms(folded: str) -> list[Term]:
    """Return the terms of a folded text."""
    words = _WORD.findall(folded)
    terms = [_terms[word] if len(word) <= LONGEST_WORD else _make_term(word) for word in words]
    return terms if _TENS.keys().isdisjoint(words) else _join_tens(words, terms)


def split_lines(folded: str) -> list[list[Term]]:
    """Return the terms of each line of a folded text; faster than one call of :func:`split_terms` per line."""
    words = _WORD_OR_BREAK.findall(folded)
    if not _TENS.keys().isdisjoint(words):
        return list(map(split_terms, folded.split("\n")))
    lines: list[list[Term]] = [[]]
    for word in words:
        if word == "\n":
            lines.append([])
        else:
            lines[-1].append(_terms[word] if len(word) <= LONGEST_WORD else _make_term(word))
    return lines


def _join_tens(words: list[str], terms: list[Term]) -> list[Term]:
    """Make one number of tens and units that follow one another."""
    for index in range(len(terms) - 2, -1, -1):
        units = terms[index + 1].form
        if words[index] in _TENS and len(units) == 1 and "1" <= units <= "9":
            terms[index : index + 2] = [Term(terms[index].form[0] + units, True, NUMBER_RARITY)]
    return terms
