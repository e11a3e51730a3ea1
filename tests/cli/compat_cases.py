"""Command lines whose output was recorded from the Java program. To record the output again, run this file:

    METEOR_E_JAR=.../meteor-1.5.jar python tests/cli/compat_cases.py

The inputs are in ``tests/cli/compat`` and were written for these tests. Each case names its own file of function words,
so that no case depends on METEOR's data.
"""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

INPUT_FOLDER = Path(__file__).parent / "compat"
RECORD_FILE = INPUT_FOLDER / "java-output.json"

_FILE_COMMANDS = """
hyp.txt ref.txt -s function.words -m 'exact stem'
hyp.txt ref.txt -s function.words -m 'exact stem' -q
hyp.txt ref.txt -s function.words -m 'exact stem' -vOut
hyp.txt ref.txt -s function.words -m 'exact stem' -q -vOut
hyp.txt ref.txt -s function.words -m 'exact stem' -ssOut
hyp.txt ref.txt -s function.words -m 'exact stem' -ssOut -vOut -q -writeAlignments
hyp.txt ref.txt -s function.words -m 'exact stem' -writeAlignments -q
hyp.txt ref.txt -s function.words -m 'exact stem' -writeAlignments -f other -vOut
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -vOut -writeAlignments
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -norm -vOut -writeAlignments
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -norm -noPunct
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -noPunct -lower
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -lower -norm -ch -vOut
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t adq
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t hter
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t util
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t UTIL -ch -ssOut
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t tune
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t li
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t universal
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t custom
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -t default -l English
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -w '1 .5 .25'
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -w '1 .5 .25' -ssOut
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -p '.5 1 .5 .5'
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -p '.5 1 .5 .5' -t li
hyp.txt ref.txt -s function.words -d synonyms -a paraphrases.gz -p '.5 1d 5e-1 0x1p-1 7 12345678' -w '1 1 1 1'
hyp.txt ref.txt -s function.words -m 'paraphrase exact' -a paraphrases.gz -writeAlignments
hyp.txt ref.txt -s function.words -m 'EXACT  Synonym ' -d synonyms -w 1
hyp.txt ref.txt -s function.words -m 'exact stem' -w '1 .5 .3'
hyp.txt ref.txt -s function.words -m 'exact stem exact stem exact' -vOut
hyp.txt ref.txt -s function.words -m 'exact stem exact stem exact' -ssOut
hyp.txt ref.txt -s function.words -m exact -p '1e-5 0.00012 1 .5'
hyp.txt ref.txt -s function.words -m exact -p '1e308 1 1e-300 0.5d' -vOut
hyp.txt ref.txt -s function.words -m exact -p '.5 1 .5 1e308' -vOut -writeAlignments
hyp.txt ref.txt -s function.words -m exact -p ' +1f -1e-300  -0x1p1	-1 ' -vOut
hyp.txt ref.txt -s function.words -m exact -p '-1 -1e308 2 1.5' -ssOut -writeAlignments
hyp.txt refs3.txt -s function.words -m exact -r 3 -p '-1 -1 -1 2' -vOut
test.sgm ref.sgm -sgml -s function.words -m exact -p '2 -1 .5 -1e-300'
hyp.txt ref.txt -s function.words -l no -t DEFAULT -m exact -w '1 .8 .6 .4 .2'
hyp.txt ref.txt -s function.words -l se -t default
hyp.txt ref.txt -s function.words -m exact -x 1 -vOut
hyp.txt ref.txt -s function.words -m exact -x 2 -ssOut
hyp.txt ref.txt -s function.words -m exact -m stem -l fr -l en
hyp.txt ref.txt -s function.words -l da
hyp.txt ref.txt -s function.words -l SWEDISH -vOut
hyp.txt ref.txt -s function.words -l se -t tune
hyp.txt ref.txt -s function.words -l no -w '1'
hyp.txt ref.txt -s function.words -l xx
hyp.txt ref.txt -s function.words -l other -t rank -lower
hyp.txt ref.txt -s function.words -l xx -t universal -a paraphrases.gz
hyp.txt ref.txt -s function.words -l xx -p '.5 1 .5 .5'
hyp.txt ref.txt -s function.words -l fr -m 'exact stem' -vOut
hyp.txt ref.txt -s function.words -l fr -m 'exact stem' -t li -lower
hyp.txt refs3.txt -s function.words -m 'exact stem' -r 3 -vOut -writeAlignments
hyp.txt refs3.txt -s function.words -m 'exact stem' -r 3 -lower
hyp.txt refs3.txt -s function.words -m 'exact stem' -r 3 -ssOut
hyp.txt ref.txt -s function.words -m exact -r 0 -q
hyp.txt ref.txt -s function.words -m exact -r -7 -q
odd.txt odd-ref.txt -s function.words -m 'exact stem' -writeAlignments -vOut
odd.txt odd-ref.txt -s function.words -m 'exact stem' -writeAlignments -lower
odd.txt odd-ref.txt -s function.words -m 'exact stem' -l fr -writeAlignments -vOut
odd.txt odd.txt -s function.words -m exact -ch -vOut
control.txt control-ref.txt -s function.words -m 'exact stem' -writeAlignments -vOut
control.txt control-ref.txt -s function.words -m 'exact stem' -writeAlignments -lower -ch
control.txt control-ref.txt -s function.words -m 'stem exact' -norm -ssOut
control.txt control-ref.txt -s function.words -m 'stem exact' -ssOut
control.sgm control-ref.sgm -sgml -s function.words -m 'exact stem' -writeAlignments -lower
empty.txt empty.txt -s function.words -m exact -ssOut
hyp.txt ref.txt -new new -vOut
hyp.txt ref.txt -new new -x 1 -q
hyp.txt ref.txt -l en -norm -ch -m stem -w 1 -p '1 1 1 1' -t adq -s function.words -a none -new new
test.sgm ref.sgm -sgml -s function.words -m 'exact stem'
test.sgm ref.sgm -sgml -s function.words -m 'exact stem' -vOut
test.sgm ref.sgm -sgml -s function.words -m 'exact stem' -ssOut
test.sgm ref.sgm -sgml -s function.words -m 'exact stem' -q -f out -norm -ch
test.sgm ref.sgm -sgml -s function.words -m 'exact stem' -writeAlignments
test.sgm ref.sgm -sgml -s function.words -m 'exact stem' -writeAlignments -vOut -lower
test-2.sgm ref-2.sgm -sgml -s function.words -l xx
irregular.sgm irregular.sgm -sgml -s function.words -m 'exact stem' -vOut -writeAlignments
"""

