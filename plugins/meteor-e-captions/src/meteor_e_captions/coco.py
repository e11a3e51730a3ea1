"""Drop-in replacements for the classes of ``pycocoevalcap`` that evaluate image captions, without Java.

To replace ``pycocoevalcap.meteor.meteor.Meteor`` and ``pycocoevalcap.tokenizer.ptbtokenizer.PTBTokenizer``, change the
imports to::

    from meteor_e_captions.coco import Meteor, PTBTokenizer

Scores and tokens are equal to those of pycocoevalcap 1.2, which runs the Java programs METEOR 1.5 and CoreNLP 3.4.1.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Hashable, Iterable, KeysView, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from meteor_e import load_metric
from meteor_e.api import ConfigError, InputError, System
from meteor_e.base.errors import warn_user
from meteor_e.base.texts import check_text
from meteor_e.evaluate import KeptData
from meteor_e.evaluate import evaluate as score_systems
from meteor_e.formats.coco import coco_annotations, coco_results
from meteor_e_captions.coco_metric import clean_for_meteor, java_meteor
from meteor_e_captions.coco_scores import ORDERS, bleu, bleu_statistics, cider, count_ngrams, rouge_l
from meteor_e_captions.document_frequencies import make_document_frequencies, read_document_frequencies
from meteor_e_captions.segmenter import PTBSegmenter, split_by_lengths

if TYPE_CHECKING:
    from meteor_e import Meteor as Metric

Id = TypeVar("Id", bound=Hashable)

_SINGLE_IMAGE_WARNING = (
    "CIDEr of a single image is 0: the references of one image do not tell which words are rare. Give "
    "Cider(document_frequencies=…) those of a corpus"
)


class _CocoScorer:
    """Base class that provides the interface of the scorers in pycocoevalcap.

    Args:
        metric: the metric that computes the scores, or None if the subclass computes them.
        name: the name of the score, or a list of names if there are several scores.
    """

    def __init__(self, metric: Any, name: str | list[str]) -> None:
        self._metric = metric
        self._name = name

    def method(self) -> str | list[str]:
        """Return the name of the score, or a list of names if the scorer computes several scores."""
        return self._name

    def __str__(self) -> str:
        """Return the name of the score, or several names separated by commas."""
        return self._name if isinstance(self._name, str) else ", ".join(self._name)

    def compute_score(self, gts: Mapping[Id, Iterable[str]], res: Mapping[Id, Iterable[str]]) -> tuple[Any, Any]:
        """Return the score of the corpus, and the scores of the captions in the order of the mapping ``gts``.

        Args:
            gts: the reference captions of each image id, in any iterable such as a list, an array or a view of a
                dictionary. :class:`CaptionMetric` expects raw captions. All other classes expect tokenized captions.
            res: one caption for each image id, in the same form.

        Raises:
            InputError: if ``gts`` and ``res`` have different image ids, if an image does not have references or does
                not have exactly one caption, or if a caption is not a string. The message names the image id.
        """
        # The parameters ``gts`` and ``res`` have the same names as in pycocoevalcap.
        captions, references = _pair_by_image(gts, res)
        return self._score_captions(captions, references)

    def _score_captions(self, captions: list[str], references: list[Sequence[str]]) -> tuple[Any, Any]:
        """Return the corpus score and a list with the score of each caption."""
        corpus = self._metric.corpus(captions, references, segments=True)
        return corpus.score, corpus.segment_scores.tolist()


class Meteor(_CocoScorer):
    """Computes METEOR scores of tokenized captions as ``pycocoevalcap.meteor.meteor.Meteor`` does, but without Java.

    Args:
        meteor: the metric. The default is METEOR 1.5 for English with full normalization, as in pycocoevalcap
            (``-l en -norm``). It compares words by their hashes, as the Java program does.

    Raises:
        ResourceError: if METEOR's English pack is not installed.
    """

    def __init__(self, meteor: Metric | None = None) -> None:
        super().__init__(java_meteor() if meteor is None else meteor, "METEOR")

    def _score_captions(self, captions: list[str], references: list[Sequence[str]]) -> tuple[float, list[float]]:
        meteor_captions, meteor_references = clean_for_meteor(captions, references)
        corpus = self._metric.corpus(meteor_captions, meteor_references, segments=True)
        return corpus.score, [segment.score for segment in corpus.segments]


class Rouge(_CocoScorer):
    """Computes ROUGE-L scores of tokenized captions as ``pycocoevalcap.rouge.rouge.Rouge`` does."""

    def __init__(self) -> None:
        super().__init__(None, "Rouge")

    def _score_captions(self, captions: list[str], references: list[Sequence[str]]) -> tuple[float, list[float]]:
        scores = rouge_l(count_ngrams(captions, references))
        return float(scores.mean()), scores.tolist()


class Cider(_CocoScorer):
    """Computes CIDEr-D scores of tokenized captions as ``pycocoevalcap.cider.cider.Cider`` does.

    Args:
        document_frequencies: the document frequencies of a corpus, which self-critical training needs: the path of a
            file, its content (see :func:`meteor_e_captions.document_frequencies.make_document_frequencies`), or
            tokenized references by image id. By default, they are counted in the references that ``compute_score``
            receives.

    Raises:
        InputError: if the document frequencies cannot be read.
    """

    def __init__(self, document_frequencies: Any = None) -> None:
        super().__init__(None, "CIDEr")
        self._frequencies = None
        if isinstance(document_frequencies, str | os.PathLike):
            self._frequencies = read_document_frequencies(document_frequencies)
        elif document_frequencies is not None:
            self._frequencies = make_document_frequencies(document_frequencies)

    def _score_captions(self, captions: list[str], references: list[Sequence[str]]) -> tuple[float, list[float]]:
        if self._frequencies is None and len(captions) == 1:
            warn_user(_SINGLE_IMAGE_WARNING)
        scores = cider(count_ngrams(captions, references, self._frequencies))
        return float(scores.mean()), scores.tolist()


class Bleu(_CocoScorer):
    """Computes BLEU-1 to BLEU-4 of tokenized captions as ``pycocoevalcap.bleu.bleu.Bleu`` does.

    Args:
        n: the highest order of n-grams, from 1 to 4.

    Raises:
        ConfigError: if ``n`` is not a number from 1 to 4.
    """

    def __init__(self, n: int = ORDERS) -> None:
        if n not in range(1, ORDERS + 1):
            raise ConfigError(f"Bleu: n is a number from 1 to {ORDERS}, not {n!r}")
        self._orders = n
        super().__init__(None, [f"Bleu_{order}" for order in range(1, n + 1)])

    def _score_captions(
        self, captions: list[str], references: list[Sequence[str]]
    ) -> tuple[list[float], list[list[float]]]:
        statistics = bleu_statistics(count_ngrams(captions, references))
        corpus_scores = bleu(statistics.sum(axis=0, keepdims=True))[0]
        segment_scores = bleu(statistics).T
        return corpus_scores[: self._orders].tolist(), segment_scores[: self._orders].tolist()


class CaptionMetric(_CocoScorer):
    """Provides any metric, such as ``caption-light`` or ``chrf``, with the interface of the scorers in pycocoevalcap.

    If the metric has several columns, such as ``coco``, the methods return lists like those of :class:`Bleu`. In this
    case, ``method`` returns the names of the columns, and ``compute_score`` returns the corpus score of each column and
    the scores of the captions for each column.

    Args:
        metric: the name of the metric; see :func:`meteor_e.load_metric`.
        options: the options of the metric.

    Raises:
        ConfigError: if the metric or an option is unknown.
        ResourceError: if a resource of the metric is missing.
    """

    def __init__(self, metric: str = "caption-light", **options: Any) -> None:
        loaded = load_metric(metric, language="en", **options)
        names = [column.name for column in loaded.headings]
        super().__init__(loaded, loaded.label if len(names) == 1 else names)

    def _score_captions(self, captions: list[str], references: list[Sequence[str]]) -> tuple[Any, Any]:
        if isinstance(self._name, str):
            return super()._score_captions(captions, references)
        corpus_scores, segment_scores = _score_columns(self._metric, captions, references)
        return list(corpus_scores.values()), list(segment_scores.values())


def _score_columns(
    metric: Any, captions: list[str], references: list[Sequence[str]]
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Score captions with a metric that computes several scores, such as ``coco``.

    Returns:
        The corpus score of each column, and the scores of the captions for each column.
    """
    system = System.from_lists("captions", captions, references)
    table = score_systems([metric], [system], keep=KeptData(segments=True))
    names = [column.name for column in table.columns]
    corpus_scores = {name: table.scores(name)[0] for name in names}
    segment_scores = {name: list(table.segment_scores(name)) for name in names}
    return corpus_scores, segment_scores


