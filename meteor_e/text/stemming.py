"""Stems as METEOR 1.5 has them: those of the Snowball release of its day.

The library ``py_rust_stemmers`` does the work. Its Snowball is newer than METEOR's, and METEOR's, in Java, counts a
character outside the Basic Multilingual Plane as two. What differs is corrected around the library, one function per
language, so that the stems are METEOR's for any string. The corrections:

* **Finnish** shortens any doubled non-vowel at the end of a stem; the newer release only the consonants of the
  alphabet.
* **Finnish** also takes any non-vowel for the consonant before a case ending; its endings ``-den``, ``-seen``,
  ``-siin`` and ``-tten`` count as mere ``-n``.
* **Dutch** moves a first region that begins before the third *character* there; the newer release counts
  the bytes of UTF-8.
* **French** treats ``ë`` and ``ï`` as vowels like others; the newer release marks them as a hiatus, and
  then takes every ``H`` for such a mark.
* **German** keeps the second ``s`` of ``-nisse``.
* **Hungarian** has ``õ`` and ``û`` where its rules mean ``ő`` and ``ű``, as if Latin-2 were Latin-1.
* **Portuguese** has the endings ``-logía`` and ``-ución`` instead of ``-logia`` and ``-ução``.
* **Russian** leaves ``ё`` alone; the newer release makes it ``е``.

The rules come from comparing the stems of millions of words, real and made up.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from meteor_e.base.errors import ConfigError, ResourceError, near_miss

_Stem = Callable[[str], str]

_LONG = 1000
"""Longer words are relieved of accents beforehand, which Snowball removes in quadratic time."""


def _unmask(word: str, masked: str, stem: str) -> str:
    """Undo in the stem of a masked word what masking did to the word, letter by letter in place.

    The letters used as masks must stand in no suffix that the language's rules remove, replace or add.
    Then a mask that is found in the stem where it was in the masked word comes from there.
    """
    pairs = zip(word, masked, stem, strict=False)
    return "".join(old if new == got else got for old, new, got in pairs) + stem[len(word) :]


def _through(table: dict[int, int], word: str, stem: _Stem) -> str:
    """Stem a word with some of its letters masked by others."""
    masked = word.translate(table)
    return _unmask(word, masked, stem(masked)) if masked != word else stem(word)


# -- Dutch -------------------------------------------------------------------------------------------------

_DUTCH_ACCENTS = str.maketrans("äëïöüáéíóú", "aeiouaeiou")
_DUTCH_SHORT_REGION = re.compile("è[^aeouè]|[aeiou][^\x00-\x7fè]")


def _dutch(word: str, stem: _Stem) -> str:
    if word.isascii():
        return stem(word)
    word = word.translate(_DUTCH_ACCENTS)
    if not _DUTCH_SHORT_REGION.match(word):
        return stem(word)
    # With a region that begins after the third letter, no rule touches the first two.
    masked = word[0].replace("è", "e") + (word[1] if word[1].isascii() else "x") + word[2:]
    return _unmask(word, masked, stem(masked))


# -- Finnish -----------------------------------------------------------------------------------------------

_FINNISH_MASKED = re.compile("([^abce-zäö])\\1*|(?<!s)s+(?=een|iin)|(?<!t)tt+(?=en)")
_FINNISH_MASKS = "bcfgqwxz"


def _finnish(word: str, stem: _Stem) -> str:
    """Mask what is no letter of the alphabet, and the consonants of the four endings that have no effect.

    Equal neighbors get the same mask, different ones do not, for the rule on doubled letters.
    """
    masked, end = "", 0
    for run in _FINNISH_MASKED.finditer(word):
        masked += word[end : run.start()]
        end = run.end()
        neighbours = masked[-1:] + word[end : end + 1]
        masked += next(mask for mask in _FINNISH_MASKS if mask not in neighbours) * (end - run.start())
    masked += word[end:]
    return _unmask(word, masked, stem(masked)) if end else stem(word)


# -- French ------------------------------------------------------------------------------------------------

_FRENCH_MASKS = str.maketrans("ëïH", "êêh")


def _french(word: str, stem: _Stem) -> str:
    if word.endswith(("guë", "guës")):
        # Here alone ë has a rule of its own: it goes, as e does, but only if gu is in the region where
        # verbs end. The ending -ie has the same condition on the letter before it, so it can tell.
        start, end = word[: word.rindex("guë")], word[word.rindex("guë") + 3 :]
        if _through(_FRENCH_MASKS, start + "kie", stem).endswith("k"):
            word = start + "gue" + end
    return _through(_FRENCH_MASKS, word, stem)


# -- German ------------------------------------------------------------------------------------------------

_GERMAN_MASKS = str.maketrans("äöü", "aaa")
_GERMAN_FOLDED = str.maketrans("äöüUY", "aouuy")


def _german(word: str, stem: _Stem) -> str:
    word = word.replace("ß", "ss")
    if len(word) <= _LONG:
        found = stem(word)
    else:  # German only cuts off, except for the letters that it folds.
        found = word.translate(_GERMAN_FOLDED)[: len(stem(word.translate(_GERMAN_MASKS)))]
    return found + "s" if found.endswith("nis") and word.endswith(("nisse", "nissen", "nisses")) else found


# -- Hungarian ---------------------------------------------------------------------------------------------

_HUNGARIAN_LETTERS = str.maketrans("őűõû", "õûőű")


def _hungarian(word: str, stem: _Stem) -> str:
    return stem(word.translate(_HUNGARIAN_LETTERS)).translate(_HUNGARIAN_LETTERS)


# -- Portuguese --------------------------------------------------------------------------------------------

_PORTUGUESE_ENDINGS = {
    # Endings of the old release, with what they leave.
    **dict.fromkeys(("logía", "logías"), "log"),
    **dict.fromkeys(("ución", "uciones"), "u"),
    # Endings of the newer release, with their first letter masked.
    "logia": "kogia",
    "logias": "kogias",
    "ução": "ôção",
    "uções": "ôções",
}
_PORTUGUESE_ENDING = re.compile(f"({'|'.join(_PORTUGUESE_ENDINGS)})\\Z")


def _portuguese(word: str, stem: _Stem) -> str:
    if "~" in word:  # PyStemmer's own marks for nasal vowels, which it turns into letters.
        word = word.replace("a~", "ã").replace("o~", "õ")
    match = _PORTUGUESE_ENDING.search(word)
    if not match:
        return stem(word)
    start, other = word[: match.start()], _PORTUGUESE_ENDINGS[match[1]]
    if len(other) == len(match[1]):
        return _unmask(word, start + other, stem(start + other))
    # All these endings, old and new, go in the same region.
    return start + other if stem(start + "ução") == start + "u" else stem(word)


# -- Russian -----------------------------------------------------------------------------------------------

_RUSSIAN_MASKS = str.maketrans("ё", "б")


def _russian(word: str, stem: _Stem) -> str:
    return _through(_RUSSIAN_MASKS, word, stem)


# -- Spanish -----------------------------------------------------------------------------------------------

_SPANISH_ACUTES = str.maketrans("áéíóú", "aeiou")


def _spanish(word: str, stem: _Stem) -> str:
    if len(word) > _LONG:  # Accents go in the end, and before it only count in suffixes.
        word = word[:-_LONG].translate(_SPANISH_ACUTES) + word[-_LONG:]
    return stem(word)


# ----------------------------------------------------------------------------------------------------------


_RULES: dict[str, Callable[[str, _Stem], str]] = {
    "dutch": _dutch,
    "finnish": _finnish,
    "french": _french,
    "german": _german,
    "hungarian": _hungarian,
    "portuguese": _portuguese,
    "russian": _russian,
    "spanish": _spanish,
}
"""The corrections; the library stems the other languages as METEOR does."""

_PROBES: dict[str, dict[str, str]] = {
    "danish": {"hund'": "hund'", "løww": "løw", "ba!!!": "ba!!"},
    "dutch": {"één": "een", "taie": "tai", "ère": "ère"},
    "english": {"jying": "jy", "oncologists": "oncologist", "organizers": "organ"},
    "finnish": {"vanhin": "vanhin", "jååhön": "jååhön", "ba!!!": "ba!!"},
    "french": {"l'ami": "l'am", "naïvement": "naïv", "Hé": "Hé"},
    "german": {"koennen": "koenn", "hund'": "hund'", "ereignisse": "ereigniss"},
    "hungarian": {"házból": "ház", "kõbõl": "kõ"},
    "italian": {"l'amico": "l'amic", "gatti": "gatt"},
    "norwegian": {"jeers": "jeer", "hund'": "hund'"},
    "portuguese": {"evolução": "evoluçã", "evolución": "evolu"},
    "romanian": {"aş": "aş", "copiilor": "cop"},
    "russian": {"перелётами": "перелёт", "книгами": "книг"},
    "spanish": {"gatos": "gat", "canciones": "cancion", "asociacion": "asociacion"},
    "swedish": {"malöst": "malöst", "filet": "filet"},
    "turkish": {"ali'": "ali'", "evlerinde": "ev"},
}
"""A few words per language with METEOR's stems, by which a release of Snowball that differs gives itself away."""

