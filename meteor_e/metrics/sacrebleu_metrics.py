"""BLEU, chrF, chrF++ and TER as sacreBLEU computes them, with sacreBLEU's options, numbers and signatures."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
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
    from sacrebleu.metrics.base import Metric as SacreMetric

    from meteor_e.engine.aggregation import Aggregated

Smoothing = Literal["exp", "floor", "add-k", "none"]


MAX_TER_WORDS = 4_000_000
"""Words of a segment times words of a reference, at most, in TER; sacreBLEU's shifts take minutes beyond."""


class SacreBleuMetric(Metric):
    """A metric of sacreBLEU; scores are sacreBLEU's, from 0 to 100."""

    requires: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    decimals: ClassVar[int] = 2
    _segment: SacreMetric
    _corpus: SacreMetric
    _extra = ""

    @classmethod
    def _metrics(cls) -> Any:
        return require("sacrebleu.metrics", f"metric {cls.name!r}", "metrics")

    @property
    def signature(self) -> str:  # type: ignore[override]
        """SacreBLEU's signature, without the number of references."""
        return self.signature_for(())

    def signature_for(self, reference_counts: Collection[int]) -> str:
        """Return sacreBLEU's signature for segments with so many references."""
        corpus: Any = self._corpus
        # sacreBLEU asks for the number of references before there are any; we fill it in where it is known.
        signature = type(corpus)._SIGNATURE_TYPE({**vars(corpus), "num_refs": None})
        counts = reference_counts
        signature.info["nrefs"] = min(counts) if len(counts) == 1 else "var" if counts else None
        name = {"CHRF": f"chrF{getattr(self._corpus, 'beta', 2)}"}.get(type(self._corpus).__name__, self.title)
        name += "+" * getattr(self._corpus, "word_order", 0)
        return f"{name}|{signature}{self._extra}"

    # sacreBLEU offers no public way from statistics to scores. These two methods of its base class are what its
    # own significance tests use.

    def statistics(self, batch: Batch) -> Floats:
        """Return sacreBLEU's statistics."""
        references = batch.references
        most = max(map(len, references))
        # sacreBLEU wants one list per reference; None where a segment has fewer.
        sides = [[texts[at] if at < len(texts) else None for texts in references] for at in range(most)]
        extract: Any = self._segment._extract_corpus_statistics
        return np.array(extract(batch.hypotheses, sides), np.float64)

    def segment_scores(self, statistics: Floats) -> Floats:
        """Return sacreBLEU's sentence scores."""
        return np.array([self._segment._compute_score_from_stats(row).score for row in statistics.tolist()], float)

    def scores(self, sums: Floats) -> Floats:
        """Return sacreBLEU's corpus scores."""
        return np.array([self._corpus._compute_score_from_stats(row).score for row in sums.tolist()], float)


class AggregatingMetric(SacreBleuMetric):
    """A metric of counts, which references can be aggregated for."""

    def expected_scores(self, hypotheses: Sequence[str], references: Sequence[str], weights: Floats) -> Aggregated:
        """Approximate expected scores: those against the mean counts of the references."""
        from meteor_e.engine.aggregation import Aggregated

        rows = sacrebleu_expected(self._segment, hypotheses, references, weights)
        return Aggregated(self.segment_scores(rows), None)


