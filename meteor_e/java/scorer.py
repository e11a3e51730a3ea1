"""Create the metric that the options of METEOR 1.5 describe, and score segments with it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
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
from meteor_e.scoring.statistics import Statistics, StatisticsSum

if TYPE_CHECKING:
    from meteor_e.api.java_modules import JavaSettings


_PLACEHOLDERS = (0.5, 1.0, 0.5, 0.5)
"""The parameters of the chain if those of the command line are out of the range of chains.

The scores are then computed from the statistics.
"""


def make_meteor(configuration: JavaConfiguration) -> Meteor:
    """Create the metric that the options describe. The metric compares words in the same way as METEOR 1.5."""
    matchers, lemmatizer = make_chain_entries(configuration)
    for index, matcher in enumerate(matchers):
        # Modules without a weight have the weight 0.
        has_weight = index < len(configuration.weights)
        matcher["weight"] = configuration.weights[index] if has_weight else 0.0
    parameters = _PLACEHOLDERS if configuration.is_out_of_range else configuration.parameters
    alpha, beta, gamma, delta = parameters[:4]
    meteor = Meteor(
        configuration.language.code,
        task="li",
        parameters={"alpha": alpha, "beta": beta, "gamma": gamma, "delta": delta},
        matchers=matchers,
        lemmatizer=lemmatizer,
        normalization=configuration.normalization,
        beam=configuration.beam,
        character_mode=configuration.options.characters,
        resources=_load_resources(configuration),
    )
    meteor.compare_words_by("java")
    return meteor


def make_chain_entries(configuration: JavaConfiguration) -> tuple[list[dict[str, Any]], Any]:
    """Return the matchers and the lemmatizer in the form that a chain file uses. The lemmatizer can be ``None``."""
    options = configuration.options
    if configuration.threshold is None:
        return [{"use": module} for module in configuration.modules], None
    settings = _make_plugin_settings(configuration, configuration.threshold)
    module_classes = plugin_registry().java_modules
    matchers: list[dict[str, Any]] = []
    for name in configuration.modules:
        if name in configuration.plugin_modules:
            matchers.append(dict(module_classes.get(name).make().matcher(settings)))
        else:
            matchers.append({"use": name})
    lemmatizer: Any = None
    if options.lemmas is not None:
        lemmatizer = {"use": "lookup", "file": options.lemmas}
    elif options.vector_key != "word":
        lemmatizer = module_classes.get("embeddings").make().lemmatizer(settings)
    return matchers, lemmatizer


def _make_plugin_settings(configuration: JavaConfiguration, threshold: float) -> JavaSettings:
    """Return the command-line options for matchers that plugins provide."""
    from meteor_e.api.java_modules import JavaSettings

    options = configuration.options
    return JavaSettings(
        language=configuration.language,
        language_name=configuration.language_name.lower(),
        vectors=options.vectors,
        key=options.vector_key,
        threshold=threshold,
        lemmas=options.lemmas,
        synonyms=options.synonyms,
    )


def _load_resources(configuration: JavaConfiguration) -> LanguageResources | None:
    """Return the language's resources with replacements, or ``None`` if the command line does not replace any."""
    replacements = _load_replacements(configuration)
    if not replacements:
        return None
    resources = _load_language_resources(configuration.language.code)
    return resources.replace("files of the command line", **replacements)


def _load_replacements(configuration: JavaConfiguration) -> dict[str, Any]:
    """Read the replacements for resources of the language. Files that no module uses are not read."""
    replacements: dict[str, Any] = {}
    options = configuration.options
    if options.words is not None:
        replacements["function_words"] = parse_function_words(read_word_list(options.words))
    elif configuration.language.code != "en":
        # By default, METEOR 1.5 uses the English function words for every language.
        replacements["function_words"] = _load_language_resources("en").function_words
    core_modules = set(configuration.modules) - set(configuration.plugin_modules)
    if options.synonyms is not None and "synonym" in core_modules:
        from meteor_e.packs.cache import load_synonym_index  # This import is slow.

        replacements["synonyms"] = load_synonym_index(options.synonyms, configuration.language_name.lower())
    if options.paraphrases is not None and "paraphrase" in core_modules:
        from meteor_e.packs.cache import load_paraphrase_index  # This import is slow.

        replacements["paraphrases"] = load_paraphrase_index(options.paraphrases)
    return replacements


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


