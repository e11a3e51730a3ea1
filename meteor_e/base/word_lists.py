"""Read the large English word list of wordfreq, which groups words by frequency. Some plugins require the list."""

from __future__ import annotations

import gzip
from importlib.util import find_spec
from pathlib import Path

from meteor_e.base.errors import ConfigError
from meteor_e.base.extras import how_to_install

_HEADER = b"\xdc\x03!\x82\xa6format\xa2cB\xa7version\x01"
"""The first bytes of the file, which begin a list of 801 items in msgpack. The first item names the format."""


def read_word_lists(purpose: str, distribution: str) -> bytes:
    """Return 800 lists of English words, encoded as msgpack and sorted by decreasing word frequency.

    All words in list n, counted from 0, have the frequency 10 ** (-n / 100).

    The data file of wordfreq is read directly, because importing wordfreq would take longer.

    Args:
        purpose: the component that needs the words, for the error message.
        distribution: the distribution of this project that requires wordfreq.

    Raises:
        ConfigError: if wordfreq is not installed or has another version.
    """
    spec = find_spec("wordfreq")
    if spec is None:
        advice = how_to_install(distribution)
        raise ConfigError(f"{purpose} needs wordfreq, which is not installed; {advice}")
    package_folder = Path(spec.origin or "").parent
    content = gzip.decompress((package_folder / "data" / "large_en.msgpack.gz").read_bytes())
    if not content.startswith(_HEADER):
        raise ConfigError("the English word list is not from wordfreq 3.1; run: pip install 'wordfreq==3.1.1'")
    return content.removeprefix(_HEADER)


def load_word_lists(purpose: str, distribution: str) -> list[list[str]]:
    """Return the word lists of :func:`read_word_lists` as Python lists. Arguments and errors are the same."""
    import msgspec

    header_and_lists: list[list[str]] = msgspec.msgpack.decode(_HEADER + read_word_lists(purpose, distribution))
    return header_and_lists[1:]
