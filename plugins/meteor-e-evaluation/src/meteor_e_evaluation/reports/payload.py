"""The data of the page's script in a compact form: JSON, compressed with gzip, encoded as base64.

Base64 does not use characters with a meaning in HTML, so no segment can end the element that contains the data.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.reports.lengths import scale_ends
from meteor_e_evaluation.reports.scored import PARTS, MetricResult, Report, ScoredSystem

SCALE = 1_000_000
"""Scores are stored as whole multiples of a millionth."""

LIMIT = 400 << 20
"""Largest number of characters of JSON in a page, which must fit into one string: Chromium's longest has 2²⁹ − 24."""


class RawTexts:
    """Texts that may contain any characters, also lone surrogates.

    Args:
        content: a text, or lists and dictionaries of texts.
    """

    def __init__(self, content: Any) -> None:
        self.content = content


def payload(report: Report) -> dict[str, Any]:
    """Return the data of the page for :func:`encode`.

    Words are ids of ``vocabulary``, in which more frequent words come first. The ``matches`` of a segment are a flat
    list of ``reference start, reference length, hypothesis start, hypothesis length, matcher`` per match, sorted by
    reference.
    """
    vocabulary = _vocabulary(report)
    word_ids = {word: word_id for word_id, word in enumerate(vocabulary)}
    reference_words: list[dict[int, list[int]]] = [{} for _ in range(len(report))]
    systems = [
        _system_payload(report, index, system, word_ids, reference_words) for index, system in enumerate(report.systems)
    ]
    return {
        "scale": SCALE,
        "meteor": report.meteor,
        "metrics": [_metric_payload(result, index == report.meteor) for index, result in enumerate(report.metrics)],
        "matchers": RawTexts(report.matchers),
        "vocabulary": RawTexts(vocabulary),
        "functionWords": [word_id for word_id, word in enumerate(vocabulary) if word.lower() in report.function_words],
        "ids": RawTexts(report.ids or tuple(range(1, len(report) + 1))),
        "references": RawTexts(report.references),
        "referenceWords": reference_words,
        "lengths": report.lengths.tolist(),
        "systems": systems,
    }


def _vocabulary(report: Report) -> list[str]:
    """Return all words of hypotheses and references, the most frequent first."""
    counts: Counter[str] = Counter()
    for system in report.systems:
        for segment in system.segments:
            counts.update(segment.alignment.hypothesis)
            counts.update(segment.alignment.reference)
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _system_payload(
    report: Report,
    index: int,
    system: ScoredSystem,
    word_ids: dict[str, int],
    reference_words: list[dict[int, list[int]]],
) -> dict[str, Any]:
    """Return the data of a system, and add the words of its references to ``reference_words``."""
    words, matches, reference_indices = [], [], []
    for segment, words_by_reference in zip(system.segments, reference_words, strict=True):
        alignment, reference_index = segment.alignment, segment.reference_index
        if reference_index not in words_by_reference:
            words_by_reference[reference_index] = [word_ids[word] for word in alignment.reference]
        words.append([word_ids[word] for word in alignment.hypothesis])
        matches.append([number for match in alignment.matches for number in match[:5]])
        reference_indices.append(reference_index)
    return {
        "name": RawTexts(system.name),
        "hypotheses": RawTexts(system.hypotheses),
        "words": words,
        "matches": matches,
        "references": reference_indices,
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


def encode(data: dict[str, Any]) -> str:
    """Return the data of the page as text; the same data gives the same text.

    Raises:
        InputError: if there is more data than a browser supports.
    """
    # msgspec is faster for numbers; json escapes all characters that are not ASCII, also lone surrogates.
    text = msgspec.json.encode(data, enc_hook=lambda texts: msgspec.Raw(json.dumps(texts.content).encode("ascii")))
    if len(text) > LIMIT:
        raise InputError(
            f"the report would hold {len(text) >> 20} MB of data, more than the {LIMIT >> 20} MB that a browser can "
            "take; report on fewer systems or segments"
        )
    return base64.b64encode(gzip.compress(text, 6, mtime=0)).decode("ascii")
