"""Base classes of the built-in perturbation rules."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, TypeVar

from meteor_e.api import Perturbation
from meteor_e.api.perturbations import PerturbationContext
from meteor_e_evaluation.stress.drafts import Draft, NoOccasionError
from meteor_e_evaluation.stress.english import EnglishDraft

DraftType = TypeVar("DraftType", bound=Draft)


class Rule(Perturbation):
    """A perturbation that changes a :class:`.Draft`.

    Attributes:
        min_words: number of words that a text must have.
    """

    min_words: ClassVar[int] = 0

    @abstractmethod
    def _change(self, draft: Draft) -> str:
        """Return the changed text.

        Raises:
            NoOccasionError: if the rule does not apply to the text.
        """

    def apply(self, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        """Return the changed text; ``None`` if the rule does not apply to it."""
        return _apply(self._change, Draft(text, rng, context), self.min_words)


class EnglishRule(Perturbation):
    """A perturbation that changes an :class:`.EnglishDraft`.

    Attributes:
        min_words: number of words that a text must have.
    """

    languages = ("en",)
    min_words: ClassVar[int] = 0

    @abstractmethod
    def _change(self, draft: EnglishDraft) -> str:
        """Return the changed text.

        Raises:
            NoOccasionError: if the rule does not apply to the text.
        """

    def apply(self, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        """Return the changed text; ``None`` if the rule does not apply to it."""
        return _apply(self._change, EnglishDraft(text, rng, context), self.min_words)


def _apply(change: Callable[[DraftType], str], draft: DraftType, min_words: int) -> str | None:
    if len(draft) < min_words:
        return None
    try:
        changed = change(draft)
    except NoOccasionError:
        return None
    return None if changed == draft.text else changed
