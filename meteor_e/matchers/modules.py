"""The matchers of METEOR 1.5, which it calls modules (exact, stem, synonym, paraphrase), and lemmas."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api.context import MatcherContext
from meteor_e.api.matchers import KeyMatcher, Matcher, PhraseMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import ConfigError, ResourceError
from meteor_e.text.stemming import stemmer as find_stemmer

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api.context import SynonymTable

_SUFFIXES = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
    *(("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e")),
    *(("ing", ""), ("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)
"""WordNet's suffix rules: nouns, verbs, adjectives, in the order in which they are tried.

WordNet also cuts "ful" off nouns ("spoonsful"); METEOR 1.5 finds nothing for such words.
"""


class ExactMatcher(KeyMatcher):
    """Words match if they are equal."""

    name: ClassVar[str] = "exact"
    search_weight: ClassVar[float] = 1.0
    match_equal_words: ClassVar[bool] = True
    core_family: ClassVar[str] = "exact"

    def keys(self, token: Token) -> tuple[Hashable]:
        """Return the word's identity."""
        return (self.identity(token.form),)


class StemMatcher(KeyMatcher):
    """Different words match if their Snowball stems are equal.

    Args:
        stemmer: name of a Snowball stemmer, such as ``english``; in a chain, by default the language's.
    """

    name: ClassVar[str] = "stem"
    core_family: ClassVar[str] = "strings"
    default_weight: ClassVar[float] = 0.5

    Options: ClassVar[type[Any] | str | None] = "meteor_e.api.options:StemOptions"

    def __init__(self, stemmer: str) -> None:
        self.stemmer_name = stemmer
        self._stem = find_stemmer(stemmer)

    @classmethod
    def make(cls, context: Any = None, /, **options: Any) -> Self:
        """Make the matcher; a chain that names no stemmer gets the language's, without the time to look at options."""
        stemmer = cls.check_options(options).stemmer if options else None
        if stemmer is None:
            stemmer = context.language.stemmer
        if stemmer is None:
            raise ConfigError(
                f"matcher 'stem': language {context.language.code!r} has no stemmer; "
                "leave the matcher out or name one with the option 'stemmer'"
            )
        return cls(stemmer)

    def stem(self, token: Token) -> str:
        """Return the word's stem."""
        return self._stem(token.form)

    def keys(self, token: Token) -> tuple[Hashable]:
        """Return the identity of the word's stem."""
        return (self.identity(self._stem(token.form)),)

    def describe(self) -> str:
        """Name the stemmer, and where its stems are not METEOR's the release that has them."""
        version = getattr(self._stem, "version", None)
        return self.stemmer_name if version is None else f"{self.stemmer_name}, {version}"


class ResourceMatcher(Matcher):
    """A matcher whose table is a part of the language's resources.

    Args:
        table: the table; ``None`` matches nothing, and the signature says so.
    """

    default_weight: ClassVar[float] = 0.5
    part: ClassVar[str]
    """Name of the part."""
    no_table: ClassVar[str]
    """What the signature says where there is none."""
    table: Any = None

    def __init__(self, table: Any) -> None:
        self.table = table

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Take the table of the language's pack.

        Raises:
            ResourceError: if a chain asks for the matcher and there is no table. A language's default chain
                goes without.
        """
        table = getattr(context.resources, cls.part)
        if table is None and context.explicit:
            raise ResourceError(
                f"matcher {cls.name!r}: no {cls.part} are installed for language {context.language.code!r}; install a "
                "pack that has them (meteor-e pack install --from a METEOR 1.5 tarball), or leave the matcher out"
            )
        return cls(table)

    def describe(self) -> str:
        """Say so if there is no table."""
        return self.no_table if self.table is None else ""


class SynonymMatcher(ResourceMatcher, KeyMatcher):
    """Different words match if the synsets of them or of their base forms meet.

    A word's base form comes from the exceptions list or, for words that are not in it, from WordNet's
    suffix rules (https://wordnet.princeton.edu/documentation/morphy7wn); the first form that has synsets wins.
    """

    name: ClassVar[str] = "synonym"
    core_family: ClassVar[str] = "synonyms"
    requires: ClassVar[tuple[str, ...]] = ("synonyms of a resource pack",)
    part: ClassVar[str] = "synonyms"
    no_table: ClassVar[str] = "no synonyms"

    def keys(self, token: Token) -> set[int]:
        """Return the synsets of the word and of its base form."""
        synonyms: SynonymTable | None = self.table
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


class ParaphraseMatcher(ResourceMatcher, PhraseMatcher):
    """Phrases match if the paraphrase table pairs them."""

    name: ClassVar[str] = "paraphrase"
    requires: ClassVar[tuple[str, ...]] = ("paraphrases of a resource pack",)
    part: ClassVar[str] = "paraphrases"
    no_table: ClassVar[str] = "no table"


class LemmaMatcher(KeyMatcher):
    """Different words match if the chain's lemmatizer gives them one lemma.

    A word that it does not know is its own lemma. For languages that no stemmer is known of, or whose inflection stems
    do not undo.
    """

    name: ClassVar[str] = "lemma"
    default_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("a lemmatizer in the chain",)
    needs_lemmas = True

    def keys(self, token: Token) -> tuple[str]:
        """Return the word's lemma."""
        return (token.lemma or token.form,)
