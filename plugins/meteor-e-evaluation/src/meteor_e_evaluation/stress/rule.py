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
    """Base class of perturbations of texts in any language, which edit a :class:`.Draft`.

    Attributes:
        min_words: smallest number of words of a text that the rule applies to.
    """

    min_words: ClassVar[int] = 0

    @abstractmethod
    def _change(self, draft: Draft) -> str:
        """Return the perturbed text of a draft.

        Raises:
            NoOccasionError: if the rule does not apply to the text.
        """

    def apply(self, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        """Return the perturbed text, or ``None`` if the rule does not apply to it."""
        return _apply(self._change, Draft(text, rng, context), self.min_words)


class EnglishRule(Perturbation):
    """Base class of perturbations of English texts, which edit an :class:`.EnglishDraft`.

    Attributes:
        min_words: smallest number of words of a text that the rule applies to.
    """

    languages = ("en",)
    min_words: ClassVar[int] = 0

    @abstractmethod
    def _change(self, draft: EnglishDraft) -> str:
        """Return the perturbed text of a draft.

        Raises:
            NoOccasionError: if the rule does not apply to the text.
        """

    def apply(self, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        """Return the perturbed text, or ``None`` if the rule does not apply to it."""
        return _apply(self._change, EnglishDraft(text, rng, context), self.min_words)


def _apply(change: Callable[[DraftType], str], draft: DraftType, min_words: int) -> str | None:
    if len(draft) < min_words:
        return None
    try:
        changed = change(draft)
    except NoOccasionError:
        return None
    return None if changed == draft.text else changed
