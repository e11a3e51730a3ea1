"""Define the options for training word vectors. The command line and the training code use the same class."""

from __future__ import annotations

from dataclasses import dataclass

import click

from meteor_e.cli.commands import Options, option


@dataclass(frozen=True)
class VectorOptions(Options):
    """The options of the training."""

    heading = "Training"
    example = "europarl.fr -l fr --model skip-gram -d 100"

    model: str = option("cbow", "--model", type=click.Choice(["cbow", "skip-gram"]), help="Model to train.")
    dimension: int = option(
        50, "-d", "--dimension", type=click.IntRange(1, 10_000), help="Number of dimensions of a vector."
    )
    window: int = option(5, "-w", "--window", type=click.IntRange(1), help="Number of context words on each side.")
    epochs: int = option(5, "--epochs", type=click.IntRange(1), help="Number of passes over the text.")
    min_count: int = option(
        5, "--min-count", type=click.IntRange(1), help="Words that occur less often do not get a vector."
    )
    seed: int = option(1, "--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the training.")
    threads: int = option(
        1, "--threads", type=click.IntRange(1), help="Number of threads. Results are reproducible with 1 thread only."
    )
