"""Every METEOR that people run, on the same texts.

Texts are tokenized and aligned once per setting that changes words or matches; parameters, tasks, and the choice
between the corpus and the mean of its segments only score the statistics again.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from meteor_e.api import ConfigError, ContextualMatcher, MeteorError, ResourceError, SystemOutputs
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.progress import Progress, silent
from meteor_e.metrics.output_statistics import chain_statistics
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring.arrays import fmean, precision_recall, score_arrays
from meteor_e.scoring.statistics import as_summed
from meteor_e_evaluation.which.nltk_meteor import RELEASES, Release, porter_stemmer, scores, statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from meteor_e import Meteor

LEVELS = ("corpus", "segments")
"""What a number of a text can be: the formula on the sums, or the mean of the segments' scores."""
PARTS = ("precision", "recall", "f1", "fmean")
"""What the Java program prints beside the score, of the corpus."""


@dataclass(frozen=True)
class Candidate:
    """A way to compute METEOR, and what it gives.

    Attributes:
        program: what computes, such as ``METEOR 1.5``.
        settings: its options, as one types them.
        level: ``corpus`` or ``segments`` (their mean).
        score: a share of 1.
        signature: what must be the same for the score to be the same.
        sentence: the line to write in a paper.
        family: the program, whatever its settings and minor releases: what a user would tell apart first.
        since: the year in which it could first be run.
        details: its settings by name, without the language: equal in all languages.
        unusual: how many settings are not the program's usual ones.
        note: what is not certain about the number; empty for nothing.
        parts: precision, recall, F1 and Fmean of a corpus, where the program prints them.
    """

    program: str
    settings: str
    level: str
    score: float
    signature: str
    sentence: str
    family: str
    since: int
    details: Mapping[str, str]
    unusual: int = 0
    note: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """What is the same for the same settings, in any language and at either level."""
        return (self.program, *self.details.values())

    def value(self, what: str) -> float | None:
        """Return what a number may be of: the score, or one of the parts; ``None`` where the program has none."""
        return self.parts.get(what) if what in PARTS else self.score


class Formula(NamedTuple):
    """Parameters that were published.

    Attributes:
        alpha, beta, gamma: of the formula.
        source: where.
        key: of the source in a bibliography.
    """

    alpha: float
    beta: float
    gamma: float
    source: str
    key: str


PUBLISHED = (
    Formula(0.9, 3.0, 0.5, "Banerjee and Lavie, 2005", "banerjee-lavie-2005-meteor"),
    Formula(0.81, 0.83, 0.28, "Lavie and Agarwal, 2007", "lavie-agarwal-2007-meteor"),
    Formula(0.95, 0.5, 0.45, "Agarwal and Lavie, 2008", "agarwal-lavie-2008-meteor"),
)
"""Parameters for English before METEOR had content and function words (1.3). METEOR 1.3's and 1.4's for adequacy and
HTER are those of METEOR 1.5's tasks of these names."""

FORMULAS = (*PUBLISHED, Formula(0.85, 0.2, 0.6, "Denkowski and Lavie, 2014", "denkowski-lavie-2014-meteor"))
_NORMALIZATIONS = {"full": "-norm", "none": "", "lower": "-lower", "no-punctuation": "-norm -noPunct"}
_USUAL = ("full", "none")
_JAVA_CODES = {"cs": "cz", "sv": "se"}
_JAVA_LANGUAGES = frozenset("en cs de es fr ru ar da fi hu it nl no pt ro sv tr".split())  # noqa: SIM905
_TASKS = ("rank", "adq", "hter", "util", "li", "tune", "universal")
_OLD_MODULES = ("exact", "stem", "synonym")
_SENTENCE_END = re.compile(r"[.?!][\"'”’)\]]*\s+\S").search


