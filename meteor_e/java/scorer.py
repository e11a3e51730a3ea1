"""Create the metric that the options of METEOR 1.5 describe, and score segments with it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from meteor_e.api.languages import Parameters
from meteor_e.base.errors import InputError
from meteor_e.java.alignments import format_alignment
from meteor_e.java.options import JavaConfiguration
from meteor_e.meteor import Meteor
from meteor_e.packs.pack import parse_function_words, read_word_list
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring.alignment import Alignment
from meteor_e.scoring.formula import FormulaScores, compute
from meteor_e.scoring.statistics import Statistics, sum_statistics

if TYPE_CHECKING:
    from meteor_e.api.batches import Batch
    from meteor_e.api.java_modules import JavaSettings
    from meteor_e.packs.indexes import ParaphraseIndex, SynonymIndex
    from meteor_e.scoring.rows import Rows


def make_meteor(configuration: JavaConfiguration) -> Meteor:
    """Create the metric that the options describe. The metric compares words in the same way as METEOR 1.5."""
    matchers, lemmatizer = make_chain_entries(configuration)
    weighted_matchers = [
        {**matcher, "weight": weight} for matcher, weight in zip(matchers, configuration.padded_weights, strict=True)
    ]
    metric = Meteor(
        configuration.language.code,
        task="li",  # This task exists for every language. Its parameters and weights are replaced.
        parameters=_make_chain_parameters(configuration),
        matchers=weighted_matchers,
        lemmatizer=lemmatizer,
        normalization=configuration.normalization,
        beam=configuration.beam,
        character_mode=configuration.options.characters,
        resources=_load_resources(configuration),
    )
    metric.compare_words_by("java")
    return metric


def _make_chain_parameters(configuration: JavaConfiguration) -> dict[str, float]:
    """Return the parameters of the command line. If a chain rejects their values, return valid placeholders instead."""
    if configuration.has_unsupported_parameters:
        # The placeholders have no effect, because JavaScorer computes scores with the parameters of the command line.
        return {"alpha": 0.5, "beta": 1.0, "gamma": 0.5, "delta": 0.5}
    alpha, beta, gamma, delta = configuration.parameters[:4]
    return {"alpha": alpha, "beta": beta, "gamma": gamma, "delta": delta}


def make_chain_entries(configuration: JavaConfiguration) -> tuple[list[dict[str, Any]], Any]:
    """Return the matchers and the lemmatizer in the form that a chain file uses. The lemmatizer can be ``None``."""
    return [_make_matcher(configuration, module) for module in configuration.modules], _make_lemmatizer(configuration)


def _make_matcher(configuration: JavaConfiguration, module: str) -> dict[str, Any]:
    """Return the entry for a module's matcher, as it would be written in a chain file."""
    if module not in configuration.plugin_modules:
        return {"use": module}
    plugin_module = plugin_registry().java_modules.get(module).make()
    return dict(plugin_module.matcher(_make_plugin_settings(configuration)))


def _make_lemmatizer(configuration: JavaConfiguration) -> Any:
    """Return the entry for the lemmatizer, as it would be written in a chain file, or ``None`` without a lemmatizer."""
    options = configuration.options
    if options.lemmas is not None:
        return {"use": "lookup", "file": options.lemmas}
    if options.vector_key == "word":
        return None
    plugin_module = plugin_registry().java_modules.get("embeddings").make()
    return plugin_module.lemmatizer(_make_plugin_settings(configuration))


def _make_plugin_settings(configuration: JavaConfiguration) -> JavaSettings:
    """Return the command-line options for matchers that plugins provide."""
    from meteor_e.api.java_modules import JavaSettings

    assert configuration.threshold is not None  # METEOR-E's options are used
    options = configuration.options
    return JavaSettings(
        language=configuration.language,
        language_name=configuration.language_name.lower(),
        vectors=options.vectors,
        key=options.vector_key,
        threshold=configuration.threshold,
        lemmas=options.lemmas,
        synonyms=options.synonyms,
    )


def _load_resources(configuration: JavaConfiguration) -> LanguageResources | None:
    """Load the language's resources. Replace some with files from the command line or with defaults of METEOR 1.5.

    Return ``None`` if the language's own resources are used without changes.
    """
    files = {
        "function_words": _load_function_words(configuration),
        "synonyms": _load_synonyms(configuration),
        "paraphrases": _load_paraphrases(configuration),
    }
    replacements: dict[str, Any] = {name: resource for name, resource in files.items() if resource is not None}
    if not replacements:
        return None
    resources = _load_language_resources(configuration.language.code)
    return resources.replace("files of the command line", **replacements)


def _load_function_words(configuration: JavaConfiguration) -> Collection[str] | None:
    """Return the function words to use instead of the language's own, or ``None`` to use the language's own words."""
    if configuration.options.words is not None:
        return parse_function_words(read_word_list(configuration.options.words))
    if configuration.language.code != "en":
        # By default, METEOR 1.5 uses the English function words for every language.
        return _load_language_resources("en").function_words
    return None


def _load_synonyms(configuration: JavaConfiguration) -> SynonymIndex | None:
    """Load the synonyms that the option ``-d`` names. Return ``None`` if the option is missing or has no effect."""
    folder = configuration.options.synonyms
    if folder is None or "synonym" not in configuration.core_modules:
        return None
    from meteor_e.packs.cache import load_synonym_index  # This import is slow.

    return load_synonym_index(folder, configuration.language_name.lower())


def _load_paraphrases(configuration: JavaConfiguration) -> ParaphraseIndex | None:
    """Load the paraphrases that the option ``-a`` names. Return ``None`` if the option is missing or has no effect."""
    path = configuration.options.paraphrases
    if path is None or "paraphrase" not in configuration.core_modules:
        return None
    from meteor_e.packs.cache import load_paraphrase_index  # This import is slow.

    return load_paraphrase_index(path)


