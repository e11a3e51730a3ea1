"""Find the implementation and settings of METEOR that produced a reported score, and test the search.

    python benchmarks/which/which.py find 27.3 HYPOTHESES REFERENCES… [--also 25.9 OTHER-HYPOTHESES]
    python benchmarks/which/which.py nltk HYPOTHESES REFERENCES --venvs FOLDER
    python benchmarks/which/which.py prove --texts HYPOTHESES REFERENCES --texts … --jar meteor-1.5.jar --venvs FOLDER

``find`` computes all common variants of METEOR for the texts, and prints those whose scores round to the reported
number. The variants are the tasks, modules and normalizations of METEOR 1.5, parameters that were published before
METEOR 1.3, the releases of nltk, ``evaluate``, pycocoevalcap and the chains of METEOR-E.

``nltk`` compares the emulations of nltk in this script with nltk itself, segment by segment. It creates a virtual
environment in FOLDER for each release on PyPI.

``prove`` runs the programs with random settings, and tests whether the search identifies the program and its settings.

The METEOR of nltk needs WordNet 3.0 (``apt-get install wordnet-base``). ``--wordnet`` selects another folder.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
import operator
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

Texts = tuple[list[str], list[list[str]]]
"""Hypotheses; and for each set of references a list with one reference per hypothesis."""

# Reported numbers


class Reported(NamedTuple):
    """A reported score.

    Attributes:
        text: the number as it was printed.
        value: the score between 0 and 1.
        half: half a unit of the last digit, on the same scale.
    """

    text: str
    value: float
    half: float

    @classmethod
    def parse(cls, text: str) -> Reported:
        """Parse a number such as ``27.3``, ``.273`` or ``27.3%``. Numbers above 1 are percentages."""
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(%?)", text.strip())
        if match is None or float(match[1]) > 100:
            sys.exit(f"{text!r} is not a score; give a number as it was printed, such as 27.3 or .273")
        number, percent_sign = match[1], match[2]
        scale = 100 if percent_sign or float(number) > 1 else 1
        decimals = len(number.partition(".")[2])
        half = 5 * 10.0 ** -(decimals + 1)
        return cls(text.strip(), float(number) / scale, half / scale)

    def distance(self, score: float) -> float:
        """Return how far a score is from the nearest score that rounds to the reported number.

        A score exactly in the middle of two numbers rounds to both numbers.
        """
        excess = abs(score - self.value) - self.half
        return excess if excess > 1e-12 else 0.0


# The METEOR of nltk, according to its documentation and the behavior of its releases


@dataclass(frozen=True)
class Release:
    """Releases of nltk that compute the same scores.

    Attributes:
        name: range of the releases, such as ``3.6.3-3.8.2``.
        stems_go_on: whether unmatched words are passed to the synonym stage as stems, so that most synonyms are missed.
        rules_again: whether WordNet's rules for base forms are applied repeatedly.
    """

    name: str
    stems_go_on: bool
    rules_again: bool


RELEASES = (
    Release("3.4.1-3.6.2", False, True),
    Release("3.6.3-3.8.2", True, True),
    Release(">=3.9", True, False),
)


def find_release(version: str) -> Release:
    """Return the group of nltk releases that contains a version such as ``3.6.6``."""
    numbers = tuple(int(part) for part in version.split(".")[:3] if part.isdecimal())
    return RELEASES[(numbers >= (3, 6, 3)) + (numbers >= (3, 9))]


def count_matches(
    hypothesis: Sequence[str], reference: Sequence[str], release: Release, wordnet: WordNet
) -> tuple[int, int, int, int]:
    """Count the hypothesis words, reference words, matches and chunks."""
    stem = porter_stemmer()
    hypothesis_words, reference_words = list(enumerate(hypothesis)), list(enumerate(reference))
    matches = _remove_matches(hypothesis_words, reference_words, operator.eq)
    hypothesis_stems = [(position, stem(word)) for position, word in hypothesis_words]
    reference_stems = [(position, stem(word)) for position, word in reference_words]
    matches += _remove_matches(hypothesis_stems, reference_stems, operator.eq)
    if release.stems_go_on:
        hypothesis_words, reference_words = hypothesis_stems, reference_stems

    def are_synonyms(hypothesis_word: str, reference_word: str) -> bool:
        return reference_word in wordnet.synonyms(hypothesis_word, release.rules_again)

    matches += _remove_matches(hypothesis_words, reference_words, are_synonyms)
    matches.sort(key=lambda match: match[0])
    chunks = len(matches)
    for (i, j), (next_i, next_j) in itertools.pairwise(matches):
        if next_i == i + 1 and next_j == j + 1:
            chunks -= 1
    return len(hypothesis), len(reference), len(matches), chunks


def _remove_matches(
    hypothesis_words: list[tuple[int, str]],
    reference_words: list[tuple[int, str]],
    do_match: Callable[[str, str], bool],
) -> list[tuple[int, int]]:
    """Match words from the end of both lists, remove them, and return the pairs of their positions."""
    matches = []
    for i in reversed(range(len(hypothesis_words))):
        for j in reversed(range(len(reference_words))):
            if do_match(hypothesis_words[i][1], reference_words[j][1]):
                matches.append((hypothesis_words.pop(i)[0], reference_words.pop(j)[0]))
                break
    return matches


def nltk_scores(counts: NDArray[Any], alpha: float, beta: float, gamma: float) -> NDArray[np.float64]:
    """Compute scores from the counts that :func:`count_matches` returns. Without matches, a score is 0."""
    hypothesis_length, reference_length, matches, chunks = np.moveaxis(counts.astype(float), -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / hypothesis_length, matches / reference_length
        mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
        result: NDArray[np.float64] = np.where(matches > 0, mean * (1 - gamma * (chunks / matches) ** beta), 0.0)
    return result


@functools.cache
def porter_stemmer() -> Callable[[str], str]:
    """Return Porter's stemmer with the extensions of nltk, which are the same in all releases."""
    from nltk.stem.porter import PorterStemmer  # type: ignore[import-untyped]

    return functools.lru_cache(maxsize=200_000)(PorterStemmer().stem)