@dataclass
class Texts:
    """What was scored.

    Attributes:
        hypotheses: one per segment.
        references: one list of segments per reference.
        language: its code.
        encoders: also run chains that read texts with an encoder, which takes minutes.
        formulas: further parameters to try: α, β, γ, δ, and, where they are not the default task's, the weights of the
            language's modules.
        left_out: what could not be computed here, and why.
    """

    hypotheses: list[str]
    references: list[list[str]]
    language: str
    encoders: bool = False
    formulas: Sequence[Sequence[float]] = ()
    left_out: list[str] = field(default_factory=list)


def every_meteor(texts: Texts, progress: Progress = silent, offline: bool | None = None) -> Iterator[Candidate]:
    """Compute every METEOR of texts; what cannot be computed here is said in ``texts.left_out``.

    Args:
        texts: hypotheses and references.
        progress: told the programs done and of all.
        offline: download nothing.

    Raises:
        ResourceError: if METEOR's own resources are missing.
    """
    parts = {"METEOR 1.5": _meteor, "nltk": _nltk, "pycocoevalcap": _coco, "METEOR-E": _chains}
    for number, (name, part) in enumerate(parts.items()):
        progress(f"scoring with {name}", number, len(parts))
        try:
            yield from part(texts, offline)
        except MeteorError as error:
            if name == "METEOR 1.5":
                raise
            texts.left_out.append(f"{name}: {error}")
    progress("scoring", len(parts), len(parts))


def _statistics(meteor: Meteor, hypotheses: Sequence[str], references: Sequence[list[str]]) -> NDArray[Any]:
    """Return statistics of each segment with each reference, ``(segments, references, width)``."""
    outputs = SystemOutputs("", "", "", ("",), (list(hypotheses),), tuple(references))
    cells = np.ones((1, len(hypotheses)), bool)
    counts: NDArray[Any] = chain_statistics(meteor, outputs, cells, ArrayCache(enabled=False))[0]
    return counts


def _levels(counts: NDArray[Any], parameters: Any) -> dict[str, tuple[float, dict[str, float]]]:
    """Return the score of the corpus and the mean of its segments; the best reference of each segment counts.

    Beside the corpus's are its parts.
    """
    segments = score_arrays(counts, parameters)
    best = segments.argmax(axis=-1)[:, None]
    chosen = np.take_along_axis(counts, best[..., None], axis=1)[:, 0]
    whole = as_summed(chosen).sum(axis=0, dtype=float)
    precision, recall = precision_recall(whole, parameters.delta, parameters.weights)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision * recall / (precision + recall)
    values = (precision, recall, f1, fmean(precision, recall, parameters.alpha))
    parts = {name: float(value) for name, value in zip(PARTS, values, strict=True) if np.isfinite(value)}
    mean = float(np.take_along_axis(segments, best, axis=1).mean())
    return {"corpus": (float(score_arrays(whole, parameters)), parts), "segments": (mean, {})}


class _Scored(NamedTuple):
    """A METEOR 1.5 that was run on the texts, whatever its parameters."""

    meteor: Meteor
    counts: NDArray[Any]

    def candidates(
        self, program: str, settings: str, cite: str, task: str, parameters: Any, **more: Any
    ) -> Iterator[Candidate]:
        chain = dataclasses.replace(self.meteor.chain, task=task, parameters=parameters)
        signature = self.meteor.signature_with(chain)
        note = "there is no paraphrase table here: the Java program has other numbers" * ("(no table)" in signature)
        for level, (score, parts) in _levels(self.counts, parameters).items():
            mean = "corpus score" if level == "corpus" else "mean of segment scores"
            sentence = f"We report METEOR ({cite}), {mean}, computed by {program} with {settings or 'its defaults'}"
            yield Candidate(
                program,
                settings,
                level,
                score,
                f"{signature}|level:{level}",
                f"{sentence} ({signature}).",
                note=note,
                parts=parts,
                **more,
            )


