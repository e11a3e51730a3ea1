"""``meteor-e tune``: parameters and weights that agree best with people."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.cli.evaluate import ProgressBars, cache_options
from meteor_e.cli.options import metric_options
from meteor_e.cli.output import destination

if TYPE_CHECKING:
    from meteor_e.evaluation.resampling import Interval
    from meteor_e.meteor import Meteor
    from meteor_e.tuning.data import TuningSet
    from meteor_e.tuning.scorer import Point
    from meteor_e.tuning.validation import CrossValidation, HeldOut

NAMES = ("alpha", "beta", "gamma", "delta")
STEP = 0.05


@dataclass
class Tuned:
    """What tuning found: for one setting of a matcher's options, the best point."""

    meteor: Meteor
    data: TuningSet
    point: Point
    value: float
    evaluations: int
    options: dict[str, Any]


@click.command()
@click.argument("indexes", nargs=-1, required=True, metavar="INDEX...")
@click.option(
    "-O",
    "--objective",
    "objective_name",
    default="rank",
    help="rank, pearson, weighted-pearson, spearman or hter.  [default: rank]",
)
@click.option(
    "--pair",
    "pairs",
    multiple=True,
    metavar="SRC-TRG",
    help="A language pair; may be repeated.  [default: all into the chain's language]",
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
@click.option("--grid", is_flag=True, help="Try all points, as the Java Trainer does, in the place of the search.")
@click.option("--first", metavar="'A B G D W…'", help="First point of the grid.  [default: 0 everywhere]")
@click.option("--last", metavar="'A B G D W…'", help="Last point of the grid.  [default: 1, beta 2]")
@click.option("--step", metavar="'A B G D W…'", help="Steps of the grid; one number for all.  [default: 0.05]")
@click.option("--free-first-weight", is_flag=True, help="Tune the first matcher's weight, too.  [default: keep it]")
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
    "--pooled", is_flag=True, help="All judgements count alike, as for the Java Trainer.  [default: language pairs do]"
)
@click.option("--starts", type=click.IntRange(min=0), default=6, help="Random starts of the search.  [default: 6]")
@click.option(
    "--samples", type=click.IntRange(min=1), default=1000, help="Bootstrap samples for intervals.  [default: 1000]"
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=12345, help="Seed of search, folds and samples.  [default: 12345]"
)
@click.option("--all-points", metavar="FILE", help="With --grid: write every point as the Java Trainer prints it.")
@click.option("--json", "as_json", is_flag=True, help="Write the report as JSON.")
@click.option("-o", "--output", metavar="FILE", help="Write the tuned chain to a YAML file.")
@metric_options
@cache_options
@click.option("-q", "--quiet", is_flag=True, help="No progress bars.")
def tune(
    indexes: tuple[str, ...],
    objective_name: str,
    pairs: tuple[str, ...],
    held_out: tuple[str, ...],
    folds: int,
    grid: bool,
    first: str | None,
    last: str | None,
    step: str | None,
    free_first_weight: bool,
    option_values: tuple[str, ...],
    epsilon: float,
    pooled: bool,
    starts: int,
    samples: int,
    seed: int,
    all_points: str | None,
    as_json: bool,
    output: str | None,
    make_meteor: Callable[[], Meteor],
    cache: str | None,
    no_cache: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Find parameters and matcher weights that agree best with human judgements.

    An INDEX says where outputs, references and judgements are, as for meteor-e evaluate. What comes out is only
    worth something on data that were not tuned on: name them with --held-out, or use --folds.

    \b
    meteor-e tune wmt11.yaml wmt13.yaml --held-out wmt12.yaml --folds 5 -o tuned.yaml
    meteor-e tune wmt11.yaml --grid --first '.7 .2 .4 .6 1 .5 .5 .5' --last '.9 .4 .8 .8 1 .7 .9 .7' --step .1
    """
    from meteor_e.base.array_cache import ArrayCache
    from meteor_e.tuning.data import collect
    from meteor_e.tuning.grid import evaluate_grid, java_axes
    from meteor_e.tuning.objectives import make_objective
    from meteor_e.tuning.scorer import PointScorer, point_of
    from meteor_e.tuning.search import search
    from meteor_e.tuning.validation import cross_validate, hold_out, refuse_overlap

    if all_points is not None and not grid:
        raise ConfigError("--all-points goes with --grid")
    objective = make_objective(objective_name, epsilon=epsilon, macro=not pooled)
    store = ArrayCache(cache, enabled=not no_cache)
    base = make_meteor()
    language = base.chain.language.code
    tests = load_tests(indexes, language, pairs)
    unseen = load_tests(held_out, language, ()) if held_out else []
    best: Tuned | None = None
    tried = 0
    with ProgressBars(quiet) as progress:
        for options, meteor in _variants(base, option_values):
            data = collect(meteor, tests, store, jobs=jobs, progress=progress("aligning"))
            default = point_of(meteor.chain.parameters)
            axes = java_axes(*_ranges(first, last, step, default, free_first_weight))

            def find(part: TuningSet, default: Point = default, axes: Any = axes) -> tuple[Point, float, int]:
                if grid:
                    tell = progress("grid")
                    size = _grid_size(axes)
                    tried_all = evaluate_grid(
                        part, objective, axes, threads=jobs, progress=lambda done: tell(done, size)
                    )
                    if all_points is not None and part is data:  # noqa: B023
                        _write_points(all_points, axes, tried_all.values)
                    return tried_all.best, tried_all.value, tried_all.evaluations
                found = search(part, objective, axes, [default], seed=seed, random_starts=starts)
                return found.best, found.value, found.evaluations

            point, value, evaluations = find(data)
            tried += evaluations
            if best is None or value > best.value:
                best = Tuned(meteor, data, point, value, evaluations, options)
                chosen = find
        assert best is not None
        default = point_of(best.meteor.chain.parameters)
        before = objective.prepare(best.data).value(PointScorer(best.data).score(default))
        validation = outside = None
        if folds:
            validation = cross_validate(
                best.data, objective, default, lambda part: chosen(part)[0], folds=folds, seed=seed
            )
        if unseen:
            other = collect(best.meteor, unseen, store, jobs=jobs, progress=progress("aligning"))
            refuse_overlap(best.data, other)
            outside = hold_out(other, objective, default, best.point, samples=samples, seed=seed)
            unseen_names = other.names
    report = {
        "objective": objective_name + (" (pooled)" if pooled else ""),
        "tuned on": ", ".join(best.data.names),
        "judgements": len(best.data.better) or int((best.data.humans == best.data.humans).sum()),
        "method": "grid" if grid else f"search, seed {seed}, {starts} random starts",
        "points tried": tried,
        "default": {"point": list(default), "value": before},
        "tuned": {"point": list(best.point), "value": best.value},
        "options": best.options,
        "cross-validation": None if validation is None else _validation_dict(validation, folds),
        "held out": None if outside is None else {"on": ", ".join(unseen_names), **_outside_dict(outside)},
        "signature": best.meteor.signature,
    }
    if output is not None:
        with destination(output) as stream:
            stream.write(_chain_file(best, report))
    with destination(None) as stream:
        if as_json:
            stream.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
        else:
            stream.write(_text(report, best.meteor.matcher_names))


def load_tests(paths: Sequence[str], language: str, pairs: Sequence[str]) -> list[Any]:
    """Load the test sets of indexes that are in a language, or those of the pairs that are named.

    Raises:
        InputError: if there are none.
    """
    from meteor_e.evaluation.data import load_test_set
    from meteor_e.evaluation.index import load_index

    tests = []
    for path in paths:
        index = load_index(path)
        for pair in index.pairs:
            target = index.pair(pair).language or index.language or pair.partition("-")[2]
            if pair in pairs or (not pairs and target == language):
                tests.append(load_test_set(index, pair))
    if not tests:
        raise InputError(f"{', '.join(paths)}: no language pair {' or '.join(pairs) or f'into {language!r}'}")
    return tests


def _numbers(text: str, what: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise ConfigError(f"{what} {text!r} is not a row of numbers") from None


def _ranges(
    first: str | None, last: str | None, step: str | None, default: Point, free_first_weight: bool
) -> tuple[Point, Point, Point]:
    size = len(default)
    given = []
    for text, what, usual in (
        (first, "--first", (0.0,) * size),
        (last, "--last", (1.0, 2.0, *(1.0,) * (size - 2))),
        (step, "--step", (STEP,) * size),
    ):
        values = usual if text is None else _numbers(text, what)
        if what == "--step" and len(values) == 1:
            values *= size
        if len(values) != size:
            raise ConfigError(f"{what} has {len(values)} numbers; {size} are needed: 4 parameters, {size - 4} weights")
        given.append(list(values))
    if not free_first_weight and first is None and last is None:
        # Weights matter only relative to one another and to the penalty; METEOR keeps the first at 1.
        given[0][4] = given[1][4] = default[4]
    return tuple(given[0]), tuple(given[1]), tuple(given[2])


def _grid_size(axes: Any) -> int:
    from meteor_e.tuning.grid import grid_size

    return grid_size(axes)


def _variants(base: Meteor, option_values: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], Meteor]]:
    """Yield the chain with every combination of the options to try."""
    if not option_values:
        yield {}, base
        return
    from meteor_e.base.yamlfile import plain_value
    from meteor_e.meteor import Meteor

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


def _write_points(path: str, axes: Any, values: Any) -> None:
    from meteor_e.tuning.grid import points

    if values is None:
        raise ConfigError("--all-points: the grid is too large to write")
    with destination(path) as stream:
        for point, value in zip(points(axes), values.tolist(), strict=True):
            stream.write(f"{value!r} {' '.join(f'{number:.2f}' for number in point)}\n")


def _interval(interval: Interval) -> list[float]:
    return [interval.low, interval.high]


def _validation_dict(validation: CrossValidation, folds: int) -> dict[str, Any]:
    return {
        "folds": folds,
        "default": list(validation.default),
        "tuned": list(validation.tuned),
        "mean gain": validation.gain,
    }


def _outside_dict(outside: HeldOut) -> dict[str, Any]:
    return {
        name: {"value": value, "interval": _interval(interval)}
        for name, (value, interval) in (("default", outside.default), ("tuned", outside.tuned), ("gain", outside.gain))
    } | {"p": outside.p}


def _summary(entry: dict[str, Any]) -> str:
    low, high = entry["interval"]
    return f"{entry['value']:.4f} [{low:.4f}, {high:.4f}]"


def _text(report: dict[str, Any], matchers: tuple[str, ...]) -> str:
    lines = [
        f"tuned on  {report['tuned on']} ({report['judgements']} judgements)",
        f"objective {report['objective']}; {report['points tried']} points tried ({report['method']})",
    ]
    labels = (*NAMES, *matchers)
    for which in ("default", "tuned"):
        values = " ".join(f"{name}={value:g}" for name, value in zip(labels, report[which]["point"], strict=True))
        lines.append(f"{which:9} {report[which]['value']:.4f}  {values}")
    if report["options"]:
        lines.append("options   " + ", ".join(f"{name}={value}" for name, value in report["options"].items()))
    if report["cross-validation"]:
        folds = report["cross-validation"]
        tuned, default = (sum(folds[which]) / folds["folds"] for which in ("tuned", "default"))
        lines.append(
            f"{folds['folds']} folds   default {default:.4f}, tuned {tuned:.4f}, mean gain {folds['mean gain']:+.4f}"
        )
    if report["held out"]:
        outside = report["held out"]
        lines.append(f"held out  {outside['on']}")
        for which in ("default", "tuned", "gain"):
            lines.append(f"          {which:8} {_summary(outside[which])}")
        lines.append(f"          p that the gain is chance: {outside['p']:.3f}")
    else:
        lines.append("no data were held out: the tuned value is too good to be true of other data")
    return "\n".join(lines) + "\n"


def _chain_file(best: Tuned, report: dict[str, Any]) -> str:
    from meteor_e.tuning.result import chain_yaml

    provenance = {
        "objective": report["objective"],
        "tuned on": report["tuned on"],
        "method": f"{report['method']}, {report['points tried']} points",
        "default": f"{report['default']['value']:.6f} at {report['default']['point']}",
        "tuned": f"{report['tuned']['value']:.6f}",
        "from": report["signature"],
    }
    if report["held out"]:
        outside = report["held out"]
        provenance["held out"] = (
            f"{outside['on']}: default {_summary(outside['default'])}, tuned {_summary(outside['tuned'])}, "
            f"gain {_summary(outside['gain'])}, p {outside['p']:.3f}"
        )
    else:
        provenance["held out"] = "nothing"
    return chain_yaml(best.meteor, best.point, provenance)
