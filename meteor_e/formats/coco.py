"""COCO's JSON files of image captions: annotations (references) and results (one caption for each image)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, reading
from meteor_e.base.texts import distinct_keys

JSON_START = re.compile(rb'(?:\[\s*)?\{\s*"(?:[^"\\\n]|\\.)*"\s*:')
"""How a JSON file of objects begins; no line of text does."""

_HINT = (
    "COCO's JSON is read, and no other: a list of {'image_id', 'caption'} with a system's captions, and "
    "{'annotations': [{'image_id', 'caption'}]} with the references. Write other texts one segment per line; "
    "--format-in names another format of a .json file, such as jsonl"
)


def is_json_list(path: PathLike) -> bool:
    """Return whether a file that begins with a bracket is JSON, and not text in brackets; a ``.json`` is to be JSON."""
    if ".json" in Path(input_name(path)).suffixes:
        return True
    with open_binary(path) as stream, reading(input_name(path)):
        if stream.peek(64).lstrip()[:1] not in (b"[", b"{"):  # type: ignore[attr-defined]
            return False
        try:
            value = json.loads(stream.read())
        except (ValueError, RecursionError):
            return False
    return isinstance(value, dict) or any(not isinstance(item, int | float) for item in value) or not value


def read_coco_annotations(path: PathLike) -> dict[Any, list[str]]:
    """Return the reference captions of each image, in file order.

    Args:
        path: a JSON file ``{"annotations": [{"image_id": …, "caption": …}, …], …}``.

    Raises:
        InputError: if it is something else, or has no annotations.
    """
    return coco_annotations(_load(path), input_name(path))


def coco_annotations(document: Any, name: str) -> dict[Any, list[str]]:
    """Return the same as :func:`read_coco_annotations` from the content of a file.

    Images are in the order of ``images`` where it lists them, as for pycocotools, then in that of their captions.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("annotations"), list):
        what = "COCO results, not annotations" if isinstance(document, list) else "no COCO annotations"
        raise InputError(f"{name} holds {what}; as references, {_HINT}")
    listed = document.get("images")
    images = listed if isinstance(listed, list) else []
    keys = [image.get("id") for image in images if isinstance(image, Mapping)]
    captions: dict[Any, list[str]] = {key: [] for key in keys if isinstance(key, int | str)}
    for number, annotation in enumerate(document["annotations"], 1):
        image, caption = _entry(annotation, f"{name}: annotation {number}")
        captions.setdefault(image, []).append(caption)
    captions = {image: texts for image, texts in captions.items() if texts}
    if not captions:
        raise InputError(f"{name} has no annotations; there is nothing to score")
    return captions


def read_coco_results(path: PathLike) -> dict[Any, str]:
    """Return the caption of each image, in file order.

    Args:
        path: a JSON file ``[{"image_id": …, "caption": …}, …]``.

    Raises:
        InputError: if it is something else, is empty, or has two captions for an image.
    """
    return coco_results(_load(path), input_name(path))


def coco_results(document: Any, name: str) -> dict[Any, str]:
    """Return the same as :func:`read_coco_results` from the content of a file."""
    if not isinstance(document, list):
        is_annotations = isinstance(document, Mapping) and "annotations" in document
        what = "COCO annotations, not results" if is_annotations else "no COCO results"
        raise InputError(f"{name} holds {what}; as a system, {_HINT}")
    captions: dict[Any, str] = {}
    for number, result in enumerate(document, 1):
        image, caption = _entry(result, f"{name}: result {number}")
        if image in captions:
            raise InputError(f"{name}: image {image!r} has two captions; give one for each image")
        captions[image] = caption
    if not captions:
        raise InputError(f"{name} has no captions; there is nothing to score")
    return captions


def _load(path: PathLike) -> Any:
    name = input_name(path)
    with open_binary(path) as stream, reading(name):
        data = stream.read()
    try:
        return json.loads(data, object_pairs_hook=distinct_keys)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON ({error}); {_HINT}") from error


def _entry(entry: Any, where: str) -> tuple[Any, str]:
    if not isinstance(entry, Mapping) or "image_id" not in entry or "caption" not in entry:
        raise InputError(f"{where} has no image_id and caption; {_HINT}")
    image, caption = entry["image_id"], entry["caption"]
    if isinstance(image, bool) or not isinstance(image, int | str):
        raise InputError(f"{where}: image_id must be a number or a text, not {str(image)[:40]!r}")
    if not isinstance(caption, str):
        raise InputError(f"{where}: the caption of image {image!r} is not a text")
    if any("\ud800" <= char <= "\udfff" for char in caption):
        raise InputError(f"{where}: the caption of image {image!r} holds half of a character (a surrogate)")
    # A caption is one segment, whatever line ends it holds.
    return image, " ".join(caption.splitlines())
