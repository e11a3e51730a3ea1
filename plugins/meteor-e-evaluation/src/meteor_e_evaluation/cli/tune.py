"""``meteor-e tune``: parameters and weights that agree best with people."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError
from meteor_e.cli.commands import GroupedCommand, OptionGroup, destination
from meteor_e.cli.options import MetricOptions
from meteor_e_evaluation.cli.options import SharedOptions, shared_options

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e_evaluation.tuning.run import Settings, Tuning
    from meteor_e_evaluation.tuning.scorer import Point

STEP = 0.05


GROUPS = {
    "Data": OptionGroup(
        ("pairs", "root", "held_out", "folds", "epsilon", "pooled"),
        "wmt11.yaml wmt13.yaml --held-out wmt12.yaml --folds 5",
    ),
    "Search": OptionGroup(
        ("objective", "option_values", "starts", "trials", "samples", "seed", "no_cache"),
        "wmt11.yaml -O pearson --trials 2000",
    ),
    "Grid, as the Java Trainer searches": OptionGroup(("grid", "first", "last", "step"), "wmt11.yaml --grid --step .1"),
    "Output": OptionGroup(("as_json", "output", "quiet"), "wmt11.yaml -o tuned.yaml"),
}
"""The groups of the help text."""


@click.command(cls=GroupedCommand, structs={"metric": MetricOptions}, groups=GROUPS)
@click.argument("indexes", nargs=-1, required=True, metavar="INDEX...")
@click.option(
    "-O",
    "--objective",
    "objective",
    default="rank",
    help="rank, pearson, weighted-pearson, spearman, or any measure of meteor-e evaluate, such as acc-eq or "
    "spa.  [default: rank]",
)
@click.option(
    "--held-out",
    "held_out",
    multiple=True,
    metavar="INDEX",
    help="Measure the result on this data, too; may be repeated.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Cross-validate; 5 is usual.  [default: 0, do not]",
)
@click.option("--grid", is_flag=True, help="Try all points, as the Java Trainer does, instead of searching.")
@click.option("--first", metavar="'A B G D W…'", help="First point of the grid.  [default: 0 everywhere]")
@click.option("--last", metavar="'A B G D W…'", help="Last point of the grid.  [default: 1, beta 2]")
@click.option("--step", metavar="'A B G D W…'", help="Steps of the grid; one number for all.  [default: 0.05]")
@click.option(
    "--option",
    "option_values",
    multiple=True,
    metavar="MATCHER.NAME=V1,V2,…",
    help="Try values of a matcher's option, such as vectors.threshold=0.6,0.7; may be repeated.",
)
@click.option(
    "--epsilon", type=click.FloatRange(min=0), default=0.0, help="Smallest difference that orders a pair.  [default: 0]"
)
@click.option(
    "--pooled", is_flag=True, help="All judgments count alike, as for the Java Trainer.  [default: language pairs do]"
)
@click.option("--starts", type=click.IntRange(min=0), default=6, help="Random starts of the search.  [default: 6]")
@click.option("--trials", type=click.IntRange(min=1), metavar="N", help="Points for each search at most.")
@click.option(
    "--samples", type=click.IntRange(min=1), default=1000, help="Bootstrap samples for intervals.  [default: 1000]"
)
@click.option("--json", "as_json", is_flag=True, help="Write the report as JSON.")
@click.option("-o", "--output", metavar="FILE", help="Write the tuned chain to a YAML file.")
@shared_options(
    pairs="all into the chain's language",
    seeded="search, folds and samples",
    quiet="No progress bars.",
)
def tune(indexes: tuple[str, ...], metric: MetricOptions, **options: Any) -> None:
    """Find parameters and matcher weights that agree best with human judgments.

    An INDEX says where outputs, references and judgments are, as for meteor-e evaluate. What comes out is only
    worth something on data that were not tuned on: name them with --held-out, or use --folds.

    \b
    meteor-e tune wmt11.yaml wmt13.yaml --held-out wmt12.yaml --folds 5 -o tuned.yaml
    meteor-e tune wmt17.yaml -O acc-eq --trials 2000 --folds 5 -o tuned.yaml
    meteor-e tune wmt11.yaml --grid --first '.7 .2 .4 .6 1 .5 .5 .5' --last '.9 .4 .8 .8 1 .7 .9 .7' --step .1
    """
    from meteor_e_evaluation.tuning.report import chain_file, render_text, tuning_report

    chosen = SharedOptions(**options)
    chosen.check_root(indexes)
    settings = _settings(chosen)
    tuning = _tune(indexes, metric.meteor(), chosen, settings)
    report = tuning_report(tuning, chosen.objective + (" (pooled)" if chosen.pooled else ""), settings)
    if chosen.output is not None:
        with destination(chosen.output) as stream:
            stream.write(chain_file(tuning, report))
    with destination(None) as stream:
        if chosen.as_json:
            stream.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
        else:
            stream.write(render_text(report, tuning.variant.meteor.matcher_names))


def _settings(options: SharedOptions) -> Settings:
    from meteor_e_evaluation.tuning.grid import java_axes
    from meteor_e_evaluation.tuning.run import Settings

    return Settings(
        axes=lambda default: java_axes(*_ranges(options, default)),
        grid=options.grid,
        random_starts=options.starts,
        trials=options.trials,
        folds=options.folds,
        samples=options.samples,
        seed=options.seed,
    )


def _tune(indexes: tuple[str, ...], base: Meteor, options: SharedOptions, settings: Settings) -> Tuning:
    from meteor_e_evaluation.mtme import load_tests
    from meteor_e_evaluation.tuning.objectives import make_objective
    from meteor_e_evaluation.tuning.run import Variant
    from meteor_e_evaluation.tuning.run import tune as run

    objective = make_objective(options.objective, epsilon=options.epsilon, macro=not options.pooled)
    language = base.chain.language.code
    tests = load_tests(indexes, language, options.pairs, root=options.root)
    unseen = load_tests(options.held_out, language, ()) if options.held_out else []
    variants = [Variant(meteor, values) for values, meteor in _variants(base, options.option_values)]
    with options.bars() as progress:
        return run(base, variants, tests, unseen, objective, settings, options.store(), progress)


def _numbers(text: str, what: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise ConfigError(f"{what} {text!r} is not a row of numbers") from None


def _ranges(options: SharedOptions, default: Point) -> tuple[Point, Point, Point]:
    size = len(default)
    given = []
    for text, what, usual in (
        (options.first, "--first", (0.0,) * size),
        (options.last, "--last", (1.0, 2.0, *(1.0,) * (size - 2))),
        (options.step, "--step", (STEP,) * size),
    ):
        values = usual if text is None else _numbers(text, what)
        if what == "--step" and len(values) == 1:
            values *= size
        if len(values) != size:
            raise ConfigError(f"{what} has {len(values)} numbers; {size} are needed: 4 parameters, {size - 4} weights")
        given.append(list(values))
    if options.first is None and options.last is None:
        # Weights matter only relative to one another and to the penalty; METEOR keeps the first at 1.
        given[0][4] = given[1][4] = default[4]
    return tuple(given[0]), tuple(given[1]), tuple(given[2])


def _variants(base: Meteor, option_values: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], Meteor]]:
    """Yield the chain with every combination of the options to try."""
    if not option_values:
        yield {}, base
        return
    from meteor_e import Meteor
    from meteor_e.base.yamlfile import plain_value

    names, values = [], []
    for text in option_values:
        name, separator, rest = text.partition("=")
        matcher, dot, option = name.partition(".")
        if not separator or not dot:
            raise ConfigError(f"--option {text!r} is not of the form MATCHER.NAME=VALUE,VALUE")
        if matcher not in base.matcher_names:
            raise ConfigError(
                f"--option {text!r}: the chain has no matcher {matcher!r}; it has {', '.join(base.matcher_names)}"
            )
        names.append((matcher, option))
        values.append([plain_value(value) for value in rest.split(",") if value])
    for combination in itertools.product(*values):
        chain = base.chain.effective()
        for (matcher, option), value in zip(names, combination, strict=True):
            for entry in chain["matchers"]:
                if entry["use"] == matcher:
                    entry[option] = value
        options = {f"{matcher}.{option}": value for (matcher, option), value in zip(names, combination, strict=True)}
        yield options, Meteor.from_config(chain)
