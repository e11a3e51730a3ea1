"""COCO's caption metrics: the complete table as one metric, and ROUGE-L and CIDEr-D as separate metrics."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from meteor_e import Meteor
from meteor_e.api import (
    Batch,
    ComponentOptions,
    ConfigError,
    FilePath,
    Meta,
    Metric,
    MetricColumn,
    MetricContext,
)
from meteor_e.base.errors import warn_user
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
    from typing_extensions import Self

    from meteor_e.base.array_cache import Floats

_SINGLE_IMAGE_WARNING = (
    "CIDEr of a single image is 0: the references of one image do not tell which words are rare. Name document "
    "frequencies of a corpus, as in -M cider:document_frequencies=FILE"
)
_BLEU_WIDTH = 2 * ORDERS + 2
_TOKENIZATION = "tokens:ptb|as:pycocoevalcap-1.2"
_JAVA_WHITESPACE = "".join(map(chr, range(0x21)))
"""The characters that Java's ``String.trim`` removes."""


def check_english(name: str, context: MetricContext | None) -> None:
    """Raise a ConfigError if the language of a caption metric is not English."""
    if context is not None and context.language not in ("", "en", "english"):
        raise ConfigError(f"metric {name!r} is for English captions, not for {context.language!r}")


class CaptionScores(Metric):
    """Base class of metrics that tokenize English captions as pycocoevalcap does, without Java."""

    language: str = "en"
    weights_ngrams: ClassVar[bool] = False
    """Whether the scores depend on document frequencies."""
    needs_references: ClassVar[bool] = True
    requires: ClassVar[tuple[str, ...]] = ("rapidfuzz",)

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        self._segmenter = PTBSegmenter()
        self._frequencies: DocumentFrequencies | None = None
        self._has_corpus = False
        self._raw_references: list[Sequence[str]] = []
        self._tokenized_references: list[list[str]] = []

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> Self:
        """Create the metric.

        Raises:
            ConfigError: if the language is not English.
        """
        check_english(cls.name, context)
        return cls(options)

    def prepare(self, references: Sequence[Sequence[str]]) -> Self:
        """Tokenize the references, and count the document frequencies that CIDEr needs."""
        prepared = copy.copy(self)
        prepared._raw_references, prepared._tokenized_references = list(references), self._tokenize(references)
        if not self._has_corpus:
            if self.weights_ngrams and len(references) == 1:
                warn_user(_SINGLE_IMAGE_WARNING)
            prepared._frequencies = count_frequencies(prepared._tokenized_references)
        return prepared

    def _read_corpus(self) -> None:
        """Read the file of document frequencies, if the options name one."""
        path = getattr(self.options, "document_frequencies", None)
        if path is not None:
            from meteor_e_captions.document_frequencies import read_document_frequencies

            self._frequencies, self._has_corpus = read_document_frequencies(path), True

    def _describe_corpus(self) -> str:
        """Return the part of the signature that identifies the document frequencies of a corpus."""
        if not self._has_corpus or self._frequencies is None:
            return ""
        from meteor_e_captions.document_frequencies import digest_frequencies

        return f"|df:{digest_frequencies(self._frequencies)}"

    def _tokenize(self, references: Sequence[Sequence[str]]) -> list[list[str]]:
        lines = iter(self._segmenter.captions([text for texts in references for text in texts]))
        return [[next(lines) for _ in texts] for texts in references]

    def count(self, batch: Batch) -> tuple[list[str], list[list[str]], Captions]:
        """Return the tokenized captions, the tokenized references and their n-gram counts."""
        in_batch = slice(batch.position, batch.position + len(batch))
        # Prepared references were tokenized together: a period at the end of a text depends on the next text.
        is_prepared = list(map(list, self._raw_references[in_batch])) == list(map(list, batch.references))
        references = self._tokenized_references[in_batch] if is_prepared else self._tokenize(batch.references)
        captions = self._segmenter.captions(batch.hypotheses)
        return captions, references, count_ngrams(captions, references, self._frequencies)


class RougeL(CaptionScores):
    """ROUGE-L of English captions, with pycocoevalcap's tokens and numbers; the mean over the captions."""

    name: ClassVar[str] = "rouge-l"
    title: ClassVar[str] = "ROUGE-L"
    signature: str = f"rouge-l|version:1|{_TOKENIZATION}"

    def statistics(self, batch: Batch) -> Floats:
        """Return an array ``(captions, 2)`` with the score of each caption and the count 1."""
        return np.column_stack([self.score_captions(self.count(batch)[2]), np.ones(len(batch))])

    def score_captions(self, captions: Captions) -> Floats:
        """Return the score of each caption."""
        return rouge_l(captions)

    def scores(self, sums: Floats) -> Floats:
        """Return the mean scores."""
        means: Floats = sums[:, 0] / sums[:, 1]
        return means


