"""Paraphrase tables cut down to what a text can use."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from meteor_e_bitext.pivot import Paraphrases


def phrases_in(table: Paraphrases, sentences: Iterable[list[str]]) -> NDArray[np.bool_]:
    """Return which entries of a table have a left side that occurs in one of the sentences."""
    left = np.unique(table.left).tolist()
    missing = {table.phrases.text(phrase): phrase for phrase in left}
    longest = max((len(text.split(" ")) for text in missing), default=0)
    found = []
    for words in sentences:
        for begin in range(len(words)):
            for end in range(begin + 1, min(begin + longest, len(words)) + 1):
                phrase = missing.pop(" ".join(words[begin:end]), None)
                if phrase is not None:
                    found.append(phrase)
    return np.isin(table.left, np.array(found, table.left.dtype))
