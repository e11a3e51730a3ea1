"""The lexical resources of a language: function words, prefixes, synonyms and paraphrases."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from meteor_e.api.languages import NonbreakingPrefixes
from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex

_NO_PREFIXES = NonbreakingPrefixes()


@dataclass(eq=False, repr=False)
class LanguageResources:
    """The optional lexical resources of a language, such as synonyms and paraphrases.

    Attributes:
        function_words: the function words, in lowercase.
        nonbreaking_prefixes: abbreviations whose final period normalization does not separate.
        synonyms, paraphrases: the indexes; ``None`` if the language does not have them.
        description: the description of the resources in the signature.
    """

    function_words: frozenset[str] = frozenset()
    nonbreaking_prefixes: NonbreakingPrefixes = _NO_PREFIXES
    synonyms: SynonymIndex | None = None
    paraphrases: ParaphraseIndex | None = None
    description: str = "none"

    def replace(self, description: str, **parts: Any) -> LanguageResources:
        """Return a copy in which some of the resources are replaced, such as the function words.

        Args:
            description: the description of the new resources in the signature.
            parts: the new resources, by the names of attributes.
        """
        attributes = {field.name: getattr(self, field.name) for field in fields(LanguageResources)}
        return LanguageResources(**{**attributes, **parts, "description": f"{self.description}+{description}"})