class WordNet:
    """Looks up synonyms in Princeton WordNet 3.0 in the same way as nltk.

    The format of the files is described in wndb(5WN), and the rules for base forms in morphy(7WN).
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
                    synset_count = int(fields[2])
                    self._synsets[part][fields[0]] = [int(offset) for offset in fields[-synset_count:]]
            for line in files[f"{kind}.exc"].decode("ascii").splitlines():
                form, *bases = line.split()
                self._bases[part][form] = bases

    @functools.lru_cache(maxsize=200_000)  # noqa: B019 (the object exists until the program ends)
    def synonyms(self, word: str, rules_again: bool) -> frozenset[str]:
        """Return a word and all words in its synsets. Expressions of several words are left out.

        Args:
            word: a word in any case.
            rules_again: apply the rules for base forms repeatedly, as in nltk up to 3.8.
        """
        synonyms = {word}
        for part in self.FILES:
            for base in self._base_forms(word.lower(), part, rules_again):
                for offset in self._synsets[part][base]:
                    synonyms.update(name for name in self._synset_words(part, offset) if "_" not in name)
        return frozenset(synonyms)

    def _base_forms(self, form: str, part: str, rules_again: bool) -> list[str]:
        """Return the possible base forms of a word for a part of speech."""
        if form in self._bases[part]:
            return self._select_words([form, *self._bases[part][form]], part)
        shortened = self._remove_suffixes([form], part)
        bases = self._select_words([form, *shortened], part)
        while rules_again and not bases and shortened:
            shortened = self._remove_suffixes(shortened, part)
            bases = self._select_words(shortened, part)
        return bases

    def _select_words(self, forms: Sequence[str], part: str) -> list[str]:
        """Return the distinct forms that WordNet contains for a part of speech."""
        return [form for form in dict.fromkeys(forms) if form in self._synsets[part]]

    def _remove_suffixes(self, forms: Sequence[str], part: str) -> list[str]:
        """Apply all matching suffix rules to the forms, and return the results."""
        results = []
        for form in forms:
            for suffix, replacement in self.SUFFIXES[part]:
                if form.endswith(suffix):
                    results.append(form[: len(form) - len(suffix)] + replacement)
        return results

    def _synset_words(self, part: str, offset: int) -> Iterator[str]:
        """Yield the words of a synset, which is at the given offset in the file of a part of speech."""
        line = self._data[part][offset : offset + 20_000].partition(b"\n")[0]
        fields = line.decode("ascii").split()
        word_count = int(fields[3], 16)
        for index in range(word_count):
            # The syntactic position of an adjective may follow it in parentheses, as in "afraid(p)".
            yield fields[4 + 2 * index].partition("(")[0]


# The common variants of METEOR


@dataclass(frozen=True)
class Candidate:
    """A variant of METEOR with its score for some texts.

    Attributes:
        family: the program without its settings and minor release.
        program: the program, such as ``METEOR 1.5``.
        settings: the options as a user types them.
        level: ``corpus``, or ``segments`` for the mean of the segment scores.
        score: the score between 0 and 1.
        signature: line that identifies the variant.
        unusual: number of settings that differ from the program's usual ones.
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
        """The program, settings and level, which together identify the variant."""
        return self.program, self.settings, self.level


