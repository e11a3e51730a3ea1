"""The matcher ``contextual``: words match if they mean the same in their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from meteor_e.api import ContextualMatcher, Meta, Token
from meteor_e.api.matchers import SentenceMemory
from meteor_e.api.options import FolderPath, SimilarityOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class EncoderMatcher(ContextualMatcher):
    """Words match if a sentence encoder gives them similar vectors: (1 + cosine)/2 of at least the threshold.

    A word's vector is the mean of those of its pieces (Zhang et al., 2020, compare pieces). Equal words match with
    probability 1.
    """

    name: ClassVar[str] = "contextual"
    default_weight: ClassVar[float] = 0.6
    search_weight: ClassVar[float] = 0.5
    requires: ClassVar[tuple[str, ...]] = ("an encoder (meteor-e encoder install minilm)",)

    class Options(SimilarityOptions):
        """What a chain may say beside ``threshold`` and ``below``."""

        threshold: Annotated[float, Meta(ge=0, le=1, description="Lowest similarity, (1 + cosine)/2, of a match.")] = (
            0.7
        )
        encoder: Annotated[str, Meta(min_length=1, description="The name of an installed encoder.")] = "minilm"
        folder: Annotated[FolderPath, Meta(description="The folder of an encoder, instead of its name.")] | None = None
        layer: (
            Annotated[int, Meta(ge=1, description="Layer of the network that gives the vectors; by default the last.")]
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
        """Refuse an encoder of another language, and do not ask to install it first."""
        from meteor_e_vectors.contextual.install import PACKAGED

        if options.folder is None and options.encoder in PACKAGED:
            languages = PACKAGED[options.encoder].languages
            context.check_language(languages, f"matcher {cls.name!r}: the encoder {options.encoder!r} is")
        made = super().from_options(context, options)
        what = f"matcher {cls.name!r}: the encoder {made.encoder.folder.name!r} is"
        context.check_language(made.encoder.description.languages, what)
        return made

    @property
    def memory(self) -> SentenceMemory:
        """The encoder's: matchers of several bands encode a sentence once."""
        return self.encoder.memory

    def encode(self, sentences: Sequence[Sequence[Token]]) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return the words' vectors, sentence by sentence."""
        rows = self.encoder.encode([[token.form for token in sentence] for sentence in sentences])
        return np.concatenate(rows), np.cumsum([0, *map(len, rows)])

    def describe(self) -> str:
        """Name threshold, band and layer, and the encoder by its digest."""
        below = "" if self.options.below is None else f" below={self.options.below}"
        encoder = self.encoder
        return f"threshold={self.options.threshold}{below} layer={encoder.layer} {encoder.folder.name}@{encoder.digest}"
