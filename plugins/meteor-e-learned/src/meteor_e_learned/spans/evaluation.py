"""Agreement of error spans with those that people marked."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import InputError
from meteor_e.base.files import open_regular

__all__ = ["Agreement", "Marked", "Rating", "agreement", "counts", "interval", "read_ratings", "read_spans", "union"]

SEVERITIES = ("minor", "major")
_WORD = re.compile(r"\w+|[^\w\s]")
_LARGEST = 64 * 1024 * 1024


class Marked(NamedTuple):
    """A marked part of a text: offsets in characters, the end exclusive; the severity is ``minor`` or ``major``."""

    start: int
    end: int
    severity: str


class Rating(NamedTuple):
    """What one rater marked in one output.

    Attributes:
        system: that made the output.
        line: of the segment, from 1.
        rater: who marked.
        spans: what was marked; omissions are left out.
    """

    system: str
    line: int
    rater: str
    spans: tuple[Marked, ...]


class Agreement(NamedTuple):
    """Precision, recall and F1 of what was marked, in [0, 1]."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class _Units:
    """The characters or the words of a text."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def marks(self, spans: Sequence[Marked]) -> NDArray[np.int64]:
        """Return 0 for each unit that is not marked, 1 for minor, 2 for major; a word counts if a part is marked."""
        result = np.zeros(len(self.starts), np.int64)
        for start, end, severity in spans:
            first, last = np.searchsorted(self.ends, start, "right"), np.searchsorted(self.starts, end, "left")
            level = 2 if severity == "major" else 1
            result[first:last] = np.maximum(result[first:last], level)
        return result


def _units(text: str, unit: str) -> _Units:
    if unit == "characters":
        places = np.arange(len(text))
        return _Units(places, places + 1)
    found = [match.span() for match in _WORD.finditer(text)]
    table = np.array(found, np.int64).reshape(-1, 2)
    return _Units(table[:, 0], table[:, 1])


def counts(
    text: str,
    predicted: Sequence[Marked],
    marked: Sequence[Marked],
    *,
    unit: str = "characters",
    severity: bool = False,
) -> tuple[float, float, float]:
    """Return how many units are right, how many are predicted, and how many people marked.

    Args:
        text: the hypothesis.
        predicted: spans to be judged.
        marked: spans of people.
        unit: ``characters`` or ``words`` (runs of letters and digits, and single marks).
        severity: whether a unit with the wrong severity is only half right, as in WMT's span task.
    """
    units = _units(text, unit)
    left, right = units.marks(predicted), units.marks(marked)
    both = (left > 0) & (right > 0)
    credit = np.where(left == right, 1.0, 0.5) if severity else np.ones(len(left))
    return float(credit[both].sum()), float((left > 0).sum()), float((right > 0).sum())


def agreement(rows: NDArray[np.float64], *, macro: bool = False) -> Agreement:
    """Return precision, recall and F1 of segments.

    Args:
        rows: ``(segments, 3)``, as :func:`counts` gives them.
        macro: the mean over segments, in which a segment where neither side marks anything has 1, and one where only
            one side does has 0; else all units count alike, and segments without marks count nothing.
    """
    if macro:
        right, predicted, marked = rows.T
        empty = (predicted == 0) & (marked == 0)
        shares = [np.where(empty, 1.0, right / np.where(side > 0, side, 1)) for side in (predicted, marked)]
        f1 = np.where(empty, 1.0, 2 * right / np.where(predicted + marked > 0, predicted + marked, 1))
        means = [float(each.mean()) if len(rows) else 0.0 for each in (*shares, f1)]
        return Agreement(*means)
    right, predicted, marked = rows.sum(axis=0) if len(rows) else np.zeros(3)
    if not predicted and not marked:
        return Agreement(1.0, 1.0, 1.0)
    return Agreement(
        float(right / predicted) if predicted else 0.0,
        float(right / marked) if marked else 0.0,
        float(2 * right / (predicted + marked)),
    )


def interval(
    rows: NDArray[np.float64],
    groups: Sequence[object],
    *,
    others: NDArray[np.float64] | None = None,
    macro: bool = False,
    samples: int = 1000,
    seed: int = 12345,
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of an F1, or of how far it is above another.

    Args:
        rows: ``(segments, 3)``, as :func:`counts` gives them.
        groups: of each segment; groups are drawn whole, such as documents or source lines.
        others: rows of what it is compared with, for the same segments.
        macro: as in :func:`agreement`.
        samples: how many are drawn.
        seed: of the draws.
    """
    number: dict[object, int] = {}
    places = np.array([number.setdefault(group, len(number)) for group in groups])
    draw = np.random.default_rng(seed)
    members = [np.flatnonzero(places == place) for place in range(len(number))] if macro else []
    sums = [_grouped(each, places, len(number)) for each in (rows, others) if each is not None]
    found = np.empty(samples)
    for sample in range(samples):
        drawn = draw.integers(len(number), size=len(number))
        if macro:
            chosen = np.concatenate([members[place] for place in drawn])
            scores = [agreement(each[chosen], macro=True).f1 for each in (rows, others) if each is not None]
        else:
            scores = [agreement(each[drawn]).f1 for each in sums]
        found[sample] = scores[0] - (scores[1] if len(scores) > 1 else 0.0)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)


