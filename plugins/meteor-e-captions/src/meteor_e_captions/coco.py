"""``pycocoevalcap``'s METEOR and tokenizer for image captions, without Java.

Code that says ``from pycocoevalcap.meteor.meteor import Meteor`` and
``from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer`` changes its imports::

    from meteor_e_captions.coco import Meteor, PTBTokenizer

Numbers and tokens are those of pycocoevalcap 1.2, which runs METEOR 1.5's and CoreNLP 3.4.1's jars.
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
from meteor_e_captions.coco_metric import java_lines, java_meteor
from meteor_e_captions.coco_scores import ORDERS, bleu, bleu_statistics, cider, count_ngrams, rouge_l
from meteor_e_captions.document_frequencies import make_document_frequencies, read_document_frequencies
from meteor_e_captions.segmenter import PTBSegmenter

if TYPE_CHECKING:
    from meteor_e import Meteor as Metric

Id = TypeVar("Id", bound=Hashable)


class _CocoScorer:
    """The shape of pycocoevalcap's classes."""

    def __init__(self, metric: Any, name: str | list[str]) -> None:
        self._metric, self._name = metric, name

    def method(self) -> str | list[str]:
        """Return the name under which captioning code reports the score; a list for several scores."""
        return self._name

    def __str__(self) -> str:
        """Return the name."""
        return self._name if isinstance(self._name, str) else ", ".join(self._name)

    def compute_score(self, gts: Mapping[Id, Iterable[str]], res: Mapping[Id, Iterable[str]]) -> tuple[Any, Any]:
        """Return the corpus score and the score of each caption, in the order of ``gts``.

        Args:
            gts: reference captions by image id, in any iterable such as a list, an array or a view of a dictionary.
                :class:`CaptionMetric` takes raw captions, all other classes tokenized ones.
            res: one caption by image id, likewise.

        Raises:
            InputError: naming the image id, for ids that only one side has, an image without references, without a
                caption or with several, and what is not a text.
        """
        return self._scores(*_lined_up(gts, res))

    def _scores(self, captions: list[str], references: list[Sequence[str]]) -> tuple[Any, Any]:
        found = self._metric.corpus(captions, references, segments=True)
        return found.score, found.segment_scores.tolist()


class Meteor(_CocoScorer):
    """METEOR of captions: ``pycocoevalcap.meteor.meteor.Meteor`` without its Java process.

    Args:
        meteor: another metric; by default METEOR 1.5 for English with full normalization, as pycocoevalcap
            starts it (``-l en -norm``), and with words told apart by their hashes, as the Java program does.

    Raises:
        ResourceError: if METEOR's English pack is not installed.
    """

    def __init__(self, meteor: Metric | None = None) -> None:
        super().__init__(java_meteor() if meteor is None else meteor, "METEOR")

    def _scores(self, captions: list[str], references: list[Sequence[str]]) -> tuple[float, list[float]]:
        corpus = self._metric.corpus(*java_lines(captions, references), segments=True)
        return corpus.score, [segment.score for segment in corpus.segments]


class Rouge(_CocoScorer):
    """ROUGE-L of tokenized captions: ``pycocoevalcap.rouge.rouge.Rouge``."""

    def __init__(self) -> None:
        super().__init__(None, "Rouge")

    def _scores(self, captions: list[str], references: list[Sequence[str]]) -> tuple[float, list[float]]:
        scores = rouge_l(count_ngrams(captions, references))
        return float(scores.mean()), scores.tolist()


class Cider(_CocoScorer):
    """CIDEr-D of tokenized captions: ``pycocoevalcap.cider.cider.Cider``.

    Args:
        document_frequencies: of a corpus, which self-critical training needs: the path of a file, or its content (see
            :func:`meteor_e_captions.document_frequencies.make_document_frequencies`), or tokenized references by image
            id. By default those of the references that ``compute_score`` is given.

    Raises:
        InputError: for document frequencies that cannot be read.
    """

    def __init__(self, document_frequencies: Any = None) -> None:
        super().__init__(None, "CIDEr")
        self._frequencies = None
        if isinstance(document_frequencies, str | os.PathLike):
            self._frequencies = read_document_frequencies(document_frequencies)
        elif document_frequencies is not None:
            self._frequencies = make_document_frequencies(document_frequencies)

    def _scores(self, captions: list[str], references: list[Sequence[str]]) -> tuple[float, list[float]]:
        if self._frequencies is None and len(captions) == 1:
            warn_user(
                "CIDEr of a single image is 0: the references of one image do not tell which words are rare. Give "
                "Cider(document_frequencies=…) those of a corpus"
            )
        scores = cider(count_ngrams(captions, references, self._frequencies))
        return float(scores.mean()), scores.tolist()


