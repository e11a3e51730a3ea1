"""Lemmas and tags by HanTa, the Hanover Tagger (Wartena, 2019), whose models come with the package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from meteor_e import ConfigError, MatcherContext, ResourceError
from meteor_e.api import ComponentOptions, Meta
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e.base.errors import near_miss
from meteor_e.base.lowercase import lowercase
from meteor_e_languages.lemmatizers.picklable import PicklableLemmatizer
from meteor_e_languages.lemmatizers.tags import universal_tag

LONGEST = 64
"""Characters of a word that HanTa sees, the last ones: it takes time in the square of a word's length."""

LEMMA_LIMIT = 1 << 17
"""Pairs of word and tag whose lemmas are remembered; the memory is emptied when it is full."""


class _Model(NamedTuple):
    file: str
    tags: str


MODELS = {
    "de": _Model("morphmodel_ger.pgz", "de"),
    "en": _Model("morphmodel_en.pgz", "en-c5"),
    "nl": _Model("morphmodel_dutch.pgz", "nl"),
}
"""The model of each language, and what its tags are called in :mod:`meteor_e_languages.lemmatizers.tags`."""


class HantaLemmatizer(PicklableLemmatizer):
    """Lemmas (in lower case) and universal tags of whole sentences, by HanTa; for German, English and Dutch.

    Raises:
        ConfigError: if HanTa has no model of the language.
        ResourceError: if HanTa is not installed.
    """

    name: ClassVar[str] = "hanta"
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"
    requires: ClassVar[tuple[str, ...]] = ("HanTa",)
    unpicklable = ("_tagger",)

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        language: Annotated[str, Meta(description="de, en or nl; by default the chain's language.")] | None = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._language = options.language or ""
        if self._language not in MODELS:
            raise ConfigError(
                f"lemmatizer {self.name!r}: HanTa has no model of the language {self._language!r}"
                f"{near_miss(self._language, MODELS)}; it has {', '.join(sorted(MODELS))}"
            )
        self._start()

    def _start(self) -> None:
        self._tagger = _tagger(self._language)
        self._lemmas = BoundedCache[tuple[str, str], str](LEMMA_LIMIT)  # never pickled

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> HantaLemmatizer:
        """Take the chain's language; ConfigError if another one is named."""
        if options.language is not None:
            context.check_language([options.language], f"lemmatizer {cls.name!r}: the lemmas are", claimed=True)
        return cls(options.replaced(language=options.language or context.language.code))

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, str | None]]:
        """Tag a sentence; a word without a lemma is its own, and so is one that is too long to be looked into."""
        tags = self._tagger.tag_sent([word[-LONGEST:] for word in words], taglevel=0, casesensitive=False)
        tag_set = MODELS[self._language].tags
        return [(self._lemma(word, tag), universal_tag(tag, tag_set)) for word, tag in zip(words, tags, strict=True)]

    def _lemma(self, word: str, tag: str) -> str:
        if not word or len(word) > LONGEST:
            return word
        lemma = self._lemmas.get((word, tag))
        if lemma is None:
            lemma = lowercase(self._tagger.analyze(word, tag, casesensitive=False)[0]) or word
            self._lemmas[word, tag] = lemma
        return lemma

    def describe(self) -> str:
        """Name the version, whose models decide, and the language."""
        from importlib.metadata import version

        return f"{version('HanTa')} {self._language}"


@cache
def _tagger(language: str) -> Any:
    """Read a model, once a process; tagging does not change it.

    Models are pickles. Only those that are installed with HanTa are read, and by their whole path: HanTa looks for a
    mere name in the working directory first.
    """
    try:
        from HanTa import HanoverTagger  # type: ignore[import-untyped]
    except ImportError as error:
        raise ResourceError(
            "lemmatizer 'hanta': HanTa is not installed; install it with `pip install \"meteor-e-languages[hanta]\"`"
        ) from error
    path = Path(HanoverTagger.__file__).with_name(MODELS[language].file)
    if not path.is_file():
        raise ResourceError(f"lemmatizer 'hanta': there is no model {path}; install HanTa 1.2 or later")
    return HanoverTagger.HanoverTagger(str(path))
