"""Features that compare the sentence vectors of captions with the sentence vectors of their references."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from meteor_e.base.array_cache import Floats
from meteor_e.base.bounded_cache import BoundedCache
from meteor_e_captions.lexicon import split

if TYPE_CHECKING:
    from meteor_e_vectors.contextual import Encoder


class CachedEncoder:
    """Computes and caches the sentence vectors of captions. The vectors have unit length.

    Args:
        encoder: an encoder of the plugin meteor-e-vectors.
        cache_size: the number of captions whose vectors are cached.
    """

    def __init__(self, encoder: Encoder, cache_size: int = 4096) -> None:
        self._encoder = encoder
        self._cache = BoundedCache[str, Floats](cache_size)

    def encode(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return a dictionary that maps each text to its vector."""
        return self._cache.get_or_make_items(texts, self._compute_vectors)

    def _compute_vectors(self, texts: list[str]) -> list[Floats]:
        """Return the vectors of texts that are not in the cache."""
        rows = self._encoder.vectors([split(text) for text in texts])
        return [row.astype(np.float64) for row in rows]


_BATCH_SIZE = 256
"""The number of captions that are encoded together."""


def context_features(
    encoder: CachedEncoder, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> dict[str, Floats]:
    """Return the caption features that are computed with a sentence encoder.

    The feature ``encoder cosine`` is the cosine similarity between the caption's vector and the mean vector of the
    references. The feature ``best encoder cosine`` is the highest cosine similarity between the caption's vector and
    the vector of any reference.

    Args:
        encoder: the sentence encoder.
        hypotheses: the captions.
        references: the references of each caption.

    Returns:
        The features by name, each as an array ``(captions,)``.
    """
    mean_cosines = []
    best_cosines = []
    for caption_vector, reference_vectors in _iterate_vectors(encoder, hypotheses, references):
        mean_cosines.append(_compute_mean_cosine(caption_vector, reference_vectors))
        best_cosines.append(_find_highest_cosine(caption_vector, reference_vectors))
    return {"encoder cosine": np.array(mean_cosines), "best encoder cosine": np.array(best_cosines)}


def _iterate_vectors(
    encoder: CachedEncoder, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[tuple[Floats, Floats]]:
    """For each caption, yield its vector and an array ``(references, dimensions)`` with its references' vectors."""
    for start in range(0, len(hypotheses), _BATCH_SIZE):
        batch_hypotheses = hypotheses[start : start + _BATCH_SIZE]
        batch_references = references[start : start + _BATCH_SIZE]
        vector_by_text = encoder.encode([*batch_hypotheses, *chain.from_iterable(batch_references)])
        for hypothesis, texts in zip(batch_hypotheses, batch_references, strict=True):
            yield vector_by_text[hypothesis], np.array([vector_by_text[text] for text in texts])


def _find_highest_cosine(caption_vector: Floats, reference_vectors: Floats) -> float:
    """Return the highest cosine between a caption's vector and the vectors of its references."""
    # The vectors have unit length, so that their cosine is equal to their dot product.
    cosines = (reference_vectors * caption_vector).sum(axis=1)
    return float(cosines.max())


def _compute_mean_cosine(caption_vector: Floats, reference_vectors: Floats) -> float:
    """Return the cosine between a caption's vector and the mean of its reference vectors, or 0 for a zero vector."""
    mean = reference_vectors.mean(axis=0)
    length = math.sqrt((mean * mean).sum())
    return float((mean * caption_vector).sum()) / length if length else 0.0
