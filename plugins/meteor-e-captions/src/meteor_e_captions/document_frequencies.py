"""Reads document frequencies, from which CIDEr computes the weights of n-grams."""

from __future__ import annotations

import hashlib
import json
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from meteor_e.api import InputError
from meteor_e.base.files import PathLike, input_name, open_binary, os_errors_as
from meteor_e.base.texts import reject_duplicate_keys
from meteor_e.formats.coco import coco_annotations
from meteor_e_captions.coco_scores import ORDERS, DocumentFrequencies, NgramFrequencies, count_frequencies
from meteor_e_captions.segmenter import PTBSegmenter, split_by_lengths

_FORMAT = (
    "document frequencies are COCO annotations, or an object with document_frequency (n-grams, words joined by spaces, "
    "and the number of documents that contain them) and ref_len (the number of documents)"
)

_Ngram = tuple[str, ...]
_NgramTable = dict[_Ngram, int]
"""The number of documents that contain each n-gram."""


def read_document_frequencies(path: PathLike) -> DocumentFrequencies:
    """Read document frequencies from a JSON file.

    Args:
        path: a file with COCO annotations, in which each image is a document, or with
            ``{"document_frequency": {"a man": 12, …}, "ref_len": 113287}``. The second format has the
            same content as the pickle files that captioning code uses, such as ``coco-train-df.p``.

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
    """Create document frequencies from n-gram counts or from references.

    Args:
        content: COCO annotations; an object as described in :func:`read_document_frequencies`, in which n-grams may
            also be tuples of words; or tokenized references by image id, as for ``compute_score``.
        name: the name of the content, for error messages.

    Raises:
        InputError: if the content has a different format, or if a count is negative or exceeds the number of documents.
    """
    if not isinstance(content, Mapping):
        raise InputError(f"{name} must be a mapping, not {type(content).__name__}; {_FORMAT}")
    if "document_frequency" in content:
        return _parse_counts(content["document_frequency"], content.get("ref_len"), name)
    if "annotations" in content:
        captions_by_image = coco_annotations(content, name)
        return count_frequencies(_tokenize(list(captions_by_image.values())))
    if content and all(_are_texts(texts) for texts in content.values()):
        return count_frequencies(list(content.values()))
    raise InputError(f"{name} has no captions and no counts; {_FORMAT}")


def _tokenize(captions: Sequence[Sequence[str]]) -> list[list[str]]:
    """Tokenize the captions of each image."""
    all_captions = [caption for image_captions in captions for caption in image_captions]
    tokenized_captions = PTBSegmenter.make().captions(all_captions)
    return split_by_lengths(tokenized_captions, [len(image_captions) for image_captions in captions])


def _are_texts(texts: Any) -> bool:
    """Return whether a value is a list of strings that is not empty."""
    is_list = isinstance(texts, Sequence) and not isinstance(texts, str | bytes)
    return is_list and bool(texts) and all(isinstance(text, str) for text in texts)


def _parse_counts(counts: Any, n_documents: Any, name: str) -> DocumentFrequencies:
    """Check a mapping from n-grams to document counts, and convert it to document frequencies.

    Args:
        counts: for each n-gram, the number of documents that contain it.
        n_documents: the number of all documents.
        name: the name of the content, for error messages.
    """
    if not _is_number(n_documents) or not 1 <= n_documents < math.inf:
        raise InputError(f"{name}: ref_len is the number of documents, at least 1, not {n_documents!r:.40}")
    if not isinstance(counts, Mapping) or not counts:
        raise InputError(f"{name}: document_frequency has no n-grams; {_FORMAT}")
    counts_by_order: list[_NgramTable] = [{} for _ in range(ORDERS)]
    for ngram, count in counts.items():
        words = _parse_ngram(ngram, name)
        if not _is_document_count(count, n_documents):
            raise InputError(f"{name}: {ngram!r:.60} cannot be in {count!r:.40} of {n_documents:g} documents")
        counts_by_order[len(words) - 1][words] = int(count)
    _add_missing_ngrams(counts_by_order)
    return _index_ngrams(counts_by_order, int(n_documents))


def _is_number(value: Any) -> bool:
    """Return whether a value is a real number. Booleans are not numbers here, although they are integers in Python."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _is_document_count(value: Any, n_documents: float) -> bool:
    """Return whether a value is a whole number from 0 to the number of all documents."""
    return _is_number(value) and 0 <= value <= n_documents and value % 1 == 0


