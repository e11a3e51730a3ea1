"""``pycocoevalcap``'s METEOR and tokenizer for image captions, without Java.

Code that says ``from pycocoevalcap.meteor.meteor import Meteor`` and
``from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer`` changes its imports::

    from meteor_e_captions.coco import Meteor, PTBTokenizer

Numbers and tokens are those of pycocoevalcap 1.2, which runs METEOR 1.5's and CoreNLP 3.4.1's jars.
"""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from meteor_e import load_metric
from meteor_e.api import InputError
from meteor_e.base.texts import check_text
from meteor_e_captions.segmenter import PTBSegmenter

if TYPE_CHECKING:
    from meteor_e import Meteor as Metric

Id = TypeVar("Id", bound=Hashable)
_LINE_BREAKS = re.compile("[\n\r]")
_TRIMMED = "".join(map(chr, range(0x21)))  # by Java's String.trim


class Meteor:
    """METEOR of captions: ``pycocoevalcap.meteor.meteor.Meteor`` without its Java process.

    Args:
        meteor: another metric; by default METEOR 1.5 for English with full normalization, as pycocoevalcap
            starts it (``-l en -norm``), and with words told apart by their hashes, as the Java program does.

    Raises:
        ResourceError: if METEOR's English pack is not installed.
    """

    def __init__(self, meteor: Metric | None = None) -> None:
        if meteor is None:
            from meteor_e import Meteor as Metric

            meteor = Metric("en", normalization="full")
            meteor.compare_words_by("java")
        self._meteor = meteor

    def method(self) -> str:
        """Return the name under which captioning reports the score."""
        return "METEOR"

    def compute_score(
        self, gts: Mapping[Id, Sequence[str]], res: Mapping[Id, Sequence[str]]
    ) -> tuple[float, list[float]]:
        """Return the corpus score and the score of each caption, in the order of ``gts``.

        Args:
            gts: tokenized reference captions by image id.
            res: one tokenized caption by image id.

        Raises:
            InputError: naming the image id, for ids that only one side has, an image without references, without a
                caption or with several, and what is not a text.
        """
        hypotheses, references = [], []
        for caption, texts in _lined_up(gts, res):
            # What pycocoevalcap writes to the Java program: it cleans the caption alone.
            hypotheses.append(_line(caption.replace("|||", "").replace("  ", " ")))
            references.append([_line(part) for text in texts for part in text.split("|||")])
        corpus = self._meteor.corpus(hypotheses, references, segments=True)
        return corpus.score, [segment.score for segment in corpus.segments]

    def __str__(self) -> str:
        """Return the name."""
        return self.method()


