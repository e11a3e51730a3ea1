"""Text normalisation as METEOR 1.5 does it: tokenise, normalise punctuation, lowercase.

The steps are in :mod:`meteor_e.text.normalization_steps`.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Collection
from typing import NamedTuple

from meteor_e.errors import ConfigError

__all__ = ["APOSTROPHE_STYLES", "NonbreakingPrefixes", "Normalization", "Normalizer", "lowercase"]


class Normalization(str, enum.Enum):
    """How text becomes tokens."""

    NONE = "none"
    """Split on white space; case is kept."""
    LOWER = "lower"
    """Lowercase only."""
    FULL = "full"
    """Tokenise, normalise punctuation, lowercase (Java: ``-norm``)."""
    NO_PUNCTUATION = "no-punctuation"
    """As ``full``, then drop punctuation (Java: ``-norm -noPunct``)."""


class NonbreakingPrefixes(NamedTuple):
    """Abbreviations whose dot stays: always, or only before a number (compared with case)."""

    always: Collection[str] = frozenset()
    numeric: Collection[str] = frozenset()


def lowercase(text: str) -> str:
    """Lowercase by Unicode's rules, independent of the locale."""
    return text.lower()


APOSTROPHE_STYLES = ("english", "french", "apart")
"""What happens to an apostrophe: split before it, split after it, or set it apart."""

_TRIMMED = "".join(map(chr, range(0x21)))


class Normalizer:
    """Turns a raw segment into normalised text, whose words are separated by single spaces.

    Args:
        mode: see :class:`Normalization`.
        apostrophes: one of :data:`APOSTROPHE_STYLES`; used by ``full`` and ``no-punctuation``.
        prefixes: the language's nonbreaking prefixes; used by ``full`` and ``no-punctuation``.

    Raises:
        ConfigError: for an unknown apostrophe style.
    """

    def __init__(
        self,
        mode: Normalization = Normalization.FULL,
        apostrophes: str = "apart",
        prefixes: NonbreakingPrefixes | None = None,
    ) -> None:
        if apostrophes not in APOSTROPHE_STYLES:
            raise ConfigError(f"unknown apostrophe style {apostrophes!r}; known: {', '.join(APOSTROPHE_STYLES)}")
        prefixes = prefixes if prefixes is not None else NonbreakingPrefixes()
        self.mode = mode
        self.apostrophes = apostrophes
        self.prefixes = NonbreakingPrefixes(frozenset(prefixes.always), frozenset(prefixes.numeric))

    def __call__(self, text: str) -> str:
        """Return the normalised text."""
        if self.mode is Normalization.NONE:
            return text.strip(_TRIMMED)
        if self.mode is Normalization.LOWER:
            return lowercase(text.strip(_TRIMMED))
        from meteor_e.text import normalization_steps as steps

        text = steps.set_apart(text, self.apostrophes, self.prefixes)
        if self.mode is Normalization.NO_PUNCTUATION:
            text = steps.drop_punctuation(text)
        return lowercase(steps.plain_spaces(text).strip(_TRIMMED))


_ENTITIES = [("&quot;", '"'), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]


@functools.cache
def _entity_patterns() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(entity, re.IGNORECASE | re.ASCII), char) for entity, char in _ENTITIES]


def unescape_entities(text: str) -> str:
    """Replace the five entities of SGML input, one after the other, as METEOR does before normalisation."""
    if "&" in text:
        for pattern, char in _entity_patterns():
            text = pattern.sub(char, text)
    return text
