"""The Java program's command line: its options, and what they mean together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

from meteor_e.api.languages import ISO_CODES, METEOR_CODES, Normalization
from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.java.formats import java_double, parse_java_double, parse_java_int
from meteor_e.languages.files import builtin_language

if TYPE_CHECKING:
    from meteor_e.api.languages import Language


class JavaOption(NamedTuple):
    """An option: the field of :class:`JavaOptions` that it sets, and what the help says of it."""

    field: str
    text: str


VALUES = {
    "-l": JavaOption("language", "language: en cz de es fr ru da fi hu it nl no pt ro se tr, or other (default en)"),
    "-t": JavaOption("task", "task: rank util adq hter li tune universal"),
    "-p": JavaOption("parameters", "'alpha beta gamma delta'"),
    "-m": JavaOption("modules", "modules: 'exact stem synonym paraphrase'"),
    "-w": JavaOption("weights", "weights of the modules: '1.0 0.6 0.8 0.6'"),
    "-r": JavaOption("references", "references per segment, one after the other in the reference file (default 1)"),
    "-x": JavaOption("beam", "beam size (default 40)"),
    "-s": JavaOption("words", "file of function words"),
    "-d": JavaOption(
        "synonyms",
        "folder of synonyms; METEOR-E's are looked up by lemma, too (with -lemmas, or vectors that need lemmas)",
    ),
    "-a": JavaOption("paraphrases", "paraphrase table (gzip)"),
    "-f": JavaOption("prefix", "prefix of the files that are written (default meteor)"),
    "-emb": JavaOption("vectors", "METEOR-E: word vectors (module 'embeddings'), looked up by word"),
    "-embLemma": JavaOption("vectors", "the same, looked up by lemma"),
    "-embWord_POS": JavaOption("vectors", "the same, by word and tag"),
    "-embLemma_POS": JavaOption("vectors", "the same, by lemma and tag"),
    "-embWord_Lemma": JavaOption("vectors", "the same, by word and lemma"),
    "-embTh": JavaOption("threshold", "lowest similarity of two words (default 0.80)"),
    "-lemmas": JavaOption("lemmas", "METEOR-E: table of lemmas, word, tag and lemma, joined by tabs"),
    "-new": JavaOption("new", "folder of a new language: function.words and paraphrase.gz"),
}
"""Options that take a value."""

VECTOR_KEYS = {
    "-emb": "word",
    "-embLemma": "lemma",
    "-embWord_POS": "word_POS",
    "-embLemma_POS": "lemma_POS",
    "-embWord_Lemma": "word_lemma",
}
"""METEOR-E's options that name vectors, and what those are looked up by."""

FLAGS = {
    "-q": JavaOption("quiet", "segment scores on standard error, the final score on standard output, nothing else"),
    "-ch": JavaOption("characters", "precision and recall of characters"),
    "-norm": JavaOption("normalize", "tokenize, normalize punctuation, lowercase"),
    "-lower": JavaOption("lowercase", "lowercase"),
    "-noPunct": JavaOption("no_punctuation", "with -norm: drop punctuation"),
    "-sgml": JavaOption("sgml", "the files are SGML"),
    "-stdio": JavaOption("stdio", "answer SCORE and EVAL lines of standard input"),
    "-mira": JavaOption("stdio", "the same as -stdio"),
    "-coco": JavaOption(
        "coco", "with -stdio: speak the protocol of the jar in coco-caption and pycocoevalcap, not that of METEOR 1.5"
    ),
    "-vOut": JavaOption("verbose", "precision, recall, penalty and score of every segment"),
    "-ssOut": JavaOption("statistics", "statistics instead of scores"),
    "-writeAlignments": JavaOption("alignments", "write alignments to PREFIX-align.out"),
}
"""Options that take none."""

TASKS = {
    "rank": "Ranking",
    "adq": "Adequacy",
    "hter": "HTER",
    "util": "Translator-Utility",
    "tune": "Tune",
    "li": "Language-Independent",
    "universal": "Universal",
    "custom": "Custom",
}
"""The Java program's tasks, and what its header calls them."""

MODULES = ("exact", "stem", "synonym", "paraphrase", "embeddings")
"""The modules of METEOR 1.5, and that of METEOR-E."""

_NAMES = {
    "en": "English",
    "cs": "Czech",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "ru": "Russian",
    "da": "Danish",
    "fi": "Finnish",
    "hu": "Hungarian",
    "it": "Italian",
    "nl": "Dutch",
    "no": "Norwegian",
    "pt": "Portuguese",
    "ro": "Romanian",
    "sv": "Swedish",
    "tr": "Turkish",
    "other": "Other",
}
_CODES = {
    **{code: code for code in _NAMES},
    **{name.lower(): code for code, name in _NAMES.items()},
    **ISO_CODES,
    "xx": "other",
}


class UsageError(ConfigError):
    """A command line that the Java program would not take."""


