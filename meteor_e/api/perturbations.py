"""Perturbations: one error in a text, or one harmless change, to see whether metrics notice."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class PerturbationContext:
    """What a perturbation may draw on beside the text.

    Attributes:
        language: ISO code of the text.
        texts: all texts of the file, the one that is changed among them.
        position: of the text among them.
        source: the source segment; ``None`` where it is not known.
        reference: of the text; ``None`` where it is not known.
    """

    language: str = "en"
    texts: Sequence[str] = ()
    position: int = 0
    source: str | None = None
    reference: str | None = None


class Perturbation(ABC):
    """Base of all perturbations: from a text to the same text with one error or one harmless change.

    A plugin returns subclasses by the hook ``meteor_e_perturbations``::

        class VowelDropped(Perturbation):
            \"\"\"A word loses its first vowel.\"\"\"

            name = "vowel-dropped"
            group = "spelling"

            def apply(self, text, rng, context):
                places = [at for at, letter in enumerate(text) if letter in "aeiou"]
                if not places:
                    return None
                at = rng.choice(places)
                return text[:at] + text[at + 1 :]

    Class attributes:
        name: what ``meteor-e stress --only`` calls it; lower case, unique among all installed plugins.
        kind: ``error`` if the text gets worse, ``harmless`` if a reader would not mind.
        group: the heading under which tables show it.
        languages: ISO codes of the languages that it is for; empty for all.
    """

    name: ClassVar[str] = ""
    kind: ClassVar[Literal["error", "harmless"]] = "error"
    group: ClassVar[str] = "other"
    languages: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def apply(self, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        """Return the changed text; ``None`` where the text gives no occasion.

        Args:
            text: a segment, not tokenized.
            rng: where all choices come from, so that a seed repeats them.
            context: language, and the other texts.
        """
