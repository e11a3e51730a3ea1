"""The part of ``meteor-e score`` for METEOR alone: systems are scored while what they got is written."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TextIO

from meteor_e.base.errors import InputError
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.alignments import alignment_lines
from meteor_e.cli.failures import left_out_note, numbers
from meteor_e.cli.tables import format_table
from meteor_e.scoring.formula import PARTS
from meteor_e.scoring.statistics import StatisticsSum

if TYPE_CHECKING:
    from meteor_e.api.tables import SystemInput
    from meteor_e.cli.significance import SystemTests
    from meteor_e.meteor import Meteor
    from meteor_e.scoring.results import CorpusScore, Score, SegmentScore

__all__ = ["MeteorOutput"]

_TITLES = {"score": "METEOR", "f1": "F1", "fmean": "Fmean", "fragmentation_penalty": "penalty"}
"""What the table calls parts of the score that have another name there."""

Keep = Callable[[int, "SegmentScore"], object]
"""Called with each segment's number and score."""


@dataclass(frozen=True)
class MeteorOutput:
    """What is to be written, and how.

    Attributes:
        meteor: what scores.
        inputs: the systems.
        segments: whether to write the scores of segments.
        alignments: whether to write which words match.
        digits: decimals of a table for people.
        tests: collects statistics and tests the systems; ``None`` for no tests.
        left_out: numbers of segments that are left out of all systems.
        quiet: whether to show no progress.
        totals: statistics of systems that were scored before.
    """

    meteor: Meteor
    inputs: Sequence[SystemInput]
    segments: bool
    alignments: bool
    digits: int
    tests: SystemTests | None
    left_out: tuple[int, ...] = ()
    quiet: bool = False
    totals: Sequence[StatisticsSum] | None = None

    def write(self, stream: TextIO, form: str) -> None:
        """Score, and write ``quiet``, ``tsv``, ``json`` or ``text``.

        Raises:
            InputError: if a system is empty, or has a segment that cannot be aligned.
        """
        {"quiet": self._scores, "tsv": self._tsv, "json": self._json, "text": self._text}[form](stream)

    def _scores(self, stream: TextIO) -> None:
        for place in range(len(self.inputs)):
            stream.write(f"{self._scored(place).score!r}\n")

    def _tsv(self, stream: TextIO) -> None:
        stream.write("\t".join(("system", "segment", *PARTS)) + "\n")
        for place, system in enumerate(self.inputs):

            def line(number: int | str, result: Score, name: str = system.name) -> None:
                stream.write("\t".join((name, str(number), *(repr(getattr(result, part)) for part in PARTS))) + "\n")

            line("all", self._scored(place, line if self.segments else None))

    def _json(self, stream: TextIO) -> None:
        results = []
        hidden = {"signature"} if self.alignments else {"signature", "alignment"}
        for place, system in enumerate(self.inputs):
            kept: list[dict[str, Any]] = []

            def keep(number: int, segment: SegmentScore, kept: list[dict[str, Any]] = kept) -> None:
                entry = segment.to_dict()
                kept.append({"segment": number, **{key: entry[key] for key in entry if key not in hidden}})

            wanted = self.segments or self.alignments
            corpus = self._scored(place, keep if wanted else None).to_dict()
            del corpus["signature"]
            results.append({"system": system.name, **corpus, **({"segments": kept} if wanted else {})})
        document: dict[str, Any] = {
            "signature": self.meteor.signature,
            "chain": self.meteor.chain.effective(),
            "engine": self.meteor.engine,
            "systems": results,
        }
        if self.left_out:
            document["left_out"] = list(self.left_out)
        if self.tests is not None:
            document["significance"] = self.tests.to_dict(self.meteor)
        json.dump(document, stream, ensure_ascii=False, indent=2)
        stream.write("\n")

    def _text(self, stream: TextIO) -> None:
        rows = []
        for place, system in enumerate(self.inputs):
            prefix = f"{system.name} " if len(self.inputs) > 1 else ""

            def show(number: int, segment: SegmentScore, prefix: str = prefix) -> None:
                stream.write(f"{prefix}segment {number}: {segment.score:.{self.digits}f}\n")
                if self.alignments:
                    stream.writelines(line + "\n" for line in [*alignment_lines(segment.alignment), ""])

            corpus = self._scored(place, show if self.segments or self.alignments else None)
            parts = [f"{getattr(corpus, part):.{self.digits}f}" for part in PARTS]
            rows.append([system.name, *parts, str(corpus.segment_count)])
        if self.segments or self.alignments:
            stream.write("\n")
        header = ["system", *(_TITLES.get(part, part) for part in PARTS), "segments"]
        table = format_table(header, rows)
        stream.write(f"{table}\n\n{self.meteor.signature}\n{left_out_note(self.left_out)}")
        if self.tests is not None:
            stream.write("\n" + self.tests.table(self.meteor, self.digits))

    def _scored(self, place: int, keep: Keep | None = None) -> CorpusScore:
        """Score one system; segments are handed on as they are scored, and not kept."""
        meteor, system = self.meteor, self.inputs[place]
        if self.totals is not None:
            return meteor.corpus_score(self.totals[place])
        total = StatisticsSum(len(meteor.matchers))
        statistics = None if self.tests is None else self.tests.start(system.name)
        with terminal_progress(self.quiet) as progress:
            if keep is None and statistics is None:
                total = meteor.statistics(
                    *_sides(system), progress=lambda _, done, __: progress(system.name, done, system.size)
                )
            else:
                scored = meteor.segments(*_sides(system), alignments=self.alignments)
                for number, segment in zip(numbers(self.left_out), scored, strict=False):
                    total.add(segment.statistics)
                    if statistics is not None:
                        statistics.append(segment.statistics)
                    if keep is not None:
                        keep(number, segment)
                    progress(system.name, number, system.size)
        if not total.segments:
            raise InputError(f"{system.name} is empty; there is nothing to score")
        return meteor.corpus_score(total)


def _sides(system: SystemInput) -> tuple[Iterator[str], Iterator[str | Sequence[str]]]:
    """Return the hypotheses and the references, each pair read when it is needed."""
    hypotheses, references = itertools.tee(system.pairs())
    return map(itemgetter(0), hypotheses), map(itemgetter(1), references)
