"""Frequencies of English words: wordfreq's large list."""

from __future__ import annotations

import functools
import gzip
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from meteor_e.api import ConfigError
from meteor_e.base.extras import require

USUAL, FREQUENT = 601, 300
"""Numbers of lists with words that occur at least once in a million words, and more than once in a thousand."""
_HEADER = b"\xdc\x03!\x82\xa6format\xa2cB\xa7version\x01"


class Frequencies(NamedTuple):
    """Words by how often they occur: all that are listed, the usual and the frequent ones."""

    listed: frozenset[str]
    usual: frozenset[str]
    frequent: frozenset[str]


def word_lists() -> bytes:
    """Return 800 lists of words in msgpack; words of list n have the frequency 10 ** (-n / 100).

    The file is read without the import of wordfreq, which takes longer.

    Raises:
        ConfigError: if wordfreq is not installed, or another version.
    """
    spec = find_spec("wordfreq")
    if spec is None:
        require("wordfreq", "feature 'text'", distribution="meteor-e-learned")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        content = gzip.decompress(Path(folder, "data", "large_en.msgpack.gz").read_bytes())
        if content.startswith(_HEADER):
            return content[len(_HEADER) :]
    raise ConfigError("the list of English words is not that of wordfreq 3.1; run: pip install 'wordfreq==3.1.1'")


@functools.cache
def frequencies() -> Frequencies:
    """Return the words as sets; errors as :func:`word_lists`."""
    import msgspec

    _, *lists = msgspec.msgpack.decode(_HEADER + word_lists())
    return Frequencies(*(frozenset(chain.from_iterable(lists[:end])) for end in (None, USUAL, FREQUENT)))
