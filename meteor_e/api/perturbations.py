"""Perturbations, which put an error or a harmless change into a text in order to test metrics."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class PerturbationContext:
    """The context of a text, which a perturbation can use.

    Attributes:
        language: ISO code of the text's language.
        texts: all texts of the file.
        position: index of the text in ``texts``.
        source: the source segment; ``None`` if it is unknown.
        reference: the reference of the text; ``None`` if it is unknown.
    """

    language: str = "en"
    texts: Sequence[str] = ()
    position: int = 0
    source: str | None = None
    reference: str | None = None


class Perturbation(ABC):
    """Base of all perturbations. A perturbation makes one change to a text, which is either an error or harmless.

    A plugin adds subclasses with the hook ``meteor_e_perturbations``::

        class VowelDropped(Perturbation):
            \"\"\"A word loses its first vowel.\"\"\"

            name = "vowel-dropped"
            group = "spelling"

            def apply(self, text, rng, context):
                positions = [position for position, letter in enumerate(text) if letter in "aeiou"]
                if not positions:
                    return None
                position = rng.choice(positions)
                return text[:position] + text[position + 1 :]

    Class attributes:
        name: name in ``meteor-e stress --only``; lower case, unique among all installed plugins.
        kind: ``error`` if the change makes the text worse, ``harmless`` if it does not bother readers.
        group: heading in tables.
        languages: ISO codes of the languages for which the perturbation works; empty for all languages.
    """

    name: ClassVar[str] = ""
    kind: ClassVar[Literal["error", "harmless"]] = "error"
    group: ClassVar[str] = "other"
    languages: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def apply(self, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        """Return the changed text, or ``None`` if the change is not possible in this text.

        Args:
            text: a segment that has not been tokenized.
            rng: generator for all random choices, so that results can be reproduced with a seed.
            context: language and other texts.
        """
