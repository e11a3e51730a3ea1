"""The language and its resources, such as synonyms, which components can use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from meteor_e.api.languages import Language, NonbreakingPrefixes
from meteor_e.base.errors import ConfigError


class PhraseTable(Protocol):
    """A table of paraphrases, such as :class:`meteor_e.packs.ParaphraseIndex`.

    Every word and every phrase has an id. The id of a phrase is called its *node*.
    """

    def word_id(self, word: str) -> int:
        """Return the id of a word, or -1 if no phrase of the table contains the word."""

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Return ``(length, node)`` for each phrase of the table that starts at a given word, from short to long.

        Args:
            ids: ids of the words of the segment.
            start: the position.
        """

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the nodes of a phrase's paraphrases, in the order of the table."""


class SynonymTable(Protocol):
    """A table that maps words to synsets, such as :class:`meteor_e.packs.SynonymIndex`."""

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the ids of the synsets that contain a word."""

    def bases(self, word: str) -> tuple[str, ...]:
        """Look up the base forms of a word in the list of irregular inflections."""


class Resources(Protocol):
    """The resources of a language: function words, abbreviations, synonyms and paraphrases."""

    @property
    def function_words(self) -> frozenset[str]:
        """The function words, in lower case."""

    @property
    def nonbreaking_prefixes(self) -> NonbreakingPrefixes:
        """Abbreviations, such as "Dr.", from which the tokenizer does not separate the final dot."""

    @property
    def synonyms(self) -> SynonymTable | None:
        """The synonyms, or ``None`` if they are not installed."""

    @property
    def paraphrases(self) -> PhraseTable | None:
        """The paraphrases, or ``None`` if they are not installed."""


class MatcherContext(NamedTuple):
    """The language and the resources that are passed to the method ``from_options`` of a matcher.

    Attributes:
        language: the language of the texts.
        resources: the installed resources of the language.
        explicit: whether the user's chain names this matcher. A matcher that is only part of the language's default
            chain may tolerate that an optional resource is missing.
    """

    language: Language
    resources: Resources
    explicit: bool = True

    def check_language(self, codes: Collection[str], subject: str, *, is_stated: bool = False) -> None:
        """Check that a resource, such as a file of word vectors, supports the language of the chain.

        Args:
            codes: codes of the languages of the resource. If they are unknown, the argument is empty, and every
                language is accepted.
            subject: beginning of the error message, such as ``matcher 'vector': the vectors fr.vectors are``. The rest
                of the message lists the languages of the resource.
            is_stated: whether the user has stated the language of the resource, by an option, the name of a file, or a
                pack. A chain for the language ``other`` accepts such resources.

        Raises:
            ConfigError: if the resource is for another language.
        """
        if not codes or (is_stated and self.language.code == "other"):
            return
        chain_codes = {self.language.code, self.language.meteor_code, *self.language.aliases}
        if chain_codes.isdisjoint(codes):
            resource_codes = ", ".join(map(repr, codes))
            raise ConfigError(f"{subject} of {resource_codes}, and the chain is for {self.language.code!r}")
