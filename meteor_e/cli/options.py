"""This module defines option groups that several commands share, such as the options for metrics and output."""

from __future__ import annotations

import dataclasses
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from meteor_e.api.formats import OutputOptions
from meteor_e.api.languages import GREEK
from meteor_e.api.segments import System, TextContext
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.errors import ConfigError, InputError, near_miss
from meteor_e.base.yamlfile import plain_value
from meteor_e.chains.keys import KEYS
from meteor_e.cli.commands import Options, destination, option
from meteor_e.formats.systems import check_same_segments
from meteor_e.plugins.builtin import OUTPUT_FORMATS

if TYPE_CHECKING:
    from typing import Self

    from click.shell_completion import CompletionItem

    from meteor_e.api.formats import OutputFormat, Result
    from meteor_e.api.metrics import Metric
    from meteor_e.base.array_cache import ArrayCache
    from meteor_e.meteor import Meteor
    from meteor_e.metrics.specs import MetricSpec


def complete_names(kind: str, files: bool = False) -> Callable[..., list[CompletionItem]]:
    """Return a shell-completion function that proposes the names of installed components.

    Args:
        kind: the kind of the components in the plugin registry, such as ``metric``.
        files: whether the option also accepts the path of a file.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from meteor_e.plugins.registry import plugin_registry

        names = sorted(plugin_registry().kinds[kind].names())
        items = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        if files:
            items.append(CompletionItem(incomplete, type="file"))
        return items

    return complete


def load_systems(systems: Sequence[System]) -> list[System]:
    """Read all segments of the systems into memory, and return the systems.

    Raises:
        InputError: if a system has no segments, or the references of two systems differ.
    """
    loaded_systems = []
    for system in systems:
        segments = list(system.read())
        if not segments:
            raise InputError(f"{system.name} is empty; there is nothing to score")
        loaded_systems.append(System.from_segments(system.name, segments, system.context))
    check_same_segments(loaded_systems)
    return loaded_systems


@dataclasses.dataclass(frozen=True)
class MetricOptions(Options):
    """Store METEOR's options. Other metrics use only the options for the language and the number of threads."""

    heading = "Metric"
    example = "… -l de -m exact,stem=0.6 --set alpha=0.8 --threads 4"

    language: str | None = option(
        None,
        *("-l", "--language"),
        show_default="en",
        help=KEYS["language"].help,
        shell_complete=complete_names("language"),
    )
    task: str | None = option(None, "-t", "--task", help=KEYS["task"].help)
    chain: str | None = option(
        None,
        *("-c", "--chain"),
        help="A YAML chain: a file, or the name of an installed chain.",
        shell_complete=complete_names("chain", files=True),
    )
    matchers: str | None = option(
        None,
        *("-m", "--matchers"),
        metavar="LIST",
        help="The matchers, in order, optionally with weights: 'exact,stem=0.6'.",
    )
    settings: tuple[str, ...] = option(
        (),
        "--set",
        multiple=True,
        metavar="KEY=VALUE",
        help="Set a key of the chain, such as beam=40, normalization=none or alpha=0.8, or an option of a matcher (or "
        "of the 'lemmatizer'), such as vector.threshold=0.75; repeat it for several.",
    )
    threads: int | None = option(
        None,
        "--threads",
        type=click.IntRange(min=1),
        show_default="the number of processors",
        help="Number of threads for scoring.",
    )

    def for_text(self, context: TextContext) -> Self:
        """Choose a segmenter that suits the texts. English captions are tokenized as in COCO's tools.

        The options are returned unchanged if they already specify a chain or a segmenter.
        """
        has_segmenter = self.chain is not None or any(text.startswith("segmenter=") for text in self.settings)
        if context.is_captions and not has_segmenter and self._language_code() in ("", "en"):
            return dataclasses.replace(self, settings=(*self.settings, "segmenter=ptb"))
        return self

    def meteor(self, *, label: str = "", default_language: str = "") -> Meteor:
        """Create the metric METEOR with the chain that the options describe.

        Args:
            label: the label of the metric; by default ``METEOR``.
            default_language: the language if the options specify neither a language nor a chain; by default English.

        Raises:
            ConfigError: if an option or the chain is not valid.
        """
        from meteor_e.meteor import Meteor

        chain_keys = self._chain_keys(default_language)
        if self.chain is None:
            metric = Meteor(**chain_keys, threads=self.threads)
        else:
            metric = Meteor.from_config(self.chain, threads=self.threads, **chain_keys)
        if label:
            metric.label = label
        _note_missing_paraphrases(metric)
        return metric

    def _chain_keys(self, default_language: str) -> dict[str, Any]:
        """Return the options as a dictionary with the keys of a chain file."""
        set_keys, component_options = parse_settings(self.settings)
        needs_default_language = self.language is None and self.chain is None
        option_keys = {
            "language": (default_language or None) if needs_default_language else self.language,
            "task": self.task,
            "matchers": None if self.matchers is None else parse_matchers(self.matchers),
        }
        chain_keys = {**set_keys, **{key: value for key, value in option_keys.items() if value is not None}}
        if not component_options:
            return chain_keys
        from meteor_e.chains.settings import apply_settings

        return {**chain_keys, **apply_settings(self.chain, chain_keys, component_options)}

    def create_metrics(self, specifications: Sequence[str], jobs: int = 1) -> list[Metric]:
        """Create metrics from their specifications. The metric ``meteor`` uses the chain that the options describe.

        The option ``--language`` or the chain specifies the language of the text. If neither does, the first metric
        that supports only one language determines the language.

        Args:
            specifications: values of ``--metric``, such as ``bleu:tokenize=zh``.
            jobs: number of processes that each metric may start.

        Raises:
            ConfigError: if a metric is unknown or two metrics have the same label.
        """
        from meteor_e.metrics.specs import distinct

        specs = [self._parse_spec(specification, jobs) for specification in specifications]
        metric_languages = filter(None, (spec.language() for spec in specs))
        context = TextContext(self._language_code() or next(metric_languages, ""))
        return distinct([metric for spec in specs for metric in spec.create(context)])

    def _parse_spec(self, specification: str, jobs: int) -> MetricSpec | _MeteorSpec:
        """Parse the specification of a metric. The metric may start up to ``jobs`` processes."""
        from meteor_e.metrics.specs import parse_spec, split_label

        label, unlabeled_spec = split_label(specification)
        if unlabeled_spec == "meteor":
            return _MeteorSpec(self, label)
        return parse_spec(specification, jobs=jobs, threads=self.threads)

    def _language_code(self) -> str:
        """Return the code of the language that ``--language`` or the chain specifies, or an empty string."""
        from meteor_e.chains.chain import find_language
        from meteor_e.chains.config import load_chain

        if self.language:
            # Warnings about the language are suppressed here, because creating the metric issues them later.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return find_language(self.language).code
        if self.chain is not None:
            config = load_chain(self.chain)
            if config.language:
                return find_language(config.language, pack=config.pack).code
        return ""


