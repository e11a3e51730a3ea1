"""The matchers of METEOR 1.5, which calls them modules (exact, stem, synonym, paraphrase), and lemmas."""

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
        stemmer: name of a Snowball stemmer, such as ``english``. In a chain, the language's stemmer is the default.
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
        """Create the matcher; without options, for the stemmer of the language."""
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
        """Return the name of the stemmer, and the release of its library if it is not one of METEOR's stemmers."""
        version = getattr(self._stem, "version", None)
        return self.stemmer_name if version is None else f"{self.stemmer_name}, {version}"


class ResourceMatcher(Matcher):
    """A matcher whose table is a part of the resource pack of the language.

    Args:
        table: the table. With ``None``, nothing matches, and the signature reports the missing table.
    """

    default_weight: ClassVar[float] = 0.5
    part: ClassVar[str]
    """Name of the part of the pack."""
    no_table: ClassVar[str]
    """The entry of the signature if there is no table."""
    table: Any = None

    def __init__(self, table: Any) -> None:
        self.table = table

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> Self:
        """Use the table of the language's pack.

        Raises:
            ResourceError: if a chain names the matcher and there is no table. The default chain of a language works
                without the table.
        """
        table = getattr(context.resources, cls.part)
        if table is None and context.explicit:
            raise ResourceError(
                f"matcher {cls.name!r}: no {cls.part} are installed for language {context.language.code!r}; install a "
                "pack that has them (meteor-e pack install --from a METEOR 1.5 tarball), or leave the matcher out"
            )
        return cls(table)

    def describe(self) -> str:
        """Report a missing table."""
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
        """Return the synsets of the word and of its base form."""
        synonyms: SynonymTable | None = self.table
        if synonyms is None:
            return set()
        word = token.form
        synsets = set(synonyms.synsets(word))
        bases = synonyms.bases(word)
        if bases:
            for base in bases:
                synsets.update(synonyms.synsets(base))
        else:
            synsets.update(_synsets_of_regular_base(synonyms, word))
        return synsets


def _synsets_of_regular_base(synonyms: SynonymTable, word: str) -> tuple[int, ...]:
    """Return the synsets of the first base form by the suffix rules that has any."""
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
    """Different words match if they have the same lemma, by the lemmatizer of the chain.

    A word that the lemmatizer does not know is its own lemma. This matcher is for languages without a stemmer, or with
    an inflection that stemmers do not remove.
    """

    name: ClassVar[str] = "lemma"
    default_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("a lemmatizer in the chain",)
    needs_lemmas = True

    def keys(self, token: Token) -> tuple[str]:
        """Return the word's lemma."""
        return (token.lemma or token.form,)
