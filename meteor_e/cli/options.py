"""Groups of options that several commands share: metrics, output, significance tests and computation."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

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


def complete_names(kind: str, files: bool = False) -> Callable[..., list[CompletionItem]]:
    """Return a completion function for the shell, which proposes the names of one kind of component.

    Args:
        kind: a kind of the plugin registry, such as ``metric``.
        files: whether the option also accepts the path of a file.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from meteor_e.plugins.registry import plugin_registry

        names = sorted(name for name in plugin_registry().kinds[kind].names() if name.startswith(incomplete))
        items = [CompletionItem(name) for name in names]
        return [*items, CompletionItem(incomplete, type="file")] if files else items

    return complete


def load_systems(systems: Sequence[System]) -> list[System]:
    """Return the systems with all segments in memory.

    Raises:
        InputError: if a system has no segments, or the references of two systems differ.
    """
    loaded_systems = []
    references_by_system = []
    for system in systems:
        segments = list(system.read())
        if not segments:
            raise InputError(f"{system.name} is empty; there is nothing to score")
        loaded_systems.append(System.from_segments(system.name, segments, system.context))
        references_by_system.append((system.name, [segment.references for segment in segments]))
    check_same_segments(references_by_system)
    return loaded_systems


@dataclasses.dataclass(frozen=True)
class MetricOptions(Options, heading="Metric", example="… -l de -m exact,stem=0.6 --set alpha=0.8 --threads 4"):
    """The options of METEOR's chain. Other metrics use the language and the number of threads."""

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
        """Return the options for texts of a kind. English captions are tokenized like in the tools of COCO.

        The options are not changed if ``--chain`` names a chain or ``--set`` names a segmenter.
        """
        has_segmenter = self.chain is not None or any(text.startswith("segmenter=") for text in self.settings)
        is_english = self.code in ("", "en")
        if has_segmenter or not context.is_captions or not is_english:
            return self
        return dataclasses.replace(self, settings=(*self.settings, "segmenter=ptb"))

    def meteor(self) -> Meteor:
        """Return METEOR with the chain that the options describe.

        Raises:
            ConfigError: if an option or the chain is not valid.
        """
        from meteor_e.meteor import Meteor

        keys = self._chain_keys()
        if self.chain is not None:
            meteor = Meteor.from_config(self.chain, threads=self.threads, **keys)
        else:
            meteor = Meteor(**keys, threads=self.threads)
        _note_missing_paraphrases(meteor)
        return meteor

    def _chain_keys(self) -> dict[str, Any]:
        """Return the keys of the chain that the options set, with the values in the form of a chain file."""
        keys, component_options = parse_settings(self.settings) if self.settings else ({}, {})
        if self.language is not None:
            keys["language"] = self.language
        if self.task is not None:
            keys["task"] = self.task
        if self.matchers is not None:
            keys["matchers"] = parse_matchers(self.matchers)
        if component_options:
            from meteor_e.chains.settings import apply_settings

            keys.update(apply_settings(self.chain, keys, component_options))
        return keys

    def create_metrics(self, specifications: Sequence[str], jobs: int = 1) -> list[Metric]:
        """Create metrics from their specifications. The metric ``meteor`` uses the chain that the options describe.

        The language of the metrics is the language of ``--language``, or else of the chain, or else of the first
        metric that supports only one language.

        Args:
            specifications: values of ``--metric``, such as ``bleu:tokenize=zh``.
            jobs: number of processes that each metric may start.

        Raises:
            ConfigError: for an unknown metric, or two metrics with the same label.
        """
        from meteor_e.api.segments import TextContext
        from meteor_e.metrics.specs import common_language, distinct, parse_spec

        entries = []
        for text in specifications:
            label, _, name = text.rpartition("=")
            is_configured_meteor = name == "meteor" and not set(label) & set(":/,")
            entries.append(
                (label, None) if is_configured_meteor else ("", parse_spec(text, jobs=jobs, threads=self.threads))
            )
        language = self.code or self._chain_language()
        language = language or common_language(spec for _, spec in entries if spec is not None)
        metrics: list[Metric] = []
        for label, spec in entries:
            if spec is None:
                metrics.append(self._make_labeled_meteor(label, language))
            else:
                metrics += spec.create(TextContext(language))
        return distinct(metrics)

    def _make_labeled_meteor(self, label: str, language: str) -> Meteor:
        """Return METEOR with a label. The language applies if the options do not name a language or a chain."""
        options = self
        if self.chain is None and self.language is None:
            options = dataclasses.replace(self, language=language or None)
        meteor = options.meteor()
        meteor.label = label or "METEOR"
        return meteor

    def _chain_language(self) -> str:
        """Return the code of the language that the chain of ``--chain`` names, or an empty text."""
        from meteor_e.chains.chain import find_language
        from meteor_e.chains.config import load_chain

        if self.chain is None:
            return ""
        config = load_chain(self.chain)
        return find_language(config.language, pack=config.pack).code if config.language else ""

    @property
    def code(self) -> str:
        """The code of the language of ``--language``, as in the language's definition; empty without the option."""
        from meteor_e.chains.chain import find_language

        if not self.language:
            return ""
        # The same warning about a language without definition follows when the metric is created.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return find_language(self.language).code