@dataclass(frozen=True)
class CocoScores:
    """The scores of a captioning system: BLEU-1 to BLEU-4, METEOR, ROUGE-L and CIDEr-D.

    Attributes:
        scores: the corpus scores by name: ``BLEU-1`` to ``BLEU-4``, ``METEOR``, ``ROUGE-L`` and ``CIDEr``.
        images: for each image id, the scores by name.
        missing: the ids of annotated images without a result. They are not scored.
        signature: the signature of the metric. Equal signatures mean equal scores for equal captions.
    """

    scores: dict[str, float]
    images: dict[Any, dict[str, float]]
    missing: list[Any]
    signature: str


def evaluate(annotations: Any, results: Any) -> CocoScores:
    """Evaluate image captions with the COCO metrics (BLEU, METEOR, ROUGE-L and CIDEr-D), without Java.

    The scores are equal to those of pycocoevalcap. SPICE is not computed, because it requires Java.

    Args:
        annotations: the path of a JSON file ``{"annotations": [{"image_id": …, "caption": …}, …]}``, or its content.
        results: the path of a JSON file ``[{"image_id": …, "caption": …}, …]``, or its content.

    Raises:
        InputError: if an argument is not in COCO's format, or if an image has a result but is not annotated.
    """
    references_by_image = coco_annotations(annotations)
    caption_by_image = coco_results(results)
    for image_id in caption_by_image:
        if image_id not in references_by_image:
            raise InputError(f"image {image_id!r} has a result, but no annotation")
    scored_ids = [image_id for image_id in references_by_image if image_id in caption_by_image]
    missing_ids = [image_id for image_id in references_by_image if image_id not in caption_by_image]
    metric = load_metric("coco", language="en")
    corpus_scores, caption_scores = _score_columns(
        metric,
        captions=[caption_by_image[image_id] for image_id in scored_ids],
        references=[references_by_image[image_id] for image_id in scored_ids],
    )
    image_scores = dict(zip(scored_ids, _transpose(caption_scores), strict=True))
    return CocoScores(corpus_scores, image_scores, missing_ids, metric.signature)


