"""The data of the page's script, in a compact form: JSON, gzip, base64.

Base64 has no character that means anything in HTML, so that no segment can end the element that holds the data.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from typing import Any

import msgspec
import numpy as np

from meteor_e import Alignment
from meteor_e.api import InputError
from meteor_e.base.array_cache import Floats
from meteor_e_evaluation.reports.lengths import ends_of
from meteor_e_evaluation.reports.scored import PARTS, MetricResult, Report

SCALE = 1_000_000
"""Scores are sent as whole numbers of millionths."""

LIMIT = 256 << 20
"""Characters of JSON that a page may hold; browsers do not take texts much longer than that."""


class RawTexts:
    """Raw texts, which may hold anything.

    Args:
        content: a text, or lists of texts.
    """

    def __init__(self, content: Any) -> None:
        self.content = content


def payload(report: Report) -> dict[str, Any]:
    """Return the data of the page.

    It is for :func:`encode`. Words are numbers into ``vocabulary``, the most frequent ones first. ``matches`` of a
    segment is a flat list of ``reference start, reference length, hypothesis start, hypothesis length, matcher``,
    sorted by reference.
    """
    words: Counter[str] = Counter()
    for system in report.systems:
        for segment in system.segments:
            words.update(segment.alignment.hypothesis)
            words.update(segment.alignment.reference)
    vocabulary = [word for word, _ in sorted(words.items(), key=lambda item: (-item[1], item[0]))]
    numbers = {word: number for number, word in enumerate(vocabulary)}
    reference_words: list[dict[int, list[int]]] = [{} for _ in range(len(report))]
    systems = []
    for at, system in enumerate(report.systems):
        tokens, matches, used = [], [], []
        for known, segment in zip(reference_words, system.segments, strict=True):
            alignment, index = segment.alignment, segment.reference_index
            if index not in known:
                known[index] = [numbers[word] for word in alignment.reference]
            tokens.append([numbers[word] for word in alignment.hypothesis])
            matches.append(_flat(alignment))
            used.append(index)
        entry: dict[str, Any] = {
            "name": RawTexts(system.name),
            "hypotheses": RawTexts(system.hypotheses),
            "words": tokens,
            "matches": matches,
            "references": used,
            "shares": _scaled(system.shares()),
        }
        entry |= {name: _scaled(system.values(name)) for name in PARTS}
        entry["scores"] = [_scaled(result.segments[at]) for result in report.metrics]
        systems.append(entry)
    functional = [number for number, word in enumerate(vocabulary) if word.lower() in report.function_words]
    return {
        "scale": SCALE,
        "meteor": report.meteor,
        "metrics": [
            {
                "label": RawTexts(result.label),
                "higher": result.higher_is_better,
                "decimals": result.decimals,
                "ends": (0, 1) if at == report.meteor else ends_of(result.segments),
                "explanations": [
                    {"system": one.system, "segment": one.segment, "text": RawTexts(one.text)}
                    for one in result.explanations
                    if one.segment is not None
                ],
                "remarks": RawTexts(_remarks(result)),
            }
            for at, result in enumerate(report.metrics)
        ],
        "matchers": RawTexts(report.matchers),
        "vocabulary": RawTexts(vocabulary),
        "functionWords": functional,
        "ids": RawTexts(report.ids or tuple(range(1, len(report) + 1))),
        "references": RawTexts(report.references),
        "referenceWords": reference_words,
        "lengths": report.lengths.tolist(),
        "systems": systems,
    }


def _remarks(result: MetricResult) -> list[dict[int, str]]:
    """Return for each system, by segment, what a metric says in words."""
    return [
        {number: entry["said"] for number, entry in enumerate(told) if entry.get("said")} for told in result.details
    ]


def _flat(alignment: Alignment) -> list[int]:
    return [number for match in alignment.matches for number in match[:5]]


def _scaled(values: Floats) -> Any:
    return np.rint(values * SCALE).astype(np.int64).tolist()


def encode(data: dict[str, Any]) -> str:
    """Pack the data for the page; the same data gives the same text.

    Raises:
        InputError: if it is more than a browser can take.
    """
    # Numbers by msgspec, which is quicker; texts with escapes for all that is not ASCII, so that lone surrogates
    # survive.
    text = msgspec.json.encode(data, enc_hook=lambda texts: msgspec.Raw(json.dumps(texts.content).encode("ascii")))
    if len(text) > LIMIT:
        raise InputError(
            f"the report would hold {len(text) >> 20} MB of data, more than the {LIMIT >> 20} MB that a browser can "
            "take; report on fewer systems or segments"
        )
    return base64.b64encode(gzip.compress(text, 6, mtime=0)).decode("ascii")
