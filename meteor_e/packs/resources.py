"""The resources that a chain runs with: those of a pack, or files given in their place."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.api.languages import Language, NonbreakingPrefixes
from meteor_e.base.offline import is_offline
from meteor_e.base.progress import terminal_progress
from meteor_e.base.yamlfile import is_folder
from meteor_e.packs.pack import Pack, is_installable
from meteor_e.packs.store import PackStore, named_pack

if TYPE_CHECKING:
    from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex


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


class AwaitedResources:
    """Resources that are looked for, and installed, when something of them is asked for."""

    def __init__(self, find: Callable[[], LanguageResources]) -> None:
        self._find = find

    @functools.cached_property
    def found(self) -> LanguageResources:
        """The resources."""
        return self._find()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.found, name)


def find_resources(
    language: Language, pack: str | None, function_words: str | None, offline: bool | None = None
) -> LanguageResources:
    """Return the resources of packs, which are installed if they are missing.

    Args:
        language: that they are for.
        pack: name or folder of the pack; ``None`` for none.
        function_words: the pack whose function words take the place of the pack's own.
        offline: never download a pack; ``None`` for the user's setting.
    """
    found = None if pack is None else _find_pack(pack, offline)
    if found is not None and pack != language.pack:
        # A pack that the language itself names is what its author means.
        MatcherContext(language, LanguageResources()).check_language(
            [found.language], f"the pack {pack!r} is", claimed=True
        )
    if function_words is None:
        return LanguageResources(found)
    words = _find_pack(function_words, offline)
    return LanguageResources(
        found,
        own_function_words=words.function_words,
        own_description=f"function-words-of-{words.name}@{words.digest}",
    )


def _find_pack(name: str, offline: bool | None) -> Pack:
    """Return a pack, installing it if it is one of METEOR's and missing."""
    store = PackStore()
    if is_folder(name) or not is_installable(name):
        return named_pack(name)
    found = store.find(name)
    if found is not None:
        return found
    if offline is None:
        offline = is_offline()
    if not offline:
        print(f"meteor_e: resource pack {name!r} is not installed; installing it (99 MiB to download)", file=sys.stderr)
    with terminal_progress() as progress:
        return store.install(name, offline=offline, progress=progress)