class _MeteorSpec(NamedTuple):
    """The specification ``meteor``: METEOR with the chain that the command-line options describe.

    The methods are those of :class:`meteor_e.metrics.specs.MetricSpec`.
    """

    options: MetricOptions
    label: str

    def language(self) -> str:
        """Return an empty string, which means that the metric supports all languages."""
        return ""

    def create(self, context: TextContext) -> list[Metric]:
        """Create METEOR. The language of the text is the default language."""
        return [self.options.meteor(label=self.label, default_language=context.language)]


def _note_missing_paraphrases(meteor: Meteor) -> None:
    """Print a note if a chain uses paraphrases but the language's resource pack does not have a paraphrase table."""
    from meteor_e.matchers.modules import ParaphraseMatcher

    language = meteor.chain.language
    tables = [matcher.table for matcher in meteor.matchers if isinstance(matcher, ParaphraseMatcher)]
    if language.pack is not None and None in tables:
        click.echo(
            f"meteor-e: note: scores for {language.name} do not use paraphrases, because its pack has no paraphrase "
            f"table. `meteor-e pack install {language.code} --from meteor-1.5.tar.gz` installs METEOR's table; "
            "`meteor-e pack build` builds one from bitext",
            err=True,
        )


@dataclasses.dataclass(frozen=True)
class Output(Options):
    """Store the command-line options that select the format and the file of the output."""

    heading = "Output"
    example = "… --format tsv -o scores.tsv"

    format_name: str = option(
        "text",
        *("-f", "--format"),
        metavar="NAME",
        help=f"Format of the output: {', '.join(OUTPUT_FORMATS)}, or a format of a plugin.",
        shell_complete=complete_names("output format"),
    )
    output: str | None = option(
        None, "-o", "--output", metavar="FILE", show_default="standard output", help="Write to a file."
    )

    def format(self) -> OutputFormat:
        """Return the output format that ``--format`` names.

        Raises:
            ConfigError: if there is no such format.
            PluginError: if the plugin that defines the format is broken.
        """
        from meteor_e.plugins.registry import plugin_registry

        registry = plugin_registry().output_formats
        if self.format_name not in registry:
            names = registry.names()
            hint = near_miss(self.format_name, names)
            formats = ", ".join(names)
            raise ConfigError(f"--format: there is no format {self.format_name!r}{hint}; the formats: {formats}")
        output_format: OutputFormat = registry.get(self.format_name).make()
        return output_format

    def write(self, result: Result, options: OutputOptions | None = None) -> None:
        """Write a result to the output file, or to standard output if no file is specified."""
        output_format = self.format()
        with destination(self.output) as stream:
            output_format.write(result, stream, options or OutputOptions())


