"""Check the prose that users read: American spelling, and phrases that no native writer would write.

    python docs/prose_lint.py            # what tox -e lint runs
    python docs/prose_lint.py --fix      # correct the spelling in place

Prose is the text of Markdown outside code, and the docstrings, comments and messages of Python. codespell checks the
spelling, with its list of British words.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ("README.md", "CONTRIBUTING.md", "docs", "examples", "meteor_e", "plugins", "benchmarks")
SKIPPED = {"tests", "node_modules", "build", ".tox", ".venv", "__pycache__"}

PATTERNS = {
    r"\bin (the|its|their) place of\b": "instead of",
    r"\bbut for\b(?! (example|instance))": "except for",
    r"(?<!there\s)\b(is|are) no (address|command|file|folder|language|list|metric|name|number|pack|path|table)s?\b"
    r"(?! (for|of|in|that|to|with|is)\b)": "is not a …",
    r"\b(a|one|two) (batch|byte|character|column|command|file|group|key|language|line|list|module|name|number|pack|"
    r"page|pair|process|row|score|segment|sentence|source|system|task|text|thread|token|vector|word)s? an? "
    r"(batch|column|file|group|key|language|line|list|pair|process|row|score|segment|sentence|source|system|task|text|"
    r"thread|token|word)\b": "one … per …",
    r"\bwhat stands between\b": "name the thing first, then say what it does",
    r"\bWhat (an? )?\w+ (comes|came) to\b": "The results of …",
    r"\btake the figures as\b": "These figures are …",
    r"\bthat are none\b": "that are not …",
    r"\bto the last digit\b": "identical, or: the same digits",
    r"\bas it would be to be\b": "say it in two sentences",
    r"\bin the means\b": "on average",
    r"\bof one's own\b": "of your own",
}
"""Phrases to avoid, with what to write instead."""

_SPAN = re.compile(r"(`+)(?:.|\n)*?\1|\]\([^)]*\)|https?://\S+|<[^>\n]+>|\{[^{}\n]*\}|\[[\w,-]+\]")
_NAMES = re.compile(r"^(\s*)([*]{0,2}[a-z_]\w*(?:, [*]{0,2}[a-z_]\w*)*)(?=(?: \([^)]*\))?: )", re.MULTILINE)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _markdown(text: str) -> str:
    """Return the prose of Markdown; everything else is blank, in its place."""
    for code in (r"^( *)(```+|~~~+)[^\n]*\n(?:.*\n)*?\1\2 *$", r"(?:\A|(?<=\n\n))(?:(?: {4}|\t)[^\n]*\n)+"):
        text = re.sub(code, lambda found: _blank(found[0]), text, flags=re.MULTILINE)
    return _SPAN.sub(lambda found: _blank(found[0]), text)


def _python(text: str) -> str:
    """Return comments, docstrings and messages of Python; everything else is blank, in its place."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    prose = list(_blank(text))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kept = token.string
        if token.type == tokenize.STRING:
            if len(re.findall(r"[A-Za-z]{2,} ", kept)) < 2:
                continue
            kept = _NAMES.sub(lambda found: found[1] + _blank(found[2]), kept)
        elif token.type != tokenize.COMMENT:
            continue
        start = starts[token.start[0] - 1] + token.start[1]
        prose[start : start + len(kept)] = _SPAN.sub(lambda found: _blank(found[0]), kept)
    return "".join(prose)


def files() -> Iterator[Path]:
    """Yield the files with prose."""
    for place in PLACES:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in (".md", ".py") and not SKIPPED & set(file.relative_to(ROOT).parts):
                yield file


def prose(file: Path) -> str:
    """Return the prose of a file; everything else is blank, so that lines and columns stay."""
    text = file.read_text(encoding="utf-8")
    return _markdown(text) if file.suffix == ".md" else _python(text)


def phrases(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the phrases of a text that are to be avoided: line, phrase, what to write instead."""
    for pattern, instead in PATTERNS.items():
        for found in re.finditer(pattern.replace(" ", r"\s+"), text, re.IGNORECASE):
            yield text.count("\n", 0, found.start()) + 1, " ".join(found[0].split()), instead


def main() -> int:
    """Print what is wrong, with file and line; return 1 if something is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true", help="correct the spelling in place")
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for file in files():
            if file == Path(__file__).resolve():
                continue
            text = prose(file)
            name = file.relative_to(ROOT)
            problems += [f"{name}:{line}: {phrase!r}; write {instead!r}" for line, phrase, instead in phrases(text)]
            copy = Path(folder) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text, encoding="utf-8")
        done = subprocess.run(
            ["codespell", "--builtin", "clear,rare,en-GB_to_en-US", "--ignore-words", ROOT / "docs" / "words.txt", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
    misspelled = [line.removeprefix("./") for line in done.stdout.splitlines()]
    for line in misspelled if options.fix else ():
        _fix(*re.fullmatch(r"(.+?):(\d+): (\S+) ==> (\S+)", line).groups())  # type: ignore[union-attr]
    print("\n".join(problems + misspelled + done.stderr.splitlines()))
    return 1 if problems or misspelled or done.stderr else 0


def _fix(name: str, line: str, wrong: str, right: str) -> None:
    """Replace a word where it stands in prose."""
    file = ROOT / name
    rows, masked = file.read_text(encoding="utf-8").splitlines(keepends=True), prose(file).splitlines(keepends=True)
    number = int(line) - 1
    for found in reversed(list(re.finditer(rf"(?<![\w-]){re.escape(wrong)}(?![\w-])", masked[number]))):
        rows[number] = rows[number][: found.start()] + right + rows[number][found.end() :]
    file.write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