STEMMERS: tuple[str, ...] = tuple(_PROBES)
"""The names of the stemmers: METEOR 1.5's languages but Czech, which has none."""

_WIDE = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_HALVES = re.compile("([\U00100000-\U001003ff])([\U00100400-\U001007ff])?|[\U00100400-\U001007ff]")


def _halve(match: re.Match[str]) -> str:
    """Stand in for a UTF-16 code unit with a character that no rule knows, two for a wide character."""
    code = ord(match[0])
    if code < 0x10000:
        return chr(0x100000 + code - 0xD800)
    return chr(0x100000 + (code - 0x10000 >> 10)) + chr(0x100400 + (code & 0x3FF))


def _join(match: re.Match[str]) -> str:
    """Undo :func:`_halve`."""
    if match[2]:
        return chr(0x10000 + ((ord(match[1]) & 0x3FF) << 10) + (ord(match[2]) & 0x3FF))
    return chr(0xD800 + (ord(match[0]) & 0x7FF))


class SnowballStemmer:
    """Word → stem in one language, equal to METEOR 1.5's. Get one from :func:`stemmer`.

    Case and everything else in the word count as they stand: METEOR stems words after normalization, which
    usually has lowercased them. Objects may be shared by threads, and pickled. They keep no words.

    Args:
        name: one of :data:`STEMMERS`.

    Raises:
        ResourceError: if the library is not installed, or its stems are not METEOR's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        install = "run: pip install 'py-rust-stemmers>=0.1.8'"
        try:
            snowball: _Stem = import_module("py_rust_stemmers").SnowballStemmer(name).stem_word
        except (ImportError, ValueError) as error:
            raise ResourceError(f"the {name} stemmer needs py-rust-stemmers ({error}); {install}") from error
        rule = _RULES.get(name)
        self._stem: _Stem = snowball if rule is None else lambda word: rule(word, snowball)
        for word, expected in _PROBES[name].items():
            if self(word) != expected:
                raise ResourceError(
                    f"the installed py-rust-stemmers has {self(word)!r} for {word!r} in {name}, not {expected!r} as "
                    f"METEOR does; {install}"
                )

    def __call__(self, word: str) -> str:
        """Return the stem of a word."""
        if word.isascii() or not _WIDE.search(word):
            return self._stem(word)
        return _HALVES.sub(_join, self._stem(_WIDE.sub(_halve, word)))

    def __reduce__(self) -> tuple[Any, ...]:
        return stemmer, (self.name,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


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


def known_stemmers() -> tuple[str, ...]:
    """Return the names of all stemmers: METEOR's, then the others."""
    return (*STEMMERS, *FURTHER_STEMMERS)


