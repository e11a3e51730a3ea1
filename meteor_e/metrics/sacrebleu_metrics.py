"""BLEU, chrF, chrF++ and TER as sacreBLEU computes them, with sacreBLEU's options, numbers and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from meteor_e.api.metrics import Metric
from meteor_e.base.arraytypes import Floats
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.base.extras import require

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as SacreMetric

__all__ = ["BleuMetric", "ChrfMetric", "ChrfPlusMetric", "SacreBleuMetric", "TerMetric"]


class SacreBleuMetric(Metric):
    """A metric of sacreBLEU; scores are sacreBLEU's, from 0 to 100."""

    requires: ClassVar[tuple[str, ...]] = ("sacrebleu",)
    decimals: ClassVar[int] = 2
    _segment: SacreMetric
    _corpus: SacreMetric
    _extra = ""
    _references: int | str | None = None

    @classmethod
    def _metrics(cls) -> Any:
        return require("sacrebleu.metrics", f"metric {cls.name!r}", "metrics")

    @property
    def signature(self) -> str:  # type: ignore[override]
        """SacreBLEU's signature; it names the number of references once :meth:`prepare` has seen them."""
        corpus: Any = self._corpus
        # sacreBLEU asks for the number of references before there are any; we fill it in where it is known.
        signature = type(corpus)._SIGNATURE_TYPE({**vars(corpus), "num_refs": None})
        signature.info["nrefs"] = self._references
        name = {"CHRF": f"chrF{getattr(self._corpus, 'beta', 2)}"}.get(type(self._corpus).__name__, self.title)
        name += "+" * getattr(self._corpus, "word_order", 0)
        return f"{name}|{signature}{self._extra}"

    def prepare(self, references: Sequence[Sequence[str]], language: str = "") -> None:
        """Count the references, for the signature."""
        counts = {len(texts) for texts in references}
        self._references = counts.pop() if len(counts) == 1 else "var"

    # sacreBLEU offers no public way from statistics to scores. These two methods of its base class are what its
    # own significance tests use.

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return sacreBLEU's statistics."""
        most = max(map(len, references))
        # sacreBLEU wants one list per reference; None where a segment has fewer.
        sides = [[texts[at] if at < len(texts) else None for texts in references] for at in range(most)]
        extract: Any = self._segment._extract_corpus_statistics
        return np.array(extract(hypotheses, sides), np.float64)

    def segment_scores(self, statistics: Floats) -> Floats:
        """Return sacreBLEU's sentence scores."""
        return np.array([self._segment._compute_score_from_stats(row).score for row in statistics.tolist()], float)

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return sacreBLEU's corpus scores."""
        return np.array([self._corpus._compute_score_from_stats(row).score for row in sums.tolist()], float)