class JavaOptions(SimpleNamespace):
    """The options as they were given, by the fields of the tables above; ``None`` and ``False`` where they were not.

    Beside them ``hypothesis`` and ``reference``, the two files, and ``vector_key``, what vectors are looked up by.
    """


def parse(arguments: Sequence[str]) -> JavaOptions:
    """Read a command line.

    Raises:
        UsageError: for an option that does not exist, or lacks its value.
    """
    if len(arguments) < 2:
        raise UsageError("a test file and a reference file are needed (or - - -stdio)")
    fields = {**dict.fromkeys(each.field for each in VALUES.values()), "prefix": "meteor", "vector_key": "word"}
    flags = dict.fromkeys((each.field for each in FLAGS.values()), False)
    options = JavaOptions(hypothesis=arguments[0], reference=arguments[1], **fields, **flags)
    rest = iter(arguments[2:])
    for name in rest:
        if name in FLAGS:
            setattr(options, FLAGS[name].field, True)
        elif name in VALUES:
            value = next(rest, None)
            if value is None:
                raise UsageError(f"option {name} needs a value")
            if name in VECTOR_KEYS:
                if options.vectors is not None:
                    raise UsageError(f"there are vectors already where {name} names others; there is room for one file")
                options.vector_key = VECTOR_KEYS[name]
            setattr(options, VALUES[name].field, value)
        else:
            raise UsageError(f'unknown option "{name}"{near_miss(name, [*FLAGS, *VALUES])}')
    if options.new is not None:
        # A new language's folder decides everything but the beam and the output.
        for field in ("parameters", "modules", "weights", "synonyms", "vectors", "threshold", "lemmas"):
            setattr(options, field, None)
        options.language, options.task, options.lowercase = "other", "universal", True
        options.normalize = options.characters = False
        options.words, options.paraphrases = f"{options.new}/function.words", f"{options.new}/paraphrase.gz"
    return options


@dataclass(frozen=True)
class JavaConfiguration:
    """What the options mean.

    Attributes:
        options: as they were given.
        language: the language.
        language_name: what the Java program calls it.
        task: what the header calls the task.
        modules: names of the modules, in order.
        weights: the weights as they were given; there may be fewer than modules, never more.
        parameters: α β γ δ; numbers behind them are printed, no more.
        normalization: ``none``, ``lower``, ``full`` or ``no-punctuation``.
        beam: paths of the search, ``None`` for the default.
        warnings: what to say on standard error.
        threshold: lowest similarity of two words whose vectors match, ``None`` without METEOR-E's options.
    """

    options: JavaOptions
    language: Language
    language_name: str
    task: str
    modules: tuple[str, ...]
    weights: tuple[float, ...]
    parameters: tuple[float, ...]
    normalization: str
    beam: int | None
    warnings: tuple[str, ...]
    threshold: float | None

    @classmethod
    def of(cls, options: JavaOptions) -> JavaConfiguration:
        """Work out what the options mean.

        Raises:
            UsageError: for options that the Java program would not take, or that have no meaning together.
            ConfigError: for values with which it would crash later.
        """
        code = _code(options.language)
        language = builtin_language(code)
        name, matchers, parameters, excuse = _task(options, language)
        threshold = _threshold(options)
        if options.vectors is not None and options.modules is None:
            matchers["embeddings"] = EMBEDDINGS_WEIGHT
        modules = tuple(matchers) if options.modules is None else _modules(options.modules)
        if options.parameters is not None:
            parameters = _numbers("-p", options.parameters)
            if len(parameters) < 4:
                raise UsageError(f"-p needs alpha, beta, gamma and delta, it has {len(parameters)} numbers")
            if not all(map(math.isfinite, parameters[:4])):
                raise UsageError(f"-p: alpha, beta, gamma and delta must be finite, not {options.parameters}")
        weights, warnings = _weights(options, tuple(matchers.values()), modules)
        if not any(weights) and not options.quiet:
            warnings.append(f"all weights are 0, and so is every score{excuse}")
        beam = None if options.beam is None else _whole("-x", options.beam)
        if beam is not None and beam < 1:
            raise UsageError(f"-x is {beam}; a search without paths finds nothing, it must be 1 or more")
        return cls(
            options,
            language,
            _NAMES[code],
            TASKS["custom"] if options.parameters or options.modules or options.weights else TASKS[name],
            modules,
            weights,
            parameters,
            _normalization(options, language),
            beam,
            tuple(warnings),
            threshold,
        )

    @property
    def references_per_segment(self) -> int:
        """Lines of the reference file that belong to a segment.

        Raises:
            UsageError: if it is not a number.
        """
        return 1 if self.options.references is None else max(1, _whole("-r", self.options.references))

    @property
    def beyond(self) -> bool:
        """Whether a parameter is out of METEOR's range; the Java program computes with any number."""
        alpha, beta, gamma, delta = self.parameters[:4]
        return not (0 <= alpha <= 1 and beta >= 0 and 0 <= gamma <= 1 and 0 <= delta <= 1)

    @property
    def replaced(self) -> tuple[str, ...]:
        """Names of the modules that METEOR-E adds, or replaces where words have lemmas."""
        if self.threshold is None:
            return ()
        has_lemmas = self.options.lemmas is not None or self.options.vector_key != "word"
        return ("embeddings", "synonym") if has_lemmas else ("embeddings",)

    @property
    def slots(self) -> int:
        """Modules that a statistics line has room for."""
        return 4 if self.threshold is None else 5

    @property
    def evaluation_id(self) -> str:
        """What was computed, as the Java program says it."""
        modes = {"none": "no_norm", "lower": "lc_only", "full": "norm", "no-punctuation": "norm_nopunct"}
        return "-".join(
            (
                "meteor-1.5",
                "ch" if self.options.characters else "wo",
                METEOR_CODES.get(self.language.code, self.language.code),
                modes[self.normalization],
                "_".join(map(java_double, self.parameters)),
                "_".join(module[:2] for module in self.modules),
                "_".join(map(java_double, self.weights)),
            )
        )


