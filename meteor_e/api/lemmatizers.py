"""Lemmatizers, which add lemmas and part-of-speech tags to words.

A lemmatizer receives the normalized words of a segment before they are matched. A minimal plugin::

    class Lowering(Lemmatizer):
        \"\"\"The lemma is the word in lower case.\"\"\"

        name = "lowering"

        def lemmatize(self, words):
            return [(word.lower(), None) for word in words]

A lemmatizer defines its options, like a matcher, in a subclass of :class:`ComponentOptions`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal

from meteor_e.api.component import Component
from meteor_e.api.tokens import Token
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.errors import PluginError, plugin_errors

WORD_LIMIT = 1 << 17
"""Number of word types whose lemmas are cached. The cache is cleared when it is full."""

SENTENCE_LIMIT = 1 << 13
"""Number of sentences whose lemmas are cached. The cache is useful because systems share their references."""


class Lemmatizer(Component):
    """Base class of all lemmatizers.

    Several threads may use an instance at once. Instances must be picklable, so that METEOR can be sent to other
    processes.

    The class attributes of :class:`Component` are inherited.

    Class attributes
    ----------------
    scope : Literal[word, sentence]
        ``word`` if the lemma of a word does not depend on its context. Then :meth:`lemmatize` is called once for each
        word type. ``sentence`` if the lemma depends on the context. Then :meth:`lemmatize` is called once for each
        sentence.
    tags : bool
        Whether words get tags. Matchers that need tags require this. ``__init__`` may set the attribute.
    """

    kind: ClassVar[str] = "lemmatizer"
    scope: ClassVar[Literal["word", "sentence"]] = "word"
    tags: bool = True

    _sentence_cache = cached_property(
        lambda self: BoundedCache[tuple[str, ...], list[Token]](SENTENCE_LIMIT, self._make_tokens)
    )
    _word_cache = cached_property(lambda self: BoundedCache[str, Token](WORD_LIMIT))

    @abstractmethod
    def lemmatize(self, words: Sequence[str]) -> Sequence[tuple[str | None, str | None]]:
        """Return ``(lemma, tag)`` for each word. An unknown lemma or tag is ``None``.

        Args:
            words: at least one normalized word. With the scope ``word``, these are distinct words in any order. With
                the scope ``sentence``, they are the words of a sentence.

        Returns:
            A pair for each word. Tags belong to the universal tag set.
        """

    def analyze(self, words: Sequence[str]) -> list[Token]:
        """Return a token with lemma and tag for each word. Results are cached.

        Raises:
            PluginError: if the lemmatizer fails, or does not return one pair per word.
        """
        if not words:
            return []
        if self.scope == "sentence":
            return list(self._sentence_cache[tuple(words)])
        token_by_word = self._word_cache.get_or_make_items(words, self._make_tokens)
        return [token_by_word[word] for word in words]

    def _make_tokens(self, words: Sequence[str]) -> list[Token]:
        """Lemmatize words, and return a token for each word. Raises PluginError if the lemmatizer fails."""
        with plugin_errors(f"lemmatizer {self.name!r}"):
            pairs = self.lemmatize(words)
            if len(pairs) != len(words):
                raise PluginError(
                    f"lemmatizer {self.name!r} returned {len(pairs)} lemmas for {len(words)} words; "
                    "it must return one pair (lemma, tag) per word"
                )
            return [Token(word, lemma, tag) for word, (lemma, tag) in zip(words, pairs, strict=True)]
