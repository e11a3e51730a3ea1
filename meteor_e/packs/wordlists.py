"""Function words and nonbreaking prefixes: small text files, read whole."""

from __future__ import annotations

import os
import re
from pathlib import Path

from meteor_e.api.languages import NonbreakingPrefixes
from meteor_e.base.errors import ResourceError
from meteor_e.base.files import read_regular

MAX_SIZE = 64 << 20
"""Bytes that a word list may hold."""

_NUMERIC = re.compile(r"(.*?)\s+#NUMERIC_ONLY#")


def read_function_words(path: str | os.PathLike[str]) -> frozenset[str]:
    """Return the words of a list that has one a line; :class:`ResourceError` if it cannot be read."""
    return parse_function_words(_text(Path(path)))


def read_prefixes(path: str | os.PathLike[str]) -> NonbreakingPrefixes:
    """Return the prefixes of a list in METEOR's (and Moses') format.

    One a line; ``#`` begins a comment line. ``PREFIX #NUMERIC_ONLY#`` is a prefix only before digits.
    Raises :class:`ResourceError` if it cannot be read.
    """
    return parse_prefixes(_text(Path(path)))


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


def _text(path: Path) -> str:
    try:
        data = read_regular(path, MAX_SIZE)
    except OSError as error:
        raise ResourceError(f"cannot read the word list {path}: {error.strerror}") from error
    return decode(data, str(path))


def decode(data: bytes, name: str) -> str:
    """Return a word list's text; :class:`ResourceError` names the line that is not UTF-8."""
    if len(data) > MAX_SIZE:
        raise ResourceError(f"{name} holds more than {MAX_SIZE >> 20} MiB; that is no word list")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ResourceError(f"{name}, line {line}: not valid UTF-8") from None
