"""METEOR: a chain of matchers as a metric."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
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
from meteor_e.api.component import options_by_name
from meteor_e.api.languages import GREEK, Normalization
from meteor_e.api.matchers import ContextualMatcher, KeyMatcher
from meteor_e.api.metrics import Metric, MetricContext, named_options, resolve_failures
from meteor_e.api.scoring import BatchScorer, score_batches
from meteor_e.api.tokens import Token, split_words
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import check_regular_file
from meteor_e.base.progress import Progress, Stage, silent
from meteor_e.base.texts import check_text
from meteor_e.chains.chain import Chain, find_language, resolve, signature
from meteor_e.chains.components import make_components
from meteor_e.chains.config import ChainConfig, load_chain, make_chain_from_keys
from meteor_e.engine.native import make_engine
from meteor_e.engine.pairwise import pairwise_batches
from meteor_e.engine.protocol import Engine, EngineSettings
from meteor_e.engine.tokenizer import Tokenizer
from meteor_e.formats.plain import read_segments
from meteor_e.matchers.modules import SynonymMatcher
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring import formula
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import PART_INDEXES, PARTS
from meteor_e.scoring.results import MeteorCorpusScore, MeteorSegmentScore, RowDetails, score_details
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
    from meteor_e.engine.aggregation import Aggregated, WordTypes

ON_ERROR = ("stop", "skip", "zero")
"""What can be done with a segment that cannot be aligned."""

CHAIN_FILES = (".yaml", ".yml", ".json")
"""Endings of the names of chain files."""


class Meteor(Metric):
    """METEOR for one language, task and chain of matchers.

    Examples:
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

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR"
    parts: ClassVar[tuple[str, ...]] = PARTS[1:]
    Options: ClassVar[Any] = "meteor_e.chains.schemas:MeteorOptions"

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
        self._set_up(make_chain_from_keys({"language": language, **keys}), offline, resources, threads, on_error)

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
        """Make a metric from a YAML chain.

        Args:
            source: path of a chain file, name of a chain that comes with meteor_e or a plugin, a mapping
                with a chain's content, or a chain that was read.
            offline: never download a missing pack.
            resources: resources to use in place of the pack's.
            threads: how many threads score a corpus.
            on_error: what to do with a segment that cannot be aligned.
            label: what tables call the metric; by default ``METEOR``.
            overrides: keys of the chain to replace, such as ``beam=5``.
        """
        if not isinstance(source, ChainConfig):
            source = load_chain(source)
        meteor = cls.__new__(cls)
        meteor._set_up(source.override(overrides), offline, resources, threads, on_error)
        if label:
            meteor.label = label
        return meteor

    def _set_up(
        self,
        config: ChainConfig,
        offline: bool | None,
        resources: LanguageResources | None,
        threads: int | None,
        on_error: str,
    ) -> None:
        self.threads: int = default_threads(threads)
        """Number of threads that score a corpus."""
        self.on_error = on_error
        self.chain: Chain = resolve(config, plugin_registry())
        """The chain with all defaults filled in."""
        chain = self.chain
        self.components = components = make_components(chain, resources, offline)
        """Resources, lemmatizer, matchers and segmenter."""
        self.resources = components.resources
        """Function words, prefixes, synonyms and paraphrases."""
        self.lemmatizer = components.lemmatizer
        """The lemmatizer, if the chain has one."""
        self.matchers = components.matchers
        """The matchers, in chain order."""
        self.segmenter = components.segmenter
        """The segmenter, if the language has one."""
        self.language = "" if chain.language.code == "other" else chain.language.code
        prefixes = self.resources.nonbreaking_prefixes
        self.normalizer = Normalizer(chain.normalization, chain.language.apostrophes, prefixes)
        self._rarity = None if chain.idf is None else self._read_rarity(chain.idf)
        self.signature = signature(chain, components)
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
            name=self._wanted_engine,
        )

    def compare_words_by(self, identity: str) -> None:
        """Compare words by their text (``word``, the default) or by the Java program's hash (``java``)."""
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

    def _read_rarity(self, file: str) -> IdfWeights:
        """Return what words count by a text; InputError if it cannot be read, or has no words."""
        if self.chain.character_mode:
            raise ConfigError("words count by their characters or by their rarity; leave out character_mode or idf")
        check_regular_file(file)
        return IdfWeights(([token.form for token in self.tokenize(text)] for text in read_segments(file)), file)

    @property
    def parallel(self) -> str:
        """``batches`` in the native engine; a chain with contextual matchers uses threads within small batches."""
        return "inside" if self.reads_sentences or self._engine.name != "native" else "batches"

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

    def word_types(self, texts: Sequence[str]) -> WordTypes:
        """Return the distinct tokens of texts, and each text as indexes of its tokens."""
        from meteor_e.engine.aggregation import WordTypes

        if self.lemmatizer is not None:
            types: dict[Token, int] = {}
            rows = [[types.setdefault(token, len(types)) for token in self.tokenize(text)] for text in texts]
            return WordTypes(list(types), rows)
        for text in texts:
            check_text(text)
        tokenizer = Tokenizer(self.normalizer, None if self.segmenter is None else self.segmenter.join)
        rows = tokenizer(texts)
        return WordTypes(list(map(Token, tokenizer.words)), rows)

    def align(self, hypothesis: str, reference: str, *, maximum_accuracy: bool = False) -> Alignment:
        """Align a hypothesis with one reference.

        Args:
            hypothesis: a segment, raw.
            reference: its reference, raw.
            maximum_accuracy: prefer many matches to few chunks (the Java aligner's ``maxacc``).
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
            hypothesis: the segment, raw.
            references: one or several references, raw. Each is scored; the score is that of the best one, of equally
                good ones of the first.
            source: not used.

        Raises:
            InputError: if there is no reference, or a segment repeats words so often that it cannot be aligned.
        """
        batch = Batch([hypothesis], [reference_list(hypothesis, references)])
        rows = self._engine.score(batch)
        if rows.failures:
            raise rows.failures[0]
        return next(self.make_segment_scores(batch, rows))

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
        return pairwise_batches(self._engine, hypotheses, references, threads=self.threads)

    def expected_scores(self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats) -> Aggregated:
        """Approximate expected scores; see :mod:`meteor_e.engine.aggregation`."""
        from meteor_e.engine.aggregation import aggregate_references

        return aggregate_references(
            self.word_types,
            self.matchers,
            self.chain.parameters,
            self.resources.function_words,
            hypotheses,
            references,
            weights,
        )

    # The protocol of metrics.

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> Meteor:
        """Make METEOR with keys of a chain; the label names them."""
        keys = _given_options(options)
        overrides = {"language": _language_of(context), **_chain_keys(keys)}
        return cls.from_config({}, label=cls.label_for(keys), **_machine(context), **overrides)

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return ``METEOR`` with the keys that are given."""
        text = ",".join(f"{key}={str(value).removesuffix('.0')}" for key, value in options.items())
        return cls.title + (f" {text}" if text else "")

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the language that the options name, if they do."""
        return str(options.get("language") or "")

    def statistics(self, batch: Batch) -> Rows:
        """Align segments with their references, and return the rows of the best-matching references.

        Metrics of one signature that score a batch together align it once.
        """
        key = ("meteor", self.signature, self._identity)
        rows: Rows | None = batch.cache.get(key)
        if rows is None or (batch.alignments and not rows.alignments):
            rows = batch.cache[key] = self._align_batch(batch)
        return rows

    def _align_batch(self, batch: Batch) -> Rows:
        """Score a batch, in parts if it is large."""
        if batch.threads is not None:
            return self._engine.score(batch)
        threads = self.threads if self._engine.name == "native" else 1
        if len(batch) <= BATCH_SEGMENTS and not self.reads_sentences:
            return self._engine.score(replace(batch, threads=threads))
        parts = read_batches(
            pair_texts(batch.hypotheses, batch.references),
            max_characters=ENCODED_CHARACTERS if self.reads_sentences else BATCH_CHARACTERS,
            first_size=LARGE_FIRST_BATCH,
        )
        score = functools.partial(self._score_part, alignments=batch.alignments)
        return join_rows([rows for _, rows in map_in_order(score, parts, threads)])

    def _score_part(self, batch: Batch, *, alignments: bool) -> Rows:
        batch.alignments = alignments
        return self._engine.score(batch)

    def rows(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Rows:
        """Return one row for each segment.

        Raises:
            InputError: for a segment that cannot be aligned, unless :attr:`on_error` is ``zero``.
            ConfigError: for such a segment if :attr:`on_error` is ``skip``, because a row would be missing.
        """
        batch = Batch(hypotheses, references)
        rows = self.statistics(batch)
        if rows.failures and self.on_error == "skip":
            raise ConfigError("a row is needed for every segment; a chain with on_error 'skip' leaves some out")
        return resolve_failures(rows, batch, self.on_error) if rows.failures else rows  # type: ignore[return-value]

    def segment_scores(self, statistics: Any) -> Any:
        """Return METEOR and its parts for each segment."""
        return statistics.score_rows() if isinstance(statistics, Rows) else self.scores(statistics)

    def scores(self, sums: Any) -> Any:
        """Return METEOR and its parts of summed statistics."""
        parameters = self.chain.parameters
        if isinstance(sums, list):
            rows = [formula.compute(Statistics.from_vector(row), parameters).without_nan() for row in sums]
            return [[row[index] for index in PART_INDEXES] for row in rows]
        import numpy as np

        from meteor_e.scoring.arrays import part_arrays

        return np.nan_to_num(np.stack(part_arrays(sums, parameters), axis=-1)[..., PART_INDEXES], posinf=np.inf)

    def details(self, statistics: Any, batch: Batch | None = None) -> Sequence[Mapping[str, Any]]:
        """Return the statistics and each matcher's share; of segments also the best reference and the alignment."""
        parameters, matchers = self.chain.parameters, self.matcher_names
        if batch is None:
            sums = [Statistics.from_vector([int(value) for value in row]) for row in statistics]
            return [score_details(total, formula.compute(total, parameters), parameters, matchers) for total in sums]
        alignments: list[Alignment] = []
        if statistics.alignments and batch.alignments:
            best_references = memoryview(statistics.best_references).cast("i")
            for index, alignment in enumerate(statistics.alignments):
                texts = batch.hypotheses[index], batch.references[index][best_references[index]]
                alignments.append(self.unaligned(*texts) if alignment is None else alignment)
        return RowDetails(statistics, parameters, matchers, alignments)

    def about(self) -> Mapping[str, Any]:
        """Return the chain, and the engine."""
        return {"chain": self.chain.effective(), "engine": self.engine}

    # Whole corpora.

    def segments(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        *,
        alignments: bool = False,
    ) -> Iterator[MeteorSegmentScore]:
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
        for batch, rows in self.score_batches(hypotheses, references, alignments=alignments):
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
        """Score a corpus: the formula applied to the summed statistics of its segments.

        Args:
            hypotheses: one segment each; any iterable, read once.
            references: for each hypothesis its reference, or a sequence of references.
            sources: not used.
            segments: keep the segments' scores and alignments in the result (memory grows with the corpus).
            progress: told the number of segments done, now and then and at the end.

        Raises:
            InputError: if one side ends before the other, or there are no segments.
        """
        total = StatisticsSum(len(self.matchers))
        kept: tuple[MeteorSegmentScore, ...] = ()
        if segments:
            kept = tuple(self.segments(hypotheses, references))
            for segment in kept:
                total.add(segment.statistics)
            progress(Stage("scoring", "segments"), total.segments, None)
        else:
            for batch, rows in self.score_batches(hypotheses, references):
                resolved = resolve_failures(rows, batch, self.on_error) if rows.failures else rows
                total.add_total(resolved.total, resolved.count)
                progress(Stage("scoring", "segments"), total.segments, None)
        if not total.segments:
            raise InputError("there are no segments; there is nothing to score")
        return self.corpus_score(total, kept)

    def corpus_score(self, total: StatisticsSum, segments: tuple[MeteorSegmentScore, ...] = ()) -> MeteorCorpusScore:
        """Turn summed statistics into a corpus score."""
        return MeteorCorpusScore(
            **formula.compute(total.total, self.chain.parameters).without_nan()._asdict(),
            statistics=total.total,
            parameters=self.chain.parameters,
            matchers=self.matcher_names,
            signature=self.signature,
            segment_count=total.segments,
            segments=segments,
        )

    def score_batches(
        self,
        hypotheses: Iterable[str],
        references: Iterable[str | Sequence[str]],
        *,
        alignments: bool = False,
    ) -> Iterator[tuple[Batch, Rows]]:
        """Yield batches of segments with their rows, in order.

        Args:
            hypotheses: one segment each.
            references: for each hypothesis its reference, or a sequence of references.
            alignments: keep the alignments.

        Raises:
            InputError: if one side ends before the other. A segment that cannot be aligned is in the ``failures`` of
                the rows.
        """
        size = ENCODED_CHARACTERS if self.reads_sentences else BATCH_CHARACTERS
        batches = read_batches(pair_texts(hypotheses, references), max_characters=size)
        scorer = BatchScorer([self], alignments=alignments)
        for batch, (rows,) in score_batches(scorer, batches, on_error="collect"):
            assert isinstance(rows, Rows)
            yield batch, rows

    def synsets(self, words: Sequence[str]) -> list[Sequence[int]]:
        """Return for each word the synsets by which matcher ``synonym`` matches it; none in a chain without it."""
        keys = next((matcher.keys for matcher in self.matchers if isinstance(matcher, SynonymMatcher)), None)
        return [sorted(keys(Token(word))) if keys else [] for word in words]

    def make_segment_scores(self, batch: Batch, rows: Rows) -> Iterator[MeteorSegmentScore]:
        """Yield the scores of a batch's segments; segments that cannot be aligned are treated as ``on_error`` says."""
        failures = rows.failures
        if failures:
            resolve_failures(rows, batch, self.on_error)
        for index, (statistics, scores, reference) in enumerate(rows.segments()):
            if index in failures and self.on_error == "skip":
                continue
            fields = {
                **scores.without_nan()._asdict(),
                "statistics": statistics,
                "parameters": self.chain.parameters,
                "matchers": self.matcher_names,
                "signature": self.signature,
                "reference_index": reference,
            }
            alignment = rows.alignments[index] if rows.alignments else None
            if alignment is not None:
                yield MeteorSegmentScore(alignment=alignment, **fields)
            else:
                texts = batch.hypotheses[index], batch.references[index][reference]
                align = self.unaligned if index in failures else self.align
                yield MeteorSegmentScore.with_lazy_alignment(functools.partial(align, *texts), **fields)

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


class MeteorChain(Meteor):
    """METEOR with a chain that is named: a YAML file, or an installed chain."""

    name: ClassVar[str] = "chain"
    Options: ClassVar[Any] = "meteor_e.chains.schemas:ChainOptions"

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``NAME,key=value,key=value``."""
        source, _, options = text.partition(",")
        return {"source": source, **named_options(options, f"metric {cls.name!r}")}

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> MeteorChain:
        """Make METEOR with the chain; the language of the text replaces the chain's, as with ``-c NAME -l``."""
        keys = _given_options(options)
        config = _load_named_chain(keys.pop("source"))
        overrides = _chain_keys(keys)
        language = "" if context is None else context.language
        if language and "language" not in overrides and not _is_language(config, language):
            overrides["language"] = language
        return cls.from_config(config, label=config.name, **_machine(context), **overrides)

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return the name of the chain."""
        return _load_named_chain(options["source"]).name

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the language of the chain, if it names one."""
        language = options.get("language") or _load_named_chain(options["source"]).language
        code = find_language(language).code if language else ""
        return "" if code == "other" else code


def _load_named_chain(source: str) -> ChainConfig:
    return load_chain(Path(source) if "/" in source or source.endswith(CHAIN_FILES) else source)


def _is_language(config: ChainConfig, code: str) -> bool:
    """Return whether a chain is for a language already, which it may name by the path of a language file."""
    if config.language is None:
        return False
    language = find_language(config.language, pack=config.pack)
    return code in (language.code, *language.aliases)


def _language_of(context: MetricContext | None) -> str:
    return (context.language if context is not None else "") or "en"


def _machine(context: MetricContext | None) -> dict[str, Any]:
    """Return the arguments that say how to compute."""
    return {} if context is None else {"offline": context.offline, "threads": context.threads}


def _given_options(options: Any) -> dict[str, Any]:
    """Return the options that have a value, by name."""
    values = {name: value for name, value in options_by_name(options).items() if value is not None}
    return {name: value.value if isinstance(value, Normalization) else value for name, value in values.items()}


def _chain_keys(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return keys of a chain from the options of a specification, which has the parameters beside the other keys."""
    parameters = {name: options[name] for name in GREEK if name in options}
    keys = {name: value for name, value in options.items() if name not in parameters}
    if isinstance(keys.get("matchers"), str):
        keys["matchers"] = keys["matchers"].replace("+", " ").split()
    if parameters:
        keys["parameters"] = {**keys.get("parameters", {}), **parameters}
    return keys
