"""Defines the metrics ``coco``, ``rouge-l`` and ``cider`` for image captions."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

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
from meteor_e.api.metrics import MeanMetric
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
from meteor_e_captions.document_frequencies import digest_frequencies, read_document_frequencies
from meteor_e_captions.segmenter import PTBSegmenter, split_by_lengths

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.base.array_cache import Floats

_SINGLE_IMAGE_WARNING = (
    "CIDEr of a single image is 0: the references of one image do not tell which words are rare. Name document "
    "frequencies of a corpus, as in -M cider:document_frequencies=FILE"
)
_BLEU_WIDTH = 2 * ORDERS + 2
_ROUGE_INDEX, _CIDER_INDEX, _COUNT_INDEX = range(_BLEU_WIDTH, _BLEU_WIDTH + 3)
"""The columns in the statistics of ``coco`` between the statistics of BLEU and those of METEOR."""
_TOKENIZATION = "tokens:ptb|as:pycocoevalcap-1.2"
_SEPARATOR = "|||"
"""The string that separates the texts of a segment in the input of METEOR's Java program."""
_JAVA_WHITESPACE = "".join(map(chr, range(0x21)))
"""The characters that Java's ``String.trim`` removes."""


def check_english(name: str, context: MetricContext | None) -> None:
    """Raise a ConfigError if the language of a caption metric is not English.

    Args:
        name: the name of the metric.
        context: the context that contains the language, or None if no language was specified.
    """
    if context is not None and context.language not in ("", "en", "english"):
        raise ConfigError(f"metric {name!r} is for English captions, not for {context.language!r}")


class CountedCaptions(NamedTuple):
    """The tokenized captions and references of a batch, and the counts of their n-grams.

    Attributes:
        captions: the tokenized captions.
        references: the tokenized references of each caption.
        counts: the n-gram counts of captions and references.
    """

    captions: list[str]
    references: list[list[str]]
    counts: Captions


class CaptionScores(Metric):
    """Base class of metrics that tokenize English captions like pycocoevalcap, but without Java."""

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
        """Return a copy of the metric. The copy stores tokenized references and the document frequencies of n-grams.

        The document frequencies are counted in the references unless an option names a file that contains them.
        """
        prepared = copy.copy(self)
        prepared._raw_references = list(references)
        prepared._tokenized_references = self._tokenize(references)
        if not self._has_corpus:
            if self.weights_ngrams and len(references) == 1:
                warn_user(_SINGLE_IMAGE_WARNING)
            prepared._frequencies = count_frequencies(prepared._tokenized_references)
        return prepared

    def _read_corpus(self) -> None:
        """Read the file that the option ``document_frequencies`` names, if there is one."""
        path = getattr(self.options, "document_frequencies", None)
        if path is not None:
            self._frequencies = read_document_frequencies(path)
            self._has_corpus = True

    def _describe_corpus(self) -> str:
        """Return a digest of the document frequencies that were read from a file, or an empty string without a file."""
        if not self._has_corpus or self._frequencies is None:
            return ""
        return f"|df:{digest_frequencies(self._frequencies)}"

    def _tokenize(self, references: Sequence[Sequence[str]]) -> list[list[str]]:
        """Tokenize the references of each caption."""
        tokenized = self._segmenter.captions([text for texts in references for text in texts])
        return split_by_lengths(tokenized, [len(texts) for texts in references])

    def _get_tokenized_references(self, batch: Batch) -> list[list[str]]:
        """Return the tokenized references of a batch.

        This method reuses the references that :meth:`prepare` has tokenized. The method ``prepare`` tokenizes all
        references together, because the next reference can affect how a final period is tokenized.
        """
        in_batch = slice(batch.position, batch.position + len(batch))
        prepared_references = [list(texts) for texts in self._raw_references[in_batch]]
        if prepared_references == [list(texts) for texts in batch.references]:
            return self._tokenized_references[in_batch]
        return self._tokenize(batch.references)

    def count(self, batch: Batch) -> CountedCaptions:
        """Tokenize the captions and references of a batch, and count their n-grams."""
        references = self._get_tokenized_references(batch)
        captions = self._segmenter.captions(batch.hypotheses)
        return CountedCaptions(captions, references, count_ngrams(captions, references, self._frequencies))