def _grouped(rows: NDArray[np.float64], places: NDArray[np.int64], groups: int) -> NDArray[np.float64]:
    return np.stack([np.bincount(places, column, groups) for column in rows.T], axis=1)


def union(ratings: Iterable[Rating]) -> Iterator[Rating]:
    """Yield for each output the spans of all its raters together."""
    together: dict[tuple[str, int], list[Marked]] = defaultdict(list)
    for rating in ratings:
        together[rating.system, rating.line] += rating.spans
    for (system, line), spans in together.items():
        yield Rating(system, line, "union", tuple(spans))


def read_ratings(file: str) -> list[Rating]:
    """Read what people marked.

    Two forms are known by their header: ``system line rater score errors``, in which ``errors`` is a JSON list of
    ``[start, end, severity]`` with the last character as the end (ESA), and Google's MQM, one row per error with the
    span between ``<v>`` and ``</v>`` in ``target``.

    Raises:
        InputError: for a file of another form, or a row that is wrong.
    """
    with open_regular(file) as handle:
        lines = handle.read().decode("utf-8").splitlines()
    header = lines[0].split("\t") if lines else []
    if {"system", "line", "rater", "errors"} <= {*header}:
        return [_esa_rating(file, number, line, header) for number, line in enumerate(lines[1:], 2)]
    if {"system", "rater", "target", "severity"} <= {*header}:
        return _mqm_ratings(file, lines[1:], header)
    raise InputError(
        f"{file}: its first line names neither the columns of ESA (system, line, rater, score, errors) "
        "nor those of MQM (system, …, rater, source, target, category, severity)"
    )


def _esa_rating(file: str, number: int, line: str, header: Sequence[str]) -> Rating:
    cells = line.split("\t")
    try:
        if len(cells) != len(header):
            raise ValueError(f"{len(cells)} columns, and the header has {len(header)}")
        row = dict(zip(header, cells, strict=True))
        spans = []
        for start, end, severity in json.loads(row["errors"]):
            if start == "missing":
                continue
            if not (type(start) is int and type(end) is int and 0 <= start <= end):
                raise ValueError(f"a span from {start!r} to {end!r}")
            spans.append(Marked(start, end + 1, "major" if severity == "major" else "minor"))
        return Rating(row["system"], int(row["line"]), row["rater"], tuple(spans))
    except (ValueError, TypeError) as error:
        raise InputError(f"{file}, line {number}: {error}") from error


def _mqm_ratings(file: str, lines: Sequence[str], header: Sequence[str]) -> list[Rating]:
    segment = next((name for name in ("globalSegId", "seg_id", "segment_id") if name in header), None)
    if segment is None:
        raise InputError(f"{file}: no column says the segment (globalSegId or seg_id)")
    found: dict[tuple[str, int, str], list[Marked]] = {}
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        if len(cells) < len(header):
            raise InputError(f"{file}, line {number}: {len(cells)} columns, and the header has {len(header)}")
        row = dict(zip(header, cells, strict=False))
        if not row[segment].isdecimal():
            raise InputError(f"{file}, line {number}: {row[segment]!r} is no number of a segment")
        spans = found.setdefault((row["system"], int(row[segment]), row["rater"]), [])
        start = row["target"].find("<v>")
        severity = row["severity"].lower()
        if start < 0 or severity in ("no-error", "neutral"):
            continue
        end = row["target"].find("</v>", start)
        if end < 0:
            raise InputError(f"{file}, line {number}: <v> without </v>")
        if end > start + 3:
            spans.append(Marked(start, end - 3, "major" if severity in ("major", "critical") else "minor"))
    return [Rating(*key, tuple(spans)) for key, spans in found.items()]


def read_spans(file: str) -> list[tuple[Marked, ...]]:
    """Read spans as ``meteor-e spans --format jsonl`` writes them, one segment per line.

    Raises:
        InputError: for a line of another form.
    """
    result = []
    with open_regular(file) as handle:
        for number, line in enumerate(handle, 1):
            try:
                if len(line) > _LARGEST:
                    raise ValueError(f"longer than {_LARGEST} bytes")
                entry: Mapping[str, Any] = json.loads(line)
                spans = tuple(Marked(each["start"], each["end"], each["severity"]) for each in entry["spans"])
                if any(type(at) is not int or at < 0 for each in spans for at in each[:2]):
                    raise ValueError("an offset is not a whole number from 0 on")
            except (ValueError, TypeError, KeyError) as error:
                raise InputError(
                    f"{file}, line {number}: not a line of `meteor-e spans --format jsonl`: {error}"
                ) from error
            result.append(spans)
    return result