class CaptionMetric:
    """Any metric in the shape of pycocoevalcap's classes: ``caption-light``, ``caption-context``, ``chrf`` …

    Args:
        metric: the name of a metric, as :func:`meteor_e.load_metric` takes it.
        options: of the metric.

    Raises:
        ConfigError: for an unknown metric or option.
        ResourceError: if something that it needs is missing.
    """

    def __init__(self, metric: str = "caption-light", **options: Any) -> None:
        self._metric = load_metric(metric, language="en", **options)

    def method(self) -> str:
        """Return the name of the metric."""
        return self._metric.label

    def compute_score(
        self, gts: Mapping[Id, Sequence[str]], res: Mapping[Id, Sequence[str]]
    ) -> tuple[float, list[float]]:
        """Return the score of all captions and of each, in the order of ``gts``; as :meth:`Meteor.compute_score`."""
        pairs = _lined_up(gts, res)
        found = self._metric.corpus([caption for caption, _ in pairs], [texts for _, texts in pairs])
        return found.score, found.segments.tolist()

    def __str__(self) -> str:
        """Return the name."""
        return self.method()


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
    from meteor_e.formats.coco import coco_annotations, coco_results, read_coco_annotations, read_coco_results
    from meteor_e.results import SystemTexts, score

    paths = str, os.PathLike
    known = (
        read_coco_annotations(annotations)
        if isinstance(annotations, paths)
        else coco_annotations(annotations, "annotations")
    )
    found = read_coco_results(results) if isinstance(results, paths) else coco_results(results, "results")
    unknown = [key for key in found if key not in known]
    if unknown:
        raise InputError(f"image {unknown[0]!r} has a result, but no annotation" + _more(unknown))
    keys = [key for key in known if key in found]
    metric = load_metric("coco", language="en")
    captions, references = [found[key] for key in keys], [known[key] for key in keys]
    scored = score([metric], [SystemTexts("captions", captions, references)], language="en").kept()
    names = [column.name for column in metric.columns]
    images, whole = {}, {}
    for row in scored.rows():
        values = dict(zip(names, row.found[0].values, strict=True))
        if row.segment is None:
            whole = values
        else:
            images[keys[row.segment - 1]] = values
    return CocoScores(
        whole,
        images,
        [key for key in known if key not in found],
        metric.signature,
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
        counts: list[tuple[Id, int]] = []
        lines: list[str] = []
        for key, captions in captions_for_image.items():
            if isinstance(captions, str | bytes | Mapping) or not isinstance(captions, Sequence) or not captions:
                raise InputError(
                    f"image {key!r} needs a list of captions, [{{'caption': text}}], not {reprlib.repr(captions)}"
                )
            for caption in captions:
                if not isinstance(caption, Mapping) or "caption" not in caption:
                    raise InputError(
                        f"a caption of image {key!r} must be {{'caption': text}}, not {reprlib.repr(caption)}"
                    )
                text = _text(caption["caption"], key, "a caption")
                lines.append(text.replace("\n", " "))
            counts.append((key, len(captions)))
        # Empty captions leave nothing, so that one line stays one caption.
        tokens = iter([line.rstrip() for line in self._segmenter.join_lines(lines)] if lines else [])
        return {key: [next(tokens) for _ in range(count)] for key, count in counts}


def _lined_up(gts: Mapping[Id, Sequence[str]], res: Mapping[Id, Sequence[str]]) -> list[tuple[str, Sequence[str]]]:
    """Return the caption and the references of each image, in the order of ``gts``."""
    _check_mapping(gts, "gts")
    _check_mapping(res, "res")
    for one, other, names in ((gts, res, ("gts", "res")), (res, gts, ("res", "gts"))):
        missing = [key for key in one if key not in other]
        if missing:
            raise InputError(f"image {missing[0]!r} is in {names[0]}, but not in {names[1]}" + _more(missing))
    if not gts:
        raise InputError("there are no captions to score")
    pairs = []
    for key, texts in gts.items():
        own = _texts(res[key], key, "res")
        if len(own) != 1:
            raise InputError(f"image {key!r} has {len(own)} captions in res; give the one to score")
        pairs.append((own[0], _texts(texts, key, "gts")))
    return pairs


def _check_mapping(value: object, name: str) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be a mapping from image ids to captions, not {type(value).__name__}")


def _texts(value: object, key: object, name: str) -> Sequence[str]:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        raise InputError(f"image {key!r} needs a list of captions in {name}, not {reprlib.repr(value)}")
    if not value:
        raise InputError(f"image {key!r} has no caption in {name}")
    return [_text(text, key, f"a caption in {name}") for text in value]


def _text(value: Any, key: object, what: str) -> str:
    if isinstance(value, Mapping):
        raise InputError(f"{what} of image {key!r} is a mapping, not a text; tokenize the captions first")
    check_text(value, f"{what} of image {key!r}")
    text: str = value
    return text


def _line(text: str) -> str:
    """Return a text as the Java program takes it from its input."""
    return _LINE_BREAKS.sub(" ", text).strip(_TRIMMED)


def _more(keys: Sequence[object]) -> str:
    return f" (nor are {len(keys) - 1} more)" if len(keys) > 1 else ""