PUBLISHED = {"2005": (0.9, 3.0, 0.5), "2007": (0.81, 0.83, 0.28), "2008": (0.95, 0.5, 0.45)}
"""Published values of α, β and γ from the time before METEOR 1.3, which introduced content and function words.

The sources are Banerjee and Lavie (2005), Lavie and Agarwal (2007), and Agarwal and Lavie (2008).
"""
FORMULAS = (*PUBLISHED.values(), (0.85, 0.2, 0.6))
NORMALIZATIONS = {"full": "-norm", "none": "", "lower": "-lower", "no-punctuation": "-norm -noPunct"}
JAVA_LANGUAGES = frozenset("en cs de es fr ru ar da fi hu it nl no pt ro sv tr".split())  # noqa: SIM905
TASKS = ("rank", "adq", "hter", "util", "li", "tune", "universal")
OLD_MODULES = (["exact", "stem", "synonym"], ["exact"])


def compute_candidates(texts: Texts, language: str, wordnet: Path) -> Iterator[Candidate]:
    """Compute all variants of METEOR. Print a message for each program that cannot be emulated."""
    programs = {
        "METEOR 1.5": lambda: _compute_meteor(texts, language),
        "nltk": lambda: _compute_nltk(texts, WordNet(wordnet)),
        "pycocoevalcap": lambda: _compute_coco(texts, language),
        "METEOR-E": lambda: _compute_chains(texts, language),
    }
    for program, compute in programs.items():
        try:
            yield from compute()
        except MeteorError as error:
            print(f"not computed: {program}: {error}", file=sys.stderr)


class Run:
    """The match statistics of some texts, from which METEOR 1.5 computes scores for any parameters."""

    def __init__(self, meteor: Meteor, texts: Texts) -> None:
        self.meteor = meteor
        hypotheses, reference_sets = texts
        rows = []
        for references in reference_sets:
            segments = meteor.segments(hypotheses, references)
            rows.append([segment.statistics.to_vector() for segment in segments])
        self.counts = np.array(rows).swapaxes(0, 1)

    def candidates(
        self, family: str, program: str, settings: str, task: str, parameters: Parameters, unusual: int = 0
    ) -> Iterator[Candidate]:
        """Yield the corpus score and the mean of the segment scores. Each segment uses its best reference."""
        chain = replace(self.meteor.chain, task=task, parameters=parameters)
        signature = chain_signature(chain, self.meteor)
        segment_scores = score_arrays(self.counts, parameters)
        best_references = segment_scores.argmax(axis=-1)[:, None]
        best_counts = np.take_along_axis(self.counts, best_references[..., None], axis=1)[:, 0]
        total = to_additive(best_counts).sum(axis=0, dtype=float)
        mean = np.take_along_axis(segment_scores, best_references, axis=1).mean()
        for level, score in (("corpus", score_arrays(total, parameters)), ("segments", mean)):
            yield Candidate(family, program, settings, level, float(score), f"{signature}|level:{level}", unusual)


def _compute_meteor(texts: Texts, code: str) -> Iterator[Candidate]:
    # For languages that the Java program does not support, users run it with the option -l other.
    language = find_language(code if code in JAVA_LANGUAGES else "other")
    default = language.tasks[language.default_task]
    tasks = {name: task for name, task in language.tasks.items() if name in TASKS}
    task_modules = [list(task.weights) for task in tasks.values()]
    # If a user names fewer modules than usual and no weights, the program uses the first weights of its list.
    prefixes = [list(default.weights)[:length] for length in range(1, len(default.weights))]
    module_lists = dict.fromkeys(map(tuple, [list(default.weights), *prefixes, *task_modules]))
    java_code = {"cs": "cz", "sv": "se"}.get(language.code, language.code)
    variants = itertools.product(NORMALIZATIONS, (False, True), map(list, module_lists))
    for normalization, characters, modules in variants:
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
        run = Run(meteor, texts)
        has_rare_normalization = normalization not in ("full", "none")
        for name, task in tasks.items():
            if list(task.weights)[: len(modules)] != modules:
                continue
            has_all_modules, is_default_task = list(task.weights) == modules, name == language.default_task
            options = [
                f"-l {java_code}",
                flag,
                "" if is_default_task else f"-t {name}",
                "" if has_all_modules else f"-m '{' '.join(modules)}'",
                "-ch" if characters else "",
            ]
            settings = " ".join(filter(None, options))
            parameters = Parameters(
                task.alpha, task.beta, task.gamma, task.delta, tuple(task.weights.values())[: len(modules)]
            )
            unusual = (not is_default_task) + (not has_all_modules) + characters + has_rare_normalization
            yield from run.candidates("METEOR 1.5", "METEOR 1.5", settings, name, parameters, unusual)
        if not characters and language.code == "en" and modules in OLD_MODULES:
            yield from _compute_published(run, modules, flag, language.default_task, has_rare_normalization)