EMBEDDINGS_WEIGHT = 0.8
"""Weight of METEOR-E's module where none is given."""

DEFAULT_THRESHOLD = 0.8


def _task(options: JavaOptions, language: Language) -> tuple[str, dict[str, float], tuple[float, ...], str]:
    """Return task, weights by module, parameters, and why they are zeros, if they are."""
    name = (options.task or "default").lower()
    if name not in (*TASKS, "default"):
        raise UsageError(f"unknown task ({options.task}){near_miss(name, TASKS)}; known: {', '.join(TASKS)}")
    if options.task is None:
        name = language.default_task
    elif name == "default":
        # Said aloud, it is the ranking task, for which most languages have no parameters.
        name = "rank"
    # Parameters of your own make the task custom, whose weights are those of adequacy.
    effective = "custom" if options.parameters is not None else name
    row = "adq" if effective == "custom" else effective
    if language.code == "other" and row != "universal":
        row = "li"
    task = language.tasks.get(row)
    if task is None:
        # The Java program's tables hold zeros for it.
        excuse = f" (language {language.code!r} has no parameters for task {effective!r})"
        return name, dict.fromkeys(language.matchers, 0.0), (0.0,) * 4, excuse
    return name, dict(task.weights), (task.alpha, task.beta, task.gamma, task.delta), ""


def _threshold(options: JavaOptions) -> float | None:
    """Return the lowest similarity of words that match; ``None`` if the options are METEOR 1.5's."""
    modules = (options.modules or "").lower().split()
    if options.vectors is options.threshold is options.lemmas is None and "embeddings" not in modules:
        return None
    given = (DEFAULT_THRESHOLD,) if options.threshold is None else _numbers("-embTh", options.threshold)
    if len(given) != 1 or not 0 <= given[0] <= 1:
        raise UsageError(f"-embTh is {options.threshold!r}; it must be a number between 0 and 1")
    return given[0]


def _code(language: str | None) -> str:
    name = "en" if language is None else language.lower()
    if name in ("ar-bw-red", "arabic-buckwalter-reduced"):
        raise UsageError("-l ar-bw-red (experimental in METEOR 1.5) is not supported")
    if name not in _CODES:
        raise UsageError(f"unknown language ({language}){near_miss(name, _CODES)}; known: {', '.join(_NAMES)}")
    return _CODES[name]


def _modules(text: str) -> tuple[str, ...]:
    modules = tuple(text.lower().split())
    for module in modules:
        if module not in MODULES:
            raise UsageError(f"unknown module ({module}){near_miss(module, MODULES)}; known: {', '.join(MODULES)}")
    if not modules:
        raise UsageError("-m names no module")
    return modules


def _weights(
    options: JavaOptions, own: tuple[float, ...], modules: tuple[str, ...]
) -> tuple[tuple[float, ...], list[str]]:
    weights = own if options.weights is None else _numbers("-w", options.weights)
    if options.modules is not None:
        return (*weights, *[0.0] * len(modules))[: len(modules)], []
    if len(weights) > len(modules):
        raise UsageError(f"-w has {len(weights)} weights, but there are {len(modules)} modules: {' '.join(modules)}")
    if len(weights) < len(modules):
        return weights, ["More modules than weights specified - modules with no weights will not be counted."]
    return weights, []


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(map(parse_java_double, text.split()))
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _whole(name: str, text: str) -> int:
    try:
        return parse_java_int(text)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _normalization(options: JavaOptions, language: Language) -> str:
    if not options.normalize:
        return "lower" if options.lowercase else "none"
    if language.normalization is not Normalization.FULL:
        raise UsageError(f"-norm: no normalizer for language ({_NAMES[language.code].lower()}); use -lower")
    return "no-punctuation" if options.no_punctuation else "full"
