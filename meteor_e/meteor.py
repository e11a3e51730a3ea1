"""The metric: a chain in, scores out."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from meteor_e.api.context import MatcherContext
from meteor_e.api.matchers import ContextualMatcher, KeyMatcher, Matcher
from meteor_e.api.segments import Segment, System
from meteor_e.api.tokens import Token, split_words
from meteor_e.base.errors import ConfigError, InputError, MeteorError, ResourceError, SegmentWarning, guarded, located
from meteor_e.base.files import refuse_special
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_text, sides_of_sources
from meteor_e.chains.chain import Chain, make_segmenter, resolve, signature
from meteor_e.chains.config import ChainConfig, ChainEntry, chain_of, load_chain
from meteor_e.engine.batches import (
    BATCH_CHARACTERS,
    ENCODED_CHARACTERS,
    FIRST_BATCH,
    SegmentBatch,
    default_threads,
    paired,
    reference_list,
    scored_in_order,
    segment_batches,
)
from meteor_e.engine.metric import AlignmentMetric
from meteor_e.engine.native import make_engine
from meteor_e.engine.protocol import Engine, EngineSettings, Scored
from meteor_e.engine.tokenizer import Tokenizer
from meteor_e.formats.plain import read_segments
from meteor_e.matchers.modules import SynonymMatcher
from meteor_e.packs.resources import LanguageResources
from meteor_e.packs.store import find_resources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.results import score
from meteor_e.scoring import formula
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.results import CorpusScore, SegmentScore
from meteor_e.scoring.statistics import StatisticsSum
from meteor_e.text.identity import IDENTITIES
from meteor_e.text.normalization import Normalizer
from meteor_e.text.rarity import Rarity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from meteor_e.api.lemmatizers import Lemmatizer
    from meteor_e.chains.config import ChainConfig
    from meteor_e.chains.keys import ChainArguments, ChainOverrides

ON_ERROR = ("stop", "skip", "zero")
"""What can become of a segment that cannot be aligned."""


PAIRS = 20_000
"""Pairs of texts that :meth:`Meteor.pairwise` scores at once."""


class Meteor:
    """METEOR for one language, task and chain of matchers.

    >>> meteor = Meteor("en")
    >>> meteor.score("the cat sat on the mat", ["a cat was sitting on the mat"]).score

    Instances can be used from several threads at once, and pickled.

    Args:
        language: ISO 639-1 code, such as ``en``; ``other`` for a language that METEOR does not know.
        offline: never download a missing pack.
        resources: resources to use in place of the pack's.
        threads: how many threads score a corpus (native engine only); by default ``METEOR_E_THREADS``, else
            as many as there are processors.
        on_error: what to do with a segment of a corpus that cannot be aligned, because its words repeat beyond all
            reason: ``stop`` raises an error that names it, ``skip`` leaves it out, ``zero`` counts it with a score
            of 0. The last two warn. An attribute of the same name can be set later.
        keys: keys of the chain by name: task, matchers, parameters, normalization, beam, character_mode, pack,
            function_words, lemmatizer; see :class:`~meteor_e.chains.keys.ChainArguments`.

    Raises:
        ConfigError: for a wrong option.
        PluginError: for a matcher that is not installed.
        ResourceError: if a pack is missing and cannot be installed.
    """

    def __init__(
        self,
        language: str = "en",
        *,
        offline: bool | None = None,
        resources: LanguageResources | None = None,
        threads: int | None = None,
        on_error: str = "stop",
        **keys: Unpack[ChainArguments],
    ) -> None:
        self._set_up(chain_of({"language": language, **keys}), offline, resources, threads, on_error)

    @classmethod
    def from_config(
        cls,
        source: str | os.PathLike[str] | Mapping[str, Any] | ChainConfig,
        *,
        offline: bool | None = None,
        resources: LanguageResources | None = None,
        threads: int | None = None,
        on_error: str = "stop",
        **overrides: Unpack[ChainOverrides],
    ) -> Meteor:
        """Make a metric from a YAML chain.

        Args:
            source: path of a chain file, name of a chain that comes with meteor_e or a plugin, a mapping
                with a chain's content, or a chain that was read.
            offline: never download a missing pack.
            resources: resources to use in place of the pack's.
            threads: how many threads score a corpus.
            on_error: what to do with a segment that cannot be aligned.
            overrides: keys of the chain to replace, such as ``beam=5``.
        """
        if not isinstance(source, ChainConfig):
            source = load_chain(source)
        meteor = cls.__new__(cls)
        meteor._set_up(source.overridden(overrides), offline, resources, threads, on_error)
        return meteor

    def _set_up(
        self,
        config: ChainConfig,
        offline: bool | None,
        resources: LanguageResources | None,
        threads: int | None,
        on_error: str,
    ) -> None:
        self.threads = default_threads(threads)
        """Threads that score a corpus."""
        self.on_error = on_error
        self.chain: Chain = resolve(config, plugin_registry())
        """The chain with all defaults filled in."""
        chain = self.chain
        self.resources: LanguageResources = resources or find_resources(
            chain.language, chain.pack, chain.function_words, offline
        )
        """Function words, prefixes, synonyms and paraphrases."""
        self.lemmatizer: Lemmatizer | None = (
            None if chain.lemmatizer is None else self._made("lemmatizer", chain.lemmatizer)
        )
        """The lemmatizer, if the chain has one."""
        self.matchers = tuple(self._made_matchers())
        """The matchers, in chain order."""
        prefixes = self.resources.nonbreaking_prefixes
        self.normalizer = Normalizer(chain.normalization, chain.language.apostrophes, prefixes)
        is_spaced = chain.language.segmenter is None
        self.segmenter = None if is_spaced else make_segmenter(chain.language, plugin_registry())
        """The segmenter, if the language has one."""
        self._rarity = None if chain.idf is None else self._read_rarity(chain.idf)
        self.signature = signature(chain, self)
        """What must be the same for two scores to be comparable."""
        self._identity = "word"
        self._wanted_engine: str | None = None
        self._start_engine()

    def _start_engine(self) -> None:
        chain = self.chain
        self.reads_sentences = any(isinstance(matcher, ContextualMatcher) for matcher in self.matchers)
        """Whether a matcher encodes whole sentences."""
        self._engine: Engine = make_engine(
            EngineSettings(
                chain.parameters, chain.beam, chain.character_mode, self._identity, self._rarity, chain.equal_segments
            ),
            self.matchers,
            self.normalizer,
            self.resources.function_words,
            self.tokenize,
            self.lemmatizer,
            segment=None if self.segmenter is None else self.segmenter.join,
            wanted=self._wanted_engine,
        )

    def compare_words_by(self, identity: str) -> None:
        """Say what makes two words one: ``word``, as always unless it is said, or ``java``, the Java program's hash."""
        for matcher in self.matchers:
            if isinstance(matcher, KeyMatcher):
                matcher.compare_words_by(IDENTITIES[identity])
        self._identity = identity
        self._start_engine()

    @property
    def on_error(self) -> str:
        """What to do with a segment of a corpus that cannot be aligned: ``stop``, ``skip`` or ``zero``."""
        return self._on_error

    @on_error.setter
    def on_error(self, choice: str) -> None:
        if choice not in ON_ERROR:
            raise ConfigError(f"on_error is {choice!r}; there are {', '.join(ON_ERROR)}")
        self._on_error = choice

    @property
    def engine(self) -> str:
        """What computes: ``native`` (the C++ core) or ``python``; it can be set. The numbers are the same."""
        return self._engine.name

    @engine.setter
    def engine(self, name: str) -> None:
        before, self._wanted_engine = self._wanted_engine, name
        try:
            self._start_engine()
        except ConfigError:
            self._wanted_engine = before
            raise

    def _read_rarity(self, file: str) -> Rarity:
        """Return what words count by a text; InputError if it cannot be read, or has no words."""
        if self.chain.character_mode:
            raise ConfigError("words count by their characters or by their rarity; leave out character_mode or idf")
        refuse_special(file)
        return Rarity(([token.form for token in self.tokenize(text)] for text in read_segments(file)), file)

    @property
    def batch_threads(self) -> int | None:
        """Threads that score batches side by side; ``None``: one batch at a time, with threads within each."""
        if self.reads_sentences:
            return None
        # The engine in Python gains nothing by more than one.
        return self.threads if self._engine.name == "native" else 1

    def _made(self, kind: str, entry: ChainEntry) -> Any:
        """Make what an entry of the chain names: a matcher, or the lemmatizer."""
        with located(entry.where), guarded(f"making {kind} {entry.name!r}"):
            context = MatcherContext(self.chain.language, self.resources, not entry.optional)
            return plugin_registry().get(kind, entry.name).make(context, **entry.options)

    def _made_matchers(self) -> Iterator[Matcher]:
        """Make the matchers; ResourceError says all that is missing."""
        lemmatizer, missing = self.lemmatizer, []
        for entry in self.chain.matchers:
            try:
                matcher = self._made("matcher", entry)
            except ResourceError as error:
                missing.append(error)
                continue
            with located(entry.where):
                if matcher.needs_lemmas and lemmatizer is None:
                    raise ConfigError(
                        f"matcher {entry.name!r} needs lemmas, and the chain has no lemmatizer; "
                        "name one, as in --set lemmatizer.use=simplemma"
                    )
                if matcher.needs_tags and (lemmatizer is None or not lemmatizer.tags):
                    name = "no lemmatizer" if lemmatizer is None else f"the lemmatizer {lemmatizer.name!r}"
                    raise ConfigError(
                        f"matcher {entry.name!r} needs tags, and the chain has {name}; name a lemmatizer that gives "
                        "tags, such as treetagger, udpipe, hanta or a lookup file with tags"
                    )
            yield matcher
        if missing:
            raise ResourceError("; and ".join(dict.fromkeys(map(str, missing)))) from missing[0]

    @property
    def matcher_names(self) -> tuple[str, ...]:
        """Names of the matchers, in chain order."""
        return tuple(entry.name for entry in self.chain.matchers)

    def tokenize(self, text: str) -> list[Token]:
        """Turn a segment into tokens: segmented if the language has a segmenter, normalized, lemmatized."""
        check_text(text)
        segmented = text if self.segmenter is None else self.segmenter.join(text)
        words = split_words(self.normalizer(segmented))
        return list(map(Token, words)) if self.lemmatizer is None else self.lemmatizer.analyze(words)

    def word_types(self, texts: Sequence[str]) -> tuple[list[Token], list[list[int]]]:
        """Return the distinct tokens of texts in their order, and of each text the places of its tokens there."""
        if self.lemmatizer is not None:
            types: dict[Token, int] = {}
            rows = [[types.setdefault(token, len(types)) for token in self.tokenize(text)] for text in texts]
            return list(types), rows
        for text in texts:
            check_text(text)
        tokenizer = Tokenizer(self.normalizer, None if self.segmenter is None else self.segmenter.join)
        rows = tokenizer(texts)
        return list(map(Token, tokenizer.words)), rows

    def align(self, hypothesis: str, reference: str, *, maximum_accuracy: bool = False) -> Alignment:
        """Align a hypothesis with one reference.

        Args:
            hypothesis: a segment, raw.
            reference: its reference, raw.
            maximum_accuracy: prefer many matches to few chunks (the Java aligner's ``maxacc``).
        """
        batch = SegmentBatch(1, [hypothesis], [reference_list(hypothesis, reference)])
        scored = self._engine.score(batch, alignments=True, maximum_accuracy=maximum_accuracy)
        alignment = scored.alignments[0]
        if alignment is None:
            raise scored.failures[0]
        return alignment

    def score(self, hypothesis: str, references: str | Sequence[str]) -> SegmentScore:
        """Score a segment.

        Args:
            hypothesis: the segment, raw.
            references: one or several references, raw. Each is scored; the best counts, of equals the first.

        Raises:
            InputError: if there is no reference, or a segment repeats words so often that it cannot be aligned.
        """
        batch = SegmentBatch(1, [hypothesis], [reference_list(hypothesis, references)])
        scored = self.score_batch(batch)
        if scored.failures:
            raise scored.failures[0]
        return next(self.segment_scores(batch, scored))

    def pairwise(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Score every hypothesis against every reference; each text is read once.

        For minimum Bayes risk decoding, both are the candidates of one source.

        Args:
            hypotheses, references: raw segments. The matrix takes 8 bytes per pair: 3.2 GB for 20,000 of each.

        Returns:
            ``(hypotheses, references)``: what :meth:`score` gives for the pair.

        Raises:
            InputError: if either is not a list of texts, the matrix does not fit the memory, or a pair fails (named).
        """
        return next(self.pairwise_batches([hypotheses], [references]))

    def pairwise_batches(
        self, hypotheses: Iterable[Sequence[str]], references: Iterable[Sequence[str]] | None = None
    ) -> Iterator[NDArray[np.float64]]:
        """Score every hypothesis against every reference for many sources; the sources share batches.

        Args:
            hypotheses: for each source its hypotheses.
            references: for each source its references; by default its hypotheses.

        Yields:
            For each source a matrix as of :meth:`pairwise`.

        Raises:
            InputError: as for :meth:`pairwise`, or if there are not as many lists of references as of hypotheses.
        """
        waiting: list[tuple[list[str], list[str]]] = []
        size = number = 0
        for number, sides in enumerate(sides_of_sources(hypotheses, references), 1):
            waiting.append(sides)
            size += len(sides[0]) * len(sides[1])
            if size >= PAIRS:
                yield from self._pairwise(waiting, number - len(waiting) + 1)
                waiting, size = [], 0
        yield from self._pairwise(waiting, number - len(waiting) + 1)

    def _pairwise(self, sources: Sequence[tuple[list[str], list[str]]], first: int) -> Iterator[NDArray[np.float64]]:
        """Yield the matrices of sources, of which the first has a number."""
        import numpy as np

        numbers: dict[str, int] = {}
        asked = []
        for sides in sources:
            left, right = ([numbers.setdefault(text, len(numbers)) for text in dict.fromkeys(side)] for side in sides)
            asked.append((left, right))
        try:
            scores, failures = self._engine.score_pairs(list(numbers), asked, threads=self.threads)
        except MemoryError as error:
            raise InputError("the matrix does not fit the memory; score some of the hypotheses at a time") from error
        start = 0
        for source, (sides, (left, right)) in enumerate(zip(sources, asked, strict=True), first):
            places = ({number: place for place, number in enumerate(distinct)} for distinct in (left, right))
            rows, columns = ([at[numbers[text]] for text in texts] for at, texts in zip(places, sides, strict=True))
            size = len(left) * len(right)
            for failed in sorted(place for place in failures if start <= place < start + size):
                row, column = divmod(failed - start, len(right))
                where = f"hypothesis {rows.index(row) + 1}, reference {columns.index(column) + 1}"
                raise InputError(f"source {source}, {where}: {failures[failed]}") from failures[failed]
            matrix = np.frombuffer(scores, np.float64, size, 8 * start).reshape(len(left), len(right))
            yield matrix if matrix.shape == (len(rows), len(columns)) else matrix[np.ix_(rows, columns)]
            start += size

    def segments(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        *,
        alignments: bool = False,
    ) -> Iterator[SegmentScore]:
        """Score segments, in order; some thousand are read ahead.

        Args:
            hypotheses: one segment each.
            references: for each hypothesis its reference, or a sequence of references.
            alignments: say that every alignment will be looked at. An engine may otherwise compute one again when it
                is asked for, which is slower where all are.

        Raises:
            InputError: if one side ends before the other, or for a segment that cannot be aligned, as
                :attr:`on_error` has it.
        """
        for batch, scored in self.scored_batches(hypotheses, references, alignments=alignments):
            yield from self.segment_scores(batch, scored)

    def corpus(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        *,
        segments: bool = False,
        progress: Progress = silent,
    ) -> CorpusScore:
        """Score a corpus: the formula applied to the summed statistics of its segments.

        Args:
            hypotheses: one segment each; any iterable, read once.
            references: for each hypothesis its reference, or a sequence of references.
            segments: keep the segments' scores and alignments in the result (memory grows with the corpus).
            progress: told the number of segments done, now and then and at the end.

        Raises:
            InputError: if one side ends before the other, or there are no segments.
        """
        total = StatisticsSum(len(self.matchers))
        kept: tuple[SegmentScore, ...] = ()
        if segments:
            kept = tuple(self.segments(hypotheses, references))
            for segment in kept:
                total.add(segment.statistics)
            progress("scoring", total.segments, None)
        else:
            pairs = paired(hypotheses, references)
            numbered = (Segment(number, *pair) for number, pair in enumerate(pairs, 1))
            corpus = System("the corpus", lambda: numbered)
            found = score([AlignmentMetric(self, skipping=True)], [corpus], segments=False, progress=progress).kept()
            total.add_total(found.sums[0][0].total, found.sums[0][0].count)
        if not total.segments:
            raise InputError("there are no segments to score")
        return self.corpus_score(total, kept)

    def corpus_score(self, total: StatisticsSum, segments: tuple[SegmentScore, ...] = ()) -> CorpusScore:
        """Turn summed statistics into a corpus score."""
        return CorpusScore(
            **formula.compute(total.total, self.chain.parameters).defined()._asdict(),
            statistics=total.total,
            parameters=self.chain.parameters,
            matchers=self.matcher_names,
            signature=self.signature,
            segment_count=total.segments,
            segments=segments,
        )

    def scored_batches(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        *,
        alignments: bool = False,
        first_size: int = FIRST_BATCH,
    ) -> Iterator[tuple[SegmentBatch, Scored]]:
        """Score segments in batches, in order: rows of numbers, for those who make no object of each segment.

        Args:
            hypotheses: one segment each.
            references: for each hypothesis its reference, or a sequence of references.
            alignments: keep the alignments.
            first_size: segments of the first batch; few where somebody waits for the first scores.

        Raises:
            InputError: if one side ends before the other. A segment that cannot be aligned is in the batch's
                ``failures``.
        """
        score = functools.partial(self.score_batch, alignments=alignments)
        threads = self.threads if self._engine.name == "native" else 1
        size = ENCODED_CHARACTERS if self.reads_sentences else BATCH_CHARACTERS
        batches = segment_batches(paired(hypotheses, references), size, first_size)
        return scored_in_order(batches, score, threads)

    def score_batch(
        self, batch: SegmentBatch, threads: int = 1, stop: object = None, *, alignments: bool = False
    ) -> Scored:
        """Score a batch; see :meth:`meteor_e.engine.protocol.Engine.score`."""
        return self._engine.score(batch, threads=threads, alignments=alignments, stop=stop)

    def synsets(self, words: Sequence[str]) -> list[Sequence[int]]:
        """Return for each word the synsets by which matcher ``synonym`` matches it; none in a chain without it."""
        keys = next((matcher.keys for matcher in self.matchers if isinstance(matcher, SynonymMatcher)), None)
        return [sorted(keys(Token(word))) if keys else [] for word in words]

    def segment_scores(self, batch: SegmentBatch, scored: Scored) -> Iterator[SegmentScore]:
        """Yield a batch's scores; instead of a segment that has none, do as :attr:`on_error` has it."""
        for number, (statistics, scores, best) in enumerate(scored.rows()):
            error = scored.failures.get(number)
            if error is not None and not self.tolerates(error, batch.first + number):
                continue
            fields = {
                **scores.defined()._asdict(),
                "statistics": statistics,
                "parameters": self.chain.parameters,
                "matchers": self.matcher_names,
                "signature": self.signature,
                "reference_index": best,
            }
            alignment = scored.alignments[number] if scored.alignments else None
            if alignment is not None:
                yield SegmentScore(alignment=alignment, **fields)
            else:
                sides = batch.hypotheses[number], batch.references[number][best]
                align = self.align if error is None else self.unaligned
                yield SegmentScore.deferred(functools.partial(align, *sides), **fields)

    def tolerates(self, error: MeteorError, number: int) -> bool:
        """Warn of a segment that cannot be aligned; return whether it counts, with a score of 0.

        Raises:
            MeteorError: where it is not to be tolerated.
        """
        if not isinstance(error, InputError):
            raise error
        if self.on_error == "stop":
            raise InputError(
                f"segment {number}: {error}; on_error='skip' or 'zero' goes on (meteor-e score: --on-error skip|zero)"
            ) from error
        done = "it is left out" if self.on_error == "skip" else "it scores 0"
        warnings.warn(f"segment {number}: {error}; {done}", SegmentWarning, stacklevel=4)
        return self.on_error == "zero"

    def unaligned(self, hypothesis: str, reference: str) -> Alignment:
        """Return an alignment without matches."""
        words, others = (tuple(token.form for token in self.tokenize(text)) for text in (hypothesis, reference))
        return Alignment(words, others, (), self.matcher_names, 0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_engine"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_engine()

    def __repr__(self) -> str:
        return f"<Meteor {self.signature}>"