def _compute_published(
    run: Run, modules: list[str], flag: str, task: str, has_rare_normalization: bool
) -> Iterator[Candidate]:
    """Compute METEOR with the parameters that were published before METEOR 1.3."""
    for year, (alpha, beta, gamma) in PUBLISHED.items():
        # Before METEOR 1.3, content words and function words had equal weights, and all modules had the weight 1.
        parameters = Parameters(alpha, beta, gamma, 0.5, (1.0,) * len(modules))
        weights = " ".join("1" for _ in modules)
        numbers = f"-p '{alpha:g} {beta:g} {gamma:g} 0.5' -m '{' '.join(modules)}' -w '{weights}'"
        settings = " ".join(filter(None, ["-l en", flag, numbers]))
        unusual = 1 + has_rare_normalization + (modules != OLD_MODULES[0])
        program = f"METEOR's parameters of {year}"
        yield from run.candidates("METEOR before 1.3", program, settings, task, parameters, unusual)


def _compute_coco(texts: Texts, language: str) -> Iterator[Candidate]:
    """Emulate pycocoevalcap, which removes punctuation and uses the options ``-l en -norm``."""
    from meteor_e_captions.segmenter import PTBSegmenter

    if language != "en":
        return
    meteor, segmenter = Meteor("en", normalization="full"), PTBSegmenter()

    def tokenize(lines: list[str]) -> list[str]:
        return [line.rstrip().replace("|||", "").replace("  ", " ") for line in segmenter.join_lines(lines)]

    hypotheses, reference_sets = texts
    run = Run(meteor, (tokenize(hypotheses), [tokenize(references) for references in reference_sets]))
    name, settings = "pycocoevalcap", "PTBTokenizer, -l en -norm"
    for candidate in run.candidates(name, name, settings, meteor.chain.task, meteor.chain.parameters):
        yield replace(candidate, signature=f"{candidate.signature}|tokens:ptb")


CHAINS = ("any", "adq", "exact", "universal")


def _compute_chains(texts: Texts, language: str) -> Iterator[Candidate]:
    for name in CHAINS:
        meteor = Meteor.from_config(name, language=language)
        chain = meteor.chain
        run = Run(meteor, texts)
        yield from run.candidates("METEOR-E", "meteor-e", f"-c {name}", chain.task, chain.parameters, 1)


def _compute_nltk(texts: Texts, wordnet: WordNet) -> Iterator[Candidate]:
    """Emulate nltk and ``evaluate``, which use the English WordNet for every language."""
    from nltk.tokenize import word_tokenize

    # Segments are not split into sentences, because this would need additional data.
    splitters: dict[str, Callable[[str], list[str]]] = {
        "split": str.split,
        "word_tokenize": functools.partial(word_tokenize, preserve_line=True),
    }
    hypotheses, reference_sets = texts
    for (tokens, split), case in itertools.product(splitters.items(), ("lower", "as-is")):
        change_case = str.lower if case == "lower" else str
        columns = [
            [[change_case(word) for word in split(text)] for text in column] for column in (hypotheses, *reference_sets)
        ]
        for release in RELEASES:
            counts = np.array(
                [
                    [count_matches(hypothesis, reference, release, wordnet) for reference in references]
                    for hypothesis, *references in zip(*columns, strict=True)
                ]
            )
            for formula in FORMULAS:
                score = float(nltk_scores(counts, *formula).max(axis=1).mean())
                has_one_reference = len(reference_sets) == 1
                yield from _nltk_candidates(release, tokens, case, formula, score, wordnet.digest, has_one_reference)


