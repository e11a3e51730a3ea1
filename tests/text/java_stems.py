"""Compute stems with the Java program, and update the files in tests/data/stems.

    METEOR_E_JAR=.../meteor-1.5.jar python tests/text/java_stems.py [--check]

The words come from the files themselves. To add a word, add a line that contains only the word, and run this script.
With ``--check``, the script does not write files. Its exit code is 1 if a file differs from the Java program's output.

The jar's class ``Stemmer`` does not stem words that consist of digits, commas, full stops and hyphens. The aligner
does stem them. These files therefore do not contain such words, but the tests in tests/parity do.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

JAVA_CODES = {
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "hungarian": "hu",
    "italian": "it",
    "norwegian": "no",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "spanish": "es",
    "swedish": "se",
    "turkish": "tr",
}
NUMBER = re.compile(r"[\d,.-]+")
"""Words that the jar's class ``Stemmer`` does not stem, although the aligner does."""

STEM_FOLDER = Path(__file__).parent.parent / "data" / "stems"
HEADER = """\
# Words of our own and their stems by METEOR 1.5 ({name}).
# Made from the first column by: METEOR_E_JAR=meteor-1.5.jar python tests/text/java_stems.py
#   (java -Dfile.encoding=UTF-8 -cp meteor-1.5.jar Stemmer {code}; it trims lines, so each word is between two others)
"""


def compute_java_stems(jar: Path, name: str, words: Sequence[str]) -> list[str]:
    """Return the Java program's stems of words without white space. A lone surrogate becomes ``?``."""
    command = ["java", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", str(jar), "Stemmer"]
    result = subprocess.run(
        [*command, JAVA_CODES[name]],
        input="".join(f"x {word} x\n" for word in words).encode(),
        capture_output=True,
        check=True,
    )
    lines = result.stdout.decode().split("\n")[:-1]
    if len(lines) != len(words) or not all(line[:2] == "x " and line[-2:] == " x" for line in lines):
        raise ValueError(f"the Java program returned {len(lines)} lines for {len(words)} words, or unexpected lines")
    return [line[2:-2] for line in lines]


def read_stems(name: str) -> list[tuple[str, str]]:
    """Return the words and stems of a file. The stem is empty if a line contains only a word."""
    lines = (STEM_FOLDER / f"{name}.tsv").read_text(encoding="utf-8").split("\n")
    pairs = (line.partition("\t") for line in lines if line and not line.startswith("# "))
    return [(word, stem) for word, _, stem in pairs]


def format_stems(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Return the content of a file of stems."""
    lines = (f"{word}\t{stem}\n" for word, stem in pairs)
    return HEADER.format(name=name, code=JAVA_CODES[name]) + "".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Update or check the files, and return the exit code."""
    jar = os.environ.get("METEOR_E_JAR")
    if not jar or list(arguments) not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    exit_code = 0
    for name in JAVA_CODES:
        path = STEM_FOLDER / f"{name}.tsv"
        words = [word for word, _ in read_stems(name)]
        new_content = format_stems(name, zip(words, compute_java_stems(Path(jar), name, words), strict=True))
        if path.read_text(encoding="utf-8") != new_content:
            if arguments:
                exit_code = 1
                print(f"{path}: differs")
            else:
                path.write_text(new_content, encoding="utf-8", newline="\n")
                print(f"{path}: written")
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
