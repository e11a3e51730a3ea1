"""Encodes the data of a report for the script of the HTML page.

The data are JSON text that is compressed with gzip and encoded as base64.

Base64 contains no special characters of HTML, so the text of a segment cannot end the HTML element that contains the
data.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats
from meteor_e.scoring.packed_alignments import MATCH_FIELDS, SIZE_FIELDS
from meteor_e_evaluation.reports.lengths import metric_scale_ends
from meteor_e_evaluation.reports.scored import Report
from meteor_e_evaluation.reports.scored_system import ScoredSystem

SCALE = 1_000_000
"""Factor by which scores are multiplied before they are rounded to integers."""

LIMIT = 400 << 20
"""Largest number of characters of JSON in a page. The JSON must fit into one string, and Chromium limits its length."""

COMPRESSION_LEVEL = 4
"""Compression level of zlib. Higher levels take much longer and hardly make the page smaller."""

GZIP_FORMAT = 16 + zlib.MAX_WBITS
"""Argument ``wbits`` of :func:`zlib.compressobj` for the gzip format."""


class RawTexts:
    """Wraps texts that msgspec cannot encode, because they may contain lone surrogates.

    Args:
        content: a text, or lists and dictionaries of texts.
    """

    def __init__(self, content: Any) -> None:
        self.content = content


def encode(report: Report) -> str:
    """Return the data of a report, encoded as text for an HTML page.

    Raises:
        InputError: if there is more data than a browser supports.
    """
    compressor = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, GZIP_FORMAT)
    compressed = bytearray()
    n_characters = 0
    for part in json_parts(report):
        n_characters += len(part)
        # The parts beyond the limit are only counted, because the error message contains the total number.
        if n_characters <= LIMIT:
            compressed += compressor.compress(part)
    if n_characters > LIMIT:
        raise InputError(
            f"the report would hold {n_characters >> 20} MB of data, more than the {LIMIT >> 20} MB that a browser can "
            "take; report on fewer systems or segments"
        )
    compressed += compressor.flush()
    return base64.b64encode(compressed).decode("ascii")


def json_parts(report: Report) -> Iterator[bytes]:
    """Yield the JSON text of a report in parts. To save memory, each part contains only one system.

    Words are stored as indices of ``vocabulary``, which is sorted by decreasing frequency. The ``matches`` of a segment
    are a flat list with five numbers per match: the start and the length in the reference, the start and the length in
    the hypothesis, and the index of the matcher.
    """
    vocabulary = _sort_words(report)
    word_ids = {word: word_id for word_id, word in enumerate(vocabulary)}
    # For each segment, a dictionary maps the index of a reference to the words of the reference.
    reference_words: list[dict[int, list[int]]] = [{} for _ in range(len(report))]
    yield b"{" + _encode_members(_make_header(report, vocabulary)) + b',"systems":['
    for index, system in enumerate(report.systems):
        hypothesis_words, best_references = _split_words(system, word_ids)
        _add_reference_words(reference_words, system, best_references)
        separator = b"," if index > 0 else b""
        yield separator + _encode_json(_make_system_data(report, index, hypothesis_words))
    yield b"]," + _encode_members({"referenceWords": reference_words}) + b"}"


def _make_header(report: Report, vocabulary: Sequence[str]) -> dict[str, Any]:
    """Return the data of a report that do not belong to a single system."""
    function_words = [word_id for word_id, word in enumerate(vocabulary) if word.lower() in report.function_words]
    return {
        "scale": SCALE,
        "meteorIndex": report.meteor,
        "metrics": [_make_metric_data(report, index) for index in range(len(report.metrics))],
        "matchers": RawTexts(report.matchers),
        "vocabulary": RawTexts(vocabulary),
        "functionWords": function_words,
        "ids": RawTexts(report.ids if report.ids else tuple(range(1, len(report) + 1))),
        "references": RawTexts(report.references),
        "lengths": report.lengths.tolist(),
    }


def _encode_members(data: dict[str, Any]) -> bytes:
    """Return the members of a JSON object without the braces around them."""
    return _encode_json(data)[1:-1]


def _encode_json(data: dict[str, Any]) -> bytes:
    """Return data as JSON.

    The standard library encodes :class:`RawTexts`, because it escapes lone surrogates. The faster library msgspec
    encodes everything else.
    """
    return msgspec.json.encode(data, enc_hook=lambda texts: msgspec.Raw(json.dumps(texts.content).encode("ascii")))


def _sort_words(report: Report) -> list[str]:
    """Return all words of the hypotheses and the best references, sorted by decreasing frequency."""
    counts: Counter[str] = Counter()
    for system in report.systems:
        alignments = system.alignments
        words = np.frombuffer(alignments.words, np.int32)
        form_counts = np.bincount(words, minlength=len(alignments.forms)).tolist()
        for form, count in zip(alignments.forms, form_counts, strict=True):
            counts[form] += count
    return sorted(counts, key=lambda word: (-counts[word], word))


def _split_words(system: ScoredSystem, word_ids: Mapping[str, int]) -> tuple[list[list[int]], list[list[int]]]:
    """Return the words of each hypothesis and of each segment's best reference as indices into the vocabulary.

    Args:
        system: the system.
        word_ids: index of each word in the vocabulary.
    """
    alignments = system.alignments
    id_of_form = np.array([word_ids[form] for form in alignments.forms], np.int64)
    form_of_word = np.frombuffer(alignments.words, np.int32)
    # The words of each hypothesis are followed by the words of the best reference of the same segment.
    text_lengths = _read_sizes(system, "hypothesis_words", "reference_words")  # (segments, 2)
    texts = _split(id_of_form[form_of_word].tolist(), text_lengths.reshape(-1))
    hypotheses, references = texts[0::2], texts[1::2]
    return hypotheses, references


def _read_sizes(system: ScoredSystem, *fields: str) -> NDArray[np.int32]:
    """Return counts for each segment, such as the number of hypothesis words, as an array ``(segments, fields)``."""
    sizes = np.frombuffer(system.alignments.sizes, np.int32).reshape(-1, len(SIZE_FIELDS))
    return sizes[:, [SIZE_FIELDS.index(field) for field in fields]]


def _split(values: list[int], sizes: NDArray[Any]) -> list[list[int]]:
    """Split a list into consecutive parts of the given sizes."""
    ends = np.cumsum(sizes).tolist()
    return [values[end - size : end] for size, end in zip(sizes.tolist(), ends, strict=True)]


def _add_reference_words(
    reference_words: list[dict[int, list[int]]], system: ScoredSystem, best_references: Sequence[list[int]]
) -> None:
    """Store the words of each segment's best reference, unless an earlier system had the same best reference.

    Args:
        reference_words: for each segment, the words by index of the reference. The function adds to it.
        system: the system.
        best_references: words of the best reference of each segment.
    """
    reference_indices = system.rows.arrays().references.tolist()
    for words_by_index, index, words in zip(reference_words, reference_indices, best_references, strict=True):
        words_by_index.setdefault(index, words)


def _make_system_data(report: Report, index: int, hypothesis_words: list[list[int]]) -> dict[str, Any]:
    """Return a dictionary for the JSON data of a report, with a system's outputs, alignments, and scores.

    Args:
        report: the report.
        index: index of the system.
        hypothesis_words: words of each hypothesis, as indices of the vocabulary.
    """
    system = report.systems[index]
    return {
        "name": RawTexts(system.name),
        "hypotheses": RawTexts(system.hypotheses),
        "hypothesisWords": hypothesis_words,
        "matches": _list_match_fields(system),
        "referenceIndices": system.rows.arrays().references.tolist(),
        "contributions": _scale(system.shares()),
        "precision": _scale(system.values("precision")),
        "recall": _scale(system.values("recall")),
        "fragmentationPenalty": _scale(system.values("fragmentation_penalty")),
        "scores": [_scale(result.segments[index]) for result in report.metrics],
    }


def _list_match_fields(system: ScoredSystem) -> list[list[int]]:
    """Return the matches of each segment as a flat list of integers, with five integers per match."""
    match_counts = _read_sizes(system, "matches").reshape(-1)
    match_fields = np.frombuffer(system.alignments.matches, np.int32).tolist()
    return _split(match_fields, match_counts * len(MATCH_FIELDS))


def _make_metric_data(report: Report, index: int) -> dict[str, Any]:
    """Return a dictionary for the JSON data of a report, with a metric's label, number format, and explanations."""
    result = report.metrics[index]
    explanations = []
    for explanation in result.explanations:
        if explanation.segment is not None:
            explanations.append({**explanation._asdict(), "text": RawTexts(explanation.text)})
    return {
        "label": RawTexts(result.label),
        "higherIsBetter": result.higher_is_better,
        "decimals": result.decimals,
        "scaleEnds": metric_scale_ends(report, index),
        "explanations": explanations,
        "remarks": RawTexts([_list_remarks(details) for details in result.details]),
    }


def _list_remarks(details: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return a dictionary that maps segment indices to the metric's explanations of the segment scores."""
    return {index: entry["explanation"] for index, entry in enumerate(details) if entry.get("explanation")}


def _scale(values: Floats) -> Any:
    """Multiply values by :data:`SCALE`, and round them to integers."""
    return np.rint(values * SCALE).astype(np.int64).tolist()