def _nltk_candidates(
    release: Release,
    tokens: str,
    case: str,
    formula: tuple[float, float, float],
    score: float,
    wordnet: str,
    has_one_reference: bool,
) -> Iterator[Candidate]:
    """Yield the settings of nltk and of the library ``evaluate`` that produce a score."""
    family = "nltk up to 3.6.2" if release is RELEASES[0] else "nltk from 3.6.3 on"
    alpha, beta, gamma = formula
    formula_options = "" if formula == FORMULAS[0] else f"alpha={alpha:g}, beta={beta:g}, gamma={gamma:g}"
    signature = f"nltk:{release.name}|tokens:{tokens}|case:{case}|a:{alpha}|b:{beta}|g:{gamma}|wordnet:{wordnet}"
    # METEOR in nltk takes texts up to nltk 3.6.3, and lists of words from nltk 3.6.5 on.
    is_pretokenized = tokens != "split" and release is RELEASES[0]
    unusual = bool(formula_options) + (case != "lower") + is_pretokenized
    case_option = "" if case == "lower" else "preprocess=str"
    settings = ", ".join(filter(None, [release.name, tokens, case_option, formula_options]))
    yield Candidate(family, "nltk", settings, "segments", score, f"{signature}|level:segments", unusual)
    # The library evaluate passes texts to nltk up to 3.6.4, and lists of words from 3.6.5 on.
    # With texts, nltk fails if there are several references.
    evaluate_releases = release.name
    if tokens == "split":
        split_releases = {RELEASES[0]: release.name, RELEASES[1]: "3.6.3"}
        evaluate_releases = split_releases.get(release, "") if has_one_reference else ""
    if case == "lower" and evaluate_releases and not is_pretokenized:
        settings = ", ".join(filter(None, [f"nltk {evaluate_releases}", formula_options]))
        yield Candidate(family, "evaluate", settings, "segments", score, f"{signature}|level:segments", unusual)


# The search


class Row(NamedTuple):
    """Candidates with equal scores.

    Attributes:
        candidates: the candidates, the most usual first.
        scores: their scores on the texts of each reported number.
        distance: the largest distance of a score from its reported number.
    """

    candidates: list[Candidate]
    scores: tuple[float, ...]
    distance: float


def rank_candidates(
    numbers: Sequence[Reported], candidate_lists: Sequence[Sequence[Candidate]], level: str | None = None
) -> list[Row]:
    """Rank all variants of METEOR by likelihood. Variants with distance 0 round to all reported numbers.

    Args:
        numbers: reported scores of the same variant of METEOR.
        candidate_lists: for each number, the candidates on its texts.
        level: ``corpus`` or ``segments``; by default both.
    """
    tables = [{candidate.key: candidate for candidate in candidates} for candidates in candidate_lists]
    groups: list[tuple[tuple[float, ...], list[Candidate]]] = []
    for key, candidate in tables[0].items():
        if level in (None, candidate.level) and all(key in table for table in tables):
            _add_to_group(groups, tuple(table[key].score for table in tables), candidate)
    rows = []
    for scores, candidates in groups:
        distance = max(number.distance(score) for number, score in zip(numbers, scores, strict=True))
        rows.append(Row(sorted(candidates, key=lambda candidate: candidate.unusual), scores, distance))

    def sort_key(row: Row) -> tuple[float, int, float]:
        return row.distance, row.candidates[0].unusual, abs(row.scores[0] - numbers[0].value)

    return sorted(rows, key=sort_key)


def _add_to_group(
    groups: list[tuple[tuple[float, ...], list[Candidate]]], scores: tuple[float, ...], candidate: Candidate
) -> None:
    """Add a candidate to the group with equal scores, or to a new group."""
    for group_scores, candidates in groups:
        if np.allclose(scores, group_scores, rtol=0, atol=1e-12):
            candidates.append(candidate)
            return
    groups.append((scores, [candidate]))


def find(options: argparse.Namespace) -> bool:
    """Print the variants that give the reported numbers, or the five closest. Return whether a variant matches."""
    references = [read(file) for file in options.references]
    reported = [(options.number, options.hypotheses), *options.also]
    numbers = [Reported.parse(number) for number, _ in reported]
    candidate_lists = [
        list(compute_candidates((read(file), references), options.language, options.wordnet)) for _, file in reported
    ]
    rows = rank_candidates(numbers, candidate_lists, options.level)
    matches = [row for row in rows if row.distance == 0]
    print(f"{len(matches)} numbers of {len(candidate_lists[0])} variants of METEOR match; the likeliest are first")
    for row in matches or rows[:5]:
        print(" ".join(f"{score:.6f}" for score in row.scores))
        for candidate in row.candidates:
            print(f"    {candidate.program}  {candidate.level}  {candidate.settings}")
            print(f"        {candidate.signature}")
    return bool(matches)


def read(file: str) -> list[str]:
    """Return the lines of a text file."""
    return Path(file).read_text(encoding="utf-8").splitlines()


# The tests of the search with the original programs

