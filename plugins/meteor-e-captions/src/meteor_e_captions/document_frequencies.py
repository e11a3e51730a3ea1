"""Reads the document frequencies of n-grams, from which CIDEr computes its weights."""

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
from meteor_e.base.texts import reject_duplicate_keys
from meteor_e.formats.coco import coco_annotations
from meteor_e_captions.coco_scores import ORDERS, DocumentFrequencies, count_frequencies
from meteor_e_captions.segmenter import PTBSegmenter

_FORMAT = (
    "document frequencies are COCO annotations, or an object with document_frequency (n-grams, words joined by spaces, "
    "and the number of documents that contain them) and ref_len (the number of documents)"
)


def read_document_frequencies(path: PathLike) -> DocumentFrequencies:
    """Read document frequencies from a JSON file.

    Args:
        path: a file with COCO annotations, in which each image is a document, or with
            ``{"document_frequency": {"a man": 12, …}, "ref_len": 113287}``. The latter is the content of pickle files
            such as ``coco-train-df.p`` that captioning code uses.

    Raises:
        InputError: if the file cannot be read or has a different format.
    """
    name = input_name(path)
    with open_binary(path) as stream, os_errors_as(InputError, f"cannot read {name}"):
        data = stream.read()
    try:
        content = json.loads(data, object_pairs_hook=reject_duplicate_keys)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON ({error}); {_FORMAT}") from error
    return make_document_frequencies(content, name)


def make_document_frequencies(content: Any, name: str = "document_frequencies") -> DocumentFrequencies:
    """Return document frequencies from the content of a file, or from references in memory.

    Args:
        content: COCO annotations; an object as described in :func:`read_document_frequencies`, in which n-grams may
            also be tuples of words; or tokenized references by image id, as for ``compute_score``.
        name: the name of the content in error messages.

    Raises:
        InputError: if the content has a different format, or if a count is not possible.
    """
    if not isinstance(content, Mapping):
        raise InputError(f"{name} must be a mapping, not {type(content).__name__}; {_FORMAT}")
    if "document_frequency" in content:
        return _from_counts(content["document_frequency"], content.get("ref_len"), name)
    if "annotations" in content:
        captions = coco_annotations(content, name)
        lines = iter(PTBSegmenter.make().captions([text for texts in captions.values() for text in texts]))
        return count_frequencies([[next(lines) for _ in texts] for texts in captions.values()])
    references = list(content.values())
    if not references or not all(_are_texts(texts) for texts in references):
        raise InputError(f"{name} has no captions and no counts; {_FORMAT}")
    return count_frequencies([list(texts) for texts in references])


def _are_texts(texts: Any) -> bool:
    is_list = isinstance(texts, Sequence) and not isinstance(texts, str | bytes)
    return is_list and bool(texts) and all(isinstance(text, str) for text in texts)


def _from_counts(counts: Any, documents: Any, name: str) -> DocumentFrequencies:
    """Return document frequencies from the number of documents that contain each n-gram."""
    if isinstance(documents, bool) or not isinstance(documents, numbers.Real) or not 1 <= float(documents) < math.inf:
        raise InputError(f"{name}: ref_len is the number of documents, at least 1, not {documents!r:.40}")
    if not isinstance(counts, Mapping) or not counts:
        raise InputError(f"{name}: document_frequency has no n-grams; {_FORMAT}")
    by_order: list[dict[tuple[str, ...], int]] = [{} for _ in range(ORDERS)]
    for ngram, count in counts.items():
        words = tuple(ngram.split()) if isinstance(ngram, str) else ngram
        if not isinstance(words, tuple) or not 1 <= len(words) <= ORDERS or not all(isinstance(w, str) for w in words):
            raise InputError(f"{name}: {ngram!r:.60} is not an n-gram of 1 to {ORDERS} words")
        is_count = isinstance(count, numbers.Real) and not isinstance(count, bool) and float(count).is_integer()
        if not is_count or not 0 <= count <= documents:
            raise InputError(f"{name}: {ngram!r:.60} cannot be in {count!r:.40} of {documents:g} documents")
        by_order[len(words) - 1][words] = int(float(count))
    _add_prefixes(by_order)
    return _index_ngrams(by_order, int(float(documents)))


def _add_prefixes(by_order: list[dict[tuple[str, ...], int]]) -> None:
    """Add the prefix and the last word of each n-gram, with the count 0 if they are missing.

    An n-gram is looked up by its prefix and its last word.
    """
    for ngrams, shorter_ngrams in zip(by_order[:0:-1], by_order[-2::-1], strict=True):
        for ngram in ngrams:
            shorter_ngrams.setdefault(ngram[:-1], 0)
    for ngrams in by_order[1:]:
        for ngram in ngrams:
            by_order[0].setdefault(ngram[-1:], 0)


def _index_ngrams(by_order: list[dict[tuple[str, ...], int]], n_documents: int) -> DocumentFrequencies:
    """Assign ids to n-grams, and return their document frequencies as arrays."""
    word_ids = {ngram[0]: index for index, ngram in enumerate(by_order[0])}
    ngram_ids = {ngram: index for index, ngram in enumerate(by_order[0])}
    ngram_keys, document_counts = [], [np.array(list(by_order[0].values()), np.int64)]
    for ngrams in by_order[1:]:
        entries = sorted((ngram_ids[ngram[:-1]] * len(word_ids) + word_ids[ngram[-1]], ngram) for ngram in ngrams)
        ngram_keys.append(np.array([key for key, _ in entries], np.int64))
        document_counts.append(np.array([ngrams[ngram] for _, ngram in entries], np.int64))
        ngram_ids = {ngram: index for index, (_, ngram) in enumerate(entries)}
    return DocumentFrequencies(word_ids, ngram_keys, document_counts, n_documents)


def digest_frequencies(frequencies: DocumentFrequencies) -> str:
    """Return the digest of document frequencies, for signatures."""
    state = hashlib.sha256(json.dumps([list(frequencies.word_ids), frequencies.n_documents]).encode())
    for array in (*frequencies.ngram_keys, *frequencies.document_counts):
        state.update(np.ascontiguousarray(array, np.int64).tobytes())
    return state.hexdigest()[:12]
