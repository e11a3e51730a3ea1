"""The conformance check of matchers."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

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
from meteor_e.testing.report import Complaints, begin, copy_of, default_context, short
from meteor_e.testing.samples import ANALYZED, ODD_WORDS, SENTENCES


def check_matcher(
    matcher: type[Matcher] | Matcher,
    *,
    tokens: Iterable[str | Token] | None = None,
    context: MatcherContext | None = None,
    fresh_process: bool = True,
    **options: Any,
) -> None:
    """Check that a matcher keeps to what the core expects of it.

    It must have a name, a docstring and sane weights; take its options and refuse others; cope with any
    token; propose the same matches each time, in other threads, from a copy, in a new process, whatever it saw
    before; stay within the segments; and keep what its family promises: keys that can be compared, vectors of
    length 1, matches that do not depend on which side is the reference.

    Args:
        matcher: the class, or a matcher that is made already.
        tokens: words, phrases (split at spaces) or tokens of which some should match others.
        context: what :meth:`Matcher.from_options` gets; by default English without a resource pack.
        fresh_process: compare with a new Python process, too, where text hashes otherwise (0.3 s).
        options: the options to make it with.

    Raises:
        ConformanceError: saying what is wrong, all that one step of the check finds.
        MeteorError: if the matcher cannot be made with these options.
    """
    context = context or default_context()
    report, made = begin("matcher", matcher, context, options)
    for attribute in ("default_weight", "search_weight", "accuracy_search_weight"):
        value = getattr(made, attribute)
        fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
        report.expect(fits, f"{attribute} is {value!r}; it must be a number between 0 and 1")
    phrases = [[item] if isinstance(item, Token) else [Token(word) for word in item.split()] for item in tokens or ()]
    segments = _segments(phrases)
    distinct = list(dict.fromkeys(token for segment in segments for token in segment))
    if isinstance(made, KeyMatcher):
        _check_keys(report, made, distinct)
    if isinstance(made, SimilarityMatcher):
        _check_vectors(report, made, distinct)
    if isinstance(made, ContextualMatcher):
        _check_encoding(report, made, segments)
    report.stop()
    pairs = _pairs(segments, phrases)
    proposed = [_checked_matches(report, made, pair) for pair in pairs]
    report.stop()
    _check_promises(report, made, pairs, proposed)
    cls = type(made)
    copy = copy_of(report, made)
    compared: list[tuple[str, Matcher | None]] = [("asked again, it", made), ("a pickled copy", copy)]
    if not isinstance(matcher, Matcher):
        again = report.run("making it a second time", lambda: cls.make(context, **options))
        compared.append(("a second matcher with the same options", again))
    for who, other in compared:
        if other is not None:
            _compare(report, other, pairs, proposed, who)
            report.expect(other.describe() == made.describe(), f"{who} describes itself otherwise")
    if options:
        _check_signature(report, made, cls, context, pairs, proposed)
    report.stop()
    if copy is not None:
        _check_threads(report, copy, pairs, proposed)
    if fresh_process and cls.__module__ != "__main__":
        _check_fresh_process(report, made, pairs, proposed)
    report.stop()
    for pair in pairs:
        report.run("aligning with it", lambda pair=pair: align([ExactMatcher(), made], *pair))  # type: ignore[misc]
    report.stop()


def _segments(phrases: Sequence[Sequence[Token]]) -> list[list[Token]]:
    segments = [[Token(word) for word in sentence.split()] for sentence in SENTENCES]
    segments += [[Token(word) for word in ODD_WORDS], [Token(word) for word in ODD_WORDS[::-1]], list(ANALYZED), []]
    if phrases:
        segments.append([token for phrase in phrases for token in phrase])
    return segments


_Pair = tuple[list[Token], list[Token]]
_Matches = list[tuple[int, int, int, int, float]]


def _pairs(segments: list[list[Token]], phrases: Sequence[Sequence[Token]]) -> list[_Pair]:
    """Pair each segment with the next and with itself, and the author's phrases with each other."""
    pairs = [*zip(segments, [*segments[1:], segments[0]], strict=True), *((one, list(one)) for one in segments)]
    pairs.append(([Token("boat")], [Token("boats")]))
    if phrases:
        backwards = [token for phrase in reversed(phrases) for token in phrase]
        pairs.append((segments[-1], backwards))
        even, odd = ([token for phrase in phrases[first::2] for token in phrase] for first in (0, 1))
        pairs += [(backwards, even), (even, odd)]
    return pairs


