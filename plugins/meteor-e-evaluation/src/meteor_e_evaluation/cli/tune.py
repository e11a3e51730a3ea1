"""Defines the command ``meteor-e tune``, which fits METEOR's parameters to human judgments."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from meteor_e.api import ConfigError
from meteor_e.base import DEFAULT_SEED
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import GroupedCommand, Options, destination, option
from meteor_e.cli.options import Computation, MetricOptions
from meteor_e_evaluation.cli.options import Data, pair_option

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e_evaluation.test_set import TestSet
    from meteor_e_evaluation.tuning.grid import Axes
    from meteor_e_evaluation.tuning.run import Settings, Tuning, Variant
    from meteor_e_evaluation.tuning.scorer import Point

STEP = 0.05
"""The default step of a grid."""

LOWEST_PARAMETERS = (0.0, 0.0, 0.0, 0.0)
"""The default lowest values of the parameters α, β, γ and δ in a grid."""

HIGHEST_PARAMETERS = (1.0, 2.0, 1.0, 1.0)
"""The default highest values of the parameters α, β, γ and δ in a grid."""

N_PARAMETERS = len(LOWEST_PARAMETERS)
"""The number of parameters. The coordinates of a point are the parameters, followed by the matcher weights."""


@dataclass(frozen=True)
class TuningData(Data):
    """Command-line options that name the tuning data and the held-out data."""

    example = "wmt11.yaml wmt13.yaml --held-out wmt12.yaml --folds 5"

    indexes: tuple[str, ...] = option((), nargs=-1, required=True, metavar="INDEX...")
    pairs: tuple[str, ...] = pair_option("all into the chain's language")
    held_out: tuple[str, ...] = option(
        (), "--held-out", multiple=True, metavar="INDEX", help="Measure the result on this data, too; may be repeated."
    )
    folds: int = option(
        0,
        "--folds",
        type=click.IntRange(min=0),
        metavar="N",
        show_default="0, none",
        help="Folds of a cross-validation; 5 is usual.",
    )
    epsilon: float = option(
        0.0, "--epsilon", type=click.FloatRange(min=0), help="Smallest difference of scores that orders a pair."
    )
    pooled: bool = option(
        False,
        "--pooled",
        is_flag=True,
        show_default="all language pairs have the same weight",
        help="All judgments have the same weight, as for the Java Trainer.",
    )

    def load_tests(self, language: str) -> tuple[list[TestSet], list[TestSet]]:
        """Load the test sets to tune on and the held-out test sets.

        Args:
            language: ISO code of the language of the outputs, if no language pairs are named.

        Raises:
            InputError: if no test set matches.
        """
        from meteor_e_evaluation.mtme import load_tests

        tests = load_tests(self.indexes, language, self.pairs, root=self.root)
        held_out_tests = load_tests(self.held_out, language, ()) if self.held_out else []
        return tests, held_out_tests


@dataclass(frozen=True)
class SearchOptions(Options):
    """Options for the objective, and for the search for its maximum."""

    heading = "Search"
    example = "wmt11.yaml -O pearson --trials 2000"

    objective: str = option(
        "rank",
        *("-O", "--objective"),
        help="rank, pearson, weighted-pearson, spearman, or any measure of meteor-e evaluate, such as acc-eq or spa.",
    )
    option_values: tuple[str, ...] = option(
        (),
        "--option",
        multiple=True,
        metavar="MATCHER.NAME=V1,V2,…",
        help="Try values of a matcher's option, such as vector.threshold=0.6,0.7; may be repeated.",
    )
    random_starts: int = option(6, "--starts", type=click.IntRange(min=0), help="Random starts of the search.")
    trials: int | None = option(
        None, "--trials", type=click.IntRange(min=1), metavar="N", help="Largest number of points per search."
    )
    samples: int = option(1000, "--samples", type=click.IntRange(min=1), help="Bootstrap samples for intervals.")
    seed: int = option(DEFAULT_SEED, "--seed", type=click.IntRange(min=0), help="Seed of search, folds and samples.")


@dataclass(frozen=True)
class GridOptions(Options):
    """Options for a grid search."""

    heading = "Grid, as the Java Trainer searches"
    example = "wmt11.yaml --grid --step .1"

    grid: bool = option(
        False, "--grid", is_flag=True, help="Try all points, as the Java Trainer does, instead of searching."
    )
    first: str | None = option(
        None, "--first", metavar="'A B G D W…'", show_default="0 everywhere", help="First point of the grid."
    )
    last: str | None = option(
        None, "--last", metavar="'A B G D W…'", show_default="1, beta 2", help="Last point of the grid."
    )
    step: str | None = option(
        None,
        "--step",
        metavar="'A B G D W…'",
        show_default=str(STEP),
        help="Steps of the grid; one number for all.",
    )

    def make_axes(self, default: Point) -> Axes:
        """Return the values that a grid search tries for each parameter and each matcher weight.

        Args:
            default: the parameters and matcher weights before tuning.

        Raises:
            ConfigError: for an option that does not have as many numbers as needed.
        """
        from meteor_e_evaluation.tuning.grid import java_axes

        default_first, default_last = self._make_default_range(default[N_PARAMETERS:])
        first = _parse_point(self.first, "--first", default_first)
        last = _parse_point(self.last, "--last", default_last)
        steps = _parse_point(self.step, "--step", (STEP,) * len(default), repeat_single=True)
        return java_axes(first, last, steps)

    def _make_default_range(self, weights: Point) -> tuple[Point, Point]:
        """Return the default first point and the default last point of the grid.

        If both ``--first`` and ``--last`` are missing, the weight of the first matcher is fixed, because only the
        ratios of the weights matter.

        Args:
            weights: the matcher weights before tuning.
        """
        lowest_weights = (0.0,) * len(weights)
        highest_weights = (1.0,) * len(weights)
        if self.first is None and self.last is None:
            lowest_weights = (weights[0], *lowest_weights[1:])
            highest_weights = (weights[0], *highest_weights[1:])
        return LOWEST_PARAMETERS + lowest_weights, HIGHEST_PARAMETERS + highest_weights


def _parse_point(text: str | None, option_name: str, default: Point, *, repeat_single: bool = False) -> Point:
    """Parse the numbers in a command-line option as METEOR's parameters and matcher weights.

    Args:
        text: value of the option, or None if it is missing.
        option_name: name of the option, for error messages.
        default: the numbers to return if the option is missing. An option must contain as many numbers.
        repeat_single: whether a single number is used for all parameters and weights.

    Raises:
        ConfigError: if the text does not consist of the right number of numbers.
    """
    if text is None:
        return default
    try:
        numbers = tuple(float(number) for number in text.replace(",", " ").split())
    except ValueError:
        raise ConfigError(f"{option_name} {text!r} is not a row of numbers") from None
    n_coordinates = len(default)
    if repeat_single and len(numbers) == 1:
        return numbers * n_coordinates
    if len(numbers) != n_coordinates:
        raise ConfigError(
            f"{option_name} has {len(numbers)} numbers; {n_coordinates} are needed: {N_PARAMETERS} parameters, "
            f"{n_coordinates - N_PARAMETERS} weights"
        )
    return numbers


@dataclass(frozen=True)
class TuningOutput(Options):
    """Options for the output of the report and of the tuned chain."""

    heading = "Output"
    example = "wmt11.yaml -o tuned.yaml"

    as_json: bool = option(False, "--json", is_flag=True, help="Write the report as JSON.")
    output: str | None = option(None, "-o", "--output", metavar="FILE", help="Write the tuned chain to a YAML file.")


@click.command(cls=GroupedCommand)
def tune(
    data: TuningData,
    search: SearchOptions,
    grid: GridOptions,
    metric: MetricOptions,
    computation: Computation,
    output: TuningOutput,
) -> None:
    """Find parameters and matcher weights that agree best with human judgments.

    An INDEX is a YAML file that names outputs, references and judgments, as for meteor-e evaluate. Measure the result
    on data that were not used for tuning: name them with --held-out, or cross-validate with --folds.

    \b
    meteor-e tune wmt11.yaml --held-out wmt12.yaml --folds 5 -o tuned.yaml
    meteor-e tune wmt17.yaml -O acc-eq --trials 2000 --folds 5 -o tuned.yaml
    meteor-e tune wmt11.yaml --grid --step .1
    """
    from meteor_e_evaluation.tuning.objectives import make_objective
    from meteor_e_evaluation.tuning.report import make_report
    from meteor_e_evaluation.tuning.run import tune as tune_chain

    settings = _make_settings(data, search, grid)
    base = metric.meteor()
    objective = make_objective(search.objective, epsilon=data.epsilon, macro=not data.pooled)
    tests, held_out_tests = data.load_tests(base.chain.language.code)
    variants = _make_variants(base, search.option_values)
    with terminal_progress(computation.quiet) as progress:
        tuning = tune_chain(
            base,
            variants,
            tests=tests,
            held_out_tests=held_out_tests,
            objective=objective,
            settings=settings,
            cache=computation.cache(),
            progress=progress,
        )
    objective_title = f"{search.objective} (pooled)" if data.pooled else search.objective
    _write_tuning(tuning, make_report(tuning, objective_title, settings), output)


def _write_tuning(tuning: Tuning, report: dict[str, Any], output: TuningOutput) -> None:
    """Write the tuned chain if an output file was named, and print the report."""
    from meteor_e_evaluation.tuning.report import make_chain_file, render_text

    if output.output is not None:
        with destination(output.output) as stream:
            stream.write(make_chain_file(tuning, report))
    if output.as_json:
        report_text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    else:
        report_text = render_text(report, tuning.variant.meteor.matcher_names)
    with destination(None) as stream:
        stream.write(report_text)


def _make_settings(data: TuningData, search: SearchOptions, grid: GridOptions) -> Settings:
    """Convert the command-line options to settings of the tuning."""
    from meteor_e_evaluation.tuning.run import Settings

    return Settings(
        axes=grid.make_axes,
        grid=grid.grid,
        random_starts=search.random_starts,
        trials=search.trials,
        folds=data.folds,
        samples=search.samples,
        seed=search.seed,
    )


def _make_variants(base: Meteor, option_values: tuple[str, ...]) -> list[Variant]:
    """Return one variant of a METEOR chain for each combination of the options' values.

    Args:
        base: the chain.
        option_values: the values to try, such as ``vector.threshold=0.6,0.7``. Without values, the chain itself is the
            only variant.
    """
    from meteor_e import Meteor
    from meteor_e_evaluation.tuning.run import Variant

    if not option_values:
        return [Variant(base)]
    matcher_options = [_parse_option(text, base.matcher_names) for text in option_values]
    titles = [f"{matcher_option.matcher}.{matcher_option.name}" for matcher_option in matcher_options]
    variants = []
    for combination in itertools.product(*(matcher_option.values for matcher_option in matcher_options)):
        config = base.chain.effective()
        _set_options(config, matcher_options, combination)
        variants.append(Variant(Meteor.from_config(config), dict(zip(titles, combination, strict=True))))
    return variants


class _OptionValues(NamedTuple):
    """The values that tuning tries for an option of a matcher.

    Attributes:
        matcher: name of the matcher.
        name: name of the option.
        values: the values to try.
    """

    matcher: str
    name: str
    values: list[Any]


def _set_options(config: dict[str, Any], matcher_options: list[_OptionValues], values: Iterable[Any]) -> None:
    """In the parsed contents of a chain file, set each matcher option to the value that is given for it."""
    for matcher_option, value in zip(matcher_options, values, strict=True):
        for entry in config["matchers"]:
            if entry["use"] == matcher_option.matcher:
                entry[matcher_option.name] = value


def _parse_option(text: str, matchers: tuple[str, ...]) -> _OptionValues:
    """Parse the values to try for an option, given as ``MATCHER.NAME=VALUE,VALUE``.

    Raises:
        ConfigError: if the text has another form, or if the chain does not contain the matcher.
    """
    from meteor_e.base.yamlfile import plain_value

    full_name, equals_sign, values = text.partition("=")
    matcher, dot, option_name = full_name.partition(".")
    if not equals_sign or not dot:
        raise ConfigError(f"--option {text!r} is not of the form MATCHER.NAME=VALUE,VALUE")
    if matcher not in matchers:
        raise ConfigError(f"--option {text!r}: the chain has no matcher {matcher!r}; it has {', '.join(matchers)}")
    parsed_values = [plain_value(value) for value in values.split(",") if value]
    return _OptionValues(matcher, option_name, parsed_values)
