"""The resources that a chain runs with: those of a pack, or files given in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from meteor_e.api.languages import NonbreakingPrefixes

if TYPE_CHECKING:
    from meteor_e.packs.pack import Pack
    from meteor_e.packs.paraphrases import ParaphraseIndex
    from meteor_e.packs.synonyms import SynonymIndex


@dataclass(frozen=True)
class LanguageResources:
    """Function words, prefixes, synonyms and paraphrases, each from the pack unless given itself.

    Attributes:
        pack: the resource pack, ``None`` where the language needs none.
        own_function_words, own_synonyms, own_paraphrases: take the place of the pack's.
        own_description: what the signature says of them.
    """

    pack: Pack | None = None
    own_function_words: frozenset[str] | None = None
    own_synonyms: SynonymIndex | None = None
    own_paraphrases: ParaphraseIndex | None = None
    own_description: str = ""

    @property
    def function_words(self) -> frozenset[str]:
        """The language's function words, in lower case."""
        if self.own_function_words is not None:
            return self.own_function_words
        return self.pack.function_words if self.pack is not None else frozenset()

    @property
    def nonbreaking_prefixes(self) -> NonbreakingPrefixes:
        """Abbreviations whose final dot stays."""
        return self.pack.nonbreaking_prefixes if self.pack is not None else NonbreakingPrefixes()

    @property
    def synonyms(self) -> SynonymIndex | None:
        """The synonym index, if there is one."""
        if self.own_synonyms is not None:
            return self.own_synonyms
        return self.pack.synonyms if self.pack is not None else None

    @property
    def paraphrases(self) -> ParaphraseIndex | None:
        """The paraphrase index, if there is one."""
        if self.own_paraphrases is not None:
            return self.own_paraphrases
        return self.pack.paraphrases if self.pack is not None else None

    @property
    def description(self) -> str:
        """What the signature says: pack and digest, and whatever takes the place of its parts."""
        pack = f"{self.pack.name}@{self.pack.digest}" if self.pack is not None else "none"
        return f"{pack}+{self.own_description}" if self.own_description else pack
