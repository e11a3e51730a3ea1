"""A Matcher of no family: anything that plain Python can say of two segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

from meteor_e.api import ComponentOptions, Match, Matcher, Meta, Token


class Compounds(Matcher):
    """A word matches the words that it is made of (database ~ data base).

    English writes many compounds together, with a hyphen, or apart, and texts do not agree on which; so do
    translations into German, Dutch or Swedish that take a compound apart. Hyphens within words do not count.
    """

    name: ClassVar[str] = "compounds"
    default_weight: ClassVar[float] = 0.8

    class Options(ComponentOptions):
        """What a chain may say beside the name; the values are in ``self.options``."""

        parts: Annotated[int, Meta(ge=2, description="Words of a compound that is written apart, at most.")] = 3

    def match(self, hypothesis: Sequence[Token], reference: Sequence[Token]) -> Iterator[Match]:
        """Propose one word for several, by reference position: the order is a part of the result."""
        # Each side is looked up in a dictionary, so that the time grows with the words, not with their product.
        hypothesis_words, hypothesis_groups = self._spellings(hypothesis)
        reference_words, reference_groups = self._spellings(reference)
        found = []
        for spelling, positions in reference_words.items():
            for i, length in hypothesis_groups.get(spelling, ()):
                found += [Match(j, i, 1, length) for j, _ in positions]
        for spelling, groups in reference_groups.items():
            for i, _ in hypothesis_words.get(spelling, ()):
                found += [Match(j, i, length, 1) for j, length in groups]
        yield from sorted(found)

    def _spellings(self, tokens: Sequence[Token]) -> tuple[dict[str, list[tuple[int, int]]], ...]:
        """Return where each word begins, and where each group of adjacent words does, by what they spell."""
        words: dict[str, list[tuple[int, int]]] = {}
        groups: dict[str, list[tuple[int, int]]] = {}
        letters = [token.form.replace("-", "") for token in tokens]
        for start in range(len(letters)):
            spelling = ""
            for end in range(start, min(len(letters), start + self.options.parts)):
                if not letters[end].isalpha():
                    break
                spelling += letters[end]
                length = end - start + 1
                (words if length == 1 else groups).setdefault(spelling, []).append((start, length))
        return words, groups
