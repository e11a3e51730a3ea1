"""Read, align and score batches of segments with the native core, which is written in C++.

If the extension :mod:`meteor_e._native` is not built, or if ``METEOR_E_PURE`` is set, the Python engine is used.

Every call takes a :class:`~meteor_e.engine.core_session.CoreSession` from a pool. Therefore calls from several threads
do not wait for each other. A plugin's matcher may also use the engine itself, for example to score other segments.
"""

from __future__ import annotations

import contextlib
import os
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.batches import Batch
from meteor_e.api.matchers import Match, Matcher
from meteor_e.api.tokens import Token, split_words
from meteor_e.base.errors import ConfigError, MeteorError, ResourceError
from meteor_e.engine import search
from meteor_e.engine.candidates import misplaced_match, too_many_candidates
from meteor_e.engine.core_session import CoreSession
from meteor_e.engine.native_plan import PlannedMatcher, core_limits, has_empty_table, plan_chain
from meteor_e.engine.protocol import Engine, EngineSettings, PairScores, PairSource, Tokenization
from meteor_e.engine.python import PythonEngine
from meteor_e.scoring import characters
from meteor_e.scoring.formula import FormulaScores
from meteor_e.scoring.packed_alignments import PackedAlignments
from meteor_e.scoring.rows import Rows
from meteor_e.scoring.statistics import LAYOUT
from meteor_e.text.normalization import Normalizer

if TYPE_CHECKING:
    from meteor_e._native import Batch as CoreBatch

ENGINES = ("native", "python")

VOCABULARY_LIMIT = 1 << 18
"""Maximum number of word types of a session, at about 150 bytes each. Larger sessions are discarded after use."""

_MIN_SEGMENTS_PER_THREAD = 64
"""Minimum number of segments for which a thread is started."""

_MAX_IDLE_SESSIONS = 4
"""Number of sessions kept for later calls. If more calls run at once, extra sessions are discarded after use."""

_POSITION_FIELDS = ("reference_start", "hypothesis_start", "reference_length", "hypothesis_length")
"""The fields of :class:`~meteor_e.api.matchers.Match` without the probability."""


@cache
def native_module() -> ModuleType | None:
    """Import the extension.

    Returns:
        The module, or ``None`` if the extension is not built or ``METEOR_E_PURE`` is set to anything except 0.

    Raises:
        ResourceError: if the extension and the Python code belong to different versions.
    """
    if os.environ.get("METEOR_E_PURE", "") not in ("", "0"):
        return None
    try:
        module = import_module("meteor_e._native")
    except ImportError:
        return None
    python_layout = LAYOUT, FormulaScores._fields, (characters.LONGEST_NGRAM, characters.LONGEST_ORDERED_NGRAM)
    core_layout = module.STATISTICS, module.SCORES, module.NGRAM_LENGTHS
    if core_layout != python_layout:
        raise ResourceError("the native core was built from other sources; install meteor_e again (pip install .)")
    return module


