"""Words: quick to get, and the same in every language."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+|'\w+|[^\w\s]")


def split(text: str) -> list[str]:
    """Split a text into words in lower case; a mark of punctuation is a word, and so is ``'s``.

    Corpora that vectors are made from have to be split in the same way.
    """
    return _WORD.findall(text.lower().replace("’", "'"))
