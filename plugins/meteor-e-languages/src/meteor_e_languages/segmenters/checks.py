"""Functions that all segmenters use."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from meteor_e.api import PluginError

_SPACE = re.compile(r"[\s\0]+")
_SURROGATES = re.compile("([\ud800-\udfff])")


def normalize_spaces(text: str) -> str:
    """Replace white space and null characters by single spaces. A null character would end a string in C."""
    return _SPACE.sub(" ", text)


def check_words(name: str, text: str, words: Sequence[str]) -> list[str]:
    """Return the words without white space.

    Raises:
        PluginError: if the words do not contain the same characters as the text.
    """
    stripped_words = [_SPACE.sub("", word) for word in words]
    nonempty_words = [word for word in stripped_words if word]
    if "".join(nonempty_words) != _SPACE.sub("", text):
        raise PluginError(f"{name} has changed the text that begins with {text[:20]!r}")
    return nonempty_words


def segment_text(name: str, text: str, split: Callable[[str], Sequence[str]]) -> list[str]:
    """Return the words of a text. Lone surrogates, which the libraries reject, become separate words.

    Args:
        name: the name of the library, for error messages.
        text: the text.
        split: returns the words of a text without lone surrogates.

    Raises:
        PluginError: if the words do not contain the same characters as the text.
    """
    words: list[str] = []
    for part in _SURROGATES.split(normalize_spaces(text)):
        if _SURROGATES.match(part):
            words.append(part)
        elif part:
            words += split(part)
    return check_words(name, text, words)
