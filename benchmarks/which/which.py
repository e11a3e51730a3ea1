"""Find which METEOR produced a reported number, and prove that it is found.

    python benchmarks/which/which.py find 27.3 HYPOTHESES REFERENCES… [--also 25.9 OTHER-HYPOTHESES]
    python benchmarks/which/which.py nltk HYPOTHESES REFERENCES --venvs FOLDER
    python benchmarks/which/which.py prove --texts HYPOTHESES REFERENCES --texts … --jar meteor-1.5.jar --venvs FOLDER

``find`` computes every METEOR that people run on the texts and names those that round to the number: METEOR 1.5's
tasks, modules and normalizations, parameters published before METEOR 1.3, nltk's releases, ``evaluate``,
pycocoevalcap and the chains of METEOR-E. ``nltk`` compares our emulations with nltk itself, segment by segment, in
the releases that PyPI has; each gets a virtual environment in FOLDER. ``prove`` runs the programs with random
settings and asks which they were. nltk's METEOR needs WordNet 3.0 (``apt-get install wordnet-base``; ``--wordnet``
names another folder).
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e import Meteor, MeteorError, Parameters, ResourceError
from meteor_e.chains.chain import find_language
from meteor_e.chains.chain import signature as chain_signature
from meteor_e.scoring.arrays import score_arrays
from meteor_e.scoring.statistics import to_additive

Sides = tuple[list[str], list[list[str]]]
"""Hypotheses, and one list of texts per reference."""

# Reported numbers


class Reported(NamedTuple):
    """A reported number: its value and half a unit of its last digit, both as shares of 1."""

    text: str
    value: float
    half: float

    @classmethod
    def parse(cls, text: str) -> Reported:
        """Read a number such as ``27.3``, ``.273`` or ``27.3%``; above 1, it is in percent."""
        found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(%?)", text.strip())
        if found is None or float(found[1]) > 100:
            sys.exit(f"{text!r} is not a score; give a number as it was printed, such as 27.3 or .273")
        scale = 100 if found[2] or float(found[1]) > 1 else 1
        half = 5 * 10.0 ** -(len(found[1].partition(".")[2]) + 1)
        return cls(text.strip(), float(found[1]) / scale, half / scale)

    def distance(self, score: float) -> float:
        """Return how far a score is from what rounds to the number; 0 if it rounds to it, up or down at a tie."""
        beyond = abs(score - self.value) - self.half
        return beyond if beyond > 1e-12 else 0.0


# nltk's METEOR, from its documentation and from what its releases answer


@dataclass(frozen=True)
class Release:
    """What releases of nltk have in common.

    Attributes:
        name: the releases, such as ``3.6.3-3.8.2``.
        stems_go_on: words left over go to the stage of synonyms as stems, so that most synonyms are not found.
        rules_again: WordNet's rules for base forms are applied again to what they gave.
    """

    name: str
    stems_go_on: bool
    rules_again: bool


RELEASES = (
    Release("3.4.1-3.6.2", False, True),
    Release("3.6.3-3.8.2", True, True),
    Release(">=3.9", True, False),
)


def emulated(version: str) -> Release:
    """Return the form of METEOR that a version of nltk has, such as ``3.6.6``."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
    return RELEASES[(numbers >= (3, 6, 3)) + (numbers >= (3, 9))]


def count_matches(
    hypothesis: Sequence[str], reference: Sequence[str], release: Release, wordnet: WordNet
) -> tuple[int, int, int, int]:
    """Return the numbers of hypothesis words, reference words, matches and chunks."""
    stem = porter_stemmer()
    left, right = list(enumerate(hypothesis)), list(enumerate(reference))
    pairs = _matched(left, right, lambda word, other: word == other)
    stems = [(at, stem(word)) for at, word in left], [(at, stem(word)) for at, word in right]
    pairs += _matched(*stems, lambda word, other: word == other)
    if release.stems_go_on:
        left, right = stems
    pairs += _matched(left, right, lambda word, other: other in wordnet.synonyms(word, release.rules_again))
    pairs.sort(key=lambda pair: pair[0])
    follows = (one[0] + 1 == two[0] and one[1] + 1 == two[1] for one, two in itertools.pairwise(pairs))
    return len(hypothesis), len(reference), len(pairs), len(pairs) - sum(follows)