def _note_missing_paraphrases(meteor: Meteor) -> None:
    """Print a note if the matcher ``paraphrase`` lacks the table that the pack of the language could have."""
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
class Output(Options, heading="Output", example="… --format tsv -o scores.tsv"):
    """The format and the file of the output."""

    form: str = option(
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
        # Listing the names of all formats imports the plugins, which takes time.
        if self.form not in OUTPUT_FORMATS and self.form not in registry.names():
            names = registry.names()
            hint = near_miss(self.form, names)
            raise ConfigError(f"--format: there is no format {self.form!r}{hint}; the formats: {', '.join(names)}")
        output_format: OutputFormat = registry.get(self.form).make()
        return output_format

    def write(self, result: Result, options: OutputOptions | None = None) -> None:
        """Write a result to standard output or to a file, which appears only when it is complete."""
        output_format = self.format()
        with destination(self.output) as stream:
            output_format.write(result, stream, options or OutputOptions())


class _MethodChoice(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2
    """The optional value of ``--significance``. click takes a file name that follows the option for the value."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the method. The error message for another value suggests moving the option behind the files."""
        if value not in self.choices:
            methods = ", ".join(map(str, self.choices))
            self.fail(f"{value!r} is not a method ({methods}); write the option after the files", param, ctx)
        return super().convert(value, param, ctx)


def seed_option(purpose: str) -> Any:
    """Return the field of the option ``--seed``.

    Args:
        purpose: the random choices that the seed determines, for the help text.
    """
    return option(DEFAULT_SEED, "--seed", type=click.IntRange(min=0), help=f"Seed of {purpose}.")


SIGNIFICANCE = {
    "type": _MethodChoice(["randomization", "bootstrap", "none"]),
    "is_flag": False,
    "flag_value": "randomization",
    "help": "Test differences between systems, and show 95% confidence intervals. Write it after the files, or with a "
    "method.",
}
"""The attributes of the option ``--significance``, which several commands declare."""


@dataclasses.dataclass(frozen=True)
class SignificanceOptions(Options, heading="Statistics", example="… --significance bootstrap --seed 1"):
    """The options of significance tests."""

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
    seed: int = seed_option("the test")

    @property
    def is_requested(self) -> bool:
        """Whether significance tests are to be computed."""
        return self.significance != "none"


@dataclasses.dataclass(frozen=True)
class Computation(Options, heading="Computation", example="… --no-cache --quiet"):
    """The options of long computations: cache and progress."""

    no_cache: bool = option(
        False,
        "--no-cache",
        is_flag=True,
        help="Compute everything again: neither read nor write the cache.",
    )
    quiet: bool = option(False, "-q", "--quiet", is_flag=True, help="Show no progress.")

    def cache(self) -> ArrayCache:
        """Return the cache of scores and statistics, which ``--no-cache`` disables."""
        from meteor_e.base.array_cache import ArrayCache

        return ArrayCache(enabled=not self.no_cache)


@dataclasses.dataclass(frozen=True)
class ParallelComputation(Computation, example="… --jobs 4 --no-cache"):
    """The options of long computations in several processes."""

    jobs: int = option(
        1, "-j", "--jobs", type=click.IntRange(min=1), help="Number of processes that compute features of models."
    )


def parse_matchers(text: str) -> list[dict[str, Any]]:
    """Parse a list of matchers such as ``exact,stem=0.6``. Commas or spaces separate the matchers.

    Returns:
        The matchers in the form of a chain file: mappings with the keys ``use`` and, if specified, ``weight``.

    Raises:
        ConfigError: if the list or an item is empty, or a weight is not a number.
    """
    if not text.strip():
        raise ConfigError("--matchers: the list is empty; name at least one matcher")
    if not all(part.strip() for part in text.split(",")):
        raise ConfigError(f"--matchers {text!r}: a matcher is missing before or after a comma")
    entries = []
    for part in text.replace(",", " ").split():
        name, separator, weight = part.partition("=")
        entry: dict[str, Any] = {"use": name}
        if separator:
            value = plain_value(weight)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ConfigError(f"--matchers: the weight of {name} is {weight!r}, not a number")
            entry["weight"] = float(value)
        entries.append(entry)
    return entries


def parse_settings(texts: Sequence[str]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Parse values of ``--set`` such as ``beam=40``, ``alpha=0.8`` and ``vector.threshold=0.75``.

    Returns:
        The keys of the chain, and the options by matcher. The options of the lemmatizer are under ``lemmatizer``.

    Raises:
        ConfigError: for a text of another form, a key that is set twice, or a key that chains do not have.
    """
    keys: dict[str, Any] = {}
    component_options: dict[str, dict[str, Any]] = {}
    for name, value in _parse_assignments(texts, "KEY=VALUE or MATCHER.OPTION=VALUE").items():
        component, _, key = name.rpartition(".")
        if component:
            component_options.setdefault(component, {})[key] = value
        elif key in GREEK:
            keys.setdefault("parameters", {})[key] = value
        elif key in _SETTABLE_KEYS:
            keys[key] = value
        else:
            message = _describe_unknown_key(key, [*_SETTABLE_KEYS, *GREEK])
            raise ConfigError(f"{message}; -l, -t and -m set language, task and matchers")
    return keys, component_options


_SETTABLE_KEYS = [
    key for key in KEYS if key not in ("language", "task", "matchers", "name", "description", "parameters")
]
"""The keys of a chain that ``--set`` accepts, in addition to the Greek parameters."""


def _parse_assignments(texts: Sequence[str], form: str) -> dict[str, Any]:
    """Split values of ``--set`` at the first equals sign, and parse the values like YAML.

    Args:
        texts: assignments such as ``beam=40``.
        form: the description of the expected form, for the error message.

    Raises:
        ConfigError: for a text of another form, or a name that occurs twice.
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
    """Return the error message for a key that ``--set`` does not accept."""
    return f"--set: there is no key {key!r}{near_miss(key, keys)}; the keys: {', '.join(keys)}"


def set_option(*classes: type[Any]) -> Any:
    """Return the field of an option ``--set`` that sets fields of dataclasses; see :func:`parse_fields`."""
    names = [name for cls in classes for name in _settable_fields(cls)]
    usage = f"Set one of {', '.join(names)}; repeat it for several."
    return option((), "--set", multiple=True, metavar="KEY=VALUE", help=usage)


def parse_fields(texts: Sequence[str], *classes: type[Any]) -> list[Any]:
    """Parse values of ``--set`` such as ``least_count=3`` into one instance of each dataclass.

    Fields that are not set have their defaults.

    Raises:
        ConfigError: for a text of another form, a field that is set twice, an unknown field, or a value of another
            type.
    """
    import msgspec

    values = _parse_assignments(texts, "KEY=VALUE")
    names = [name for cls in classes for name in _settable_fields(cls)]
    for name in values:
        if name not in names:
            raise ConfigError(_describe_unknown_key(name, names))
    instances = []
    for cls in classes:
        fields = {name: values[name] for name in _settable_fields(cls) if name in values}
        try:
            instances.append(msgspec.convert(fields, cls))
        except msgspec.ValidationError as error:
            raise ConfigError(f"--set: {error}") from error
    return instances


def _settable_fields(cls: type[Any]) -> list[str]:
    """Return the names of a dataclass's fields whose default is a text or a number, except ``encoding``."""
    fields = dataclasses.fields(cls)
    return [field.name for field in fields if isinstance(field.default, str | int | float) and field.name != "encoding"]
