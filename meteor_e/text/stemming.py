"""Snowball stemmers with the same stems as METEOR 1.5, which uses an older release of Snowball.

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
from functools import cache, partial
from importlib import import_module
from typing import Any

from meteor_e.base.errors import ConfigError, ResourceError, near_miss

_Stem = Callable[[str], str]

_MAX_QUADRATIC = 1000
"""The length of a word up to which quadratic time is acceptable. Snowball needs quadratic time to remove accents, so
accents are removed from longer words beforehand."""


def _unmask(word: str, masked_word: str, stem: str) -> str:
    """Replace each mask letter in a stem with the original letter of the word.

    Before stemming, mask letters replaced some letters of the word. The stemming rules of the language do not change
    mask letters, so each mask letter has the same position in the stem as in the masked word.

    Args:
        word: the word.
        masked_word: the word in which masks replace some letters.
        stem: the stem of the masked word.
    """
    letters = [
        original if letter == mask else letter for letter, mask, original in zip(stem, masked_word, word, strict=False)
    ]
    # If the stem is longer than the word, the last letters of the stem are not masks.
    return "".join(letters) + stem[len(letters) :]


def _stem_masked(table: dict[int, int], word: str, stem_word: _Stem) -> str:
    """Replace some letters of a word before stemming, and restore the original letters in the stem."""
    masked = word.translate(table)
    return _unmask(word, masked, stem_word(masked)) if masked != word else stem_word(word)


# -- Dutch --

_DUTCH_ACCENTS = str.maketrans("äëïöüáéíóú", "aeiouaeiou")
_DUTCH_SHORT_REGION = re.compile("è[^aeouè]|[aeiou][^\x00-\x7fè]")


def _dutch(word: str, stem_word: _Stem) -> str:
    if word.isascii():
        return stem_word(word)
    word = word.translate(_DUTCH_ACCENTS)
    if not _DUTCH_SHORT_REGION.match(word):
        return stem_word(word)
    # Stemming rules only apply after the third letter, so they never change the first two letters.
    masked = word[0].replace("è", "e") + (word[1] if word[1].isascii() else "x") + word[2:]
    return _unmask(word, masked, stem_word(masked))


# -- Finnish --

_FINNISH_MASKED = re.compile("(?P<letter>[^abce-zäö])(?P=letter)*|(?<!s)s+(?=een|iin)|(?<!t)tt+(?=en)")
_FINNISH_PARTS = re.compile(f"(?P<masked>{_FINNISH_MASKED.pattern})|.", re.DOTALL)
_FINNISH_MASKS = "bcfgqwxz"


def _finnish(word: str, stem_word: _Stem) -> str:
    """Stem a Finnish word. To get the same stem as METEOR 1.5, replace some letters with mask letters before stemming.

    If equal letters are adjacent, the same mask letter replaces all of them. The mask letter differs from the letters
    before and after them, so the replacement neither creates nor removes double letters. For example, ``å`` is replaced
    and ``ö`` is not, so ``jååhön`` becomes ``jbbhön``.
    """
    if not _FINNISH_MASKED.search(word):
        return stem_word(word)
    masked_word = ""
    for part in _FINNISH_PARTS.finditer(word):
        if part["masked"]:
            next_letter = word[part.end() : part.end() + 1]
            neighbors = masked_word[-1:] + next_letter
            mask = next(letter for letter in _FINNISH_MASKS if letter not in neighbors)
            masked_word += mask * len(part["masked"])
        else:
            masked_word += part[0]
    stem = stem_word(masked_word)
    return _unmask(word, masked_word, stem)


# -- French --

_FRENCH_MASKS = str.maketrans("ëïH", "êêh")


def _french(word: str, stem_word: _Stem) -> str:
    if word.endswith(("guë", "guës")):
        # If "gu" is in the region of verb endings, METEOR's version of Snowball removes a final ë as well as a final e.
        # A test word with -kie instead of -guë reveals this region: every version of Snowball removes -ie there.
        start, _, end = word.rpartition("guë")
        if _stem_masked(_FRENCH_MASKS, start + "kie", stem_word).endswith("k"):
            word = start + "gue" + end
    return _stem_masked(_FRENCH_MASKS, word, stem_word)


# -- German --

_GERMAN_MASKS = str.maketrans("äöü", "aaa")
_GERMAN_FOLDED = str.maketrans("äöüUY", "aouuy")


def _german(word: str, stem_word: _Stem) -> str:
    word = word.replace("ß", "ss")
    if len(word) <= _MAX_QUADRATIC:
        result = stem_word(word)
    else:  # German rules only remove suffixes and fold letters.
        result = word.translate(_GERMAN_FOLDED)[: len(stem_word(word.translate(_GERMAN_MASKS)))]
    return result + "s" if result.endswith("nis") and word.endswith(("nisse", "nissen", "nisses")) else result


# -- Hungarian --

_HUNGARIAN_LETTERS = str.maketrans("őűõû", "õûőű")


def _hungarian(word: str, stem_word: _Stem) -> str:
    return stem_word(word.translate(_HUNGARIAN_LETTERS)).translate(_HUNGARIAN_LETTERS)


# -- Portuguese --

_PORTUGUESE_ENDINGS = {
    # METEOR's version of Snowball removes these endings. The values are the remaining stems.
    **dict.fromkeys(("logía", "logías"), "log"),
    **dict.fromkeys(("ución", "uciones"), "u"),
    # METEOR's version of Snowball keeps the following endings, but newer versions remove these endings.
    # Changing the first letter of these endings prevents newer versions of Snowball from removing the endings.
    "logia": "kogia",
    "logias": "kogias",
    "ução": "ôção",
    "uções": "ôções",
}
_PORTUGUESE_ENDING = re.compile(f"({'|'.join(_PORTUGUESE_ENDINGS)})\\Z")


def _portuguese(word: str, stem_word: _Stem) -> str:
    if "~" in word:  # Snowball marks nasal vowels in this way.
        word = word.replace("a~", "ã").replace("o~", "õ")
    match = _PORTUGUESE_ENDING.search(word)
    if not match:
        return stem_word(word)
    start, replacement = word[: match.start()], _PORTUGUESE_ENDINGS[match[1]]
    if len(replacement) == len(match[1]):
        return _unmask(word, start + replacement, stem_word(start + replacement))
    # Both versions of Snowball remove the endings in the same region of a word.
    return start + replacement if stem_word(start + "ução") == start + "u" else stem_word(word)


# -- Russian --

_RUSSIAN_MASKS = str.maketrans("ё", "б")


# -- Spanish --

_SPANISH_ACUTES = str.maketrans("áéíóú", "aeiou")


def _spanish(word: str, stem_word: _Stem) -> str:
    if len(word) > _MAX_QUADRATIC:  # Accents are removed in the last step; earlier steps only see those of suffixes.
        word = word[:-_MAX_QUADRATIC].translate(_SPANISH_ACUTES) + word[-_MAX_QUADRATIC:]
    return stem_word(word)


# -- All languages --

_RULES: dict[str, Callable[..., str]] = {
    "dutch": _dutch,
    "finnish": _finnish,
    "french": _french,
    "german": _german,
    "hungarian": _hungarian,
    "portuguese": _portuguese,
    "russian": partial(_stem_masked, _RUSSIAN_MASKS),
    "spanish": _spanish,
}
"""The functions that correct stems. For all other languages, the stems of the library are those of METEOR."""

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
    """Split a character into UTF-16 code units, and map each unit to a character that no stemming rule uses."""
    code = ord(match[0])
    if code < 0x10000:
        return chr(0x100000 + code - 0xD800)
    return chr(0x100000 + (code - 0x10000 >> 10)) + chr(0x100400 + (code & 0x3FF))


def _join_surrogates(match: re.Match[str]) -> str:
    """Undo :func:`_split_surrogates`."""
    if match[2]:
        return chr(0x10000 + ((ord(match[1]) & 0x3FF) << 10) + (ord(match[2]) & 0x3FF))
    return chr(0xD800 + (ord(match[0]) & 0x7FF))


_INSTALL_SNOWBALL = "run: pip install 'py-rust-stemmers>=0.1.8'"


class SnowballStemmer:
    """A stemmer that returns the same stems as METEOR 1.5. Call :func:`stemmer` to create an instance.

    Words should be lowercased before they are stemmed. Stemmers can be pickled and shared by threads. They do not cache
    any words.

    Args:
        name: one of :data:`STEMMERS`.

    Raises:
        ResourceError: if the library is not installed, does not support the language, or has other stems than METEOR
            for a few words.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        try:
            snowball: _Stem = import_module("py_rust_stemmers").SnowballStemmer(name).stem_word
        except (ImportError, ValueError) as error:
            raise ResourceError(f"the {name} stemmer needs py-rust-stemmers ({error}); {_INSTALL_SNOWBALL}") from error
        correct = _RULES.get(name)
        self._stem: _Stem = snowball if correct is None else partial(correct, stem_word=snowball)
        self._check_probes()

    def _check_probes(self) -> None:
        """Raise ResourceError if the stem of a test word differs from METEOR's stem."""
        for word, expected_stem in _PROBES[self.name].items():
            stem = self(word)
            if stem != expected_stem:
                raise ResourceError(
                    f"the installed py-rust-stemmers has {stem!r} for {word!r} in {self.name}, not {expected_stem!r} "
                    f"as METEOR does; {_INSTALL_SNOWBALL}"
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
    """Return the names of all stemmers, beginning with those of METEOR."""
    return (*STEMMERS, *FURTHER_STEMMERS)


class _PerThread(threading.local):
    """Hold a separate stemmer for each thread, because the stemmers of some libraries are not thread-safe."""

    def __init__(self, distribution: str, name: str) -> None:
        self.stem: _Stem
        if distribution == "PyStemmer":
            # The size 0 disables the library's cache, because callers stem each distinct word only once.
            self.stem = import_module("Stemmer").Stemmer(name, 0).stemWord
        else:
            # The function snowballstemmer.stemmer() would return a stemmer of PyStemmer if it is installed.
            module = import_module(f"snowballstemmer.{name}_stemmer")
            self.stem = getattr(module, f"{name.capitalize()}Stemmer")().stemWord


class FurtherStemmer:
    """A Snowball stemmer for a language without a stemmer in METEOR. Call :func:`stemmer` to create an instance.

    A word with more than a thousand characters or with a lone surrogate is its own stem. Stemmers can be pickled and
    shared by threads.

    Args:
        name: one of :data:`FURTHER_STEMMERS`.

    Raises:
        ResourceError: if the library is not installed.
    """

    def __init__(self, name: str) -> None:
        from importlib import metadata

        self.name = name
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
    """Return the stemmer of a language. Stemmers are cached.

    Args:
        name: one of the names that :func:`known_stemmers` returns. It is usually the English name of the language.

    Raises:
        ConfigError: for an unknown name.
        ResourceError: if the library is not installed, or if its stems differ from METEOR's.
    """
    if name in FURTHER_STEMMERS:  # These stemmers are not part of METEOR.
        return FurtherStemmer(name)
    if name not in STEMMERS:
        names = known_stemmers()
        raise ConfigError(f"unknown stemmer {name!r}{near_miss(name, names)}; known: {', '.join(names)}")
    return SnowballStemmer(name)