class _MethodChoice(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2
    """Convert the value of the option ``--significance``, which may be omitted.

    If a file name follows the option, click takes the file name as the value of the option.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the method if it is valid. Otherwise, raise an error that says to write the option after the files."""
        if value not in self.choices:
            methods = ", ".join(map(str, self.choices))
            self.fail(f"{value!r} is not a method ({methods}); write the option after the files", param, ctx)
        return super().convert(value, param, ctx)


SIGNIFICANCE = {
    "type": _MethodChoice(["randomization", "bootstrap", "none"]),
    "is_flag": False,
    "flag_value": "randomization",
    "help": "Test differences between systems, and show 95% confidence intervals. Write it after the files, or with a "
    "method.",
}
"""Several commands have the option ``--significance`` with these attributes."""


@dataclasses.dataclass(frozen=True)
class SignificanceOptions(Options):
    """Store the command-line options that control significance tests."""

    heading = "Statistics"
    example = "… --significance bootstrap --seed 1"

    significance: str = option(
        "none", "--significance", show_default="none; without a method: randomization", **SIGNIFICANCE
    )
    samples: int | None = option(
        None,
        "--samples",
        type=click.IntRange(min=1),
        metavar="N",
        show_default="1000 for bootstrap, 10000 for randomization",
        help="Number of samples of the test.",
    )
    seed: int = option(DEFAULT_SEED, "--seed", type=click.IntRange(min=0), help="Seed of the test.")


@dataclasses.dataclass(frozen=True)
class Computation(Options):
    """Store the command-line options that control the cache and the progress line of a long computation."""

    heading = "Computation"
    example = "… --no-cache --quiet"

    no_cache: bool = option(
        False,
        "--no-cache",
        is_flag=True,
        help="Compute everything again: neither read nor write the cache.",
    )
    quiet: bool = option(False, "-q", "--quiet", is_flag=True, help="Show no progress.")

    def cache(self) -> ArrayCache:
        """Return the cache of scores and statistics. The option ``--no-cache`` disables the cache."""
        from meteor_e.base.array_cache import ArrayCache

        return ArrayCache(enabled=not self.no_cache)


@dataclasses.dataclass(frozen=True)
class ParallelComputation(Computation):
    """Store the command-line options that control a long computation in several processes."""

    example = "… --jobs 4 --no-cache"

    jobs: int = option(
        1, "-j", "--jobs", type=click.IntRange(min=1), help="Number of processes that compute features of models."
    )


def parse_matchers(text: str) -> list[dict[str, Any]]:
    """Parse a list of matchers with optional weights, such as ``exact,stem=0.6``.

    Args:
        text: the matchers, separated by commas or spaces.

    Returns:
        A dictionary for each matcher, as in a chain file, with the keys ``use`` and, if it is specified, ``weight``.

    Raises:
        ConfigError: if the list is empty, a matcher is missing between two commas, or a weight is not a number.
    """
    if not text.strip():
        raise ConfigError("--matchers: the list is empty; name at least one matcher")
    matchers: list[dict[str, Any]] = []
    for group in text.split(","):
        items = group.split()
        if not items:
            raise ConfigError(f"--matchers {text!r}: a matcher is missing before or after a comma")
        matchers += map(_parse_matcher, items)
    return matchers


def _parse_matcher(text: str) -> dict[str, Any]:
    """Parse the name of a matcher with an optional weight, such as ``stem=0.6``."""
    name, equals_sign, weight_text = text.partition("=")
    if not equals_sign:
        return {"use": name}
    weight = plain_value(weight_text)
    # The class bool is a subclass of int.
    if isinstance(weight, bool) or not isinstance(weight, int | float):
        raise ConfigError(f"--matchers: the weight of {name} is {weight_text!r}, not a number")
    return {"use": name, "weight": float(weight)}


class ParsedSettings(NamedTuple):
    """Store the parsed values of the option ``--set``.

    Attributes:
        chain_keys: the new values of keys of the chain.
        component_options: the options of components by the name of a matcher or ``lemmatizer``.
    """

    chain_keys: dict[str, Any]
    component_options: dict[str, dict[str, Any]]


def parse_settings(assignments: Sequence[str]) -> ParsedSettings:
    """Parse the values of the option ``--set``, such as ``beam=40``, ``alpha=0.8`` and ``vector.threshold=0.75``.

    Raises:
        ConfigError: if an assignment is malformed, a key is set twice, or a key is unknown.
    """
    values = _parse_assignments(assignments, "KEY=VALUE or MATCHER.OPTION=VALUE")
    chain_keys: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    component_options: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for name, value in values.items():
        component, _, key = name.rpartition(".")
        if component:
            component_options[component][key] = value
        elif key in GREEK:
            parameters[key] = value
        elif key in _SETTABLE_KEYS:
            chain_keys[key] = value
        else:
            message = _describe_unknown_key(key, [*_SETTABLE_KEYS, *GREEK])
            raise ConfigError(f"{message}; -l, -t and -m set language, task and matchers")
    if parameters:
        chain_keys["parameters"] = parameters
    return ParsedSettings(chain_keys, component_options)


_SETTABLE_KEYS = [
    key for key in KEYS if key not in ("language", "task", "matchers", "name", "description", "parameters")
]
"""The option ``--set`` accepts these chain keys, in addition to METEOR's parameters such as ``alpha``."""


def _parse_assignments(texts: Sequence[str], form: str) -> dict[str, Any]:
    """Split assignments such as ``beam=40`` into names and values, and parse the values like YAML scalars.

    Args:
        texts: the values of the option ``--set``.
        form: the description of the expected form, for the error message.

    Raises:
        ConfigError: if an assignment is malformed or a name occurs twice.
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not value or not all(name.split(".")):
            raise ConfigError(f"--set {text!r} is not of the form {form}")
        if name in values:
            raise ConfigError(f"--set {name} is given twice")
        values[name] = plain_value(value)
    return values


def _describe_unknown_key(key: str, keys: Sequence[str]) -> str:
    """Return the error message for a key that the option ``--set`` does not accept."""
    return f"--set: there is no key {key!r}{near_miss(key, keys)}; the keys: {', '.join(keys)}"


def set_option(*classes: type[Any]) -> Any:
    """Declare a dataclass field as the option ``--set``. Its values are parsed by :func:`parse_fields`.

    Args:
        classes: the dataclasses whose fields can be set.
    """
    usage = f"Set one of {', '.join(_settable_fields(classes))}; repeat it for several."
    return option((), "--set", multiple=True, metavar="KEY=VALUE", help=usage)


def parse_fields(texts: Sequence[str], *classes: type[Any]) -> list[Any]:
    """Create an instance of each dataclass. The option ``--set`` sets fields, as in ``--set least_count=3``.

    Args:
        texts: the values of the option.
        classes: the dataclasses, whose field names are distinct. Fields that are not set have their default values.

    Returns:
        The instances, in the order of the classes.

    Raises:
        ConfigError: if an assignment is malformed, a field is set twice or is unknown, or a value has the wrong type.
    """
    import msgspec

    values = _parse_assignments(texts, "KEY=VALUE")
    settable_fields = _settable_fields(classes)
    for name in values:
        if name not in settable_fields:
            raise ConfigError(_describe_unknown_key(name, settable_fields))
    try:
        # The function msgspec.convert() ignores unknown keys, so each class receives only the values of its own fields.
        return [msgspec.convert(values, cls) for cls in classes]
    except msgspec.ValidationError as error:
        raise ConfigError(f"--set: {error}") from error


def _settable_fields(classes: Sequence[type[Any]]) -> list[str]:
    """Return the names of the fields that ``--set`` can change: all strings and numbers except ``encoding``."""
    fields = [field for cls in classes for field in dataclasses.fields(cls)]
    settable_fields = [field for field in fields if isinstance(field.default, str | int | float)]
    return [field.name for field in settable_fields if field.name != "encoding"]
