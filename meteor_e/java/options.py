"""Parse the command line of METEOR 1.5, and derive the configuration of a run from its options."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
    """Describe a command-line option by its help text and the field of :class:`JavaOptions` that the option sets."""

    field: str
    text: str


VALUE_OPTIONS = {
    "-l": JavaOption("language", "language: en cz de es fr ru da fi hu it nl no pt ro se tr, or other (default en)"),
    "-t": JavaOption("task", "task: rank util adq hter li tune universal"),
    "-p": JavaOption("parameters", "'alpha beta gamma delta'"),
    "-m": JavaOption("modules", "modules: 'exact stem synonym paraphrase'"),
    "-w": JavaOption("weights", "weights of the modules: '1.0 0.6 0.8 0.6'"),
    "-r": JavaOption("references", "references per segment, in consecutive lines of the reference file (default 1)"),
    "-x": JavaOption("beam", "beam size (default 40)"),
    "-s": JavaOption("words", "file of function words"),
    "-d": JavaOption(
        "synonyms",
        "folder of synonyms; METEOR-E also looks up synonyms by lemma (with -lemmas, or vectors that need lemmas)",
    ),
    "-a": JavaOption("paraphrases", "paraphrase table (gzip)"),
    "-f": JavaOption("prefix", "prefix of the output files (default meteor)"),
    "-emb": JavaOption("vectors", "METEOR-E: word vectors (module 'embeddings'), looked up by word"),
    "-embLemma": JavaOption("vectors", "METEOR-E: word vectors, looked up by lemma"),
    "-embWord_POS": JavaOption("vectors", "METEOR-E: word vectors, looked up by word and tag"),
    "-embLemma_POS": JavaOption("vectors", "METEOR-E: word vectors, looked up by lemma and tag"),
    "-embWord_Lemma": JavaOption("vectors", "METEOR-E: word vectors, looked up by word and lemma"),
    "-embTh": JavaOption("threshold", "minimum similarity of matching words (default 0.80)"),
    "-lemmas": JavaOption("lemmas", "METEOR-E: table of words, tags and lemmas, separated by tabs"),
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
"""METEOR-E's options for vector files, and the lookup key of the vectors in each."""

FLAG_OPTIONS = {
    "-q": JavaOption("quiet", "only print segment scores on standard error and the final score on standard output"),
    "-ch": JavaOption("characters", "precision and recall of characters"),
    "-norm": JavaOption("normalize", "tokenize, normalize punctuation, lowercase"),
    "-lower": JavaOption("lowercase", "lowercase"),
    "-noPunct": JavaOption("no_punctuation", "with -norm: drop punctuation"),
    "-sgml": JavaOption("sgml", "the files are SGML"),
    "-stdio": JavaOption("stdio", "answer SCORE and EVAL lines of standard input"),
    "-mira": JavaOption("stdio", "the same as -stdio"),
    "-coco": JavaOption(
        "coco", "with -stdio: use the protocol of the jar in coco-caption and pycocoevalcap instead of METEOR 1.5's"
    ),
    "-vOut": JavaOption("verbose", "precision, recall, penalty and score of every segment"),
    "-ssOut": JavaOption("statistics", "statistics instead of scores"),
    "-writeAlignments": JavaOption("alignments", "write alignments to PREFIX-align.out"),
}
"""Options without a value."""

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
"""METEOR 1.5's tasks, and their names in the header of the output."""

MODULES = ("exact", "stem", "synonym", "paraphrase", "embeddings")
"""The four modules of METEOR 1.5, and the module that METEOR-E adds."""

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
    """Report a command line that METEOR 1.5 would reject."""


class JavaOptions(SimpleNamespace):
    """Store the options of a command line. ``VALUE_OPTIONS`` and ``FLAG_OPTIONS`` list the fields.

    Absent options are ``None``, and absent flags are ``False``. The fields ``hypothesis`` and ``reference`` contain the
    paths of the two files. The field ``vector_key`` contains the lookup key of the word vectors, such as ``lemma``.
    """


