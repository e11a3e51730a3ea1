"""The commands ``train`` and ``model``.

Each command imports its libraries only when it runs, so that other commands of meteor-e start quickly.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from meteor_e.cli.commands import FullHelpGroup, GroupedCommand, Options, option
from meteor_e.cli.options import ParallelComputation


@dataclass(frozen=True)
class TrainingOptions(Options):
    """The recipe, its data and the model file."""

    heading = "Training"
    example = "linear.yaml --seed 2 -o linear.safetensors"

    recipe: str = option(None, metavar="RECIPE", required=True)
    output: str | None = option(
        None,
        *("-o", "--output"),
        metavar="FILE",
        show_default="the recipe's name, .safetensors",
        help="The model file.",
    )
    seed: int | None = option(None, "--seed", type=click.IntRange(min=0), help="Seed that replaces the recipe's seed.")
    resume: bool = option(False, "--resume", is_flag=True, help="Continue an interrupted training of the same recipe.")
    roots: tuple[str, ...] = option(
        (),
        "--root",
        multiple=True,
        metavar="NAME=DIR",
        help="Folder that contains the data of the index NAME.yaml. May be repeated.",
    )


@click.command(cls=GroupedCommand)
def train(training: TrainingOptions, computation: ParallelComputation) -> None:
    """Train a model from a recipe, and write the model file and a training log.

    \b
    meteor-e train linear.yaml -o linear.safetensors
    meteor-e train network.yaml --seed 2
    meteor-e train en-light.yaml --root wmt11=DIR --root wmt13=DIR

    WMT publishes system outputs and judgments at statmt.org/wmt11 to statmt.org/wmt17 (results.html). The data of 2021
    are at github.com/wmt-conference/wmt21-news-systems and github.com/google-research/mt-metrics-eval. The folder
    examples/judged of meteor_e contains a toy data set.
    """
    from pathlib import Path

    from meteor_e.base.progress import terminal_progress
    from meteor_e_learned.feature_store import FeatureStore
    from meteor_e_learned.recipe import load_recipe
    from meteor_e_learned.training import train as train_model

    recipe = load_recipe(training.recipe)
    index_paths = [spec.index for spec in (*recipe.train, *recipe.validation) if spec.index]
    output = Path(training.output or f"{recipe.name}.safetensors")
    with terminal_progress(computation.quiet) as progress:
        model = train_model(
            recipe,
            output,
            folder=Path(training.recipe).absolute().parent,
            store=FeatureStore(enabled=not computation.no_cache),
            seed=training.seed,
            resume=training.resume,
            jobs=computation.jobs,
            listener=None if computation.quiet else print_epoch,
            progress=progress,
            roots=_parse_roots(training.roots, index_paths),
        )
    click.echo(f"wrote {output}", err=True)
    print_figures(model.card["figures"])


def print_figures(figures: Mapping[str, Any]) -> None:
    """Print the results of the training, such as correlations with human judgments."""
    for name, value in figures.items():
        formatted_value = f"{value:.4f}" if isinstance(value, float) else str(value)
        click.echo(f"{name}\t{formatted_value}")


def _parse_roots(roots: Sequence[str], index_paths: Sequence[str]) -> dict[str, str]:
    """Parse the values of the option ``--root`` into a dictionary from index names to data folders.

    Args:
        roots: the values of ``--root``, in the format ``NAME=DIR``.
        index_paths: the paths of the recipe's indexes. The name of an index is its file name without ``.yaml``.

    Raises:
        ConfigError: if a value has another format, or if the recipe does not have an index of this name.
    """
    from pathlib import Path

    from meteor_e.api import ConfigError
    from meteor_e.base.errors import near_miss

    index_names = [Path(path).stem for path in index_paths]
    folder_by_name = {}
    for root in roots:
        name, _, folder = root.partition("=")
        if not folder:
            raise ConfigError(f"--root {root!r} is not of the form NAME=DIR, such as wmt13=data/wmt13")
        if name not in index_names:
            raise ConfigError(
                f"--root {root!r}: the recipe has no index {name!r}{near_miss(name, index_names)}; "
                f"it has {', '.join(index_names)}"
            )
        folder_by_name[name] = folder
    return folder_by_name


def print_epoch(event: Mapping[str, Any]) -> None:
    """Print the size of the training data or the results of an epoch to standard error."""
    if "epoch" in event:
        taus = " ".join(f"{tau:.4f}" for tau in event["tau"])
        # Unlike print, click.echo would write into the middle of a progress bar.
        print(
            f"{event['cost']} epoch {event['epoch']}: loss {event['loss'][0]:.4f}, tau {taus} ({event['device']})",
            file=sys.stderr,
        )
    elif event.get("event") == "data":
        print(f"{event['comparisons']} comparisons of {event['hypotheses']} hypotheses", file=sys.stderr)


@click.group(cls=FullHelpGroup)
def model() -> None:
    """List the models that come with the plugin, and print model cards."""


@model.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_models(as_json: bool) -> None:
    """List the models that come with the plugin. The option -M accepts their names.

    \b
    meteor-e model list
    """
    import shutil
    import textwrap

    import msgspec

    from meteor_e.render.plain import format_table
    from meteor_e_learned.ready import model_size, ready_models

    model_by_name = ready_models()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(model_by_name), indent=2).decode())
        return
    rows = []
    for name, ready_model in model_by_name.items():
        rows.append([name, ready_model.language, f"{model_size(name) / 1000:.0f} kB"])
    click.echo(format_table(["name", "language", "size"], rows, left=2))
    click.echo()
    width = min(100, shutil.get_terminal_size().columns)
    for name, ready_model in model_by_name.items():
        needs = ", ".join(ready_model.needs)
        description = f"{name}: {ready_model.summary} Not for: {ready_model.unsuitable_texts} Needs: {needs}."
        click.echo(textwrap.fill(description, width, subsequent_indent="  ", break_on_hyphens=False))


@model.command()
@click.argument("model_file", metavar="MODEL")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--weights",
    type=click.IntRange(min=0),
    default=15,
    help="Number of features to show, in the order of their weights.  [default: 15]",
)
def show(model_file: str, as_json: bool, weights: int) -> None:
    """Print the model card with the training data, the figures, the features and the options.

    \b
    meteor-e model show en-light
    meteor-e model show linear.safetensors
    """
    import json

    from meteor_e.base.errors import plugin_errors
    from meteor_e.render.plain import printable
    from meteor_e_learned.card import card_data, format_card
    from meteor_e_learned.modelfile import load_model

    loaded_model = load_model(model_file)
    # Model files are untrusted input, so a model card may not have the expected structure.
    with plugin_errors(f"{model_file}: reading the model card"):
        if as_json:
            text = json.dumps(card_data(loaded_model), ensure_ascii=False, indent=2)
        else:
            text = format_card(loaded_model, weights)
    for line in text.split("\n"):
        click.echo(printable(line))
