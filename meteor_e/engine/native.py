"""The native engine: the C++ core, fed by Python.

Where the extension :mod:`meteor_e._native` is not built, or ``METEOR_E_PURE`` is set, there is none.

A :class:`Workspace` is a core with its vocabulary: the distinct words seen so far and their features, each computed
once. A call borrows a workspace and gives it back, so calls from several threads do not wait for each
other, and a plugin may score while it is asked for matches.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import accumulate, chain, islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.matchers import (
    ContextualMatcher,
    KeyMatcher,
    Match,
    Matcher,
    OverlapMatcher,
    PhraseMatcher,
    SimilarityMatcher,
)
from meteor_e.api.tokens import Token, split_words
from meteor_e.base.errors import ConfigError, MeteorError, ResourceError, guarded
from meteor_e.engine import search
from meteor_e.engine.batches import SegmentBatch
from meteor_e.engine.candidates import (
    MAX_CANDIDATES,
    SEPARATE_CANDIDATES,
    family_of,
    inherits,
    misplaced,
    too_many_candidates,
)
from meteor_e.engine.protocol import Engine, EngineSettings, PairSource, Scored
from meteor_e.engine.python import PythonEngine
from meteor_e.scoring.alignment import AlignedMatch, Alignment, count_chunks
from meteor_e.scoring.formula import FormulaScores
from meteor_e.scoring.statistics import LAYOUT
from meteor_e.text.normalization import Normalizer

if TYPE_CHECKING:
    from meteor_e._native import Batch, Core
    from meteor_e.api.lemmatizers import Lemmatizer

VOCABULARY_LIMIT = 1 << 18
"""Distinct words that a workspace remembers, at some 150 bytes each; with more, it is not used again."""

_SEGMENTS_A_THREAD = 64
"""Segments that are worth a thread of their own."""

_MAX_WEIGHT = 1 << 20
"""The largest weight in the search that the core computes with."""

_WORKSPACES_KEPT = 4
"""Workspaces kept for later calls; more only exist while as many calls run at once."""


@cache
def native_module() -> ModuleType | None:
    """Return the extension, ``None`` where it is not built or ``METEOR_E_PURE`` is set (and not 0).

    Raises:
        ResourceError: if it was built from other sources than the Python code beside it.
    """
    if os.environ.get("METEOR_E_PURE", "") not in ("", "0"):
        return None
    try:
        module = import_module("meteor_e._native")
    except ImportError:
        return None
    if (LAYOUT, FormulaScores._fields) != (module.STATISTICS, module.SCORES):
        raise ResourceError("the native core was built from other sources; install meteor_e again (pip install .)")
    return module


class PlannedMatcher(NamedTuple):
    """A matcher of the chain; the core reads all fields but the first, by name.

    Attributes:
        matcher: the matcher itself.
        family: ``exact``, ``keys``, ``strings``, ``synonyms``, ``overlap``, ``ngrams``,
            ``characters``, ``subsequence``, ``similarity``, ``contextual``, ``phrases`` or ``proposals``.
        column: which one it is of those whose features are kept alike.
        search_weight, accuracy_search_weight, match_equal_words, graded: as the matcher has them.
        threshold, below: the similarities that match.
        longest: characters of the longest n-grams, of the family ``ngrams``.
        resource: parameters and sections, by name, of the index that the core reads itself, else ``None``.
    """

    matcher: Matcher
    family: str
    column: int
    search_weight: float
    accuracy_search_weight: float
    match_equal_words: bool
    graded: bool
    threshold: float
    below: float
    longest: int
    resource: Mapping[str, Any] | None


def plan(matchers: Sequence[Matcher]) -> tuple[PlannedMatcher, ...] | None:
    """Plan a chain for the native core; ``None`` if it cannot run there (weights beyond all reason)."""
    for matcher in matchers:
        for weight in (matcher.search_weight, matcher.accuracy_search_weight):
            if not abs(weight) <= _MAX_WEIGHT:
                return None
    columns: dict[str, int] = {}
    planned = []
    for matcher in matchers:
        family = family_of(matcher)
        kind = "keys" if family in ("strings", "synonyms", "overlap", "ngrams") else family
        column = columns.get(kind, 0)
        columns[kind] = column + 1
        similar = matcher if isinstance(matcher, SimilarityMatcher | ContextualMatcher | OverlapMatcher) else None
        planned.append(
            PlannedMatcher(
                matcher=matcher,
                family=family,
                column=column,
                search_weight=matcher.search_weight,
                accuracy_search_weight=matcher.accuracy_search_weight,
                match_equal_words=isinstance(matcher, KeyMatcher) and matcher.match_equal_words,
                graded=matcher.graded,
                threshold=similar.options.threshold if similar is not None else 0.0,
                # Similarities are 1 at most except for rounding, so that 2 is no bound.
                below=2.0 if (below := getattr(matcher.options, "below", None)) is None else below,
                longest=matcher.options.longest if family == "ngrams" else 0,
                resource=_resource(matcher, family),
            )
        )
    return tuple(planned)


def _is_empty_table(matcher: Matcher) -> bool:
    return isinstance(matcher, PhraseMatcher) and inherits(matcher, PhraseMatcher, "match") and matcher.table is None


def _resource(matcher: Matcher, family: str) -> dict[str, Any] | None:
    """Return the matcher's index, for the core: the header was checked, all else is where it is read."""
    if family not in ("synonyms", "phrases"):
        return None
    index: Any = matcher.table  # type: ignore[attr-defined]
    if index is None:
        raise ConfigError(f"matcher {matcher.name!r} has no table")
    words, probes, starting_words, node_count = index.parameters[:4]
    parameters = {"words": words, "probes": probes}
    if family == "phrases":
        parameters.update(starting_words=starting_words, node_count=node_count)
    return {"path": str(index.path), **parameters, **index.sections}