def _check_keys(report: Complaints, matcher: KeyMatcher, tokens: Sequence[Token]) -> None:
    """Check that the keys of tokens can be compared, and depend on the token only."""

    def get_keys(token: Token) -> frozenset[Any] | None:
        return report.run(f"keys({short(token)})", lambda: frozenset(matcher.keys(token)))

    all_keys = []
    for token in tokens:
        what = f"keys({short(token)})"
        keys = report.run(what, lambda token=token: matcher.keys(token))  # type: ignore[misc]
        fits = isinstance(keys, Collection) and not isinstance(keys, str | bytes)
        advice = f"it must return a set of keys, {{{short(keys)}}} if it is one key, an empty one if there is none"
        report.expect(fits, f"{what} returned {short(keys)}; {advice}")
        all_keys.append(get_keys(token) if fits else None)
        for key in all_keys[-1] or ():
            report.expect(
                key is not None and key != "" and key == key,
                f"{what} holds {key!r}; tokens that have nothing to compare would match each other; "
                "give them an empty set",
            )
    report.stop()
    repeated_keys = [get_keys(token) for token in tokens[::-1]][::-1]
    report.expect(repeated_keys == all_keys, "keys differ from call to call; they may depend on the token only")


def _check_vectors(report: Complaints, matcher: SimilarityMatcher, tokens: Sequence[Token]) -> None:
    """Check that the vectors of tokens have length 1, and depend on the token only."""
    import numpy as np

    def get_vectors(batch: Sequence[Token]) -> Any:
        return report.run(f"vectors of {len(batch)} tokens", lambda: matcher.vectors(batch))

    rows = get_vectors(tokens)
    has_valid_shape = isinstance(rows, np.ndarray) and rows.ndim == 2 and len(rows) == len(tokens)
    if not report.expect(
        has_valid_shape and rows.dtype == np.float32,
        f"vectors returned {_array(rows)} for {len(tokens)} tokens; it must return a float32 array, one row per token",
    ):
        return
    copied_rows = rows.copy()
    for token, row, length in zip(tokens, rows, np.linalg.norm(rows, axis=1), strict=True):
        report.expect(bool(np.isfinite(row).all()), f"the vector of {short(token.form)} is not finite")
        report.expect(
            not math.isfinite(length) or length == 0 or abs(length - 1) <= 1e-3,
            f"the vector of {short(token.form)} has length {length:.4g}; divide it by its length, "
            "or return zeros for a token without a vector",
        )
    reversed_rows, first_row = get_vectors(tokens[::-1]), get_vectors(tokens[:1])
    is_unchanged = np.array_equal(rows, copied_rows, equal_nan=True)
    report.expect(is_unchanged, "a second call overwrites the rows of the first; return a new array")
    for actual, expected in ((reversed_rows, copied_rows[::-1]), (first_row, copied_rows[:1])):
        is_equal = actual is None or (actual.shape == expected.shape and np.allclose(actual, expected, atol=1e-5))
        report.expect(is_equal, "the vector of a token depends on the others; a ContextualMatcher's may")


