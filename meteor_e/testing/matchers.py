"""Check that a matcher behaves as the alignment engines require, for example in tests of a plugin."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from meteor_e.api.context import MatcherContext
from meteor_e.api.contextual_matchers import ContextualMatcher
from meteor_e.api.matchers import KeyMatcher, Match, Matcher, PhraseMatcher, SimilarityMatcher
from meteor_e.api.tokens import Token
from meteor_e.base.errors import MeteorError, describe_error
from meteor_e.engine.python import align
from meteor_e.matchers.modules import ExactMatcher
from meteor_e.testing.matcher_vectors import check_encoding, check_vectors
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
    """Check the name, docstring, weights and options of a matcher, and the matches that it proposes for sample texts.

    The matches must be valid. Repeated calls, several threads, a pickled copy and a new process must return identical
    matches. Some base classes of matchers add requirements. For example, keys must be hashable, and vectors must have
    length 1 or 0.

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
    context = context or default_context()
    report, instance = begin_check("matcher", matcher, context, options)
    phrases = [_make_phrase(phrase) for phrase in tokens or ()]
    segments = _sample_segments(phrases)
    _check_weights(report, instance)
    _check_features(report, instance, segments)
    report.raise_errors()
    samples = [_Sample(pair, _read_matches(report, instance, pair)) for pair in _pair_segments(segments, phrases)]
    report.raise_errors()
    checker = _MatchChecker(report, instance, samples)
    checker.check_matches()
    checker.check_copies()
    if isinstance(matcher, type):
        checker.check_second_instance(context, options)
    checker.check_signature(context, options)
    report.raise_errors()
    checker.check_threads()
    if fresh_process and type(instance).__module__ != "__main__":
        checker.check_new_process()
    report.raise_errors()
    checker.check_alignment()
    report.raise_errors()


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
    """Return the segments to compare. If there are phrases, the last segment contains all phrases."""
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
    """Check the keys or vectors that a matcher uses to compare words."""
    distinct_tokens = list(dict.fromkeys(token for segment in segments for token in segment))
    if isinstance(matcher, KeyMatcher):
        _check_keys(report, matcher, distinct_tokens)
    if isinstance(matcher, SimilarityMatcher):
        check_vectors(report, matcher, distinct_tokens)
    if isinstance(matcher, ContextualMatcher):
        check_encoding(report, matcher, segments)


_Pair = tuple[list[Token], list[Token]]
"""A hypothesis and a reference."""

_Matches = list[Match]


class _Sample(NamedTuple):
    """Store a hypothesis, a reference, and the matches that the matcher proposed in its first call."""

    pair: _Pair
    matches: _Matches


def _pair_segments(segments: list[list[Token]], phrases: Sequence[Sequence[Token]]) -> list[_Pair]:
    """Return pairs of sample segments. Each segment is paired with a copy of itself and with the next segment.

    If there are phrases, further pairs are made from segments that contain all phrases, all phrases in reverse order,
    or every second phrase.
    """
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
        _check_keys_of_token(report, token, token_keys)
    report.raise_errors()
    # Computing the keys again, in reverse order, shows whether the keys of a token depend on earlier calls.
    for token in reversed(tokens):
        is_repeatable = _read_keys(report, matcher, token) == keys_by_token[token]
        report.expect(is_repeatable, "keys differ from call to call; they must depend on the token only")


def _check_keys_of_token(report: ErrorReport, token: Token, keys: Iterable[Any]) -> None:
    """Check that no key of a token is empty. All tokens with an empty key would match each other."""
    for key in keys:
        is_missing = key is None or key == "" or key != key  # NaN is not equal to itself.
        report.expect(
            not is_missing,
            f"keys({shorten(token)}) contains {key!r}, so that all tokens without a key would match each other; "
            "return an empty set for them",
        )


def _read_keys(report: ErrorReport, matcher: KeyMatcher, token: Token) -> frozenset[Any]:
    """Return the keys of a token. Record an error if the matcher does not return a collection of keys."""
    call = f"keys({shorten(token)})"
    keys = report.run(call, matcher.keys, token)
    if not isinstance(keys, Collection) or isinstance(keys, str | bytes):
        advice = f"return a set: {{{shorten(keys)}}} for a single key, or an empty set for no key"
        report.add_error(f"{call} returned {shorten(keys)}; {advice}")
        return frozenset()
    return report.run(call, frozenset, keys) or frozenset()


