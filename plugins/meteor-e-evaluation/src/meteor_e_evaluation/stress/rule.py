"""Base classes of the built-in perturbation rules."""

from __future__ import annotations

import random
from abc import abstractmethod
from typing import ClassVar

from meteor_e.api import Perturbation
from meteor_e.api.perturbations import PerturbationContext
from meteor_e_evaluation.stress.drafts import Draft, NoOccasionError


class Rule(Perturbation):
    """Base class of the built-in perturbations, which edit the words of a text.

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
        """Return the perturbed text, or ``None`` if the rule does not apply to the text.

        Args:
            text: the text to change.
            rng: source of all random choices.
            context: the language, the other texts of the file, the source and the reference.
        """
        draft = Draft(text, rng, context)
        if len(draft) < self.min_words:
            return None
        try:
            changed_text = self._change(draft)
        except NoOccasionError:
            return None
        return None if changed_text == text else changed_text


class EnglishRule(Rule):
    """Base class of the built-in perturbations of English texts."""

    languages = ("en",)
