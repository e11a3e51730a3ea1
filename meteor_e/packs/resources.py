"""What is known of the words of a language: function words, prefixes, synonyms and paraphrases."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from meteor_e.api.languages import NonbreakingPrefixes
from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex

_NO_PREFIXES = NonbreakingPrefixes()


@dataclass(eq=False, repr=False)
class LanguageResources:
    """Function words, prefixes, synonyms and paraphrases of a language, as far as there are any.

    Attributes:
        function_words: in lower case.
        nonbreaking_prefixes: abbreviations whose final dot stays in normalization.
        synonyms, paraphrases: the indexes.
        description: what the signature says of them.
    """

    function_words: frozenset[str] = frozenset()
    nonbreaking_prefixes: NonbreakingPrefixes = _NO_PREFIXES
    synonyms: SynonymIndex | None = None
    paraphrases: ParaphraseIndex | None = None
    description: str = "none"

    def replaced(self, description: str, **parts: Any) -> LanguageResources:
        """Return these resources with other ones in the place of some.

        Args:
            description: of the other ones, for the signature.
            parts: the other ones, by the names of attributes.
        """
        own = {field.name: getattr(self, field.name) for field in fields(LanguageResources)}
        return LanguageResources(**{**own, **parts, "description": f"{self.description}+{description}"})