VERSIONS = ("3.4.1", "3.5", "3.6.2", "3.6.3", "3.6.5", "3.6.6", "3.8.1", "3.9.1", "3.10.4")
# This script runs in the environment of each release. It reads pairs of texts, and writes scores for all settings.
INSIDE = """
import json, sys
import nltk.translate.meteor_score as module
from nltk.tokenize import word_tokenize
nltk_version = tuple(int(part) for part in __import__("nltk").__version__.split("."))
def split(text, tokens):
    words = text.split() if tokens == "split" else word_tokenize(text, preserve_line=True)
    return words if nltk_version >= (3, 6, 4) else " ".join(words)
data = json.load(sys.stdin)
result = {}
for tokens in ("split", "word_tokenize"):
    for case in ("lower", "as-is"):
        for formula in data["formulas"]:
            # Up to 3.5, meteor_score() always lowercases, but single_meteor_score() does not.
            result[" ".join([tokens, case] + [str(number) for number in formula])] = [
                module.single_meteor_score(
                    split(reference, tokens), split(hypothesis, tokens),
                    preprocess=str.lower if case == "lower" else str,
                    alpha=formula[0], beta=formula[1], gamma=formula[2])
                for hypothesis, reference in data["pairs"]]
json.dump(result, sys.stdout)
"""
EVALUATE = """
import functools, json, sys, evaluate, nltk
nltk.word_tokenize = functools.partial(nltk.word_tokenize, preserve_line=True)
metric, data = evaluate.load(sys.argv[1]), json.load(sys.stdin)
scores = [float(metric.compute(predictions=data["hypotheses"], references=data["references"], alpha=alpha, beta=beta,
                               gamma=gamma)["meteor"]) for alpha, beta, gamma in data["formulas"]]
print("scores " + json.dumps(scores))
"""


def prepare_environment(release: str, folder: Path, *packages: str) -> str:
    """Create a virtual environment with a release of nltk unless it exists, and return the path of its Python."""
    environment_folder = folder / f"nltk-{release}"
    python = environment_folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environment_folder)], check=True)
        # nltk 3.6 imports pytest.
        command = [str(python), "-m", "pip", "install", "-q", f"nltk=={release}", "pytest", *packages]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return str(python)


def run_program(command: list[str], data: object) -> str:
    """Run a program with JSON as its standard input, and return its standard output."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    process = subprocess.run(
        command, input=json.dumps(data), capture_output=True, text=True, check=True, env=environment
    )
    return process.stdout


def copy_wordnet(wordnet: Path, folder: Path) -> None:
    """Copy WordNet to a folder of NLTK data, and add files that nltk requires and Debian's package does not contain."""
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
    """Print how much the emulation differs from each release of nltk, and return whether all are equal."""
    from nltk.tokenize import word_tokenize

    columns = [read(file)[: options.segments] for file in (options.hypotheses, options.reference)]
    pairs = list(zip(*columns, strict=True))
    wordnet = WordNet(options.wordnet)
    largest_differences = []
    for version in options.releases:
        command = [prepare_environment(version, options.venvs), "-c", INSIDE]
        nltk_results = json.loads(run_program(command, {"pairs": pairs, "formulas": FORMULAS}))
        release = find_release(version)
        differences = []
        for name, scores in nltk_results.items():
            tokens, case, *formula = name.split()
            split = str.split if tokens == "split" else functools.partial(word_tokenize, preserve_line=True)
            change_case = str.lower if case == "lower" else str
            words = [[[change_case(word) for word in split(text)] for text in pair] for pair in pairs]
            counts = [count_matches(hypothesis, reference, release, wordnet) for hypothesis, reference in words]
            emulated_scores = nltk_scores(np.array(counts), *map(float, formula))
            differences.append(float(np.abs(emulated_scores - scores).max()))
        largest = max(differences)
        largest_differences.append(largest)
        print(f"nltk {version}: {len(pairs)} segments, {len(nltk_results)} settings, largest difference {largest:.1e}")
    return max(largest_differences) <= 1e-12


Answer = tuple[float, Callable[[Candidate], bool]]
"""A program's score, and a function that returns whether a candidate is that program with the same settings."""
RELEASE_BY_VERSION = {"3.5": "3.4.1-3.6.2", "3.6.6": "3.6.3-3.8.2", "3.10.4": ">=3.9"}


