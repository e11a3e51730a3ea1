"""Normalizes short English texts, so that different spellings of a name, a date or a number become equal terms.

For example, ``The U.S.'s 1,000 islands`` becomes the terms ``the us 1000 island``, and ``twenty-first`` becomes ``21``.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

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
_ASCII_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "\n"}
_INITIALS = re.compile(r"\b(?:[a-z]\.){2,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
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


class Term(NamedTuple):
    """A normalized word.

    Attributes:
        form: the stem of a word, or the digits of a number.
        is_content: whether the word is a content word.
        rarity: the negative decimal logarithm of the word's relative frequency in English, less 1, within bounds.
    """

    form: str
    is_content: bool
    rarity: float


def _remove_accents(text: str) -> str:
    """Return a text with ASCII quotation marks and dashes, and without accents."""
    # A few calls of str.replace are faster than str.translate for texts that are not ASCII.
    for mark, replacement in _ASCII_MARKS.items():
        text = text.replace(mark, replacement)
    text = unicodedata.normalize("NFKD", text)
    return text if text.isascii() else _ACCENTS.sub("", text)


def fold(text: str) -> str:
    """Return a text in lowercase, without accents, apostrophes, possessive endings, and punctuation within words."""
    text = text.lower()
    if not text.isascii():
        text = _remove_accents(text)
    if "'" in text:
        text = _POSSESSIVE.sub("", text).replace("'", "")
    if "." in text:
        text = _INITIALS.sub(lambda match: match[0].replace(".", ""), text)
    if "," in text:
        text = _THOUSANDS.sub("", text)
    return text


@functools.cache
def _stemmer() -> SnowballStemmer:
    return SnowballStemmer("english")


def _make_term(word: str) -> Term:
    """Return the term for a word of a folded text, or for a line break."""
    if word == "\n":
        return Term(word, False, MIN_RARITY)
    form = _NUMBERS.get(word, word)
    if form[0].isdigit():
        ordinal = _ORDINAL.fullmatch(form)
        return Term(ordinal[1] if ordinal else form, True, NUMBER_RARITY)
    rarity = max(MIN_RARITY, min(MAX_RARITY, word_rarity(word) - 1))
    return Term(_stemmer()(form), word not in STOP_WORDS, rarity)


class _TermCache(BoundedCache[str, Term]):
    """A cache from words to terms with a limited size. Long words are not cached."""

    __slots__ = ()

    def __missing__(self, word: str) -> Term:
        term = _make_term(word)
        if len(word) <= MAX_CACHED_LENGTH:
            self[word] = term
        return term


_terms = _TermCache(1 << 16)


def _split_words(folded: str, *, keep_breaks: bool = False) -> list[str]:
    """Split a folded text into words and numbers. If ``keep_breaks`` is true, line breaks are words, too."""
    if not folded.isascii() or ("." in folded and _DECIMAL_POINT.search(folded)):
        return (_WORD_OR_BREAK if keep_breaks else _WORD).findall(folded)
    # For ASCII texts, a translation table is several times as fast as the regular expression.
    words = folded.translate(_ASCII_SEPARATORS)
    return list(filter(None, words.replace("\n", " \n ").split(" "))) if keep_breaks else words.split()


def split_terms(folded: str) -> list[Term]:
    """Split a folded text into terms."""
    words = _split_words(folded)
    terms = list(map(_terms.__getitem__, words))
    return terms if _TENS.keys().isdisjoint(words) else _join_tens(words, terms)


def _join_tens(words: list[str], terms: list[Term]) -> list[Term]:
    """Return the terms with each pair such as ``twenty`` and ``one`` replaced by one number.

    Args:
        words: the words of the text.
        terms: the terms of the words. This list is changed.
    """
    for index in range(len(terms) - 2, -1, -1):
        units = terms[index + 1].form
        if words[index] in _TENS and len(units) == 1 and "1" <= units <= "9":
            terms[index : index + 2] = [Term(terms[index].form[0] + units, True, NUMBER_RARITY)]
    return terms


def join_forms(forms: Iterable[str]) -> str:
    """Join all forms into one string, with a space before and after each form."""
    text = " ".join(forms)
    return f" {text} " if text else " "


def join_forms_by_line(folded: str) -> list[str]:
    """Return the string of forms of each line of a folded text, in the format of :func:`join_forms`.

    All lines are split in one step, which is faster than one call of :func:`split_terms` per line.
    """
    words = _split_words(folded, keep_breaks=True)
    if not _TENS.keys().isdisjoint(words):
        return [join_forms([term.form for term in split_terms(line)]) for line in folded.split("\n")]
    return join_forms([_terms[word].form for word in words]).split("\n")
