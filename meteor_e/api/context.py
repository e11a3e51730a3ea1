"""What a component may draw on when it is made: the language and its resources."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from meteor_e.api.languages import Language, NonbreakingPrefixes
from meteor_e.base.errors import ConfigError


class PhraseTable(Protocol):
    """A table of phrase pairs, as :class:`meteor_e.packs.ParaphraseIndex` gives it.

    Words and phrases have numbers; a phrase's number is its *node*.
    """

    def word_id(self, word: str) -> int:
        """Return the number of a word, -1 if no phrase holds it."""

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Return ``(length, node)`` of each phrase of the table that begins at a position, shortest first."""

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the nodes that the table pairs with a phrase, in the table's order."""


class SynonymTable(Protocol):
    """Synsets of words, as :class:`meteor_e.packs.SynonymIndex` gives them."""

    def synsets(self, word: str) -> tuple[int, ...]:
        """Return the synsets that have a word."""

    def bases(self, word: str) -> tuple[str, ...]:
        """Return the base forms that the list of exceptions gives for a word."""


class Resources(Protocol):
    """Function words, prefixes, synonyms and paraphrases of a language, as far as they are installed."""

    @property
    def function_words(self) -> frozenset[str]:
        """The function words, in lower case."""

    @property
    def nonbreaking_prefixes(self) -> NonbreakingPrefixes:
        """Abbreviations whose final dot stays."""

    @property
    def synonyms(self) -> SynonymTable | None:
        """The synonyms; ``None`` where there are none."""

    @property
    def paraphrases(self) -> PhraseTable | None:
        """The paraphrases; ``None`` where there are none."""


class MatcherContext(NamedTuple):
    """What :meth:`Matcher.from_options` may draw on.

    Attributes:
        language: the language that is scored.
        resources: its function words, synonyms and paraphrases, as far as they are installed.
        explicit: whether the chain asks for this matcher by name; ``False`` if it is there by the
            language's default, when a missing optional resource may be tolerated.
    """

    language: Language
    resources: Resources
    explicit: bool = True

    def check_language(self, codes: Collection[str], what: str, *, claimed: bool = False) -> None:
        """Refuse data of another language than the chain's.

        Args:
            codes: the languages of the data; none where they are not known, and nothing is refused.
            what: begins the error: ``matcher 'vector': the vectors fr.vectors are``.
            claimed: the codes come from an option, the name of a file, or a pack that the chain names. A chain for
                ``other`` takes them: they say which other language it is.

        Raises:
            ConfigError: if the chain's language is none of them, by its code, its aliases or METEOR's code.
        """
        own = self.language
        if not codes or (claimed and own.code == "other"):
            return
        if not {own.code, own.meteor_code, *own.aliases} & set(codes):
            raise ConfigError(f"{what} of {', '.join(map(repr, codes))}, and the chain is for {own.code!r}")
