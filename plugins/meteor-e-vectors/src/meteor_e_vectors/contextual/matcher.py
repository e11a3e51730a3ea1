"""Define the matcher ``contextual``, which matches words that have similar meanings in context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from meteor_e.api import ContextualMatcher, Meta, Token
from meteor_e.api.contextual_matchers import SentenceMemory
from meteor_e.api.options import FolderPath, SimilarityOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class EncoderMatcher(ContextualMatcher):
    """A matcher for words to which a sentence encoder assigns similar vectors.

    The similarity is (1 + cosine)/2. The vector of a word is the mean of the vectors of its pieces, whereas Zhang et
    al. (2020) compare pieces. Equal words match with probability 1.
    """

    name: ClassVar[str] = "contextual"
    default_weight: ClassVar[float] = 0.6
    search_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("an encoder (meteor-e encoder install minilm)",)

    class Options(SimilarityOptions):
        """Define the options of the matcher ``contextual``, in addition to ``threshold`` and ``below``."""

        threshold: Annotated[float, Meta(ge=0, le=1, description="Minimum similarity, (1 + cosine)/2, of a match.")] = (
            0.7
        )
        encoder: Annotated[str, Meta(min_length=1, description="The name of an installed encoder.")] = "minilm"
        folder: Annotated[FolderPath, Meta(description="The folder of an encoder, instead of its name.")] | None = None
        layer: (
            Annotated[int, Meta(ge=1, description="The layer of the network with the vectors; by default the last.")]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        from meteor_e_vectors.contextual.encoder import open_encoder

        super().__init__(options)
        folder = options.folder
        if folder is not None and "/" not in folder:
            folder = f"./{folder}"
        self.encoder = open_encoder(folder or options.encoder, options.layer)

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> Self:
        """Create the matcher for a chain.

        Raises:
            ConfigError: if the encoder is for another language.
            ResourceError: if the encoder is missing or damaged.
        """
        from meteor_e_vectors.contextual.install import PACKAGED

        # The language is checked before the encoder is opened, so that nobody installs an encoder in vain.
        if options.folder is None and options.encoder in PACKAGED:
            cls._check_language(context, options.encoder, PACKAGED[options.encoder].languages)
        matcher = super().from_options(context, options)
        encoder = matcher.encoder
        cls._check_language(context, encoder.folder.name, encoder.description.languages)
        return matcher

    @classmethod
    def _check_language(cls, context: MatcherContext, encoder_name: str, languages: Sequence[str]) -> None:
        """Raise a ConfigError if an encoder does not support the language of a chain."""
        context.check_language(languages, f"matcher {cls.name!r}: the encoder {encoder_name!r} is")

    @property
    def memory(self) -> SentenceMemory:
        """Return a cache of recent sentence vectors. All matchers with the same encoder share this cache."""
        return self.encoder.memory

    def encode(self, sentences: Sequence[Sequence[Token]]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return the vectors of all words, and the index of the first word of each sentence."""
        rows = self.encoder.encode([[token.form for token in sentence] for sentence in sentences])
        return np.concatenate(rows), np.cumsum([0, *map(len, rows)])

    def describe(self) -> str:
        """Return the part of the metric's signature that describes the thresholds, the layer and the encoder."""
        below = "" if self.options.below is None else f" below={self.options.below}"
        encoder = self.encoder
        return f"threshold={self.options.threshold}{below} layer={encoder.layer} {encoder.folder.name}@{encoder.digest}"
