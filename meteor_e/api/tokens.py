"""Tokens: what matchers see of a word."""

from __future__ import annotations

import re
from typing import NamedTuple


class Token(NamedTuple):
    """A word of a segment, as matchers see it.

    Attributes:
        form: the word after normalization.
        lemma: its base form; ``None`` in a chain without a lemmatizer.
        tag: its part of speech (universal tag set); ``None`` where the lemmatizer gives none.
    """

    form: str
    lemma: str | None = None
    tag: str | None = None


split_words = re.compile("[^ \t\n\r\f]+").findall
"""Splits a normalized segment into words: on space, tab, newline, carriage return and form feed only."""
