"""Run the Java program on the sentences of the parity files, and write its output into the files.

    METEOR_E_JAR=.../meteor-1.5.jar python tests/parity/make.py [--check]

The sentences are read from the parity files. To add a case, add a line with its first cells, and run this script.
With ``--check``, the script does not write files, and exits with code 1 if a file differs from the output of the Java
program.
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
    ScoreCase,
    SmallResources,
    TokenCase,
    format_score_line,
    format_token_line,
    loads_table,
    read_comments,
    read_scores,
    read_tokens,
)

JAVA_OUTPUT_FILES = [*SCORE_FILES, *TOKEN_FILES, ALIGNMENT_FILE]
"""All parity files except the corpus file, which is computed from the cases of the score files."""


class Java(Protocol):
    """A function that runs a main class of the jar and returns the output."""

    def __call__(self, arguments: Sequence[str], *, main: str | None = None) -> str: ...


def make_java_runner(jar: Path) -> Java:
    """Return a function that runs the main classes of a jar."""

    def run(arguments: Sequence[str], *, main: str | None = None) -> str:
        program = ["-jar", str(jar)] if main is None else ["-cp", str(jar), main]
        command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", *program, *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode()

    return run


def write_lines(path: Path, lines: Sequence[str]) -> str:
    """Write lines to a file, and return its path as text."""
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")
    return str(path)


class AlignedSegment(NamedTuple):
    """A segment of an alignment file."""

    scores: list[str]
    """Precision, recall, penalty and score. The output of the Java aligner (class Matcher) does not contain scores."""
    hypothesis: str
    matches: str
    """The matches, separated by spaces. A match is written ``start:length-start:length@module``, reference first."""


def parse_alignments(text: str) -> list[AlignedSegment]:
    """Return the segments of an alignment file."""
    segments = []
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("Alignment"):
            hypothesis, _, _ = next(lines), next(lines), next(lines)
            matches = []
            while match := next(lines):
                cells = match.replace("\t\t\t", "\t").replace("\t\t", "\t").split("\t")
                reference_match, hypothesis_match, module, _ = cells
                matches.append(f"{reference_match}-{hypothesis_match}@{module}")
            segments.append(AlignedSegment(line.split("\t")[2:], hypothesis, " ".join(matches)))
    return segments


def run_scoring(java: Java, resources: SmallResources, cases: Sequence[ScoreCase]) -> tuple[list[ScoreCase], list[str]]:
    """Score all cases of a run. Return the cases with their results, and the six system scores.

    The system scores need a second call of the Java program. They are omitted if the program would load METEOR's own
    paraphrase table, which takes seconds.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [
            write_lines(folder / "hypotheses", [case.hypothesis for case in cases]),
            write_lines(folder / "references", [text for case in cases for text in case.references]),
            *resources.make_java_arguments(cases[0].options),
            *("-r", str(len(cases[0].references))),
        ]
        statistics = java([*arguments, "-ssOut", "-writeAlignments", "-f", str(folder / "java")]).splitlines()
        segments = parse_alignments((folder / "java-align.out").read_text(encoding="utf-8"))
        output_lines = [] if loads_table(cases[0].options) else java(arguments).split("\n")
    system_scores = dict(line.split(":") for line in output_lines if line.count(":") == 1)
    names = ("Precision", "Recall", "f1", "fMean", "Fragmentation penalty", "Final score")
    scored_cases = [
        ScoreCase(*case[:4], vector.replace(".0", ""), *segment.scores, segment.matches)
        for case, vector, segment in zip(cases, statistics, segments, strict=True)
    ]
    return scored_cases, [system_scores[name].strip() for name in names if system_scores]


def run_tokenization(java: Java, resources: SmallResources, cases: Sequence[TokenCase]) -> list[TokenCase]:
    """Tokenize all cases of a run. The cases have the same options."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = write_lines(folder / "lines", [case.text for case in cases])
        options = [*resources.make_java_arguments(cases[0].options), "-m", "exact", "-w", "1.0"]
        java([lines, lines, *options, "-writeAlignments", "-f", str(folder / "java")])
        segments = parse_alignments((folder / "java-align.out").read_text(encoding="utf-8"))
    return [case._replace(tokens=segment.hypothesis) for case, segment in zip(cases, segments, strict=True)]


def run_aligner(java: Java, resources: SmallResources, cases: Sequence[ScoreCase]) -> list[ScoreCase]:
    """Align all cases of a run with the Java aligner in its mode ``maxacc``. The cases have the same options."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = [
            write_lines(folder / "hypotheses", [case.hypothesis for case in cases]),
            write_lines(folder / "references", [case.references[0] for case in cases]),
            *resources.make_java_arguments(cases[0].options),
        ]
        segments = parse_alignments(java([*arguments, "-t", "maxacc"], main="Matcher"))
    return [case._replace(alignment=segment.matches) for case, segment in zip(cases, segments, strict=True)]


def group_cases(cases, key):
    """Return groups of cases with equal keys, in the order of first appearance."""
    groups = {}
    for case in cases:
        groups.setdefault(key(case), []).append(case)
    return list(groups.values())


def generate_parity_file(java: Java, resources: SmallResources, path: Path) -> tuple[str, list[CorpusCase]]:
    """Return the text that a parity file should contain, and the corresponding cases of the corpus file."""
    lines: list[str] = []
    corpus_cases: list[CorpusCase] = []
    if path in TOKEN_FILES:
        for token_cases in group_cases(read_tokens(path), lambda case: case.options):
            lines += map(format_token_line, run_tokenization(java, resources, token_cases))
    elif path == ALIGNMENT_FILE:
        for cases in group_cases(read_scores(path), lambda case: case.options):
            lines += map(format_score_line, run_aligner(java, resources, cases))
    else:
        for cases in group_cases(read_scores(path), lambda case: case.run_key):
            scored_cases, system_scores = run_scoring(java, resources, cases)
            lines += map(format_score_line, scored_cases)
            if system_scores:
                options, reference_count = cases[0].run_key
                corpus_cases.append(CorpusCase(path.name, options, str(reference_count), *system_scores))
    return "\n".join(read_comments(path)) + "\n" + "".join(lines), corpus_cases


def format_corpus_file(corpus_cases: Iterable[CorpusCase]) -> str:
    """Return the text that the corpus file should contain."""
    return "\n".join(read_comments(CORPUS_FILE)) + "\n" + "".join("\t".join(case) + "\n" for case in corpus_cases)


def main() -> int:
    """Write or check the parity files, and return the exit code."""
    jar = os.environ.get("METEOR_E_JAR")
    if not jar or not Path(jar).is_file():
        print(f"{COMMAND}: set METEOR_E_JAR to the path of meteor-1.5.jar", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        java, resources = make_java_runner(Path(jar)), SmallResources(Path(folder))
        results = {path: generate_parity_file(java, resources, path) for path in JAVA_OUTPUT_FILES}
    texts = {path: text for path, (text, _) in results.items()}
    texts[CORPUS_FILE] = format_corpus_file(case for _, corpus_cases in results.values() for case in corpus_cases)
    changed_files = [path for path, text in texts.items() if path.read_text(encoding="utf-8") != text]
    for path in changed_files:
        print(path.name)
        if "--check" not in sys.argv:
            path.write_text(texts[path], encoding="utf-8", newline="\n")
    return 1 if changed_files and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
