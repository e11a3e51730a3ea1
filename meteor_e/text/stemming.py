"""Snowball stems as in METEOR 1.5, which uses an older release of Snowball.

The library ``py_rust_stemmers`` contains a newer release. In addition, METEOR is a Java program, in which a character
outside of the Basic Multilingual Plane counts as two. One function per language corrects the differences, so that the
stems of all strings are those of METEOR. The corrections:

* **Finnish** shortens any doubled non-vowel at the end of a stem. The newer release shortens only consonants of the
  alphabet.
* **Finnish** also accepts any non-vowel as the consonant before a case ending. Its endings ``-den``, ``-seen``,
  ``-siin`` and ``-tten`` have the effect of ``-n``.
* **Dutch** lets the first region start at the third *character* at the earliest. The newer release counts the bytes of
  UTF-8.
* **French** treats ``ë`` and ``ï`` like other vowels. The newer release marks them as a hiatus, and interprets every
  ``H`` as such a mark.
* **German** keeps the second ``s`` of ``-nisse``.
* **Hungarian** has ``õ`` and ``û`` instead of ``ő`` and ``ű`` in its rules, because Latin-2 was read as Latin-1.
* **Portuguese** has the endings ``-logía`` and ``-ución`` instead of ``-logia`` and ``-ução``.
* **Russian** keeps ``ё``. The newer release changes it to ``е``.

The corrections were found by comparing the stems of millions of real and artificial words.
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

_MAX_QUADRATIC = 1000
"""Characters of a word for which quadratic time is acceptable. Snowball needs quadratic time to remove accents, so they
are removed from longer words beforehand."""


def _unmask(word: str, masked: str, stem: str) -> str:
    """Replace the masks in the stem of a masked word by the letters of the word.

    The letters used as masks must not occur in any suffix that the rules of the language remove, replace or add.
    Therefore, a mask in the stem is the mask at the same position of the masked word.
    """
    letters = zip(word, masked, stem, strict=False)
    return "".join(letter if mask == stemmed else stemmed for letter, mask, stemmed in letters) + stem[len(word) :]


def _stem_masked(table: dict[int, int], word: str, stem: _Stem) -> str:
    """Stem a word while some of its letters are masked by others."""
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
    # The first region starts after the third letter, so no rule changes the first two letters.
    masked = word[0].replace("è", "e") + (word[1] if word[1].isascii() else "x") + word[2:]
    return _unmask(word, masked, stem(masked))


# -- Finnish -----------------------------------------------------------------------------------------------

_FINNISH_MASKED = re.compile("([^abce-zäö])\\1*|(?<!s)s+(?=een|iin)|(?<!t)tt+(?=en)")
_FINNISH_MASKS = "bcfgqwxz"


def _finnish(word: str, stem: _Stem) -> str:
    """Mask characters that are not in the alphabet, and the consonants of the four endings that have the effect of -n.

    Equal neighbors get the same mask and different neighbors get different masks, because of the rule on doubled
    letters.
    """
    masked, end = "", 0
    for run in _FINNISH_MASKED.finditer(word):
        masked += word[end : run.start()]
        end = run.end()
        neighbors = masked[-1:] + word[end : end + 1]
        masked += next(mask for mask in _FINNISH_MASKS if mask not in neighbors) * (end - run.start())
    masked += word[end:]
    return _unmask(word, masked, stem(masked)) if end else stem(word)


# -- French ------------------------------------------------------------------------------------------------

_FRENCH_MASKS = str.maketrans("ëïH", "êêh")


def _french(word: str, stem: _Stem) -> str:
    if word.endswith(("guë", "guës")):
        # This is the only rule for ë: it is removed like e, but only if gu is in the region of verb endings. The ending
        # -ie has the same condition on the letter before it, so it shows whether the condition holds.
        start, end = word[: word.rindex("guë")], word[word.rindex("guë") + 3 :]
        if _stem_masked(_FRENCH_MASKS, start + "kie", stem).endswith("k"):
            word = start + "gue" + end
    return _stem_masked(_FRENCH_MASKS, word, stem)


# -- German ------------------------------------------------------------------------------------------------

_GERMAN_MASKS = str.maketrans("äöü", "aaa")
_GERMAN_FOLDED = str.maketrans("äöüUY", "aouuy")


def _german(word: str, stem: _Stem) -> str:
    word = word.replace("ß", "ss")
    if len(word) <= _MAX_QUADRATIC:
        result = stem(word)
    else:  # German rules only remove suffixes and fold letters.
        result = word.translate(_GERMAN_FOLDED)[: len(stem(word.translate(_GERMAN_MASKS)))]
    return result + "s" if result.endswith("nis") and word.endswith(("nisse", "nissen", "nisses")) else result


# -- Hungarian ---------------------------------------------------------------------------------------------

_HUNGARIAN_LETTERS = str.maketrans("őűõû", "õûőű")


def _hungarian(word: str, stem: _Stem) -> str:
    return stem(word.translate(_HUNGARIAN_LETTERS)).translate(_HUNGARIAN_LETTERS)


# -- Portuguese --------------------------------------------------------------------------------------------

_PORTUGUESE_ENDINGS = {
    # Endings of METEOR's release, with their stems.
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
    if "~" in word:  # Snowball marks nasal vowels in this way.
        word = word.replace("a~", "ã").replace("o~", "õ")
    match = _PORTUGUESE_ENDING.search(word)
    if not match:
        return stem(word)
    start, replacement = word[: match.start()], _PORTUGUESE_ENDINGS[match[1]]
    if len(replacement) == len(match[1]):
        return _unmask(word, start + replacement, stem(start + replacement))
    # All these endings, of both releases, are removed in the same region.
    return start + replacement if stem(start + "ução") == start + "u" else stem(word)


# -- Russian -----------------------------------------------------------------------------------------------

_RUSSIAN_MASKS = str.maketrans("ё", "б")


def _russian(word: str, stem: _Stem) -> str:
    return _stem_masked(_RUSSIAN_MASKS, word, stem)


# -- Spanish -----------------------------------------------------------------------------------------------

_SPANISH_ACUTES = str.maketrans("áéíóú", "aeiou")


def _spanish(word: str, stem: _Stem) -> str:
    if len(word) > _MAX_QUADRATIC:  # Accents are removed in the last step; earlier steps only see those of suffixes.
        word = word[:-_MAX_QUADRATIC].translate(_SPANISH_ACUTES) + word[-_MAX_QUADRATIC:]
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
"""The corrections. For the other languages, the stems of the library are those of METEOR."""

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
"""Words of each language with METEOR's stems, which detect a release of Snowball with other rules."""

