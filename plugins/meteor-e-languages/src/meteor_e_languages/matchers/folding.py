"""Words that differ only in case and accents, or only in their script."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator, Sequence
from importlib import metadata
from typing import Annotated, Any, ClassVar

from meteor_e.api import ComponentOptions, KeyMatcher, Match, Meta, PluginError, Token
from meteor_e.api.matchers import OverlapMatcher
from meteor_e_languages.words import LONGEST

_KEPT_CLASSES = frozenset((0, 8, 9, *range(36, 107), *range(108, 122), *range(123, 200)))
"""Combining classes of signs that are letters: vowels of Thai, Lao and Tibetan, viramas, voicing of kana."""

_BLANK = Token("")


def _romanized(text: str) -> str:
    try:
        from anyascii import anyascii
    except ImportError as error:
        raise PluginError(
            "matchers 'diacritics' and 'transliteration' need the library anyascii; "
            "run: pip install 'meteor-e-languages[matchers]'"
        ) from error
    found: str = anyascii(text)
    return found


@functools.lru_cache(1 << 16)
def _script(word: str) -> str:
    """Return the script of a word's first letter or digit, as Unicode's names begin; none of marks."""
    first = next((char for char in word if char.isalnum()), "")
    return unicodedata.name(first, "?").split()[0] if first else ""


def folded(word: str) -> str:
    """Return a word in lower case without accents; Latin letters such as ø, ß and ı become plain ones."""
    plain = "".join(
        char for char in unicodedata.normalize("NFKD", word.casefold()) if unicodedata.combining(char) in _KEPT_CLASSES
    )
    if plain.isascii():
        return plain
    return "".join(
        _romanized(char).lower() if not char.isascii() and unicodedata.name(char, "").startswith("LATIN") else char
        for char in plain
    )


class DiacriticsMatcher(KeyMatcher):
    """Words match that differ only in case, accents and other marks, or in variants of letters, as ß and ss."""

    name: ClassVar[str] = "diacritics"
    requires: ClassVar[tuple[str, ...]] = ("anyascii",)
    default_weight: ClassVar[float] = 0.6

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        _romanized("")

    def keys(self, token: Token) -> set[str]:
        """Return the plain form of a word, if it has one."""
        return {folded(token.form)} - {""} if len(token.form) <= LONGEST else set()

    def describe(self) -> str:
        """Name the library's version."""
        return f"anyascii={metadata.version('anyascii')}"


class TransliterationMatcher(OverlapMatcher):
    """Words of different scripts match as far as n-grams of their Latin spellings do, in part.

    Names and loan words: Чайковский and Tchaikovsky, コンピュータ and computer, digits of any script.
    """

    name: ClassVar[str] = "transliteration"
    requires: ClassVar[tuple[str, ...]] = ("anyascii",)

    class Options(ComponentOptions):
        """What matches, and which n-grams are compared."""

        threshold: Annotated[float, Meta(ge=0, le=1, description="Lowest share of common pieces of a match.")] = 0.4
        longest: Annotated[int, Meta(ge=1, le=10, description="Characters of the longest piece.")] = 3

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        _romanized("")

    def pieces(self, token: Token) -> Iterator[str]:
        """Return the n-grams of a word's Latin spelling."""
        word = _romanized(token.form[:LONGEST])[:LONGEST].lower()
        for length in range(1, self.options.longest + 1):
            for start in range(len(word) - length + 1):
                yield word[start : start + length]

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose pairs of words whose scripts differ."""
        own, theirs = ([_script(token.form[:LONGEST]) for token in side] for side in (hypothesis, reference))
        scripts = {*own, *theirs} - {""}
        if len(scripts) < 2:
            return
        both = {token.form for token in hypothesis} & {token.form for token in reference}
        for script in sorted(set(own) & scripts):
            # Words of this script on one side, of others on the other; a blank word matches nothing.
            yield from super().match(
                [
                    token if found == script and token.form not in both else _BLANK
                    for token, found in zip(hypothesis, own, strict=True)
                ],
                [
                    token if found not in ("", script) and token.form not in both else _BLANK
                    for token, found in zip(reference, theirs, strict=True)
                ],
            )

    def describe(self) -> str:
        """Name the options that decide, and the library's version."""
        return f"1-{self.options.longest}, from {self.threshold!r}, anyascii={metadata.version('anyascii')}"
