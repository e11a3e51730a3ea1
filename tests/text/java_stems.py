"""The stems of the Java program, and the files of tests/data/stems that keep some of them.

    METEOR_E_JAR=.../meteor-1.5.jar python tests/text/java_stems.py [--check]

The words are read from the files themselves: to add a word, add a line with it and run this. With ``--check``
nothing is written; the exit code is 1 if a file is not what the Java program says.

The jar's program ``Stemmer`` leaves words of digits, commas, full stops and hyphens alone. Its aligner stems them,
as any word, so they are no words for these files; tests/parity has some.
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
"""Words that the jar's program does not stem, and its aligner does."""

FILES = Path(__file__).parent.parent / "data" / "stems"
HEADER = """\
# Words of our own and their stems by METEOR 1.5 ({name}).
# Made from the first column by: METEOR_E_JAR=meteor-1.5.jar python tests/text/java_stems.py
#   (java -Dfile.encoding=UTF-8 -cp meteor-1.5.jar Stemmer {code}; it trims lines, so each word is between two others)
"""


def java_stems(jar: Path, name: str, words: Sequence[str]) -> list[str]:
    """Return the Java program's stems of words without white space; a surrogate on its own becomes ``?``."""
    command = ["java", "-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-cp", str(jar), "Stemmer"]
    done = subprocess.run(
        [*command, JAVA_CODES[name]],
        input="".join(f"x {word} x\n" for word in words).encode(),
        capture_output=True,
        check=True,
    )
    lines = done.stdout.decode().split("\n")[:-1]
    if len(lines) != len(words) or not all(line[:2] == "x " and line[-2:] == " x" for line in lines):
        raise ValueError(f"the Java program answered {len(lines)} lines to {len(words)} words, or other ones")
    return [line[2:-2] for line in lines]


def read(name: str) -> list[tuple[str, str]]:
    """Return the words and stems of a file; the stem of a word without one is empty."""
    lines = (FILES / f"{name}.tsv").read_text(encoding="utf-8").split("\n")
    pairs = (line.partition("\t") for line in lines if line and not line.startswith("# "))
    return [(word, stem) for word, _, stem in pairs]


def content(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Return the content of a file of stems."""
    lines = (f"{word}\t{stem}\n" for word, stem in pairs)
    return HEADER.format(name=name, code=JAVA_CODES[name]) + "".join(lines)


def main(arguments: Sequence[str]) -> int:
    jar = os.environ.get("METEOR_E_JAR")
    if not jar or list(arguments) not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    differ = 0
    for name in JAVA_CODES:
        path = FILES / f"{name}.tsv"
        words = [word for word, _ in read(name)]
        new = content(name, zip(words, java_stems(Path(jar), name, words), strict=True))
        if path.read_text(encoding="utf-8") != new:
            differ = 1
            print(f"{path}: {'differs' if arguments else 'written'}")
            if not arguments:
                path.write_text(new, encoding="utf-8", newline="\n")
    return differ if arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