class NativeEngine(Engine):
    """Score batches with the native core. The function :func:`make_engine` creates instances of this engine.

    Args:
        module: the extension.
        settings: parameters, beam and units.
        plan: the chain, as :func:`~meteor_e.engine.native_plan.plan_chain` returns it.
        function_words: the language's function words.
        tokenization: functions that convert a raw segment to tokens.
    """

    name = "native"

    def __init__(
        self,
        module: ModuleType,
        settings: EngineSettings,
        plan: Sequence[PlannedMatcher],
        function_words: Collection[str],
        tokenization: Tokenization,
    ) -> None:
        self._module = module
        self._settings = settings
        self._plan = plan
        self._function_words = function_words
        self._tokenization = tokenization
        self._idle_sessions: list[CoreSession] = []
        self._encoders = [planned for planned in plan if planned.family == "contextual"]
        """Matchers that compute the vectors of whole sentences."""
        proposers = [planned for planned in plan if planned.family == "proposals"]
        self._proposers = [planned for planned in proposers if not has_empty_table(planned.matcher)]
        """Matchers that run in Python for each pair of segments."""

    def score(self, batch: Batch, *, maximum_accuracy: bool = False) -> Rows:
        """Score the hypotheses of a batch. See :meth:`meteor_e.engine.protocol.Engine.score` for the arguments."""
        segments = _list_segments(batch)
        # Matchers that run in Python are slow, so their alignments are kept in case the caller needs them later.
        keep_alignments = batch.alignments or bool(self._proposers)
        threads = _limit_threads(batch.threads or 1, len(batch))
        with self._borrow_session() as session:
            core_batch = self._read_pairs(session, segments, threads, batch.stop)
            results = core_batch.score(
                threads=threads,
                alignments=keep_alignments,
                maximum_accuracy=maximum_accuracy,
                stop=batch.stop,
            )
            failures = self._read_failures(core_batch)
            if not keep_alignments:
                return Rows(**results, failures=failures, alignments=())
            best_references = segments.find_best_references(results["best_references"])
            alignments = self._pack_alignments(core_batch, best_references, failures)
            return Rows(**results, failures=failures, alignments=alignments)

    def _read_pairs(self, session: CoreSession, segments: _Segments, threads: int, stop: object) -> CoreBatch:
        """Pass hypotheses and references to the C++ core. Also pass the matches that matchers in Python propose."""
        core_batch = self._read(session, segments.texts, threads, stop)
        core_batch.pair(segments.reference_starts)
        if self._proposers:
            session.propose(self._proposers, core_batch, segments.reference_starts)
        return core_batch

    def _pack_alignments(
        self, batch: CoreBatch, best_references: Sequence[int], failures: Collection[int]
    ) -> PackedAlignments:
        """Return the alignments of the hypotheses with their best references.

        Args:
            batch: the scored batch.
            best_references: for each hypothesis the index of its best reference among all segments of the batch.
            failures: the indexes of the hypotheses that cannot be aligned.
        """
        matcher_names = tuple(planned.matcher.name for planned in self._plan)
        packed_arrays = batch.pack_alignments(best_references)
        return PackedAlignments(**packed_arrays, matchers=matcher_names, failures=frozenset(failures))

    def score_pairs(self, texts: Sequence[str], sources: Sequence[PairSource], *, threads: int = 1) -> PairScores:
        """Score pairs of texts, as described in :meth:`meteor_e.engine.protocol.Engine.score_pairs`."""
        if self._proposers:
            return super().score_pairs(texts, sources, threads=threads)
        pair_count = sum(len(hypotheses) * len(references) for hypotheses, references in sources)
        scores = array("d", [0.0]) * pair_count
        threads = _limit_threads(threads, pair_count)
        with self._borrow_session() as session:
            batch = self._read(session, texts, threads, stop=None)
            batch.score_pairs(sources, scores, threads, None)
            return PairScores(scores, self._read_failures(batch))

    @contextlib.contextmanager
    def _borrow_session(self) -> Iterator[CoreSession]:
        """Yield a session for exclusive use, and return it to the pool afterwards.

        If an error occurs, the session may be incomplete and is discarded.

        Raises:
            ResourceError: if the C++ core detects that an index file is damaged.
        """
        try:
            session = self._take_session()
            yield session
        except self._module.DamagedIndexError as error:
            from meteor_e.packs.index_format import raise_damaged

            file, problem = error.args
            raise_damaged(Path(file), problem)
        else:
            self._return_session(session)

    def _take_session(self) -> CoreSession:
        """Take an idle session from the pool, or start a new session if the pool is empty."""
        # Checking whether the list is empty would be unsafe, because another thread may take the last session.
        try:
            return self._idle_sessions.pop()
        except IndexError:
            return self._start_session()

    def _return_session(self, session: CoreSession) -> None:
        """Return a session to the pool, unless its vocabulary is very large or the pool is full."""
        if len(self._idle_sessions) < _MAX_IDLE_SESSIONS and session.core.size <= VOCABULARY_LIMIT:
            self._idle_sessions.append(session)

    def _start_session(self) -> CoreSession:
        """Start a session with a new C++ core, whose vocabulary is empty."""
        normalizer = self._tokenization.normalizer
        core = self._module.Core(
            settings=self._settings, matchers=self._plan, normalizer=normalizer, limits=core_limits()
        )
        keep_tokens = bool(self._proposers or self._encoders)
        return CoreSession(core, self._plan, self._function_words, self._settings.word_units, keep_tokens)

    def _read(self, session: CoreSession, segments: Sequence[str], threads: int, stop: object) -> CoreBatch:
        """Pass raw segments to the C++ core, and compute the features of words that are new to the core."""
        lemmatizer = self._tokenization.lemmatizer
        if lemmatizer is not None and lemmatizer.scope != "word":
            # The token of a word depends on its sentence, so all segments are tokenized in Python.
            token_lists = [self._tokenization.tokenize(segment) for segment in segments]
            batch = session.core.take(session.type_ids(token_lists))
        else:
            batch = self._tokenize_in_core(session, segments, threads, stop)
        if self._encoders:
            session.encode(self._encoders, batch)
        return batch

    def _tokenize_in_core(self, session: CoreSession, segments: Sequence[str], threads: int, stop: object) -> CoreBatch:
        """Normalize raw segments with the C++ core, and split them into words.

        The core keeps the words of previous batches in its vocabulary. Only new words need features.
        """
        tokenization = self._tokenization
        if tokenization.insert_spaces is not None:
            segments = [tokenization.insert_spaces(segment) for segment in segments]
        batch = session.core.read(segments, threads, stop)
        # Segments that the C++ core cannot normalize are normalized in Python.
        for index in batch.irregular():
            words = split_words(tokenization.normalizer(segments[index]))
            batch.set_words(index, words)
        has_new_words = batch.intern()
        if has_new_words:
            self._describe_new_words(session)
        return batch

    def _describe_new_words(self, session: CoreSession) -> None:
        """Create tokens for words that the C++ core has not seen before, and compute the features of these tokens."""
        new_words = session.core.undescribed()
        if self._tokenization.lemmatizer is None:
            session.describe([Token(word) for word in new_words])
        else:
            session.describe(self._tokenization.lemmatizer.analyze(new_words))

    def _read_failures(self, batch: CoreBatch) -> dict[int, MeteorError]:
        """Return a dictionary from result indexes to the errors of pairs that the C++ core could not align."""
        return {failure["hypothesis"]: self._make_error(failure) for failure in batch.failures()}

    def _make_error(self, failure: Mapping[str, Any]) -> MeteorError:
        """Create the exception for a hypothesis and a reference that the C++ core could not align.

        Args:
            failure: the problem and the sizes of the segments, as ``Batch.failures`` of the C++ core returns them.
        """
        hypothesis_size = failure["hypothesis_size"]
        reference_size = failure["reference_size"]
        match failure["problem"]:
            case "too_many_paths":
                return search.too_many_paths(hypothesis_size, reference_size)
            case "too_many_candidates":
                return too_many_candidates(hypothesis_size, reference_size)
            case "missing_vectors":
                encoder: Any = self._plan[failure["matcher"]].matcher
                return encoder.too_long(max(hypothesis_size, reference_size))  # type: ignore[no-any-return]
            case "misplaced_proposal":
                proposer = self._plan[failure["matcher"]].matcher
                positions = [failure[field] for field in _POSITION_FIELDS]
                return misplaced_match(proposer.name, Match(*positions), hypothesis_size, reference_size)
            case problem:
                raise AssertionError(f"the C++ core reports an unknown problem: {problem}")

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("engines cannot be pickled; an unpickled Meteor creates a new engine")