def _matched(
    left: list[tuple[int, str]], right: list[tuple[int, str]], match: Callable[[str, str], bool]
) -> list[tuple[int, int]]:
    """Take matching words out of both lists, from the last to the first, and return their places."""
    pairs = []
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            if match(left[i][1], right[j][1]):
                pairs.append((left.pop(i)[0], right.pop(j)[0]))
                break
    return pairs


def nltk_scores(counts: NDArray[Any], alpha: float, beta: float, gamma: float) -> NDArray[np.float64]:
    """Score the counts of :func:`count_matches`, ``(…, 4)``; 0 where nothing matches."""
    hypothesis, reference, matches, chunks = np.moveaxis(counts.astype(float), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / hypothesis, matches / reference
        mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
        result: NDArray[np.float64] = np.where(matches > 0, mean * (1 - gamma * (chunks / matches) ** beta), 0.0)
    return result


@functools.cache
def porter_stemmer() -> Callable[[str], str]:
    """Return Porter's stemmer with nltk's extensions, which no release has changed."""
    from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]

    return functools.lru_cache(maxsize=200_000)(PorterStemmer().stem)


class WordNet:
    """Words of Princeton WordNet 3.0 and their synonyms, as nltk finds them.

    The format of the files is in wndb(5WN), the rules for base forms in morphy(7WN).
    """

    FILES: ClassVar = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
    SUFFIXES: ClassVar[dict[str, tuple[tuple[str, str], ...]]] = {
        "n": (
            *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man")),
            ("ies", "y"),
        ),
        "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
        "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
        "r": (),
    }

    def __init__(self, folder: Path) -> None:
        names = [f"{file}.{kind}" for kind in self.FILES.values() for file in ("index", "data")]
        names += [f"{kind}.exc" for kind in self.FILES.values()]
        try:
            files = {name: (folder / name).read_bytes() for name in names}
        except OSError as error:
            raise ResourceError(
                f"WordNet 3.0 is needed (apt-get install wordnet-base, or --wordnet): {error}"
            ) from None
        self.digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()[:12]
        self._data = {part: files[f"data.{name}"] for part, name in self.FILES.items()}
        self._synsets: dict[str, dict[str, list[int]]] = {part: {} for part in self.FILES}
        self._bases: dict[str, dict[str, list[str]]] = {part: {} for part in self.FILES}
        for part, kind in self.FILES.items():
            for line in files[f"index.{kind}"].decode("ascii").splitlines():
                if not line.startswith(" "):
                    fields = line.split()
                    self._synsets[part][fields[0]] = [int(at) for at in fields[-int(fields[2]) :]]
            for line in files[f"{kind}.exc"].decode("ascii").splitlines():
                form, *bases = line.split()
                self._bases[part][form] = bases

    @functools.lru_cache(maxsize=200_000)  # noqa: B019 - as many words as texts have; the object lives as long
    def synonyms(self, word: str, again: bool) -> frozenset[str]:
        """Return the single words of a word's synsets, and the word itself.

        Args:
            word: in any case.
            again: apply the rules for base forms again to what they gave, as nltk did up to 3.8.
        """
        found = {word}
        for part in self.FILES:
            for base in self._base_forms(word.lower(), part, again):
                for at in self._synsets[part][base]:
                    found.update(name for name in self._words(part, at) if "_" not in name)
        return frozenset(found)

    def _base_forms(self, form: str, part: str, again: bool) -> list[str]:
        def known(forms: Sequence[str]) -> list[str]:
            return [each for each in dict.fromkeys(forms) if each in self._synsets[part]]

        def shorter(forms: Sequence[str]) -> list[str]:
            rules = self.SUFFIXES[part]
            return [each[: len(each) - len(old)] + new for each in forms for old, new in rules if each.endswith(old)]

        if form in self._bases[part]:
            return known([form, *self._bases[part][form]])
        forms = shorter([form])
        found = known([form, *forms])
        while again and not found and forms:
            forms = shorter(forms)
            found = known(forms)
        return found

    def _words(self, part: str, at: int) -> Iterator[str]:
        line = self._data[part][at : at + 20_000].partition(b"\n")[0].decode("ascii").split()
        for place in range(int(line[3], 16)):
            # Adjectives may carry where they stand: "afraid(p)".
            yield line[4 + 2 * place].partition("(")[0]


# Every METEOR that people run


