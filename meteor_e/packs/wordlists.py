"""Function words and nonbreaking prefixes: small text files, read whole."""

from __future__ import annotations

import os
import re

from meteor_e.api.languages import NonbreakingPrefixes
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import decode_utf8, os_errors_as, read_regular

MAX_SIZE = 64 << 20
"""Bytes that a word list may hold."""

_NUMERIC = re.compile(r"(.*?)\s+#NUMERIC_ONLY#")


def read_function_words(path: str | os.PathLike[str]) -> frozenset[str]:
    """Return the words of a list that has one a line; :class:`ResourceError` if it cannot be read."""
    return parse_function_words(_text(path))


def read_prefixes(path: str | os.PathLike[str]) -> NonbreakingPrefixes:
    """Return the prefixes of a list in METEOR's (and Moses') format.

    One a line; ``#`` begins a comment line. ``PREFIX #NUMERIC_ONLY#`` is a prefix only before digits.
    Raises :class:`ResourceError` if it cannot be read.
    """
    return parse_prefixes(_text(path))


def parse_function_words(text: str) -> frozenset[str]:
    """Return the words of a list's text. Spaces belong to the word, as in the Java program."""
    return frozenset(word for word in re.split(r"\r\n|\n|\r", text) if word)


def parse_prefixes(text: str) -> NonbreakingPrefixes:
    """Return the prefixes of a list's text."""
    always, numeric = set(), set()
    for line in re.split(r"[\r\n]", text):
        prefix = line.strip()
        if not prefix or prefix.startswith("#"):
            continue
        marked = _NUMERIC.match(prefix)
        if marked:
            numeric.add(marked[1])
        else:
            always.add(prefix)
    return NonbreakingPrefixes(frozenset(always), frozenset(numeric))


def _text(path: str | os.PathLike[str]) -> str:
    with os_errors_as(ResourceError, f"cannot read the word list {os.fspath(path)}"):
        return decode_utf8(read_regular(path, MAX_SIZE), os.fspath(path))
