"""The metrics BLEU, chrF, chrF++ and TER, which have the same options, scores and signatures as in sacreBLEU."""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from meteor_e.api.batches import Batch
from meteor_e.api.component import options_by_name
from meteor_e.api.metrics import Metric
from meteor_e.api.options import ComponentOptions, Meta
from meteor_e.base.array_cache import Floats
from meteor_e.base.errors import ConfigError, InputError, near_miss
from meteor_e.base.extras import require

if TYPE_CHECKING:
    from meteor_e.engine.aggregation import Aggregated

Smoothing = Literal["exp", "floor", "add-k", "none"]


MAX_TER_WORDS = 4_000_000
"""The maximum product of the numbers of words of a hypothesis and a reference in TER.

For longer texts, sacreBLEU's search for shifts takes minutes.
"""


class SacreBleuMetric(Metric):
    """Base class of sacreBLEU's metrics, whose scores range from 0 to 100.

    sacreBLEU does not have public functions that compute scores from statistics. Therefore this class calls private
    methods, which the significance tests of sacreBLEU also use.
    """

    requires: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    decimals: ClassVar[int] = 2
    # Each attribute contains a sacreBLEU metric: _segment scores segments, and _corpus scores whole systems.
    _segment: Any
    _corpus: Any
    _signature_suffix = ""

    @classmethod
    def _load_library(cls) -> Any:
        """Import sacreBLEU's metrics.

        Raises:
            ConfigError: if sacreBLEU is not installed.
        """
        return require("sacrebleu.metrics", f"metric {cls.name!r}", "metrics")

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The signature of sacreBLEU, without the number of references."""
        return self.signature_for(())

    def signature_for(self, reference_counts: Collection[int]) -> str:
        """Return sacreBLEU's signature, which contains the number of references per segment."""
        # The number of references may be unknown, and is therefore added after the signature has been created.
        signature = self._corpus._SIGNATURE_TYPE({**vars(self._corpus), "num_refs": None})
        signature.info["nrefs"] = "var" if len(reference_counts) > 1 else next(iter(reference_counts), None)
        return f"{self._signature_name()}|{signature}{self._signature_suffix}"

    def _signature_name(self) -> str:
        """Return the name of the metric in sacreBLEU's signature."""
        return self.title

    def statistics(self, batch: Batch) -> Floats:
        """Return the statistics of sacreBLEU."""
        max_count = max(map(len, batch.references))
        # sacreBLEU expects one list per reference, with None for segments that have fewer references.
        reference_lists: list[list[str | None]] = []
        for index in range(max_count):
            reference_lists.append([texts[index] if index < len(texts) else None for texts in batch.references])
        rows = self._segment._extract_corpus_statistics(batch.hypotheses, reference_lists)
        return np.array(rows, np.float64)

    def segment_scores(self, statistics: Floats) -> Floats:
        """Return the sentence scores of sacreBLEU."""
        return np.array([self._segment._compute_score_from_stats(row).score for row in statistics.tolist()], float)

    def scores(self, sums: Floats) -> Floats:
        """Return the corpus scores of sacreBLEU."""
        return np.array([self._corpus._compute_score_from_stats(row).score for row in sums.tolist()], float)


class AggregatingMetric(SacreBleuMetric):
    """Base class of metrics whose n-gram counts can be averaged over many references."""

    def expected_scores(self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats) -> Aggregated:
        """Approximate expected scores by scoring each hypothesis against the mean n-gram counts of the references.

        DeNero, Chiang and Knight (2009) introduced this method for BLEU ("Fast Consensus Decoding over Translation
        Forests"), and Vamvas and Sennrich (2024) for chrF ("Linear-time Minimum Bayes Risk Decoding with Reference
        Aggregation").

        Args:
            hypotheses: raw hypotheses.
            references: distinct raw references.
            weights: weights of the references, with a sum of 1.
        """
        from meteor_e.engine.aggregation import Aggregated

        ngram_counts = [self._count_ngrams(reference) for reference in references]
        mean_counts = self._average_references(ngram_counts, weights.tolist())
        rows = [self._compare(hypothesis, mean_counts) for hypothesis in hypotheses]
        return Aggregated(self.segment_scores(np.array(rows, float)), None)

    def _count_ngrams(self, reference: str) -> Any:
        """Return the n-gram counts and the length of a reference in sacreBLEU's format."""
        return self._segment._extract_reference_info([self._segment._preprocess_segment(reference)])

    def _compare(self, hypothesis: str, ngram_counts: Mapping[str, Any]) -> Any:
        """Return the statistics of a hypothesis, given the n-gram counts and the length of its reference."""
        return self._segment._compute_segment_statistics(self._segment._preprocess_segment(hypothesis), ngram_counts)

    @abstractmethod
    def _average_references(
        self, ngram_counts: Sequence[Mapping[str, Any]], weights: Sequence[float]
    ) -> dict[str, Any]:
        """Average the n-gram counts and lengths of references.

        Args:
            ngram_counts: the n-gram counts and lengths of each reference in sacreBLEU's format.
            weights: weights of the references, with a sum of 1.

        Returns:
            The means, in the format of a single reference.
        """