def _meteor(texts: Texts, offline: bool | None) -> Iterator[Candidate]:
    from meteor_e import Meteor, Parameters
    from meteor_e.chains.lookup import find_language

    language = find_language(texts.language)
    if language.code not in _JAVA_LANGUAGES:
        # The program has no such language: it is run with -l other.
        language = find_language("other")
    default = language.tasks[language.default_task].parameters
    for numbers in texts.formulas:
        if len(numbers) not in (3, 4, 4 + len(default.weights)):
            raise ConfigError(
                f"{len(numbers)} parameters; give 3 for nltk, 4, or 4 and a weight of each of {len(default.weights)} "
                "modules"
            )
        if not all(math.isfinite(number) and number >= 0 for number in numbers) or numbers[0] > 1:
            raise ConfigError(f"parameters {_spelled(numbers)!r}: each must be 0 or more, and α at most 1")
    named = {name: task for name, task in language.tasks.items() if name in _TASKS}
    for normalization, flag in _NORMALIZATIONS.items():
        if not _has(language.code, normalization, offline):
            continue
        for characters in (False, True):
            usual = list(language.tasks[language.default_task].weights)
            # Without weights, the program gives modules those of the list by position.
            choices = [
                usual,
                *(usual[:length] for length in range(1, len(usual))),
                *(list(task.weights) for task in named.values()),
            ]
            for modules in (list(choice) for choice in dict.fromkeys(map(tuple, choices))):
                meteor = Meteor(
                    language.code,
                    offline=offline,
                    normalization=normalization,
                    matchers=[{"use": module, "optional": True} for module in modules],
                    character_mode=characters,
                )
                run = _Scored(meteor, _statistics(meteor, texts.hypotheses, texts.references))
                common = {"normalization": flag or "none", "units": "characters" if characters else "words"}
                # METEOR 1.3 came in 2011; 1.4 prints the same parameters for ranking English as 1.5.
                new: dict[str, Any] = {"family": "METEOR 1.5", "since": 2011}
                code, cite = _JAVA_CODES.get(language.code, language.code), "Denkowski and Lavie, 2014"
                for name, task in named.items():
                    if list(task.weights)[: len(modules)] != modules:
                        continue
                    own = list(task.weights) == modules
                    unusual = (name != language.default_task) + (not own) + characters
                    unusual += normalization not in _USUAL
                    task_name = "default" if name == language.default_task else name
                    details = {**common, "task": task_name, "modules": "" if own else " ".join(modules)}
                    options = [
                        f"-l {_JAVA_CODES.get(language.code, language.code)}",
                        flag,
                        f"-t {name}" * (name != language.default_task),
                    ]
                    options += [f"-m '{' '.join(modules)}'" * (not own), "-ch" * characters]
                    weights = tuple(task.weights.values())[: len(modules)]
                    parameters = Parameters(task.alpha, task.beta, task.gamma, task.delta, weights)
                    settings = " ".join(filter(None, options))
                    yield from run.candidates(
                        "METEOR 1.5", settings, cite, name, parameters, **new, unusual=unusual, details=details
                    )
                if modules == usual:
                    for numbers in (numbers for numbers in texts.formulas if len(numbers) > 3):
                        alpha, beta, gamma, delta, *others = numbers
                        parameters = Parameters(alpha, beta, gamma, delta, tuple(others) or default.weights)
                        settings = " ".join(filter(None, [f"-l {code}", flag, f"-p '{_spelled(numbers[:4])}'"]))
                        settings += f" -w '{_spelled(numbers[4:])}'" * (len(numbers) > 4) + " -ch" * characters
                        details = {**common, "parameters": _spelled(numbers)}
                        yield from run.candidates(
                            *("METEOR 1.5", settings, cite, language.default_task, parameters),
                            **new,
                            unusual=int(characters),
                            details=details,
                        )
                if characters or language.code != "en" or tuple(modules) not in (_OLD_MODULES, _OLD_MODULES[:1]):
                    continue
                for formula in PUBLISHED:
                    # Before 1.3, content and function words counted alike, as did all matches.
                    parameters = Parameters(formula.alpha, formula.beta, formula.gamma, 0.5, (1.0,) * len(modules))
                    settings = f"-l en {flag} -p '{_spelled([*formula[:3], 0.5])}' -m '{' '.join(modules)}'"
                    settings += f" -w '{_spelled(parameters.weights)}'"
                    unusual = 1 + (normalization not in _USUAL) + (tuple(modules) != _OLD_MODULES)
                    program = f"METEOR's parameters of {formula.source[-4:]}"
                    settings = settings.replace("  ", " ")
                    yield from run.candidates(
                        *(program, settings, formula.source, language.default_task, parameters),
                        family="METEOR before 1.3",
                        since=int(formula.source[-4:]),
                        unusual=unusual,
                        details={**common, "parameters": formula.source, "modules": " ".join(modules)},
                    )