def _parse_ngram(ngram: Any, name: str) -> _Ngram:
    """Convert an n-gram, which is a string or a tuple, to a tuple of words."""
    words = tuple(ngram.split()) if isinstance(ngram, str) else ngram
    is_ngram = isinstance(words, tuple) and all(isinstance(word, str) for word in words)
    if not is_ngram or not 1 <= len(words) <= ORDERS:
        raise InputError(f"{name}: {ngram!r:.60} is not an n-gram of 1 to {ORDERS} words")
    return words


def _add_missing_ngrams(counts_by_order: list[_NgramTable]) -> None:
    """Add the missing prefixes and last words of n-grams to the tables, with a document count of 0.

    An n-gram can be looked up only if the tables contain its prefix and its last word.

    Args:
        counts_by_order: for each order from 1, the number of documents that contain each n-gram.
    """
    # The longest n-grams come first, because a prefix that is added to a table also needs its own prefix.
    for index in range(ORDERS - 1, 0, -1):
        for ngram in counts_by_order[index]:
            counts_by_order[index - 1].setdefault(ngram[:-1], 0)
    unigrams = counts_by_order[0]
    for ngram in chain.from_iterable(counts_by_order[1:]):
        unigrams.setdefault(ngram[-1:], 0)


def _index_ngrams(counts_by_order: list[_NgramTable], n_documents: int) -> DocumentFrequencies:
    """Assign ids to n-grams, and store their document frequencies in arrays.

    Args:
        counts_by_order: for each order from 1, the number of documents that contain each n-gram.
        n_documents: the number of all documents.
    """
    word_ids = {word: word_id for word_id, (word,) in enumerate(counts_by_order[0])}
    ngrams_by_order = []
    prefix_ids: dict[_Ngram, int] = {(): 0}
    for ngram_counts in counts_by_order:
        keyed_ngrams = _sort_by_key(ngram_counts, prefix_ids, word_ids)
        keys = np.array([key for key, _ in keyed_ngrams], np.int64)
        document_counts = np.array([ngram_counts[ngram] for _, ngram in keyed_ngrams], np.int64)
        ngrams_by_order.append(NgramFrequencies(keys, document_counts))
        # These n-grams are the prefixes of the n-grams that are one word longer.
        # The id of an n-gram is its position in the sorted list.
        prefix_ids = {ngram: ngram_id for ngram_id, (_, ngram) in enumerate(keyed_ngrams)}
    return DocumentFrequencies(word_ids, ngrams_by_order, n_documents)


def _sort_by_key(
    ngrams: Iterable[_Ngram], prefix_ids: Mapping[_Ngram, int], word_ids: Mapping[str, int]
) -> list[tuple[int, _Ngram]]:
    """Return pairs ``(key, n-gram)``, sorted by key.

    A key is an integer that combines the id of the n-gram's prefix with the id of the n-gram's last word.
    """
    vocabulary_size = len(word_ids)
    return sorted((prefix_ids[ngram[:-1]] * vocabulary_size + word_ids[ngram[-1]], ngram) for ngram in ngrams)


def digest_frequencies(frequencies: DocumentFrequencies) -> str:
    """Return a short digest of document frequencies. The signatures of metrics contain the digest."""
    state = hashlib.sha256(json.dumps([list(frequencies.word_ids), frequencies.n_documents]).encode())
    # The keys of single words are not hashed, because each key is the word's index in the list that is hashed above.
    keys = [ngrams.keys for ngrams in frequencies.ngrams_by_order[1:]]
    document_counts = [ngrams.document_counts for ngrams in frequencies.ngrams_by_order]
    for array in keys + document_counts:
        state.update(np.ascontiguousarray(array, np.int64).tobytes())
    return state.hexdigest()[:12]
