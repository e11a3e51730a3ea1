"""Splitting of texts into words by a regular expression, which is the same for every language."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+|'\w+|[^\w\s]")


def split_with_case(text: str) -> list[str]:
    """Split a text into words. A punctuation mark is a word, and so is ``'s``."""
    return _WORD.findall(text.replace("’", "'"))


def split(text: str) -> list[str]:
    """Split a text into lower-case words, as :func:`split_with_case` does.

    Corpora on which word vectors are trained must be split in the same way.
    """
    return split_with_case(text.lower())
