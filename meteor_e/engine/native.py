"""The native engine: batches of segments in, statistics and scores out.

Where the extension :mod:`meteor_e._native` is not built, or ``METEOR_E_PURE`` is set, there is no engine, and
:class:`~meteor_e.meteor.Meteor` computes the same numbers in pure Python.

A :class:`Lane` is a core with its vocabulary: the distinct words seen so far and their features, each computed
once. A call takes a lane for its time and gives it back, so calls from several threads do not wait for each
other, and a plugin may score while it is asked for matches.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from meteor_e.api.matchers import KeyMatcher, Matcher, SimilarityMatcher
from meteor_e.api.tokens import Token, plain_tokens, split_words
from meteor_e.base.errors import ConfigError, MeteorError
from meteor_e.base.guard import guarded
from meteor_e.engine.candidates import MAX_CANDIDATES, misplaced, too_many_candidates
from meteor_e.engine.plan import Plan, PlannedMatcher, plan
from meteor_e.engine.settings import EngineSettings
from meteor_e.scoring.alignment import AlignedMatch, Alignment, count_chunks
from meteor_e.text.normalization import Normalizer

if TYPE_CHECKING:
    from meteor_e._native import Batch, Core

__all__ = ["VOCABULARY_LIMIT", "NativeEngine", "Scored", "default_threads", "native_module"]

VOCABULARY_LIMIT = 1 << 18
"""Distinct words that a lane remembers, at some 150 bytes each; it starts afresh with the batch after that."""

_SEGMENTS_A_THREAD = 64
"""Segments that are worth a thread of their own."""

_LANES_KEPT = 4
"""Lanes kept for later calls; more only exist while as many calls run at once."""


@cache
def native_module() -> ModuleType | None:
    """Return the extension, ``None`` where it is not built or ``METEOR_E_PURE`` is set (and not 0)."""
    if os.environ.get("METEOR_E_PURE", "") not in ("", "0"):
        return None
    try:
        return import_module("meteor_e._native")
    except ImportError:
        return None


def default_threads(threads: int | None = None) -> int:
    """Return a number of threads: as given, else ``METEOR_E_THREADS``, else the processors there are.

    Raises:
        ConfigError: if it is not a number of at least 1.
    """
    source = "threads"
    value: int | str | None = threads
    if value is None:
        source, value = "METEOR_E_THREADS", os.environ.get("METEOR_E_THREADS") or None
    if value is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1 or isinstance(value, float):
        raise ConfigError(f"{source} is {value!r}; it must be a whole number of at least 1")
    return number


class Scored:
    """What a batch came to, a row a hypothesis.

    Attributes:
        statistics: bytes of int64, ``(hypotheses, 7 + 4·matchers)``, as :meth:`Statistics.to_vector` orders them.
        scores: bytes of float64, ``(hypotheses, 6)``: precision, recall, F1, Fmean, penalty, score; undefined
            parts are NaN.
        best_references: bytes of int32: which reference of its own each hypothesis is scored against.
        failures: hypothesis → the error why it has no score.
        alignments: the alignments with the best references, if they were asked for; ``None`` for a failure.
        total: the statistics of all segments, added up as a corpus does.
    """

    __slots__ = ("alignments", "best_references", "failures", "scores", "statistics", "total", "width")

    def __init__(
        self,
        columns: tuple[bytes, bytes, bytes],
        width: int,
        failures: dict[int, MeteorError],
        alignments: list[Alignment | None],
        total: list[int],
    ) -> None:
        self.statistics, self.scores, self.best_references = columns
        self.width = width
        self.failures = failures
        self.alignments = alignments
        self.total = total

    def rows(self) -> Iterator[tuple[list[int], list[float], int]]:
        """Yield statistics, scores and best reference of each hypothesis."""
        statistics = memoryview(self.statistics).cast("q").tolist()
        scores: list[float] = memoryview(self.scores).cast("d").tolist()  # type: ignore[assignment]
        width = self.width
        for number, reference in enumerate(memoryview(self.best_references).cast("i")):
            yield (
                statistics[number * width : (number + 1) * width],
                scores[number * 6 : (number + 1) * 6],
                reference,
            )


class Lane:
    """A core, and what Python remembers of its word types."""

    def __init__(self, core: Core, plan: Plan) -> None:
        self.core = core
        self._key_numbers: list[dict[Hashable, int]] = [{} for _ in plan.matchers]
        self.tokens: list[Token] = []
        """Token of each word type, where tokens must be kept."""
        self.dimensions: dict[int, int] = {}
        """Dimension of each similarity matcher's vectors, by its place in the chain."""
        self.types: dict[Token, int] = {}
        """Word type of each token, in a chain where a token depends on its sentence."""

    def clear(self) -> None:
        """Forget all word types."""
        self.core.clear()
        for numbers in self._key_numbers:
            numbers.clear()
        self.tokens.clear()
        self.dimensions.clear()
        self.types.clear()

    def number_keys(self, place: int, keys: Collection[Hashable]) -> list[int]:
        """Number the keys of a matcher from 0."""
        numbers = self._key_numbers[place]
        return [numbers.setdefault(key, len(numbers)) for key in keys]


