"""How often English words occur: wordfreq's large list."""

from __future__ import annotations

import functools
import gzip
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from meteor_e.base.extras import require


class Frequencies(NamedTuple):
    """Words by how often they occur: all that are listed, once in a million words and more, more than in a thousand."""

    listed: frozenset[str]
    usual: frozenset[str]
    frequent: frozenset[str]


@functools.cache
def frequencies() -> Frequencies:
    """Read the list, without the import of wordfreq, which takes longer.

    The file is wordfreq's "cBpack": behind a header, lists of words; those of list n occur 10 ** (-n / 100) times a
    word. Where its form is another one, wordfreq itself reads it.

    Raises:
        ConfigError: if wordfreq is not installed.
    """
    spec = find_spec("wordfreq")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(folder, "data", "large_en.msgpack.gz")
        if file.is_file():
            import msgpack

            header, *lists = msgpack.unpackb(gzip.decompress(file.read_bytes()), raw=False)
            if header == {"format": "cB", "version": 1}:
                return Frequencies(*(frozenset(chain.from_iterable(lists[:end])) for end in (None, 601, 300)))
    wordfreq = require("wordfreq", "feature 'text'", distribution="meteor-e-learned")
    words = wordfreq.get_frequency_dict("en", "best")
    usual = frozenset(word for word, share in words.items() if share >= 1e-6)
    return Frequencies(frozenset(words), usual, frozenset(word for word in usual if words[word] > 1e-3))