class Bleu(_CocoScorer):
    """BLEU-1 to BLEU-4 of tokenized captions: ``pycocoevalcap.bleu.bleu.Bleu``.

    Args:
        n: the longest n-grams that are scored, 1 to 4.

    Raises:
        ConfigError: for another number.
    """

    def __init__(self, n: int = ORDERS) -> None:
        if n not in range(1, ORDERS + 1):
            raise ConfigError(f"Bleu: n is a number from 1 to {ORDERS}, not {n!r}")
        self._orders = n
        super().__init__(None, [f"Bleu_{order}" for order in range(1, n + 1)])

    def _scores(self, captions: list[str], references: list[Sequence[str]]) -> tuple[list[float], list[list[float]]]:
        statistics = bleu_statistics(count_ngrams(captions, references))
        corpus, segments = bleu(statistics.sum(axis=0)[None])[0], bleu(statistics).T
        return corpus[: self._orders].tolist(), segments[: self._orders].tolist()


class CaptionMetric(_CocoScorer):
    """Any metric in the shape of pycocoevalcap's classes: ``caption-light``, ``caption-context``, ``chrf`` …

    A metric of several columns, such as ``coco``, returns lists as :class:`Bleu` does: ``method`` the names of the
    columns, ``compute_score`` the corpus score of each column and, for each column, the scores of the captions.

    Args:
        metric: the name of a metric, as :func:`meteor_e.load_metric` takes it.
        options: of the metric.

    Raises:
        ConfigError: for an unknown metric or option.
        ResourceError: if something that it needs is missing.
    """

    def __init__(self, metric: str = "caption-light", **options: Any) -> None:
        loaded = load_metric(metric, language="en", **options)
        names = [column.name for column in loaded.headings]
        super().__init__(loaded, loaded.label if len(names) == 1 else names)

    def _scores(self, captions: list[str], references: list[Sequence[str]]) -> tuple[Any, Any]:
        if isinstance(self._name, str):
            return super()._scores(captions, references)
        scores, segments = _score_columns(self._metric, System.from_lists("captions", captions, references))
        return scores, [list(column) for column in zip(*segments, strict=True)]


def _score_columns(metric: Any, system: System) -> tuple[list[float], list[list[float]]]:
    """Return the system's score in each column of a metric, and for each segment its score in each column."""
    table = score_systems([metric], [system], keep=KeptData(segments=True))
    names = [column.name for column in table.columns]
    columns = [table.segment_scores(name) for name in names]
    return [table.scores(name)[0] for name in names], [list(row) for row in zip(*columns, strict=True)]


@dataclass(frozen=True)
class CocoScores:
    """COCO's table of a system.

    Attributes:
        scores: by name: ``BLEU-1`` to ``BLEU-4``, ``METEOR``, ``ROUGE-L`` and ``CIDEr``.
        images: the same for each image id.
        missing: ids of annotated images that have no result; they do not count.
        signature: what must be the same for the numbers to be the same.
    """

    scores: dict[str, float]
    images: dict[Any, dict[str, float]]
    missing: list[Any]
    signature: str


