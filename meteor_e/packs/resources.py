"""Resources of a language of which some take the place of a pack's."""

from __future__ import annotations

from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex
from meteor_e.packs.pack import ResourceParts


class LanguageResources(ResourceParts):
    """Function words, prefixes, synonyms and paraphrases, each from a pack unless given itself.

    Args:
        pack: the pack, or other resources; ``None`` for none.
        own_function_words, own_synonyms, own_paraphrases: take the place of the pack's.
        own_description: what the signature says of them.
    """

    def __init__(
        self,
        pack: ResourceParts | None = None,
        own_function_words: frozenset[str] | None = None,
        own_synonyms: SynonymIndex | None = None,
        own_paraphrases: ParaphraseIndex | None = None,
        own_description: str = "",
    ) -> None:
        found = pack or ResourceParts()
        self.function_words = found.function_words if own_function_words is None else own_function_words
        self.nonbreaking_prefixes = found.nonbreaking_prefixes
        self.synonyms = found.synonyms if own_synonyms is None else own_synonyms
        self.paraphrases = found.paraphrases if own_paraphrases is None else own_paraphrases
        self.description = f"{found.description}+{own_description}" if own_description else found.description
