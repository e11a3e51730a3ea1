"""COCO's metrics of captions: the whole table as one metric, and ROUGE-L and CIDEr-D alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from meteor_e import Meteor
from meteor_e.api import ConfigError, Metric, MetricColumn
from meteor_e.api.metrics import CURRENT
from meteor_e.engine.metric import AlignmentMetric
from meteor_e_captions.coco_scores import (
    ORDERS,
    Captions,
    DocumentFrequencies,
    bleu,
    bleu_statistics,
    cider,
    count_frequencies,
    count_ngrams,
    rouge_l,
)
from meteor_e_captions.segmenter import PTBSegmenter

if TYPE_CHECKING:
    from meteor_e.base.array_cache import Floats

_BLEU = 2 * ORDERS + 2
_TOKENS = "tokens:ptb|as:pycocoevalcap-1.2"
_TRIMMED = "".join(map(chr, range(0x21)))  # by Java's String.trim


class CaptionScores(Metric):
    """Base of metrics of English captions that are tokenized as pycocoevalcap does it, without Java."""

    language: str = "en"
    streaming: ClassVar[bool] = False
    requires: ClassVar[tuple[str, ...]] = ("rapidfuzz",)

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        self._segmenter = PTBSegmenter()
        self._frequencies: DocumentFrequencies | None = None
        self._raw: list[Sequence[str]] = []
        self._tokens: list[list[str]] = []

    def prepare(self, references: Sequence[Sequence[str]], language: str = "") -> None:
        """Tokenize the references, and count the images that have an n-gram, which CIDEr weighs it by.

        Raises:
            ConfigError: for another language than English.
        """
        if language not in ("", "en", "english"):
            raise ConfigError(f"metric {self.name!r} is for English captions, not for {language!r}")
        self._raw, self._tokens = list(references), self._tokenized(references)
        self._frequencies = count_frequencies(self._tokens)

    def _tokenized(self, references: Sequence[Sequence[str]]) -> list[list[str]]:
        lines = iter(self._segmenter.captions([text for texts in references for text in texts]))
        return [[next(lines) for _ in texts] for texts in references]

    def counted(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]
    ) -> tuple[list[str], list[list[str]], Captions]:
        """Return the tokens of captions and of references, joined by blanks, and their n-grams."""
        first = CURRENT.get().before
        # References were tokenized together: a full stop at the end of one depends on the next.
        prepared = self._raw[first : first + len(hypotheses)] == list(references)
        tokens = self._tokens[first : first + len(hypotheses)] if prepared else self._tokenized(references)
        captions = self._segmenter.captions(hypotheses)
        return captions, tokens, count_ngrams(captions, tokens, self._frequencies)


class RougeL(CaptionScores):
    """ROUGE-L of English captions, with pycocoevalcap's tokens and numbers; the mean over the captions."""

    name: ClassVar[str] = "rouge-l"
    title: ClassVar[str] = "ROUGE-L"
    signature: str = f"rouge-l|version:1|{_TOKENS}"

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return the score of each caption, and 1, ``(captions, 2)``."""
        return np.column_stack([self.of(self.counted(hypotheses, references)[2]), np.ones(len(hypotheses))])

    def of(self, counted: Captions) -> Floats:
        """Return the score of each caption."""
        return rouge_l(counted)

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return the means."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means


class Cider(RougeL):
    """CIDEr-D of English captions, with pycocoevalcap's tokens and numbers; the mean over the captions."""

    name: ClassVar[str] = "cider"
    title: ClassVar[str] = "CIDEr"
    signature: str = f"cider|version:1|{_TOKENS}"

    def of(self, counted: Captions) -> Floats:
        """Return the score of each caption."""
        return cider(counted)


class CocoMetric(CaptionScores):
    """COCO's table of caption metrics, with pycocoevalcap's numbers and without Java (English).

    BLEU-1 to 4, METEOR, ROUGE-L and CIDEr-D of captions that are tokenized as pycocoevalcap does it. SPICE is left
    out: it needs a Java program.
    """

    name: ClassVar[str] = "coco"
    requires: ClassVar[tuple[str, ...]] = ("METEOR's English pack", "rapidfuzz")
    columns: ClassVar[tuple[MetricColumn, ...]] = tuple(
        MetricColumn(name)
        for name in (*(f"BLEU-{order}" for order in range(1, ORDERS + 1)), "METEOR", "ROUGE-L", "CIDEr")
    )

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        self._meteor = AlignmentMetric(java_meteor())

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The signature; it says that SPICE is left out."""
        return f"coco|version:1|{_TOKENS}|without:SPICE,which-needs-Java|{self._meteor.signature}"

    def statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> Floats:
        """Return statistics of BLEU and METEOR, scores of the others, and 1, ``(captions, width)``."""
        captions, tokens, counted = self.counted(hypotheses, references)
        single = (rouge_l(counted), cider(counted), np.ones(len(captions)))
        meteor = self._meteor.statistics(*java_lines(captions, tokens))
        return np.column_stack([bleu_statistics(counted), *single, meteor])

    def corpus_scores(self, sums: Floats) -> Floats:
        """Return one row per system, a number for each column."""
        count = sums[:, _BLEU + 2]
        meteor = np.asarray(self._meteor.corpus_scores(sums[:, _BLEU + 3 :]), float)
        meteor = meteor if meteor.ndim == 1 else meteor[:, 0]
        return np.column_stack([bleu(sums[:, :_BLEU]), meteor, sums[:, _BLEU : _BLEU + 2] / count[:, None]])


def java_meteor() -> Meteor:
    """Return METEOR as pycocoevalcap starts it: ``-l en -norm``, with words told apart by their hashes."""
    meteor = Meteor("en", normalization="full")
    meteor.compare_words_by("java")
    return meteor


def java_lines(captions: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return tokenized texts as the Java program takes them from what pycocoevalcap writes; it cleans captions only."""
    own = [_line(text.replace("|||", "").replace("  ", " ")) for text in captions]
    return own, [[_line(part) for text in texts for part in text.split("|||")] for texts in references]


def _line(text: str) -> str:
    """Return a text as the Java program takes it from its input."""
    return text.replace("\n", " ").replace("\r", " ").strip(_TRIMMED)
