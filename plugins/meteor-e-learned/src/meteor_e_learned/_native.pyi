"""Extension module in C++ that computes the values of :mod:`meteor_e_learned.features.text`.

The source files are in the folder ``native``.
"""

from __future__ import annotations

from collections.abc import Mapping
from mmap import mmap

import numpy as np
from numpy.typing import NDArray

class TextCounter:
    """Compares hypotheses with references, and caches the properties of words. Only one thread may use it at a time.

    Args:
        words: the content of a file in which each line contains a word, a tab and the frequency of the word.
        pairs: the content of a file in the same format, with two words separated by a space instead of one word.
        lists: the result of :func:`meteor_e_learned.frequencies.english_lists`.
        listed: for each listed word, its class, whether it is a negation, and whether it implies a negation.
        usual, frequent: the numbers of lists with usual words and with frequent words.
        total: the total frequency of all words.
        back_off, unlisted, strongest: the constants of :mod:`meteor_e_learned.features.text`.

    Raises:
        ValueError: if a file has another format.
    """

    def __init__(
        self,
        words: bytes | mmap,
        pairs: bytes | mmap,
        lists: bytes,
        listed: Mapping[str, tuple[int, bool, bool]],
        *,
        usual: int,
        frequent: int,
        total: float,
        back_off: float,
        unlisted: float,
        strongest: float,
    ) -> None: ...
    def numbers(self, left: list[str], right: list[str]) -> NDArray[np.float64]:
        """Return the values of each hypothesis and its reference, ``(texts, columns)``."""
