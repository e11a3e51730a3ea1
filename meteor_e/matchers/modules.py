"""Define the matchers of METEOR 1.5 for stems, synonyms and paraphrases, and a matcher for lemmas."""

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
"""WordNet's suffix rules for nouns, verbs and adjectives, in the order in which they are tried.

WordNet also removes "ful" from nouns ("spoonsful"). METEOR 1.5 does not find a base form of such words.
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
        stemmer: the name of a Snowball stemmer, such as ``english``. In a chain, the language's stemmer is the default.
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
        """Create the matcher. By default, it uses the stemmer of the context's language."""
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
        """Return the name of the stemmer. If METEOR lacks this stemmer, append the version of the stemmer's library."""
        version = getattr(self._stem, "version", None)
        return self.stemmer_name if version is None else f"{self.stemmer_name}, {version}"


class ResourceMatcher(Matcher):
    """Match words or phrases with a table from the resource pack of the language.

    Args:
        table: the table. If it is ``None``, no words match, and the signature reports that the table is missing.
    """

    default_weight: ClassVar[float] = 0.5
    part: ClassVar[str]
    """The name of the resource in the pack."""
    no_table: ClassVar[str]
    """The description in the signature if the table is missing."""
    table: Any = None

    def __init__(self, table: Any) -> None:
        self.table = table

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Use the table of the language's pack.

        Raises:
            ResourceError: if a chain names the matcher explicitly and the table is missing.
        """
        table = getattr(context.resources, cls.part)
        if table is None and context.explicit:
            raise ResourceError(
                f"matcher {cls.name!r}: no {cls.part} are installed for language {context.language.code!r}; install a "
                "pack that has them (meteor-e pack install --from a METEOR 1.5 tarball), or leave the matcher out"
            )
        return cls(table)

    def describe(self) -> str:
        """Return a note for the signature if the table of synonyms or paraphrases is missing."""
        return self.no_table if self.table is None else ""


class SynonymMatcher(ResourceMatcher, KeyMatcher):
    """Different words match if they or their base forms share a synset.

    The base form of a word comes from the list of exceptions. If the word is not in the list, WordNet's suffix rules
    are tried (https://wordnet.princeton.edu/documentation/morphy7wn), and the first form that has synsets is used.
    """

    name: ClassVar[str] = "synonym"
    core_family: ClassVar[str] = "synonyms"
    requires: ClassVar[tuple[str, ...]] = ("synonyms of a resource pack",)
    part: ClassVar[str] = "synonyms"
    no_table: ClassVar[str] = "no synonyms"

    def keys(self, token: Token) -> set[int]:
        """Return the synsets of a word, including the synsets of its base forms."""
        table: SynonymTable | None = self.table
        if table is None:
            return set()
        synsets = set(table.synsets(token.form))
        irregular_bases = table.bases(token.form)
        for base in irregular_bases:
            synsets.update(table.synsets(base))
        if not irregular_bases:
            synsets.update(_synsets_of_regular_base(table, token.form))
        return synsets


def _synsets_of_regular_base(synonyms: SynonymTable, word: str) -> tuple[int, ...]:
    """Find base forms of a word with WordNet's suffix rules, and return the synsets of the first known base form."""
    if word.endswith(("ss", "ful")) or len(word) <= 2:
        return ()
    for suffix, replacement in _SUFFIXES:
        if word.endswith(suffix):
            synsets = synonyms.synsets(word[: -len(suffix)] + replacement)
            if synsets:
                return synsets
    return ()


class ParaphraseMatcher(ResourceMatcher, PhraseMatcher):
    """Two phrases match if the paraphrase table contains them as a pair."""

    name: ClassVar[str] = "paraphrase"
    requires: ClassVar[tuple[str, ...]] = ("paraphrases of a resource pack",)
    part: ClassVar[str] = "paraphrases"
    no_table: ClassVar[str] = "no table"


class LemmaMatcher(KeyMatcher):
    """Different words match if the lemmatizer of the chain assigns the same lemma to them.

    If the lemmatizer does not know a word, the word is its own lemma. This matcher is useful for languages without a
    stemmer, and for inflected forms from which a stemmer cannot remove the ending.
    """

    name: ClassVar[str] = "lemma"
    default_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("a lemmatizer in the chain",)
    needs_lemmas = True

    def keys(self, token: Token) -> tuple[str]:
        """Return the word's lemma."""
        return (token.lemma or token.form,)