@dataclass(frozen=True)
class Candidate:
    """A way to compute METEOR, and what it gives.

    Attributes:
        family: the program, whatever its settings and minor releases.
        program: what computes, such as ``METEOR 1.5``.
        settings: its options, as one types them.
        level: ``corpus``, or ``segments`` for the mean of the segments' scores.
        score: a share of 1.
        signature: what must be the same for the score to be the same.
        unusual: how many settings are not the program's usual ones.
    """

    family: str
    program: str
    settings: str
    level: str
    score: float
    signature: str
    unusual: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same for the same settings on other texts."""
        return self.program, self.settings, self.level


PUBLISHED = {"2005": (0.9, 3.0, 0.5), "2007": (0.81, 0.83, 0.28), "2008": (0.95, 0.5, 0.45)}
"""α, β, γ before METEOR had content and function words (1.3): Banerjee and Lavie (2005), Lavie and Agarwal (2007),
Agarwal and Lavie (2008)."""
FORMULAS = (*PUBLISHED.values(), (0.85, 0.2, 0.6))
NORMALIZATIONS = {"full": "-norm", "none": "", "lower": "-lower", "no-punctuation": "-norm -noPunct"}
JAVA_LANGUAGES = frozenset("en cs de es fr ru ar da fi hu it nl no pt ro sv tr".split())  # noqa: SIM905
TASKS = ("rank", "adq", "hter", "util", "li", "tune", "universal")
OLD_MODULES = (["exact", "stem", "synonym"], ["exact"])


def every_meteor(sides: Sides, language: str, wordnet: Path) -> Iterator[Candidate]:
    """Compute every METEOR of texts; what cannot be computed here is said on standard error."""
    parts = {
        "METEOR 1.5": lambda: _meteor(sides, language),
        "nltk": lambda: _nltk(sides, WordNet(wordnet)),
        "pycocoevalcap": lambda: _coco(sides, language),
        "METEOR-E": lambda: _chains(sides, language),
    }
    for program, compute in parts.items():
        try:
            yield from compute()
        except MeteorError as error:
            print(f"not computed: {program}: {error}", file=sys.stderr)


class Run:
    """A METEOR 1.5 that was run on texts, whatever its parameters."""

    def __init__(self, meteor: Meteor, sides: Sides) -> None:
        self.meteor = meteor
        columns = [meteor.segments(sides[0], side) for side in sides[1]]
        rows = [[each.statistics.to_vector() for each in column] for column in columns]
        self.counts = np.array(rows).swapaxes(0, 1)

    def candidates(
        self, family: str, program: str, settings: str, task: str, parameters: Parameters, unusual: int = 0
    ) -> Iterator[Candidate]:
        """Yield the score of the corpus and the mean of its segments; the best reference of each segment counts."""
        chain = replace(self.meteor.chain, task=task, parameters=parameters)
        signature = chain_signature(chain, self.meteor)
        segments = score_arrays(self.counts, parameters)
        best = segments.argmax(axis=-1)[:, None]
        whole = to_additive(np.take_along_axis(self.counts, best[..., None], axis=1)[:, 0]).sum(axis=0, dtype=float)
        mean = np.take_along_axis(segments, best, axis=1).mean()
        for level, score in (("corpus", score_arrays(whole, parameters)), ("segments", mean)):
            yield Candidate(family, program, settings, level, float(score), f"{signature}|level:{level}", unusual)


def _meteor(sides: Sides, code: str) -> Iterator[Candidate]:
    # The program knows no other language: those are run with -l other.
    language = find_language(code if code in JAVA_LANGUAGES else "other")
    default = language.tasks[language.default_task]
    tasks = {name: task for name, task in language.tasks.items() if name in TASKS}
    own = [list(task.weights) for task in tasks.values()]
    # Without weights, the program gives modules those of the list by position.
    short = [list(default.weights)[:length] for length in range(1, len(default.weights))]
    choices = dict.fromkeys(map(tuple, [list(default.weights), *short, *own]))
    spelled = {"cs": "cz", "sv": "se"}.get(language.code, language.code)
    for normalization, characters, modules in itertools.product(NORMALIZATIONS, (False, True), map(list, choices)):
        flag = NORMALIZATIONS[normalization]
        try:
            meteor = Meteor(
                language.code,
                normalization=normalization,
                matchers=[{"use": module, "optional": True} for module in modules],
                character_mode=characters,
            )
        except MeteorError:
            continue
        run = Run(meteor, sides)
        rare = normalization not in ("full", "none")
        for name, task in tasks.items():
            if list(task.weights)[: len(modules)] != modules:
                continue
            whole, usual = list(task.weights) == modules, name == language.default_task
            options = [f"-l {spelled}", flag, f"-t {name}" * (not usual), f"-m '{' '.join(modules)}'" * (not whole)]
            settings = " ".join(filter(None, [*options, "-ch" * characters]))
            parameters = Parameters(
                task.alpha, task.beta, task.gamma, task.delta, tuple(task.weights.values())[: len(modules)]
            )
            unusual = (not usual) + (not whole) + characters + rare
            yield from run.candidates("METEOR 1.5", "METEOR 1.5", settings, name, parameters, unusual)
        if characters or language.code != "en" or modules not in OLD_MODULES:
            continue
        for year, (alpha, beta, gamma) in PUBLISHED.items():
            # Before 1.3, content and function words counted alike, as did all matches.
            parameters = Parameters(alpha, beta, gamma, 0.5, (1.0,) * len(modules))
            weights = " ".join("1" for _ in modules)
            numbers = f"-p '{alpha:g} {beta:g} {gamma:g} 0.5' -m '{' '.join(modules)}' -w '{weights}'"
            settings = " ".join(filter(None, ["-l en", flag, numbers]))
            unusual = 1 + rare + (modules != OLD_MODULES[0])
            program, task_name = f"METEOR's parameters of {year}", language.default_task
            yield from run.candidates("METEOR before 1.3", program, settings, task_name, parameters, unusual)


def _coco(sides: Sides, language: str) -> Iterator[Candidate]:
    """Score as pycocoevalcap does: Stanford's PTB tokens in lower case without marks, ``-l en -norm``."""
    from meteor_e_captions.segmenter import PTBSegmenter

    if language != "en":
        return
    meteor, segmenter = Meteor("en", normalization="full"), PTBSegmenter()
    hypotheses, *references = (
        [line.rstrip().replace("|||", "").replace("  ", " ") for line in segmenter.join_lines(side)]
        for side in (sides[0], *sides[1])
    )
    run, chain = Run(meteor, (hypotheses, references)), meteor.chain
    name, settings = "pycocoevalcap", "PTBTokenizer, -l en -norm"
    for found in run.candidates(name, name, settings, chain.task, chain.parameters):
        yield replace(found, signature=f"{found.signature}|tokens:ptb")