class _PerThread(threading.local):
    """A stemmer for each thread, for libraries that keep the word at work in a buffer of their own."""

    def __init__(self, distribution: str, name: str) -> None:
        self.stem: _Stem
        if distribution == "PyStemmer":
            # Its cache (0 words) is slower than stemming again; and callers stem a distinct word once.
            self.stem = import_module("Stemmer").Stemmer(name, 0).stemWord
        else:
            # By its module: the package itself hands out PyStemmer's, where that is installed.
            module = import_module(f"snowballstemmer.{name}_stemmer")
            self.stem = getattr(module, f"{name.capitalize()}Stemmer")().stemWord


class FurtherStemmer:
    """Word → stem in a language that METEOR never had. Get one from :func:`stemmer`.

    A word of more than a thousand characters, or with half a surrogate pair, is its own stem. Objects may be shared by
    threads, and pickled.

    Args:
        name: one of :data:`FURTHER_STEMMERS`.

    Raises:
        ResourceError: if its library is not installed.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        from importlib import metadata

        distribution = FURTHER_STEMMERS[name]
        try:
            self._snowball = _PerThread(distribution, name)
        except (ImportError, KeyError, AttributeError) as error:
            package = "PyStemmer>=2.2" if distribution == "PyStemmer" else "meteor_e[stemmers]"
            raise ResourceError(
                f"the {name} stemmer needs {distribution}, which is not installed or does not have it; "
                f"run: pip install '{package}'"
            ) from error
        self.version = f"{distribution} {metadata.version(distribution)}"

    def __call__(self, word: str) -> str:
        """Return the stem of a word."""
        if len(word) > _LONG:  # the time that some stemmers take grows with the square
            return word
        try:
            return self._snowball.stem(word)
        except UnicodeEncodeError:
            return word

    def __reduce__(self) -> tuple[Any, ...]:
        return stemmer, (self.name,)


@cache
def stemmer(name: str) -> SnowballStemmer | FurtherStemmer:
    """Return METEOR's stemmer of that name, or one that it never had; the same object at every call.

    Args:
        name: one of :func:`known_stemmers`, mostly the language's English name in lowercase.

    Raises:
        ConfigError: for an unknown name.
        ResourceError: if its library is not installed, or its stems are not METEOR's.
    """
    if name in FURTHER_STEMMERS:
        return FurtherStemmer(name)
    if name not in STEMMERS:
        known = known_stemmers()
        raise ConfigError(f"unknown stemmer {name!r}{near_miss(name, known)}; known: {', '.join(known)}")
    return SnowballStemmer(name)