def _limit_threads(threads: int, segment_count: int) -> int:
    """Reduce the number of threads if there are few segments."""
    return max(1, min(threads, segment_count // _MIN_SEGMENTS_PER_THREAD))


class _Segments(NamedTuple):
    """Store the segments of a batch as one list.

    Attributes:
        texts: all hypotheses, followed by all references.
        reference_starts: for each hypothesis the number of references of all previous hypotheses, and at the end the
            number of all references.
    """

    texts: list[str]
    reference_starts: list[int]

    def find_best_references(self, best_references: bytes) -> list[int]:
        """Return the index in ``texts`` of the best reference of each hypothesis.

        Args:
            best_references: for each hypothesis the index among its references, as int32.
        """
        best_indexes = memoryview(best_references).cast("i").tolist()
        hypothesis_count = len(best_indexes)
        starts = self.reference_starts[:-1]
        return [hypothesis_count + start + best for start, best in zip(starts, best_indexes, strict=True)]


def _list_segments(batch: Batch) -> _Segments:
    """Concatenate the hypotheses and the references of a batch."""
    texts = list(batch.hypotheses)
    for references in batch.references:
        texts += references
    return _Segments(texts, list(accumulate(map(len, batch.references), initial=0)))


def make_engine(
    settings: EngineSettings,
    matchers: Sequence[Matcher],
    function_words: Collection[str],
    tokenization: Tokenization,
    name: str | None = None,
) -> Engine:
    """Create the engine for a chain. The Python engine is used if the native engine is not available.

    Args:
        settings: parameters, beam and units.
        matchers: the chain.
        function_words: the language's function words.
        tokenization: functions that convert a raw segment to tokens.
        name: name of the requested engine, ``native`` or ``python``.

    Raises:
        ConfigError: if the requested engine is unknown or cannot run the chain.
    """
    if name is not None and name not in ENGINES:
        raise ConfigError(f"unknown engine {name!r}; the engines are {' and '.join(ENGINES)}")
    if name != "python":
        native_engine = _make_native_engine(settings, matchers, function_words, tokenization)
        if native_engine is not None:
            return native_engine
        if name == "native":
            raise ConfigError("the native core is not built, METEOR_E_PURE is set, or this chain cannot run in it")
    return PythonEngine(settings, matchers, function_words, tokenization.tokenize)


def _make_native_engine(
    settings: EngineSettings, matchers: Sequence[Matcher], function_words: Collection[str], tokenization: Tokenization
) -> NativeEngine | None:
    """Create the native engine for a chain, or return ``None`` if the C++ core is not available or cannot run it."""
    # The C++ core contains a copy of the class Normalizer, but cannot run subclasses of it.
    if type(tokenization.normalizer) is not Normalizer:
        return None
    module = native_module()
    if module is None:
        return None
    plan = plan_chain(matchers)
    return None if plan is None else NativeEngine(module, settings, plan, function_words, tokenization)