def _transpose(columns: Mapping[str, Sequence[float]]) -> list[dict[str, float]]:
    """Convert a dictionary of columns to one dictionary per row."""
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


class PTBTokenizer:
    """Tokenizes captions as ``pycocoevalcap.tokenizer.ptbtokenizer.PTBTokenizer`` does, but without Java.

    Tokens are converted to lower case, and punctuation is removed.
    """

    def __init__(self) -> None:
        self._segmenter = PTBSegmenter.make()

    def tokenize(self, captions_for_image: Mapping[Id, Sequence[Mapping[str, Any]]]) -> dict[Id, list[str]]:
        """Tokenize the captions of each image, and join the tokens of a caption by spaces.

        Args:
            captions_for_image: for each image id a list of mappings that contain a caption under the key ``caption``.

        Raises:
            InputError: if an image does not have captions, or if a caption is not a string. The message names the
                image id.
        """
        _check_mapping(captions_for_image, "captions")
        caption_counts = []
        captions: list[str] = []
        for image_id, entries in captions_for_image.items():
            image_captions = _extract_captions(entries, image_id)
            caption_counts.append(len(image_captions))
            captions += image_captions
        # All captions are tokenized together, because the last token of a caption can depend on the next caption.
        tokenized_captions = self._segmenter.captions(captions)
        tokenized_by_image = split_by_lengths(tokenized_captions, caption_counts)
        return dict(zip(captions_for_image, tokenized_by_image, strict=True))


