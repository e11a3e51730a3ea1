"""The metric METEOR, which aligns hypotheses with references by a chain of matchers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api.batches import (
    BATCH_CHARACTERS,
    BATCH_SEGMENTS,
    ENCODED_CHARACTERS,
    LARGE_FIRST_BATCH,
    Batch,
    default_threads,
    map_in_order,
    pair_texts,
    read_batches,
    reference_list,
)
from meteor_e.api.contextual_matchers import ContextualMatcher
from meteor_e.api.matchers import KeyMatcher
from meteor_e.api.metrics import Metric, MetricContext, resolve_failures
from meteor_e.api.scoring import BatchScorer, score_batches
from meteor_e.api.tokens import Token, split_words
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import check_regular_file
from meteor_e.base.progress import Progress, Stage, silent
from meteor_e.base.texts import check_text
from meteor_e.chains.chain import ChainComponents, resolve, signature
from meteor_e.chains.components import make_components
from meteor_e.chains.config import ChainConfig, load_chain, make_chain_from_keys
from meteor_e.chains.metric_options import computation_arguments, make_chain_keys, select_set_options
from meteor_e.engine.native import make_engine
from meteor_e.engine.pairwise import pairwise_batches
from meteor_e.engine.protocol import Engine, EngineSettings, Tokenization
from meteor_e.formats.plain import read_segments
from meteor_e.matchers.modules import SynonymMatcher
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring import formula
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import PARTS, FormulaScores
from meteor_e.scoring.results import MeteorCorpusScore, MeteorSegmentScore, RowDetails, compute_parts, score_details
from meteor_e.scoring.rows import Rows, join_rows
from meteor_e.scoring.statistics import Statistics, StatisticsSum
from meteor_e.text.identity import IDENTITIES
from meteor_e.text.idf import IdfWeights
from meteor_e.text.normalization import Normalizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self, Unpack

    from meteor_e.base.array_cache import Floats
    from meteor_e.chains.keys import ChainArguments, ChainOverrides
    from meteor_e.engine.aggregation import Aggregated

ON_ERROR = ("stop", "skip", "zero")
"""The policies for segments that cannot be aligned."""


class Meteor(Metric):
    """METEOR for one language and task, with a chain of matchers.

    The metric aligns a hypothesis with each of its references. The score combines the precision and the recall of the
    matched words, and is reduced by a penalty for differences in word order. Denkowski and Lavie (2014) describe the
    metric in "Meteor Universal: Language Specific Translation Evaluation for Any Target Language".

    Several threads can use an instance at the same time. Instances can be pickled.

    Args:
        language: ISO 639-1 code, such as ``en``; ``other`` for a language without a definition.
        offline: whether a missing pack must not be downloaded; by default the user's setting.
        resources: function words, synonyms and paraphrases that replace the resources of the pack.
        threads: number of threads that score a corpus with the native engine; by default the value of
            ``METEOR_E_THREADS``, or the number of processors.
        on_error: policy for segments that cannot be aligned, because their words are repeated too often. ``stop``
            raises an error that names the segment, ``skip`` leaves the segment out with a warning, and ``zero`` gives
            it the score 0 with a warning. The attribute of the same name can be changed later.
        **keys: keys of the chain by name: task, matchers, parameters, normalization, beam, character_mode, pack,
            function_words, lemmatizer; see :class:`~meteor_e.chains.keys.ChainArguments`.

    Attributes:
        chain: the chain with all defaults.
        components: the resources, the lemmatizer, the matchers and the segmenter of the chain, which are also
            attributes of their own.
        resources: function words, prefixes, synonyms and paraphrases.
        lemmatizer: the lemmatizer, or ``None`` if the chain does not use one.
        matchers: the matchers, in the order of the chain.
        segmenter: the segmenter, or ``None`` if the language does not need one.
        reads_sentences: whether a matcher encodes whole sentences.
        normalizer: the function that normalizes segments.
        signature: the version, the chain and its resources. Scores with different signatures cannot be compared.
        threads: number of threads that score a corpus.

    Raises:
        ConfigError: for an invalid option.
        PluginError: for a matcher that is not installed.
        ResourceError: if a pack is missing and cannot be installed.

    Examples:
        >>> meteor = Meteor("en")
        >>> meteor.score("the cat sat on the mat", ["a cat was sitting on the mat"]).score
    """

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR"
    parts: ClassVar[tuple[str, ...]] = PARTS[1:]
    Options: ClassVar[Any] = "meteor_e.chains.schemas:MeteorOptions"
    _identity: str = "word"  # Words are equal if their texts are equal; see compare_words_by().
    _requested_engine: str | None = None  # By default, the native engine is used if it is available.

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
        self._initialize(
            make_chain_from_keys({"language": language, **keys}),
            offline=offline,
            resources=resources,
            threads=threads,
            on_error=on_error,
        )

    @classmethod
    def from_config(
        cls,
        source: str | os.PathLike[str] | Mapping[str, Any] | ChainConfig,
        *,
        offline: bool | None = None,
        resources: LanguageResources | None = None,
        threads: int | None = None,
        on_error: str = "stop",
        label: str = "",
        **overrides: Unpack[ChainOverrides],
    ) -> Self:
        """Create a metric from a YAML chain.

        Args:
            source: path of a chain file, name of a chain of meteor_e or of a plugin, a mapping with the content of a
                chain, or a loaded chain.
            offline: whether a missing pack must not be downloaded; by default the user's setting.
            resources: function words, synonyms and paraphrases that replace the resources of the pack.
            threads: number of threads that score a corpus.
            on_error: policy for segments that cannot be aligned.
            label: name of the metric in tables; by default ``METEOR``.
            **overrides: keys of the chain that are replaced, such as ``beam=5``.

        Returns:
            The metric, with the language and parameters of the chain.
        """
        config = source if isinstance(source, ChainConfig) else load_chain(source)
        metric = cls.__new__(cls)  # The constructor is not called, because it creates the chain from its keys.
        metric._initialize(
            config.override(overrides), offline=offline, resources=resources, threads=threads, on_error=on_error
        )
        if label:
            metric.label = label
        return metric

    def _initialize(
        self,
        config: ChainConfig,
        *,
        offline: bool | None,
        resources: LanguageResources | None,
        threads: int | None,
        on_error: str,
    ) -> None:
        """Create the components of a chain, such as the matchers, and start the engine."""
        self.threads: int = default_threads(threads)
        self.on_error = on_error
        self.chain = resolve(config, plugin_registry())
        self._set_components(make_components(self.chain, resources, offline))
        self._idf_weights = None if self.chain.idf is None else self._read_idf_weights(self.chain.idf)
        self.signature = signature(self.chain, self.components)
        self._start_engine()

    def _set_components(self, components: ChainComponents) -> None:
        """Store the language and the components of the chain as attributes."""
        language = self.chain.language
        self.language = "" if language.code == "other" else language.code
        self.normalizer = Normalizer(
            self.chain.normalization, language.apostrophes, components.resources.nonbreaking_prefixes
        )
        self.components = components
        self.resources: LanguageResources = components.resources
        self.lemmatizer = components.lemmatizer
        self.matchers = components.matchers
        self.segmenter = components.segmenter
        self.reads_sentences = any(isinstance(matcher, ContextualMatcher) for matcher in components.matchers)

    def _start_engine(self) -> None:
        """Create an engine for the current settings, and decide whether it scores several batches at the same time."""
        settings = EngineSettings(
            parameters=self.chain.parameters,
            beam=self.chain.beam,
            character_mode=self.chain.character_mode,
            identity=self._identity,
            word_units=self._idf_weights,
            macro_average=self.chain.average == "macro",
        )
        insert_spaces = None if self.segmenter is None else self.segmenter.join
        self._tokenization = Tokenization(self.tokenize, self.normalizer, insert_spaces, self.lemmatizer)
        self._engine: Engine = make_engine(
            settings,
            self.matchers,
            self.resources.function_words,
            self._tokenization,
            self._requested_engine,
        )
        # A contextual matcher encodes all sentences of a batch together, so the batches are scored one by one.
        can_score_several_batches = self._engine.name == "native" and not self.reads_sentences
        self.parallel = "batches" if can_score_several_batches else "inside"

    def compare_words_by(self, identity: str) -> None:
        """Compare words by their text (``word``, the default) or by their hash code in Java (``java``)."""
        for matcher in self.matchers:
            if isinstance(matcher, KeyMatcher):
                matcher.compare_words_by(IDENTITIES[identity])
        self._identity = identity
        self._start_engine()

    @property
    def on_error(self) -> str:
        """The policy for segments that cannot be aligned: ``stop``, ``skip`` or ``zero``."""
        return self._on_error

    @on_error.setter
    def on_error(self, choice: str) -> None:
        if choice not in ON_ERROR:
            raise ConfigError(f"on_error is {choice!r}; there are {', '.join(ON_ERROR)}")
        self._on_error = choice

    @property
    def engine(self) -> str:
        """The name of the engine: ``native`` (the C++ core) or ``python``. Assign a name to switch to this engine.

        Both engines return the same scores.
        """
        return self._engine.name

    @engine.setter
    def engine(self, name: str) -> None:
        previous_name = self._requested_engine
        self._requested_engine = name
        try:
            self._start_engine()
        except ConfigError:
            self._requested_engine = previous_name
            raise

    def _read_idf_weights(self, file: str) -> IdfWeights:
        """Read a text file, and weight each word by its inverse document frequency in the file.

        Raises:
            ConfigError: if the chain also weights words by their characters.
            InputError: if the file cannot be read, or does not contain words.
        """
        if self.chain.character_mode:
            raise ConfigError(
                "words are weighted by their characters or by idf, not both; remove character_mode or idf"
            )
        check_regular_file(file)
        return IdfWeights(([token.form for token in self.tokenize(text)] for text in read_segments(file)), file)

    @property
    def matcher_names(self) -> tuple[str, ...]:
        """The names of the matchers, in the order of the chain."""
        return tuple(entry.name for entry in self.chain.matchers)

    def tokenize(self, text: str) -> list[Token]:
        """Split a segment into tokens.

        First, the segmenter of the language separates the words. Then the text is normalized and split at spaces.
        Finally, the lemmatizer of the chain adds lemmas. The segmenter and the lemmatizer are optional.
        """
        check_text(text)
        segmented_text = text if self.segmenter is None else self.segmenter.join(text)
        words = split_words(self.normalizer(segmented_text))
        return list(map(Token, words)) if self.lemmatizer is None else self.lemmatizer.analyze(words)

    def align(self, hypothesis: str, reference: str, *, maximum_accuracy: bool = False) -> Alignment:
        """Align a hypothesis with one reference.

        Args:
            hypothesis: raw hypothesis.
            reference: raw reference.
            maximum_accuracy: whether to prefer many matches to few chunks, like the Java aligner's option ``maxacc``.

        Returns:
            The matches, and the normalized words of both segments.

        Raises:
            InputError: if the segment cannot be aligned.
        """
        batch = Batch([hypothesis], [reference_list(hypothesis, reference)], alignments=True)
        rows = self._engine.score(batch, maximum_accuracy=maximum_accuracy)
        alignment = rows.alignments[0]
        if alignment is None:
            raise rows.failures[0]
        return alignment

    def score(self, hypothesis: str, references: str | Sequence[str], source: str | None = None) -> MeteorSegmentScore:
        """Score a segment.

        Args:
            hypothesis: raw hypothesis.
            references: one or several raw references. The score is the best score against one of them.
            source: ignored.

        Returns:
            The score against the best reference, with its parts and the alignment.

        Raises:
            InputError: if there is no reference, or words are repeated so often that the segment cannot be aligned.
        """
        batch = Batch([hypothesis], [reference_list(hypothesis, references)])
        rows = self._engine.score(batch)
        if rows.failures:
            raise rows.failures[0]
        return next(self.make_segment_scores(batch, rows))

    def pairwise(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Score every hypothesis against every reference. Each text is tokenized only once.

        This is useful for minimum Bayes risk decoding, in which the candidate translations of a source are both the
        hypotheses and the references.

        Args:
            hypotheses, references: raw segments. The matrix needs 8 bytes per pair, or 3.2 GB for 20,000 of each.

        Returns:
            The scores of all pairs, ``(hypotheses, references)``. They equal the results of :meth:`score`.

        Raises:
            InputError: if an argument is not a list of texts, the matrix does not fit into memory, or a pair cannot be
                scored. The message names the pair.
        """
        return next(self.pairwise_batches([hypotheses], [references]))

    def pairwise_batches(
        self, hypotheses: Iterable[Sequence[str]], references: Iterable[Sequence[str]] | None = None
    ) -> Iterator[NDArray[np.float64]]:
        """Score every hypothesis against every reference of the same source, for many sources.

        Args:
            hypotheses: hypotheses of each source.
            references: references of each source; by default the hypotheses.

        Yields:
            The matrix of each source; see :meth:`pairwise`.

        Raises:
            InputError: for the reasons of :meth:`pairwise`, or if the numbers of lists differ.
        """
        return pairwise_batches(self._engine, hypotheses, references, threads=self.threads)

    def expected_scores(self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats) -> Aggregated:
        """Approximate the expected score of each hypothesis against weighted references.

        Args:
            hypotheses: raw hypotheses.
            references: distinct raw references.
            weights: weights of the references, with a sum of 1.

        Returns:
            The approximate expected scores, ``(hypotheses,)``, and a function that approximates the scores of pairs.
        """
        from meteor_e.engine.aggregation import CountSettings, aggregate_references

        settings = CountSettings(self.matchers, self.chain.parameters, self.resources.function_words)
        return aggregate_references(self._tokenization, settings, hypotheses, references, weights)

    # The following methods implement the base class Metric.

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> Meteor:
        """Create METEOR from the options of a metric specification, such as ``meteor:task=adq``."""
        keys = select_set_options(options)
        language = "" if context is None else context.language
        overrides = make_chain_keys(keys)
        overrides.setdefault("language", language or "en")
        return cls.from_config({}, label=cls.label_for(keys), **computation_arguments(context), **overrides)

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return the label of the metric: ``METEOR``, followed by the options."""
        text = ",".join(f"{key}={str(value).removesuffix('.0')}" for key, value in options.items())
        return cls.title + (f" {text}" if text else "")

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the language code in the options, or an empty string if the options do not contain it."""
        return str(options.get("language") or "")

    def statistics(self, batch: Batch) -> Rows:
        """Align segments with their references, and return the statistics for the best reference of each segment.

        The batch caches the statistics. If several metrics have the same signature, only the first metric aligns the
        segments, and the other metrics use the cached statistics.
        """
        key = ("meteor", self.signature, self._identity, batch.alignments)
        if key not in batch.cache:
            # If the number of threads is set, the caller has divided the segments into batches that suit the threads.
            is_divided = batch.threads is not None
            batch.cache[key] = self._engine.score(batch) if is_divided else self._align_with_threads(batch)
        rows: Rows = batch.cache[key]
        return rows

    def _align_with_threads(self, batch: Batch) -> Rows:
        """Align the segments of a batch with as many threads as the metric may use."""
        threads = self.threads if self._engine.name == "native" else 1
        if len(batch) <= BATCH_SEGMENTS and not self.reads_sentences:
            return self._engine.score(replace(batch, threads=threads))
        segments = pair_texts(batch.hypotheses, batch.references)
        parts = read_batches(
            segments,
            max_characters=self._batch_characters(),
            first_size=LARGE_FIRST_BATCH,
            alignments=batch.alignments,
        )
        return join_rows([rows for _, rows in map_in_order(self._engine.score, parts, threads)])

    def _batch_characters(self) -> int:
        """Return the maximum number of characters of a batch."""
        return ENCODED_CHARACTERS if self.reads_sentences else BATCH_CHARACTERS

    def rows(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Rows:
        """Return the statistics of each segment.

        Raises:
            InputError: if a segment cannot be aligned and :attr:`on_error` is ``stop``.
            ConfigError: if a segment cannot be aligned and :attr:`on_error` is ``skip``, because all segments need
                statistics.
        """
        batch = Batch(hypotheses, references)
        rows = self.statistics(batch)
        if rows.failures and self.on_error == "skip":
            raise ConfigError("every segment needs statistics; on_error is 'skip', which leaves segments out")
        return resolve_failures(rows, batch, self.on_error)  # type: ignore[return-value]

    def segment_scores(self, statistics: Any) -> Any:
        """Return the score of each segment, and the parts of the score."""
        return statistics.score_rows() if isinstance(statistics, Rows) else self.scores(statistics)

    def scores(self, sums: Any) -> Any:
        """Convert each sum of statistics to a score and the parts of the score."""
        return compute_parts(sums, self.chain.parameters)

    def details(self, statistics: Any, batch: Batch | None = None) -> Sequence[Mapping[str, Any]]:
        """Return the statistics of each segment or system, and the contribution of each matcher to the score.

        Details of segments also contain the index of the best reference, and the alignment if it was requested.
        """
        if batch is None:
            return [score_details(total, self.chain.parameters, self.matcher_names) for total in statistics]
        alignments: list[Alignment] = []
        if statistics.alignments and batch.alignments:
            alignments = self._complete_alignments(statistics, batch)
        return RowDetails(statistics, self.chain.parameters, self.matcher_names, alignments)

    def _complete_alignments(self, rows: Rows, batch: Batch) -> list[Alignment]:
        """Return one alignment per segment. A segment that cannot be aligned gets an alignment without matches."""
        reference_indexes = memoryview(rows.best_references).cast("i")  # 32-bit integers
        alignments: list[Alignment] = []
        for index, alignment in enumerate(rows.alignments):
            if alignment is None:
                best_reference = batch.references[index][reference_indexes[index]]
                alignment = self.make_empty_alignment(batch.hypotheses[index], best_reference)
            alignments.append(alignment)
        return alignments

    def about(self) -> Mapping[str, Any]:
        """Return the settings of the chain, and the name of the engine that computes scores, for JSON output."""
        return {"chain": self.chain.effective(), "engine": self._engine.name}

    # The following methods score corpora.

    def segments(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        *,
        alignments: bool = False,
    ) -> Iterator[MeteorSegmentScore]:
        """Yield the score of each segment in the original order. The method reads a few thousand segments ahead.

        Args:
            hypotheses: raw hypotheses.
            references: the reference of each hypothesis, or a sequence of references.
            alignments: whether to keep all alignments. Otherwise, the alignment of a segment is computed again when it
                is accessed for the first time. This is slower if many alignments are accessed.

        Raises:
            InputError: if the numbers of hypotheses and references differ, or if a segment cannot be aligned and
                :attr:`on_error` is ``stop``.
        """
        for batch, rows in self.score_batches(hypotheses, references, alignments=alignments):
            resolve_failures(rows, batch, self.on_error)  # This raises an error or issues warnings.
            yield from self.make_segment_scores(batch, rows)

    def corpus(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        sources: Iterable[str] | None = None,
        *,
        segments: bool = False,
        progress: Progress = silent,
    ) -> MeteorCorpusScore:
        """Score a corpus. METEOR's formula is applied to the sum of the segments' statistics.

        Args:
            hypotheses: raw hypotheses; any iterable, which is read once.
            references: the reference of each hypothesis, or a sequence of references.
            sources: ignored.
            segments: whether the result contains the scores of the segments. Memory then grows with the corpus.
            progress: called with the number of segments that have been scored.

        Returns:
            The score of the corpus, with its parts.

        Raises:
            InputError: if the numbers of hypotheses and references differ, or there are no segments.
        """
        statistics_sum = StatisticsSum(len(self.matchers))
        segment_scores: list[MeteorSegmentScore] = []
        for batch, rows in self.score_batches(hypotheses, references):
            resolved_rows = resolve_failures(rows, batch, self.on_error)
            scored_segment_count = len(resolved_rows) - len(resolved_rows.failures)
            statistics_sum.add_total(resolved_rows.total, scored_segment_count)
            # If on_error is "zero", the resolved rows do not contain failures, so this call needs the original rows.
            if segments:
                segment_scores += self.make_segment_scores(batch, rows)
            progress(Stage("scoring", "segments"), statistics_sum.segments, None)
        if statistics_sum.segments == 0:
            raise InputError("there are no segments; there is nothing to score")
        return self.corpus_score(statistics_sum, tuple(segment_scores))

    def corpus_score(self, total: StatisticsSum, segments: tuple[MeteorSegmentScore, ...] = ()) -> MeteorCorpusScore:
        """Compute the score of a corpus from the sum of its segments' statistics.

        Args:
            total: the sum of the statistics.
            segments: scores of the segments, which become part of the result.
        """
        fields = self._score_fields(total.total, formula.compute(total.total, self.chain.parameters))
        return MeteorCorpusScore(segment_count=total.segments, segments=segments, **fields)

    def _score_fields(self, statistics: Statistics, scores: FormulaScores) -> dict[str, Any]:
        """Return the fields that the score of a segment and the score of a corpus have in common."""
        return {
            **scores.without_nan()._asdict(),
            "statistics": statistics,
            "parameters": self.chain.parameters,
            "matchers": self.matcher_names,
            "signature": self.signature,
        }

    def score_batches(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        *,
        alignments: bool = False,
    ) -> Iterator[tuple[Batch, Rows]]:
        """Align a corpus, and yield each batch of segments together with its statistics.

        If a segment cannot be aligned, no error is raised. Instead, the error is stored in the ``failures`` of the
        statistics.

        Args:
            hypotheses: raw hypotheses.
            references: the reference of each hypothesis, or a sequence of references.
            alignments: whether the statistics contain the alignments.

        Raises:
            InputError: if the numbers of hypotheses and references differ.
        """
        pairs = pair_texts(hypotheses, references)
        batches = read_batches(pairs, max_characters=self._batch_characters(), alignments=alignments)
        for batch, (rows,) in score_batches(BatchScorer([self]), batches, on_error="collect"):
            assert isinstance(rows, Rows)
            yield batch, rows

    def synsets(self, words: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of the synsets of each word.

        The lists are empty if the chain does not contain the matcher ``synonym``.
        """
        for matcher in self.matchers:
            if isinstance(matcher, SynonymMatcher):
                return [sorted(matcher.keys(Token(word))) for word in words]
        return [[] for _ in words]

    def make_segment_scores(self, batch: Batch, rows: Rows) -> Iterator[MeteorSegmentScore]:
        """Yield the scores of a batch's segments.

        If :attr:`on_error` is ``skip``, segments that cannot be aligned are left out.

        Args:
            batch: the segments.
            rows: statistics of the batch.
        """
        for index, (statistics, scores, reference_index) in enumerate(rows.segments()):
            is_failure = index in rows.failures
            if is_failure and self.on_error == "skip":
                continue
            fields = self._score_fields(statistics, scores)
            fields["reference_index"] = reference_index
            alignment = rows.alignments[index] if rows.alignments else None
            if alignment is not None:
                yield MeteorSegmentScore(alignment=alignment, **fields)
            else:
                # The segment is aligned when its alignment is accessed for the first time.
                align = self.make_empty_alignment if is_failure else self.align
                texts = (batch.hypotheses[index], batch.references[index][reference_index])
                yield MeteorSegmentScore.with_lazy_alignment(align, texts, **fields)

    def make_empty_alignment(self, hypothesis: str, reference: str) -> Alignment:
        """Return an alignment without matches."""
        hypothesis_words = tuple(token.form for token in self.tokenize(hypothesis))
        reference_words = tuple(token.form for token in self.tokenize(reference))
        return Alignment(hypothesis_words, reference_words, (), self.matcher_names, 0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_engine", "_tokenization")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_engine()

    def __repr__(self) -> str:
        return f"<Meteor {self.signature}>"
