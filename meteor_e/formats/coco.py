"""This module reads COCO's JSON files: annotations contain references, and results contain one caption per image."""

from __future__ import annotations

import itertools
import json
import math
import numbers
import os
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from meteor_e.base.errors import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, os_errors_as
from meteor_e.base.texts import reject_duplicate_keys
from meteor_e.formats.documents import SegmentKey, TextCollection

_HINT = (
    "captions must be JSON in the format of COCO: [{'image_id', 'caption'}] for the captions of a system, "
    "{'annotations': [{'image_id', 'caption'}]} for references, or an object {'id': ['caption', …]}. Write other texts "
    "one segment per line; --format-in names another format of a .json file, such as jsonl"
)


def read_coco(path: PathLike) -> TextCollection:
    """Read a JSON file of COCO results, COCO annotations, or captions by image id.

    Each image is a segment of the returned collection. The system that produced the results has an empty name.

    Raises:
        InputError: if the file does not have one of these forms or is damaged.
    """
    name = input_name(path)
    document = _load(path)
    if isinstance(document, list):
        return _make_collection(name, coco_results(document, name), references={})
    if not _is_dictionary(document):
        return _make_collection(name, {}, _read_annotations(document, name))
    references = _read_dictionary(document, name)
    # Images with a single caption can also be the hypotheses of a system.
    hypotheses = {image_id: captions[0] for image_id, captions in references.items() if len(captions) == 1}
    return _make_collection(name, hypotheses, references)


def _make_collection(
    name: str, hypotheses: Mapping[Any, str], references: Mapping[Any, Sequence[str]]
) -> TextCollection:
    """Return a collection of captions with one segment per image.

    Args:
        name: the name of the collection for error messages.
        hypotheses: a system's caption of each image, by image id.
        references: the reference captions of each image, by image id.
    """
    collection = TextCollection(name)
    for image_id, caption in hypotheses.items():
        collection.add("hypothesis", "", SegmentKey("", "", image_id), caption)
    for image_id, captions in references.items():
        for number, caption in enumerate(captions, 1):
            collection.add("reference", str(number), SegmentKey("", "", image_id), caption)
    return collection


def coco_annotations(annotations: Any, name: str = "annotations") -> dict[Any, list[str]]:
    """Return the reference captions of each image in COCO annotations.

    As in pycocotools, the images have the order of the list ``images`` in the annotations. Images that are missing from
    this list come last, in the order of their captions.

    Args:
        annotations: the path of a JSON file ``{"annotations": [{"image_id": …, "caption": …}, …], …}``, or its content,
            or a dictionary of captions by image id.
        name: the name of the content for error messages.

    Raises:
        InputError: if the content has another form or does not contain annotations.
    """
    document, name = _load_document(annotations, name)
    if _is_dictionary(document):
        return _read_dictionary(document, name)
    return _read_annotations(document, name)