@dataclass
class Workspace:
    """A core, and what Python remembers of its word types.

    Attributes:
        core: the core.
        key_numbers: by the place of a matcher in the chain, the numbers of its keys.
        tokens: of each word type, where tokens must be kept.
        dimensions: of the vectors of each similarity matcher, by its place in the chain.
        types: the word type of each token, in a chain where a token depends on its sentence.
    """

    core: Core
    key_numbers: defaultdict[int, dict[Hashable, int]] = field(default_factory=lambda: defaultdict(dict))
    tokens: list[Token] = field(default_factory=list)
    dimensions: dict[int, int] = field(default_factory=dict)
    types: dict[Token, int] = field(default_factory=dict)

    def number_keys(self, place: int, keys: Collection[Hashable]) -> list[int]:
        """Number the keys of a matcher from 0."""
        numbers = self.key_numbers[place]
        return [numbers.setdefault(key, len(numbers)) for key in keys]


class NativeEngine(Engine):
    """Scores batches with the native core; :func:`make_engine` makes it.

    Args:
        module: the extension.
        settings: parameters, beam and units.
        plan: the chain, as :func:`plan` makes it.
        normalizer: how a raw segment becomes words.
        function_words: the language's function words.
        tokenize: a raw segment's tokens, in a chain where they depend on their sentence; else ``None``.
        tokens_of: the tokens of words, where they do not.
        segment: changes a raw segment before it is normalized; ``tokenize`` does so itself.
    """

    name = "native"

    def __init__(
        self,
        module: ModuleType,
        settings: EngineSettings,
        plan: tuple[PlannedMatcher, ...],
        normalizer: Normalizer,
        function_words: Collection[str],
        tokenize: Callable[[str], Sequence[Token]] | None,
        tokens_of: Callable[[list[str]], list[Token]],
        segment: Callable[[str], str] | None = None,
    ) -> None:
        self._module = module
        self._settings = settings
        self._plan = plan
        self._normalizer = normalizer
        self._function_words = function_words
        self._tokenize = tokenize
        self._tokens_of = tokens_of
        self._segment = segment
        self._proposers = [
            (place, planned)
            for place, planned in enumerate(plan)
            if planned.family == "proposals" and not _is_empty_table(planned.matcher)
        ]
        """Place and plan of the matchers that are asked in Python for each pair of segments."""
        self._encoders = [planned for planned in plan if planned.family == "contextual"]
        """Matchers that give the vectors of whole sentences."""
        self._workspaces: list[Workspace] = []

    def score(
        self,
        batch: SegmentBatch,
        *,
        threads: int = 1,
        alignments: bool = False,
        maximum_accuracy: bool = False,
        stop: object = None,
    ) -> Scored:
        """Score a batch; see :meth:`meteor_e.engine.protocol.Engine.score`."""
        starts = list(accumulate(map(len, batch.references), initial=0))
        segments = [*batch.hypotheses, *chain.from_iterable(batch.references)]
        # Where Python is asked for each pair, alignments are not computed again when they are wanted.
        alignments = alignments or bool(self._proposers)
        count = len(batch.hypotheses)
        threads = max(1, min(threads, count // _SEGMENTS_A_THREAD))
        with self._workspace() as workspace:
            words = self._read(workspace, segments, threads, stop)
            words.pair(starts)
            if self._proposers:
                self._propose(workspace, words, starts)
            results = words.score(threads=threads, alignments=alignments, maximum_accuracy=maximum_accuracy, stop=stop)
            scored = Scored(**results, failures=self._failures(words), alignments=[])
            if alignments:
                best = memoryview(scored.best_references).cast("i")
                for number, start in enumerate(starts[:-1]):
                    done = number not in scored.failures
                    reference = count + start + best[number]
                    scored.alignments.append(self._alignment(words, number, reference) if done else None)
        return scored

    def score_pairs(
        self, texts: Sequence[str], sources: Sequence[PairSource], *, threads: int = 1
    ) -> tuple[array[float], dict[int, MeteorError]]:
        """Score pairs of texts; see :meth:`meteor_e.engine.protocol.Engine.score_pairs`."""
        if self._proposers:
            return super().score_pairs(texts, sources, threads=threads)
        scores = array("d", [0.0]) * sum(len(left) * len(right) for left, right in sources)
        threads = max(1, min(threads, len(scores) // _SEGMENTS_A_THREAD))
        with self._workspace() as workspace:
            batch = self._read(workspace, texts, threads, None)
            batch.score_pairs(sources, scores, threads, None)
            return scores, self._failures(batch)

    @contextlib.contextmanager
    def _workspace(self) -> Iterator[Workspace]:
        """Lend a workspace; one that an error left half done is not used again, nor one with too many words."""
        try:
            try:
                workspace = self._workspaces.pop()
            except IndexError:
                core = self._module.Core(
                    settings=self._settings,
                    matchers=self._plan,
                    normalizer=self._normalizer,
                    max_candidates=MAX_CANDIDATES,
                    separate_candidates=SEPARATE_CANDIDATES,
                    max_paths=search.MAX_PATHS,
                )
                workspace = Workspace(core)
            yield workspace
        except self._module.DamagedIndexError as error:
            from meteor_e.packs.indexes import damaged

            file, problem = error.args
            damaged(Path(file), problem)
        if len(self._workspaces) < _WORKSPACES_KEPT and workspace.core.size <= VOCABULARY_LIMIT:
            self._workspaces.append(workspace)

    def _read(self, workspace: Workspace, segments: Sequence[str], threads: int, stop: object) -> Batch:
        core = workspace.core
        if self._tokenize is not None:
            batch = core.take(self._token_types(workspace, [self._tokenize(segment) for segment in segments]))
        else:
            if self._segment is not None:
                segments = [self._segment(segment) for segment in segments]
            batch = core.read(segments, threads, stop)
            for number in batch.irregular():
                batch.set_words(number, split_words(self._normalizer(segments[number])))
            if batch.intern():
                self._describe(workspace, self._tokens_of(core.undescribed()))
        if self._encoders:
            self._encode(workspace, batch)
        return batch

    def _token_types(self, workspace: Workspace, segments: Sequence[Sequence[Token]]) -> list[list[int]]:
        types, before = workspace.types, len(workspace.types)
        numbers = [[types.setdefault(token, len(types)) for token in tokens] for tokens in segments]
        fresh = list(islice(types, before, None))
        if fresh:
            workspace.core.add_types([token.form for token in fresh])
            self._describe(workspace, fresh)
        return numbers

    def _describe(self, workspace: Workspace, tokens: Sequence[Token]) -> None:
        """Compute the features of new word types."""
        function_words = self._function_words
        features: list[Any] = []
        for place, planned in enumerate(self._plan):
            with guarded(f"matcher {planned.matcher.name!r}"):
                features.append(_features(workspace, place, planned, tokens))
        if self._proposers or self._encoders:
            workspace.tokens.extend(tokens)
        weigh = self._settings.weigh
        units = None if weigh is None else array("I", [weigh(token.form) for token in tokens]).tobytes()
        workspace.core.describe(bytes([token.form.lower() in function_words for token in tokens]), features, units)

    def _encode(self, workspace: Workspace, batch: Batch) -> None:
        """Ask for the vectors of the distinct sentences; those that are too long get none."""
        tokens = workspace.tokens
        sentences = [tuple(tokens[type] for type in batch.types(first)) for first in batch.number_sentences()]
        asked: dict[tuple[int, int], Sequence[Any]] = {}
        for planned in self._encoders:
            matcher = planned.matcher
            assert isinstance(matcher, ContextualMatcher)
            places = [place for place, sentence in enumerate(sentences) if len(sentence) <= matcher.longest_sentence]
            # Several bands of similarities may have one memory: what the first has is not asked for again.
            key = id(matcher.memory), matcher.longest_sentence
            if key not in asked:
                with guarded(f"matcher {matcher.name!r}"):
                    asked[key] = matcher.sentence_rows([sentences[place] for place in places])
            found = asked[key]
            for place, rows in zip(places, found, strict=True):
                batch.give_rows(planned.column, place, rows)

    def _propose(self, workspace: Workspace, batch: Batch, starts: Sequence[int]) -> None:
        """Ask the matchers that work in Python, in chain order; equal segments ask the first of the chain only."""
        tokens = workspace.tokens
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
                        # Unpacked as the Python engine does, so that both say the same of what is no match.
                        matches = [Match(j, i, length, other_length, p) for j, i, length, other_length, p in proposed]
                        batch.propose(reference, planned.column, matches)

    def _alignment(self, batch: Batch, hypothesis: int, reference: int) -> Alignment:
        matches = batch.alignment(hypothesis, AlignedMatch)
        return Alignment(
            batch.words(hypothesis),
            batch.words(reference),
            matches,
            tuple(planned.matcher.name for planned in self._plan),
            count_chunks(matches),
        )

    def _failures(self, batch: Batch) -> dict[int, MeteorError]:
        return {failure.pop("hypothesis"): self._failure(**failure) for failure in batch.failures()}

    def _failure(
        self,
        hypothesis_size: int,
        reference_size: int,
        matcher: int | None = None,
        paths: int = 0,
        **proposal: int,
    ) -> MeteorError:
        if paths:
            return search.too_many_paths(hypothesis_size, reference_size)
        if matcher is None:
            return too_many_candidates(hypothesis_size, reference_size)
        asked = self._plan[matcher].matcher
        if not proposal:
            assert isinstance(asked, ContextualMatcher)
            return asked.too_long(max(hypothesis_size, reference_size))
        return misplaced(asked.name, Match(**proposal), hypothesis_size, reference_size)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("an engine is not pickled; Meteor makes a new one")


def _features(workspace: Workspace, place: int, planned: PlannedMatcher, tokens: Sequence[Token]) -> Any:
    """Ask a matcher for the features of new word types; ``None`` where the core computes them itself."""
    matcher = planned.matcher
    if planned.family == "strings":
        return [matcher.stem(token) for token in tokens]  # type: ignore[attr-defined]
    if planned.family == "keys":
        assert isinstance(matcher, KeyMatcher)
        return [workspace.number_keys(place, matcher.distinct_keys(token)) for token in tokens]
    if planned.family == "ngrams":
        return [matcher.lowered(token) for token in tokens]  # type: ignore[attr-defined]
    if planned.family == "overlap":
        assert isinstance(matcher, OverlapMatcher)
        return [workspace.number_keys(place, matcher.distinct_pieces(token)) for token in tokens]
    if planned.family == "similarity":
        assert isinstance(matcher, SimilarityMatcher)
        rows = matcher.checked_vectors(tokens)
        dimension = workspace.dimensions.setdefault(place, rows.shape[1])
        if rows.shape[1] != dimension:
            raise ValueError(f"vectors had {dimension} dimensions before, and now have {rows.shape[1]}")
        return rows
    return None


ENGINES = ("native", "python")


def make_engine(
    settings: EngineSettings,
    matchers: Sequence[Matcher],
    normalizer: Normalizer,
    function_words: Collection[str],
    tokenize: Callable[[str], Sequence[Token]],
    lemmatizer: Lemmatizer | None = None,
    *,
    segment: Callable[[str], str] | None = None,
    wanted: str | None = None,
) -> Engine:
    """Make the engine for a chain: the native one, or the one in Python where that cannot run.

    Args:
        settings: parameters, beam and units.
        matchers: the chain.
        normalizer: how a raw segment becomes words.
        function_words: the language's function words.
        tokenize: a raw segment's tokens.
        lemmatizer: what makes tokens of words; ``None`` for tokens that carry their form alone.
        segment: changes a raw segment before it is normalized, where the chain has a segmenter.
        wanted: ``native`` or ``python``.

    Raises:
        ConfigError: if the engine that is wanted cannot run the chain.
    """
    if wanted not in (None, *ENGINES):
        raise ConfigError(f"unknown engine {wanted!r}; there are {' and '.join(ENGINES)}")
    module = None if wanted == "python" or type(normalizer) is not Normalizer else native_module()
    planned = None if module is None else plan(matchers)
    if module is None or planned is None:
        if wanted == "native":
            raise ConfigError("the native core is not built, METEOR_E_PURE is set, or this chain cannot run in it")
        return PythonEngine(settings, matchers, function_words, tokenize)
    # Where a token depends on its word alone, the engine asks once for each word type, and not for each segment.
    by_word = lemmatizer is None or lemmatizer.scope == "word"
    return NativeEngine(
        module,
        settings,
        planned,
        normalizer,
        function_words,
        None if by_word else tokenize,
        (lambda words: list(map(Token, words))) if lemmatizer is None else lemmatizer.analyze,
        segment,
    )
