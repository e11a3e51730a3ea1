"""Segmenters, which separate words in languages that are written without spaces.

Segmenters are also used for scripts that METEOR's normalizer does not support. A segmenter inserts spaces between the
words of a raw text before the text is normalized. The definition of a language names its segmenter
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
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.errors import PluginError, plugin_errors

TEXT_LIMIT = 1 << 13
"""Number of texts whose words are cached. The cache is useful because systems share their references."""

_MAX_CACHED_CHARACTERS = 1 << 16
"""Length of the longest texts whose words are cached, in characters."""


class Segmenter(Component):
    """Base class of all segmenters.

    Segmenters do not have options. Several threads may use an instance at once. The words of a text must not depend on
    other texts. The method :meth:`describe` must return the versions of all software and data that affect the words.
    """

    kind: ClassVar[str] = "segmenter"

    _cache = cached_property(lambda self: BoundedCache[str, str](TEXT_LIMIT, self._segment_and_join))

    @abstractmethod
    def segment(self, text: str) -> Sequence[str]:
        """Return the words of a raw text in order. White space at the ends of words is ignored."""

    def join(self, text: str) -> str:
        """Insert spaces between the words of a text. Results are cached.

        Raises:
            PluginError: if the segmenter fails, or does not return texts.
        """
        return self._cache[text] if len(text) <= _MAX_CACHED_CHARACTERS else self._segment_and_join(text)

    def _segment_and_join(self, text: str) -> str:
        """Segment a text, and return its words separated by spaces. Raises PluginError if the segmenter fails."""
        with plugin_errors(f"segmenter {self.name!r}"):
            words = self.segment(text)
            if isinstance(words, str) or not all(isinstance(word, str) for word in words):
                raise PluginError("segment must return a sequence of texts")
            return " ".join(words)

    def join_lines(self, lines: Sequence[str]) -> list[str]:
        """Insert spaces between the words of each line of a text.

        A segmenter overrides this method if the words at the end of a line depend on the next line.
        """
        return [self.join(line) for line in lines]