class Programs:
    """Runs the programs with random settings, which ``rng`` chooses. Their results are cached."""

    def __init__(self, options: argparse.Namespace, rng: random.Random) -> None:
        self.options, self.rng = options, rng
        self._cache: dict[str, Any] = {}

    def _compute_once(self, key: str, texts: Texts, compute: Callable[[], Any]) -> Any:
        key = f"{key} {hash(tuple(texts[0]))}"
        if key not in self._cache:
            self._cache[key] = compute()
        return self._cache[key]

    def java(self, texts: Texts) -> Answer:
        """Run METEOR 1.5's Java program."""
        modules = self.rng.choice(["", "exact", "exact stem", "exact stem synonym"])
        task, flag = self.rng.choice(TASKS[:6]), self.rng.choice([*NORMALIZATIONS.values()])
        arguments = ["-l", "en", *flag.split()]
        if task != "rank":
            arguments += ["-t", task]
        if modules:
            arguments += ["-m", modules]
        if self.rng.random() < 0.2:
            arguments.append("-ch")
        return self._run_java(texts, arguments)

    def run_published_parameters(self, texts: Texts) -> Answer:
        """Run the Java program with parameters that were published before METEOR 1.3."""
        formula, flag = self.rng.choice(FORMULAS[:3]), self.rng.choice([*NORMALIZATIONS.values()])
        modules = self.rng.choice([" ".join(module_list) for module_list in OLD_MODULES])
        numbers = " ".join(f"{number:g}" for number in (*formula, 0.5))
        weights = " ".join("1" for _ in modules.split())
        return self._run_java(texts, ["-l", "en", *flag.split(), "-p", numbers, "-m", modules, "-w", weights])

    def _run_java(self, texts: Texts, arguments: list[str]) -> Answer:
        def compute() -> dict[str, float]:
            with tempfile.TemporaryDirectory() as folder:
                hypothesis_file, reference_file = Path(folder, "hypothesis"), Path(folder, "reference")
                hypothesis_file.write_text("\n".join(texts[0]) + "\n", encoding="utf-8")
                reference_file.write_text("\n".join(texts[1][0]) + "\n", encoding="utf-8")
                files = [str(hypothesis_file), str(reference_file)]
                output = run_program(["java", "-Xmx2G", "-jar", self.options.jar, *files, *arguments], None)
            segment_scores = re.findall(r"^Segment \d+ score:\t(\S+)$", output, re.MULTILINE)
            corpus_scores = re.findall(r"^Final score:\s+(\S+)$", output, re.MULTILINE)
            return {"segments": statistics.fmean(map(float, segment_scores)), "corpus": float(corpus_scores[-1])}

        level = self.rng.choice(["corpus", "segments"])
        score = self._compute_once(f"jar {arguments}", texts, compute)[level]

        def is_program(candidate: Candidate) -> bool:
            has_same_settings = shlex.split(candidate.settings) == shlex.split(shlex.join(arguments))
            return candidate.program.startswith("METEOR") and has_same_settings and candidate.level == level

        return score, is_program

    def evaluate(self, version: str, texts: Texts) -> Answer:
        """Run ``evaluate`` with a version of nltk."""

        def compute() -> list[float]:
            folder = Path(self.options.venvs, "evaluate")
            command = [prepare_environment(version, folder, "evaluate"), "-c", EVALUATE, self.options.evaluate]
            data = {"hypotheses": texts[0], "references": texts[1][0], "formulas": FORMULAS}
            output = run_program(command, data)
            scores: list[float] = json.loads(re.findall(r"^scores (.*)$", output, re.MULTILINE)[0])
            return scores

        index = self.rng.randrange(len(FORMULAS))
        score = self._compute_once(f"evaluate {version}", texts, compute)[index]
        prefix = f"nltk {RELEASE_BY_VERSION[version]}"

        def is_program(candidate: Candidate) -> bool:
            if candidate.program != "evaluate" or not candidate.settings.startswith(prefix):
                return False
            return f"|{_format_formula(FORMULAS[index])}|" in candidate.signature

        return score, is_program

    def nltk(self, version: str, texts: Texts) -> Answer:
        """Run a version of nltk."""

        def compute() -> Any:
            pairs = list(zip(texts[0], texts[1][0], strict=True))
            command = [prepare_environment(version, self.options.venvs), "-c", INSIDE]
            return json.loads(run_program(command, {"pairs": pairs, "formulas": FORMULAS}))

        tokens, case = self.rng.choice(["split", "word_tokenize"]), self.rng.choice(["lower", "as-is"])
        formula = self.rng.choice(FORMULAS)
        results = self._compute_once(f"nltk {version}", texts, compute)
        score = statistics.fmean(results[" ".join([tokens, case, *map(str, formula)])])
        prefix = f"nltk:{RELEASE_BY_VERSION[version]}|tokens:{tokens}|case:{case}|{_format_formula(formula)}"
        return score, lambda candidate: candidate.signature.startswith(prefix)

    def coco(self, texts: Texts) -> Answer:
        """Run the tokenizer and the METEOR class of pycocoevalcap."""

        def compute() -> dict[str, float]:
            from pycocoevalcap.meteor.meteor import Meteor as CocoMeteor
            from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

            def tokenize(lines: list[str]) -> Any:
                return PTBTokenizer().tokenize({image: [{"caption": line}] for image, line in enumerate(lines)})

            hypotheses, references = tokenize(texts[0]), tokenize(texts[1][0])
            score, segment_scores = CocoMeteor().compute_score(references, hypotheses)
            return {"corpus": score, "segments": statistics.fmean(segment_scores)}

        level = self.rng.choice(["corpus", "segments"])
        score = self._compute_once("coco", texts, compute)[level]
        return score, lambda candidate: (candidate.program, candidate.level) == ("pycocoevalcap", level)

    def chain(self, texts: Texts) -> Answer:
        """Run a chain of METEOR-E."""
        name, level = self.rng.choice(CHAINS), self.rng.choice(["corpus", "segments"])
        meteor = Meteor.from_config(name, language="en")
        hypotheses, references = texts[0], texts[1][0]
        if level == "segments":
            score = statistics.fmean(segment.score for segment in meteor.segments(hypotheses, references))
        else:
            score = meteor.corpus(hypotheses, references).score
        return score, lambda candidate: candidate.key == ("meteor-e", f"-c {name}", level)