def parse(arguments: Sequence[str]) -> JavaOptions:
    """Parse a command line.

    Raises:
        UsageError: if an option does not exist, or its value is missing.
    """
    if len(arguments) < 2:
        raise UsageError("a test file and a reference file are needed (or - - -stdio)")
    options = _make_default_options(hypothesis=arguments[0], reference=arguments[1])
    words = iter(arguments[2:])
    for name in words:
        if name in FLAG_OPTIONS:
            setattr(options, FLAG_OPTIONS[name].field, True)
        elif name in VALUE_OPTIONS:
            # The value of an option is the word after its name, so the loop skips this word.
            _set_value(options, name, value=next(words, None))
        else:
            suggestion = near_miss(name, [*FLAG_OPTIONS, *VALUE_OPTIONS])
            raise UsageError(f'unknown option "{name}"{suggestion}')
    if options.new is not None:
        _apply_new_language(options)
    return options


def _make_default_options(hypothesis: str, reference: str) -> JavaOptions:
    """Return the default options for a hypothesis file and a reference file."""
    options = JavaOptions(hypothesis=hypothesis, reference=reference)
    for option in VALUE_OPTIONS.values():
        setattr(options, option.field, None)
    for flag in FLAG_OPTIONS.values():
        setattr(options, flag.field, False)
    options.prefix = "meteor"
    options.vector_key = "word"
    return options


def _set_value(options: JavaOptions, name: str, value: str | None) -> None:
    """Set the field of an option. Raise UsageError if the value is missing or contradicts another option."""
    if value is None:
        raise UsageError(f"option {name} needs a value")
    if name in VECTOR_KEYS:
        if options.vectors is not None:
            raise UsageError(f"{name} names a second file of vectors; only one is possible")
        options.vector_key = VECTOR_KEYS[name]
    setattr(options, VALUE_OPTIONS[name].field, value)


def _apply_new_language(options: JavaOptions) -> None:
    """Set the options that ``-new`` determines, and reset most others. Keep the beam size and the output options."""
    for field in ("parameters", "modules", "weights", "synonyms", "vectors", "threshold", "lemmas"):
        setattr(options, field, None)
    options.language = "other"
    options.task = "universal"
    options.lowercase = True
    options.normalize = False
    options.characters = False
    options.words = f"{options.new}/function.words"
    options.paraphrases = f"{options.new}/paraphrase.gz"


@dataclass(frozen=True)
class JavaConfiguration:
    """The configuration that the Java program METEOR 1.5 would derive from its command-line options.

    Attributes:
        options: the options of the command line.
        language: the language.
        language_name: METEOR 1.5's name of the language.
        task: the name of the task in the header.
        modules: the names of the modules, in order.
        weights: the weights of the modules. There may be fewer weights than modules, but not more.
        parameters: α, β, γ and δ. Further numbers are printed, but have no effect.
        normalization: ``none``, ``lower``, ``full`` or ``no-punctuation``.
        beam: the beam size of the alignment search, or ``None`` for the default.
        warnings: messages for standard error.
        threshold: the minimum similarity of matching words; ``None`` if METEOR-E's options are not used.
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
    def from_options(cls, options: JavaOptions) -> JavaConfiguration:
        """Derive the configuration from the options.

        Raises:
            UsageError: if METEOR 1.5 would reject the options, or they contradict each other.
            ConfigError: if METEOR 1.5 would crash later because of a value.
        """
        language = builtin_language(_find_code(options.language))
        task_name = _find_task_name(options.task, language)
        # METEOR 1.5 prints the task "Custom" if -p, -m or -w is given, but only -p also selects that task's defaults.
        defaults = _find_defaults(language, task_name if options.parameters is None else "custom")
        printed_task_name = "custom" if options.parameters or options.modules or options.weights else task_name
        threshold = _parse_threshold(options)
        default_weights = _find_default_weights(options, defaults)
        modules = tuple(default_weights) if options.modules is None else _parse_modules(options.modules)
        weights = _resolve_weights(options, tuple(default_weights.values()), modules)
        parameters = defaults.parameters if options.parameters is None else _parse_parameters(options.parameters)
        return cls(
            options=options,
            language=language,
            language_name=_NAMES[language.code],
            task=TASKS[printed_task_name],
            modules=modules,
            weights=weights,
            parameters=parameters,
            normalization=_find_normalization(options, language),
            beam=_parse_beam(options.beam),
            warnings=_list_weight_warnings(options, weights, modules, defaults.zero_weights_warning),
            threshold=threshold,
        )

    @property
    def references_per_segment(self) -> int:
        """Return the number of lines of the reference file that belong to one segment.

        Raises:
            UsageError: if the value of ``-r`` is not an integer.
        """
        return 1 if self.options.references is None else max(1, _parse_integer("-r", self.options.references))

    @property
    def has_unsupported_parameters(self) -> bool:
        """Return whether α, β, γ or δ has a value that meteor_e's chains reject. METEOR 1.5 accepts any number."""
        alpha, beta, gamma, delta = self.parameters[:4]
        return not (0 <= alpha <= 1 and beta >= 0 and 0 <= gamma <= 1 and 0 <= delta <= 1)

    @property
    def padded_weights(self) -> tuple[float, ...]:
        """Return one weight for each module. Modules without a weight have the weight 0."""
        return self.weights + (0.0,) * (len(self.modules) - len(self.weights))

    @property
    def plugin_modules(self) -> tuple[str, ...]:
        """Return the names of the modules that use the matcher of a plugin."""
        if self.threshold is None:
            return ()
        has_lemmas = self.options.lemmas is not None or self.options.vector_key != "word"
        return ("embeddings", "synonym") if has_lemmas else ("embeddings",)

    @property
    def core_modules(self) -> tuple[str, ...]:
        """Return the names of the modules that use a built-in matcher instead of the matcher of a plugin."""
        return tuple(module for module in self.modules if module not in self.plugin_modules)

    @property
    def slots(self) -> int:
        """Return the number of modules in a statistics line."""
        return 4 if self.threshold is None else 5

    @property
    def evaluation_id(self) -> str:
        """Return the identifier of the configuration. METEOR 1.5 prints this identifier in the header of its output."""
        normalization_names = {"none": "no_norm", "lower": "lc_only", "full": "norm", "no-punctuation": "norm_nopunct"}
        fields = [
            "meteor-1.5",
            "ch" if self.options.characters else "wo",  # characters or words
            METEOR_CODES.get(self.language.code, self.language.code),
            normalization_names[self.normalization],
            "_".join(map(java_double, self.parameters)),
            "_".join(module[:2] for module in self.modules),
            "_".join(map(java_double, self.weights)),
        ]
        return "-".join(fields)