def _match(matcher: Matcher, pair: _Pair) -> _Matches:
    """Return the matches that a matcher proposes for a hypothesis and a reference."""
    hypothesis, reference = pair
    return [Match(*match) for match in matcher.match(list(hypothesis), list(reference))]


def _read_matches(report: ErrorReport, matcher: Matcher, pair: _Pair) -> _Matches:
    """Return the valid matches of a hypothesis and a reference. Record an error for each invalid match."""
    hypothesis, reference = pair
    call = f"match({shorten(_forms(hypothesis))}, {shorten(_forms(reference))})"
    matches = []
    for proposed_match in _propose_matches(report, matcher, pair, call):
        is_tuple = isinstance(proposed_match, tuple) and len(proposed_match) == len(Match._fields)
        if report.expect(is_tuple, f"{call} proposed {shorten(proposed_match)}; propose Match(…)"):
            match = Match(*proposed_match)
            _check_match(report, match, pair, call)
            matches.append(match)
    return matches


def _propose_matches(report: ErrorReport, matcher: Matcher, pair: _Pair, call: str) -> list[Any]:
    """Return the raw matches that a matcher proposes for a hypothesis and a reference.

    Check that the call does not change the two lists of words. If the call fails, record an error and return an empty
    list.
    """
    hypothesis, reference = map(list, pair)
    matches = report.run(call, lambda: list(matcher.match(hypothesis, reference)))
    report.expect((hypothesis, reference) == pair, "match changes the segments that are passed to it")
    return matches or []


def _check_match(report: ErrorReport, match: Match, pair: _Pair, call: str) -> None:
    """Check that the positions, lengths and probability of a match are valid.

    Args:
        report: the report of errors.
        match: the match. A plugin may have proposed values of any type.
        pair: the hypothesis and the reference.
        call: the description of the call that proposed the match, for error messages.
    """
    hypothesis, reference = pair
    is_in_reference = _is_span(match.reference_start, match.reference_length, reference)
    is_in_hypothesis = _is_span(match.hypothesis_start, match.hypothesis_length, hypothesis)
    if not (is_in_reference and is_in_hypothesis):
        report.add_error(
            f"{call} proposed {shorten(match)}; positions and lengths must be ints within the {len(reference)} words "
            f"of the reference and the {len(hypothesis)} of the hypothesis (the reference comes first in Match)"
        )
    if not isinstance(match.probability, float | int) or not 0 <= match.probability <= 1:
        report.add_error(f"{call} proposed the probability {match.probability!r}; it must be in [0, 1]")


def _is_span(start: int, length: int, segment: Sequence[Token]) -> bool:
    """Return whether a start position and a length are integers that denote one or more words within a segment."""
    has_integers = type(start) is int and type(length) is int
    return has_integers and start >= 0 and length >= 1 and start + length <= len(segment)


def _forms(tokens: Sequence[Token]) -> list[str]:
    """Return the surface forms of tokens."""
    return [token.form for token in tokens]


def _has_relevant_match(matcher: Matcher, pair: _Pair, matches: _Matches) -> bool:
    """Return whether a matcher has proposed at least one match, which proves that the matcher works.

    Matches of equal words only count if the matcher class sets ``match_equal_words``.
    """
    if isinstance(matcher, KeyMatcher) and matcher.match_equal_words:
        return len(matches) > 0
    return any(not _has_equal_words(match, pair) for match in matches)


def _has_equal_words(match: Match, pair: _Pair) -> bool:
    """Return whether the matched words of the hypothesis and of the reference are equal."""
    hypothesis, reference = pair
    hypothesis_end = match.hypothesis_start + match.hypothesis_length
    reference_end = match.reference_start + match.reference_length
    hypothesis_tokens = hypothesis[match.hypothesis_start : hypothesis_end]
    return _forms(hypothesis_tokens) == _forms(reference[match.reference_start : reference_end])