CHAINS = ("any", "adq", "exact", "universal")


def _chains(sides: Sides, language: str) -> Iterator[Candidate]:
    for name in CHAINS:
        meteor = Meteor.from_config(name, language=language)
        chain = meteor.chain
        run = Run(meteor, sides)
        yield from run.candidates("METEOR-E", "meteor-e", f"-c {name}", chain.task, chain.parameters, 1)


def _nltk(sides: Sides, wordnet: WordNet) -> Iterator[Candidate]:
    """Score as nltk and ``evaluate`` do, with English WordNet whatever the language is, as they do."""
    from nltk.tokenize import word_tokenize

    # Without sentence splitting, so that no data are needed: a segment is one sentence.
    splitters: dict[str, Callable[[str], list[str]]] = {
        "split": str.split,
        "word_tokenize": functools.partial(word_tokenize, preserve_line=True),
    }
    for (tokens, split), case in itertools.product(splitters.items(), ("lower", "as-is")):
        cased = str.lower if case == "lower" else str
        texts = [[[cased(word) for word in split(text)] for text in side] for side in (sides[0], *sides[1])]
        for release in RELEASES:
            counts = np.array(
                [
                    [count_matches(own, other, release, wordnet) for other in others]
                    for own, *others in zip(*texts, strict=True)
                ]
            )
            for formula in FORMULAS:
                score = float(nltk_scores(counts, *formula).max(axis=1).mean())
                yield from _nltk_candidates(release, tokens, case, formula, score, wordnet.digest, len(sides[1]) == 1)


