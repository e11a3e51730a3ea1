"""The commands `train` and `model`. Whatever is heavy is imported when a command runs."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click

from meteor_e.cli.commands import FullHelpGroup, GroupedCommand, Options, option
from meteor_e.cli.options import ParallelComputation


@dataclass(frozen=True)
class TrainingOptions(Options, heading="Training", example="linear.yaml --seed 2 -o linear.safetensors"):
    """The recipe, its data and the model file."""

    recipe: str = option(None, metavar="RECIPE", required=True)
    output: str | None = option(
        None,
        *("-o", "--output"),
        metavar="FILE",
        show_default="the recipe's name, .safetensors",
        help="The model file.",
    )
    seed: int | None = option(None, "--seed", type=click.IntRange(min=0), help="Seed, instead of the recipe's.")
    resume: bool = option(
        False, "--resume", is_flag=True, help="Go on where an interrupted training of the same recipe stopped."
    )
    roots: tuple[str, ...] = option(
        (),
        "--root",
        multiple=True,
        metavar="NAME=DIR",
        help="Folder of the data of the index NAME.yaml, instead of the index's own; may be repeated.",
    )


@click.command(cls=GroupedCommand)
def train(training: TrainingOptions, computation: ParallelComputation) -> None:
    """Train a model as a recipe says, and write its file, with a log beside it.

    \b
    meteor-e train linear.yaml -o linear.safetensors
    meteor-e train network.yaml --seed 2
    meteor-e train en-light.yaml --root wmt11=DIR --root wmt13=DIR

    System outputs and judgments of WMT's tasks are at statmt.org/wmt11 to wmt17 (results.html of each year), those
    of 2021 at github.com/wmt-conference/wmt21-news-systems and github.com/google-research/mt-metrics-eval. A judged
    set of toy size is in the folder examples/judged of meteor_e.
    """
    from pathlib import Path

    from meteor_e.base.progress import terminal_progress
    from meteor_e_learned.feature_store import FeatureStore
    from meteor_e_learned.recipe import load_recipe
    from meteor_e_learned.training import train as run

    loaded = load_recipe(training.recipe)
    roots = _roots(training.roots, [spec.index for spec in (*loaded.train, *loaded.validation) if spec.index])
    target = Path(training.output or f"{loaded.name}.safetensors")
    with terminal_progress(computation.quiet) as progress:
        trained = run(
            loaded,
            target,
            folder=Path(training.recipe).absolute().parent,
            store=FeatureStore(enabled=not computation.no_cache),
            seed=training.seed,
            resume=training.resume,
            jobs=computation.jobs,
            listener=None if computation.quiet else print_epoch,
            progress=progress,
            roots=roots,
        )
    click.echo(f"wrote {target}", err=True)
    for name, value in trained.card["figures"].items():
        click.echo(f"{name}\t{value:.4f}" if isinstance(value, float) else f"{name}\t{value}")


def _roots(given: tuple[str, ...], indexes: list[str]) -> dict[str, str]:
    """Return the folders of data by the names of their indexes."""
    from pathlib import Path

    from meteor_e.api import ConfigError
    from meteor_e.base.errors import near_miss

    known = [Path(index).stem for index in indexes]
    found = {}
    for text in given:
        name, separator, folder = text.partition("=")
        if not separator or not folder:
            raise ConfigError(f"--root {text!r} is not of the form NAME=DIR, such as wmt13=data/wmt13")
        if name not in known:
            raise ConfigError(
                f"--root {text!r}: the recipe has no index {name!r}{near_miss(name, known)}; it has {', '.join(known)}"
            )
        found[name] = folder
    return found


def print_epoch(event: Mapping[str, Any]) -> None:
    """Print what a training reports: its data, and the figures of each epoch."""
    if "epoch" in event:
        taus = " ".join(f"{tau:.4f}" for tau in event["tau"])
        # Not by click, which would write into the middle of a progress bar.
        print(
            f"{event['cost']} epoch {event['epoch']}: loss {event['loss'][0]:.4f}, tau {taus} ({event['device']})",
            file=sys.stderr,
        )
    elif event.get("event") == "data":
        print(f"{event['comparisons']} comparisons of {event['hypotheses']} hypotheses", file=sys.stderr)


@click.group(cls=FullHelpGroup)
def model() -> None:
    """List the models that are ready to use, and show what a model holds."""


@model.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_models(as_json: bool) -> None:
    """List the models that come with the plugin; -M takes their names.

    \b
    meteor-e model list
    """
    import shutil
    import textwrap

    import msgspec

    from meteor_e.render.plain import format_table
    from meteor_e_learned.ready import model_size, ready_models

    models = ready_models()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(models), indent=2).decode())
        return
    width = min(100, shutil.get_terminal_size().columns)
    rows = [[name, entry.language, f"{model_size(name) / 1000:.0f} kB"] for name, entry in models.items()]
    click.echo(format_table(["name", "language", "size"], rows, left=2))
    click.echo()
    for entry in models.values():
        text = f"{entry.name}: {entry.summary} Not for: {entry.avoid} Needs: {', '.join(entry.needs)}."
        click.echo("\n".join(textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)))


@model.command()
@click.argument("model_file", metavar="MODEL")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--weights",
    type=click.IntRange(min=0),
    default=15,
    help="Number of features to show, those with the largest weights.  [default: 15]",
)
def show(model_file: str, as_json: bool, weights: int) -> None:
    """Print the model card: data, figures, features, options.

    \b
    meteor-e model show en-light
    meteor-e model show linear.safetensors
    """
    import json

    from meteor_e.base.errors import plugin_errors
    from meteor_e.render.plain import printable
    from meteor_e_learned.card import as_text, card_data
    from meteor_e_learned.modelfile import load_model

    loaded = load_model(model_file)
    # Anybody may have written the card.
    with plugin_errors(f"{model_file}: reading the model card"):
        text = json.dumps(card_data(loaded), ensure_ascii=False, indent=2) if as_json else as_text(loaded, weights)
    click.echo("\n".join(map(printable, text.split("\n"))))