class BleuMetric(AggregatingMetric):
    """BLEU of sacreBLEU.

    Segments are scored as by sacreBLEU's ``sentence_bleu``: only n-gram orders that a segment has count
    (``effective_order``).
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"

    class Options(ComponentOptions):
        """Those of sacreBLEU, and the smoothing of segments."""

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
        metrics, chosen = self._metrics(), self.options
        known = list(metrics.BLEU.TOKENIZERS)
        if chosen.tokenize is not None and chosen.tokenize not in known:
            raise ConfigError(
                f"metric 'bleu': tokenize is {chosen.tokenize!r}{near_miss(chosen.tokenize, known)}; it must be one of "
                f"{', '.join(known)}"
            )
        given = {name: value for name, value in options_by_name(chosen).items() if name != "smoothing"}
        smoothing = chosen.smoothing or chosen.smooth_method
        try:
            self._corpus = metrics.BLEU(**given, force=True)
            self._segment = metrics.BLEU(**{**given, "smooth_method": smoothing, "effective_order": True}, force=True)
        except (ImportError, RuntimeError, OSError) as error:
            # Tokenizers of some languages need further libraries, or download a model.
            raise ConfigError(f"metric 'bleu': {' '.join(str(error).split())}") from error
        self._extra = f"|segments:{smoothing}" if smoothing != chosen.smooth_method else ""


class ChrfMetric(AggregatingMetric):
    """chrF of sacreBLEU."""

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF"

    class Options(ComponentOptions):
        """Those of sacreBLEU."""

        char_order: Annotated[int, Meta(ge=1, le=100, description="The longest character n-grams.")] = 6
        word_order: Annotated[int, Meta(ge=0, le=100, description="The longest word n-grams; 2 is chrF++.")] = 0
        beta: Annotated[int, Meta(ge=1, description="Weight of recall.")] = 2
        lowercase: Annotated[bool, Meta(description="Ignore case.")] = False
        whitespace: Annotated[bool, Meta(description="Count white space, too.")] = False
        eps_smoothing: Annotated[bool, Meta(description="Smooth as other implementations do.")] = False

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._segment = self._corpus = self._metrics().CHRF(**options_by_name(self.options))


class ChrfPlusMetric(ChrfMetric):
    """chrF++ of sacreBLEU: chrF with words and pairs of words."""

    name: ClassVar[str] = "chrf++"
    title: ClassVar[str] = "chrF++"

    class Options(ChrfMetric.Options):
        """Those of chrF."""

        word_order: Annotated[int, Meta(ge=0, le=100, description="The longest word n-grams; 0 is chrF.")] = 2


class TerMetric(SacreBleuMetric):
    """TER (translation edit rate) of sacreBLEU; the lower, the better."""

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False

    class Options(ComponentOptions):
        """Those of sacreBLEU."""

        normalized: Annotated[bool, Meta(description="Tokenize first.")] = False
        no_punct: Annotated[bool, Meta(description="Remove punctuation.")] = False
        asian_support: Annotated[bool, Meta(description="Split Asian characters.")] = False
        case_sensitive: Annotated[bool, Meta(description="Heed case.")] = False

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._segment = self._corpus = self._metrics().TER(**options_by_name(self.options))

    def statistics(self, batch: Batch) -> Floats:
        """Return sacreBLEU's statistics.

        Raises:
            InputError: for a segment that is too long; TER's time grows faster than the product of the lengths.
        """
        for segment_id, hypothesis, texts in zip(batch.ids, batch.hypotheses, batch.references, strict=True):
            for reference in texts:
                self._check_lengths(segment_id, hypothesis, reference)
        return super().statistics(batch)

    def _check_lengths(self, segment_id: int | str, *texts: str) -> None:
        if math.prod(map(len, texts)) <= MAX_TER_WORDS:
            return
        words = [len(self._segment._preprocess_segment(text).split()) for text in texts]
        if math.prod(words) > MAX_TER_WORDS:
            raise InputError(
                f"metric {self.name!r}: segment {segment_id} has {words[0]:,} words and its reference {words[1]:,}; "
                f"TER compares at most {MAX_TER_WORDS:,} pairs of words; score it by sentences"
            )


def sacrebleu_expected(scorer: Any, hypotheses: Sequence[str], references: Sequence[str], weights: Floats) -> Floats:
    """Return sacreBLEU's statistics of hypotheses against the mean n-gram counts and lengths of the references.

    For BLEU: DeNero, Chiang and Knight (2009), "Fast Consensus Decoding over Translation Forests". For chrF: Vamvas and
    Sennrich (2024), "Linear-time Minimum Bayes Risk Decoding with Reference Aggregation".

    Args:
        scorer: BLEU or chrF of sacreBLEU.
        hypotheses, references: raw segments.
        weights: of the references; their sum is 1.
    """
    counts: list[defaultdict[Any, float]] = []
    length = 0.0
    for text, weight in zip(references, weights.tolist(), strict=True):
        known = scorer._extract_reference_info([scorer._preprocess_segment(text)])
        length += weight * sum(known.get("ref_lens", ()))
        ngrams = known["ref_ngrams"]
        orders = [ngrams] if isinstance(ngrams, dict) else ngrams[0]
        counts = counts or [defaultdict(float) for _ in orders]
        for mean, found in zip(counts, orders, strict=True):
            for ngram, count in found.items():
                mean[ngram] += weight * count
    whole = {"ref_lens": [length], "ref_ngrams": counts[0]} if "ref_lens" in known else {"ref_ngrams": [counts]}
    rows = [scorer._compute_segment_statistics(scorer._preprocess_segment(text), whole) for text in hypotheses]
    return np.array(rows, float)
