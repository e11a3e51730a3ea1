"""Words as the Java program tells them apart: by their 32-bit hash.

``le`` and ``n'`` have one ``String.hashCode``, as have ``je`` and ``l'``, and so the Java program takes them for
one word. In French that shows: 17 of 600 news segments. The library compares words; ``compat`` does as Java does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from meteor_e.api.matchers import Match
from meteor_e.api.tokens import Token
from meteor_e.java.formats import java_hash
from meteor_e.matchers.exact import ExactMatcher
from meteor_e.matchers.stem import StemMatcher

if TYPE_CHECKING:
    from meteor_e.api.matchers import Matcher

__all__ = ["with_java_words"]


class _JavaExactMatcher(ExactMatcher):
    """Words match if their hashes are equal."""

    def keys(self, token: Token) -> tuple[int]:  # type: ignore[override]
        """Return the word's hash."""
        return (java_hash(token.form),)


class _JavaStemMatcher(StemMatcher):
    """Words of different hashes match if the hashes of their stems are equal."""

    def keys(self, token: Token) -> tuple[int]:  # type: ignore[override]
        """Return the hash of the word's stem."""
        return (java_hash(super().keys(token)[0]),)

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose words with one stem, but for those that are one word to Java."""
        for match in super().match(hypothesis, reference):
            one, other = hypothesis[match.hypothesis_start].form, reference[match.reference_start].form
            if java_hash(one) != java_hash(other):
                yield match


def with_java_words(matchers: Sequence[Matcher]) -> tuple[Matcher, ...]:
    """Return a chain with ``exact`` and ``stem`` comparing hashes.

    The two other modules compare words; where they would see a difference to Java, two words of a segment would
    have to share both a hash and a synset.
    """
    return tuple(_replaced(matcher) for matcher in matchers)


def _replaced(matcher: Matcher) -> Matcher:
    if type(matcher) is ExactMatcher:
        return _JavaExactMatcher()
    if type(matcher) is StemMatcher:
        return _JavaStemMatcher(matcher.stemmer_name)
    return matcher
