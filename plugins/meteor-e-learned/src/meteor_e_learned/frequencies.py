"""How often English words occur: wordfreq's large list."""

from __future__ import annotations

import functools
import gzip
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

UNKNOWN = 1e-9
"""The relative frequency that a word which is not listed is taken to have at most."""
RARE, FREQUENT = 1e-6, 1e-3
"""The relative frequencies below which a word is rare, and above which it is frequent."""


def frequencies(words: Sequence[str]) -> NDArray[np.float64]:
    """Return the relative frequency of each word, ``(words,)``; 0 for one that is not listed."""
    get = _word_list().get
    return np.array([get(word, 0.0) for word in words])


def information(word: str) -> float:
    """Return how much a word tells, in nats, relative to the rarest: a weight in (0, 1]."""
    return math.log(max(_word_list().get(word, 0.0), UNKNOWN)) / math.log(UNKNOWN)


@functools.lru_cache(maxsize=1)
def _word_list() -> Mapping[str, float]:
    """Return what ``wordfreq.get_frequency_dict("en", "best")`` does, in half the time.

    The file is wordfreq's "cBpack": behind a header, lists of words; those of list n occur 10 ** (-n / 100) times a
    word. Where its form is another one, wordfreq itself reads it.
    """
    spec = find_spec("wordfreq")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(folder, "data", "large_en.msgpack.gz")
        if file.is_file():
            import msgpack

            header, *lists = msgpack.unpackb(gzip.decompress(file.read_bytes()), raw=False)
            if header == {"format": "cB", "version": 1}:
                found: dict[str, float] = {}
                for place, equally_frequent in enumerate(lists):
                    found.update(dict.fromkeys(equally_frequent, 10 ** (-place / 100)))
                return found
    import wordfreq

    listed: Mapping[str, float] = wordfreq.get_frequency_dict("en", "best")
    return listed
