"""Which METEOR gives a reported number, or several numbers of one METEOR."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from meteor_e.api import ConfigError, InputError
from meteor_e.base.progress import Progress, silent
from meteor_e.base.texts import check_items
from meteor_e.render.plain import format_table
from meteor_e_evaluation.which.candidates import LEVELS, Candidate, Texts, every_meteor
from meteor_e_evaluation.which.reported import Reported

_SAME = 1e-12
_SHOWN = 3
_SHOWN_OF_A_MATCH = 12
"""How many settings with one number the text shows; JSON has all."""
_FIRST_YEAR = 2005
_MOST_DECIMALS = 12


class Evidence(NamedTuple):
    """A further number of the same METEOR, such as that of another system, level or language.

    Attributes:
        reported: the number as it was printed.
        hypotheses: one text per segment.
        references: one list of texts per reference.
        language: ISO 639-1 code.
    """

    reported: str
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    language: str = "en"


@dataclass(frozen=True)
class Row:
    """Candidates that give the same numbers, the most usual first.

    Attributes:
        candidates: them.
        scores: their value for each reported number, a share of 1.
        distance: the largest from what rounds to a reported number, a share of 1; 0 where all round to theirs.
    """

    candidates: tuple[Candidate, ...]
    scores: tuple[float, ...]
    distance: float

    @property
    def score(self) -> float:
        """The value for the first number."""
        return self.scores[0]

    @property
    def unusual(self) -> int:
        """How many settings of the most usual candidate are not its program's usual ones."""
        return self.candidates[0].unusual


class Group(NamedTuple):
    """Matches of one program: a candidate in the sense of a user. Its settings are details.

    Attributes:
        name: of the program.
        rows: its numbers that match, those of the most usual settings first.
    """

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Findings:
    """What was found.

    Attributes:
        numbers: those reported.
        segments: how many segments the first is of.
        computed: how many candidates.
        matches: all that rounds to the numbers, the most usual first.
        nearest: what is nearest, where nothing matches; else nothing.
        left_out: what could not be computed here, or not in the year, and why.
    """

    numbers: tuple[Reported, ...]
    segments: int
    computed: int
    matches: tuple[Row, ...]
    nearest: tuple[Row, ...]
    left_out: tuple[str, ...]

    @property
    def reported(self) -> Reported:
        """The first number."""
        return self.numbers[0]

    @property
    def groups(self) -> tuple[Group, ...]:
        """The matches by program, the likeliest first. What gives the same number is with its most usual settings."""
        return _groups(self.matches)

    def differences(self) -> list[str]:
        """Return in what the matches differ: what to ask the authors. Those of one number count once."""
        found = [row.candidates[0] for row in self.matches]
        names = dict.fromkeys(name for each in found for name in each.details)
        differing = [name for name in names if len({each.details[name] for each in found if name in each.details}) > 1]
        return [
            *["program"] * (len(self.groups) > 1),
            *["corpus score or mean of segments"] * (len({each.level for each in found}) > 1),
            *differing,
        ]

    def decimals(self) -> int | None:
        """Return how many decimals of the first number would tell all matches apart; ``None`` if none do."""
        if len(self.matches) < 2:
            return None
        for more in range(1, _MOST_DECIMALS - self.reported.decimals):
            if len({self.reported.spell(row.score, more) for row in self.matches}) == len(self.matches):
                return self.reported.decimals + more
        return None

    def document(self) -> dict[str, Any]:
        """Return everything as JSON has it."""

        def entry(row: Row) -> dict[str, Any]:
            found = [asdict(candidate) for candidate in row.candidates]
            return {"scores": row.scores, "distance": row.distance, "candidates": found}

        return {
            "reported": [asdict(number) for number in self.numbers],
            "segments": self.segments,
            "computed": self.computed,
            "programs": [{"name": group.name, "matches": list(map(entry, group.rows))} for group in self.groups],
            "nearest": list(map(entry, self.nearest)),
            "differences": self.differences(),
            "decimals": self.decimals(),
            "left_out": list(self.left_out),
        }

    def text(self) -> str:
        """Return tables, the sentence of the best match, what tells the rest apart, and what is missing."""
        rows, groups = self.matches or self.nearest, self.groups or _groups(self.nearest)
        spoken = ", ".join(number.text for number in self.numbers)
        number = f"{self.computed} ways to compute METEOR on {self.segments} segments"
        one = "it" if len(self.numbers) == 1 else "all of them"
        if self.matches:
            programs, settings = len(groups), sum(len(row.candidates) for row in rows)
            lines = [f"{spoken}: of {number}, {settings} {'gives' if settings == 1 else 'give'} {one}"]
            lines[0] += f", of {programs} program{'s' * (programs > 1)}; the likeliest first."
        else:
            lines = [f"{spoken}: none of {number} gives {one}. The nearest:"]
        several = len(self.numbers) > 1
        heads = [number.text for number in self.numbers] if several else ["METEOR", "distance"]
        cells = []
        for place, group in enumerate(groups, 1):
            for at, row in enumerate(group.rows):
                shown = _SHOWN_OF_A_MATCH if self.matches else _SHOWN
                for same, found in enumerate(row.candidates[:shown]):
                    scores = [number.spell(score) for number, score in zip(self.numbers, row.scores, strict=True)]
                    scores += [] if several else [self.reported.spell(abs(row.score - self.reported.value))]
                    cells.append(
                        [
                            "" if at or same else f"{place}. {group.name}",
                            *(["="] + [""] * (len(scores) - 1) if same else scores),
                            found.program,
                            found.level,
                            found.settings,
                        ]
                    )
                if len(row.candidates) > shown:
                    more = f"and {len(row.candidates) - shown} more settings with the same number; -f json names them"
                    cells.append([""] * (len(heads) + 3) + [more])
        table = format_table(["candidate", *heads, "run with", "level", "settings"], cells, left=len(heads) + 4)
        lines += ["", table, ""]
        if self.matches:
            best = rows[0].candidates[0]
            lines += [f"signature: {best.signature}", f"for a paper: {best.sentence}"]
        lines += self._advice()
        notes = dict.fromkeys(each.note for row in rows for each in row.candidates if each.note)
        lines += [f"note: {note}" for note in notes]
        lines += [f"not computed: {each}" for each in self.left_out]
        return "\n".join(lines) + "\n"

    def _advice(self) -> list[str]:
        if len(self.matches) < 2:
            return []
        decimals = self.decimals()
        lines = [f"to ask the authors: {', '.join(self.differences())}"] * bool(self.differences())
        told = f"{decimals} decimal{'s' * (decimals > 1)}, or " if decimals is not None else ""
        return [*lines, f"to tell them apart: {told}a further number of theirs, such as another system's (--also)"]


