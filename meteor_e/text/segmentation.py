"""Segmenters: words of languages that write no spaces, or whose script METEOR's normaliser does not know.

A segmenter runs over raw text before the normaliser, and separates its words by spaces. A language names it
(``segmenter: characters``). A minimal plugin::

    class Dashes(Segmenter):
        \"\"\"Words are what stands between dashes.\"\"\"

        name = "dashes"

        def segment(self, text):
            return text.split("-")
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from meteor_e.errors import PluginError
from meteor_e.plugin_system.guard import guarded

if TYPE_CHECKING:
    from meteor_e.languages import Language
    from meteor_e.plugin_system.registry import Registry

__all__ = ["CharacterSegmenter", "Segmenter", "UnicodeSegmenter", "make_segmenter"]

TEXT_LIMIT = 1 << 13
"""Texts whose words are remembered: a reference comes back with every system's output."""

_LONG = 1 << 16
"""Longer texts are not remembered."""


class Segmenter(ABC):
    """Base of all segmenters.

    Instances are made without arguments, used from several threads at once, and pickled. What they return
    depends on the text alone.

    Class attributes:
        name: what a language calls it; lower case, unique among all installed plugins.
        requires: names of what must be there beside the package, for ``meteor-e plugins`` to show.
    """

    name: ClassVar[str] = ""
    requires: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def segment(self, text: str) -> Sequence[str]:
        """Return the words of a raw text, in order; white space in them or between them makes no difference."""

    def describe(self) -> str:
        """Return what a signature says behind the name: versions that decide on the words."""
        return ""

    def join(self, text: str) -> str:
        """Return the words of a text separated by spaces, from memory where it was seen lately.

        Raises:
            PluginError: if the segmenter fails, or does not return texts.
        """
        known: dict[str, str] = self.__dict__.setdefault("_known", {})
        joined = known.get(text)
        if joined is None:
            with guarded(f"segmenter {self.name!r}"):
                words = self.segment(text)
                if isinstance(words, str) or not all(isinstance(word, str) for word in words):
                    raise PluginError("segment must return a sequence of texts")
                joined = " ".join(words)
            if len(text) <= _LONG:
                if len(known) >= TEXT_LIMIT:
                    known.clear()
                known[text] = joined
        return joined

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key != "_known"}


_PLUGIN = {"jieba": "meteor-e-segmenters[chinese]", "fugashi": "meteor-e-segmenters[japanese]"}
"""What to install for the segmenters that languages of ours name."""


def make_segmenter(language: Language, registry: Registry) -> Segmenter | None:
    """Return the segmenter of a language, ``None`` if it needs none.

    Raises:
        PluginError: if there is no such segmenter, or it cannot be made.
    """
    name = language.segmenter
    if name is None:
        return None
    try:
        found = registry.segmenter(name)
    except PluginError as error:
        advice = f"; pip install '{_PLUGIN[name]}'" if name in _PLUGIN else ""
        raise PluginError(f"language {language.code!r}: {error}{advice}") from error
    with guarded(f"making segmenter {name!r}"):
        return found()


_INSIDE = "'’ʼ״׳-‐·\u200c\u200d"
"""What may stand within a word, between letters: apostrophes, hyphens, Hebrew and Catalan marks, joiners."""


class UnicodeSegmenter(Segmenter):
    """Words are runs of letters, marks and digits; every other character is a word of its own.

    For scripts whose vowel signs or letters METEOR's normaliser takes for symbols: Devanagari, Arabic, Hebrew and
    most others. Apostrophes and hyphens between letters stay within a word, as do dots and commas between digits.
    """

    name = "unicode"

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        words: list[str] = []
        begin = 0  # of the word that is being read
        for place, char in enumerate(text):
            if _in_word(char) or (place > begin and _connects(text, place)):
                continue
            if place > begin:
                words.append(text[begin:place])
            if not char.isspace():
                words.append(char)
            begin = place + 1
        if begin < len(text):
            words.append(text[begin:])
        return words

    def describe(self) -> str:
        """Return the version of the character database, which knows letters from symbols."""
        return f"unicode={unicodedata.unidata_version}"


def _in_word(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN"


def _connects(text: str, place: int) -> bool:
    char, before, after = text[place], text[place - 1], text[place + 1 : place + 2]
    if not after:
        # A joiner asks for a form of the letter before it, whatever follows.
        return char in "\u200c\u200d"
    if char in ".,":
        return before.isdigit() and after.isdigit()
    return char in _INSIDE and _in_word(before) and _in_word(after)


class CharacterSegmenter(Segmenter):
    """Every Han character, kana and other letter of a script without spaces is a word.

    For Chinese and Japanese where no dictionary is to decide; text in other scripts is left alone.
    """

    name = "characters"

    _SPACELESS = re.compile(
        "([\u1000-\u109f\u1780-\u17ff\u0e00-\u0eff\u0f00-\u0fff\u2e80-\u2fdf\u3001-\u30ff\u3100-\u312f\u31a0-\u31bf"
        "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff])"
    )

    def segment(self, text: str) -> list[str]:
        """Return the words."""
        return self._SPACELESS.sub(r" \1 ", text).split()
