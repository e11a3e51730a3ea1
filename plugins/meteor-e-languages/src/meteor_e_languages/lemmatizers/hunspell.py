"""Base words of a hunspell dictionary, as ``meteor-e pack install LANGUAGE --with hunspell`` puts it into a pack."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import ClassVar

from meteor_e import Lemmatizer, MatcherContext, ResourceError
from meteor_e.packs.store import PackStore
from meteor_e.text.normalization import lowercase
from meteor_e_languages.affixes import AFFIX_FILE, WORD_FILE, Dictionary

__all__ = ["HunspellLemmatizer"]


class HunspellLemmatizer(Lemmatizer):
    """The base word of a word without the affixes of a dictionary; other words are their own lemmas."""

    name: ClassVar[str] = "hunspell"
    requires: ClassVar[tuple[str, ...]] = ("a pack made from a hunspell dictionary",)
    tags = False

    def __init__(self, dictionary: Dictionary, description: str) -> None:
        self._base = functools.lru_cache(maxsize=1 << 16)(dictionary.base)
        self._description = description

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> HunspellLemmatizer:
        """Read the dictionary of the language's pack.

        Raises:
            ResourceError: if it is not installed.
        """
        code = context.language.code
        pack = PackStore().find(f"{code}-hunspell")
        if pack is None:
            raise ResourceError(
                f"lemmatizer 'hunspell' needs a dictionary; run: meteor-e pack install {code} --with hunspell"
            )
        if AFFIX_FILE not in pack.manifest.files:
            raise ResourceError(
                f"the pack {pack.name} is of an older kind; run: meteor-e pack install {code} --with hunspell"
            )
        texts = ((pack.path / name).read_text(encoding="utf-8") for name in (AFFIX_FILE, WORD_FILE))
        digests = "+".join(pack.manifest.files[name].sha256[:6] for name in (AFFIX_FILE, WORD_FILE))
        return cls(Dictionary(*texts), f"{pack.name}@{digests}, {pack.manifest.licence}")

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, None]]:
        """Take the words apart."""
        return [(self._base(lowercase(word)) or word, None) for word in words]

    def describe(self) -> str:
        """Name the pack and its license."""
        return self._description