def _nltk_candidates(
    release: Release,
    tokens: str,
    case: str,
    formula: tuple[float, float, float],
    score: float,
    wordnet: str,
    single: bool,
) -> Iterator[Candidate]:
    family = "nltk up to 3.6.2" if release is RELEASES[0] else "nltk from 3.6.3 on"
    alpha, beta, gamma = formula
    given = "" if formula == FORMULAS[0] else f"alpha={alpha:g}, beta={beta:g}, gamma={gamma:g}"
    signature = f"nltk:{release.name}|tokens:{tokens}|case:{case}|a:{alpha}|b:{beta}|g:{gamma}|wordnet:{wordnet}"
    # Up to 3.6.3, nltk took texts; from 3.6.5 on, words.
    pretokenized = tokens != "split" and release is RELEASES[0]
    unusual = bool(given) + (case != "lower") + pretokenized
    settings = ", ".join(filter(None, [release.name, tokens, "" if case == "lower" else "preprocess=str", given]))
    yield Candidate(family, "nltk", settings, "segments", score, f"{signature}|level:segments", unusual)
    # `evaluate` gives texts to nltk up to 3.6.4, which fails with several references; words from 3.6.5 on.
    under = release.name
    if tokens == "split":
        under = {RELEASES[0]: release.name, RELEASES[1]: "3.6.3"}.get(release, "") if single else ""
    if case == "lower" and under and not pretokenized:
        settings = ", ".join(filter(None, [f"nltk {under}", given]))
        yield Candidate(family, "evaluate", settings, "segments", score, f"{signature}|level:segments", unusual)


# The search


class Row(NamedTuple):
    """Candidates that give the same numbers, the most usual first, and how far these are from the reported ones."""

    candidates: list[Candidate]
    scores: tuple[float, ...]
    distance: float


def matching(numbers: Sequence[Reported], found: Sequence[Sequence[Candidate]], level: str | None = None) -> list[Row]:
    """Return all candidates as rows, the likeliest first; those with distance 0 round to all reported numbers.

    Args:
        numbers: the reported ones, all of one METEOR.
        found: all candidates on the texts of each number.
        level: ``corpus`` or ``segments``; by default both.
    """
    tables = [{each.key: each for each in candidates} for candidates in found]
    groups: list[tuple[tuple[float, ...], list[Candidate]]] = []
    for key, candidate in tables[0].items():
        if level in (None, candidate.level) and all(key in table for table in tables):
            scores = tuple(table[key].score for table in tables)
            same = (group for other, group in groups if np.allclose(scores, other, rtol=0, atol=1e-12))
            group = next(same, None)
            if group is None:
                groups.append((scores, [candidate]))
            else:
                group.append(candidate)
    rows = [
        Row(
            sorted(group, key=lambda each: each.unusual),
            scores,
            max(number.distance(score) for number, score in zip(numbers, scores, strict=True)),
        )
        for scores, group in groups
    ]
    return sorted(
        rows, key=lambda row: (row.distance, row.candidates[0].unusual, abs(row.scores[0] - numbers[0].value))
    )


def find(options: argparse.Namespace) -> bool:
    """Print the METEORs that give the numbers, else the five nearest; return whether there are any."""
    references = [read(file) for file in options.references]
    asked = [(options.number, options.hypotheses), *options.also]
    numbers = [Reported.parse(number) for number, _ in asked]
    found = [list(every_meteor((read(file), references), options.language, options.wordnet)) for _, file in asked]
    rows = matching(numbers, found, options.level)
    matches = [row for row in rows if row.distance == 0]
    print(f"{len(matches)} numbers of {len(found[0])} ways to compute METEOR match; the likeliest are first")
    for row in matches or rows[:5]:
        print(" ".join(f"{score:.6f}" for score in row.scores))
        for each in row.candidates:
            print(f"    {each.program}  {each.level}  {each.settings}")
            print(f"        {each.signature}")
    return bool(matches)


def read(file: str) -> list[str]:
    """Return the lines of a text."""
    return Path(file).read_text(encoding="utf-8").splitlines()


# The proof: the programs themselves

VERSIONS = ("3.4.1", "3.5", "3.6.2", "3.6.3", "3.6.5", "3.6.6", "3.8.1", "3.9.1", "3.10.4")
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
for how in ("split", "word_tokenize"):
    for case in ("lower", "as-is"):
        for formula in data["formulas"]:
            # Up to 3.5, meteor_score() lowercases whatever it is told; single_meteor_score() does not.
            result[" ".join([how, case] + [str(each) for each in formula])] = [
                module.single_meteor_score(
                    words(other, how), words(text, how),
                    preprocess=str.lower if case == "lower" else str,
                    alpha=formula[0], beta=formula[1], gamma=formula[2])
                for text, other in data["pairs"]]