class RougeL(CaptionScores, MeanMetric):
    """Computes the mean ROUGE-L score of English captions with the tokenization and formula of pycocoevalcap."""

    name: ClassVar[str] = "rouge-l"
    title: ClassVar[str] = "ROUGE-L"
    signature: str = f"rouge-l|version:1|{_TOKENIZATION}"

    def statistics(self, batch: Batch) -> Floats:
        """Return an array ``(captions, 2)`` that contains the score of each caption and the constant 1."""
        scores = self.score_captions(self.count(batch).counts)
        return np.column_stack([scores, np.ones(len(batch))])

    def score_captions(self, captions: Captions) -> Floats:
        """Return the ROUGE-L score of each caption."""
        return rouge_l(captions)


class CiderOptions(ComponentOptions):
    """Options of the metrics that compute CIDEr."""

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
    """Computes the mean CIDEr-D score of English captions with the tokenization and formula of pycocoevalcap."""

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
        """The signature. It contains a digest of the document frequencies if they are read from a file."""
        return f"cider|version:1|{_TOKENIZATION}{self._describe_corpus()}"

    def score_captions(self, captions: Captions) -> Floats:
        """Return the CIDEr-D score of each caption."""
        return cider(captions)


class CocoMetric(CaptionScores):
    """Computes COCO's table of caption metrics for English with the same scores as pycocoevalcap, but without Java.

    The table consists of BLEU-1 to BLEU-4, METEOR, ROUGE-L and CIDEr-D. It does not contain SPICE, which requires a
    Java program.
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
        """The signature of the metric. The signature states that the metric does not include SPICE."""
        prefix = f"coco|version:1|{_TOKENIZATION}{self._describe_corpus()}"
        return f"{prefix}|without:SPICE,which-needs-Java|{self._meteor.signature}"

    def statistics(self, batch: Batch) -> Floats:
        """Return the statistics of each caption, ``(captions, width)``.

        The columns are the statistics of BLEU, the ROUGE-L score, the CIDEr score, the constant 1 and the statistics of
        METEOR.
        """
        captions, references, counts = self.count(batch)
        meteor_captions, meteor_references = clean_for_meteor(captions, references)
        meteor_statistics = np.asarray(self._meteor.rows(meteor_captions, meteor_references))
        caption_counts = np.ones(len(captions))
        return np.column_stack(
            [bleu_statistics(counts), rouge_l(counts), cider(counts), caption_counts, meteor_statistics]
        )

    def scores(self, sums: Floats) -> Floats:
        """Compute the seven scores of each system from the sums of its statistics."""
        n_captions = sums[:, _COUNT_INDEX]
        bleu_scores = bleu(sums[:, :_BLEU_WIDTH])
        meteor_scores = self._meteor.scores(sums[:, _COUNT_INDEX + 1 :])[:, 0]
        rouge_means = sums[:, _ROUGE_INDEX] / n_captions
        cider_means = sums[:, _CIDER_INDEX] / n_captions
        return np.column_stack([bleu_scores, meteor_scores, rouge_means, cider_means])


def java_meteor() -> Meteor:
    """Return METEOR with the settings of pycocoevalcap. Like the Java program, it compares words by their hashes."""
    meteor = Meteor("en", normalization="full")
    meteor.compare_words_by("java")
    return meteor


def clean_for_meteor(captions: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """Return captions and references in the form in which pycocoevalcap passes them to METEOR.

    In pycocoevalcap, the separator ``|||`` is deleted from captions, but splits a reference into several references.

    Args:
        captions: the tokenized captions.
        references: the tokenized references of each caption.
    """
    # A deleted separator leaves two spaces, so pycocoevalcap also replaces two spaces by one.
    joined_captions = [caption.replace(_SEPARATOR, "").replace("  ", " ") for caption in captions]
    cleaned_captions = [_clean_line(caption) for caption in joined_captions]
    split_references = [_split_references(caption_references) for caption_references in references]
    return cleaned_captions, split_references


def _split_references(references: Sequence[str]) -> list[str]:
    """Split references at separators."""
    return [_clean_line(part) for reference in references for part in reference.split(_SEPARATOR)]


def _clean_line(text: str) -> str:
    """Replace line breaks by spaces, and remove leading and trailing white space as Java's ``trim`` does."""
    return text.replace("\n", " ").replace("\r", " ").strip(_JAVA_WHITESPACE)