def evaluate(annotations: Any, results: Any) -> CocoScores:
    """Return COCO's table of caption metrics with pycocoevalcap's numbers, without Java; SPICE is left out.

    Args:
        annotations: path of a JSON file ``{"annotations": [{"image_id": …, "caption": …}, …]}``, or its content.
        results: path of a JSON file ``[{"image_id": …, "caption": …}, …]``, or its content.

    Raises:
        InputError: for what is not COCO's JSON, and for a result of an image that is not annotated.
    """
    known, found = coco_annotations(annotations), coco_results(results)
    for key in found:
        if key not in known:
            raise InputError(f"image {key!r} has a result, but no annotation")
    keys = [key for key in known if key in found]
    metric = load_metric("coco", language="en")
    system = System.from_lists("captions", [found[key] for key in keys], [known[key] for key in keys])
    scores, segments = _score_columns(metric, system)
    names = [column.name for column in metric.headings]
    images = {key: dict(zip(names, values, strict=True)) for key, values in zip(keys, segments, strict=True)}
    return CocoScores(
        dict(zip(names, scores, strict=True)), images, [key for key in known if key not in found], metric.signature
    )


class PTBTokenizer:
    """``pycocoevalcap.tokenizer.ptbtokenizer.PTBTokenizer`` without Java.

    Tokens are in lower case, and punctuation is left out.
    """

    def __init__(self) -> None:
        self._segmenter = PTBSegmenter.make()

    def tokenize(self, captions_for_image: Mapping[Id, Sequence[Mapping[str, Any]]]) -> dict[Id, list[str]]:
        """Return the tokens of each caption, joined by blanks.

        Args:
            captions_for_image: for each image id its captions, each a mapping with the text as ``caption``.

        Raises:
            InputError: naming the image id, for an image without captions and for a caption that is not a text.
        """
        _check_mapping(captions_for_image, "captions")
        lines: list[str] = []
        counts: dict[Id, int] = {}
        for key, value in captions_for_image.items():
            captions = _listed(value, key, "captions, [{'caption': text}]")
            counts[key] = len(captions)
            for caption in captions:
                if not isinstance(caption, Mapping) or "caption" not in caption:
                    raise InputError(
                        f"a caption of image {key!r} must be {{'caption': text}}, not {reprlib.repr(caption)}"
                    )
                check_text(caption["caption"], f"a caption of image {key!r}")
                lines.append(caption["caption"])
        # Empty captions leave nothing, so that one line stays one caption.
        tokens = iter(self._segmenter.captions(lines))
        return {key: [next(tokens) for _ in range(count)] for key, count in counts.items()}


def _lined_up(
    gts: Mapping[Id, Iterable[str]], res: Mapping[Id, Iterable[str]]
) -> tuple[list[str], list[Sequence[str]]]:
    """Return the caption and the references of each image, in the order of ``gts``."""
    _check_mapping(gts, "gts")
    _check_mapping(res, "res")
    for one, other, names in ((gts, res, ("gts", "res")), (res, gts, ("res", "gts"))):
        missing = [key for key in one if key not in other]
        if missing:
            more = f" (nor are {len(missing) - 1} more)" if len(missing) > 1 else ""
            raise InputError(f"image {missing[0]!r} is in {names[0]}, but not in {names[1]}{more}")
    if not gts:
        raise InputError("there are no captions to score")
    captions, references = [], []
    for key, texts in gts.items():
        results = _texts(res[key], key, "res")
        if len(results) != 1:
            raise InputError(f"image {key!r} has {len(results)} captions in res; give the one to score")
        captions.append(results[0])
        references.append(_texts(texts, key, "gts"))
    return captions, references


def _check_mapping(value: object, name: str) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be a mapping from image ids to captions, not {type(value).__name__}")


def _listed(value: Any, key: object, what: str) -> Sequence[Any]:
    # Arrays of NumPy and columns of data frames have tolist.
    values = value.tolist() if hasattr(value, "tolist") else value
    is_list = isinstance(values, Sequence | KeysView | ValuesView) and not isinstance(values, str | bytes)
    items = list(values) if is_list else []
    if not items:
        raise InputError(f"image {key!r} needs a list of {what}, not {reprlib.repr(value)}")
    return items


def _texts(value: object, key: object, name: str) -> Sequence[str]:
    texts = _listed(value, key, f"captions in {name}")
    for text in texts:
        if isinstance(text, Mapping):
            raise InputError(f"a caption of image {key!r} in {name} is a mapping; tokenize the captions first")
        check_text(text, f"a caption in {name} of image {key!r}")
    return texts
