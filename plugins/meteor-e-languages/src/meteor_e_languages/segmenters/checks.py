"""What the segmenters have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from meteor_e.api import PluginError

_SPACE = re.compile(r"[\s\0]+")
_SURROGATES = re.compile("([\ud800-\udfff])")


def spaced(text: str) -> str:
    """Return a text whose white space, and what a C library takes for its end, are single spaces."""
    return _SPACE.sub(" ", text)


def check_words(name: str, text: str, words: Sequence[str]) -> list[str]:
    """Return the words without white space; :class:`PluginError` if a library has lost or made up characters."""
    found = [word for word in (_SPACE.sub("", word) for word in words) if word]
    if "".join(found) != _SPACE.sub("", text):
        raise PluginError(f"{name} has changed the text that begins with {text[:20]!r}")
    return found


def words_of(name: str, text: str, split: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the words that a library finds, which is given UTF-8: each lone surrogate is a word of its own.

    Raises:
        PluginError: if the library has lost or made up characters.
    """
    words: list[str] = []
    for part in filter(None, _SURROGATES.split(spaced(text))):
        words += [part] if _SURROGATES.match(part) else split(part)
    return check_words(name, text, words)
