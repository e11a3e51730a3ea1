"""Which METEOR gives a reported number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from meteor_e.api import ConfigError, InputError, Progress
from meteor_e.toolkit import check_items, format_table, silent
from meteor_e_evaluation.which.candidates import LEVELS, Candidate, Texts, every_meteor
from meteor_e_evaluation.which.reported import Reported

_SAME = 1e-12
_SHOWN = 3
_MATCHES = 3
"""How many numbers are named: the most usual that match. Of equally usual ones, the nearest to the middle."""


@dataclass(frozen=True)
class Row:
    """Candidates that give one number, the most usual first.

    Attributes:
        candidates: them.
        score: the number, a share of 1.
        distance: from what rounds to the reported number, a share of 1; 0 where it does.
    """

    candidates: tuple[Candidate, ...]
    score: float
    distance: float

    @property
    def unusual(self) -> int:
        """How many settings of the most usual candidate are not its program's usual ones."""
        return self.candidates[0].unusual


@dataclass(frozen=True)
class Findings:
    """What was found.

    Attributes:
        reported: the number.
        segments: how many segments were scored.
        computed: how many candidates.
        matches: what rounds to the number, the most usual first, at most three unless all were asked for.
        nearest: what is nearest to it, where nothing matches; else nothing.
        others: further matches, of settings that are no more usual.
        left_out: what could not be computed here, and why.
    """

    reported: Reported
    segments: int
    computed: int
    matches: tuple[Row, ...]
    nearest: tuple[Row, ...]
    others: tuple[Row, ...]
    left_out: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return everything as JSON has it."""

        def entry(row: Row) -> dict[str, Any]:
            found = [asdict(candidate) for candidate in row.candidates]
            return {"score": row.score, "distance": row.distance, "candidates": found}

        return {
            "reported": asdict(self.reported),
            "segments": self.segments,
            "computed": self.computed,
            **{name: list(map(entry, getattr(self, name))) for name in ("matches", "nearest", "others")},
            "left_out": list(self.left_out),
        }

    def text(self) -> str:
        """Return tables, the sentence of the best match, and what is missing."""
        rows = self.matches or self.nearest
        spell = self.reported.spell
        count = len(self.matches)
        number = f"{self.computed} ways to compute METEOR on {self.segments} segments"
        if count:
            verb = "number rounds" if count + len(self.others) == 1 else "numbers round"
            lines = [f"{self.reported.text}: of {number}, {count + len(self.others)} {verb} to it."]
        else:
            lines = [f"{self.reported.text}: none of {number} gives it. The nearest:"]
        cells = []
        for row in rows:
            for place, found in enumerate(row.candidates[:_SHOWN]):
                scores = ["", ""] if place else [spell(row.score), spell(abs(row.score - self.reported.value))]
                cells.append([*scores, found.program, found.level, found.settings])
            if len(row.candidates) > _SHOWN:
                cells.append(["", "", "", "", f"and {len(row.candidates) - _SHOWN} more with the same number"])
        lines += ["", format_table(["METEOR", "distance", "program", "level", "settings"], cells, left=3).rstrip(), ""]
        if self.others:
            lines.append(f"{len(self.others)} more numbers round to it, of settings no more usual; --all lists them.")
        best = rows[0].candidates[0]
        if count:
            lines += [f"signature: {best.signature}", f"for a paper: {best.sentence}"]
        notes = dict.fromkeys(each.note for row in rows for each in row.candidates if each.note)
        lines += [f"note: {note}" for note in notes]
        lines += [f"not computed: {each}" for each in self.left_out]
        return "\n".join(lines) + "\n"


def which(
    reported: str,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    language: str = "en",
    *,
    scale: str = "auto",
    level: str | None = None,
    everything: bool = False,
    formulas: Sequence[Sequence[float]] = (),
    nearest: int = 5,
    offline: bool | None = None,
    progress: Progress = silent,
) -> Findings:
    """Find the METEORs that give a reported number.

    Args:
        reported: the number as it was printed, such as ``27.3`` or ``.273``: its digits say how exact it is.
        hypotheses: one text per segment.
        references: one list of texts per reference.
        language: ISO 639-1 code.
        scale: ``percent``, ``fraction``, or ``auto``.
        level: ``corpus`` or ``segments``; by default both.
        everything: name all that match, not only the three most usual numbers; run chains that read texts with an
            encoder, too.
        formulas: further parameters to try: α, β, γ, δ, and weights of modules if they are others than the task's.
        nearest: how many to name where nothing matches.
        offline: download nothing.
        progress: told how far it is.

    Raises:
        ConfigError: for what is not a number, and an unknown language.
        InputError: for texts that do not line up.
        ResourceError: if METEOR's resources are missing.
    """
    number = Reported.parse(reported, scale)
    _check_level(level)
    texts = Texts(*_checked(hypotheses, references), language, everything, formulas)
    found = list(every_meteor(texts, progress, offline))
    return matching(
        number, found, len(texts.hypotheses), level, everything=everything, nearest=nearest, left_out=texts.left_out
    )


def matching(
    number: Reported,
    found: Sequence[Candidate],
    segments: int,
    level: str | None = None,
    *,
    everything: bool = False,
    nearest: int = 5,
    left_out: Sequence[str] = (),
) -> Findings:
    """Find the candidates that give a reported number; see :func:`which`.

    Args:
        number: the reported one.
        found: all candidates.
        segments: how many segments were scored.
        level: ``corpus`` or ``segments``; by default both.
        everything: name all that match, not only the three most usual numbers.
        nearest: how many to name where nothing matches.
        left_out: what could not be computed, and why.
    """
    _check_level(level)
    found = [each for each in found if level in (None, each.level)]
    rows = sorted(_rows(found, number), key=lambda row: (row.distance, row.unusual, abs(row.score - number.value)))
    matches = [row for row in rows if row.distance == 0]
    named = len(matches) if everything else _MATCHES
    return Findings(
        number,
        segments,
        len(found),
        tuple(matches[:named]),
        () if matches else tuple(rows[:nearest]),
        tuple(matches[named:]),
        tuple(left_out),
    )


def _check_level(level: str | None) -> None:
    if level is not None and level not in LEVELS:
        raise ConfigError(f"level is {level!r}; there are {', '.join(LEVELS)}")


def _checked(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    sides = {f"reference {number}": side for number, side in enumerate(references, 1)}
    texts, *others = check_items((), hypotheses=hypotheses, **sides).values()
    if not texts or not others:
        raise InputError("there are no segments" if not texts else "there are no references")
    return texts, others


def _rows(found: Sequence[Candidate], number: Reported) -> list[Row]:
    """Put candidates of one number together."""
    groups: list[list[Candidate]] = []
    for each in sorted(found, key=lambda candidate: candidate.score):
        if groups and each.score - groups[-1][-1].score <= _SAME:
            groups[-1].append(each)
        else:
            groups.append([each])
    return [
        Row(tuple(sorted(group, key=lambda each: each.unusual)), group[0].score, number.distance(group[0].score))
        for group in groups
    ]
