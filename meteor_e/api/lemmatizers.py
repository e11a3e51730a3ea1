"""Lemmatizers: from words to tokens with lemmas and tags.

A lemmatizer runs over the normalized words of a segment, before any matcher sees them. A minimal plugin::

    class Lowering(Lemmatizer):
        \"\"\"The lemma is the word in lower case.\"\"\"

        name = "lowering"

        def lemmatize(self, words):
            return [(word.lower(), None) for word in words]

Options are a class, as for matchers: :class:`ComponentOptions`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal

from meteor_e.api.component import Component
from meteor_e.api.tokens import Token
from meteor_e.base.errors import PluginError, plugin_errors
from meteor_e.base.memory import Memory

WORD_LIMIT = 1 << 17
"""Word types whose lemmas are remembered; the memory is emptied when it is full."""

SENTENCE_LIMIT = 1 << 13
"""Sentences whose lemmas are remembered, likewise: a reference comes back with every system's output."""


class Lemmatizer(Component):
    """Base of all lemmatizers.

    Instances are used from several threads at once and are pickled with the chain that holds them.

    Class attributes, beside those of :class:`Component`:
        scope: ``word`` if a word's lemma is the same wherever it stands: :meth:`lemmatize` is then asked once
            for each word type; ``sentence`` if it depends on the words around it: :meth:`lemmatize` is then
            asked once for each sentence.
        tags: whether words get tags; where they get none, a matcher that needs tags is an error. ``__init__`` may
            set it.
    """

    kind: ClassVar[str] = "lemmatizer"
    scope: ClassVar[Literal["word", "sentence"]] = "word"
    tags: bool = True

    _sentence_cache = cached_property(lambda self: Memory[tuple[str, ...], list[Token]](SENTENCE_LIMIT, self._tokens))
    _word_cache = cached_property(lambda self: Memory[str, Token](WORD_LIMIT))

    @abstractmethod
    def lemmatize(self, words: Sequence[str]) -> Sequence[tuple[str | None, str | None]]:
        """Return ``(lemma, tag)`` of each word; ``None`` for what is not known.

        Args:
            words: normalized words, never none: of scope ``word`` distinct ones in any order, of scope
                ``sentence`` those of a sentence.

        Returns:
            One pair per word, in their order. The tag is one of the universal tag set.
        """

    def analyze(self, words: Sequence[str]) -> list[Token]:
        """Return a token for each word, from memory where there is one.

        Raises:
            PluginError: if the lemmatizer fails, or does not return one pair per word.
        """
        if not words:
            return []
        if self.scope == "sentence":
            return list(self._sentence_cache[tuple(words)])
        cache = self._word_cache
        # Other threads may empty it at any time, so each token is taken from it once and kept.
        tokens = {word: token for word in words if (token := cache.get(word)) is not None}
        missing = [word for word in dict.fromkeys(words) if word not in tokens]
        if missing:
            fresh = dict(zip(missing, self._tokens(missing), strict=True))
            tokens.update(fresh)
            cache.remember(fresh)
        return [tokens[word] for word in words]

    def _tokens(self, words: Sequence[str]) -> list[Token]:
        with plugin_errors(f"lemmatizer {self.name!r}"):
            pairs = self.lemmatize(words)
            if len(pairs) != len(words):
                raise PluginError(
                    f"lemmatizer {self.name!r} returned {len(pairs)} lemmas for {len(words)} words; "
                    "it must return one pair (lemma, tag) a word"
                )
            return [Token(word, lemma, tag) for word, (lemma, tag) in zip(words, pairs, strict=True)]