class BleuMetric(SacreBleuMetric):
    """BLEU of sacreBLEU.

    Segments are scored as by sacreBLEU's ``sentence_bleu``: only n-gram orders that a segment has count
    (``effective_order``).

    Args:
        tokenize: ``13a``, ``zh``, ``ja-mecab``, ``ko-mecab``, ``intl``, ``char``, ``spm``, ``flores101``,
            ``flores200``, ``none``; by default ``13a``, or that of ``trg_lang``.
        smooth_method: ``exp``, ``floor``, ``add-k`` or ``none``.
        smooth_value: for ``floor`` and ``add-k``.
        max_ngram_order: the longest n-grams.
        effective_order: also for corpora.
        lowercase: ignore case.
        trg_lang: code of the language, which chooses the tokenizer.
        smoothing: ``smooth_method`` of segments alone.
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"

    def __init__(
        self,
        *,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        lowercase: bool = False,
        trg_lang: str = "",
        smoothing: str | None = None,
    ) -> None:
        metrics = self._metrics()
        methods = ("exp", "floor", "add-k", "none")
        for option, value in (("smooth_method", smooth_method), ("smoothing", smoothing)):
            if value is not None and value not in methods:
                raise ConfigError(
                    f"metric 'bleu': {option} is {value!r}{near_miss(str(value), methods)}; it must be one of "
                    f"{', '.join(methods)}"
                )
        known = list(metrics.BLEU.TOKENIZERS)
        if tokenize is not None and tokenize not in known:
            raise ConfigError(
                f"metric 'bleu': tokenize is {tokenize!r}{near_miss(str(tokenize), known)}; it must be one of "
                f"{', '.join(known)}"
            )
        if smooth_value is not None and not (_is_number(smooth_value) and smooth_value >= 0):
            raise ConfigError(f"metric 'bleu': smooth_value is {smooth_value!r}; it must be a number from 0")
        _check("bleu", max_ngram_order=max_ngram_order)
        given: dict[str, Any] = {
            "tokenize": tokenize,
            "smooth_method": smooth_method,
            "smooth_value": smooth_value,
            "max_ngram_order": max_ngram_order,
            "lowercase": _truth("bleu", "lowercase", lowercase),
            "trg_lang": trg_lang,
            "force": True,
        }
        try:
            self._corpus = metrics.BLEU(effective_order=_truth("bleu", "effective_order", effective_order), **given)
            given["smooth_method"] = smoothing or smooth_method
            self._segment = metrics.BLEU(effective_order=True, **given)
        except (ImportError, RuntimeError, OSError) as error:
            # Tokenizers of some languages need further libraries, or download a model.
            raise ConfigError(f"metric 'bleu': {' '.join(str(error).split())}") from error
        self._extra = f"|segments:{smoothing}" if smoothing not in (None, smooth_method) else ""


class ChrfMetric(SacreBleuMetric):
    """chrF of sacreBLEU.

    Args:
        char_order: the longest character n-grams.
        word_order: the longest word n-grams; 2 is chrF++.
        beta: weight of recall.
        lowercase: ignore case.
        whitespace: count white space, too.
        eps_smoothing: smooth as other implementations do.
    """

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF"

    def __init__(
        self,
        *,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        metrics = self._metrics()
        _check(self.name, char_order=char_order, beta=beta)
        _check(self.name, 0, word_order=word_order)
        self._segment = self._corpus = metrics.CHRF(
            char_order=char_order,
            word_order=word_order,
            beta=beta,
            lowercase=_truth(self.name, "lowercase", lowercase),
            whitespace=_truth(self.name, "whitespace", whitespace),
            eps_smoothing=_truth(self.name, "eps_smoothing", eps_smoothing),
        )


class ChrfPlusMetric(ChrfMetric):
    """chrF++ of sacreBLEU: chrF with words and pairs of words.

    Args:
        char_order, word_order, beta, lowercase, whitespace, eps_smoothing: as of ``chrf``.
    """

    name: ClassVar[str] = "chrf++"
    title: ClassVar[str] = "chrF++"

    def __init__(
        self,
        *,
        char_order: int = 6,
        word_order: int = 2,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        super().__init__(
            char_order=char_order,
            word_order=word_order,
            beta=beta,
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=eps_smoothing,
        )


class TerMetric(SacreBleuMetric):
    """TER (translation edit rate) of sacreBLEU; the lower, the better.

    Args:
        normalized: tokenize first.
        no_punct: remove punctuation.
        asian_support: split Asian characters.
        case_sensitive: heed case.
    """

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    higher_is_better: ClassVar[bool] = False

    def __init__(
        self,
        *,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        given = {
            "normalized": normalized,
            "no_punct": no_punct,
            "asian_support": asian_support,
            "case_sensitive": case_sensitive,
        }
        given = {key: _truth("ter", key, value) for key, value in given.items()}
        self._segment = self._corpus = self._metrics().TER(**given)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _truth(metric: str, option: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"metric {metric!r}: {option} is {value!r}; it must be true or false")
    return value


def _check(metric: str, least: int = 1, **options: object) -> None:
    """Refuse options that are not whole numbers from ``least``."""
    for option, value in options.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ConfigError(f"metric {metric!r}: {option} is {value!r}; it must be a whole number from {least}")
