"""Groups of options that several commands share: what to score, with which metric, how to write and to test."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

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
    """Return a function that completes the names of one kind in the shell.

    Args:
        kind: a kind of the plugin registry, such as ``metric``.
        files: whether the option also takes the path of a file.
    """

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from meteor_e.plugins.registry import plugin_registry

        names = sorted(name for name in plugin_registry().kinds[kind].names() if name.startswith(incomplete))
        items = [CompletionItem(name) for name in names]
        return [*items, CompletionItem(incomplete, type="file")] if files else items

    return complete


def lined_up(inputs: Sequence[System]) -> list[System]:
    """Read systems whole, which are of the same segments.

    Raises:
        InputError: if they are not, or there are no segments.
    """
    found = []
    for system in inputs:
        segments = list(system.read())
        if not segments:
            raise InputError(f"{system.name} is empty; there is nothing to score")
        found.append(System.from_segments(system.name, segments, system.context))
    check_same_segments([(system.name, [segment.references for segment in system.read()]) for system in found])
    return found


@dataclasses.dataclass(frozen=True)
class MetricOptions(Options, heading="Metric", example="… -l de -m exact,stem=0.6 --set alpha=0.8 --threads 4"):
    """METEOR's chain, and what other metrics share with it."""

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
        help="A YAML chain: a file, or the name of one that is installed.",
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
        "of the 'lemmatizer'), such as vector.threshold=0.75; may be repeated.",
    )
    threads: int | None = option(
        None,
        "--threads",
        type=click.IntRange(min=1),
        show_default="as many as processors",
        help="Threads that score.",
    )

    def for_text(self, context: TextContext) -> Self:
        """Return the options for a kind of text: METEOR tokenizes English captions as COCO's tools do.

        A chain of the user's, or a segmenter that ``--set`` names, is left as it is.
        """
        is_explicit = self.chain is not None or any(text.startswith("segmenter=") for text in self.settings)
        if not context.is_captions or is_explicit or self.code not in ("", "en"):
            return self
        return dataclasses.replace(self, settings=(*self.settings, "segmenter=ptb"))

    def meteor(self) -> Meteor:
        """Return METEOR as the options describe it.

        Raises:
            ConfigError: for a value that cannot be read, or a chain that cannot be.
        """
        from meteor_e.matchers.modules import ParaphraseMatcher
        from meteor_e.meteor import Meteor

        given, options = parse_settings(self.settings) if self.settings else ({}, {})
        listed = None if self.matchers is None else parse_matchers(self.matchers)
        own = {"language": self.language, "task": self.task, "matchers": listed}
        given |= {name: value for name, value in own.items() if value is not None}
        if options:
            from meteor_e.chains.settings import apply_settings

            given.update(apply_settings(self.chain, given, options))
        if self.chain is not None:
            meteor = Meteor.from_config(self.chain, threads=self.threads, **given)
        else:
            meteor = Meteor(**given, threads=self.threads)
        language = meteor.chain.language
        tables = [matcher.table for matcher in meteor.matchers if isinstance(matcher, ParaphraseMatcher)]
        if language.pack is not None and None in tables:
            click.echo(
                f"meteor-e: note: scores for {language.name} are made without paraphrases, because its pack has no "
                f"table. `meteor-e pack install {language.code} --from meteor-1.5.tar.gz` installs METEOR's; "
                "`meteor-e pack build` makes one from bitext",
                err=True,
            )
        return meteor

    def create_metrics(self, specifications: Sequence[str]) -> list[Metric]:
        """Make metrics by name; ``meteor`` is the chain that the options describe.

        Metrics are made for the language of ``-l``, else of ``-c``, else of the first metric that is for one only.

        Args:
            specifications: the values of ``-M``.

        Raises:
            ConfigError: for an unknown metric, or two of one label.
        """
        from meteor_e.api.segments import TextContext
        from meteor_e.metrics.specs import common_language, distinct, parse_spec

        entries = []
        for text in specifications:
            label, _, name = text.rpartition("=")
            is_described = name == "meteor" and not set(label) & set(":/,")
            entries.append((label, None) if is_described else ("", parse_spec(text, threads=self.threads)))
        language = self.code
        if not language and self.chain is not None:
            language = self._chain_language()
        language = language or common_language(spec for _, spec in entries if spec is not None)
        metrics: list[Metric] = []
        for label, spec in entries:
            if spec is not None:
                metrics += spec.create(TextContext(language))
                continue
            is_given = self.chain is not None or self.language is not None
            options = self if is_given else dataclasses.replace(self, language=language or None)
            meteor = options.meteor()
            meteor.label = label or "METEOR"
            metrics.append(meteor)
        return distinct(metrics)

    def _chain_language(self) -> str:
        """Return the code of the language that the chain of ``-c`` names; empty if it names none."""
        from meteor_e.chains.chain import find_language
        from meteor_e.chains.config import load_chain

        config = load_chain(str(self.chain))
        return find_language(config.language, pack=config.pack).code if config.language else ""

    @property
    def code(self) -> str:
        """Code of the language that was asked for, as its definition has it; empty if none was."""
        from meteor_e.chains.chain import find_language

        # A warning that there is no definition comes when the metric is made.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return find_language(self.language).code if self.language else ""


