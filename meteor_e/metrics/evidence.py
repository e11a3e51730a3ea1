"""Which metric when: what the atlas measured, for a language, a length, a number of references and a purpose.

``resources/atlas.json`` is made by ``benchmarks/atlas/atlas.py`` from runs; nothing here is a judgment of ours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.languages.files import resources_folder

PURPOSES = {
    "ranking": "to order outputs of the same segment",
    "rating": "to score segments, or systems by them, as people rate them",
    "captions": "to score captions of pictures",
    "reward": "to choose or reward outputs: errors must not go unnoticed",
}
LENGTHS = 2.5
"""A set is about texts of another length if its references have so many times more words, or fewer."""


@dataclass(frozen=True)
class Advice:
    """What is known about one metric for a purpose.

    Attributes:
        metric: its name.
        gain: mean difference to METEOR over the sets that fit; for ``reward``, to METEOR's share of errors noticed.
            ``None`` where there is no evidence.
        evidence: the figures, each with METEOR's beside it.
        doubts: in what the sets differ from what was asked.
        errors: share of errors noticed, by the stress test of English; ``None`` where it was not run.
        speed: segments per second on one core.
        needs: what has to be there.
    """

    metric: str
    gain: float | None
    evidence: tuple[str, ...]
    doubts: tuple[str, ...]
    errors: float | None
    speed: int | None
    needs: str


@lru_cache(maxsize=1)
def atlas() -> dict[str, dict[str, Any]]:
    """Return what the atlas says of each metric, by its name."""
    rows = json.loads((resources_folder() / "atlas.json").read_text(encoding="utf-8"))["metrics"]
    return {row["metric"]: row for row in rows}


def _figure(entry: dict[str, Any], language: str) -> float | None:
    """Return a metric's figure on a set in a language; of a set that a model has seen, that of its sibling."""
    if language not in entry["languages"]:
        return None
    return entry.get("held_out") if entry.get("seen") else float(entry["languages"][language])


def advise(language: str, purpose: str, words: float | None = None, references: int = 1) -> list[Advice]:
    """Return what is known about each metric, the best first, those without evidence last.

    Args:
        language: ISO code of the texts.
        purpose: a key of :data:`PURPOSES`.
        words: mean length of the texts; ``None`` if it is not known.
        references: references per segment.

    Raises:
        ConfigError: for an unknown purpose.
    """
    if purpose not in PURPOSES:
        raise ConfigError(f"unknown purpose {purpose!r}{near_miss(purpose, PURPOSES)}; there are {', '.join(PURPOSES)}")
    known = atlas()
    found = [_advice(row, known, language, purpose, words, references) for row in known.values()]
    return sorted(found, key=lambda each: (each.gain is None, -(each.gain or 0.0), each.metric))


def _advice(
    row: dict[str, Any],
    known: dict[str, dict[str, Any]],
    language: str,
    purpose: str,
    words: float | None,
    references: int,
) -> Advice:
    tasks = ("ranking", "rating") if purpose == "reward" else (purpose,)
    gains, evidence, doubts = [], [], set()
    for key, entry in row["sets"].items():
        base = known["meteor"]["sets"].get(key)
        value = _figure(entry, language) if entry["task"] in tasks else None
        # A sibling's figure is of the whole set; METEOR's beside it is, too.
        other = entry.get("meteor") if entry.get("seen") else base and _figure(base, language)
        if value is None or other is None:
            continue
        gains.append(value - other)
        evidence.append(f"{key} {value:.3f} (METEOR {other:.3f})".replace(" 0.", " ."))
        if words is not None and not 1 / LENGTHS <= entry["words"] / max(words, 1) <= LENGTHS:
            doubts.add("other lengths")
        if (references > 1) != (entry["references"] > 1):
            doubts.add("one reference" if entry["references"] == 1 else "several references")
    errors = row["stress"] and row["stress"]["mean"]
    gain = sum(gains) / len(gains) if gains else None
    if purpose == "reward":
        noticed = known["meteor"]["stress"]
        gain = errors - noticed["mean"] if errors is not None and noticed and language == "en" else None
    return Advice(
        row["metric"],
        gain,
        tuple(evidence),
        tuple(sorted(doubts)),
        errors,
        row["segments_per_second"],
        row["needs"],
    )


def advice_table(found: Sequence[Advice]) -> tuple[list[str], list[list[str]], str]:
    """Return header and rows of a table of the metrics with evidence, and a line on those without."""
    rows = [
        [
            each.metric,
            f"{each.gain:+.3f}",
            "–" if each.errors is None else f"{100 * each.errors:.0f} %",
            "–" if each.speed is None else str(each.speed),
            "; ".join((*each.evidence, *(f"but {doubt}" for doubt in each.doubts))),
        ]
        for each in found
        if each.gain is not None
    ]
    without = [each.metric for each in found if each.gain is None]
    header = ["metric", "beside METEOR", "errors noticed", "segments/s", "evidence"]
    return header, rows, f"No evidence: {', '.join(without)}." if without else ""