class BleuMetric(AggregatingMetric):
    """BLEU of sacreBLEU.

    Segments are scored as in sacreBLEU's function ``sentence_bleu``. If a segment is too short for n-grams of some
    length, this length is ignored (``effective_order``).
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"

    class Options(ComponentOptions):
        """The options of sacreBLEU, including a separate smoothing method for segment scores."""

        tokenize: Annotated[str | None, Meta(description="Tokenizer of sacreBLEU; by default that of trg_lang.")] = None
        smooth_method: Annotated[Smoothing, Meta(description="Smoothing.")] = "exp"
        smooth_value: Annotated[float, Meta(ge=0, description="For floor and add-k; by default 0.1 and 1.")] | None = (
            None
        )
        max_ngram_order: Annotated[int, Meta(ge=1, le=100, description="The longest n-grams.")] = 4
        effective_order: Annotated[bool, Meta(description="Leave out orders without n-grams.")] = False
        lowercase: Annotated[bool, Meta(description="Ignore case.")] = False
        trg_lang: Annotated[str, Meta(description="Code of the language, which chooses the tokenizer.")] = ""
        smoothing: Annotated[Smoothing | None, Meta(description="Smoothing of single segments.")] = None

    options: Options

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        library = self._load_library()
        _check_tokenizer(self.options.tokenize, list(library.BLEU.TOKENIZERS))
        corpus_options = options_by_name(self.options)
        corpus_smoothing = corpus_options["smooth_method"]
        segment_smoothing = corpus_options.pop("smoothing") or corpus_smoothing
        segment_options = {**corpus_options, "smooth_method": segment_smoothing, "effective_order": True}
        self._corpus = _create_bleu(library, corpus_options)
        self._segment = _create_bleu(library, segment_options)
        if segment_smoothing != corpus_smoothing:
            self._signature_suffix = f"|segments:{segment_smoothing}"

    def _average_references(
        self, ngram_counts: Sequence[Mapping[str, Any]], weights: Sequence[float]
    ) -> dict[str, Any]:
        """Average n-gram counts and lengths. BLEU counts n-grams of all lengths in one dictionary."""
        mean_length = 0.0
        for counts, weight in zip(ngram_counts, weights, strict=True):
            mean_length += weight * counts["ref_lens"][0]
        mean_counts = _average_counts([counts["ref_ngrams"] for counts in ngram_counts], weights)
        return {"ref_lens": [mean_length], "ref_ngrams": mean_counts}


def _create_bleu(library: Any, options: Mapping[str, Any]) -> Any:
    """Create sacreBLEU's metric BLEU.

    Raises:
        ConfigError: if the tokenizer cannot be created. Some tokenizers require other libraries or download a model.
    """
    try:
        # Without the argument "force", sacreBLEU warns if a text seems to be tokenized.
        return library.BLEU(**options, force=True)
    except (ImportError, RuntimeError, OSError) as error:
        raise ConfigError(f"metric 'bleu': {' '.join(str(error).split())}") from error


def _check_tokenizer(tokenizer: str | None, names: Sequence[str]) -> None:
    """Check that sacreBLEU has a tokenizer with this name.

    Raises:
        ConfigError: if it does not have this tokenizer.
    """
    if tokenizer is not None and tokenizer not in names:
        raise ConfigError(
            f"metric 'bleu': tokenize is {tokenizer!r}{near_miss(tokenizer, names)}; it must be one of "
            f"{', '.join(names)}"
        )


class ChrfMetric(AggregatingMetric):
    """chrF of sacreBLEU."""

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF"

    class Options(ComponentOptions):
        """The options of sacreBLEU."""

        char_order: Annotated[int, Meta(ge=1, le=100, description="The longest character n-grams.")] = 6
        word_order: Annotated[int, Meta(ge=0, le=100, description="The longest word n-grams; 2 is chrF++.")] = 0
        beta: Annotated[int, Meta(ge=1, description="Weight of recall.")] = 2
        lowercase: Annotated[bool, Meta(description="Ignore case.")] = False
        whitespace: Annotated[bool, Meta(description="Count white space, too.")] = False
        eps_smoothing: Annotated[bool, Meta(description="Smooth as other implementations do.")] = False

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._segment = self._corpus = self._load_library().CHRF(**options_by_name(self.options))

    def _average_references(
        self, ngram_counts: Sequence[Mapping[str, Any]], weights: Sequence[float]
    ) -> dict[str, Any]:
        """Average the n-gram counts. chrF has a separate dictionary for each n-gram length."""
        counts_by_length = zip(*[counts["ref_ngrams"][0] for counts in ngram_counts], strict=True)
        return {"ref_ngrams": [[_average_counts(ngrams, weights) for ngrams in counts_by_length]]}

    def _signature_name(self) -> str:
        """Return the name of the metric in sacreBLEU's signature.

        The name contains the weight of recall and one plus sign per order of word n-grams, as in ``chrF2++``.
        """
        return f"chrF{self.options.beta}{'+' * self.options.word_order}"


class ChrfPlusMetric(ChrfMetric):
    """chrF++ of sacreBLEU, which extends chrF by words and pairs of words."""

    name: ClassVar[str] = "chrf++"
    title: ClassVar[str] = "chrF++"

    class Options(ChrfMetric.Options):
        """The options of chrF."""

        word_order: Annotated[int, Meta(ge=0, le=100, description="The longest word n-grams; 0 is chrF.")] = 2


class TerMetric(SacreBleuMetric):
    """TER (translation edit rate) of sacreBLEU. Lower scores are better."""

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False

    class Options(ComponentOptions):
        """The options of sacreBLEU."""

        normalized: Annotated[bool, Meta(description="Tokenize first.")] = False
        no_punct: Annotated[bool, Meta(description="Remove punctuation.")] = False
        asian_support: Annotated[bool, Meta(description="Split Asian characters.")] = False
        case_sensitive: Annotated[bool, Meta(description="Heed case.")] = False

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._segment = self._corpus = self._load_library().TER(**options_by_name(self.options))

    def statistics(self, batch: Batch) -> Floats:
        """Return the statistics of sacreBLEU.

        Raises:
            InputError: for a segment that is too long. The time grows faster than the product of the lengths.
        """
        for segment_id, hypothesis, texts in zip(batch.ids, batch.hypotheses, batch.references, strict=True):
            for reference in texts:
                self._check_lengths(segment_id, hypothesis, reference)
        return super().statistics(batch)

    def _check_lengths(self, segment_id: int | str, hypothesis: str, reference: str) -> None:
        """Check that a hypothesis and its reference do not have too many words.

        Raises:
            InputError: if the product of their numbers of words exceeds :data:`MAX_TER_WORDS`.
        """
        # Short texts need no further check, because a text never has more words than characters.
        if len(hypothesis) * len(reference) <= MAX_TER_WORDS:
            return
        hypothesis_words = len(self._segment._preprocess_segment(hypothesis).split())
        reference_words = len(self._segment._preprocess_segment(reference).split())
        if hypothesis_words * reference_words > MAX_TER_WORDS:
            raise InputError(
                f"metric {self.name!r}: segment {segment_id} has {hypothesis_words:,} words and its reference "
                f"{reference_words:,}; TER compares at most {MAX_TER_WORDS:,} pairs of words; score it by sentences"
            )


def _average_counts(ngram_counts: Sequence[Mapping[Any, int]], weights: Sequence[float]) -> dict[Any, float]:
    """For each n-gram, return the weighted mean of the counts in several texts."""
    means: defaultdict[Any, float] = defaultdict(float)
    for counts, weight in zip(ngram_counts, weights, strict=True):
        for ngram, count in counts.items():
            means[ngram] += weight * count
    return means