EMBEDDINGS_WEIGHT = 0.8
"""The default weight of METEOR-E's module."""

DEFAULT_THRESHOLD = 0.8
"""The default of ``-embTh``."""


_ZERO_WEIGHTS_WARNING = "all weights are 0, and therefore all scores are 0"


class _TaskDefaults(NamedTuple):
    """The default weights and parameters of a task.

    Attributes:
        weights: the weights by module.
        parameters: α, β, γ and δ.
        zero_weights_warning: the warning if all weights are 0.
    """

    weights: Mapping[str, float]
    parameters: tuple[float, ...]
    zero_weights_warning: str = _ZERO_WEIGHTS_WARNING


def _find_defaults(language: Language, task_name: str) -> _TaskDefaults:
    """Return METEOR 1.5's default weights and parameters of a task.

    As in METEOR 1.5, all values are zeros if the language does not support the task.
    """
    if language.code == "other" and task_name != "universal":
        source_task_name = "li"
    else:
        source_task_name = "adq" if task_name == "custom" else task_name
    task = language.tasks.get(source_task_name)
    if task is not None:
        return _TaskDefaults(task.weights, (task.alpha, task.beta, task.gamma, task.delta))
    zero_weights = dict.fromkeys(language.matchers, 0.0)
    warning = f"{_ZERO_WEIGHTS_WARNING} (language {language.code!r} has no parameters for task {task_name!r})"
    return _TaskDefaults(zero_weights, (0.0, 0.0, 0.0, 0.0), warning)


def _find_task_name(task: str | None, language: Language) -> str:
    """Return the name of the task that ``-t`` selects. Without ``-t``, return the default task of the language."""
    if task is None:
        return language.default_task
    name = task.lower() or "default"
    if name not in (*TASKS, "default"):
        raise UsageError(f"unknown task ({task}){near_miss(name, TASKS)}; known: {', '.join(TASKS)}")
    # The option "-t default" selects the ranking task, for which most languages do not have parameters.
    return "rank" if name == "default" else name


def _parse_parameters(text: str) -> tuple[float, ...]:
    """Parse the value of ``-p``, which consists of at least four numbers. The first four are α, β, γ and δ."""
    parameters = _parse_numbers("-p", text)
    if len(parameters) < 4:
        raise UsageError(f"-p needs alpha, beta, gamma and delta, but has {len(parameters)} numbers")
    if not all(map(math.isfinite, parameters[:4])):
        raise UsageError(f"-p: alpha, beta, gamma and delta must be finite, not {text}")
    return parameters


