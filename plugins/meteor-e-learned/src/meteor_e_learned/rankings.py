"""Rankings of systems as results that every output format writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from meteor_e.api import Result
from meteor_e.api.outputs import Grid
from meteor_e.render.documents import json_ready

if TYPE_CHECKING:
    from meteor_e_learned.human_agreement import JudgedRanking
    from meteor_e_learned.prediction import Ranking


def _order(ranking: Ranking) -> list[int]:
    """Return the places of systems, the best first."""
    return sorted(range(len(ranking.ranks)), key=lambda place: (ranking.ranks[place], place))


class RankingResult(Result):
    """Systems in order, on the whole and, if they are wanted, for each segment."""

    def __init__(self, systems: Sequence[str], whole: Ranking, segments: Sequence[Ranking], signature: str) -> None:
        self.systems, self.whole, self.segments, self.signature = systems, whole, segments, signature

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield the systems in order, and the ranks in each segment."""
        places = 4 if digits is None else digits
        whole = self.whole
        rows = [[str(whole.ranks[at]), self.systems[at], f"{whole.wins[at]:.{places}f}"] for at in _order(whole)]
        yield Grid(["rank", "system", "wins"], rows, notes=[self.signature], left=2)
        if self.segments:
            ranks = [[str(number), *map(str, each.ranks)] for number, each in enumerate(self.segments, 1)]
            yield Grid(["segment", *self.systems], ranks)

    def records(self) -> Iterator[Sequence[object]]:
        """Yield the systems of each segment, if they are wanted, and then in order on the whole."""
        yield "segment", "system", "rank", "wins"
        for number, each in enumerate(self.segments, 1):
            for place, system in enumerate(self.systems):
                yield number, system, each.ranks[place], each.wins[place]
        for place in _order(self.whole):
            yield "all", self.systems[place], self.whole.ranks[place], self.whole.wins[place]


class JudgedResult(Result):
    """Rankings of judged test sets beside people's, and how far they agree."""

    def __init__(self, name: str, found: Sequence[JudgedRanking], signature: str) -> None:
        self.name, self.found, self.signature = name, found, signature

    def grids(self, digits: int | None = None) -> Iterator[Grid]:
        """Yield the systems of each test set in order, then the agreement."""
        places = 4 if digits is None else digits
        for entry in self.found:
            rows = [[str(rank), system, f"{wins:.{places}f}", f"{human:.{places}f}"]
                    for _, rank, system, wins, human in _ranked(entry)]  # fmt: skip
            yield Grid(["rank", "system", "wins", "human"], rows, f"{self.name} {entry.pair}", left=2)
        values = [[entry.agreement.share, entry.agreement.tau, entry.spearman, entry.kendall] for entry in self.found]
        counts = [entry.agreement.comparisons for entry in self.found]
        names = [entry.pair for entry in self.found]
        if len(self.found) > 1:
            names.append("mean")
            counts.append(sum(counts))
            values.append([sum(column) / len(column) for column in zip(*values, strict=True)])
        rows = [[name, str(count), *(f"{value:.{places}f}" for value in numbers)]
                for name, count, numbers in zip(names, counts, values, strict=True)]  # fmt: skip
        header = ["agreement", "comparisons", "share", "tau-strict", "system rho", "system tau-b"]
        yield Grid(header, rows, notes=[self.signature])

    def records(self) -> Iterator[Sequence[object]]:
        """Yield the systems of each test set in order."""
        yield "pair", "rank", "system", "wins", "human"
        for entry in self.found:
            yield from _ranked(entry)

    def document(self) -> Any:
        """Return the rankings and the agreement."""
        agreement = {
            entry.pair: {
                "comparisons": entry.agreement.comparisons,
                "share": entry.agreement.share,
                "tau_strict": entry.agreement.tau,
                "system_rho": entry.spearman,
                "system_tau_b": entry.kendall,
            }
            for entry in self.found
        }
        return json_ready({"signature": self.signature, "entries": list(self.entries()), "agreement": agreement})


def _ranked(entry: JudgedRanking) -> Iterator[tuple[str, int, str, float, float]]:
    for at in _order(entry.ranking):
        yield entry.pair, entry.ranking.ranks[at], entry.systems[at], entry.ranking.wins[at], entry.human[at]
