"""COCO's metrics of captions: the whole table as one metric, and ROUGE-L and CIDEr-D alone."""

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

_ONE_IMAGE = (
    "CIDEr of a single image is 0: the references of one image do not tell which words are rare. Name document "
    "frequencies of a corpus, as in -M cider:document_frequencies=FILE"
)
_BLEU = 2 * ORDERS + 2
_TOKENS = "tokens:ptb|as:pycocoevalcap-1.2"
_TRIMMED = "".join(map(chr, range(0x21)))  # by Java's String.trim


def check_english(name: str, context: MetricContext | None) -> None:
    """Raise a ConfigError for a metric of captions in another language than English."""
    if context is not None and context.language not in ("", "en", "english"):
        raise ConfigError(f"metric {name!r} is for English captions, not for {context.language!r}")


class CaptionScores(Metric):
    """Base of metrics of English captions that are tokenized as pycocoevalcap does it, without Java."""

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
        self._raw: list[Sequence[str]] = []
        self._tokens: list[list[str]] = []

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> Self:
        """Make the metric.

        Raises:
            ConfigError: for another language than English.
        """
        check_english(cls.name, context)
        return cls(options)

    def prepare(self, references: Sequence[Sequence[str]]) -> Self:
        """Tokenize the references, and count the images that have an n-gram: CIDEr's document frequencies."""
        prepared = copy.copy(self)
        prepared._raw, prepared._tokens = list(references), self._tokenized(references)
        if not self._has_corpus:
            if self.weights_ngrams and len(prepared._tokens) == 1:
                warn_user(_ONE_IMAGE)
            prepared._frequencies = count_frequencies(prepared._tokens)
        return prepared

    def _read_corpus(self) -> None:
        """Read the document frequencies that the options name."""
        path = getattr(self.options, "document_frequencies", None)
        if path is not None:
            from meteor_e_captions.document_frequencies import read_document_frequencies

            self._frequencies, self._has_corpus = read_document_frequencies(path), True

    def _corpus_part(self) -> str:
        """Return the part of the signature that names the document frequencies of a corpus."""
        if not self._has_corpus or self._frequencies is None:
            return ""
        from meteor_e_captions.document_frequencies import digest_frequencies

        return f"|df:{digest_frequencies(self._frequencies)}"

    def _tokenized(self, references: Sequence[Sequence[str]]) -> list[list[str]]:
        lines = iter(self._segmenter.captions([text for texts in references for text in texts]))
        return [[next(lines) for _ in texts] for texts in references]

    def counted(self, batch: Batch) -> tuple[list[str], list[list[str]], Captions]:
        """Return the tokens of captions and of references, joined by blanks, and their n-grams."""
        first, end = batch.position, batch.position + len(batch)
        # References were tokenized together: a full stop at the end of one depends on the next.
        is_prepared = list(map(list, self._raw[first:end])) == list(map(list, batch.references))
        tokens = self._tokens[first:end] if is_prepared else self._tokenized(batch.references)
        captions = self._segmenter.captions(batch.hypotheses)
        return captions, tokens, count_ngrams(captions, tokens, self._frequencies)


class RougeL(CaptionScores):
    """ROUGE-L of English captions, with pycocoevalcap's tokens and numbers; the mean over the captions."""

    name: ClassVar[str] = "rouge-l"
    title: ClassVar[str] = "ROUGE-L"
    signature: str = f"rouge-l|version:1|{_TOKENS}"

    def statistics(self, batch: Batch) -> Floats:
        """Return the score of each caption, and 1, ``(captions, 2)``."""
        return np.column_stack([self.of(self.counted(batch)[2]), np.ones(len(batch))])

    def of(self, counted: Captions) -> Floats:
        """Return the score of each caption."""
        return rouge_l(counted)

    def scores(self, sums: Floats) -> Floats:
        """Return the means."""
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
        """The signature; it names the document frequencies if they are of a corpus."""
        return f"cider|version:1|{_TOKENS}{self._corpus_part()}"

    def of(self, counted: Captions) -> Floats:
        """Return the score of each caption."""
        return cider(counted)


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
        """The signature; it says that SPICE is left out."""
        return f"coco|version:1|{_TOKENS}{self._corpus_part()}|without:SPICE,which-needs-Java|{self._meteor.signature}"

    def statistics(self, batch: Batch) -> Floats:
        """Return statistics of BLEU and METEOR, scores of the others, and 1, ``(captions, width)``."""
        captions, tokens, counted = self.counted(batch)
        single = (rouge_l(counted), cider(counted), np.ones(len(captions)))
        meteor = self._meteor.rows(*java_lines(captions, tokens))
        return np.column_stack([bleu_statistics(counted), *single, np.asarray(meteor)])

    def scores(self, sums: Floats) -> Floats:
        """Return one row per system, a number for each column."""
        count = sums[:, _BLEU + 2]
        meteor = self._meteor.scores(sums[:, _BLEU + 3 :])[:, 0]
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