json.dump(result, sys.stdout)
"""
EVALUATE = """
import functools, json, sys, evaluate, nltk
nltk.word_tokenize = functools.partial(nltk.word_tokenize, preserve_line=True)
metric, data = evaluate.load(sys.argv[1]), json.load(sys.stdin)
found = [float(metric.compute(predictions=data["sides"][0], references=data["sides"][1], alpha=alpha, beta=beta,
                              gamma=gamma)["meteor"]) for alpha, beta, gamma in data["formulas"]]
print("found " + json.dumps(found))
"""


def environment(release: str, folder: Path, *more: str) -> str:
    """Return the Python of an environment with a release of nltk, which is made if it is not there."""
    place = folder / f"nltk-{release}"
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        # nltk 3.6 imports pytest.
        command = [str(python), "-m", "pip", "install", "-q", f"nltk=={release}", "pytest", *more]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return str(python)


def answer(command: list[str], data: object) -> str:
    """Give a program JSON and return what it prints."""
    surroundings = {**os.environ, "HF_HUB_OFFLINE": "1"}
    given = json.dumps(data)
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True, env=surroundings).stdout


def lay_out_wordnet(wordnet: Path, folder: Path) -> None:
    """Lay WordNet out as nltk wants it; Debian leaves out ``lexnames``, and nltk wants ``index.sense`` and OMW."""
    corpus = folder / "corpora" / "wordnet"
    shutil.copytree(wordnet, corpus)
    if not (corpus / "lexnames").exists():
        lines = [f"{number:02d}\tfile.{number}\t1\n" for number in range(64)]
        (corpus / "lexnames").write_text("".join(lines), encoding="ascii")
    for name in (corpus / "index.sense", folder / "corpora" / "omw-1.4" / "citation.bib"):
        name.parent.mkdir(exist_ok=True)
        name.touch()
    os.environ["NLTK_DATA"] = str(folder)


def compare_with_nltk(options: argparse.Namespace) -> bool:
    """Print the largest difference of our scores from those of each release of nltk; return whether all are equal."""
    from nltk.tokenize import word_tokenize

    sides = [read(file)[: options.segments] for file in (options.hypotheses, options.reference)]
    pairs = list(zip(*sides, strict=True))
    wordnet = WordNet(options.wordnet)
    worst = []
    for version in options.releases:
        given = {"pairs": pairs, "formulas": FORMULAS}
        theirs = json.loads(answer([environment(version, options.venvs), "-c", INSIDE], given))
        differences = []
        for name, scores in theirs.items():
            how, case, *formula = name.split()
            split = str.split if how == "split" else functools.partial(word_tokenize, preserve_line=True)
            cased = str.lower if case == "lower" else str
            words = [[[cased(word) for word in split(text)] for text in pair] for pair in pairs]
            counts = np.array([count_matches(own, other, emulated(version), wordnet) for own, other in words])
            ours = nltk_scores(counts, *map(float, formula))
            differences.append(float(np.abs(ours - scores).max()))
        worst.append(max(differences))
        print(f"nltk {version}: {len(pairs)} segments, {len(theirs)} settings, largest difference {worst[-1]:.1e}")
    return max(worst) <= 1e-12


Answer = tuple[float, Callable[[Candidate], bool]]
"""A program's number, and whether a candidate is that program with its settings."""
RUN_UNDER = {"3.5": "3.4.1-3.6.2", "3.6.6": "3.6.3-3.8.2", "3.10.4": ">=3.9"}


