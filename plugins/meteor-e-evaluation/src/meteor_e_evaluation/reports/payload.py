"""The data of the page's script in a compact form: JSON, compressed with gzip, encoded as base64.

Base64 does not use characters with a meaning in HTML, so no segment can end the element that contains the data.
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
"""Scores are stored as whole multiples of a millionth."""

LIMIT = 400 << 20
"""Largest number of characters of JSON in a page, which must fit into one string: Chromium's longest has 2²⁹ − 24."""

COMPRESSION_LEVEL = 4
"""Level of zlib. Level 6 takes four times as long, and makes the page a tenth smaller."""

GZIP_FORMAT = 16 + zlib.MAX_WBITS
"""Argument ``wbits`` of :func:`zlib.compressobj` for the gzip format."""


class RawTexts:
    """Texts that may contain any characters, also lone surrogates.

    Args:
        content: a text, or lists and dictionaries of texts.
    """

    def __init__(self, content: Any) -> None:
        self.content = content


def encode(report: Report) -> str:
    """Return the data of a report as text; the same report gives the same text.

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
    """Yield the JSON text of a report in parts. Only one system's data is in memory at a time.

    Words are ids of ``vocabulary``, in which more frequent words come first. The ``matches`` of a segment are a flat
    list of ``reference start, reference length, hypothesis start, hypothesis length, matcher`` per match, sorted by
    reference.
    """
    vocabulary = _sort_words(report)
    word_ids = {word: word_id for word_id, word in enumerate(vocabulary)}
    header = {
        "scale": SCALE,
        "meteor": report.meteor,
        "metrics": [_metric_payload(result, index == report.meteor) for index, result in enumerate(report.metrics)],
        "matchers": RawTexts(report.matchers),
        "vocabulary": RawTexts(vocabulary),
        "functionWords": [word_id for word, word_id in word_ids.items() if word.lower() in report.function_words],
        "ids": RawTexts(report.ids or tuple(range(1, len(report) + 1))),
        "references": RawTexts(report.references),
        "lengths": report.lengths.tolist(),
    }
    yield _encode_json(header).removesuffix(b"}")
    reference_words: list[dict[int, list[int]]] = [{} for _ in range(len(report))]
    for index, system in enumerate(report.systems):
        segment_words = _split_words(system, word_ids)
        _add_reference_words(reference_words, system, segment_words)
        yield b"," if index else b',"systems":['
        yield _encode_json(_system_payload(report, index, system, segment_words))
    yield b'],"referenceWords":' + msgspec.json.encode(reference_words) + b"}"


def _encode_json(data: dict[str, Any]) -> bytes:
    """Return data as JSON.

    msgspec is faster for numbers; json escapes all characters that are not ASCII, also lone surrogates.
    """
    return msgspec.json.encode(data, enc_hook=lambda texts: msgspec.Raw(json.dumps(texts.content).encode("ascii")))


def _sort_words(report: Report) -> list[str]:
    """Return all words of hypotheses and of their best references, the most frequent first."""
    counts: Counter[str] = Counter()
    for system in report.systems:
        alignments = system.alignments
        words = np.frombuffer(alignments.words, np.int32)
        form_counts = np.bincount(words, minlength=len(alignments.forms)).tolist()
        for form, count in zip(alignments.forms, form_counts, strict=True):
            counts[form] += count
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


class SegmentWords(NamedTuple):
    """Words of a system's segments.

    Attributes:
        hypotheses: for each segment the ids of the words of the hypothesis.
        references: for each segment the ids of the words of the best reference.
    """

    hypotheses: list[list[int]]
    references: list[list[int]]


def _split_words(system: ScoredSystem, word_ids: Mapping[str, int]) -> SegmentWords:
    """Return the words of a system's segments as ids of the vocabulary."""
    alignments = system.alignments
    ids_of_forms = np.array([word_ids[form] for form in alignments.forms], np.int64)
    ids = ids_of_forms[np.frombuffer(alignments.words, np.int32)].tolist()
    sizes = np.frombuffer(alignments.sizes, np.int32).reshape(-1, len(SIZE_FIELDS))[:, :2]
    parts = _split(ids, sizes.ravel())
    return SegmentWords(parts[::2], parts[1::2])


def _split(values: list[int], sizes: NDArray[Any]) -> list[list[int]]:
    """Split a list into lists of the sizes."""
    ends = np.cumsum(sizes).tolist()
    return [values[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _add_reference_words(
    reference_words: list[dict[int, list[int]]], system: ScoredSystem, segment_words: SegmentWords
) -> None:
    """Add the words of a system's best references, unless an earlier system has the same reference of the segment."""
    reference_indexes = system.rows.arrays().references.tolist()
    for words_by_index, index, words in zip(reference_words, reference_indexes, segment_words.references, strict=True):
        words_by_index.setdefault(index, words)


def _system_payload(report: Report, index: int, system: ScoredSystem, segment_words: SegmentWords) -> dict[str, Any]:
    alignments = system.alignments
    match_counts = np.frombuffer(alignments.sizes, np.int32)[SIZE_FIELDS.index("matches") :: len(SIZE_FIELDS)]
    match_numbers = np.frombuffer(alignments.matches, np.int32).tolist()
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
    explanations = [
        {"system": explanation.system, "segment": explanation.segment, "text": RawTexts(explanation.text)}
        for explanation in result.explanations
        if explanation.segment is not None
    ]
    return {
        "label": RawTexts(result.label),
        "higher": result.higher_is_better,
        "decimals": result.decimals,
        "ends": (0, 1) if is_meteor else scale_ends(result.segments),
        "explanations": explanations,
        "remarks": RawTexts([_remarks(details) for details in result.details]),
    }


def _remarks(details: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return a metric's remarks on the segments of a system, by index of the segment."""
    return {index: entry["said"] for index, entry in enumerate(details) if entry.get("said")}


def _scale(values: Floats) -> Any:
    """Return values as whole multiples of a millionth."""
    return np.rint(values * SCALE).astype(np.int64).tolist()
