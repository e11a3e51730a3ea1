"""The language and the resources that a component can use when it is created."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from meteor_e.api.languages import Language, NonbreakingPrefixes
from meteor_e.base.errors import ConfigError


class PhraseTable(Protocol):
    """A table of paraphrases, such as :class:`meteor_e.packs.ParaphraseIndex`.

    Words and phrases have ids. The id of a phrase is called its *node*.
    """

    def word_id(self, word: str) -> int:
        """Return the id of a word, or -1 if no phrase contains it."""

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Return ``(length, node)`` of each phrase of the table that starts at a position, shortest first."""

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the nodes of the paraphrases of a phrase, in the table's order."""


class SynonymTable(Protocol):
    """A table of the synsets of words, such as :class:`meteor_e.packs.SynonymIndex`."""

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the ids of the synsets that contain a word."""

    def bases(self, word: str) -> tuple[str, ...]:
        """Return the base forms of a word in the list of exceptions."""


class Resources(Protocol):
    """The installed function words, abbreviations, synonyms and paraphrases of a language."""

    @property
    def function_words(self) -> frozenset[str]:
        """The function words, in lower case."""

    @property
    def nonbreaking_prefixes(self) -> NonbreakingPrefixes:
        """Abbreviations from which the final dot is not separated."""

    @property
    def synonyms(self) -> SynonymTable | None:
        """The synonyms; ``None`` if none are installed."""

    @property
    def paraphrases(self) -> PhraseTable | None:
        """The paraphrases; ``None`` if none are installed."""


class MatcherContext(NamedTuple):
    """The context of :meth:`Matcher.from_options`.

    Attributes:
        language: the language of the texts.
        resources: the installed resources of the language.
        explicit: whether the chain names this matcher. If the matcher is only part of the language's default chain, a
            missing optional resource may be tolerated.
    """

    language: Language
    resources: Resources
    explicit: bool = True

    def check_language(self, codes: Collection[str], what: str, *, claimed: bool = False) -> None:
        """Check that data belong to the chain's language.

        Args:
            codes: the languages of the data. If they are unknown, the argument is empty and every language is accepted.
            what: beginning of the error message, such as ``matcher 'vector': the vectors fr.vectors are``.
            claimed: whether the user has chosen the codes, by an option, the name of a file, or a pack. A chain for
                the language ``other`` accepts such codes, because they tell which language the text has.

        Raises:
            ConfigError: if the code, the aliases and METEOR's code of the chain's language are not among the codes.
        """
        language = self.language
        if not codes or (claimed and language.code == "other"):
            return
        if not {language.code, language.meteor_code, *language.aliases} & set(codes):
            raise ConfigError(f"{what} of {', '.join(map(repr, codes))}, and the chain is for {language.code!r}")