class JavaScorer:
    """Score segments and statistics with the parameters of the command line.

    METEOR 1.5 accepts parameters that meteor_e's chains reject, such as an α above 1. For such parameters, the scorer
    computes the scores from the statistics, and chooses the best reference of each segment itself.

    Args:
        configuration: the configuration of the run.

    Attributes:
        configuration: the configuration of the run.
        meteor: the metric, which has placeholders for parameters that are out of the range of chains.
        parameters: the parameters of the command line.
    """

    def __init__(self, configuration: JavaConfiguration) -> None:
        self.configuration = configuration
        self.meteor = make_meteor(configuration)
        self.parameters = self.meteor.chain.parameters
        if configuration.is_out_of_range:
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

    def score_segments(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], corpus_sum: StatisticsSum
    ) -> Iterator[ScoredSegment]:
        """Score segments, yield the results, and add the statistics to the corpus sum.

        Args:
            hypotheses: one hypothesis per segment.
            references: the references of each segment.
            corpus_sum: the sum to which the statistics are added.
        """
        if self.configuration.is_out_of_range:
            return self._rescore_segments(hypotheses, references, corpus_sum)
        return self._score_batches(hypotheses, references, corpus_sum)

    def _score_batches(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], corpus_sum: StatisticsSum
    ) -> Iterator[ScoredSegment]:
        """Score segments in batches with the parameters of the chain; see :meth:`score_segments`."""
        with_alignments = self.configuration.options.alignments
        vector_size = len(corpus_sum.total.to_vector())
        score_size = len(FormulaScores._fields)
        for batch, rows in self.meteor.score_batches(hypotheses, references, alignments=with_alignments):
            # Converting the numbers of all segments at once is faster than converting them segment by segment.
            flat_counts: list[int] = memoryview(rows.statistics).cast("q").tolist()  # (segments * vector_size,)
            flat_scores: list[float] = memoryview(rows.scores).cast("d").tolist()  # type: ignore[assignment]
            for index in range(len(batch)):
                if index in rows.failures:
                    raise InputError(f"segment {batch.ids[index]}: {rows.failures[index]}")
                vector = flat_counts[index * vector_size : (index + 1) * vector_size]
                scores = FormulaScores._make(flat_scores[index * score_size : (index + 1) * score_size])
                alignment = rows.alignments[index] if with_alignments else None
                yield ScoredSegment(vector, scores, alignment)
            corpus_sum.add_total(rows.total, len(batch))

    def _rescore_segments(
        self, hypotheses: Iterable[str], references: Iterable[str | Sequence[str]], corpus_sum: StatisticsSum
    ) -> Iterator[ScoredSegment]:
        """Score segments with parameters that chains reject, such as an α above 1; see :meth:`score_segments`.

        Each hypothesis is scored against each of its references. The reference with the highest score is chosen.
        """
        for hypothesis, segment_references in zip(hypotheses, references, strict=True):
            reference_list = [segment_references] if isinstance(segment_references, str) else segment_references
            unused_sum = StatisticsSum(self.n_matchers)
            pairs = []
            for pair in self._score_batches([hypothesis] * len(reference_list), reference_list, unused_sum):
                scores = self.compute_scores(Statistics.from_vector(pair.vector))
                pairs.append(pair._replace(scores=scores))
            # If several references have the highest score, the first of them is chosen.
            best_pair = max(pairs, key=lambda pair: pair.scores.score)
            corpus_sum.add(Statistics.from_vector(best_pair.vector))
            yield best_pair


def format_scored_alignment(segment: ScoredSegment, ids: str) -> str:
    """Format the alignment and the scores of a segment."""
    assert segment.alignment is not None  # alignments were requested
    scores = segment.scores
    parts = (scores.precision, scores.recall, scores.fragmentation_penalty, scores.score)
    # METEOR 1.5 joins the segment's ids with tabs, splits the result at tabs, and keeps four fields.
    return format_alignment(segment.alignment, "\t".join(ids.split("\t")[:4]), parts)
