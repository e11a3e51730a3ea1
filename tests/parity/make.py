"""Ask the Java program for the figures in the parity files, and write them beside the sentences.

    METEOR_E_JAR=.../meteor-1.5.jar python tests/parity/make.py [--check]

The sentences are read from the files themselves: to add a case, add a line with its first cells and run this.
With ``--check`` nothing is written; the exit code is 1 if a file is not what the Java program says.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from parity_cases import (
    ALIGNMENT_FILE,
    COMMAND,
    CORPUS_FILE,
    SCORE_FILES,
    TOKEN_FILES,
    CorpusCase,
    OwnResources,
    ScoreCase,
    TokenCase,
    head,
    loads_table,
    read_scores,
    read_tokens,
    score_line,
    token_line,
)

MADE_FILES = [*SCORE_FILES, *TOKEN_FILES, ALIGNMENT_FILE]
"""All but the corpus file, which is made of the others."""


class Java(Protocol):
    """Runs a main class of the jar, and returns its output."""

    def __call__(self, arguments: Sequence[str], *, main: str | None = None) -> str: ...


def java_of(jar: Path) -> Java:
    def run(arguments: Sequence[str], *, main: str | None = None) -> str:
        start = ["-jar", str(jar)] if main is None else ["-cp", str(jar), main]
        command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", *start, *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode()

    return run


def write_lines(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
    return str(path)


class Aligned(NamedTuple):
    """A segment of an alignment file."""

    figures: list[str]
    """Precision, recall, penalty and score; not in the aligner's own files."""
    hypothesis: str
    matches: str
    """``j:len-i:len@module`` a match."""


def alignments(text: str) -> list[Aligned]:
    """Read an alignment file."""
    found = []
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("Alignment"):
            hypothesis, _, _ = next(lines), next(lines), next(lines)
            matches = []
            while match := next(lines):
                reference, other, module, _ = match.replace("\t\t\t", "\t").replace("\t\t", "\t").split("\t")
                matches.append(f"{reference}-{other}@{module}")
            found.append(Aligned(line.split("\t")[2:], hypothesis, " ".join(matches)))
    return found


def score_run(java: Java, own: OwnResources, cases: Sequence[ScoreCase]) -> tuple[list[ScoreCase], list[str]]:
    """Run all cases that share their options; return them with figures, and the system block's six figures.

    METEOR's own paraphrase table takes seconds to load, so runs that read it leave the system block out.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [
            write_lines(folder / "hypotheses", [case.hypothesis for case in cases]),
            write_lines(folder / "references", [text for case in cases for text in case.references]),
            *own.java_arguments(cases[0].options),
            *("-r", str(len(cases[0].references))),
        ]
        statistics = java([*arguments, "-ssOut", "-writeAlignments", "-f", str(folder / "java")]).splitlines()
        aligned = alignments((folder / "java-align.out").read_text(encoding="utf-8"))
        printed = [] if loads_table(cases[0].options) else java(arguments).split("\n")
    block = dict(line.split(":") for line in printed if line.count(":") == 1)
    names = ("Precision", "Recall", "f1", "fMean", "Fragmentation penalty", "Final score")
    done = [
        ScoreCase(*case[:4], vector.replace(".0", ""), *found.figures, found.matches)
        for case, vector, found in zip(cases, statistics, aligned, strict=True)
    ]
    return done, [block[name].strip() for name in names if block]


def token_run(java: Java, own: OwnResources, cases: Sequence[TokenCase]) -> list[TokenCase]:
    """Let the Java program tokenize all cases that share their options."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = write_lines(folder / "lines", [case.text for case in cases])
        options = [*own.java_arguments(cases[0].options), "-m", "exact", "-w", "1.0"]
        java([lines, lines, *options, "-writeAlignments", "-f", str(folder / "java")])
        found = alignments((folder / "java-align.out").read_text(encoding="utf-8"))
    return [case._replace(tokens=segment.hypothesis) for case, segment in zip(cases, found, strict=True)]


def matcher_run(java: Java, own: OwnResources, cases: Sequence[ScoreCase]) -> list[ScoreCase]:
    """Run the Java aligner in its mode ``maxacc``."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [
            write_lines(folder / "hypotheses", [case.hypothesis for case in cases]),
            write_lines(folder / "references", [case.references[0] for case in cases]),
            *own.java_arguments(cases[0].options),
        ]
        found = alignments(java([*arguments, "-t", "maxacc"], main="Matcher"))
    return [case._replace(alignment=segment.matches) for case, segment in zip(cases, found, strict=True)]


def grouped(cases, key):
    """Return groups of cases with equal keys, in the order of first appearance."""
    groups = {}
    for case in cases:
        groups.setdefault(key(case), []).append(case)
    return list(groups.values())


def make(java: Java, own: OwnResources, path: Path) -> tuple[str, list[CorpusCase]]:
    """Return the text that a parity file should have, and the lines of the corpus file that belong to it."""
    lines: list[str] = []
    corpora: list[CorpusCase] = []
    if path in TOKEN_FILES:
        for tokens in grouped(read_tokens(path), lambda case: case.options):
            lines += map(token_line, token_run(java, own, tokens))
    elif path == ALIGNMENT_FILE:
        for cases in grouped(read_scores(path), lambda case: case.options):
            lines += map(score_line, matcher_run(java, own, cases))
    else:
        for cases in grouped(read_scores(path), lambda case: case.run):
            done, block = score_run(java, own, cases)
            lines += map(score_line, done)
            if block:
                corpora.append(CorpusCase(path.name, done[0].options, str(len(done[0].references)), *block))
    return "\n".join(head(path)) + "\n" + "".join(lines), corpora


def corpus_text(corpora: Iterable[CorpusCase]) -> str:
    """Return the text that the corpus file should have."""
    return "\n".join(head(CORPUS_FILE)) + "\n" + "".join("\t".join(case) + "\n" for case in corpora)


def main() -> int:
    jar = os.environ.get("METEOR_E_JAR")
    if not jar or not Path(jar).is_file():
        print(f"{COMMAND}: set METEOR_E_JAR to the path of meteor-1.5.jar", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        java, own = java_of(Path(jar)), OwnResources(Path(folder))
        made = {path: make(java, own, path) for path in MADE_FILES}
    texts = {path: text for path, (text, _) in made.items()}
    texts[CORPUS_FILE] = corpus_text(case for _, corpora in made.values() for case in corpora)
    changed = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    for path in changed:
        print(path.name)
        if "--check" not in sys.argv:
            path.write_text(texts[path], encoding="utf-8", newline="\n")
    return 1 if changed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