def _check_encoding(report: Complaints, matcher: ContextualMatcher, segments: Sequence[Sequence[Token]]) -> None:
    """Check that the vectors of a sentence have length 1, and do not depend on other sentences of the batch."""
    import numpy as np

    sentences = list(dict.fromkeys(tuple(segment) for segment in segments if segment))

    def encode(group: Sequence[tuple[Token, ...]]) -> list[Any] | None:
        """Return the rounded vectors of each sentence. Their number and their maximum length are checked."""
        matcher.memory.clear()
        return report.run(f"encode of {len(group)} sentences", lambda: matcher.sentence_rows(group))

    rows = encode(sentences)
    if rows is None:
        return
    lengths = np.linalg.norm(np.concatenate(rows).astype(np.float64), axis=1) / VECTOR_GRID
    has_unit_length = bool(((np.abs(lengths - 1) <= 1e-3) | (lengths == 0)).all())
    report.expect(has_unit_length, "encode returned vectors whose length is neither 1 nor 0; divide each by its length")
    rows_by_sentence = dict(zip(sentences, rows, strict=True))
    for group in [[sentence] for sentence in sentences] + [sentences[::-1], sentences[::2], sentences[1::2]]:
        group_rows = encode(group)
        if group_rows is None or not report.expect(
            all(
                np.array_equal(actual, rows_by_sentence[sentence])
                for sentence, actual in zip(group, group_rows, strict=True)
            ),
            "the rows of a sentence depend on the sentences that are encoded with it; encode one sentence at a time",
        ):
            return


def _array(value: object) -> str:
    import numpy as np

    return f"a {value.dtype} array of shape {value.shape}" if isinstance(value, np.ndarray) else short(value)


def _matches(matcher: Matcher, pair: _Pair) -> _Matches:
    return [tuple(match) for match in matcher.match(list(pair[0]), list(pair[1]))]  # type: ignore[misc]


def _checked_matches(report: Complaints, matcher: Matcher, pair: _Pair) -> _Matches:
    """Return the matches of a pair of segments that are well formed."""
    hypothesis, reference = pair
    sides = (list(hypothesis), list(reference))
    what = f"match({short([t.form for t in hypothesis])}, {short([t.form for t in reference])})"
    proposed = report.run(what, lambda: list(matcher.match(*sides)))
    report.expect(sides == (hypothesis, reference), "match changes the segments that it is given")
    kept = []
    for match in proposed or ():
        if not report.expect(
            isinstance(match, tuple) and len(match) == 5, f"{what} proposed {short(match)}; propose Match(…)"
        ):
            continue
        j, i, reference_length, hypothesis_length, probability = match
        fits = all(type(number) is int for number in match[:4]) and (
            0 <= j < j + reference_length <= len(reference) and 0 <= i < i + hypothesis_length <= len(hypothesis)
        )
        report.expect(
            fits,
            f"{what} proposed {short(match)}; positions and lengths are ints within the {len(reference)} words "
            f"of the reference and the {len(hypothesis)} of the hypothesis (the reference comes first in Match)",
        )
        report.expect(
            isinstance(probability, float | int) and 0 <= probability <= 1,
            f"{what} proposed the probability {probability!r}; it must be in [0, 1]",
        )
        kept.append(tuple(match))
    return kept  # type: ignore[return-value]


def _check_promises(report: Complaints, matcher: Matcher, pairs: list[_Pair], proposed: list[_Matches]) -> None:
    """Check what the family promises, and that there was something to check."""
    shown = False
    for (hypothesis, reference), matches in zip(pairs, proposed, strict=True):
        places = {match[:4] for match in matches}
        for j, i, *lengths in places:
            words = [t.form for t in reference[j : j + lengths[0]]], [t.form for t in hypothesis[i : i + lengths[1]]]
            shown = shown or words[0] != words[1] or getattr(matcher, "match_equal_words", False)
        if isinstance(matcher, SimilarityMatcher | ContextualMatcher) and matcher.options.below is None:
            equal = {(j, i) for j, a in enumerate(reference) for i, b in enumerate(hypothesis) if a.form == b.form}
            report.expect(
                equal <= {match[:2] for match in matches},
                "equal words do not match; matchers of vectors match them whatever these are",
            )
        if isinstance(matcher, KeyMatcher | SimilarityMatcher | ContextualMatcher | PhraseMatcher):
            turned = report.run("match", lambda h=hypothesis, r=reference: _matches(matcher, (r, h)))  # type: ignore[misc]
            mirrored = {(i, j, b, a) for j, i, a, b, _ in turned or ()}
            report.expect(
                turned is None or mirrored == places,
                f"{short([t.form for t in hypothesis])} and {short([t.form for t in reference])} match otherwise "
                "when they change sides; derive from Matcher if that is meant",
            )
    report.expect(
        shown, "it proposed no match in the samples; pass tokens=[…], words or phrases of which some should match"
    )


