"""Let the programs that papers use score texts with random settings, and ask ``which`` what their numbers are.

    python benchmarks/parity/which.py --texts HYPOTHESIS REFERENCE --texts … --jar meteor-1.5.jar --venvs FOLDER

The programs run for real: METEOR 1.5's Java program, with its own tasks and with the parameters published before 1.3;
pycocoevalcap (the Java program, too); nltk before and after its change of 2021, each release in a virtual environment
that ``which_nltk.py`` makes; ``evaluate``, where ``--evaluate`` names a copy of its script; METEOR-E's chains and
``Meteor`` itself. Each number is asked for with all its digits, and rounded to one decimal of the percentage, as 27.3
and as .273. Printed are how often the program and its settings were named, and how many candidates were left: programs,
and numbers. Then each is asked for with the rounded number of a second text by the same settings.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from meteor_e_evaluation.which import Candidate, Findings, Reported, Texts, every_meteor, matching
from which_nltk import INSIDE, data_folder, environment

from meteor_e import Meteor

Sides = tuple[list[str], list[str]]
Run = tuple[float, Callable[[Candidate], bool]]
NLTK = {"3.5": "3.4.1-3.6.2", "3.6.6": "3.6.3-3.8.2", "3.10.4": ">=3.9"}
FORMULAS = ((0.9, 3.0, 0.5), (0.81, 0.83, 0.28), (0.95, 0.5, 0.45), (0.85, 0.2, 0.6))
TASKS = ("rank", "adq", "hter", "util", "li", "tune")
FLAGS = ("-norm", "", "-lower", "-norm -noPunct")
CHAINS = ("any", "adq", "exact", "universal")
OLD_MODULES = ("exact", "exact stem synonym")
MODULES = ("", "exact", "exact stem", "exact stem synonym")
EVALUATE = """
import functools, json, sys, evaluate, nltk
try:
    nltk.word_tokenize("One. Two.")
except LookupError:  # Punkt is not there; which does the same, and says so.
    nltk.word_tokenize = functools.partial(nltk.word_tokenize, preserve_line=True)
metric, data = evaluate.load(sys.argv[1]), json.load(sys.stdin)
found = [float(metric.compute(predictions=data["sides"][0], references=data["sides"][1], alpha=alpha, beta=beta,
                              gamma=gamma)["meteor"]) for alpha, beta, gamma in data["formulas"]]
