"""Perturbations, which change a text in order to test metrics. A change is either an error or harmless."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True)
class PerturbationContext:
    """Information about a text that a perturbation can use, such as its language.

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
    """Base class of all perturbations. A perturbation makes a single change to a text.

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

    Class attributes
    ----------------
    name : str
        Name in ``meteor-e stress --only``; lower case, unique among all installed plugins.
    kind : Literal[error, harmless]
        ``error`` if the change makes the text worse, otherwise ``harmless``.
    group : str
        Heading in tables.
    languages : tuple[str, ...]
        ISO codes of the languages for which the perturbation works; empty for all languages.
    """

    name: ClassVar[str] = ""
    kind: ClassVar[Literal["error", "harmless"]] = "error"
    group: ClassVar[str] = "other"
    languages: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def apply(self, text: str, rng: random.Random, context: PerturbationContext) -> str | None:
        """Return the changed text, or ``None`` if the perturbation cannot be applied to the text.

        Args:
            text: a segment that has not been tokenized.
            rng: generator for all random choices, so that results can be reproduced with a seed.
            context: language and other texts.
        """
