"""Segmenters: words of languages that write no spaces, or whose script METEOR's normalizer does not know.

A segmenter runs over raw text before the normalizer, and separates its words by spaces. A language names it
(``segmenter: characters``). A minimal plugin::

    class Dashes(Segmenter):
        \"\"\"Dashes separate words.\"\"\"

        name = "dashes"

        def segment(self, text):
            return text.split("-")
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from meteor_e.api.component import Component
from meteor_e.base.errors import PluginError, plugin_errors
from meteor_e.base.memory import Memory

TEXT_LIMIT = 1 << 13
"""Texts whose words are remembered: a reference comes back with every system's output."""

_LONG = 1 << 16
"""Longer texts are not remembered."""


class Segmenter(Component):
    """Base of all segmenters.

    A language names it, without options. Instances are used from several threads at once. What they return depends
    on the text alone. :meth:`describe` returns the versions that decide on the words.
    """

    kind: ClassVar[str] = "segmenter"

    _known = cached_property(lambda self: Memory[str, str](TEXT_LIMIT, self._joined))

    @abstractmethod
    def segment(self, text: str) -> Sequence[str]:
        """Return the words of a raw text, in order; white space in them or between them makes no difference."""

    def join(self, text: str) -> str:
        """Return the words of a text separated by spaces, from memory where it was seen lately.

        Raises:
            PluginError: if the segmenter fails, or does not return texts.
        """
        return self._known[text] if len(text) <= _LONG else self._joined(text)

    def _joined(self, text: str) -> str:
        with plugin_errors(f"segmenter {self.name!r}"):
            words = self.segment(text)
            if isinstance(words, str) or not all(isinstance(word, str) for word in words):
                raise PluginError("segment must return a sequence of texts")
            return " ".join(words)

    def join_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the words of each line of a text, separated by spaces.

        Override it in a segmenter whose words at the end of a line depend on the next line.
        """
        return [self.join(line) for line in lines]