@dataclasses.dataclass(frozen=True)
class Output(Options, heading="Output", example="… --format tsv -o scores.tsv"):
    """The form of a result, and where it is written."""

    form: str = option(
        "text",
        *("-f", "--format"),
        metavar="NAME",
        help=f"Form of the output: {', '.join(OUTPUT_FORMATS)}, or a plugin's.",
        shell_complete=complete_names("output format"),
    )
    output: str | None = option(
        None, "-o", "--output", metavar="FILE", show_default="standard output", help="Write to a file."
    )

    def format(self) -> OutputFormat:
        """Return the format of the output.

        Raises:
            ConfigError: if there is none.
            PluginError: for a format of a plugin that is broken.
        """
        from meteor_e.plugins.registry import plugin_registry

        # Plugins are imported where a name is not ours.
        if self.form not in OUTPUT_FORMATS and self.form not in plugin_registry().output_formats.names():
            known = plugin_registry().output_formats.names()
            near = near_miss(self.form, known)
            raise ConfigError(f"--format: there is no format {self.form!r}{near}; the formats: {', '.join(known)}")
        found: OutputFormat = plugin_registry().output_formats.get(self.form).make()
        return found

    def write(self, result: Result, options: OutputOptions | None = None) -> None:
        """Write a result to standard output or a file, which is written whole or not at all."""
        form = self.format()
        with destination(self.output) as stream:
            form.write(result, stream, options or OutputOptions())