def _spelled(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:g}" for number in numbers)


def _has(language: str, normalization: str, offline: bool | None) -> bool:
    """Tell whether METEOR has a normalization for a language."""
    from meteor_e import Meteor

    try:
        Meteor(language, offline=offline, normalization=normalization)
    except ConfigError:
        return False
    return True


def _chains(texts: Texts, offline: bool | None) -> Iterator[Candidate]:
    from meteor_e import Meteor

    registry = plugin_registry()
    for name in registry.names("chain"):
        try:
            meteor = Meteor.from_config(name, language=texts.language, offline=True)
            if not texts.encoders and any(isinstance(matcher, ContextualMatcher) for matcher in meteor.matchers):
                texts.left_out.append(f"chain {name}: it reads texts with an encoder, which takes time; see --encoders")
                continue
            run = _Scored(meteor, _statistics(meteor, texts.hypotheses, texts.references))
        except MeteorError as error:
            texts.left_out.append(f"chain {name}: {error}")
            continue
        cite = "Servan et al., 2016"
        chain = meteor.chain
        more: dict[str, Any] = {"family": "METEOR-E", "since": 2015, "unusual": 1, "details": {"chain": name}}
        yield from run.candidates("meteor-e", f"-c {name}", cite, chain.task, chain.parameters, **more)


def _coco(texts: Texts, offline: bool | None) -> Iterator[Candidate]:
    """Score as pycocoevalcap does: Stanford's PTB tokens in lower case without marks, ``-l en -norm``."""
    if texts.language != "en":
        return
    from meteor_e import Meteor

    segmenter = plugin_registry().get("segmenter", "ptb").make()
    meteor = Meteor("en", offline=offline, normalization="full")
    hypotheses, *references = (
        [line.rstrip().replace("|||", "").replace("  ", " ") for line in segmenter.join_lines(side)]
        for side in (texts.hypotheses, *texts.references)
    )
    run = _Scored(meteor, _statistics(meteor, hypotheses, references))
    chain = meteor.chain
    cite = "Denkowski and Lavie, 2014"
    more: dict[str, Any] = {"family": "pycocoevalcap", "since": 2015, "details": {}}
    settings = "PTBTokenizer, -l en -norm"
    for found in run.candidates("pycocoevalcap", settings, cite, chain.task, chain.parameters, **more):
        yield dataclasses.replace(found, signature=f"{found.signature}|tokens:ptb")


class _Tokens(NamedTuple):
    """A way to find words before nltk counts them."""

    name: str
    split: Callable[[str], list[str]]
    note: str = ""


