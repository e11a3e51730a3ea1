"""Splits text in any language into words with a regular expression."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+|'\w+|[^\w\s]")


def split_with_case(text: str) -> list[str]:
    """Split a text into words. A punctuation mark is a word, and so is ``'s``."""
    return _WORD.findall(text.replace("’", "'"))


def split(text: str) -> list[str]:
    """Split a text into words like :func:`split_with_case`, and convert the words to lower case.

    Word vectors must be trained on texts that were split by this function.
    """
    return split_with_case(text.lower())
