"""Let six programs score texts with random settings, and ask ``which`` what their numbers are.

    python benchmarks/parity/which.py --texts HYPOTHESIS REFERENCE --texts … --jar meteor-1.5.jar --venvs FOLDER

The programs run for real: METEOR 1.5's Java program, pycocoevalcap (the Java program, too), and nltk in three
releases, each in a virtual environment that ``which_nltk.py`` makes; the sixth is ``Meteor`` itself, whose numbers are
the Java program's. ``evaluate`` is what it does: nltk on the words of ``word_tokenize``. Each number is asked for with
all its digits, and rounded to one decimal of the percentage. Printed are how often the program and its settings were
named, and how many candidates were left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from meteor_e_evaluation.which import Candidate, Reported, Texts, every_meteor, matching
from which_nltk import INSIDE, data_folder, environment

from meteor_e import Meteor

Sides = tuple[list[str], list[str]]
Run = tuple[float, Callable[[Candidate], bool]]
NLTK = {"3.5": "3.4.1-3.6.2", "3.6.6": "3.6.3-3.8.2", "3.10.4": ">=3.9"}
FORMULAS = ((0.9, 3.0, 0.5), (0.81, 0.83, 0.28), (0.95, 0.5, 0.45), (0.85, 0.2, 0.6))
TASKS = ("rank", "adq", "hter", "util", "li", "tune")
FLAGS = ("-norm", "", "-lower", "-norm -noPunct")
MODULES = ("", "exact", "exact stem", "exact stem synonym")
NORMALIZATIONS = {"-norm": "full", "": "none", "-lower": "lower", "-norm -noPunct": "no-punctuation"}


class Programs:
    """The programs, each with a memory of what it answered.

    Args:
        options: of the command line.
        draw: makes the choices.
    """

    def __init__(self, options: argparse.Namespace, draw: random.Random) -> None:
        self.options, self.draw = options, draw
        self._answers: dict[str, dict[str, list[float]]] = {}

    def meteor_jar(self, sides: Sides) -> Run:
        """Run the Java program."""
        task, flag, modules = self.draw.choice(TASKS), self.draw.choice(FLAGS), self.draw.choice(MODULES)
        characters = self.draw.random() < 0.2
        arguments = ["-l", "en", *flag.split(), *(["-t", task] if task != "rank" else [])]
        arguments += [*(["-m", modules] if modules else []), *(["-ch"] if characters else [])]
        key = f"jar {arguments} {hash(tuple(sides[0]))}"
        if key not in self._answers:
            with tempfile.TemporaryDirectory() as name:
                files = [Path(name, side) for side in ("hypothesis", "reference")]
                for file, texts in zip(files, sides, strict=True):
                    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
                command = ["java", "-Xmx2G", "-jar", self.options.jar, *map(str, files), *arguments]
                output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            found = re.findall(r"^Segment \d+ score:\t(\S+)$|^Final score:\s+(\S+)$", output, re.MULTILINE)
            segments = [float(one) for one, _ in found if one]
            self._answers[key] = {"segments": [statistics.fmean(segments)], "corpus": [float(found[-1][1])]}
        level = self.draw.choice(["corpus", "segments"])
        shown = " ".join(f"'{part}'" if " " in part or part in MODULES else part for part in arguments)
        return (
            self._answers[key][level][0],
            lambda each: (
                (each.program, each.settings, each.level)
                == (
                    "METEOR 1.5",
                    shown,
                    level,
                )
            ),
        )

    def ours(self, sides: Sides) -> Run:
        """Run ``Meteor``."""
        task, flag = self.draw.choice(TASKS), self.draw.choice(FLAGS)
        meteor = Meteor("en", task=task, normalization=NORMALIZATIONS[flag])
        level = self.draw.choice(["corpus", "segments"])
        whole = meteor.corpus(*sides)
        score = whole.score if level == "corpus" else statistics.fmean(each.score for each in meteor.segments(*sides))
        return score, lambda each: each.signature == f"{meteor.signature}|level:{level}"

    def coco(self, sides: Sides) -> Run:
        """Run pycocoevalcap, its tokenizer and its METEOR."""
        key = f"coco {hash(tuple(sides[0]))}"
        if key not in self._answers:
            from pycocoevalcap.meteor.meteor import Meteor as CocoMeteor
            from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

            tokenized = [
                PTBTokenizer().tokenize({number: [{"caption": text}] for number, text in enumerate(side)})
                for side in sides
            ]
            score, segments = CocoMeteor().compute_score(tokenized[1], tokenized[0])
            self._answers[key] = {"corpus": [score], "segments": [statistics.fmean(segments)]}
        level = self.draw.choice(["corpus", "segments"])
        return self._answers[key][level][0], lambda each: (each.program, each.level) == ("pycocoevalcap", level)

    def nltk(self, release: str, sides: Sides) -> Run:
        """Run a release of nltk."""
        key = f"nltk {release} {hash(tuple(sides[0]))}"
        if key not in self._answers:
            pairs = [(own, [other]) for own, other in zip(*sides, strict=True)]
            data = json.dumps({"pairs": pairs, "tokens": ["split", "word"], "formulas": FORMULAS})
            python = environment(release, self.options.venvs, {})
            answer = subprocess.run([python, "-c", INSIDE], input=data, capture_output=True, text=True, check=True)
            self._answers[key] = json.loads(answer.stdout)
        how, case, formula = (
            self.draw.choice(["split", "word"]),
            self.draw.choice(["lower", "as-is"]),
            self.draw.choice(FORMULAS),
        )
        score = statistics.fmean(self._answers[key][" ".join([how, case, *map(str, formula)])])
        wanted = f"nltk:{NLTK[release]}|tokens:{'split' if how == 'split' else 'word_tokenize'}|case:{case}|"
        wanted += "|".join(f"{name}:{value}" for name, value in zip("abg", formula, strict=True))
        return score, lambda each: each.signature.startswith(wanted)


def main() -> None:
    """Make the runs and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", nargs=2, action="append", required=True, metavar="FILE")
    parser.add_argument("--segments", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jar", required=True, help="METEOR 1.5's program")
    parser.add_argument("--venvs", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="folder of WordNet 3.0")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    named: Counter[str] = Counter()
    rounded: Counter[str] = Counter()
    total: Counter[str] = Counter()
    left, of_program, exact_left = [], [], []
    with tempfile.TemporaryDirectory() as name:
        data_folder(options.wordnet, Path(name))
        os.environ["NLTK_DATA"] = name
        sets = []
        for pair in options.texts:
            texts = [Path(file).read_text(encoding="utf-8").splitlines()[: options.segments] for file in pair]
            found = list(every_meteor(Texts(texts[0], [texts[1]], "en")))
            sets.append(((texts[0], texts[1]), found))
            print(f"{pair[0]}: {len(texts[0])} segments, {len(found)} candidates", file=sys.stderr)
        programs = Programs(options, draw)
        runs: dict[str, Callable[[Sides], Run]] = {
            "METEOR 1.5 (Java)": programs.meteor_jar,
            "meteor_e": programs.ours,
            "pycocoevalcap": programs.coco,
        }
        for release in NLTK:
            runs[f"nltk {release}"] = lambda sides, release=release: programs.nltk(release, sides)  # type: ignore[misc]
        for number in range(options.runs):
            program = list(runs)[number % len(runs)]
            sides, found = draw.choice(sets)
            score, is_it = runs[program](sides)
            total[program] += 1
            exact = matching(Reported.parse(f"{score:.15f}", "fraction"), found, len(sides[0]))
            hit = any(is_it(each) for row in exact.matches for each in row.candidates)
            named[program] += hit
            exact_left.append(len(exact.matches))
            if not hit:
                print(f"missed: {program} {score!r}", [row.candidates[0].settings for row in exact.matches], flush=True)
            round_ = matching(Reported.parse(f"{score * 100:.1f}", "percent"), found, len(sides[0]))
            rounded[program] += any(is_it(each) for row in round_.matches for each in row.candidates)
            left.append(len(round_.matches))
            print(f"\r{number + 1} of {options.runs}", end="", file=sys.stderr, flush=True)
            of_program.append(len({row.candidates[0].program for row in round_.matches}))
    for program, runs_made in total.items():
        print(f"{program}: {runs_made} runs, named {named[program]}, named at one decimal {rounded[program]}")
    print(f"all digits: named {sum(named.values())} of {options.runs}; numbers left: at most {max(exact_left)}")
    spread = ", ".join(f"{count}: {times}" for count, times in sorted(Counter(left).items()))
    print(f"one decimal: named {sum(rounded.values())} of {options.runs}; numbers left (count: runs): {spread}")
    spread = ", ".join(f"{count}: {times}" for count, times in sorted(Counter(of_program).items()))
    print(f"one decimal, programs left (count: runs): {spread}")
    sys.exit(sum(named.values()) < options.runs)


if __name__ == "__main__":
    main()