def _nltk(texts: Texts, offline: bool | None) -> Iterator[Candidate]:
    """Score as nltk and ``evaluate`` do, with English WordNet whatever the language is, as they do."""
    from meteor_e_evaluation.which.wordnet import find_wordnet

    wordnet = find_wordnet()
    if wordnet is None:
        raise ResourceError(
            "there is no WordNet; get it with `python -m nltk.downloader wordnet` or `apt-get install wordnet-base`"
        )
    stem = porter_stemmer()
    own = {tuple(map(float, numbers[:3])) for numbers in texts.formulas} - {formula[:3] for formula in FORMULAS}
    formulas = [*FORMULAS]
    for alpha, beta, gamma in sorted(own):
        formulas.append(Formula(alpha, beta, gamma, "parameters of its own", ""))
    for tokens in (_Tokens("split", str.split), _word_tokenize(itertools.chain(texts.hypotheses, *texts.references))):
        for lower in (True, False):
            cased = str.lower if lower else str
            sides = [
                [[cased(word) for word in tokens.split(text)] for text in side]
                for side in (texts.hypotheses, *texts.references)
            ]
            for release in RELEASES:
                single = len(texts.references) == 1
                counts = np.array(
                    [
                        [statistics(segment, other, release, wordnet, stem) for other in others]
                        for segment, *others in zip(*sides, strict=True)
                    ]
                )
                for formula in formulas:
                    yield from _nltk_candidates(release, tokens, lower, formula, counts, wordnet.digest, single)


def _nltk_candidates(
    release: Release,
    tokens: _Tokens,
    lower: bool,
    formula: Formula,
    counts: NDArray[Any],
    wordnet: str,
    single: bool,
) -> Iterator[Candidate]:
    alpha, beta, gamma = formula[:3]
    score = float(scores(counts, alpha, beta, gamma).max(axis=1).mean())
    usual = formula is PUBLISHED[0]
    given = "" if usual else f"alpha={alpha:g}, beta={beta:g}, gamma={gamma:g}"
    # Up to 3.6.3, nltk took texts; from 3.6.5 on, words.
    pretokenized = tokens.name != "split" and release is RELEASES[0]
    signature = f"nltk:{release.name}|tokens:{tokens.name}|case:{'lower' if lower else 'as-is'}"
    signature += f"|a:{alpha}|b:{beta}|g:{gamma}|wordnet:{wordnet}|level:segments"
    details = {"release": release.name, "words": tokens.name, "case": "lower" if lower else "as it is"}
    names = [("nltk", [release.name, tokens.name, "" if lower else "preprocess=str", given], details)]
    # `evaluate` gives texts to nltk up to 3.6.4, which fails with several references; words from 3.6.5 on.
    under = release.name
    if tokens.name == "split":
        under = {RELEASES[0]: release.name, RELEASES[1]: "3.6.3"}.get(release, "") if single else ""
    if lower and under and not pretokenized:
        names.append(("evaluate", [f"nltk {under}", given], {"release": under}))
    for program, parts, found in names:
        settings = ", ".join(filter(None, parts))
        source = formula.source if formula.key else PUBLISHED[0].source
        sentence = f"We report METEOR ({source}), mean of segment scores, computed by {program}"
        sentence += f" {settings} ({signature})." if program == "nltk" else f" with {settings} ({signature})."
        yield Candidate(
            program,
            settings,
            "segments",
            score,
            signature,
            sentence,
            "nltk up to 3.6.2" if release is RELEASES[0] else "nltk from 3.6.3 on",
            # The module was part of `datasets` from 2020 on, before there was `evaluate`.
            max(release.since, 2020 if program == "evaluate" else 0),
            {**found, "parameters": given},
            (not usual and bool(formula.key)) + (not lower) + pretokenized,
            tokens.note,
        )


def _word_tokenize(texts: Iterable[str]) -> _Tokens:
    """Return nltk's ``word_tokenize``: its words of each sentence, which Punkt finds; a note where that is missing."""
    from nltk.tokenize import word_tokenize  # type: ignore[import-untyped]

    try:
        word_tokenize("One. Two.")
    except LookupError:
        note = ""
        if any(map(_SENTENCE_END, texts)):
            note = "sentences within a segment are not split: run `python -m nltk.downloader punkt_tab`"
        return _Tokens("word_tokenize", functools.partial(word_tokenize, preserve_line=True), note)
    return _Tokens("word_tokenize", word_tokenize)