_STDIO_COMMANDS = """
- - -stdio -s function.words -m 'exact stem'
- - -mira -s function.words -m 'exact stem' -lower -q -vOut -ssOut -r 4
missing missing -stdio -s function.words -m 'exact stem' -norm -ch
- - -stdio -s function.words -l da -w 1
- - -stdio -s function.words -m exact -p '2 -1 3 -1'
"""


class Case(NamedTuple):
    """A command line and its standard input."""

    command: str
    stdin: bytes = b""

    @property
    def java_arguments(self) -> list[str]:
        """Return the command line of the Java program."""
        return shlex.split(self.command)

    @property
    def arguments(self) -> list[str]:
        """Return the command line of ``meteor-e compat``, with the protocol of the recorded jar (coco-caption)."""
        return [*self.java_arguments, "-coco"] if self.stdin else self.java_arguments


def make_cases() -> list[Case]:
    """Return all cases, in the order of the record."""
    requests = (INPUT_FOLDER / "requests.txt").read_bytes()
    file_cases = [Case(line) for line in _FILE_COMMANDS.strip().split("\n")]
    stdio_cases = [Case(line, requests) for line in _STDIO_COMMANDS.strip().split("\n")]
    return file_cases + stdio_cases


def write_inputs(folder: Path) -> None:
    """Copy the inputs of the cases to a folder, and compress the paraphrase tables."""
    shutil.copytree(INPUT_FOLDER, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(RECORD_FILE.name))
    table = gzip.compress((folder / "paraphrases.txt").read_bytes(), mtime=0)
    (folder / "paraphrases.gz").write_bytes(table)
    (folder / "new" / "paraphrase.gz").write_bytes(table)


def take_output_files(folder: Path) -> dict[str, str]:
    """Remove the output files from the folder, and return their contents by name."""
    contents = {}
    for pattern in ("*.scr", "*-align.out"):
        for path in sorted(folder.glob(pattern)):
            contents[path.name] = path.read_bytes().decode("utf-8")
            path.unlink()
    return contents


def run_java(jar: str, case: Case, folder: Path) -> dict[str, object]:
    """Return the output of the Java program for a case."""
    process = subprocess.run(
        ["java", "-Xmx1G", "-jar", jar, *case.java_arguments],
        cwd=folder,
        input=case.stdin,
        capture_output=True,
        check=True,
    )
    return {
        "stdout": process.stdout.decode("utf-8"),
        "stderr": process.stderr.decode("utf-8"),
        "files": take_output_files(folder),
    }


def main() -> None:
    """Run the Java program for all cases, and record its output."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        record = {case.command: run_java(os.environ["METEOR_E_JAR"], case, folder) for case in make_cases()}
    RECORD_FILE.write_text(json.dumps(record, ensure_ascii=True, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
