"""How often English words occur: wordfreq's large list."""

from __future__ import annotations

import functools
import gzip
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from meteor_e.base.extras import require

RARE, FREQUENT = 1e-6, 1e-3
"""The relative frequencies below which a word is rare, and above which it is frequent."""


@functools.cache
def word_frequencies() -> Mapping[str, float]:
    """Return the relative frequency of each word.

    This is what ``wordfreq.get_frequency_dict("en", "best")`` does, without the import of wordfreq, which takes longer.
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
                found: dict[str, float] = {}
                for place, equally_frequent in enumerate(lists):
                    found.update(dict.fromkeys(equally_frequent, 10 ** (-place / 100)))
                return found
    wordfreq = require("wordfreq", "feature 'text'", distribution="meteor-e-learned")
    listed: Mapping[str, float] = wordfreq.get_frequency_dict("en", "best")
    return listed