STEMMERS: tuple[str, ...] = tuple(_PROBES)
"""The names of METEOR's stemmers: its languages except for Czech, which does not have one."""

_WIDE = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_SURROGATES = re.compile("([\U00100000-\U001003ff])([\U00100400-\U001007ff])?|[\U00100400-\U001007ff]")


def _split_surrogates(match: re.Match[str]) -> str:
    """Replace each UTF-16 code unit by a character that does not occur in any rule."""
    code = ord(match[0])
    if code < 0x10000:
        return chr(0x100000 + code - 0xD800)
    return chr(0x100000 + (code - 0x10000 >> 10)) + chr(0x100400 + (code & 0x3FF))


def _join_surrogates(match: re.Match[str]) -> str:
    """Undo :func:`_split_surrogates`."""
    if match[2]:
        return chr(0x10000 + ((ord(match[1]) & 0x3FF) << 10) + (ord(match[2]) & 0x3FF))
    return chr(0xD800 + (ord(match[0]) & 0x7FF))


class SnowballStemmer:
    """Maps words to stems, as METEOR 1.5 does. :func:`stemmer` creates it.

    A word is not changed before it is stemmed, so case matters: METEOR stems words after normalization, which usually
    lowercases them. Stemmers can be shared by threads and pickled. They do not cache any words.

    Args:
        name: one of :data:`STEMMERS`.

    Raises:
        ResourceError: if the library is not installed, or if its stems differ from METEOR's.
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
        return _SURROGATES.sub(_join_surrogates, self._stem(_WIDE.sub(_split_surrogates, word)))

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
"""The names of further stemmers, each with the distribution that contains it."""


def known_stemmers() -> tuple[str, ...]:
    """Return the names of all stemmers: those of METEOR, then the others."""
    return (*STEMMERS, *FURTHER_STEMMERS)


class _PerThread(threading.local):
    """A stemmer per thread, for libraries whose stemmers keep the current word in a buffer."""

    def __init__(self, distribution: str, name: str) -> None:
        self.stem: _Stem
        if distribution == "PyStemmer":
            # Without a cache (0 words), which would be slower than stemming; callers stem each distinct word once.
            self.stem = import_module("Stemmer").Stemmer(name, 0).stemWord
        else:
            # From its module, because the package returns stemmers of PyStemmer if that is installed.
            module = import_module(f"snowballstemmer.{name}_stemmer")
            self.stem = getattr(module, f"{name.capitalize()}Stemmer")().stemWord


class FurtherStemmer:
    """Maps words to stems, in a language that METEOR does not support. :func:`stemmer` creates it.

    A word with more than a thousand characters or with a lone surrogate is its own stem. Stemmers can be shared by
    threads and pickled.

    Args:
        name: one of :data:`FURTHER_STEMMERS`.

    Raises:
        ResourceError: if the library is not installed.
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
        if len(word) > _MAX_QUADRATIC:  # some stemmers take quadratic time
            return word
        try:
            return self._snowball.stem(word)
        except UnicodeEncodeError:
            return word

    def __reduce__(self) -> tuple[Any, ...]:
        return stemmer, (self.name,)


@cache
def stemmer(name: str) -> SnowballStemmer | FurtherStemmer:
    """Return the stemmer with a name; each call returns the same object.

    Args:
        name: one of :func:`known_stemmers`, which are usually the English name of the language in lowercase.

    Raises:
        ConfigError: for an unknown name.
        ResourceError: if its library is not installed, or if the stems differ from METEOR's.
    """
    if name in FURTHER_STEMMERS:
        return FurtherStemmer(name)
    if name not in STEMMERS:
        names = known_stemmers()
        raise ConfigError(f"unknown stemmer {name!r}{near_miss(name, names)}; known: {', '.join(names)}")
    return SnowballStemmer(name)
