"""Checks of matchers that compare vectors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from meteor_e.api.contextual_matchers import VECTOR_GRID, ContextualMatcher
from meteor_e.api.matchers import SimilarityMatcher
from meteor_e.api.tokens import Token
from meteor_e.testing.report import ErrorReport, shorten


def check_vectors(report: ErrorReport, matcher: SimilarityMatcher, tokens: Sequence[Token]) -> None:
    """Check that the vectors of tokens have length 1, and that repeated calls return the same vectors."""
    vectors = _compute_vectors(report, matcher, tokens)  # (tokens, dimensions)
    has_valid_shape = isinstance(vectors, np.ndarray) and vectors.ndim == 2 and len(vectors) == len(tokens)
    is_valid = report.expect(
        has_valid_shape and vectors.dtype == np.float32,
        f"vectors returned {_describe_array(vectors)} for {len(tokens)} tokens; it must return a float32 array with "
        "one row per token",
    )
    if is_valid:
        _check_vector_lengths(report, tokens, vectors)
        _check_repeated_calls(report, matcher, tokens, vectors)


def _check_repeated_calls(
    report: ErrorReport, matcher: SimilarityMatcher, tokens: Sequence[Token], vectors: np.ndarray[Any, Any]
) -> None:
    """Check that further calls return the same vectors, and that they do not overwrite the vectors of the first call.

    Args:
        report: the report of errors.
        matcher: the matcher.
        tokens: the tokens.
        vectors: the vectors that the first call returned, ``(tokens, dimensions)``.
    """
    original_vectors = vectors.copy()
    reversed_vectors = _compute_vectors(report, matcher, tokens[::-1])
    is_unchanged = np.array_equal(vectors, original_vectors, equal_nan=True)
    report.expect(is_unchanged, "a second call overwrites the rows of the first; return a new array")
    _check_same_vectors(report, actual=reversed_vectors, expected=original_vectors[::-1])
    first_vector = _compute_vectors(report, matcher, tokens[:1])
    _check_same_vectors(report, actual=first_vector, expected=original_vectors[:1])


def _compute_vectors(report: ErrorReport, matcher: SimilarityMatcher, tokens: Sequence[Token]) -> Any:
    """Return the vectors of tokens. If the call fails, record an error and return ``None``."""
    return report.run(f"vectors of {len(tokens)} tokens", matcher.vectors, tokens)


def _check_vector_lengths(report: ErrorReport, tokens: Sequence[Token], rows: Any) -> None:
    """Check that the vector of each token is finite, and that its length is 1 or 0."""
    for token, row, length in zip(tokens, rows, np.linalg.norm(rows, axis=1), strict=True):
        report.expect(bool(np.isfinite(row).all()), f"the vector of {shorten(token.form)} is not finite")
        report.expect(
            not math.isfinite(length) or length == 0 or abs(length - 1) <= 1e-3,
            f"the vector of {shorten(token.form)} has length {length:.4g}; divide it by its length, "
            "or return zeros for a token without a vector",
        )


def _check_same_vectors(report: ErrorReport, actual: Any, expected: Any) -> None:
    """Check that a call returned the expected vectors, unless the call failed and returned ``None``."""
    if actual is None:
        return
    is_equal = actual.shape == expected.shape and np.allclose(actual, expected, atol=1e-5)
    report.expect(
        is_equal, "the vector of a token depends on the other tokens; derive from ContextualMatcher if that is intended"
    )


def check_encoding(report: ErrorReport, matcher: ContextualMatcher, segments: Sequence[Sequence[Token]]) -> None:
    """Check that vectors have length 1, and that the vectors of a sentence do not depend on the rest of the batch."""
    sentences = list(dict.fromkeys(tuple(segment) for segment in segments if segment))
    vectors = _encode_sentences(report, matcher, sentences)
    if vectors is None:
        return
    _check_encoded_lengths(report, vectors)
    vectors_by_sentence = dict(zip(sentences, vectors, strict=True))
    single_sentences = [[sentence] for sentence in sentences]
    for batch in [*single_sentences, sentences[::-1], sentences[::2], sentences[1::2]]:
        _check_batch(report, matcher, batch, vectors_by_sentence)


def _check_batch(
    report: ErrorReport,
    matcher: ContextualMatcher,
    batch: Sequence[tuple[Token, ...]],
    expected_vectors: Mapping[tuple[Token, ...], Any],
) -> None:
    """Encode the sentences of a batch, and check that the vectors equal the expected vectors."""
    batch_vectors = _encode_sentences(report, matcher, batch) or ()
    for sentence, sentence_vectors in zip(batch, batch_vectors, strict=False):
        report.expect(
            np.array_equal(sentence_vectors, expected_vectors[sentence]),
            "the rows of a sentence depend on the sentences that are encoded with it; encode one sentence at a time",
        )


def _check_encoded_lengths(report: ErrorReport, vectors: Sequence[Any]) -> None:
    """Check that the rounded vectors of all tokens have length 1 or 0.

    Args:
        report: the report of errors.
        vectors: the vectors of each sentence, ``(tokens, dimensions)``. The values are multiples of
            ``1 / VECTOR_GRID`` and stored as integers.
    """
    lengths = np.linalg.norm(np.concatenate(vectors).astype(np.float64), axis=1) / VECTOR_GRID  # (tokens,)
    is_valid_length = (np.abs(lengths - 1) <= 1e-3) | (lengths == 0)
    message = "encode returned vectors whose length is neither 1 nor 0; divide each by its length"
    report.expect(bool(is_valid_length.all()), message)


def _encode_sentences(
    report: ErrorReport, matcher: ContextualMatcher, sentences: Sequence[tuple[Token, ...]]
) -> list[Any] | None:
    """Return the rounded vectors of each sentence. If encoding fails, record an error and return ``None``."""
    matcher.memory.clear()
    return report.run(f"encode of {len(sentences)} sentences", matcher.sentence_rows, sentences)


def _describe_array(value: object) -> str:
    """Describe a value for an error message. The description of an array contains its data type and its shape."""
    return f"a {value.dtype} array of shape {value.shape}" if isinstance(value, np.ndarray) else shorten(value)