def _format_formula(formula: Sequence[float]) -> str:
    """Format the parameters α, β and γ as a part of a signature."""
    return "|".join(f"{name}:{value}" for name, value in zip("abg", formula, strict=True))


def prove(options: argparse.Namespace) -> bool:
    """Run the programs with random settings, and print how often the search identifies them."""
    rng = random.Random(options.seed)
    counts: Counter[str] = Counter()
    largest_difference = 0.0
    with tempfile.TemporaryDirectory() as folder:
        copy_wordnet(options.wordnet, Path(folder))
        text_sets: list[tuple[Texts, list[Candidate]]] = []
        for pair in options.texts:
            hypotheses, references = (read(file)[: options.segments] for file in pair)
            texts = hypotheses, [references]
            text_sets.append((texts, list(compute_candidates(texts, "en", options.wordnet))))
        runs = _list_runs(options, rng)
        for number in range(options.runs):
            index = rng.randrange(len(text_sets))
            (texts, candidates), (_, other_candidates) = text_sets[index], text_sets[index - 1]
            score, is_program = runs[number % len(runs)](texts)
            emulation = next((candidate for candidate in candidates if is_program(candidate)), None)
            if emulation is None:
                print(f"no candidate for run {number + 1}")
                continue
            largest_difference = max(largest_difference, abs(emulation.score - score))
            other_score = next(candidate.score for candidate in other_candidates if candidate.key == emulation.key)
            questions = {
                "all digits": ([f"{score:.15f}"], [candidates]),
                "one decimal": ([f"{score * 100:.1f}"], [candidates]),
                "one decimal, two systems": (
                    [f"{score * 100:.1f}", f"{other_score * 100:.1f}"],
                    [candidates, other_candidates],
                ),
            }
            for question, (numbers, candidate_lists) in questions.items():
                rows = rank_candidates([Reported.parse(text) for text in numbers], candidate_lists)
                is_correct = [any(map(is_program, row.candidates)) for row in rows if row.distance == 0]
                counts[f"{question}: named"] += any(is_correct)
                counts[f"{question}: first"] += is_correct[:1] == [True]
                row_count = str(len(is_correct)) if len(is_correct) <= 3 else "4+"
                counts[f"{question}: {row_count} numbers left"] += 1
    print(f"{options.runs} runs; largest difference between a program and its emulation: {largest_difference:.1e}")
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    return counts["all digits: named"] == options.runs


def _list_runs(options: argparse.Namespace, rng: random.Random) -> list[Callable[[Texts], Answer]]:
    """Return the functions that run the programs."""
    programs = Programs(options, rng)
    runs: list[Callable[[Texts], Answer]] = [
        programs.java,
        programs.run_published_parameters,
        programs.coco,
        programs.chain,
    ]
    runs += [functools.partial(programs.nltk, version) for version in RELEASE_BY_VERSION]
    if options.evaluate is not None:
        runs += [functools.partial(programs.evaluate, version) for version in ("3.5", "3.10.4")]
    return runs


def main() -> None:
    """Run a command. The exit status is 1 if no variant matches or the test fails."""
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
    for subparser in (command, proof):
        subparser.add_argument("--segments", type=int, default=1000)
        subparser.add_argument("--venvs", type=Path, required=True, metavar="FOLDER")
    options = parser.parse_args()
    sys.exit(not options.run(options))


if __name__ == "__main__":
    main()