def which(
    reported: str,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    language: str = "en",
    *,
    also: Sequence[Evidence] = (),
    year: int | None = None,
    scale: str = "auto",
    level: str | None = None,
    encoders: bool = False,
    formulas: Sequence[Sequence[float]] = (),
    nearest: int = 5,
    offline: bool | None = None,
    progress: Progress = silent,
) -> Findings:
    """Find the METEORs that give a reported number.

    Args:
        reported: the number as it was printed, such as ``27.3`` or ``.273``: its digits say how exact it is. Before it
            may stand what it is of, as in ``corpus=27.3``, ``segments=.281``, ``precision=61.2``.
        hypotheses: one text per segment.
        references: one list of texts per reference.
        language: ISO 639-1 code.
        also: further numbers of the same METEOR. Settings match if they give all numbers; those that do not say their
            level have the same.
        year: of the paper: what could not be run then is left out.
        scale: ``percent``, ``fraction``, or ``auto``.
        level: ``corpus`` or ``segments``; by default both.
        encoders: run chains that read texts with an encoder, too.
        formulas: further parameters to try: α, β, γ, δ, and weights of modules if they are others than the task's.
        nearest: how many to name where nothing matches.
        offline: download nothing.
        progress: told how far it is.

    Raises:
        ConfigError: for what is not a number, an unknown language, or a year before METEOR.
        InputError: for texts that do not line up.
        ResourceError: if METEOR's resources are missing.
    """
    every = [Evidence(reported, hypotheses, references, language), *also]
    numbers = [Reported.parse(each.reported, scale) for each in every]
    _check(level, year)
    computed: list[tuple[Texts, list[Candidate]]] = []
    found = []
    for each in every:
        texts = Texts(*_checked(each.hypotheses, each.references), each.language, encoders, formulas)
        known = [
            candidates
            for other, candidates in computed
            if (other.hypotheses, other.references, other.language)
            == (texts.hypotheses, texts.references, texts.language)
        ]
        if not known:
            computed.append((texts, list(every_meteor(texts, progress, offline))))
            known = [computed[-1][1]]
        found.append(known[0])
    left_out = list(dict.fromkeys(reason for texts, _ in computed for reason in texts.left_out))
    segments = len(computed[0][0].hypotheses)
    return matching(numbers, found, segments, level, year=year, nearest=nearest, left_out=left_out)


