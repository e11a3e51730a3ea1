"""Document frequencies of n-grams from a corpus, from a file, or from counts: what CIDEr weights n-grams by."""

from __future__ import annotations

import hashlib
import json
import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, os_errors_as
from meteor_e.base.texts import distinct_keys
from meteor_e.formats.coco import coco_annotations
from meteor_e_captions.coco_scores import ORDERS, DocumentFrequencies, count_frequencies
from meteor_e_captions.segmenter import PTBSegmenter

_FORM = (
    "document frequencies are COCO annotations, or an object with document_frequency (n-grams, words joined by spaces, "
    "and the number of documents that contain them) and ref_len (the number of documents)"
)


def read_document_frequencies(path: PathLike) -> DocumentFrequencies:
    """Read document frequencies from a JSON file. The file is data only; no code in it is run.

    Args:
        path: COCO annotations, of which each image is a document, or
            ``{"document_frequency": {"a man": 12, …}, "ref_len": 113287}``, the content of the pickles of captioning
            code such as ``coco-train-df.p``.

    Raises:
        InputError: if the file cannot be read or has neither form.
    """
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        data = stream.read()
    try:
        content = json.loads(data, object_pairs_hook=distinct_keys)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON ({error}); {_FORM}") from error
    return make_document_frequencies(content, name)


def make_document_frequencies(content: Any, name: str = "document_frequencies") -> DocumentFrequencies:
    """Return document frequencies from the content of a file, or from references in memory.

    Args:
        content: COCO annotations; an object as :func:`read_document_frequencies` describes it, of which n-grams may
            also be tuples of words; or tokenized references by image id, as ``compute_score`` takes them.
        name: what messages call the content.

    Raises:
        InputError: for anything else, and for counts that no corpus has.
    """
    if not isinstance(content, Mapping):
        raise InputError(f"{name} must be a mapping, not {type(content).__name__}; {_FORM}")
    if "document_frequency" in content:
        return _from_counts(content["document_frequency"], content.get("ref_len"), name)
    if "annotations" in content:
        captions = coco_annotations(content, name)
        lines = iter(PTBSegmenter.make().captions([text for texts in captions.values() for text in texts]))
        return count_frequencies([[next(lines) for _ in texts] for texts in captions.values()])
    references = list(content.values())
    if not references or not all(_are_texts(texts) for texts in references):
        raise InputError(f"{name} has no captions and no counts; {_FORM}")
    return count_frequencies([list(texts) for texts in references])


def _are_texts(texts: Any) -> bool:
    is_list = isinstance(texts, Sequence) and not isinstance(texts, str | bytes)
    return is_list and bool(texts) and all(isinstance(text, str) for text in texts)


def _from_counts(counts: Any, documents: Any, name: str) -> DocumentFrequencies:
    """Return document frequencies from the number of documents that contain each n-gram."""
    if isinstance(documents, bool) or not isinstance(documents, numbers.Real) or not 1 <= float(documents) < math.inf:
        raise InputError(f"{name}: ref_len is the number of documents, at least 1, not {documents!r:.40}")
    if not isinstance(counts, Mapping) or not counts:
        raise InputError(f"{name}: document_frequency has no n-grams; {_FORM}")
    by_order: list[dict[tuple[str, ...], int]] = [{} for _ in range(ORDERS)]
    for ngram, count in counts.items():
        words = tuple(ngram.split()) if isinstance(ngram, str) else ngram
        if not isinstance(words, tuple) or not 1 <= len(words) <= ORDERS or not all(isinstance(w, str) for w in words):
            raise InputError(f"{name}: {ngram!r:.60} is not an n-gram of 1 to {ORDERS} words")
        is_count = isinstance(count, numbers.Real) and not isinstance(count, bool) and float(count).is_integer()
        if not is_count or not 0 <= count <= documents:
            raise InputError(f"{name}: {ngram!r:.60} cannot be in {count!r:.40} of {documents:g} documents")
        by_order[len(words) - 1][words] = int(float(count))
    # Each n-gram is found by the n-gram that is shorter by one word, and by its last word.
    for longer, shorter in zip(by_order[:0:-1], by_order[-2::-1], strict=True):
        for ngram in longer:
            shorter.setdefault(ngram[:-1], 0)
    for ngrams in by_order[1:]:
        for ngram in ngrams:
            by_order[0].setdefault(ngram[-1:], 0)
    words = {ngram[0]: index for index, ngram in enumerate(by_order[0])}
    indexes = {ngram: index for index, ngram in enumerate(by_order[0])}
    keys, images = [], [np.array(list(by_order[0].values()), np.int64)]
    for ngrams in by_order[1:]:
        rows = sorted((indexes[ngram[:-1]] * len(words) + words[ngram[-1]], ngram) for ngram in ngrams)
        keys.append(np.array([key for key, _ in rows], np.int64))
        images.append(np.array([ngrams[ngram] for _, ngram in rows], np.int64))
        indexes = {ngram: index for index, (_, ngram) in enumerate(rows)}
    return DocumentFrequencies(words, keys, images, int(float(documents)))


def digest_frequencies(frequencies: DocumentFrequencies) -> str:
    """Return a short hash of document frequencies, for signatures."""
    state = hashlib.sha256(json.dumps([list(frequencies.word_ids), frequencies.n_documents]).encode())
    for array in (*frequencies.ngram_keys, *frequencies.document_counts):
        state.update(np.ascontiguousarray(array, np.int64).tobytes())
    return state.hexdigest()[:12]
