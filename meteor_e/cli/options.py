"""Options that several commands share: what to score, and with which metric."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from meteor_e.base.errors import ConfigError
from meteor_e.chains.keys import KEYS
from meteor_e.cli.grouped_help import OptionGroup
from meteor_e.cli.settings import parse_settings

if TYPE_CHECKING:
    from meteor_e.api.metrics import Metric
    from meteor_e.api.tables import SystemInput
    from meteor_e.meteor import Meteor

Command = TypeVar("Command", bound=Callable[..., Any])


_INPUT_OPTIONS = [
    click.argument("files", nargs=-1, metavar="HYPOTHESIS... [REFERENCE]"),
    click.option(
        "-R",
        "--reference",
        "references",
        multiple=True,
        metavar="FILE",
        help="A reference; repeat it for several. All other files are then hypotheses.",
    ),
    click.option(
        "--references-per-segment",
        type=click.IntRange(min=1),
        default=1,
        metavar="N",
        help="Lines of the reference file that belong to one segment.  [default: 1]",
    ),
    click.option("--encoding", default="utf-8", help="Encoding of plain text files.  [default: utf-8]"),
    click.option(
        "--on-missing",
        type=click.Choice(["stop", "skip", "empty"]),
        default="stop",
        help="What becomes of a segment of an SGML, XML or COCO file that a system or the references lack: an error, "
        "left out, or, where a system lacks it, scored as empty.  [default: stop]",
    ),
]

METRIC_GROUPS = {
    "Metric": OptionGroup(
        ("metrics", "metric", "language", "task", "chain", "matchers", "settings"),
        "… -l de -m exact,stem=0.6 --set alpha=0.8",
    ),
    "Resources": OptionGroup(("threads", "cluster"), "… --threads 4"),
}
"""The groups of the options that :func:`metric_options` gives to a command, in its help text."""

_METRIC_OPTIONS = [
    click.option("-l", "--language", help=f"{KEYS['language'].help}  [default: en]"),
    click.option("-t", "--task", help=KEYS["task"].help),
    click.option("-c", "--chain", help="A YAML chain: a file, or the name of one that is installed."),
    click.option(
        "-m", "--matchers", metavar="LIST", help="The matchers, in order, optionally with weights: 'exact,stem=0.6'."
    ),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="KEY=VALUE",
        help="Set a key of the chain, such as beam=40, normalization=none or alpha=0.8, or an option of a matcher (or "
        "of the 'lemmatizer'), such as vector.threshold=0.75; may be repeated.",
    ),
    click.option("--threads", type=click.IntRange(min=1), help="Threads that score.  [default: as many as processors]"),
]


@dataclass(frozen=True)
class MeteorMaker:
    """Makes the metric that the options of a command line describe.

    Attributes:
        given: keys of a chain.
        chain: a chain file or name.
        settings: options by matcher, and by ``lemmatizer``.
        threads: that score.
    """

    given: dict[str, Any]
    chain: str | None
    settings: Mapping[str, Mapping[str, Any]]
    threads: int | None

    def __call__(self) -> Meteor:
        """Return the metric."""
        meteor = self._make()
        _tell_of_missing_paraphrases(meteor)
        return meteor

    def _make(self) -> Meteor:
        from meteor_e.meteor import Meteor

        given = dict(self.given)
        if self.settings:
            from meteor_e.chains.settings import apply_settings

            given.update(apply_settings(self.chain, given, self.settings))
        if self.chain is not None:
            return Meteor.from_config(self.chain, threads=self.threads, **given)
        return Meteor(**given, threads=self.threads)

    def metrics(self, specifications: Sequence[str], jobs: int = 1) -> list[Metric]:
        """Return metrics by name; ``meteor`` is the one that the options describe.

        Args:
            specifications: what ``-M`` was given.
            jobs: processes that a metric may start.

        Raises:
            ConfigError: for an unknown metric, or two of one label.
        """
        from meteor_e.api.metrics import MetricContext
        from meteor_e.metrics.chain_metric import ChainMetric
        from meteor_e.metrics.specs import distinct, metrics_of

        context = MetricContext(self.language, jobs=jobs, threads=self.threads)
        found: list[Metric] = []
        for text in specifications:
            label, _, name = text.rpartition("=")
            if name == "meteor" and not set(label) & set(":/,"):
                found.append(ChainMetric.of(self(), label or "METEOR"))
            else:
                found += metrics_of(text, context)
        return distinct(found)

    @property
    def language(self) -> str:
        """Code of the language that was asked for, as its definition has it; empty if none was."""
        from meteor_e.chains.lookup import find_language

        name = str(self.given.get("language", ""))
        # A warning that there is no definition comes when the metric is made.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return find_language(name).code if name else ""


def input_options(command: Command) -> Command:
    """Give a command the files that :func:`meteor_e.cli.inputs.systems` lines up; it receives that one's arguments."""
    wrapped: Any = command
    for option in reversed(_INPUT_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


@dataclass(frozen=True)
class InputFiles:
    """The files that a command line names; the attributes are the arguments of :func:`meteor_e.cli.inputs.systems`."""

    files: tuple[str, ...]
    references: tuple[str, ...]
    references_per_segment: int
    encoding: str
    on_missing: str

    def systems(self, names: Sequence[str] = ()) -> list[SystemInput]:
        """Return the systems, lined up with their references.

        Args:
            names: of the systems; by default their own.
        """
        from meteor_e.cli.inputs import named, systems

        return named(systems(**vars(self)), names)


def files_options(command: Command) -> Command:
    """Give a command the options of :func:`input_options`; it receives them as ``inputs``, :class:`InputFiles`."""

    @functools.wraps(command)
    def with_inputs(*args: Any, **kwargs: Any) -> Any:
        given = {name: kwargs.pop(name) for name in InputFiles.__annotations__}
        return command(*args, inputs=InputFiles(**given), **kwargs)

    return cast(Command, input_options(with_inputs))


def metric_options(command: Command) -> Command:
    """Give a command the options that choose a metric; it receives them made, as ``meteor``."""

    @functools.wraps(command)
    def with_metric(
        *args: Any,
        language: str | None,
        task: str | None,
        chain: str | None,
        matchers: str | None,
        settings: tuple[str, ...],
        threads: int | None,
        **kwargs: Any,
    ) -> Any:
        found = parse_settings(settings)
        listed = None if matchers is None else parse_matchers(matchers)
        own = {"language": language, "task": task, "matchers": listed}
        given = {**{name: value for name, value in own.items() if value is not None}, **found.keys}
        make = MeteorMaker(given, chain, found.options, threads)
        return command(*args, make_meteor=make, **kwargs)

    wrapped: Any = with_metric
    for option in reversed(_METRIC_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


_told: set[str] = set()
"""Languages whose missing paraphrases the user has been told of."""


def _tell_of_missing_paraphrases(meteor: Meteor) -> None:
    """Say once on standard error that a language's own chain goes without its paraphrases, and what to do."""
    from meteor_e.matchers.paraphrase import ParaphraseMatcher

    language = meteor.chain.language
    if (
        language.pack is None
        or language.code in _told
        or not any(isinstance(matcher, ParaphraseMatcher) and matcher.table is None for matcher in meteor.matchers)
    ):
        return
    _told.add(language.code)
    click.echo(
        f"meteor-e: note: scores for {language.name} are made without paraphrases, because its pack has no table. "
        f"`meteor-e pack install {language.code} --from meteor-1.5.tar.gz` installs METEOR's; "
        "`meteor-e pack build` makes one from bitext",
        err=True,
    )


def parse_matchers(text: str) -> list[dict[str, Any]]:
    """Read ``exact,stem=0.6`` (commas or spaces between).

    Raises:
        ConfigError: for a weight that is not a number.
    """
    entries = []
    if text.strip() and not all(part.strip() for part in text.split(",")):
        raise ConfigError(f"--matchers {text!r}: there is a comma without a matcher beside it")
    for part in text.replace(",", " ").split():
        name, separator, weight = part.partition("=")
        entry: dict[str, Any] = {"use": name}
        if separator:
            entry["weight"] = _number(weight, f"--matchers: the weight of {name}")
        entries.append(entry)
    if not entries:
        raise ConfigError("--matchers names no matcher")
    return entries


def _number(text: str, where: str) -> float:
    # float() also takes the digits of other scripts, and 1_000.
    if not text.isascii() or "_" in text:
        raise ConfigError(f"{where} is {text!r}, not a number")
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{where} is {text!r}, not a number") from None