def _check_equal_words(report: ErrorReport, pair: _Pair, matches: _Matches) -> None:
    """Check that each hypothesis word is matched with every occurrence of the same word in the reference."""
    hypothesis, reference = pair
    matched_positions = {match[:2] for match in matches}  # (reference position, hypothesis position)
    for i, hypothesis_token in enumerate(hypothesis):
        for j, reference_token in enumerate(reference):
            if hypothesis_token.form == reference_token.form and (j, i) not in matched_positions:
                report.add_error("equal words do not match; matchers of vectors must match them in any case")
                return


def _check_symmetry(report: ErrorReport, matcher: Matcher, pair: _Pair, matches: _Matches) -> None:
    """Check that a matcher proposes the same matches if the hypothesis and the reference are swapped."""
    hypothesis, reference = pair
    swapped_matches = report.run("match", _match, matcher, (reference, hypothesis))
    if swapped_matches is None:
        return
    report.expect(
        set(map(_swap_spans, swapped_matches)) == {match._replace(probability=1.0) for match in matches},
        f"the matches of {shorten(_forms(hypothesis))} and {shorten(_forms(reference))} change if hypothesis and "
        "reference are exchanged; derive from Matcher if that is intended",
    )


def _swap_spans(match: Match) -> Match:
    """Return a match with probability 1 in which the reference and the hypothesis are exchanged."""
    return Match(match.hypothesis_start, match.reference_start, match.hypothesis_length, match.reference_length)


def _are_equal(actual: _Matches, expected: _Matches) -> bool:
    """Return whether two lists contain the same matches in the same order. Probabilities may differ slightly."""
    return len(actual) == len(expected) and all(map(_is_same_match, actual, expected))


def _is_same_match(actual: Match, expected: Match) -> bool:
    """Return whether two matches have the same spans and almost the same probability."""
    has_equal_probability = abs(actual.probability - expected.probability) <= 1e-6
    return has_equal_probability and actual._replace(probability=expected.probability) == expected


def _describe_difference(matcher: Matcher, sample: _Sample) -> str:
    """Check that a matcher repeats the matches of its first call. Return an error message or an empty string."""
    try:
        return "" if _are_equal(_match(matcher, sample.pair), sample.matches) else "other matches"
    except Exception as error:
        return describe_error(error)


_CHILD = """
import pickle, sys
answer, sys.stdout = sys.stdout.buffer, sys.stderr
sys.path[:] = pickle.load(sys.stdin.buffer)
matcher, pairs = pickle.load(sys.stdin.buffer)
pickle.dump([[tuple(match) for match in matcher.match(*pair)] for pair in pairs], answer)
"""
"""A program that reads an import path, a matcher and pairs of segments, and writes the matches of each pair."""


def _match_in_new_process(matcher: Matcher, pairs: list[_Pair]) -> subprocess.CompletedProcess[bytes]:
    """Run a matcher in a new process with another ``PYTHONHASHSEED``. The output contains the pickled matches."""
    import_path = [str(Path(folder).resolve()) for folder in sys.path]
    hash_seed = "8" if os.environ.get("PYTHONHASHSEED") == "7" else "7"
    return subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=pickle.dumps(import_path) + pickle.dumps((matcher, pairs)),
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=False,
    )


def _describe_failure(process: subprocess.CompletedProcess[bytes]) -> str:
    """Return an error message with the exit code and the last line of output of a process that failed."""
    error_lines = process.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
    return f"a new process ended with code {process.returncode} and {error_lines[-1]!r}"


