"""Lemmatize and tag words with HanTa, the Hanover Tagger (Wartena, 2019), and the models that it contains."""

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

MAX_CHARACTERS = 64
"""The number of last characters of a word that HanTa reads. Its time grows with the square of the length."""

LEMMA_LIMIT = 1 << 17
"""Maximum number of cached lemmas, each for a pair of word and tag. The cache is emptied when it is full."""


class _Model(NamedTuple):
    """The file name of a HanTa model, and the name of the tag set that the model uses.

    The tag sets are defined in :mod:`meteor_e_languages.lemmatizers.tags`.
    """

    file: str
    tag_set: str


MODELS = {
    "de": _Model("morphmodel_ger.pgz", "de"),
    "en": _Model("morphmodel_en.pgz", "en-c5"),
    "nl": _Model("morphmodel_dutch.pgz", "nl"),
}
"""The model of each language."""


class HantaLemmatizer(PicklableLemmatizer):
    """A lemmatizer for German, English and Dutch sentences, which returns lowercased lemmas and universal tags.

    Raises:
        ConfigError: if HanTa does not have a model of the language.
        ResourceError: if HanTa is not installed.
    """

    name: ClassVar[str] = "hanta"
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"
    requires: ClassVar[tuple[str, ...]] = ("HanTa",)
    unpicklable = ("_tagger",)

    class Options(ComponentOptions):
        """The options in a chain."""

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
        self._tagger = _load_tagger(self._language)
        self._lemmas = BoundedCache[tuple[str, str], str](LEMMA_LIMIT)  # pickled without its content

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> HantaLemmatizer:
        """Create the lemmatizer for a matcher chain. Raise ConfigError if the lemmatizer is for another language."""
        if options.language is not None:
            context.check_language([options.language], f"lemmatizer {cls.name!r}: the lemmas are", is_stated=True)
        return cls(options.replaced(language=options.language or context.language.code))

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str, str | None]]:
        """Return the lemma and tag of each word of a sentence. A word that is unknown or too long is its own lemma."""
        tags = self._tagger.tag_sent([word[-MAX_CHARACTERS:] for word in words], taglevel=0, casesensitive=False)
        tag_set = MODELS[self._language].tag_set
        return [(self._lemma(word, tag), universal_tag(tag, tag_set)) for word, tag in zip(words, tags, strict=True)]

    def _lemma(self, word: str, tag: str) -> str:
        """Return the lemma of a word with the given HanTa tag."""
        if not word or len(word) > MAX_CHARACTERS:
            return word
        lemma = self._lemmas.get((word, tag))
        if lemma is None:
            lemma = lowercase(self._tagger.analyze(word, tag, casesensitive=False)[0]) or word
            self._lemmas[word, tag] = lemma
        return lemma

    def describe(self) -> str:
        """Return the text that identifies the HanTa version and the language in the metric's signature."""
        from importlib.metadata import version

        return f"{version('HanTa')} {self._language}"


@cache
def _load_tagger(language: str) -> Any:
    """Load a HanTa model. All lemmatizers of a process share the model, because tagging does not change it.

    Models are pickle files, so only models that are installed with HanTa are loaded. An absolute path is used, because
    HanTa would search the working directory for a relative path.
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
