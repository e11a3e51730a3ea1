"""Words with one lemma."""

from __future__ import annotations

from typing import ClassVar

from meteor_e.api.matchers import KeyMatcher
from meteor_e.api.tokens import Token


class LemmaMatcher(KeyMatcher):
    """Different words match if the chain's lemmatizer gives them one lemma.

    A word that it does not know is its own lemma. For languages that no stemmer is known of, or whose inflection stems
    do not undo.
    """

    name: ClassVar[str] = "lemma"
    default_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("a lemmatizer in the chain",)
    needs_lemmas = True

    def keys(self, token: Token) -> tuple[str]:
        """Return the word's lemma."""
        return (token.lemma or token.form,)
