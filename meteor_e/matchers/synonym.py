"""Words that share a synset."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from meteor_e.api.context import MatcherContext
from meteor_e.api.matchers import KeyMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ResourceError

if TYPE_CHECKING:
    from meteor_e.api.context import SynonymTable

_SUFFIXES = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e")),
    *(("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
"""WordNet's suffix rules: nouns, verbs, adjectives, in the order in which they are tried.

WordNet also cuts "ful" off nouns ("spoonsful"); METEOR 1.5 finds nothing for such words.
"""


class SynonymMatcher(KeyMatcher):
    """Different words match if the synsets of them or of their base forms meet.

    A word's base form comes from the exceptions list or, for words that are not in it, from WordNet's
    suffix rules (https://wordnet.princeton.edu/documentation/morphy7wn); the first form that has synsets wins.
    """

    name: ClassVar[str] = "synonym"
    core_family: ClassVar[str] = "synonyms"
    default_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("synonyms of a resource pack",)

    def __init__(self, synonyms: SynonymTable | None) -> None:
        self.synonyms = synonyms

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> SynonymMatcher:
        """Take the synonyms of the language's pack.

        Raises:
            ResourceError: if there are none, unless the matcher is optional.
        """
        synonyms = context.resources.synonyms
        if synonyms is None and context.explicit:
            raise ResourceError(
                f"matcher 'synonym': no synonyms are installed for language {context.language.code!r}; "
                "leave the matcher out or use one that brings its own"
            )
        return cls(synonyms)

    def keys(self, token: Token) -> set[int]:
        """Return the synsets of the word and of its base form."""
        synonyms = self.synonyms
        if synonyms is None:
            return set()
        word = token.form
        found = set(synonyms.synsets(word))
        bases = synonyms.bases(word)
        if bases:
            for base in bases:
                found.update(synonyms.synsets(base))
        else:
            found.update(_regular(synonyms, word))
        return found

    def describe(self) -> str:
        """Say so if there are no synonyms."""
        return "no synonyms" if self.synonyms is None else ""


def _regular(synonyms: SynonymTable, word: str) -> tuple[int, ...]:
    """Return the synsets of the base form that the suffix rules find."""
    if word.endswith(("ss", "ful")) or len(word) <= 2:
        return ()
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix):
            synsets = synonyms.synsets(word[: -len(suffix)] + replacement)
            if synsets:
                return synsets
    return ()