class Programs:
    """The programs, with a memory of what they answered; ``draw`` chooses their settings."""

    def __init__(self, options: argparse.Namespace, draw: random.Random) -> None:
        self.options, self.draw = options, draw
        self._answers: dict[str, Any] = {}

    def _once(self, key: str, sides: Sides, compute: Callable[[], Any]) -> Any:
        key = f"{key} {hash(tuple(sides[0]))}"
        if key not in self._answers:
            self._answers[key] = compute()
        return self._answers[key]

    def java(self, sides: Sides) -> Answer:
        """Run METEOR 1.5's Java program."""
        modules = self.draw.choice(["", "exact", "exact stem", "exact stem synonym"])
        task, flag = self.draw.choice(TASKS[:6]), self.draw.choice([*NORMALIZATIONS.values()])
        arguments = ["-l", "en", *flag.split(), *(["-t", task] if task != "rank" else [])]
        arguments += ["-m", modules] if modules else []
        return self._java(sides, [*arguments, *["-ch"] * (self.draw.random() < 0.2)])

    def published(self, sides: Sides) -> Answer:
        """Run the Java program with parameters that were published before METEOR 1.3."""
        formula, flag = self.draw.choice(FORMULAS[:3]), self.draw.choice([*NORMALIZATIONS.values()])
        modules = self.draw.choice([" ".join(each) for each in OLD_MODULES])
        numbers = " ".join(f"{number:g}" for number in (*formula, 0.5))
        weights = " ".join("1" for _ in modules.split())
        return self._java(sides, ["-l", "en", *flag.split(), "-p", numbers, "-m", modules, "-w", weights])

    def _java(self, sides: Sides, arguments: list[str]) -> Answer:
        def compute() -> dict[str, float]:
            with tempfile.TemporaryDirectory() as name:
                files = [Path(name, side) for side in ("hypothesis", "reference")]
                for file, texts in zip(files, (sides[0], sides[1][0]), strict=True):
                    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
                command = ["java", "-Xmx2G", "-jar", self.options.jar, *map(str, files), *arguments]
                output = answer(command, None)
            found = re.findall(r"^Segment \d+ score:\t(\S+)$|^Final score:\s+(\S+)$", output, re.MULTILINE)
            return {"segments": statistics.fmean(float(one) for one, _ in found if one), "corpus": float(found[-1][1])}

        level = self.draw.choice(["corpus", "segments"])
        score = self._once(f"jar {arguments}", sides, compute)[level]
        return (
            score,
            lambda each: (
                each.program.startswith("METEOR")
                and (shlex.split(each.settings), each.level) == (shlex.split(shlex.join(arguments)), level)
            ),
        )

    def evaluate(self, release: str, sides: Sides) -> Answer:
        """Run ``evaluate`` on a release of nltk."""

        def compute() -> list[float]:
            folder = Path(self.options.venvs, "evaluate")
            command = [environment(release, folder, "evaluate"), "-c", EVALUATE, self.options.evaluate]
            output = answer(command, {"sides": (sides[0], sides[1][0]), "formulas": FORMULAS})
            found: list[float] = json.loads(re.findall(r"^found (.*)$", output, re.MULTILINE)[0])
            return found

        at = self.draw.randrange(len(FORMULAS))
        wanted = "|{}|".format("|".join(f"{name}:{value}" for name, value in zip("abg", FORMULAS[at], strict=True)))
        start = f"nltk {RUN_UNDER[release]}"
        return self._once(f"evaluate {release}", sides, compute)[
            at
        ], lambda each: each.program == "evaluate" and each.settings.startswith(start) and wanted in each.signature

    def nltk(self, release: str, sides: Sides) -> Answer:
        """Run a release of nltk."""

        def compute() -> Any:
            pairs = list(zip(sides[0], sides[1][0], strict=True))
            command = [environment(release, self.options.venvs), "-c", INSIDE]
            return json.loads(answer(command, {"pairs": pairs, "formulas": FORMULAS}))

        how, case = self.draw.choice(["split", "word_tokenize"]), self.draw.choice(["lower", "as-is"])
        formula = self.draw.choice(FORMULAS)
        found = self._once(f"nltk {release}", sides, compute)
        wanted = f"nltk:{RUN_UNDER[release]}|tokens:{how}|case:{case}|"
        wanted += "|".join(f"{name}:{value}" for name, value in zip("abg", formula, strict=True))
        score = statistics.fmean(found[" ".join([how, case, *map(str, formula)])])
        return score, lambda each: each.signature.startswith(wanted)

    def coco(self, sides: Sides) -> Answer:
        """Run pycocoevalcap, its tokenizer and its METEOR."""

        def compute() -> dict[str, float]:
            from pycocoevalcap.meteor.meteor import Meteor as CocoMeteor
            from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

            tokens = [
                PTBTokenizer().tokenize({number: [{"caption": text}] for number, text in enumerate(side)})
                for side in (sides[0], sides[1][0])
            ]
            score, segments = CocoMeteor().compute_score(tokens[1], tokens[0])
            return {"corpus": score, "segments": statistics.fmean(segments)}

        level = self.draw.choice(["corpus", "segments"])
        score = self._once("coco", sides, compute)[level]
        return score, lambda each: (each.program, each.level) == ("pycocoevalcap", level)

    def chain(self, sides: Sides) -> Answer:
        """Run a chain of METEOR-E."""
        name, level = self.draw.choice(CHAINS), self.draw.choice(["corpus", "segments"])
        meteor = Meteor.from_config(name, language="en")
        segments = statistics.fmean(each.score for each in meteor.segments(sides[0], sides[1][0]))
        score = segments if level == "segments" else meteor.corpus(sides[0], sides[1][0]).score
        return score, lambda each: each.key == ("meteor-e", f"-c {name}", level)