def _parse_beam(text: str | None) -> int | None:
    """Parse the value of ``-x``."""
    if text is None:
        return None
    beam = _parse_integer("-x", text)
    if beam < 1:
        raise UsageError(f"-x is {beam}; the beam size must be 1 or more")
    return beam


def _parse_threshold(options: JavaOptions) -> float | None:
    """Return the minimum similarity at which words match, or ``None`` if only options of METEOR 1.5 are used."""
    names_embeddings = options.modules is not None and "embeddings" in options.modules.lower().split()
    has_options = any(value is not None for value in (options.vectors, options.threshold, options.lemmas))
    if not has_options and not names_embeddings:
        return None
    numbers = (DEFAULT_THRESHOLD,) if options.threshold is None else _parse_numbers("-embTh", options.threshold)
    if len(numbers) != 1 or not 0 <= numbers[0] <= 1:
        raise UsageError(f"-embTh is {options.threshold!r}; it must be a number between 0 and 1")
    return numbers[0]


def _find_code(language: str | None) -> str:
    """Return the ISO code of the language that ``-l`` names."""
    name = "en" if language is None else language.lower()
    if name in ("ar-bw-red", "arabic-buckwalter-reduced"):
        raise UsageError("-l ar-bw-red (experimental in METEOR 1.5) is not supported")
    if name not in _CODES:
        raise UsageError(f"unknown language ({language}){near_miss(name, _CODES)}; known: {', '.join(_NAMES)}")
    return _CODES[name]


def _parse_modules(text: str) -> tuple[str, ...]:
    """Parse the value of ``-m``."""
    modules = tuple(text.lower().split())
    for module in modules:
        if module not in MODULES:
            raise UsageError(f"unknown module ({module}){near_miss(module, MODULES)}; known: {', '.join(MODULES)}")
    if not modules:
        raise UsageError("-m: the list is empty; name at least one module")
    return modules


def _find_default_weights(options: JavaOptions, defaults: _TaskDefaults) -> dict[str, float]:
    """Return the default weight of each module. If word vectors are given without ``-m``, add ``embeddings``."""
    default_weights = dict(defaults.weights)
    if options.vectors is not None and options.modules is None:
        default_weights["embeddings"] = EMBEDDINGS_WEIGHT
    return default_weights


def _resolve_weights(
    options: JavaOptions, default_weights: tuple[float, ...], modules: tuple[str, ...]
) -> tuple[float, ...]:
    """Return the weights of the modules. There may be fewer weights than modules, but not more."""
    weights = default_weights if options.weights is None else _parse_numbers("-w", options.weights)
    if options.modules is not None:
        # With -m, missing weights are 0 and superfluous weights are ignored, as in METEOR 1.5.
        padded_weights = weights + (0.0,) * len(modules)
        return padded_weights[: len(modules)]
    if len(weights) > len(modules):
        raise UsageError(f"-w has {len(weights)} weights, but there are {len(modules)} modules: {' '.join(modules)}")
    return weights


def _list_weight_warnings(
    options: JavaOptions, weights: tuple[float, ...], modules: tuple[str, ...], zero_weights_warning: str
) -> tuple[str, ...]:
    """Return warnings about missing weights, and about weights that are all 0.

    Args:
        options: the options of the command line.
        weights: the weights of the modules.
        modules: the names of the modules.
        zero_weights_warning: the warning if all weights are 0. METEOR 1.5 does not warn, so ``-q`` suppresses it.
    """
    warnings = []
    if len(weights) < len(modules):
        warnings.append("More modules than weights specified - modules with no weights will not be counted.")
    if not any(weights) and not options.quiet:
        warnings.append(zero_weights_warning)
    return tuple(warnings)


def _parse_numbers(name: str, text: str) -> tuple[float, ...]:
    """Parse the numbers in the value of an option. Error messages contain the name of the option."""
    try:
        return tuple(map(parse_java_double, text.split()))
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _parse_integer(name: str, text: str) -> int:
    """Convert the value of a command-line option to an integer. If this fails, the error message names the option."""
    try:
        return parse_java_int(text)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def _find_normalization(options: JavaOptions, language: Language) -> str:
    """Return the text normalization that the command-line options ``-norm``, ``-lower`` and ``-noPunct`` select."""
    if not options.normalize:
        return "lower" if options.lowercase else "none"
    if language.normalization is not Normalization.FULL:
        raise UsageError(f"-norm: no normalizer for language ({_NAMES[language.code].lower()}); use -lower")
    return "no-punctuation" if options.no_punctuation else "full"
