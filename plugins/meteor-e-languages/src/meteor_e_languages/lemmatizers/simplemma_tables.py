"""Lemmatizers that use the look-up tables and rules of the library simplemma."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, ClassVar

from meteor_e import ConfigError, Lemmatizer, MatcherContext, ResourceError
from meteor_e.api import ComponentOptions, Meta
from meteor_e.base.errors import near_miss
from meteor_e.base.lowercase import lowercase

_OTHER_CODES = {"no": "nb", "sr": "hbs", "hr": "hbs", "bs": "hbs", "sh": "hbs", "cz": "cs"}
"""The codes of simplemma for languages that have another code in meteor_e."""


class SimplemmaLemmatizer(Lemmatizer):
    """A lemmatizer for about fifty languages, which returns lowercased lemmas without tags."""

    name: ClassVar[str] = "simplemma"
    requires: ClassVar[tuple[str, ...]] = ("simplemma",)
    tags = False

    class Options(ComponentOptions):
        """The options in a chain."""

        language: (
            Annotated[str, Meta(description="The language's code in simplemma; by default the chain's language.")]
            | None
        ) = None
        greedy: Annotated[
            bool, Meta(description="Apply more rules to unknown words, which finds more lemmas and more wrong ones.")
        ] = False

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._language = options.language or ""
        languages = list_languages()
        if self._language not in languages:
            raise ConfigError(
                f"lemmatizer {self.name!r}: simplemma does not know the language {self._language!r}"
                f"{near_miss(self._language, languages)}; it knows {', '.join(sorted(languages))}"
            )

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> SimplemmaLemmatizer:
        """Create the lemmatizer for a matcher chain. Raise ConfigError if the lemmatizer is for another language."""
        code = simplemma_code(context.language.code)
        if options.language not in (None, code):
            context.check_language([str(options.language)], f"lemmatizer {cls.name!r}: the lemmas are", is_stated=True)
        return cls(options.replaced(language=options.language or code))

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, None]]:
        """Return the lemma of each word. If simplemma does not find a lemma, the word is returned."""
        return [(self._lemma(word), None) for word in words]

    def _lemma(self, word: str) -> str:
        from simplemma import lemmatize

        try:
            lemma = lemmatize(word, lang=self._language, greedy=self.options.greedy)
        except UnicodeEncodeError:  # a lone surrogate
            return word
        return lowercase(lemma) or word

    def describe(self) -> str:
        """Return the simplemma version, the language and the options as text for the metric's signature."""
        greedy = " greedy" if self.options.greedy else ""
        return f"{version('simplemma')} {self._language}{greedy}"


class AutoLemmatizer(Lemmatizer):
    """A lemmatizer that uses simplemma if it supports the language, and otherwise does not return lemmas."""

    name: ClassVar[str] = "auto"
    requires: ClassVar[tuple[str, ...]] = ("simplemma",)
    tags = False

    def __init__(self, lemmatizer: SimplemmaLemmatizer | None = None, /) -> None:
        self._lemmatizer = lemmatizer

    @classmethod
    def from_options(cls, context: MatcherContext, options: None) -> AutoLemmatizer:
        """Create the lemmatizer for a matcher chain. Use simplemma if it supports the language.

        Raises:
            ResourceError: if simplemma is not installed.
        """
        code = simplemma_code(context.language.code)
        if code not in list_languages():
            return cls(None)
        return cls(SimplemmaLemmatizer(SimplemmaLemmatizer.Options(language=code)))

    def lemmatize(self, words: Sequence[str]) -> Sequence[tuple[str | None, str | None]]:
        """Return the lemma of each word, or ``None`` for each word if simplemma does not support the language."""
        if self._lemmatizer is None:
            return [(None, None)] * len(words)
        return self._lemmatizer.lemmatize(words)

    def describe(self) -> str:
        """Return the text that describes simplemma in the metric's signature, or ``none`` without simplemma."""
        return "none" if self._lemmatizer is None else f"simplemma {self._lemmatizer.describe()}"


def simplemma_code(language: str) -> str:
    """Return the code that simplemma uses for a language."""
    return _OTHER_CODES.get(language, language)


def list_languages() -> frozenset[str]:
    """Return simplemma's codes for the languages that it supports.

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