def _read_annotations(document: Any, name: str) -> dict[Any, list[str]]:
    """Return the captions of each image in COCO annotations; see :func:`coco_annotations` for their order.

    Raises:
        InputError: if the document has another form or does not contain annotations.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("annotations"), list):
        content = "COCO results, not annotations" if isinstance(document, list) else "no COCO annotations"
        raise InputError(f"{name} holds {content}; as references, {_HINT}")
    # The dictionary begins with all image ids, so that the images keep the order of the list of images.
    captions_by_image: dict[Any, list[str]] = {image_id: [] for image_id in _read_image_ids(document, name)}
    for image_id, caption in _read_entries(document["annotations"], f"{name}: annotation"):
        captions_by_image.setdefault(image_id, []).append(caption)
    if not any(captions_by_image.values()):
        raise InputError(f"{name} has no annotations; there is nothing to score")
    return {image_id: captions for image_id, captions in captions_by_image.items() if captions}


def _read_image_ids(document: Mapping[str, Any], name: str) -> Iterator[int | str]:
    """Yield the image ids in the list ``images`` of COCO annotations. Entries without an id are ignored."""
    images = document.get("images")
    if not isinstance(images, list):
        return
    for image in images:
        image_id = image.get("id") if isinstance(image, Mapping) else None
        if isinstance(image_id, numbers.Real | str):
            yield image_key(image_id, f"{name}: image")


def coco_results(results: Any, name: str = "results") -> dict[Any, str]:
    """Return the caption of each image in COCO results, in the order of the results.

    Args:
        results: the path of a JSON file ``[{"image_id": …, "caption": …}, …]``, or its content.
        name: the name of the content for error messages.

    Raises:
        InputError: if the content has another form, is empty, or contains two captions for an image.
    """
    document, name = _load_document(results, name)
    if not isinstance(document, list):
        raise InputError(f"{name} holds no COCO results; as a system, {_HINT}")
    caption_by_image: dict[Any, str] = {}
    for image_id, caption in _read_entries(document, f"{name}: result"):
        if image_id in caption_by_image:
            raise InputError(f"{name}: image {image_id!r} has two captions; give one for each image")
        caption_by_image[image_id] = caption
    if not caption_by_image:
        raise InputError(f"{name} has no captions; there is nothing to score")
    return caption_by_image


def _is_dictionary(document: Any) -> bool:
    """Return whether a JSON document maps image ids to captions, unlike the format of COCO annotations."""
    if not isinstance(document, Mapping) or not document or "annotations" in document:
        return False
    return all(isinstance(captions, str | list) for captions in document.values())


def _read_dictionary(document: Mapping[Any, Any], name: str) -> dict[Any, list[str]]:
    """Return the captions of each image in a JSON object that maps image ids to a caption or a list of captions.

    The keys of a JSON object are strings. The key "7" denotes the image with the id 7.

    Raises:
        InputError: if an image does not have captions, or a caption is not a string.
    """
    captions_by_image: dict[Any, list[str]] = {}
    caption_numbers = itertools.count(1)
    for key, value in document.items():
        captions = [value] if isinstance(value, str) else value
        if not captions:
            raise InputError(f"{name}: image {key!r} has no captions")
        for caption in captions:
            location = f"{name}: caption {next(caption_numbers)}"
            image_id = image_key(_parse_image_id(key), location)
            text = _normalize_caption(caption, image_id, location)
            captions_by_image.setdefault(image_id, []).append(text)
    return captions_by_image


def _parse_image_id(key: Any) -> Any:
    """Convert a key of a JSON object to an image id. Whole numbers become integers, and other keys stay unchanged."""
    is_number = isinstance(key, str) and key.isascii() and key.isdigit() and str(int(key)) == key
    return int(key) if is_number else key


def image_key(image_id: Any, location: str) -> int | str:
    """Convert an image id to an ``int``, unless it is a string.

    As in pycocotools, the number 7.0 and the NumPy integer 7 denote the image 7, but the string "7" does not.

    Args:
        image_id: the image id.
        location: the location of the id, which begins the error message.

    Raises:
        InputError: if the id is neither a whole number nor a string.
    """
    if isinstance(image_id, str):
        return image_id
    is_number = isinstance(image_id, numbers.Real) and not isinstance(image_id, bool)
    if not is_number or not math.isfinite(image_id) or int(image_id) != image_id:
        raise InputError(f"{location}: image_id must be a whole number or a text, not {reprlib.repr(image_id)}")
    return int(image_id)


def _load_document(source: Any, name: str) -> tuple[Any, str]:
    """Return a JSON document, and the name that error messages use for this document.

    Args:
        source: the document, or the path of its file.
        name: the name of a document that is not in a file.
    """
    if isinstance(source, str | os.PathLike):
        return _load(source), input_name(source)
    return source, name


def _load(path: PathLike) -> Any:
    """Read a JSON file, and return its content. Raise InputError if it cannot be read or is not JSON."""
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        data = stream.read()
    try:
        return json.loads(data, object_pairs_hook=reject_duplicate_keys)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON ({error}); {_HINT}") from error


def _read_entries(entries: Sequence[Any], description: str) -> Iterator[tuple[Any, str]]:
    """Yield the image id and the caption of each entry. Line breaks in captions are replaced by spaces.

    Args:
        entries: dictionaries with the keys ``image_id`` and ``caption``.
        description: the description of an entry for error messages, which is followed by its number.
    """
    for number, entry in enumerate(entries, 1):
        location = f"{description} {number}"
        if not isinstance(entry, Mapping) or "image_id" not in entry or "caption" not in entry:
            raise InputError(f"{location} has no image_id and caption; {_HINT}")
        image_id = image_key(entry["image_id"], location)
        yield image_id, _normalize_caption(entry["caption"], image_id, location)


def _normalize_caption(caption: Any, image_id: int | str, location: str) -> str:
    """Replace line breaks in a caption by spaces.

    Args:
        caption: the caption.
        image_id: the image id for the error message.
        location: the location of the caption, which begins the error message.

    Raises:
        InputError: if the caption is not a string, or contains an unpaired surrogate.
    """
    if not isinstance(caption, str):
        raise InputError(f"{location}: the caption of image {image_id!r} is not a text")
    if any("\ud800" <= character <= "\udfff" for character in caption):
        raise InputError(f"{location}: the caption of image {image_id!r} contains an unpaired surrogate")
    return " ".join(caption.splitlines())
