"""The table of COCO's caption evaluation in one metric: BLEU-1 to 4, METEOR, ROUGE-L and CIDEr-D."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from meteor_e import Meteor, load_metric
from meteor_e.api import ComponentOptions, ConfigError, Meta, Metric, MetricColumn
from meteor_e.metrics.chain_metric import ChainMetric
from meteor_e_captions.coco_scores import (
    ORDERS,
    Frequencies,
    bleu,
    bleu_statistics,
    cider,
    count_frequencies,
    count_ngrams,
    rouge_l,
)
from meteor_e_captions.ptb import PUNCTUATION, Tokenizer

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

_BLEU = 2 * ORDERS + 2
_TRIMMED = "".join(map(chr, range(0x21)))  # by Java's String.trim


class CocoMetric(Metric):
    """COCO's table of caption metrics, with pycocoevalcap's numbers and without Java (English).

    BLEU-1 to 4, METEOR, ROUGE-L and CIDEr-D of captions that are tokenized as pycocoevalcap does it; beside them a
    metric of ours. SPICE is left out: it needs a Java program.
    """

    name: ClassVar[str] = "coco"
    language: str = "en"
    streaming: ClassVar[bool] = False
    requires: ClassVar[tuple[str, ...]] = ("METEOR's English pack", "rapidfuzz")

    class Options(ComponentOptions):
        """What stands beside pycocoevalcap's metrics."""

        beside: Annotated[
            Literal["caption-light", "caption-context", "none"], Meta(description="The metric in the last column.")
        ] = "caption-light"

    options: Options

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        meteor = Meteor("en", normalization="full")
        meteor.compare_words_by("java")
        self._meteor = ChainMetric.of(meteor)
        self._beside: Any = None if self.options.beside == "none" else load_metric(self.options.beside)
        self._tokenizer = Tokenizer(lowercase=True, drop=PUNCTUATION)
        self._frequencies: Frequencies | None = None
        self._raw: list[Sequence[str]] = []
        self._tokens: list[list[str]] = []
        names = [f"BLEU-{order}" for order in range(1, ORDERS + 1)] + ["METEOR", "ROUGE-L", "CIDEr"]
        names += [self._beside.label] if self._beside else []
        self.columns = tuple(MetricColumn(name) for name in names)  # type: ignore[misc]

    @property
    def signature(self) -> str:  # type: ignore[override]
        """What the numbers depend on; SPICE is named as what is left out."""
        beside = f"|beside:{self._beside.short_signature}" if self._beside else ""
        own = "coco|version:1|tokens:ptb|as:pycocoevalcap-1.2|without:SPICE,which-needs-Java"
        return f"{own}{beside}|{self._meteor.signature}"

    def prepare(self, references: Sequence[Sequence[str]], language: str = "") -> None:
        """Tokenize the references, and count the images that have an n-gram, which CIDEr weighs it by.

        Raises:
            ConfigError: for another language than English.
        """
        if language not in ("", "en", "english"):
            raise ConfigError(f"metric {self.name!r} is for English captions, not for {language!r}")
        self._raw, self._tokens = list(references), self._tokenized(references)
        self._frequencies = count_frequencies(self._tokens)
        if self._beside is not None:
            self._beside.prepare(references, language)

    def _tokenized(self, references: Sequence[Sequence[str]]) -> list[list[str]]:
        lines = iter(self._lines([text for texts in references for text in texts]))
        return [[next(lines) for _ in texts] for texts in references]

    def _lines(self, texts: Sequence[str]) -> list[str]:
        if not texts:
            return []
        return [line.rstrip() for line in self._tokenizer.lines([" ".join(text.splitlines()) for text in texts])]

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return statistics of BLEU and METEOR, scores of the others, and 1, ``(captions, width)``."""
        first = self.scored_before
        stop = first + len(hypotheses)
        # References were tokenized together: a full stop at the end of one depends on the next.
        prepared = self._raw[first:stop] == list(references)
        tokens = self._tokens[first:stop] if prepared else self._tokenized(references)
        captions = self._lines(hypotheses)
        counted = count_ngrams(captions, tokens, self._frequencies)
        own = [_line(text.replace("|||", "").replace("  ", " ")) for text in captions]
        theirs = [[_line(part) for text in texts for part in text.split("|||")] for texts in tokens]
        single = [rouge_l(counted), cider(counted)]
        if self._beside is not None:
            single.append(np.asarray(self._beside.statistics(hypotheses, references), float)[:, 0])
        return np.column_stack(
            [bleu_statistics(counted), *single, np.ones(len(captions)), self._meteor.statistics(own, theirs)]
        )

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return one row per system, a number for each column."""
        means = len(self.columns) - ORDERS - 1
        count = sums[:, _BLEU + means]
        meteor = np.asarray(self._meteor.corpus_scores(sums[:, _BLEU + means + 1 :]), float)
        meteor = meteor if meteor.ndim == 1 else meteor[:, 0]
        return np.column_stack([bleu(sums[:, :_BLEU]), meteor, sums[:, _BLEU : _BLEU + means] / count[:, None]])

    def details(
        self, statistics: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> Sequence[Mapping[str, Any]] | None:
        """Return what the metric beside says of each caption."""
        found: Sequence[Mapping[str, Any]] | None = self._beside and self._beside.details(
            statistics, hypotheses, references
        )
        return found


def _line(text: str) -> str:
    """Return a text as the Java program takes it from its input."""
    return text.replace("\n", " ").replace("\r", " ").strip(_TRIMMED)