@dataclass(frozen=True)
class _MatchChecker:
    """Check the matches that a matcher proposes for the samples.

    Attributes:
        report: the report of errors.
        matcher: the matcher.
        samples: the sample segments with the matches that the matcher proposed in its first call.
    """

    report: ErrorReport
    matcher: Matcher
    samples: Sequence[_Sample]

    def check_matches(self) -> None:
        """Check that the matcher finds matches in the samples, and that it satisfies the rules of its base class."""
        compares_vectors = isinstance(self.matcher, SimilarityMatcher | ContextualMatcher)
        must_match_equal_words = compares_vectors and self.matcher.options.below is None
        must_be_symmetric = compares_vectors or isinstance(self.matcher, KeyMatcher | PhraseMatcher)
        for pair, matches in self.samples:
            if must_match_equal_words:
                _check_equal_words(self.report, pair, matches)
            if must_be_symmetric:
                _check_symmetry(self.report, self.matcher, pair, matches)
        proposes_matches = any(_has_relevant_match(self.matcher, pair, matches) for pair, matches in self.samples)
        self.report.expect(
            proposes_matches,
            "it proposed no match in the samples; pass tokens=[…], words or phrases of which some should match",
        )

    def check_copies(self) -> None:
        """Check that repeated calls and a pickled copy of the matcher propose the same matches."""
        self._check_same_matches(self.matcher, "called again, it")
        copy = pickle_copy(self.report, self.matcher)
        if copy is not None:
            self._check_same_matches(copy, "a pickled copy")

    def check_second_instance(self, context: MatcherContext, options: Mapping[str, Any]) -> None:
        """Create a second matcher with the same context and options, and check that it proposes the same matches."""
        second_matcher = self.report.run("creating it a second time", type(self.matcher).make, context, **options)
        if second_matcher is not None:
            self._check_same_matches(second_matcher, "a second matcher with the same options")

    def _check_same_matches(self, copy: Matcher, subject: str) -> None:
        """Check that a copy of the matcher proposes the same matches and has the same description.

        Args:
            copy: the copy.
            subject: the description of the copy, which is the subject of error messages.
        """
        # Matching the samples in reverse order shows whether matches depend on earlier calls.
        for pair, expected_matches in reversed(self.samples):
            matches = self.report.run(f"match ({subject})", _match, copy, pair)
            self.report.expect(
                matches is None or _are_equal(matches, expected_matches),
                f"{subject} proposes other matches, or in another order; they must depend on the two segments only",
            )
        self.report.expect(copy.describe() == self.matcher.describe(), f"{subject} returns another description")

    def check_signature(self, context: MatcherContext, options: Mapping[str, Any]) -> None:
        """Compare the matcher with a matcher of the same class that has default options.

        If the two matchers propose different matches, their descriptions must differ, too.
        """
        if not options:
            return
        try:
            default_matcher = type(self.matcher).make(context)
        except MeteorError:
            # The matcher has required options, so it cannot be created with default options for comparison.
            return
        if default_matcher.describe() != self.matcher.describe():
            return
        for pair, matches in self.samples:
            self.report.expect(
                _are_equal(matches, _match(default_matcher, pair)),
                "its options change the matches, but describe() is the same; the signature must tell them apart",
            )

    def check_threads(self) -> None:
        """Check that the matcher proposes the same matches when several threads call it at the same time."""
        copy = pickle_copy(self.report, self.matcher)
        if copy is None:
            return
        with ThreadPoolExecutor(4) as pool:
            results = pool.map(functools.partial(_describe_difference, copy), [*self.samples] * 4)
            errors = sorted(set(results) - {""})
        self.report.expect(not errors, f"used from several threads at once, it gave {', '.join(errors)}")

    def check_new_process(self) -> None:
        """Check that the matcher proposes the same matches in a new process with another ``PYTHONHASHSEED``."""
        process = _match_in_new_process(self.matcher, [sample.pair for sample in self.samples])
        if process.returncode:
            self.report.add_error(_describe_failure(process))
            return
        # Unpickling is not a security risk here, because this process has already run the plugin's code.
        for sample, match_tuples in zip(self.samples, pickle.loads(process.stdout), strict=True):
            matches = [Match(*match_tuple) for match_tuple in match_tuples]
            self.report.expect(
                _are_equal(matches, sample.matches),
                "in a new process it proposes other matches, or in another order; hash() of a text and the order of a "
                "set of texts differ from process to process: use zlib.crc32 or hashlib, and sort",
            )

    def check_alignment(self) -> None:
        """Check that the sample segments can be aligned with the matcher by the Python engine."""
        chain = [ExactMatcher(), self.matcher]
        for (hypothesis, reference), _ in self.samples:
            self.report.run("aligning with it", align, chain, hypothesis, reference)