class CiderOptions(ComponentOptions):
    """Options of metrics that contain CIDEr."""

    document_frequencies: (
        Annotated[
            FilePath,
            Meta(
                description="Document frequencies: a file of COCO annotations, or of counts as JSON. By default those "
                "of the references that are scored.",
                extra={"path": "file"},
            ),
        ]
        | None
    ) = None


class Cider(RougeL):
    """CIDEr-D of English captions, with pycocoevalcap's tokens and numbers; the mean over the captions."""

    name: ClassVar[str] = "cider"
    title: ClassVar[str] = "CIDEr"
    weights_ngrams: ClassVar[bool] = True
    Options = CiderOptions
    options: CiderOptions

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        self._read_corpus()

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The signature. It contains the digest of a corpus's document frequencies."""
        return f"cider|version:1|{_TOKENIZATION}{self._describe_corpus()}"

    def score_captions(self, captions: Captions) -> Floats:
        """Return the score of each caption."""
        return cider(captions)


class CocoMetric(CaptionScores):
    """COCO's table of caption metrics, with pycocoevalcap's numbers and without Java (English).

    BLEU-1 to 4, METEOR, ROUGE-L and CIDEr-D of captions that are tokenized as pycocoevalcap does it. SPICE is left
    out: it needs a Java program.
    """

    name: ClassVar[str] = "coco"
    weights_ngrams: ClassVar[bool] = True
    Options = CiderOptions
    options: CiderOptions
    requires: ClassVar[tuple[str, ...]] = ("METEOR's English pack", "rapidfuzz")
    columns: ClassVar[tuple[MetricColumn, ...]] = tuple(
        MetricColumn(name)
        for name in (*(f"BLEU-{order}" for order in range(1, ORDERS + 1)), "METEOR", "ROUGE-L", "CIDEr")
    )

    def __init__(self, options: Any = None) -> None:
        super().__init__(options)
        self._meteor = java_meteor()
        self._read_corpus()

    @property
    def signature(self) -> str:  # type: ignore[override]
        """The signature. It says that SPICE is omitted."""
        prefix = f"coco|version:1|{_TOKENIZATION}{self._describe_corpus()}"
        return f"{prefix}|without:SPICE,which-needs-Java|{self._meteor.signature}"

    def statistics(self, batch: Batch) -> Floats:
        """Return an array with a row per caption.

        Its columns are BLEU's statistics, the ROUGE-L score, the CIDEr score, the count 1, and METEOR's statistics.
        """
        captions, references, counts = self.count(batch)
        meteor = self._meteor.rows(*java_lines(captions, references))
        return np.column_stack(
            [bleu_statistics(counts), rouge_l(counts), cider(counts), np.ones(len(captions)), np.asarray(meteor)]
        )

    def scores(self, sums: Floats) -> Floats:
        """Return the scores as an array with a row per system."""
        rouge_and_cider, counts = sums[:, _BLEU_WIDTH : _BLEU_WIDTH + 2], sums[:, _BLEU_WIDTH + 2]
        meteor = self._meteor.scores(sums[:, _BLEU_WIDTH + 3 :])[:, 0]
        return np.column_stack([bleu(sums[:, :_BLEU_WIDTH]), meteor, rouge_and_cider / counts[:, None]])


def java_meteor() -> Meteor:
    """Return METEOR as pycocoevalcap runs it: with ``-l en -norm``, and comparing words by their hashes."""
    meteor = Meteor("en", normalization="full")
    meteor.compare_words_by("java")
    return meteor


def java_lines(captions: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return tokenized texts as the Java program reads them from the input that pycocoevalcap writes.

    pycocoevalcap removes the separator ``|||`` from captions, but not from references.
    """
    lines = [_clean_line(text.replace("|||", "").replace("  ", " ")) for text in captions]
    return lines, [[_clean_line(part) for text in texts for part in text.split("|||")] for texts in references]


def _clean_line(text: str) -> str:
    """Return a text as the Java program reads it."""
    return text.replace("\n", " ").replace("\r", " ").strip(_JAVA_WHITESPACE)
