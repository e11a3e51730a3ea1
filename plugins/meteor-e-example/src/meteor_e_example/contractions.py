"""A Lemmatizer, and a matcher that looks at lemmas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from meteor_e import KeyMatcher, Lemmatizer, Token

_ENDINGS = {
    "'d": ("would", "AUX"),
    "'ll": ("will", "AUX"),
    "'m": ("am", "AUX"),
    "'re": ("are", "AUX"),
    "'t": ("not", "PART"),
    "'ve": ("have", "AUX"),
}
_BEFORE_NOT = {"ain": "ain", "can": "can", "won": "will", "shan": "shall"}


class Contractions(Lemmatizer):
    """English contractions have their full forms as lemmas (won 't: will not); any other word is its own.

    METEOR splits a contraction in front of its apostrophe. What the first part stands for shows in the second
    (``won`` is ``will`` in front of ``'t`` only), so this lemmatizer is asked for whole sentences. ``'s`` is
    left alone: it may be *is*, *has* or a genitive; ``'d`` is taken for *would*.
    """

    name: ClassVar[str] = "contractions"
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, str | None]]:
        """Return lemma and tag of each word of a sentence."""
        return [
            self._before_not(word) if after == "'t" else _ENDINGS.get(word, (word, None))
            for word, after in zip(words, [*words[1:], ""], strict=True)
        ]

    def _before_not(self, word: str) -> tuple[str, str | None]:
        if word in _BEFORE_NOT:
            return _BEFORE_NOT[word], "AUX"
        return (word[:-1], "AUX") if word.endswith("n") and len(word) > 2 else (word, None)


class SameLemma(KeyMatcher):
    """Different words with one lemma match; it needs a chain with a lemmatizer."""

    name: ClassVar[str] = "same-lemma"
    default_weight: ClassVar[float] = 0.9
    requires: ClassVar[tuple[str, ...]] = ("a lemmatizer in the chain",)

    def keys(self, token: Token) -> set[str]:
        """Return the lemma, if there is one."""
        return {token.lemma} if token.lemma else set()
