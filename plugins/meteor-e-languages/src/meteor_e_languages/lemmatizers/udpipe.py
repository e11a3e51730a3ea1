"""Lemmatize and tag words with UDPipe 1 and a model that the user provides."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from meteor_e.api import ComponentOptions, FilePath, MatcherContext, Meta, PluginError, ResourceError
from meteor_e.languages.files import named_languages
from meteor_e_languages.lemmatizers.picklable import PicklableLemmatizer


class UdpipeLemmatizer(PicklableLemmatizer):
    """A lemmatizer for sentences, which returns lowercased lemmas and universal tags.

    Raises:
        ResourceError: if UDPipe is not installed, or the file is not a model.
    """

    name: ClassVar[str] = "udpipe"
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"
    requires: ClassVar[tuple[str, ...]] = ("ufal.udpipe", "a UDPipe model")
    unpicklable = ("_model", "_lock")

    class Options(ComponentOptions):
        """The options in a chain."""

        model_file: Annotated[FilePath, Meta(description="The model, from https://ufal.mff.cuni.cz/udpipe/1/models.")]
        language: (
            Annotated[
                str,
                Meta(description="Code of the model's language; by default, a name like french-gsd.udpipe names it."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._path = Path(options.model_file)
        try:
            self._digest = hashlib.sha256(self._path.read_bytes()).hexdigest()[:12]
        except OSError as error:
            raise ResourceError(f"lemmatizer 'udpipe': cannot read {self._path}: {error.strerror}") from error
        self._start()

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> UdpipeLemmatizer:
        """Create the lemmatizer for a matcher chain. Raise ConfigError if the model is for another language."""
        name = Path(options.model_file).name
        languages = named_languages(name) if options.language is None else [options.language]
        context.check_language(languages, f"lemmatizer {cls.name!r}: the lemmas of {name} are", is_stated=True)
        return super().from_options(context, options)

    def _start(self) -> None:
        try:
            from ufal.udpipe import Model  # type: ignore[import-untyped]
        except ImportError as error:
            raise ResourceError(
                "lemmatizer 'udpipe': UDPipe is not installed; "
                'install it with `pip install "meteor-e-languages[udpipe]"`'
            ) from error
        self._model: Any = Model.load(str(self._path))
        if self._model is None:
            raise ResourceError(f"lemmatizer 'udpipe': {self._path} is not a model of UDPipe 1")
        self._lock = threading.Lock()

    def lemmatize(self, words: Sequence[str]) -> list[tuple[str | None, str | None]]:
        """Return the lemma and tag of each word of a sentence. A word without a lemma is its own lemma."""
        from ufal.udpipe import Sentence

        sentence = Sentence()
        for word in words:
            sentence.addWord(_clean_word(word))
        self._tag(sentence, len(words))
        tagged_words = list(sentence.words)[1:]  # The first word is the root of the sentence.
        return [
            ((tagged_word.lemma or word).lower(), tagged_word.upostag or None)
            for word, tagged_word in zip(words, tagged_words, strict=True)
        ]

    def _tag(self, sentence: Any, n_words: int) -> None:
        """Add lemmas and tags to the words of a sentence.

        Raises:
            PluginError: if UDPipe fails.
        """
        from ufal.udpipe import Model, ProcessingError

        error = ProcessingError()
        with self._lock:
            is_tagged = self._model.tag(sentence, Model.DEFAULT, error)
        if not is_tagged:
            raise PluginError(f"UDPipe could not tag a sentence of {n_words} words: {error.message}")

    def describe(self) -> str:
        """Return the text that identifies the model in the metric's signature."""
        return f"{self._path.name}@{self._digest}"


def _clean_word(word: str) -> str:
    """Replace null characters and lone surrogates, because UDPipe expects null-terminated strings in UTF-8."""
    return word.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