class NativeEngine:
    """Scores batches with the native core; use :meth:`create`.

    Args:
        module: the extension.
        settings: parameters, beam and units.
        plan: its matchers.
        normalizer: how a raw segment becomes words.
        function_words: the language's function words.
        tokenize: a raw segment's tokens, in a chain where they depend on their sentence; else ``None``.
        tokens_of: the tokens of words, where they do not.
    """

    def __init__(
        self,
        module: ModuleType,
        settings: EngineSettings,
        plan: Plan,
        normalizer: Normalizer,
        function_words: Collection[str],
        tokenize: Callable[[str], Sequence[Token]] | None,
        tokens_of: Callable[[list[str]], list[Token]],
    ) -> None:
        self._module = module
        self._settings = settings
        self._plan = plan
        self._normalizer = normalizer
        self._function_words = function_words
        self._tokenize = tokenize
        self._tokens_of = tokens_of
        self._proposers = plan.proposers
        self._keeps_tokens = plan.needs_tokens()
        self._lanes: list[Lane] = []

    @classmethod
    def create(
        cls,
        settings: EngineSettings,
        matchers: Sequence[Matcher],
        normalizer: Normalizer,
        function_words: Collection[str],
        tokenize: Callable[[str], Sequence[Token]] | None = None,
        tokens_of: Callable[[list[str]], list[Token]] = plain_tokens,
    ) -> NativeEngine | None:
        """Make an engine; ``None`` where there is no extension, or the chain cannot run in it."""
        module = native_module()
        planned = plan(matchers) if module is not None and type(normalizer) is Normalizer else None
        if module is None or planned is None:
            return None
        return cls(module, settings, planned, normalizer, function_words, tokenize, tokens_of)

    @property
    def asks_python(self) -> bool:
        """Whether a matcher is asked in Python for each pair of segments."""
        return bool(self._proposers)

    def score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        *,
        threads: int = 1,
        alignments: bool = False,
        maximum_accuracy: bool = False,
        stop: object = None,
    ) -> Scored:
        """Score hypotheses, each against references of its own (at least one).

        Args:
            hypotheses: raw segments.
            references: raw references of each hypothesis.
            threads: how many threads work.
            alignments: keep the alignments.
            maximum_accuracy: align in the maximum-accuracy mode.
            stop: when another thread makes it true, a list that gets an item, the call ends in KeyboardInterrupt.
        """
        starts = [0]
        segments = list(hypotheses)
        for texts in references:
            segments.extend(texts)
            starts.append(starts[-1] + len(texts))
        return self._score(segments, None, starts, threads, alignments, maximum_accuracy, stop)

    def score_pairs(
        self, texts: Sequence[str], hypotheses: Sequence[int], references: Sequence[int], *, threads: int = 1
    ) -> Scored:
        """Score pairs of texts, each text read once.

        Args:
            texts: raw segments.
            hypotheses, references: for each pair the numbers of its two texts.
            threads: how many threads work.
        """
        starts = list(range(len(hypotheses) + 1))
        return self._score(texts, [*hypotheses, *references], starts, threads, False, False, None)

    def _score(
        self,
        segments: Sequence[str],
        order: Sequence[int] | None,
        starts: Sequence[int],
        threads: int,
        alignments: bool,
        maximum_accuracy: bool,
        stop: object,
    ) -> Scored:
        count = len(starts) - 1
        threads = max(1, min(threads, count // _SEGMENTS_A_THREAD))
        try:
            lane = self._lanes.pop()
        except IndexError:
            lane = self._new_lane()
        with self._damage_reported():
            if lane.core.size > VOCABULARY_LIMIT:
                lane.clear()
            batch = self._read(lane, segments, threads, stop)
            if order is not None:
                batch.arrange(order)
            batch.pair(starts)
            if self._proposers:
                self._propose(lane, batch, starts)
            columns = batch.score(threads, alignments, maximum_accuracy, stop)
            scored = Scored(
                columns,
                7 + 4 * len(self._plan.matchers),
                {failure[0]: self._failure(*failure[1:]) for failure in batch.failures()},
                [],
                batch.total(columns[0]),
            )
            if alignments:
                best = memoryview(columns[2]).cast("i")
                for number, start in enumerate(starts[:-1]):
                    reference = count + start + best[number]
                    done = number not in scored.failures
                    scored.alignments.append(self._alignment(batch, number, reference) if done else None)
        # A lane that an error left half done is not used again.
        if len(self._lanes) < _LANES_KEPT:
            self._lanes.append(lane)
        return scored

    def _new_lane(self) -> Lane:
        settings, normalizer = self._settings, self._normalizer
        parameters = settings.parameters
        with self._damage_reported():
            core = self._module.Core(
                [planned.specification() for planned in self._plan.matchers],
                (parameters.alpha, parameters.beta, parameters.gamma, parameters.delta),
                parameters.weights,
                settings.beam,
                settings.character_mode,
                MAX_CANDIDATES,
                normalizer.mode.value,
                normalizer.apostrophes,
                tuple(normalizer.prefixes.always),
                tuple(normalizer.prefixes.numeric),
            )
        return Lane(core, self._plan)

    def _read(self, lane: Lane, segments: Sequence[str], threads: int, stop: object) -> Batch:
        core = lane.core
        if self._tokenize is not None:
            batch = core.take(self._token_types(lane, [self._tokenize(segment) for segment in segments]))
        else:
            batch = core.read(segments, threads, stop)
            for number in batch.irregular():
                batch.set_words(number, split_words(self._normalizer(segments[number])))
            if batch.intern():
                self._describe(lane, self._tokens_of(core.undescribed()))
        return batch

    def _token_types(self, lane: Lane, segments: Sequence[Sequence[Token]]) -> list[list[int]]:
        types, fresh = lane.types, []
        numbers = []
        for tokens in segments:
            row = []
            for token in tokens:
                number = types.get(token)
                if number is None:
                    number = types[token] = len(types)
                    fresh.append(token)
                row.append(number)
            numbers.append(row)
        if fresh:
            lane.core.add_types([token.form for token in fresh])
            self._describe(lane, fresh)
        return numbers

    def _describe(self, lane: Lane, tokens: Sequence[Token]) -> None:
        """Compute the features of new word types."""
        function_words = self._function_words
        features: list[Any] = []
        for place, planned in enumerate(self._plan.matchers):
            with guarded(f"matcher {planned.matcher.name!r}"):
                features.append(_features(lane, place, planned, tokens))
        if self._keeps_tokens:
            lane.tokens.extend(tokens)
        lane.core.describe(bytes([token.form.lower() in function_words for token in tokens]), features)

    def _propose(self, lane: Lane, batch: Batch, starts: Sequence[int]) -> None:
        """Ask the matchers that work in Python, in chain order; equal segments ask the first of the chain only."""
        tokens = lane.tokens
        count = len(starts) - 1
        for number in range(count):
            if batch.original(number) != number:
                continue
            hypothesis = batch.types(number)
            for reference in range(starts[number], starts[number + 1]):
                other = batch.types(count + reference)
                sides = [tokens[type] for type in hypothesis], [tokens[type] for type in other]
                for place, planned in self._proposers:
                    if place and hypothesis == other:
                        break
                    with guarded(f"matcher {planned.matcher.name!r}"):
                        proposed = islice(planned.matcher.match(*sides), MAX_CANDIDATES + 1)
                        matches = [(j, i, length, other_length, p) for j, i, length, other_length, p in proposed]
                        batch.propose(reference, planned.column, matches)

    def _alignment(self, batch: Batch, hypothesis: int, reference: int) -> Alignment:
        matches = tuple(AlignedMatch(*match) for match in batch.alignment(hypothesis))
        return Alignment(
            batch.words(hypothesis),
            batch.words(reference),
            matches,
            tuple(planned.matcher.name for planned in self._plan.matchers),
            count_chunks(matches),
        )

    def _failure(
        self,
        hypothesis_size: int,
        reference_size: int,
        matcher: int | None,
        proposal: tuple[int, int, int, int] | None,
    ) -> MeteorError:
        if matcher is None or proposal is None:
            return too_many_candidates(hypothesis_size, reference_size)
        name = self._plan.matchers[matcher].matcher.name
        return misplaced(name, proposal, hypothesis_size, reference_size)

    @contextlib.contextmanager
    def _damage_reported(self) -> Iterator[None]:
        try:
            yield
        except self._module.DamagedIndexError as error:
            from meteor_e.packs.indexfile import damaged

            file, problem = error.args
            damaged(Path(file), problem)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("an engine is not pickled; Meteor makes a new one")


def _features(lane: Lane, place: int, planned: PlannedMatcher, tokens: Sequence[Token]) -> Any:
    """Ask a matcher for the features of new word types; ``None`` where the core computes them itself."""
    matcher = planned.matcher
    if planned.family == "strings":
        return [matcher.keys(token)[0] for token in tokens]  # type: ignore[attr-defined]
    if planned.family == "keys":
        assert isinstance(matcher, KeyMatcher)
        return [lane.number_keys(place, matcher.distinct_keys(token)) for token in tokens]
    if planned.family == "similarity":
        assert isinstance(matcher, SimilarityMatcher)
        rows = matcher.checked_vectors(tokens)
        dimension = lane.dimensions.setdefault(place, rows.shape[1])
        if rows.shape[1] != dimension:
            raise ValueError(f"vectors had {dimension} dimensions before, and now have {rows.shape[1]}")
        return rows
    return None
