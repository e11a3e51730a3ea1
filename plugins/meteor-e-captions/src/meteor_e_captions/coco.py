"""``pycocoevalcap``'s METEOR and tokenizer for image captions, without Java.

Code that says ``from pycocoevalcap.meteor.meteor import Meteor`` and
``from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer`` changes its imports::

    from meteor_e_captions.coco import Meteor, PTBTokenizer

Numbers and tokens are those of pycocoevalcap 1.2, which runs METEOR 1.5's and CoreNLP 3.4.1's jars.
"""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from meteor_e import load_metric
from meteor_e.api import InputError, System
from meteor_e.base.texts import check_text
from meteor_e.formats.coco import coco_annotations, coco_results
from meteor_e.results import score
from meteor_e_captions.coco_metric import java_lines, java_meteor
from meteor_e_captions.segmenter import PTBSegmenter

if TYPE_CHECKING:
    from meteor_e import Meteor as Metric

Id = TypeVar("Id", bound=Hashable)


class _CocoScorer:
    """The shape of pycocoevalcap's classes."""

    def __init__(self, metric: Any, name: str) -> None:
        self._metric, self._name = metric, name

    def method(self) -> str:
        """Return the name under which captioning reports the score."""
        return self._name

    def __str__(self) -> str:
        """Return the name."""
        return self._name

    def compute_score(
        self, gts: Mapping[Id, Sequence[str]], res: Mapping[Id, Sequence[str]]
    ) -> tuple[float, list[float]]:
        """Return the corpus score and the score of each caption, in the order of ``gts``.

        Args:
            gts: reference captions by image id; :class:`Meteor` takes tokenized ones.
            res: one caption by image id.

        Raises:
            InputError: naming the image id, for ids that only one side has, an image without references, without a
                caption or with several, and what is not a text.
        """
        return self._scores(*_lined_up(gts, res))

    def _scores(self, captions: list[str], references: list[Sequence[str]]) -> tuple[float, list[float]]:
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


class CaptionMetric(_CocoScorer):
    """Any metric in the shape of pycocoevalcap's classes: ``caption-light``, ``caption-context``, ``chrf`` …

    Args:
        metric: the name of a metric, as :func:`meteor_e.load_metric` takes it.
        options: of the metric.

    Raises:
        ConfigError: for an unknown metric or option.
        ResourceError: if something that it needs is missing.
    """

    def __init__(self, metric: str = "caption-light", **options: Any) -> None:
        made = load_metric(metric, language="en", **options)
        super().__init__(made, made.label)


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
    results = score([metric], [system], language="en")
    names = [column.name for column in results.columns]
    tables = {
        row.segment: {name: found.values[0] for name, found in zip(names, row.found, strict=True)}
        for row in results.rows()
    }
    whole = tables.pop(None)
    images = {key: tables[number] for number, key in enumerate(keys, 1)}
    return CocoScores(whole, images, [key for key in known if key not in found], metric.signature)


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
        for key, captions in captions_for_image.items():
            for caption in _listed(captions, key, "captions, [{'caption': text}]"):
                if not isinstance(caption, Mapping) or "caption" not in caption:
                    raise InputError(
                        f"a caption of image {key!r} must be {{'caption': text}}, not {reprlib.repr(caption)}"
                    )
                check_text(caption["caption"], f"a caption of image {key!r}")
                lines.append(caption["caption"])
        # Empty captions leave nothing, so that one line stays one caption.
        tokens = iter(self._segmenter.captions(lines))
        return {key: [next(tokens) for _ in captions] for key, captions in captions_for_image.items()}


def _lined_up(
    gts: Mapping[Id, Sequence[str]], res: Mapping[Id, Sequence[str]]
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
    captions = []
    for key, texts in gts.items():
        own = _texts(res[key], key, "res")
        if len(own) != 1:
            raise InputError(f"image {key!r} has {len(own)} captions in res; give the one to score")
        captions.append(own[0])
        _texts(texts, key, "gts")
    return captions, list(gts.values())


def _check_mapping(value: object, name: str) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be a mapping from image ids to captions, not {type(value).__name__}")


def _listed(value: Any, key: object, what: str) -> Sequence[Any]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence) or not value:
        raise InputError(f"image {key!r} needs a list of {what}, not {reprlib.repr(value)}")
    return value


def _texts(value: object, key: object, name: str) -> Sequence[str]:
    for text in _listed(value, key, f"captions in {name}"):
        if isinstance(text, Mapping):
            raise InputError(f"a caption of image {key!r} in {name} is a mapping; tokenize the captions first")
        check_text(text, f"a caption in {name} of image {key!r}")
    return value  # type: ignore[return-value]
