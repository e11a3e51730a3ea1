"""English words by how often they occur: the large list of wordfreq, which plugins require."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

from meteor_e.base.errors import ConfigError
from meteor_e.base.extras import require

_HEADER = b"\xdc\x03!\x82\xa6format\xa2cB\xa7version\x01"
"""Begins the file: a list of 801 items in msgpack, the first of which names the format."""


def word_lists(what: str, distribution: str) -> bytes:
    """Return 800 lists of words in msgpack; words of list n have the frequency 10 ** (-n / 100).

    The file is read without the import of wordfreq, which takes longer.

    Args:
        what: what needs it, for the message.
        distribution: of ours, that requires wordfreq.

    Raises:
        ConfigError: if wordfreq is not installed, or another version.
    """
    spec = find_spec("wordfreq")
    if spec is None:
        require("wordfreq", what, distribution=distribution)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        content = gzip.decompress(Path(folder, "data", "large_en.msgpack.gz").read_bytes())
        if content.startswith(_HEADER):
            return content[len(_HEADER) :]
    raise ConfigError("the list of English words is not that of wordfreq 3.1; run: pip install 'wordfreq==3.1.1'")


def decoded_word_lists(what: str, distribution: str) -> list[list[str]]:
    """Return the lists of words; arguments and errors as for :func:`word_lists`."""
    import msgspec

    found: list[list[str]] = msgspec.msgpack.decode(_HEADER + word_lists(what, distribution))[1:]
    return found
