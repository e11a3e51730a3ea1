"""The texts and the features that the network of MaxSD reads (Ma et al., 2016)."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from meteor_e_learned.models.texts import TextSamples
from numpy.typing import NDArray

from meteor_e.api import ConfigError
from meteor_e.base.array_cache import Floats
from meteor_e_papers.comparisons import Integers
from meteor_e_papers.splitting import split


class WordTable:
    """A vocabulary with word vectors. Row 0 of the table is a zero vector for all unknown words.

    Args:
        words: the words of the vocabulary.
        table: the vectors of the words, ``(words, dimension)``.
    """

    def __init__(self, words: Sequence[str], table: NDArray[np.float32]) -> None:
        self.words = list(words)
        self.table = np.vstack([np.zeros((1, table.shape[1]), np.float32), np.asarray(table, np.float32)])
        self._rows = {word: row for row, word in enumerate(self.words, 1)}

    def find_rows(self, words: Sequence[str]) -> Integers:
        """Return the row of each word in the table. The row of an unknown word is 0."""
        return np.array([self._rows.get(word, 0) for word in words], np.int64)


@dataclass
class FeatureScaler:
    """Clips and standardizes features.

    Attributes:
        low, high: the bounds of each feature.
        mean, scale: the mean and the standard deviation of each feature after clipping. The scale of a constant
            feature is infinite.
    """

    low: Floats
    high: Floats
    mean: Floats
    scale: Floats

    @classmethod
    def fit(cls, features: Floats, clip: float) -> FeatureScaler:
        """Determine the bounds, the mean and the standard deviation of features.

        Args:
            features: the features, ``(hypotheses, features)``.
            clip: the quantile of the lower bounds. The quantile of the upper bounds is ``1 - clip``.
        """
        low, high = np.quantile(features, [clip, 1 - clip], axis=0)
        clipped = features.clip(low, high)
        deviation = clipped.std(axis=0)
        scale = np.where(deviation > 1e-9, deviation, np.inf)
        return cls(low, high, clipped.mean(axis=0), scale)

    @classmethod
    def restore(cls, arrays: Mapping[str, NDArray[Any]]) -> FeatureScaler:
        """Restore a scaler from the arrays of a model file.

        Raises:
            ValueError: if the arrays differ in shape.
        """
        scaler = cls(*(arrays[name].astype(float) for name in ("low", "high", "mean", "scale")))
        shapes = {array.shape for array in vars(scaler).values()}
        if len(shapes) > 1 or scaler.low.ndim != 1:
            raise ValueError("the arrays of the features' scale differ in shape")
        return scaler

    def scale_features(self, features: Floats) -> NDArray[np.float32]:
        """Clip and standardize features.

        Raises:
            ConfigError: if the number of features differs from that of the training data.
        """
        if features.shape[1] != len(self.low):
            raise ConfigError(f"{features.shape[1]} features; the model has {len(self.low)}")
        standardized = (features.clip(self.low, self.high) - self.mean) / self.scale
        return standardized.astype(np.float32)


@dataclass
class PreparedTexts:
    """The input of the network.

    Attributes:
        hypotheses: the row indexes of the words of each hypothesis in the word table.
        references: the row indexes of the words of each reference of each hypothesis.
        features: the scaled features, ``(hypotheses, features)``.
    """

    hypotheses: list[Integers]
    references: list[list[Integers]]
    features: NDArray[np.float32]

    def find_max_lengths(self) -> Integers:
        """For each hypothesis, return the word count of the longest text among the hypothesis and its references."""
        lengths = []
        for hypothesis, references in zip(self.hypotheses, self.references, strict=True):
            lengths.append(max(len(text) for text in (hypothesis, *references)))
        return np.array(lengths, np.int64)


def prepare_texts(texts: TextSamples, words: WordTable, scaler: FeatureScaler) -> PreparedTexts:
    """Replace the words of all texts by their row indexes in the word table, and scale the features.

    Raises:
        ConfigError: if the number of features differs from that of the training data.
    """
    features = scaler.scale_features(texts.features)
    # Many segments have the same reference, so the rows of each distinct text are cached.
    find_rows = functools.cache(lambda text: words.find_rows(split(text)))
    hypotheses = [find_rows(hypothesis) for hypothesis in texts.hypotheses]
    references = [list(map(find_rows, segment_references)) for segment_references in texts.references]
    return PreparedTexts(hypotheses, references, features)
