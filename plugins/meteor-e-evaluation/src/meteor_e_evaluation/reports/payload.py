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
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats
from meteor_e.scoring.packed_alignments import MATCH_FIELDS, SIZE_FIELDS
from meteor_e_evaluation.reports.lengths import scale_ends
from meteor_e_evaluation.reports.scored import MetricResult, Report
from meteor_e_evaluation.reports.scored_system import PARTS, ScoredSystem

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
    size = 0
    for part in json_parts(report):
        size += len(part)
        if size <= LIMIT:
            compressed += compressor.compress(part)
    if size > LIMIT:
        raise InputError(
            f"the report would hold {size >> 20} MB of data, more than the {LIMIT >> 20} MB that a browser can "
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
    segment_ids = report.ids if report.ids else tuple(range(1, len(report) + 1))
    header = {
        "scale": SCALE,
        "meteor": report.meteor,
        "metrics": [_metric_payload(result, index == report.meteor) for index, result in enumerate(report.metrics)],
        "matchers": RawTexts(report.matchers),
        "vocabulary": RawTexts(vocabulary),
        "functionWords": [word_id for word, word_id in word_ids.items() if word.lower() in report.function_words],
        "ids": RawTexts(segment_ids),
        "references": RawTexts(report.references),
        "lengths": report.lengths.tolist(),
    }
    # The closing brace of the header is removed, because the systems are added to the same JSON object.
    yield _encode_json(header).removesuffix(b"}")
    yield b',"systems":['
    reference_words: list[dict[int, list[int]]] = [{} for _ in range(len(report))]
    for index, system in enumerate(report.systems):
        if index > 0:
            yield b","
        segment_words = _split_words(system, word_ids)
        _add_reference_words(reference_words, system, segment_words)
        yield _encode_json(_system_payload(report, index, system, segment_words))
    yield b'],"referenceWords":' + msgspec.json.encode(reference_words) + b"}"


def _encode_json(data: dict[str, Any]) -> bytes:
    """Return data as JSON.

    The standard library encodes :class:`RawTexts`, because it escapes lone surrogates. The faster library msgspec
    encodes everything else.
    """
    return msgspec.json.encode(data, enc_hook=_encode_texts)


def _encode_texts(texts: RawTexts) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(texts.content).encode("ascii"))


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


class SegmentWords(NamedTuple):
    """Words of a system's hypotheses and references, as indices of a vocabulary.

    Attributes:
        hypotheses: words of each hypothesis.
        references: words of the best reference of each segment.
    """

    hypotheses: list[list[int]]
    references: list[list[int]]


def _split_words(system: ScoredSystem, word_ids: Mapping[str, int]) -> SegmentWords:
    """Convert the words of a system's hypotheses and best references to indices of the vocabulary.

    Args:
        system: the system.
        word_ids: index of each word in the vocabulary.
    """
    alignments = system.alignments
    id_by_form = np.array([word_ids[form] for form in alignments.forms], np.int64)
    ids: list[int] = id_by_form[np.frombuffer(alignments.words, np.int32)].tolist()
    # For each segment, the list contains the hypothesis words, followed by the words of the best reference.
    word_counts = _read_sizes(system, "hypothesis_words", "reference_words")  # (segments, 2)
    parts = _split(ids, word_counts.reshape(-1))
    return SegmentWords(hypotheses=parts[0::2], references=parts[1::2])


def _read_sizes(system: ScoredSystem, *fields: str) -> NDArray[np.int32]:
    """Return the named numbers of a system's segments, such as the number of words, ``(segments, fields)``."""
    sizes = np.frombuffer(system.alignments.sizes, np.int32).reshape(-1, len(SIZE_FIELDS))
    return sizes[:, [SIZE_FIELDS.index(field) for field in fields]]


def _split(values: list[int], sizes: NDArray[Any]) -> list[list[int]]:
    """Split a list into consecutive parts of the given sizes."""
    parts = []
    start = 0
    for size in sizes.tolist():
        parts.append(values[start : start + size])
        start += size
    return parts


def _add_reference_words(
    reference_words: list[dict[int, list[int]]], system: ScoredSystem, segment_words: SegmentWords
) -> None:
    """Add the words of the references that gave a system its best scores.

    Args:
        reference_words: for each segment, the words by index of the reference. The function adds to it.
        system: the system.
        segment_words: words of the system's segments.
    """
    reference_indices = system.rows.arrays().references.tolist()
    for words_by_index, index, words in zip(reference_words, reference_indices, segment_words.references, strict=True):
        words_by_index.setdefault(index, words)


def _system_payload(report: Report, index: int, system: ScoredSystem, segment_words: SegmentWords) -> dict[str, Any]:
    """Return the data of a system, which are encoded as JSON."""
    match_counts = _read_sizes(system, "matches").reshape(-1)
    match_numbers = np.frombuffer(system.alignments.matches, np.int32).tolist()
    return {
        "name": RawTexts(system.name),
        "hypotheses": RawTexts(system.hypotheses),
        "words": segment_words.hypotheses,
        "matches": _split(match_numbers, match_counts * len(MATCH_FIELDS)),
        "references": system.rows.arrays().references.tolist(),
        "shares": _scale(system.shares()),
        **{part: _scale(system.values(part)) for part in PARTS},
        "scores": [_scale(result.segments[index]) for result in report.metrics],
    }


def _metric_payload(result: MetricResult, is_meteor: bool) -> dict[str, Any]:
    """Return the data of a metric, which are encoded as JSON."""
    explanations = []
    for system, segment, text in result.explanations:
        if segment is not None:
            explanations.append({"system": system, "segment": segment, "text": RawTexts(text)})
    return {
        "label": RawTexts(result.label),
        "higher": result.higher_is_better,
        "decimals": result.decimals,
        "ends": (0, 1) if is_meteor else scale_ends(result.segments),
        "explanations": explanations,
        "remarks": RawTexts([_list_remarks(details) for details in result.details]),
    }


def _list_remarks(details: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return a dictionary that maps segment indices to remarks of a metric."""
    return {index: entry["said"] for index, entry in enumerate(details) if entry.get("said")}


def _scale(values: Floats) -> Any:
    """Multiply values by :data:`SCALE`, and round them to integers."""
    return np.rint(values * SCALE).astype(np.int64).tolist()
