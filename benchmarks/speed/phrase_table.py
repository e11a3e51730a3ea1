"""Time and memory of reading a large Moses phrase table, as ``meteor-e pack build --phrase-table`` does.

    meteor-e pack build -l en --bitext europarl.en europarl.fr --pivot-language fr --work WORK --keep-work
    python benchmarks/speed/phrase_table.py make WORK table.gz        # a table of the phrase pairs of that build
    python benchmarks/speed/phrase_table.py read WORK table.gz SCRATCH

``read`` filters by the common words of the build and numbers the phrases in the folder SCRATCH, which must not be
there; it prints processor time and the highest resident memory after reading, numbering and opening.
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path

from meteor_e_bitext.corpus import Corpus
from meteor_e_bitext.moses import write_phrase_table
from meteor_e_bitext.phrase_table import convert_phrase_table, open_phrase_table
from meteor_e_bitext.phrases import read_phrase_pairs
from meteor_e_bitext.pivot import PivotOptions, WordFilter


def corpora(work: Path) -> tuple[Corpus, Corpus]:
    """Return both sides of a build."""
    return Corpus(work / "tokens" / "language"), Corpus(work / "tokens" / "pivot")


def make(work: Path, table: Path) -> None:
    """Write the phrase pairs of a build as a table."""
    lines = write_phrase_table(table, read_phrase_pairs(*corpora(work), work / "phrases", 0.0))
    print(f"{lines:,} lines, {table.stat().st_size / 1e6:.0f} MB")


def read(work: Path, table: Path, scratch: Path) -> None:
    """Read a table and say what it took."""
    options = PivotOptions()
    filters = [WordFilter(side.common_words(options.common), options.symbols) for side in corpora(work)]

    def say(what: str) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = used.ru_utime + used.ru_stime
        print(f"{what}: {seconds:.0f} s of processor time, {used.ru_maxrss / 1024:.0f} MiB at most", flush=True)

    def progress(stage: str, done: float, total: float | None) -> None:
        if done == total:
            say(stage)

    say("begin")
    scratch.mkdir()
    convert_phrase_table(
        table, filters[0], filters[1], scratch, least_probability=options.least_product, progress=progress
    )
    pairs = open_phrase_table(scratch)
    say("opened")
    sizes = len(pairs.pair_phrases), len(pairs.phrases.places), len(pairs.pivots.places)
    print("{:,} pairs of {:,} phrases and {:,} of the pivot language".format(*sizes))


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, names in (("make", ("work", "table")), ("read", ("work", "table", "scratch"))):
        command = commands.add_parser(name)
        for argument in names:
            command.add_argument(argument, type=Path)
    arguments = vars(parser.parse_args())
    {"make": make, "read": read}[arguments.pop("command")](**arguments)


if __name__ == "__main__":
    main()
