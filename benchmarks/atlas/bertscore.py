"""BERTScore (Zhang et al., 2020) for English with the last layer of the encoder minilm.

The scores differ from those of the library bert-score, because they compare vectors of words instead of word pieces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from meteor_e_vectors.contextual import open_encoder

from meteor_e import SegmentMetric


class BertScore(SegmentMetric):
    """BERTScore as a metric."""

    name = "BERTScore"

    def __init__(self) -> None:
        self.encoder = open_encoder("minilm")
        self.signature = f"bertscore|encoder:{self.encoder.digest}|layer:{self.encoder.layer}|words"

    def score_segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], sources: Sequence[str] | None = None
    ) -> list[float]:
        """Return the best F1 over the references."""
        texts = sorted({*hypotheses, *(text for segment_references in references for text in segment_references)})
        split = [re.findall(r"\w+|[^\w\s]", text.lower()) for text in texts]
        rows = dict(zip(texts, self.encoder.encode(split), strict=True))
        return [
            max(self._f1(rows[text], rows[reference]) for reference in segment_references)
            for text, segment_references in zip(hypotheses, references, strict=True)
        ]

    @staticmethod
    def _f1(first: object, second: object) -> float:
        if not len(first) or not len(second):
            return 0.0
        cosines = first @ second.T
        precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
        return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
