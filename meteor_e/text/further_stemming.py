"""Stemmers of Snowball for languages that METEOR never had.

Most are PyStemmer's; what Snowball gained since, Polish above all, is
in the package ``snowballstemmer``, an extra. Their stems are as the release has them, which the signature names.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module, metadata
from typing import Any

from meteor_e.base.errors import ConfigError, ResourceError, near_miss
from meteor_e.text.stemming import STEMMERS, stemmer

FURTHER_STEMMERS: dict[str, str] = {
    **dict.fromkeys(
        (
            *("arabic", "armenian", "basque", "catalan", "greek", "hindi", "indonesian", "irish", "lithuanian"),
            *("nepali", "serbian", "tamil", "yiddish"),
        ),
        "PyStemmer",
    ),
    **dict.fromkeys(("czech", "esperanto", "estonian", "persian", "polish", "sesotho"), "snowballstemmer"),
}
"""Stemmers by name, with the distribution that they are from."""

_LONGEST = 1000
"""Characters of the longest word that is stemmed; the time that some stemmers take grows with the square."""


def known_stemmers() -> tuple[str, ...]:
    """Return the names of all stemmers: METEOR's, then the others."""
    return (*STEMMERS, *FURTHER_STEMMERS)


class _PerThread(threading.local):
    """A stemmer a thread, for each keeps the word at work in itself."""

    def __init__(self, name: str) -> None:
        distribution = FURTHER_STEMMERS[name]
        try:
            if distribution == "PyStemmer":
                made = import_module("Stemmer").Stemmer(name, 0)
            else:
                # By its module: the package itself hands out PyStemmer's, where that is installed.
                module = import_module(f"snowballstemmer.{name}_stemmer")
                made = getattr(module, f"{name.capitalize()}Stemmer")()
        except (ImportError, KeyError, AttributeError) as error:
            package = "PyStemmer>=2.2" if distribution == "PyStemmer" else "meteor_e[stemmers]"
            raise ResourceError(
                f"the {name} stemmer needs {distribution}, which is not installed or does not have it; "
                f"run: pip install '{package}'"
            ) from error
        self.stem: Callable[[str], str] = made.stemWord


class FurtherStemmer:
    """Word → stem in a language that METEOR never had. Get one from :func:`any_stemmer`.

    A word of more than a thousand characters, or with half a surrogate pair, is its own stem. Objects may be shared by
    threads, and pickled.

    Args:
        name: one of :data:`FURTHER_STEMMERS`.

    Raises:
        ResourceError: if its library is not installed.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._snowball = _PerThread(name)
        self.version = f"{FURTHER_STEMMERS[name]} {metadata.version(FURTHER_STEMMERS[name])}"

    def __call__(self, word: str) -> str:
        """Return the stem of a word."""
        if len(word) > _LONGEST:
            return word
        try:
            return self._snowball.stem(word)
        except UnicodeEncodeError:
            return word

    def __reduce__(self) -> tuple[Any, ...]:
        return _further, (self.name,)


@cache
def _further(name: str) -> FurtherStemmer:
    return FurtherStemmer(name)


def any_stemmer(name: str) -> Callable[[str], str]:
    """Return METEOR's stemmer of that name, or one that it never had.

    Raises:
        ConfigError: for an unknown name.
        ResourceError: if its library is missing.
    """
    if name in FURTHER_STEMMERS:
        return _further(name)
    if name not in STEMMERS:
        known = known_stemmers()
        raise ConfigError(f"unknown stemmer {name!r}{near_miss(name, known)}; known: {', '.join(known)}")
    return stemmer(name)
