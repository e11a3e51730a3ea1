"""Check that a matcher behaves as the alignment engines require, for example in tests of a plugin."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from meteor_e.api.context import MatcherContext
from meteor_e.api.matchers import (
    VECTOR_GRID,
    ContextualMatcher,
    KeyMatcher,
    Matcher,
    PhraseMatcher,
    SimilarityMatcher,
)
from meteor_e.api.tokens import Token
from meteor_e.base.errors import MeteorError, describe_error
from meteor_e.engine.python import align
from meteor_e.matchers.modules import ExactMatcher
from meteor_e.testing.report import ErrorReport, begin_check, default_context, pickle_copy, shorten
from meteor_e.testing.samples import ANALYZED, ODD_WORDS, SENTENCES


def check_matcher(
    matcher: type[Matcher] | Matcher,
    *,
    tokens: Iterable[str | Token] | None = None,
    context: MatcherContext | None = None,
    fresh_process: bool = True,
    **options: Any,
) -> None:
    """Check that a matcher satisfies the requirements of METEOR's alignment engines.

    A matcher must have a name, a docstring and valid weights, reject unknown options, and accept every token. It must
    propose the same valid matches in repeated calls, in several threads, in a pickled copy and in a new process.
    Further requirements depend on the base class of the matcher, such as comparable keys and vectors of length 1.

    Args:
        matcher: the class or an instance.
        tokens: words, phrases or tokens, some of which should match each other. Phrases are split at spaces.
        context: the context for :meth:`Matcher.from_options`; by default English, without a resource pack.
        fresh_process: whether to compare the matches with those in a new Python process, which takes 0.3 s.
        options: the options for creating an instance.

    Raises:
        ConformanceError: if the matcher violates a requirement. The message lists the errors of the first failed step.
        MeteorError: if an instance cannot be created with these options.
    """
    if context is None:
        context = default_context()
    report, instance = begin_check("matcher", matcher, context, options)
    _check_weights(report, instance)
    phrases = [] if tokens is None else [_make_phrase(phrase) for phrase in tokens]
    segments = _sample_segments(phrases)
    _check_features(report, instance, segments)
    report.stop()
    samples = []
    for pair in _pair_segments(segments, phrases):
        samples.append(_Sample(pair, matches=_read_matches(report, instance, pair)))
    report.stop()
    _check_family(report, instance, samples)
    _check_copies(report, matcher, instance, context, options, samples)
    report.stop()
    _check_threads(report, instance, samples)
    if fresh_process and type(instance).__module__ != "__main__":
        _check_fresh_process(report, instance, samples)
    report.stop()
    _check_alignment(report, instance, samples)
    report.stop()


def _make_phrase(phrase: str | Token) -> list[Token]:
    """Convert a string to tokens by splitting it at spaces. A single token becomes a list."""
    if isinstance(phrase, Token):
        return [phrase]
    return [Token(word) for word in phrase.split()]


def _check_weights(report: ErrorReport, matcher: Matcher) -> None:
    """Check that the weights of a matcher are numbers between 0 and 1."""
    for attribute in ("default_weight", "search_weight", "accuracy_search_weight"):
        value = getattr(matcher, attribute)
        is_valid = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
        report.expect(is_valid, f"{attribute} is {value!r}; it must be a number between 0 and 1")


def _sample_segments(phrases: Sequence[Sequence[Token]]) -> list[list[Token]]:
    """Return the segments that the matcher has to compare. If there are phrases, the last segment contains them."""
    segments = [_make_phrase(sentence) for sentence in SENTENCES]
    odd_tokens = [Token(word) for word in ODD_WORDS]
    segments += [odd_tokens, odd_tokens[::-1], list(ANALYZED), []]
    if phrases:
        segments.append(_join_phrases(phrases))
    return segments


def _join_phrases(phrases: Iterable[Sequence[Token]]) -> list[Token]:
    """Return the tokens of all phrases as one segment."""
    return [token for phrase in phrases for token in phrase]


def _check_features(report: ErrorReport, matcher: Matcher, segments: Sequence[Sequence[Token]]) -> None:
    """Check the values by which a matcher compares words: keys or vectors."""
    distinct_tokens = list(dict.fromkeys(token for segment in segments for token in segment))
    if isinstance(matcher, KeyMatcher):
        _check_keys(report, matcher, distinct_tokens)
    if isinstance(matcher, SimilarityMatcher):
        _check_vectors(report, matcher, distinct_tokens)
    if isinstance(matcher, ContextualMatcher):
        _check_encoding(report, matcher, segments)


_Pair = tuple[list[Token], list[Token]]
"""A hypothesis and a reference."""

_Matches = list[tuple[int, int, int, int, float]]
"""Matches between a hypothesis and a reference, with the fields of :class:`~meteor_e.api.matchers.Match`."""


class _Sample(NamedTuple):
    """Store a hypothesis, a reference, and the matches that the matcher proposed in its first call."""

    pair: _Pair
    matches: _Matches


def _pair_segments(segments: list[list[Token]], phrases: Sequence[Sequence[Token]]) -> list[_Pair]:
    """Pair each segment with itself and with the next segment. Phrases are paired with other phrases."""
    next_segments = [*segments[1:], segments[0]]
    pairs = list(zip(segments, next_segments, strict=True))
    pairs += [(segment, list(segment)) for segment in segments]
    pairs.append(([Token("boat")], [Token("boats")]))
    if phrases:
        all_phrases = _join_phrases(phrases)
        reversed_phrases = _join_phrases(reversed(phrases))
        even_phrases = _join_phrases(phrases[::2])
        odd_phrases = _join_phrases(phrases[1::2])
        pairs += [(all_phrases, reversed_phrases), (reversed_phrases, even_phrases), (even_phrases, odd_phrases)]
    return pairs


def _check_keys(report: ErrorReport, matcher: KeyMatcher, tokens: Sequence[Token]) -> None:
    """Check that the keys of tokens are valid, and that repeated calls return the same keys for a token."""
    keys_by_token = {token: _read_keys(report, matcher, token) for token in tokens}
    for token, token_keys in keys_by_token.items():
        for key in token_keys:
            is_comparable = key is not None and key != "" and key == key
            report.expect(
                is_comparable,
                f"keys({shorten(token)}) contains {key!r}, so that all tokens without a key would match each other; "
                "return an empty set for them",
            )
    report.stop()
    for token in reversed(tokens):
        is_repeatable = _read_keys(report, matcher, token) == keys_by_token[token]
        report.expect(is_repeatable, "keys differ from call to call; they must depend on the token only")


def _read_keys(report: ErrorReport, matcher: KeyMatcher, token: Token) -> frozenset[Any]:
    """Return the keys of a token. Record an error if the matcher does not return a collection of keys."""
    call = f"keys({shorten(token)})"
    keys = report.run(call, matcher.keys, token)
    if not isinstance(keys, Collection) or isinstance(keys, str | bytes):
        advice = f"return a set: {{{shorten(keys)}}} for a single key, or an empty set for no key"
        report.expect(False, f"{call} returned {shorten(keys)}; {advice}")
        return frozenset()
    return report.run(call, frozenset, keys) or frozenset()


def _check_vectors(report: ErrorReport, matcher: SimilarityMatcher, tokens: Sequence[Token]) -> None:
    """Check that the vectors of tokens have length 1, and that repeated calls return the same vectors."""
    import numpy as np

    def get_vectors(batch: Sequence[Token]) -> Any:
        return report.run(f"vectors of {len(batch)} tokens", matcher.vectors, batch)

    rows = get_vectors(tokens)
    has_valid_shape = isinstance(rows, np.ndarray) and rows.ndim == 2 and len(rows) == len(tokens)
    is_valid = report.expect(
        has_valid_shape and rows.dtype == np.float32,
        f"vectors returned {_describe_array(rows)} for {len(tokens)} tokens; it must return a float32 array with one "
        "row per token",
    )
    if not is_valid:
        return
    _check_vector_lengths(report, tokens, rows)
    original_rows = rows.copy()
    reversed_rows = get_vectors(tokens[::-1])
    first_row = get_vectors(tokens[:1])
    is_unchanged = np.array_equal(rows, original_rows, equal_nan=True)
    report.expect(is_unchanged, "a second call overwrites the rows of the first; return a new array")
    _check_same_vectors(report, actual=reversed_rows, expected=original_rows[::-1])
    _check_same_vectors(report, actual=first_row, expected=original_rows[:1])


def _check_vector_lengths(report: ErrorReport, tokens: Sequence[Token], rows: Any) -> None:
    """Check that the vector of each token is finite, and that its length is 1 or 0."""
    import numpy as np

    for token, row, length in zip(tokens, rows, np.linalg.norm(rows, axis=1), strict=True):
        report.expect(bool(np.isfinite(row).all()), f"the vector of {shorten(token.form)} is not finite")
        report.expect(
            not math.isfinite(length) or length == 0 or abs(length - 1) <= 1e-3,
            f"the vector of {shorten(token.form)} has length {length:.4g}; divide it by its length, "
            "or return zeros for a token without a vector",
        )


def _check_same_vectors(report: ErrorReport, actual: Any, expected: Any) -> None:
    """Check that a call returned the expected vectors, unless the call failed and returned ``None``."""
    import numpy as np

    is_equal = actual is None or (actual.shape == expected.shape and np.allclose(actual, expected, atol=1e-5))
    report.expect(
        is_equal, "the vector of a token depends on the other tokens; derive from ContextualMatcher if that is intended"
    )


def _check_encoding(report: ErrorReport, matcher: ContextualMatcher, segments: Sequence[Sequence[Token]]) -> None:
    """Check that vectors have length 1, and that the vectors of a sentence do not depend on the rest of the batch."""
    import numpy as np

    sentences = list(dict.fromkeys(tuple(segment) for segment in segments if segment))
    rows = _encode_sentences(report, matcher, sentences)
    if rows is None:
        return
    lengths = np.linalg.norm(np.concatenate(rows).astype(np.float64), axis=1) / VECTOR_GRID
    has_unit_length = bool(((np.abs(lengths - 1) <= 1e-3) | (lengths == 0)).all())
    report.expect(has_unit_length, "encode returned vectors whose length is neither 1 nor 0; divide each by its length")
    rows_by_sentence = dict(zip(sentences, rows, strict=True))
    single_sentences = [[sentence] for sentence in sentences]
    for batch in [*single_sentences, sentences[::-1], sentences[::2], sentences[1::2]]:
        batch_rows = _encode_sentences(report, matcher, batch)
        if batch_rows is None:
            return
        expected_rows = [rows_by_sentence[sentence] for sentence in batch]
        is_equal = report.expect(
            all(map(np.array_equal, batch_rows, expected_rows)),
            "the rows of a sentence depend on the sentences that are encoded with it; encode one sentence at a time",
        )
        if not is_equal:
            return


def _encode_sentences(
    report: ErrorReport, matcher: ContextualMatcher, sentences: Sequence[tuple[Token, ...]]
) -> list[Any] | None:
    """Return the rounded vectors of each sentence. If encoding fails, record an error and return ``None``."""
    matcher.memory.clear()
    return report.run(f"encode of {len(sentences)} sentences", matcher.sentence_rows, sentences)


def _describe_array(value: object) -> str:
    """Describe a value for an error message. The description of an array contains its data type and its shape."""
    import numpy as np

    return f"a {value.dtype} array of shape {value.shape}" if isinstance(value, np.ndarray) else shorten(value)


def _list_proposals(matcher: Matcher, hypothesis: list[Token], reference: list[Token]) -> list[Any]:
    """Return the matches that a matcher proposes, without checking that they are valid."""
    return list(matcher.match(hypothesis, reference))


def _match(matcher: Matcher, pair: _Pair) -> _Matches:
    """Return the matches that a matcher proposes for a hypothesis and a reference."""
    hypothesis, reference = pair
    return [tuple(match) for match in matcher.match(list(hypothesis), list(reference))]  # type: ignore[misc]


def _read_matches(report: ErrorReport, matcher: Matcher, pair: _Pair) -> _Matches:
    """Return the valid matches of a hypothesis and a reference. Record an error for each invalid match."""
    hypothesis, reference = pair
    hypothesis_copy, reference_copy = list(hypothesis), list(reference)
    call = f"match({shorten(_forms(hypothesis))}, {shorten(_forms(reference))})"
    proposed_matches = report.run(call, _list_proposals, matcher, hypothesis_copy, reference_copy)
    is_unchanged = (hypothesis_copy, reference_copy) == pair
    report.expect(is_unchanged, "match changes the segments that are passed to it")
    matches: list[tuple[Any, ...]] = []
    for match in proposed_matches or ():
        is_tuple = isinstance(match, tuple) and len(match) == 5
        if report.expect(is_tuple, f"{call} proposed {shorten(match)}; propose Match(…)"):
            _check_match(report, match, pair, call)
            matches.append(tuple(match))
    return matches


def _check_match(report: ErrorReport, match: Sequence[Any], pair: _Pair, call: str) -> None:
    """Check that the positions, lengths and probability of a match are valid.

    Args:
        report: the report of errors.
        match: the match, which has the length of a :class:`~meteor_e.api.matchers.Match`.
        pair: the hypothesis and the reference.
        call: the description of the call that proposed the match, for error messages.
    """
    hypothesis, reference = pair
    j, i, reference_length, hypothesis_length, probability = match
    has_integers = all(type(number) is int for number in match[:4])
    report.expect(
        has_integers
        and 0 <= j < j + reference_length <= len(reference)
        and 0 <= i < i + hypothesis_length <= len(hypothesis),
        f"{call} proposed {shorten(match)}; positions and lengths must be ints within the {len(reference)} words "
        f"of the reference and the {len(hypothesis)} of the hypothesis (the reference comes first in Match)",
    )
    report.expect(
        isinstance(probability, float | int) and 0 <= probability <= 1,
        f"{call} proposed the probability {probability!r}; it must be in [0, 1]",
    )


def _forms(tokens: Sequence[Token]) -> list[str]:
    """Return the surface forms of tokens."""
    return [token.form for token in tokens]


def _check_family(report: ErrorReport, matcher: Matcher, samples: list[_Sample]) -> None:
    """Check that a matcher finds any matches in the samples, and that it satisfies the rules of its base class."""
    proposes_matches = False
    for pair, matches in samples:
        proposes_matches = proposes_matches or _has_relevant_match(matcher, pair, matches)
        if isinstance(matcher, SimilarityMatcher | ContextualMatcher) and matcher.options.below is None:
            _check_equal_words(report, pair, matches)
        if isinstance(matcher, KeyMatcher | SimilarityMatcher | ContextualMatcher | PhraseMatcher):
            _check_symmetry(report, matcher, pair, matches)
    report.expect(
        proposes_matches,
        "it proposed no match in the samples; pass tokens=[…], words or phrases of which some should match",
    )


def _has_relevant_match(matcher: Matcher, pair: _Pair, matches: _Matches) -> bool:
    """Return whether a matcher has proposed a match that shows that it works.

    Matches of equal words only count if the matcher class sets ``match_equal_words``.
    """
    if matches and getattr(matcher, "match_equal_words", False):
        return True
    hypothesis, reference = pair
    for j, i, reference_length, hypothesis_length, _ in matches:
        reference_words = _forms(reference[j : j + reference_length])
        hypothesis_words = _forms(hypothesis[i : i + hypothesis_length])
        if reference_words != hypothesis_words:
            return True
    return False


def _check_equal_words(report: ErrorReport, pair: _Pair, matches: _Matches) -> None:
    """Check that a word of the hypothesis matches each occurrence of the same word in the reference."""
    matched_words = {(j, i) for j, i, _, _, _ in matches}
    for i, hypothesis_token in enumerate(pair[0]):
        for j, reference_token in enumerate(pair[1]):
            if hypothesis_token.form == reference_token.form and (j, i) not in matched_words:
                report.expect(False, "equal words do not match; matchers of vectors must match them in any case")
                return


def _check_symmetry(report: ErrorReport, matcher: Matcher, pair: _Pair, matches: _Matches) -> None:
    """Check that a matcher proposes the same matches if the hypothesis and the reference are swapped."""
    hypothesis, reference = pair
    exchanged_matches = report.run("match", _match, matcher, (reference, hypothesis))
    if exchanged_matches is None:
        return
    expected = {(j, i, reference_length, length) for j, i, reference_length, length, _ in matches}
    actual = {(i, j, length, reference_length) for j, i, reference_length, length, _ in exchanged_matches}
    report.expect(
        actual == expected,
        f"the matches of {shorten(_forms(hypothesis))} and {shorten(_forms(reference))} change if hypothesis and "
        "reference are exchanged; derive from Matcher if that is intended",
    )


def _are_equal(actual: _Matches, expected: _Matches) -> bool:
    """Return whether two lists contain the same matches in the same order. Probabilities may differ slightly."""
    if len(actual) != len(expected):
        return False
    for actual_match, expected_match in zip(actual, expected, strict=True):
        *actual_position, actual_probability = actual_match
        *expected_position, expected_probability = expected_match
        has_equal_probability = abs(actual_probability - expected_probability) <= 1e-6
        if actual_position != expected_position or not has_equal_probability:
            return False
    return True


def _check_copies(
    report: ErrorReport,
    matcher: type[Matcher] | Matcher,
    instance: Matcher,
    context: MatcherContext,
    options: dict[str, Any],
    samples: list[_Sample],
) -> None:
    """Check that repeated calls, a pickled copy and a second instance propose the same matches.

    Args:
        report: the report of errors.
        matcher: the class or instance that was passed to :func:`check_matcher`.
        instance: the instance.
        context: the context for creating a second instance.
        options: the options for creating a second instance.
        samples: the sample segments and the matches of the instance.
    """
    _check_repeated_matches(report, instance, instance, "called again, it", samples)
    copy = pickle_copy(report, instance)
    _check_repeated_matches(report, copy, instance, "a pickled copy", samples)
    if not isinstance(matcher, Matcher):

        def make_second() -> Matcher:
            return type(instance).make(context, **options)

        second = report.run("creating it a second time", make_second)
        _check_repeated_matches(report, second, instance, "a second matcher with the same options", samples)
    if options:
        _check_signature(report, instance, context, samples)


def _check_repeated_matches(
    report: ErrorReport,
    matcher: Matcher | None,
    original: Matcher,
    subject: str,
    samples: list[_Sample],
) -> None:
    """Check that a copy of a matcher proposes the same matches as the original and has the same description.

    Args:
        report: the report of errors.
        matcher: the matcher, or ``None`` if it could not be created.
        original: the original matcher.
        subject: the description of the matcher, which is the subject of error messages.
        samples: the sample segments and the matches of the original, which are checked in reverse order.
    """
    if matcher is None:
        return
    for pair, matches in reversed(samples):
        repeated = report.run(f"match ({subject})", _match, matcher, pair)
        report.expect(
            repeated is None or _are_equal(repeated, matches),
            f"{subject} proposes other matches, or in another order; they must depend on the two segments only",
        )
    report.expect(matcher.describe() == original.describe(), f"{subject} returns another description")


def _check_signature(report: ErrorReport, matcher: Matcher, context: MatcherContext, samples: list[_Sample]) -> None:
    """Check that options that change the matches also change the description of the matcher."""
    try:
        default_matcher = type(matcher).make(context)
        changes_matches = any(not _are_equal(_match(default_matcher, pair), matches) for pair, matches in samples)
    except MeteorError:
        # The matcher has required options, so it cannot be created with default options for comparison.
        return
    report.expect(
        not changes_matches or default_matcher.describe() != matcher.describe(),
        "its options change the matches, but describe() is the same; the signature must tell them apart",
    )


def _check_threads(report: ErrorReport, matcher: Matcher, samples: list[_Sample]) -> None:
    """Check that a matcher proposes the same matches when several threads call it at the same time."""
    copy = pickle_copy(report, matcher)
    if copy is None:
        return

    def compare_matches(sample: _Sample) -> str:
        """Return an error message if the matches differ, and otherwise an empty string."""
        try:
            return "" if _are_equal(_match(copy, sample.pair), sample.matches) else "other matches"
        except Exception as error:
            return describe_error(error)

    with ThreadPoolExecutor(4) as pool:
        results = pool.map(compare_matches, samples * 4)
        errors = sorted(set(results) - {""})
    report.expect(not errors, f"used from several threads at once, it gave {', '.join(errors)}")


def _check_alignment(report: ErrorReport, matcher: Matcher, samples: list[_Sample]) -> None:
    """Check that the sample segments can be aligned with the matcher by the Python engine."""
    chain = [ExactMatcher(), matcher]
    for (hypothesis, reference), _ in samples:
        report.run("aligning with it", align, chain, hypothesis, reference)


_CHILD = """
import pickle, sys
answer, sys.stdout = sys.stdout.buffer, sys.stderr
sys.path[:] = pickle.load(sys.stdin.buffer)
matcher, pairs = pickle.load(sys.stdin.buffer)
pickle.dump([[tuple(match) for match in matcher.match(*pair)] for pair in pairs], answer)
"""


def _check_fresh_process(report: ErrorReport, matcher: Matcher, samples: list[_Sample]) -> None:
    """Check that a matcher proposes the same matches in a new process with another ``PYTHONHASHSEED``."""
    import_path = [str(Path(folder).resolve()) for folder in sys.path]
    pairs = [pair for pair, _ in samples]
    question = pickle.dumps(import_path) + pickle.dumps((matcher, pairs))
    hash_seed = "8" if os.environ.get("PYTHONHASHSEED") == "7" else "7"
    process = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=question,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=False,
    )
    if process.returncode:
        error_lines = process.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
        report.expect(False, f"a new process ended with code {process.returncode} and {error_lines[-1]!r}")
        return
    # Unpickling is not a security risk here, because this process has already run the plugin's code.
    answer = pickle.loads(process.stdout)
    is_equal = all(_are_equal(actual, sample.matches) for actual, sample in zip(answer, samples, strict=True))
    report.expect(
        is_equal,
        "in a new process it proposes other matches, or in another order; hash() of a text and the order of a set "
        "of texts differ from process to process: use zlib.crc32 or hashlib, and sort",
    )
