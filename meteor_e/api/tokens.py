"""Define tokens. Matchers receive each word of a segment as a token."""

from __future__ import annotations

import re
from typing import NamedTuple


class Token(NamedTuple):
    """A word of a segment, with its lemma and part of speech.

    Attributes:
        form: the normalized word.
        lemma: the lemma of the word; ``None`` in a chain without a lemmatizer.
        tag: the part of speech as a universal tag; ``None`` if the lemmatizer does not return tags.
    """

    form: str
    lemma: str | None = None
    tag: str | None = None


split_words = re.compile("[^ \t\n\r\f]+").findall
"""Function that splits a normalized segment at spaces, tabs, newlines, carriage returns and form feeds."""