def prove(options: argparse.Namespace) -> bool:
    """Run the programs with random settings, and print how often the search names them."""
    draw = random.Random(options.seed)
    counted: Counter[str] = Counter()
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        lay_out_wordnet(options.wordnet, Path(name))
        sets: list[tuple[Sides, list[Candidate]]] = []
        for pair in options.texts:
            hypotheses, reference = (read(file)[: options.segments] for file in pair)
            sides = hypotheses, [reference]
            sets.append((sides, list(every_meteor(sides, "en", options.wordnet))))
        programs = Programs(options, draw)
        runs: list[Callable[[Sides], Answer]] = [programs.java, programs.published, programs.coco, programs.chain]
        runs += [functools.partial(programs.nltk, release) for release in RUN_UNDER]
        if options.evaluate is not None:
            runs += [functools.partial(programs.evaluate, release) for release in ("3.5", "3.10.4")]
        for number in range(options.runs):
            at = draw.randrange(len(sets))
            (sides, found), (_, others) = sets[at], sets[at - 1]
            score, is_it = runs[number % len(runs)](sides)
            ours = next((each for each in found if is_it(each)), None)
            if ours is None:
                print(f"no candidate for run {number + 1}")
                continue
            worst = max(worst, abs(ours.score - score))
            second = next(each.score for each in others if each.key == ours.key)
            questions = {
                "all digits": ([f"{score:.15f}"], [found]),
                "one decimal": ([f"{score * 100:.1f}"], [found]),
                "one decimal, two systems": ([f"{score * 100:.1f}", f"{second * 100:.1f}"], [found, others]),
            }
            for question, (texts, tables) in questions.items():
                rows = matching([Reported.parse(text) for text in texts], tables)
                right = [any(map(is_it, row.candidates)) for row in rows if row.distance == 0]
                counted[f"{question}: named"] += any(right)
                counted[f"{question}: first"] += right[:1] == [True]
                counted[f"{question}: {min(len(right), 4)}{'+' * (len(right) > 3)} numbers left"] += 1
    print(f"{options.runs} runs; largest difference of a program's number from ours: {worst:.1e}")
    for name, times in sorted(counted.items()):
        print(f"{name}: {times}")
    return counted["all digits: named"] == options.runs


def main() -> None:
    """Run a command; the exit status is 1 if nothing matches, or the proof fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="folder of WordNet 3.0")
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("find")
    command.add_argument("number")
    command.add_argument("hypotheses")
    command.add_argument("references", nargs="+")
    command.add_argument("--also", nargs=2, action="append", default=[], metavar=("NUMBER", "HYPOTHESES"))
    command.add_argument("-l", "--language", default="en")
    command.add_argument("--level", choices=["corpus", "segments"])
    command.set_defaults(run=find)
    command = commands.add_parser("nltk")
    command.add_argument("hypotheses")
    command.add_argument("reference")
    command.add_argument("--releases", nargs="+", default=VERSIONS)
    command.set_defaults(run=compare_with_nltk)
    proof = commands.add_parser("prove")
    proof.add_argument("--texts", nargs=2, action="append", required=True, metavar="FILE")
    proof.add_argument("--runs", type=int, default=200)
    proof.add_argument("--seed", type=int, default=1)
    proof.add_argument("--jar", required=True, help="METEOR 1.5's program")
    proof.add_argument("--evaluate", metavar="FILE", help="meteor.py of the repository huggingface/evaluate")
    proof.set_defaults(run=prove)
    for each in (command, proof):
        each.add_argument("--segments", type=int, default=1000)
        each.add_argument("--venvs", type=Path, required=True, metavar="FOLDER")
    options = parser.parse_args()
    sys.exit(not options.run(options))


if __name__ == "__main__":
    main()