def matching(
    numbers: Sequence[Reported],
    found: Sequence[Sequence[Candidate]],
    segments: int,
    level: str | None = None,
    *,
    year: int | None = None,
    nearest: int = 5,
    left_out: Sequence[str] = (),
) -> Findings:
    """Find the candidates that give reported numbers; see :func:`which`.

    Args:
        numbers: the reported ones.
        found: all candidates on the texts of each number.
        segments: how many segments the first is of.
        level: ``corpus`` or ``segments``; by default both.
        year: of the paper.
        nearest: how many to name where nothing matches.
        left_out: what could not be computed, and why.
    """
    _check(level, year)
    combined = list(_combined(numbers, found, level))
    late = dict.fromkeys(one.family for one, _ in combined if year is not None and one.since > year)
    combined = [(one, scores) for one, scores in combined if year is None or one.since <= year]
    if late:
        left_out = [*left_out, f"settings newer than {year} of {', '.join(late)}"]
    rows = sorted(
        _rows(combined, numbers), key=lambda row: (row.distance, row.unusual, abs(row.score - numbers[0].value))
    )
    matches = tuple(row for row in rows if row.distance == 0)
    return Findings(
        tuple(numbers), segments, len(combined), matches, () if matches else tuple(rows[:nearest]), tuple(left_out)
    )


def _check(level: str | None, year: int | None) -> None:
    if level is not None and level not in LEVELS:
        raise ConfigError(f"level is {level!r}; there are {', '.join(LEVELS)}")
    if year is not None and year < _FIRST_YEAR:
        raise ConfigError(f"METEOR was published in {_FIRST_YEAR}; a paper of {year} cannot report it")


def _checked(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    sides = {f"reference {number}": side for number, side in enumerate(references, 1)}
    texts, *others = check_items((), hypotheses=hypotheses, **sides).values()
    if not texts or not others:
        raise InputError("there are no segments" if not texts else "there are no references")
    return texts, others


def _combined(
    numbers: Sequence[Reported], found: Sequence[Sequence[Candidate]], level: str | None
) -> Iterator[tuple[Candidate, tuple[float, ...]]]:
    """Return the settings that give a value for every number, with these values.

    Numbers that do not say their level are taken to be of one level.
    """
    tables = [{(each.key, each.level): each for each in candidates} for candidates in found]
    assumed = LEVELS if level is None and not all(number.level for number in numbers) else (level or LEVELS[0],)
    for one, key in itertools.product(assumed, dict.fromkeys(each.key for each in found[0])):
        chosen = [table.get((key, number.level or one)) for number, table in zip(numbers, tables, strict=True)]
        scores = [
            None if each is None else each.value(number.what) for number, each in zip(numbers, chosen, strict=True)
        ]
        values = tuple(score for score in scores if score is not None)
        if chosen[0] is not None and len(values) == len(scores):
            yield chosen[0], values


def _rows(combined: Sequence[tuple[Candidate, tuple[float, ...]]], numbers: Sequence[Reported]) -> list[Row]:
    """Put candidates of the same numbers together."""
    groups: list[tuple[tuple[float, ...], list[Candidate]]] = []
    for candidate, scores in sorted(combined, key=lambda each: each[1]):
        for others, group in reversed(groups):
            if all(abs(one - other) <= _SAME for one, other in zip(scores, others, strict=True)):
                group.append(candidate)
                break
            if scores[0] - others[0] > _SAME:
                groups.append((scores, [candidate]))
                break
        else:
            groups.append((scores, [candidate]))
    return [
        Row(
            tuple(sorted(group, key=lambda each: each.unusual)),
            scores,
            max(number.distance(score) for number, score in zip(numbers, scores, strict=True)),
        )
        for scores, group in groups
    ]


def _groups(rows: Sequence[Row]) -> tuple[Group, ...]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.candidates[0].family, []).append(row)
    return tuple(Group(name, tuple(group)) for name, group in found.items())
