"""The commands ``meteor-e spans`` and ``meteor-e evaluate spans``."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError, InputError
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.grouped_help import GroupedCommand, OptionGroup
from meteor_e.cli.options import METRIC_GROUPS, InputFiles, MeteorMaker, files_options, metric_options
from meteor_e.cli.output import destination
from meteor_e.formats.plain import read_segments
from meteor_e.render.plain import format_table
from meteor_e_learned.spans.formats import FORMATS, written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from meteor_e import Meteor
    from meteor_e_learned.spans.evaluation import Marked, Rating
    from meteor_e_learned.spans.find import Found, Spans

__all__ = ["evaluate_spans", "spans"]

UNMATCHED = "unmatched"
"""The baseline: all words without a match."""
EVERYTHING = "everything"
"""The other baseline: the whole text."""

GROUPS = {
    "Input": OptionGroup(
        ("references", "references_per_segment", "encoding", "on_missing"), "system.txt -R first.txt -R second.txt"
    ),
    "Spans": OptionGroup(("model", "threshold"), "… --threshold 0.2"),
    **METRIC_GROUPS,
    "Output": OptionGroup(("form", "utf16", "pair", "output", "quiet"), "… --format jsonl -o spans.jsonl"),
}
"""The groups of the help text of ``spans``."""

_model = click.option(
    "--model",
    metavar="NAME",
    help="listed, any, or a file.  [default: listed where frequencies of words are known, else any]",
)


@click.command(cls=GroupedCommand, groups=GROUPS)
@files_options
@metric_options
@_model
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Mark words of at least this probability.  [default: the model's, which gave the best F1]",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice([*FORMATS]),
    default="text",
    help="; ".join(f"{name}: {what}" for name, what in FORMATS.items()) + ".  [default: text]",
)
@click.option("--utf16", is_flag=True, help="Count offsets in UTF-16 code units, as JavaScript and Java do.")
@click.option("--pair", metavar="SRC-TRG", help="Language pair, for --format wmt.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def spans(
    inputs: InputFiles,
    make_meteor: MeteorMaker,
    **options: Any,
) -> None:
    """Mark the parts of hypotheses that are probably wrong, and say why.

    The last file is the reference, unless --reference names one. Words without a match, words out of order, and what
    stands beside them decide; a model learned from people's marks how much each tells. Offsets count characters of
    the raw text; the end is exclusive. What the reference has and the hypothesis lacks is listed as missing.

    \b
    meteor-e spans system.txt reference.txt
    meteor-e spans system.txt reference.txt -l de --format jsonl -o spans.jsonl
    meteor-e spans system.txt -R first.txt -R second.txt --threshold 0.3 --format tsv
    """
    from meteor_e_learned.spans.find import Spans

    given = inputs.systems()
    if len(given) != 1:
        raise ConfigError(f"spans reads one system's outputs at a time; here are {len(given)}")
    if options["form"] == "wmt" and not options["pair"]:
        raise ConfigError("--format wmt names the language pair: give --pair SRC-TRG, such as --pair zh-en")
    finder = Spans(model=options["model"], threshold=options["threshold"], meteor=make_meteor())
    (system,) = given
    with destination(options["output"]) as stream, terminal_progress(options["quiet"]) as progress:
        segments = _with_references(finder, system.pairs())
        counted = _told(segments, lambda done: progress(system.name, done, system.size))
        stream.writelines(
            written(
                options["form"],
                counted,
                system=system.name,
                pair=options["pair"] or "",
                method=f"meteor_e-spans-{finder.model.name}",
                signature=finder.signature,
                utf16=options["utf16"],
            )
        )


def _with_references(finder: Spans, pairs: Any) -> Iterator[tuple[Found, Sequence[str]]]:
    kept, given = itertools.tee((text, [texts] if isinstance(texts, str) else list(texts)) for text, texts in pairs)
    left, right = itertools.tee(given)
    found = finder.find_all((text for text, _ in left), (texts for _, texts in right))
    return ((each, texts) for each, (_, texts) in zip(found, kept, strict=True))


def _told(segments: Iterator[Any], tell: Any) -> Iterator[Any]:
    for number, each in enumerate(segments, 1):
        tell(number)
        yield each


EVALUATE_GROUPS = {
    "Input": OptionGroup(
        ("outputs", "reference", "span_files", "documents"), "gold.tsv --outputs outputs --reference ref.txt"
    ),
    "Spans": OptionGroup(("metrics", "threshold", "language", "offline"), "… -M unmatched -M any"),
    "Measure": OptionGroup(("against", "unit", "average", "severity", "by", "samples", "seed"), "… --against union"),
    "Output": OptionGroup(("form", "output", "quiet"), "… --format json"),
}
"""The groups of the help text of ``evaluate spans``."""


@click.command("spans", cls=GroupedCommand, groups=EVALUATE_GROUPS)
@click.argument("gold", metavar="GOLD")
@click.option(
    "--outputs", required=True, metavar="DIR", help="Folder of the systems' outputs, SYSTEM.txt, one segment per line."
)
@click.option("-R", "--reference", multiple=True, metavar="FILE", help="Reference; repeat it for several.")
@click.option(
    "-M",
    "metrics",
    multiple=True,
    metavar="NAME",
    help=f"What is judged: default (the language's model), listed, any or a model's file, {UNMATCHED} (all words "
    f"without a match), {EVERYTHING}, humans (one rater against another); repeat it.  "
    f"[default: default, {UNMATCHED}, {EVERYTHING}, humans]",
)
@click.option(
    "--spans",
    "span_files",
    multiple=True,
    metavar="LABEL=DIR",
    help="Spans to be judged, too: a folder of SYSTEM.jsonl, as spans --format jsonl writes them.",
)
@click.option("-l", "--language", default="en", metavar="CODE", help="Language of the outputs.  [default: en]")
@click.option(
    "--documents", metavar="FILE", help="Domain and document of each line, tab-separated: intervals draw documents."
)
@click.option("--threshold", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="Of the models.")
@click.option("--offline", is_flag=True, help="Download nothing.")
@click.option(
    "--against",
    type=click.Choice(["each", "union"]),
    default="each",
    help="Judge by each rater on its own, or by all raters' marks together.  [default: each]",
)
@click.option("--unit", type=click.Choice(["characters", "words"]), default="characters", help="[default: characters]")
@click.option(
    "--average",
    type=click.Choice(["micro", "macro"]),
    default="micro",
    help="micro: all units count alike. macro: the mean over segments; where neither side marks anything, F1 is 1.  "
    "[default: micro]",
)
@click.option("--severity", is_flag=True, help="The wrong severity is half right, as in WMT's span task.")
@click.option("--by", type=click.Choice(["system", "domain", "severity"]), help="A table for each.")
@click.option(
    "--samples", type=click.IntRange(min=0), default=1000, help="Bootstrap samples; 0: none.  [default: 1000]"
)
@click.option("-s", "--seed", type=click.IntRange(min=0), default=12345, help="Of the samples.  [default: 12345]")
@click.option(
    "-f", "--format", "form", type=click.Choice(["text", "tsv", "json"]), default="text", help="[default: text]"
)
@click.option("-o", "--output", metavar="FILE", help="Write to a file.  [default: standard output]")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
def evaluate_spans(gold: str, outputs: str, reference: tuple[str, ...], **options: Any) -> None:
    """Measure how well error spans agree with those that people marked.

    GOLD has one row per rating, as ESA (system, line, rater, score, errors) or as Google's MQM files. Precision, recall
    and F1 are of characters or words that are marked. Intervals are bootstrap ones over documents, or over lines
    where no documents are given.

    \b
    meteor-e evaluate spans gold.tsv --outputs outputs -R ref.txt -l cs
    meteor-e evaluate spans gold.tsv --outputs outputs -R ref.txt -l cs --by system --unit words --severity
    """
    if not reference:
        raise ConfigError("give the reference: -R FILE")
    report = _Judged(gold, outputs, reference, options).report()
    with destination(options["output"]) as stream:
        if options["form"] == "json":
            json.dump(report, stream, ensure_ascii=False, indent=2)
            stream.write("\n")
            return
        header = ["spans", "of", "precision", "recall", "F1", "95 % interval", "above unmatched", "ratings"]
        rows = [_cells(row) for row in report["rows"]]
        if options["form"] == "tsv":
            stream.writelines("\t".join(row) + "\n" for row in [header, *rows])
        else:
            stream.write(format_table(header, rows, left=2) + "\n\n" + report["note"] + "\n")


def _cells(row: dict[str, Any]) -> list[str]:
    shown = [f"{row[name]:.4f}" for name in ("precision", "recall", "f1")]
    between = [
        f"[{row[name][0]:+.4f}, {row[name][1]:+.4f}]" if row.get(name) else "" for name in ("interval", "difference")
    ]
    return [row["spans"], row["of"], *shown, *between, str(row["ratings"])]


class _Judged:
    """The ratings, the outputs, and the spans that are judged."""

    def __init__(self, gold: str, outputs: str, references: Sequence[str], options: dict[str, Any]) -> None:
        from meteor_e_learned.spans.evaluation import read_ratings

        self.options = options
        self.ratings = read_ratings(gold)
        if not self.ratings:
            raise InputError(f"{gold} has no ratings")
        self.texts = {name: self._outputs(outputs, name) for name in dict.fromkeys(row.system for row in self.ratings)}
        self.references = [list(read_segments(file)) for file in references]
        size = len(self.references[0])
        for what, texts in [*self.texts.items(), *zip(references, self.references, strict=True)]:
            if len(texts) != size:
                raise InputError(f"{what} has {len(texts)} segments, {references[0]} has {size}")
        for row in self.ratings:
            if not 1 <= row.line <= size:
                raise InputError(f"{gold}: line {row.line} of {row.system} is rated; the outputs have {size} lines")
        self.documents = self._documents(size)
        self._meteor: Meteor | None = None

    @staticmethod
    def _outputs(folder: str, name: str) -> list[str]:
        file = Path(folder, f"{name}.txt")
        if not file.is_file():
            raise InputError(f"{file}: no such file; the ratings name system {name!r}")
        return list(read_segments(str(file)))

    def _documents(self, size: int) -> list[tuple[str, str]]:
        if self.options["documents"] is None:
            return [("", str(line)) for line in range(size)]
        lines = [line.split("\t") for line in read_segments(self.options["documents"])]
        if len(lines) != size or any(len(line) != 2 for line in lines):
            raise InputError(
                f"{self.options['documents']}: {size} lines of domain, tab, document are needed, one for each segment"
            )
        return [(line[0], line[1]) for line in lines]

    def report(self) -> dict[str, Any]:
        """Return the rows of the table."""
        import numpy as np

        from meteor_e_learned.spans.evaluation import counts, union

        options = self.options
        ratings = list(union(self.ratings)) if options["against"] == "union" else self.ratings
        wanted = options["metrics"] or ("default", UNMATCHED, EVERYTHING, "humans")
        found: dict[str, dict[tuple[str, int], tuple[Marked, ...]]] = {}
        signatures: dict[str, str] = {}
        needed = sorted({(row.system, row.line) for row in ratings})
        for name in wanted:
            if name != "humans":
                found[name], signatures[name] = self._found(name, needed)
        for label, folder in map(_labelled, options["span_files"]):
            found[label] = self._read(folder, needed)
        measured = {
            name: np.array(
                [
                    counts(
                        self.texts[row.system][row.line - 1],
                        marks[row.system, row.line],
                        row.spans,
                        unit=options["unit"],
                        severity=options["severity"],
                    )
                    for row in ratings
                ]
            )
            for name, marks in found.items()
        }
        rows = [
            entry
            for of, places in self._parts(ratings)
            for name in measured
            for entry in [self._row(name, of, measured, ratings, places)]
        ]
        if "humans" in wanted:
            rows += self._humans()
        return {
            "version": 1,
            "unit": options["unit"],
            "average": options["average"],
            "against": options["against"],
            "severity": "half" if options["severity"] else "ignored",
            "samples": options["samples"],
            "seed": options["seed"],
            "signatures": signatures,
            "rows": rows,
            "note": f"{options['unit']}, {options['average']}, against {options['against']} rater; bootstrap over "
            f"{'documents' if options['documents'] else 'lines'}, {options['samples']} samples, seed {options['seed']}",
        }

    def _parts(self, ratings: Sequence[Rating]) -> Iterator[tuple[str, list[int]]]:
        """Yield name and places of the ratings of each part of the table, first of all."""
        yield "all", list(range(len(ratings)))
        by = self.options["by"]
        parts: dict[str, list[int]] = {}
        for place, row in enumerate(ratings):
            if by == "severity":
                # An output belongs to the worst that is marked in it.
                worst = max((span.severity == "major" for span in row.spans), default=None)
                name = "none" if worst is None else "major" if worst else "minor"
            elif by is not None:
                name = row.system if by == "system" else self.documents[row.line - 1][0]
            else:
                return
            parts.setdefault(name, []).append(place)
        yield from sorted(parts.items())

    def _row(
        self,
        name: str,
        of: str,
        measured: dict[str, NDArray[np.float64]],
        ratings: Sequence[Rating],
        places: list[int],
    ) -> dict[str, Any]:
        from meteor_e_learned.spans.evaluation import agreement, interval

        options, macro = self.options, self.options["average"] == "macro"
        row: dict[str, Any] = {"spans": name, "of": of, "ratings": len(places)}
        row.update(agreement(measured[name][places], macro=macro)._asdict())
        if options["samples"]:
            groups = [self.documents[ratings[place].line - 1] for place in places]
            drawn: dict[str, Any] = {"macro": macro, "samples": options["samples"], "seed": options["seed"]}
            row["interval"] = interval(measured[name][places], groups, **drawn)
            if UNMATCHED in measured and name != UNMATCHED:
                others = measured[UNMATCHED][places]
                row["difference"] = interval(measured[name][places], groups, others=others, **drawn)
        return row

    def _humans(self) -> list[dict[str, Any]]:
        """Return how far one rater agrees with another, where an output has two."""
        import numpy as np

        from meteor_e_learned.spans.evaluation import agreement, counts

        options = self.options
        outputs: dict[tuple[str, int], list[Rating]] = {}
        for row in self.ratings:
            outputs.setdefault((row.system, row.line), []).append(row)
        pairs = [
            counts(
                self.texts[system][line - 1], one.spans, other.spans, unit=options["unit"], severity=options["severity"]
            )
            for (system, line), rows in outputs.items()
            for one, other in itertools.permutations({row.rater: row for row in rows}.values(), 2)
        ]
        if not pairs:
            return []
        scores = agreement(np.array(pairs), macro=options["average"] == "macro")
        return [{"spans": "humans", "of": "all", "ratings": len(pairs), **scores._asdict()}]

    def _found(
        self, name: str, needed: Sequence[tuple[str, int]]
    ) -> tuple[dict[tuple[str, int], tuple[Marked, ...]], str]:
        from meteor_e_learned.spans.evaluation import Marked
        from meteor_e_learned.spans.find import Spans

        options = self.options
        hypotheses = [self.texts[system][line - 1] for system, line in needed]
        if name == EVERYTHING:
            return {key: (Marked(0, len(text), "minor"),) for key, text in zip(needed, hypotheses, strict=True)}, name
        references = [[side[line - 1] for side in self.references] for _, line in needed]
        if self._meteor is None:
            from meteor_e import Meteor

            self._meteor = Meteor(options["language"], offline=options["offline"] or None)
        model = None if name in (UNMATCHED, "default") else name
        finder = Spans(model=model, threshold=options["threshold"], meteor=self._meteor)
        result: dict[tuple[str, int], tuple[Marked, ...]] = {}
        with terminal_progress(options["quiet"]) as progress:
            marked: Iterator[Sequence[tuple[Any, ...]]] = (
                finder.unmatched(hypotheses, references)
                if name == UNMATCHED
                else (each.spans for each in finder.find_all(hypotheses, references))
            )
            for done, (key, found) in enumerate(zip(needed, marked, strict=True), 1):
                result[key] = tuple(Marked(*span[:3]) for span in found)
                progress(name, done, len(needed))
        return result, name if name == UNMATCHED else finder.signature

    def _read(self, folder: str, needed: Sequence[tuple[str, int]]) -> dict[tuple[str, int], tuple[Marked, ...]]:
        from meteor_e_learned.spans.evaluation import read_spans

        files = {system: read_spans(str(Path(folder, f"{system}.jsonl"))) for system in {name for name, _ in needed}}
        for system, rows in files.items():
            if len(rows) != len(self.texts[system]):
                raise InputError(
                    f"{folder}/{system}.jsonl has {len(rows)} lines, the output has {len(self.texts[system])} segments"
                )
        return {(system, line): files[system][line - 1] for system, line in needed}


def _labelled(text: str) -> tuple[str, str]:
    label, separator, folder = text.partition("=")
    if not separator or not label or not folder:
        raise ConfigError(f"--spans {text!r} is not of the form LABEL=DIR")
    return label, folder
