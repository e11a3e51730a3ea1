"""Normalizes short English texts, so that different spellings of names, dates and numbers become equal.

For example, ``The U.S.'s 1,000 islands`` becomes ``the us 1000 island``, and ``twenty-first`` becomes ``21``. The
normalized form of a word is its stem. The normalized form of a number consists of digits.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.text.stemming import SnowballStemmer
from meteor_e_learned.frequencies import word_rarity


def split_list(text: str) -> list[str]:
    """Return the words of a text, which are separated by white space."""
    return text.split()


STOP_WORDS = frozenset(
    split_list(
        "a an the of in on at to for by with from and or is was are were be been it its as that this these those he "
        "she they his her their i you we who whom which what when where how why did do does has have had not also known"
    )
)
"""Function words, which do not distinguish a correct answer from an incorrect answer."""

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
_DECIMAL_POINT = re.compile(r"\d\.\d")
# str.translate is several times as fast with a string of all ASCII characters as with a dictionary.
_ASCII_SEPARATORS = "".join(chr(code) if chr(code).isalnum() or chr(code) == "\n" else " " for code in range(128))
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")
_POSSESSIVE = re.compile(r"\s?'s\b")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|s)")
_ACCENTS = re.compile("[\u0300-\u036f]")
_ASCII_MARKS = {"’": "'", "‘": "'", "`": "'", "–": "-", "—": "-"}

MAX_CACHED_LENGTH = 40
"""Maximum number of characters in a cached word."""
NUMBER_RARITY = 4.5
"""Rarity of all numbers. The list of word frequencies does not contain numbers."""
MIN_RARITY, MAX_RARITY = 0.5, 8.0
"""Lower and upper bound of the rarity of a word."""


def _remove_accents(text: str) -> str:
    """Remove accents from a text, and replace typographic quotation marks and dashes by ASCII characters."""
    # For non-ASCII texts, a few calls of str.replace are faster than str.translate.
    for mark, replacement in _ASCII_MARKS.items():
        text = text.replace(mark, replacement)
    text = unicodedata.normalize("NFKD", text)
    return text if text.isascii() else _ACCENTS.sub("", text)


def fold(text: str) -> str:
    """Lowercase a text, and remove accents, apostrophes, possessive endings, and punctuation within words."""
    text = text.lower()
    if not text.isascii():
        text = _remove_accents(text)
    if "'" in text:
        text = _POSSESSIVE.sub("", text).replace("'", "")
    if text.count(".") > 1:
        text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    if "," in text:
        text = _THOUSANDS.sub("", text)
    return text


@functools.cache
def _stemmer() -> SnowballStemmer:
    return SnowballStemmer("english")


def _make_form(word: str) -> str:
    """Return the stem of a lowercase word, or the digits of a number.

    A line break is returned unchanged.
    """
    if word == "\n":
        return word
    form = _NUMBERS.get(word, word)
    if form[0].isdigit():
        ordinal = _ORDINAL.fullmatch(form)
        return ordinal[1] if ordinal else form
    return _stemmer()(form)


class _FormCache(BoundedCache[str, str]):
    """A cache of limited size that maps words to their normalized forms, such as stems. Long words are not cached."""

    __slots__ = ()

    def __missing__(self, word: str) -> str:
        form = _make_form(word)
        if len(word) <= MAX_CACHED_LENGTH:
            self[word] = form
        return form


_forms = _FormCache(1 << 16)


def get_forms(words: Iterable[str]) -> list[str]:
    """Return the form of each word."""
    return list(map(_forms.__getitem__, words))


def measure_rarity(word: str) -> float:
    """Return the rarity of an English word on a logarithmic scale.

    The rarity is -log10(relative frequency) - 1, clipped to the bounds :data:`MIN_RARITY` and :data:`MAX_RARITY`. All
    numbers have the same rarity.
    """
    if _forms[word][0].isdigit():
        return NUMBER_RARITY
    return max(MIN_RARITY, min(MAX_RARITY, word_rarity(word) - 1))


def _split_at_separators(folded: str, *, keep_breaks: bool = False) -> list[str]:
    """Split a lowercase text into words and numbers. If ``keep_breaks`` is true, line breaks count as words."""
    if not folded.isascii() or ("." in folded and _DECIMAL_POINT.search(folded)):
        return (_WORD_OR_BREAK if keep_breaks else _WORD).findall(folded)
    # For ASCII texts, str.translate is several times as fast as a regular expression.
    words = folded.translate(_ASCII_SEPARATORS)
    return list(filter(None, words.replace("\n", " \n ").split(" "))) if keep_breaks else words.split()


def split_words(folded: str) -> list[str]:
    """Split a lowercase text into words and numbers. Number words such as ``twenty one`` become one number."""
    words = _split_at_separators(folded)
    return words if _TENS.keys().isdisjoint(words) else _join_tens(words)


def split_forms(folded: str) -> list[str]:
    """Split a lowercase text into words, and return the normalized form of each word."""
    return get_forms(split_words(folded))


def _join_tens(words: list[str]) -> list[str]:
    """Join the words of compound numbers, so that ``twenty`` and ``one`` become ``21``.

    The list is changed in place and returned.
    """
    for index in range(len(words) - 2, -1, -1):
        units = _forms[words[index + 1]]
        if words[index] in _TENS and len(units) == 1 and "1" <= units <= "9":
            tens = _forms[words[index]][0]
            words[index : index + 2] = [tens + units]
    return words


def join_forms(forms: Iterable[str]) -> str:
    """Join normalized words into one string, with a space before and after each word."""
    text = " ".join(forms)
    return f" {text} " if text else " "


def split_forms_with_breaks(folded: str) -> list[str]:
    """Return the normalized words of a text, with line breaks as separate items between the lines.

    All lines are split in one step, which is faster than one call of :func:`split_forms` per line.
    """
    words = _split_at_separators(folded, keep_breaks=True)
    if _TENS.keys().isdisjoint(words):
        return get_forms(words)
    forms = []
    for line in folded.split("\n"):
        forms += split_forms(line)
        forms.append("\n")
    return forms[:-1]