def _extract_captions(value: Any, image_id: object) -> list[str]:
    """Return the values of the key ``caption`` in a list of mappings."""
    captions = []
    for entry in _to_list(value, image_id, "captions, [{'caption': text}]"):
        if not isinstance(entry, Mapping) or "caption" not in entry:
            raise InputError(f"a caption of image {image_id!r} must be {{'caption': text}}, not {reprlib.repr(entry)}")
        check_text(entry["caption"], f"a caption of image {image_id!r}")
        captions.append(entry["caption"])
    return captions


def _pair_by_image(
    references_by_image: Mapping[Id, Iterable[str]], captions_by_image: Mapping[Id, Iterable[str]]
) -> tuple[list[str], list[Sequence[str]]]:
    """Return the caption and the references of each image, in the order of the references.

    Args:
        references_by_image: the references of each image id. Error messages call this argument ``gts``.
        captions_by_image: a list with one caption for each image id. Error messages call this argument ``res``.
    """
    _check_mapping(references_by_image, "gts")
    _check_mapping(captions_by_image, "res")
    _check_image_ids(references_by_image, captions_by_image)
    if not references_by_image:
        raise InputError("there are no captions to score")
    captions, references = [], []
    for image_id, image_references in references_by_image.items():
        image_captions = _to_texts(captions_by_image[image_id], image_id, "res")
        if len(image_captions) != 1:
            raise InputError(f"image {image_id!r} has {len(image_captions)} captions in res; give the one to score")
        captions.append(image_captions[0])
        references.append(_to_texts(image_references, image_id, "gts"))
    return captions, references


def _check_image_ids(gts: Mapping[Id, Any], res: Mapping[Id, Any]) -> None:
    """Raise an InputError if only one of two mappings contains an image id."""
    for first, second, problem in ((gts, res, "is in gts, but not in res"), (res, gts, "is in res, but not in gts")):
        missing_ids = [image_id for image_id in first if image_id not in second]
        if missing_ids:
            more = f" (nor are {len(missing_ids) - 1} more)" if len(missing_ids) > 1 else ""
            raise InputError(f"image {missing_ids[0]!r} {problem}{more}")


def _check_mapping(value: object, name: str) -> None:
    """Raise an InputError if an argument is not a mapping. The error message names the argument."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be a mapping from image ids to captions, not {type(value).__name__}")


def _to_list(value: Any, image_id: object, description: str) -> Sequence[Any]:
    """Convert the captions of an image to a list.

    Args:
        value: a list of captions, or another collection such as an array or a view of a dictionary.
        image_id: the image id, for error messages.
        description: a description of the captions, for error messages.
    """
    # NumPy arrays and columns of data frames provide the method ``tolist``.
    collection = value.tolist() if hasattr(value, "tolist") else value
    is_text = isinstance(collection, str | bytes)
    is_collection = isinstance(collection, Sequence | KeysView | ValuesView) and not is_text
    if not is_collection or len(collection) == 0:
        raise InputError(f"image {image_id!r} needs a list of {description}, not {reprlib.repr(value)}")
    return list(collection)


def _to_texts(value: object, image_id: object, name: str) -> Sequence[str]:
    """Convert the captions of an image to a list of strings.

    Args:
        value: a list of captions, or another collection such as an array or a view of a dictionary.
        image_id: the image id, for error messages.
        name: the name of the argument that contains the captions, for error messages.
    """
    texts = _to_list(value, image_id, f"captions in {name}")
    for text in texts:
        if isinstance(text, Mapping):
            raise InputError(f"a caption of image {image_id!r} in {name} is a mapping; tokenize the captions first")
        check_text(text, f"a caption in {name} of image {image_id!r}")
    return texts
