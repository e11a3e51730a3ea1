"""Text normalization as METEOR 1.5 does it: tokenize, normalize punctuation, lowercase.

The steps are in :mod:`meteor_e.text.normalization_steps`.
"""

from __future__ import annotations

import functools
import re

from meteor_e.api.languages import NonbreakingPrefixes, Normalization
from meteor_e.base.errors import ConfigError
from meteor_e.text.capitals import later_capitals, lowercase

APOSTROPHE_STYLES = ("english", "french", "apart")
"""What happens to an apostrophe: split before it, split after it, or set it apart."""

_TRIMMED = "".join(map(chr, range(0x21)))


class Normalizer:
    """Turns a raw segment into normalized text, whose words are separated by single spaces.

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

    @property
    def kept_capitals(self) -> str:
        """Characters that stay as they are, whatever this Python's table of Unicode has of them."""
        return later_capitals()

    def __call__(self, text: str) -> str:
        """Return the normalized text."""
        if self.mode is Normalization.NONE:
            return text
        if self.mode is Normalization.LOWER:
            return lowercase(text)
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
    """Replace the five entities of SGML input, one after the other, as METEOR does before normalization."""
    if "&" in text:
        for pattern, char in _entity_patterns():
            text = pattern.sub(char, text)
    return text