class _Method(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2
    """A method of testing, which may be left out: then what follows the option is taken for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the method; click's error for anything else, with a hint."""
        if value not in self.choices:
            known = ", ".join(map(str, self.choices))
            self.fail(f"{value!r} is not a method ({known}); write the option after the files", param, ctx)
        return super().convert(value, param, ctx)


def seed_option(of: str) -> Any:
    """Return the field of the option ``--seed``, by what the seed is of."""
    return option(DEFAULT_SEED, "--seed", type=click.IntRange(min=0), help=f"Seed of {of}.")


SIGNIFICANCE = {
    "type": _Method(["randomization", "bootstrap", "none"]),
    "is_flag": False,
    "flag_value": "randomization",
    "help": "Test systems against one another, and give 95 % intervals; write it after the files, or with a method.",
}
"""What the option ``--significance`` is."""


@dataclasses.dataclass(frozen=True)
class Tests(Options, heading="Statistics", example="… --significance bootstrap --seed 1"):
    """Tests of significance."""

    __test__: ClassVar[bool] = False  # for pytest: this is no test class

    significance: str = option(
        "none", "--significance", show_default="none; without a method: randomization", **SIGNIFICANCE
    )
    samples: int | None = option(
        None,
        "--samples",
        type=click.IntRange(min=1),
        metavar="N",
        show_default="1000 for bootstrap, 10000 for randomization",
        help="Samples of the test.",
    )
    seed: int = seed_option("the test")


@dataclasses.dataclass(frozen=True)
class Computation(Options, heading="Computation", example="… --no-cache --quiet"):
    """What long computations keep, and what they tell."""

    no_cache: bool = option(
        False,
        "--no-cache",
        is_flag=True,
        help="Compute everything anew: read nothing from the cache, and write nothing.",
    )
    quiet: bool = option(False, "-q", "--quiet", is_flag=True, help="Show no progress.")

    def cache(self) -> ArrayCache:
        """Return where scores and statistics are kept."""
        from meteor_e.base.array_cache import ArrayCache

        return ArrayCache(enabled=not self.no_cache)


@dataclasses.dataclass(frozen=True)
class ParallelComputation(Computation, example="… --jobs 4 --no-cache"):
    """The same for computations in several processes."""

    jobs: int = option(1, "-j", "--jobs", type=click.IntRange(min=1), help="Processes that compute features of models.")


def parse_matchers(text: str) -> list[dict[str, Any]]:
    """Read ``exact,stem=0.6`` (commas or spaces between).

    Raises:
        ConfigError: for a weight that is not a number.
    """
    if not text.strip():
        raise ConfigError("--matchers names no matcher")
    if not all(part.strip() for part in text.split(",")):
        raise ConfigError(f"--matchers {text!r}: there is a comma without a matcher beside it")
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
    """Read entries such as ``beam=40``, ``alpha=0.8`` and ``vector.threshold=0.75``.

    Returns:
        Values of a chain's keys, and options by matcher; those under ``lemmatizer`` are the lemmatizer's.

    Raises:
        ConfigError: for an entry of another form, one given twice, or a key that no chain has.
    """
    keys: dict[str, Any] = {}
    options: dict[str, dict[str, Any]] = {}
    elsewhere = ("language", "task", "matchers", "name", "description", "parameters")
    known = [*(name for name in KEYS if name not in elsewhere), *GREEK]
    for name, value in _entries(texts, "KEY=VALUE or MATCHER.OPTION=VALUE").items():
        owner, _, key = name.rpartition(".")
        if owner:
            options.setdefault(owner, {})[key] = value
        elif key not in known:
            raise ConfigError(f"{_no_key(key, known)}; -l, -t and -m give language, task and matchers")
        else:
            (keys.setdefault("parameters", {}) if key in GREEK else keys)[key] = value
    return keys, options


def _entries(texts: Sequence[str], form: str) -> dict[str, Any]:
    """Split entries of ``--set`` at the first equals sign, and read their values as YAML does."""
    found: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not value or not all(name.split(".")):
            raise ConfigError(f"--set {text!r} is not of the form {form}")
        if name in found:
            raise ConfigError(f"--set {name} is given twice")
        found[name] = plain_value(value)
    return found


def _no_key(key: str, known: Sequence[str]) -> str:
    return f"--set: there is no key {key!r}{near_miss(key, known)}; the keys: {', '.join(known)}"


def set_option(*kinds: type[Any]) -> Any:
    """Return the field of ``--set``, which sets fields of dataclasses with defaults; see :func:`parse_fields`."""
    names = [name for kind in kinds for name in _fields(kind)]
    usage = f"Set one of {', '.join(names)}; may be repeated."
    return option((), "--set", multiple=True, metavar="KEY=VALUE", help=usage)


def parse_fields(texts: Sequence[str], *kinds: type[Any]) -> list[Any]:
    """Read entries such as ``least_count=3``; return an instance of each dataclass, with defaults for the rest.

    Raises:
        ConfigError: for an entry of another form, one given twice, an unknown field, or a value of another type.
    """
    import msgspec

    given, known = _entries(texts, "KEY=VALUE"), [name for kind in kinds for name in _fields(kind)]
    for name in given:
        if name not in known:
            raise ConfigError(_no_key(name, known))
    try:
        return [msgspec.convert({name: given[name] for name in _fields(kind) if name in given}, kind) for kind in kinds]
    except msgspec.ValidationError as error:
        raise ConfigError(f"--set: {error}") from error


def _fields(kind: type[Any]) -> list[str]:
    """Return the names of fields that hold a text or a number."""
    return [
        field.name
        for field in dataclasses.fields(kind)
        if isinstance(field.default, str | int | float) and field.name != "encoding"
    ]
