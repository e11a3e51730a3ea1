"""The counting of :mod:`meteor_e_learned.features.text`, in C++; its sources are in ``native``."""

from __future__ import annotations

from collections.abc import Mapping
from mmap import mmap

import numpy as np
from numpy.typing import NDArray

class TextCounter:
    """Counts texts beside references, and remembers what is known about words; not for several threads at once.

    Args:
        words: a file's content: lines of a word, a tab and how often it occurs.
        pairs: the same of pairs of words, with a blank between them.
        lists: what :func:`meteor_e_learned.frequencies.word_lists` returns.
        listed: the kind of each listed word, and whether it denies or implies it.
        usual, frequent: how many of the lists have usual words, and frequent ones.
        total: number of all words.
        back_off, unlisted, strongest: the constants of :mod:`meteor_e_learned.features.text`.

    Raises:
        ValueError: for files of another form.
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
        """Return the numbers of each text beside its reference, ``(texts, counted)``."""
