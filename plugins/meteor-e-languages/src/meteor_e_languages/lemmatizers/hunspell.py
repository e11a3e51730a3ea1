"""Base words of a hunspell dictionary, as ``meteor-e pack install LANGUAGE --with hunspell`` puts them into a pack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from meteor_e import Lemmatizer, MatcherContext, ResourceError
from meteor_e.toolkit import PackStore, lowercase

__all__ = ["HunspellLemmatizer"]


class HunspellLemmatizer(Lemmatizer):
    """The base word of each form that the affixes of a dictionary make; other words are their own lemmas."""

    name: ClassVar[str] = "hunspell"
    requires: ClassVar[tuple[str, ...]] = ("a pack made from a hunspell dictionary",)
    tags = False

    def __init__(self, table: dict[str, str], description: str) -> None:
        self._table = table
        self._description = description

    @classmethod
    def create(cls, context: MatcherContext, options: None) -> HunspellLemmatizer:
        """Read the table of the language's pack.

        Raises:
            ResourceError: if it is not installed.
        """
        from meteor_e_languages.debian import TABLE

        code = context.language.code
        pack = PackStore().find(f"{code}-hunspell")
        if pack is None:
            raise ResourceError(
                f"lemmatizer 'hunspell' needs a dictionary; run: meteor-e pack install {code} --with hunspell"
            )
        lines = (pack.path / TABLE).read_text(encoding="utf-8").splitlines()
        table = {form: lemma for form, _, lemma in (line.split("\t") for line in lines)}
        return cls(table, f"{pack.name}@{pack.manifest.files[TABLE].sha256[:12]}, {pack.manifest.licence}")

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, None]]:
        """Look the words up."""
        return [(self._table.get(lowercase(word), word), None) for word in words]

    def describe(self) -> str:
        """Name the pack and its license."""
        return self._description
