"""Equal words."""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from meteor_e.api.matchers import KeyMatcher
from meteor_e.api.tokens import Token


class ExactMatcher(KeyMatcher):
    """Words match if they are equal."""

    name: ClassVar[str] = "exact"
    search_weight: ClassVar[float] = 1.0
    match_equal_words: ClassVar[bool] = True
    core_family: ClassVar[str] = "exact"

    def keys(self, token: Token) -> tuple[Hashable]:
        """Return the word's identity."""
        return (self.identity(token.form),)