print("found " + json.dumps(found))
"""
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
        return self._java(sides, [*arguments, *(["-m", modules] if modules else []), *(["-ch"] if characters else [])])

    def published(self, sides: Sides) -> Run:
        """Run the Java program with parameters that were published before METEOR 1.3."""
        formula, flag, modules = self.draw.choice(FORMULAS[:3]), self.draw.choice(FLAGS), self.draw.choice(OLD_MODULES)
        numbers = " ".join(f"{number:g}" for number in (*formula, 0.5))
        arguments = ["-l", "en", *flag.split(), "-p", numbers, "-m", modules]
        return self._java(sides, [*arguments, "-w", " ".join("1" for _ in modules.split())])

    def _java(self, sides: Sides, arguments: list[str]) -> Run:
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
        wanted = shlex.join(arguments), level

        def is_it(each: Candidate) -> bool:
            java = each.program.startswith("METEOR") and (shlex.join(shlex.split(each.settings)), each.level) == wanted
            return java

        return self._answers[key][level][0], is_it

    def evaluate(self, release: str, sides: Sides) -> Run:
        """Run ``evaluate`` on a release of nltk."""
        key = f"evaluate {release} {hash(tuple(sides[0]))}"
        if key not in self._answers:
            python = environment(release, self.options.venvs, {})
            subprocess.run([python, "-m", "pip", "install", "-q", "evaluate"], check=True, stderr=subprocess.DEVNULL)
            answer = subprocess.run(
                [python, "-c", EVALUATE, self.options.evaluate],
                input=json.dumps({"sides": sides, "formulas": FORMULAS}),
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, "HF_HUB_OFFLINE": "1"},
            )
            line = next(line for line in answer.stdout.splitlines() if line.startswith("found "))
            self._answers[key] = {"meteor": json.loads(line.removeprefix("found "))}
        at = self.draw.randrange(len(FORMULAS))
        parameters = "|".join(f"{name}:{value}" for name, value in zip("abg", FORMULAS[at], strict=True))
        settings = f"nltk {NLTK[release]}"
        return (
            self._answers[key]["meteor"][at],
            lambda each: (
                each.program == "evaluate"
                and each.settings.startswith(settings)
                and f"|{parameters}|" in each.signature
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

    def chain(self, sides: Sides) -> Run:
        """Run a chain of METEOR-E."""
        name, level = self.draw.choice(CHAINS), self.draw.choice(["corpus", "segments"])
        meteor = Meteor.from_config(name, language="en")
        pairs = meteor.segments(*sides)
        score = meteor.corpus(*sides).score if level == "corpus" else statistics.fmean(each.score for each in pairs)
        return score, lambda each: (each.program, each.settings, each.level) == ("meteor-e", f"-c {name}", level)

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


def rounded(score: float) -> list[str]:
    """Return a score as papers print it, with one decimal of the percentage."""
    return [f"{score * 100:.1f}", f"{score:.3f}"]


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
    parser.add_argument("--evaluate", metavar="FILE", help="meteor.py of the repository huggingface/evaluate")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    named: Counter[str] = Counter()
    total: Counter[str] = Counter()
    worst = 0.0
    counts: dict[str, list[int]] = {}
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
            "parameters before 1.3 (Java)": programs.published,
            "pycocoevalcap": programs.coco,
            "nltk 3.5": functools.partial(programs.nltk, "3.5"),
            "nltk 3.6.6": functools.partial(programs.nltk, "3.6.6"),
            "nltk 3.10.4": functools.partial(programs.nltk, "3.10.4"),
            "meteor_e": programs.ours,
            "METEOR-E's chains": programs.chain,
        }
        if options.evaluate is not None:
            runs["evaluate on nltk 3.5"] = functools.partial(programs.evaluate, "3.5")
            runs["evaluate on nltk 3.10.4"] = functools.partial(programs.evaluate, "3.10.4")
        for number in range(options.runs):
            program = list(runs)[number % len(runs)]
            at = draw.randrange(len(sets))
            (sides, found), (_, others) = sets[at], sets[at - 1]
            score, is_it = runs[program](sides)
            total[program] += 1

            def asked(
                key: str,
                numbers: list[str],
                found: list[list[Candidate]],
                is_it: Callable[[Candidate], bool] = is_it,
                program: str = program,
            ) -> Findings:
                """Count what is found, under the kind of question."""
                result = matching([Reported.parse(text) for text in numbers], found, options.segments)
                right = [any(is_it(each) for each in row.candidates) for row in result.matches]
                named[key] += any(right)
                if not any(right):
                    print(f"missed: {key}, {program}, {numbers}", flush=True)
                counts.setdefault(f"{key}, programs left", []).append(len(result.groups))
                counts.setdefault(f"{key}, numbers left", []).append(len(result.matches))
                named[f"{key}, first"] += right[:1] == [True]
                return result

            exact = asked("all digits", [f"{score:.15f}"], [found])
            worst = max(worst, *(abs(row.score - score) for row in exact.matches), 0.0)
            for text, scale in zip(rounded(score), ("as 27.3", "as .273"), strict=True):
                asked(f"one decimal, {scale}", [text], [found])
            same = {each.key: each for each in found if is_it(each)}
            second = [each for each in others if each.key in same and each.level == same[each.key].level]
            if second:
                numbers = [rounded(score)[0], rounded(second[0].score)[0]]
                asked("one decimal, two systems", numbers, [found, others])
            print(f"\r{number + 1} of {options.runs}", end="", file=sys.stderr, flush=True)
    print(", ".join(f"{program}: {times}" for program, times in total.items()))
    print(f"largest difference of a program's number from ours: {worst:.1e}")
    for key in dict.fromkeys(key.rpartition(",")[0] for key in counts):
        print(f"{key}: named {named[key]} of {options.runs}, as the first {named[f'{key}, first']}")
        for what in ("programs left", "numbers left"):
            spread = sorted(Counter(counts[f"{key}, {what}"]).items())
            print(f"    {what} (count: runs):", ", ".join(f"{count}: {times}" for count, times in spread))
    sys.exit(named["all digits"] < options.runs)


if __name__ == "__main__":
    main()
