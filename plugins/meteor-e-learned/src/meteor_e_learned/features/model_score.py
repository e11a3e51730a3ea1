"""Feature that is the score of another trained model, so that models can be stacked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ComponentOptions, ConfigError, Feature, FeatureBatch, Meta
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.metric import signature_of
from meteor_e_learned.modelfile import load_model
from meteor_e_learned.scoring import score_segments

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class ModelScoreFeature(Feature):
    """The raw score of a trained model, before conversion to a percentage."""

    name: ClassVar[str] = "model-score"
    dimension = 1

    class Options(ComponentOptions):
        """Options in a recipe."""

        model: Annotated[str, Meta(description="A model's name, such as en-light, or a model file.")]

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._model = load_model(options.model)
        self._store = FeatureStore(enabled=False)

    @classmethod
    def from_options(cls, context: MatcherContext, options: Any) -> Self:
        """Load the model.

        Raises:
            ConfigError: if the language of the model is not the recipe's language.
        """
        feature = super().from_options(context, options)
        language = feature._model.recipe.language
        if language != context.language.code:
            raise ConfigError(
                f"feature 'model-score': model {options.model!r} scores language {language!r}, and the recipe's is "
                f"{context.language.code!r}"
            )
        return feature

    @property
    def columns(self) -> tuple[str, ...]:
        """The name of the only column."""
        return ("score",)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Return the raw score of each hypothesis as a matrix with one column."""
        return score_segments(self._model, batch, self._store, raw=True)[:, None]

    def describe(self) -> str:
        """Return the model's signature, followed by the signatures of its features."""
        return "|".join([signature_of(self._model), *self._model.features.signature])

    def definition(self) -> str:
        """Return the signature of the model."""
        return signature_of(self._model)