def _load_language_resources(code: str) -> LanguageResources:
    """Return the installed resources of a language."""
    return Meteor(code, matchers=["exact"]).resources


class ScoredSegment(NamedTuple):
    """A scored segment.

    Attributes:
        vector: the statistics, in the order of ``Statistics.to_vector()``.
        scores: the scores; undefined parts are NaN.
        alignment: the alignment with the best reference, if alignments were requested.
    """

    vector: list[int]
    scores: FormulaScores
    alignment: Alignment | None


class ScoredBatch(NamedTuple):
    """Scored segments.

    Attributes:
        segments: the segments.
        total: the sum of the additive statistics of all segments.
        n_segments: the number of segments.
    """

    segments: Iterator[ScoredSegment]
    total: Sequence[int]
    n_segments: int


class JavaScorer:
    """Compute scores from segments or from statistics, with the parameters of the command line.

    METEOR 1.5 accepts parameters that meteor_e's chains reject, such as an α above 1. For such parameters, the scorer
    computes the scores from the statistics, and chooses the best reference of each segment itself.

    Args:
        configuration: the configuration of the run.

    Attributes:
        configuration: the configuration of the run.
        meteor: the metric. If its chain rejects the parameters of the command line, it has other parameters.
        parameters: the parameters of the command line.
    """

    def __init__(self, configuration: JavaConfiguration) -> None:
        self.configuration = configuration
        self.meteor = make_meteor(configuration)
        self.parameters = self.meteor.chain.parameters
        if configuration.has_unsupported_parameters:
            alpha, beta, gamma, delta = configuration.parameters[:4]
            self.parameters = Parameters(alpha, beta, gamma, delta, self.parameters.weights)

    @property
    def n_matchers(self) -> int:
        """Return the number of matchers in the chain."""
        return len(self.meteor.matchers)

    def compute_scores(self, statistics: Statistics) -> FormulaScores:
        """Compute scores from statistics. If Python's power function fails, the penalty is infinite, as in Java."""
        parameters = self.parameters
        try:
            return compute(statistics, parameters)
        except (ValueError, OverflowError):
            scores = compute(statistics, dataclasses.replace(parameters, beta=0.0))
            penalty = parameters.gamma * math.inf
            score = scores.fmean * (1 - penalty)
            return scores._replace(fragmentation_penalty=penalty, score=score if score > 0 else 0.0)

    def score_batches(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]]
    ) -> Iterator[ScoredBatch]:
        """Score segments, and return an iterator over batches of results.

        Args:
            hypotheses: one hypothesis per segment.
            references: the references of each segment.
        """
        if self.configuration.has_unsupported_parameters:
            return map(self._rescore_batch, hypotheses, references)
        with_alignments = self.configuration.options.alignments
        batches = self.meteor.score_batches(hypotheses, references, alignments=with_alignments)
        return (ScoredBatch(_read_segments(batch, rows), rows.total, len(batch)) for batch, rows in batches)

    def _rescore_batch(self, hypothesis: str, references: str | Sequence[str]) -> ScoredBatch:
        """Score one segment with parameters that meteor_e's chains reject, and return the result as a batch."""
        segment = self.rescore_segment(hypothesis, references)
        total = sum_statistics([Statistics.from_vector(segment.vector)], self.n_matchers)
        return ScoredBatch(iter([segment]), total, n_segments=1)

    def rescore_segment(self, hypothesis: str, references: str | Sequence[str]) -> ScoredSegment:
        """Score a segment with parameters that chains reject, such as an α above 1.

        The hypothesis is scored against each of its references. The first reference with the highest score is chosen.
        """
        reference_list = [references] if isinstance(references, str) else references
        hypotheses = [hypothesis] * len(reference_list)
        with_alignments = self.configuration.options.alignments
        batches = self.meteor.score_batches(hypotheses, reference_list, alignments=with_alignments)
        segments = [self._rescore(segment) for batch, rows in batches for segment in _read_segments(batch, rows)]
        return max(segments, key=lambda segment: segment.scores.score)

    def _rescore(self, segment: ScoredSegment) -> ScoredSegment:
        """Recompute a segment's scores from its statistics with the parameters of the command line."""
        return segment._replace(scores=self.compute_scores(Statistics.from_vector(segment.vector)))


def _read_segments(batch: Batch, rows: Rows) -> Iterator[ScoredSegment]:
    """Yield the scored segments of a batch. Raise InputError at a segment that cannot be aligned."""
    # Converting the numbers of all segments at once is faster than converting them segment by segment.
    vectors: list[Any] = memoryview(rows.statistics).cast("q", shape=[len(rows), len(rows.total)]).tolist()
    score_rows: list[Any] = memoryview(rows.scores).cast("d", shape=[len(rows), len(FormulaScores._fields)]).tolist()
    alignments = rows.alignments or [None] * len(rows)
    for index, (vector, scores, alignment) in enumerate(zip(vectors, score_rows, alignments, strict=True)):
        if index in rows.failures:
            raise InputError(f"segment {batch.ids[index]}: {rows.failures[index]}")
        yield ScoredSegment(vector, FormulaScores._make(scores), alignment)


def format_scored_alignment(segment: ScoredSegment, ids: str) -> str:
    """Format the alignment and the scores of a segment."""
    assert segment.alignment is not None  # alignments were requested
    scores = segment.scores
    parts = (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)
    # METEOR 1.5 joins the segment's ids with tabs, splits the result at tabs, and keeps four fields.
    return format_alignment(segment.alignment, "\t".join(ids.split("\t")[:4]), parts)
