"""Lemmas by simplemma: look-up tables, and rules for words that are in none."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, ClassVar

from meteor_e import ConfigError, Lemmatizer, MatcherContext, ResourceError
from meteor_e.api import ComponentOptions, Meta
from meteor_e.base.errors import near_miss
from meteor_e.base.lowercase import lowercase

_OTHER_CODES = {"no": "nb", "sr": "hbs", "hr": "hbs", "bs": "hbs", "sh": "hbs", "cz": "cs"}
"""Languages that simplemma knows by another code."""


class SimplemmaLemmatizer(Lemmatizer):
    """Lemmas by simplemma (tables of some fifty languages), in lower case; no tags."""

    name: ClassVar[str] = "simplemma"
    requires: ClassVar[tuple[str, ...]] = ("simplemma",)
    tags = False

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        language: (
            Annotated[str, Meta(description="The language's code in simplemma; by default the chain's language.")]
            | None
        ) = None
        greedy: Annotated[
            bool, Meta(description="Look further for lemmas of unknown words: finds more, and more that are wrong.")
        ] = False

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        known, self._language = known_languages(), options.language or ""
        if self._language not in known:
            raise ConfigError(
                f"lemmatizer {self.name!r}: simplemma does not know the language {self._language!r}"
                f"{near_miss(self._language, known)}; it knows {', '.join(sorted(known))}"
            )

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> SimplemmaLemmatizer:
        """Take the chain's language; ConfigError if another one is named."""
        own = simplemma_code(context.language.code)
        if options.language not in (None, own):
            context.check_language([str(options.language)], f"lemmatizer {cls.name!r}: the lemmas are", claimed=True)
        return cls(options.replaced(language=options.language or own))

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, None]]:
        """Return the lemma of each word: the word itself where simplemma finds none."""
        return [(self._lemma(word), None) for word in words]

    def _lemma(self, word: str) -> str:
        from simplemma import lemmatize

        try:
            lemma = lemmatize(word, lang=self._language, greedy=self.options.greedy)
        except UnicodeEncodeError:  # half a surrogate pair, which no table has
            return word
        return lowercase(lemma) or word

    def describe(self) -> str:
        """Name the version, whose tables decide, and the language."""
        return f"{version('simplemma')} {self._language}{' greedy' if self.options.greedy else ''}"


class AutoLemmatizer(Lemmatizer):
    """simplemma where it knows the language, and no lemmas where it does not."""

    name: ClassVar[str] = "auto"
    requires: ClassVar[tuple[str, ...]] = ("simplemma",)
    tags = False

    def __init__(self, lemmatizer: SimplemmaLemmatizer | None = None, /) -> None:
        self._lemmatizer = lemmatizer

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> AutoLemmatizer:
        """Look whether simplemma knows the chain's language.

        Raises:
            ResourceError: if simplemma is not installed.
        """
        code = simplemma_code(context.language.code)
        known = code in known_languages()
        return cls(SimplemmaLemmatizer(SimplemmaLemmatizer.Options(language=code)) if known else None)

    def lemmatize(self, words: Sequence[str]) -> Sequence[tuple[str | None, str | None]]:
        """Return simplemma's lemmas, or none."""
        return [(None, None)] * len(words) if self._lemmatizer is None else self._lemmatizer.lemmatize(words)

    def describe(self) -> str:
        """Say which it is."""
        return "none" if self._lemmatizer is None else f"simplemma {self._lemmatizer.describe()}"


def simplemma_code(language: str) -> str:
    """Return simplemma's code of a language."""
    return _OTHER_CODES.get(language, language)


def known_languages() -> frozenset[str]:
    """Return the codes of the languages that simplemma has tables for.

    Raises:
        ResourceError: if simplemma is not installed.
    """
    try:
        from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
    except ImportError as error:
        raise ResourceError(
            'simplemma is not installed; install it with `pip install "meteor-e-languages[simplemma]"`'
        ) from error
    return frozenset(SUPPORTED_LANGUAGES)