def _same(matches: _Matches, others: _Matches) -> bool:
    return [match[:4] for match in matches] == [match[:4] for match in others] and all(
        abs(match[4] - other[4]) <= 1e-6 for match, other in zip(matches, others, strict=True)
    )


def _compare(report: Complaints, matcher: Matcher, pairs: list[_Pair], proposed: list[_Matches], who: str) -> None:
    """Check that a matcher proposes the same, pairs in the opposite order."""
    for pair, matches in zip(pairs[::-1], proposed[::-1], strict=True):
        again = report.run(f"match ({who})", lambda pair=pair: _matches(matcher, pair))  # type: ignore[misc]
        report.expect(
            again is None or _same(again, matches),
            f"{who} proposes other matches, or in another order; they may depend on the two segments only",
        )


def _check_signature(
    report: Complaints,
    matcher: Matcher,
    cls: type[Matcher],
    context: MatcherContext,
    pairs: list[_Pair],
    proposed: list[_Matches],
) -> None:
    """Check that options which change the matches show in the signature."""
    try:
        plain = cls.make(context)
        differs = any(not _same(_matches(plain, pair), matches) for pair, matches in zip(pairs, proposed, strict=True))
    except MeteorError:
        return
    report.expect(
        not differs or plain.describe() != matcher.describe(),
        "its options change the matches, but describe() is the same; the signature must tell them apart",
    )


def _check_threads(report: Complaints, matcher: Matcher, pairs: list[_Pair], proposed: list[_Matches]) -> None:
    def work(at: int) -> str:
        try:
            return "" if _same(_matches(matcher, pairs[at]), proposed[at]) else "other matches"
        except Exception as error:
            return describe_error(error)

    with ThreadPoolExecutor(4) as pool:
        wrong = {*pool.map(work, [*range(len(pairs))] * 4)} - {""}
    report.expect(not wrong, f"used from several threads at once, it gave {', '.join(sorted(wrong))}")


_CHILD = """
import pickle, sys
answer, sys.stdout = sys.stdout.buffer, sys.stderr
sys.path[:] = pickle.load(sys.stdin.buffer)
matcher, pairs = pickle.load(sys.stdin.buffer)
pickle.dump([[tuple(match) for match in matcher.match(*pair)] for pair in pairs], answer)
"""


def _check_fresh_process(report: Complaints, matcher: Matcher, pairs: list[_Pair], proposed: list[_Matches]) -> None:
    """Compare with a process in which ``hash`` of a text gives other numbers."""
    question = pickle.dumps([str(Path(place).resolve()) for place in sys.path]) + pickle.dumps((matcher, pairs))
    environment = {**os.environ, "PYTHONHASHSEED": "7" if os.environ.get("PYTHONHASHSEED") != "7" else "8"}
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], input=question, env=environment, capture_output=True, check=False
    )
    if done.returncode:
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"])[-1]
        report.expect(False, f"a new process ended with code {done.returncode} and {last!r}")
        return
    # The answer was written by our own code from matches, but a plugin's code ran beside it.
    result = pickle.loads(done.stdout)
    report.expect(
        all(_same(again, matches) for again, matches in zip(result, proposed, strict=True)),
        "in a new process it proposes other matches, or in another order; hash() of a text and the order of a set "
        "of texts differ from process to process: use zlib.crc32 or hashlib, and sort",
    )
