"""Compare our emulations of nltk's METEOR with nltk itself, in the releases that PyPI has.

    python benchmarks/parity/which_nltk.py --texts HYPOTHESIS REFERENCE --wordnet /usr/share/wordnet --venvs FOLDER
    python benchmarks/parity/which_nltk.py --record plugins/meteor-e-evaluation/tests/nltk_meteor.json --venvs FOLDER

The first compares each segment's score on real texts and WordNet 3.0, with words split at white space and by
``word_tokenize``, lowercased and not. The second writes the numbers of random sentences over the tiny WordNet of our
tests, which the tests then compare with. Each release gets a virtual environment of its own in FOLDER. Releases before
3.5 need a Python before 3.11: ``--python 3.4.1=/usr/bin/python3.7``. nltk 3.4 has no METEOR; it came with 3.4.1.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve()
sys.path.append(str(HERE.parents[2] / "plugins" / "meteor-e-languages" / "tests"))
RELEASES = ("3.4.1", "3.5", "3.6.2", "3.6.3", "3.6.5", "3.6.6", "3.8.1", "3.9.1", "3.10.4")
FORMULAS = ((0.9, 3.0, 0.5), (0.85, 0.2, 0.6))
PIECES = """
the a of dog dogs cat cats Car cars auto autos automobile automobiles ox oxen box boxes boxful boxesful
buy buys bought purchase purchased purchases paying ride rides riding good better fine well runs running
runner all_right Rex animal animals beast entities , .
""".split()  # noqa: SIM905

# Runs within each environment: words and settings in, scores out.
INSIDE = """
import json, sys
import nltk.translate.meteor_score as module
from nltk.tokenize import word_tokenize
nltk_version = tuple(int(part) for part in __import__("nltk").__version__.split("."))
def words(text, how):
    found = text.split() if how == "split" else word_tokenize(text, preserve_line=True)
    return found if nltk_version >= (3, 6, 4) else " ".join(found)
data = json.load(sys.stdin)
result = {}
for how in data["tokens"]:
    for case in ("lower", "as-is"):
        for formula in data["formulas"]:
            # Up to 3.5, meteor_score() lowercases whatever it is told; single_meteor_score() does not.
            result[" ".join([how, case] + [str(each) for each in formula])] = [
                max(module.single_meteor_score(
                    words(other, how), words(text, how),
                    preprocess=str.lower if case == "lower" else str,
                    alpha=formula[0], beta=formula[1], gamma=formula[2]) for other in others)
                for text, others in data["pairs"]]
json.dump(result, sys.stdout)
"""


def environment(release: str, folder: Path, pythons: dict[str, str]) -> str:
    """Return the Python of an environment with a release of nltk, which is made if it is not there."""
    place = folder / f"nltk-{release}"
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([pythons.get(release, sys.executable), "-m", "venv", str(place)], check=True)
    version = f"import nltk, pytest; assert nltk.__version__ == '{release}'"
    if subprocess.run([str(python), "-c", version], capture_output=True, check=False).returncode:
        # nltk 3.6 imports pytest.
        command = [str(python), "-m", "pip", "install", "-q", f"nltk=={release}", "pytest"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return str(python)


def data_folder(wordnet: Path, folder: Path) -> None:
    """Lay WordNet out as nltk wants it; Debian leaves out ``lexnames``, and nltk wants ``index.sense`` and OMW."""
    corpus = folder / "corpora" / "wordnet"
    shutil.copytree(wordnet, corpus)
    if not (corpus / "lexnames").exists():
        lines = [f"{number:02d}\tfile.{number}\t1\n" for number in range(64)]
        (corpus / "lexnames").write_text("".join(lines), encoding="ascii")
    for name in (corpus / "index.sense", folder / "corpora" / "omw-1.4" / "citation.bib"):
        name.parent.mkdir(exist_ok=True)
        name.touch()


def random_pairs(count: int, seed: int) -> list[tuple[str, list[str]]]:
    """Return random hypotheses, each with one or two random references."""
    draw = random.Random(seed)

    def sentence() -> str:
        return " ".join(draw.choices(PIECES, k=draw.randint(1, 14)))

    return [(sentence(), [sentence() for _ in range(draw.choice([1, 1, 2]))]) for _ in range(count)]


def ours(data: dict[str, Any], release: str) -> dict[str, list[float]]:
    """Return our scores, named as nltk's; the folder of WordNet is that of ``NLTK_DATA``."""
    from meteor_e_evaluation.which.nltk_meteor import emulated, porter_stemmer, scores, statistics
    from meteor_e_evaluation.which.wordnet import find_wordnet
    from nltk.tokenize import word_tokenize  # type: ignore[import-untyped]

    wordnet = find_wordnet()
    assert wordnet is not None
    found = {}
    for how in data["tokens"]:
        for case in ("lower", "as-is"):

            def words(text: str, how: str = how, case: str = case) -> list[str]:
                parts = text.split() if how == "split" else word_tokenize(text, preserve_line=True)
                return [part.lower() for part in parts] if case == "lower" else parts

            counts = [
                np.array(
                    [
                        statistics(words(text), words(other), emulated(release), wordnet, porter_stemmer())
                        for other in others
                    ]
                )
                for text, others in data["pairs"]
            ]
            for formula in data["formulas"]:
                name = " ".join([how, case, *map(str, formula)])
                found[name] = [float(scores(each, *formula).max()) for each in counts]
    return found


def main() -> None:
    """Compare, or record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", nargs=2, metavar="FILE", help="hypotheses and references")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="folder of WordNet 3.0")
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--releases", nargs="+", default=list(RELEASES))
    parser.add_argument("--python", action="append", default=[], metavar="RELEASE=PROGRAM")
    parser.add_argument("--venvs", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--record", type=Path, metavar="FILE")
    options = parser.parse_args()
    pythons = dict(each.split("=", 1) for each in options.python)
    if options.record is None:
        sides = [Path(file).read_text(encoding="utf-8").splitlines()[: options.segments] for file in options.texts]
        pairs = [(text, [other]) for text, other in zip(*sides, strict=True)]
    else:
        pairs = random_pairs(150, 1)
    data = {"pairs": pairs, "tokens": ["split"] if options.record else ["split", "word"], "formulas": FORMULAS}
    recorded, differs = {}, False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.record is None:
            data_folder(options.wordnet, folder)
        else:
            import tiny_wordnet  # type: ignore[import-not-found]

            tiny_wordnet.write(folder / "tiny")
            data_folder(folder / "tiny", folder)
        os.environ["NLTK_DATA"] = str(folder)
        for release in options.releases:
            command = [environment(release, options.venvs, pythons), "-c", INSIDE]
            answer = subprocess.run(command, input=json.dumps(data), capture_output=True, text=True, check=True)
            theirs = json.loads(answer.stdout)
            mine = ours(data, release)
            recorded[release] = theirs
            worst = max(float(np.abs(np.subtract(theirs[key], mine[key])).max()) for key in theirs)
            differs = differs or worst > 1e-12
            print(f"nltk {release}: {len(pairs)} segments, {len(theirs)} settings, largest difference {worst:.1e}")
    if options.record is not None:
        text = json.dumps({"pairs": pairs, "scores": recorded}, separators=(",", ":"))
        options.record.write_text(text.replace('],["', '],\n["') + "\n", encoding="utf-8")
    sys.exit(differs)


if __name__ == "__main__":
    main()
