"""Lemmas and tags by UDPipe 1, with a model that the user has."""

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
    """Lemmas (in lower case) and universal tags of whole sentences, by a model of UDPipe 1.

    Raises:
        ResourceError: if UDPipe is not installed, or the file is no model.
    """

    name: ClassVar[str] = "udpipe"
    scope: ClassVar[Literal["word", "sentence"]] = "sentence"
    requires: ClassVar[tuple[str, ...]] = ("ufal.udpipe", "a UDPipe model")
    unpicklable = ("_model", "_lock")

    class Options(ComponentOptions):
        """What a chain may say beside the name."""

        model_file: Annotated[FilePath, Meta(description="The model, from https://ufal.mff.cuni.cz/udpipe/1/models.")]
        language: (
            Annotated[
                str,
                Meta(description="Code of the model's language; by default what its name says (french-gsd.udpipe)."),
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
        """Refuse a model of another language than the chain's."""
        name = Path(options.model_file).name
        stated = named_languages(name) if options.language is None else [options.language]
        context.check_language(stated, f"lemmatizer {cls.name!r}: the lemmas of {name} are", claimed=True)
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
        """Tag a sentence; a word that the model gives no lemma is its own."""
        from ufal.udpipe import Model, ProcessingError, Sentence

        sentence = Sentence()
        for word in words:
            # UDPipe reads C strings in UTF-8.
            sentence.addWord(word.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8"))
        error = ProcessingError()
        with self._lock:
            done = self._model.tag(sentence, Model.DEFAULT, error)
        if not done:
            raise PluginError(f"UDPipe could not tag a sentence of {len(words)} words: {error.message}")
        # The first word is the sentence's root.
        tagged = list(sentence.words)[1:]
        return [
            ((one.lemma or word).lower() or word, one.upostag or None) for word, one in zip(words, tagged, strict=True)
        ]

    def describe(self) -> str:
        """Name the model and the beginning of its SHA-256."""
        return f"{self._path.name}@{self._digest}"
