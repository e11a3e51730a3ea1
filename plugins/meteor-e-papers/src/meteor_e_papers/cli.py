"""The command ``meteor-e papers``, which trains learned metrics from research papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from meteor_e.cli.commands import FullHelpGroup, GroupedCommand, Options, option
from meteor_e.cli.options import ParallelComputation

if TYPE_CHECKING:
    from meteor_e_learned.recipe import Recipe


@click.group(cls=FullHelpGroup)
def papers() -> None:
    """Train learned metrics from research papers, such as MaxSD.

    \b
    meteor-e papers list
    meteor-e papers train maxsd-1 --data judged.yaml --word-vectors glove.bin
    meteor-e score system.txt -r reference.txt -M maxsd.safetensors
    """


@papers.command("list")
def list_recipes() -> None:
    """List the recipes of the papers.

    \b
    meteor-e papers list
    """
    from meteor_e_papers.paper_recipes import read_paper_recipe, recipe_names

    for name in recipe_names():
        click.echo(f"{name}: {read_paper_recipe(name).description}")


@dataclass(frozen=True)
class PaperOptions(Options):
    """Options of the command ``papers train``."""

    heading = "Training"
    example = "maxsd-1 --data judged.yaml --word-vectors glove.bin"

    recipe: str = option(None, metavar="RECIPE", required=True)
    data: tuple[str, ...] = option(
        (),
        "--data",
        multiple=True,
        required=True,
        metavar="INDEX",
        help="Data index of the human judgments to learn from; may be repeated.",
    )
    validation: tuple[str, ...] = option(
        (),
        "--validation",
        multiple=True,
        metavar="INDEX",
        show_default="the training data",
        help="Data index of the human judgments that select the best epoch; may be repeated.",
    )
    sample: int | None = option(
        None,
        "--sample",
        type=click.IntRange(1),
        metavar="N",
        show_default="all",
        help="Number of human judgments to sample from each index of --data.",
    )
    word_vectors: str | None = option(
        None, "--word-vectors", metavar="FILE", help="Word vectors, for guzman, maxsd-1 and maxsd-2."
    )
    document_vectors: str | None = option(
        None,
        "--document-vectors",
        metavar="FILE",
        help="Vectors of words and phrases, for USAAR's metrics; `papers document-vectors` trains them.",
    )
    language: str = option("en", "-l", "--language", help="Language of hypotheses and references.")
    epochs: int | None = option(
        None, "--epochs", type=click.IntRange(1), show_default="the recipe's", help="Maximum number of epochs."
    )
    seed: int = option(1, "--seed", type=click.IntRange(0), help="Seed of all random number generators.")
    output: str | None = option(
        None, *("-o", "--output"), metavar="FILE", show_default="RECIPE.safetensors", help="The model file."
    )
    resume: bool = option(False, "--resume", is_flag=True, help="Continue an interrupted training.")


@papers.command(cls=GroupedCommand)
def train(training: PaperOptions, computation: ParallelComputation) -> None:
    """Train a published metric on human judgments, and write a model file and a training log.

    \b
    meteor-e papers train guzman --data judged.yaml --word-vectors glove.bin
    meteor-e papers train usaar-comet --data judged.yaml --document-vectors d.bin
    """
    from pathlib import Path

    from meteor_e_learned.cli import print_epoch, print_figures
    from meteor_e_learned.feature_store import FeatureStore
    from meteor_e_learned.training import train as train_model

    from meteor_e.base.progress import terminal_progress

    recipe = _make_recipe(training)
    target = Path(training.output or f"{training.recipe}.safetensors")
    with terminal_progress(computation.quiet) as progress:
        model = train_model(
            recipe,
            target,
            folder=Path.cwd(),
            store=FeatureStore(enabled=not computation.no_cache),
            resume=training.resume,
            jobs=computation.jobs,
            listener=None if computation.quiet else print_epoch,
            progress=progress,
        )
    click.echo(f"wrote {target}", err=True)
    print_figures(model.card["figures"])


def _make_recipe(options: PaperOptions) -> Recipe:
    """Combine the training recipe of a paper with the data and the settings from the command line."""
    from meteor_e_learned.recipe import DataSpec

    from meteor_e_papers.paper_recipes import make_recipe

    return make_recipe(
        options.recipe,
        vector_files={"word-vectors": options.word_vectors, "document-cosine": options.document_vectors},
        changed_options={} if options.epochs is None else {"epochs": options.epochs},
        train=[DataSpec(index, sample=options.sample) for index in options.data],
        validation=[DataSpec(index) for index in options.validation],
        language=options.language,
        seed=options.seed,
    )


@dataclass(frozen=True)
class DocumentVectorOptions(Options):
    """Options of the command ``papers document-vectors``."""

    heading = "Training"
    example = "news.en europarl.en.xz -o documents.bin"

    texts: tuple[str, ...] = option((), nargs=-1, required=True, metavar="TEXT...")
    output: str = option(None, *("-o", "--output"), required=True, metavar="FILE", help="The vector file.")
    dimension: int = option(400, "-d", "--dimension", type=click.IntRange(1, 10_000), help="Size of a vector.")
    window: int = option(5, "-w", "--window", type=click.IntRange(1), help="Number of context words on each side.")
    epochs: int = option(100, "--epochs", type=click.IntRange(1), help="Number of passes over the texts.")
    min_count: int = option(
        5,
        "--min-count",
        type=click.IntRange(1),
        help="Minimum frequency of a word or phrase with a vector.",
    )
    limit: int | None = option(
        None, "--limit", type=click.IntRange(1), show_default="all", help="Maximum number of sentences of each text."
    )
    language: str = option("en", "-l", "--language", help="Language of the texts.")
    seed: int = option(1, "--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the training.")


@papers.command("document-vectors", cls=GroupedCommand)
def document_vectors(training: DocumentVectorOptions) -> None:
    """Train vectors of words and phrases for the metrics of USAAR (Vela and Tan, 2015).

    Texts contain one sentence per line, and may be compressed by gzip, bzip2 or xz. The training uses a single thread,
    so that it is reproducible. The default values are those of the paper.

    \b
    meteor-e papers document-vectors news.en -o documents.bin --epochs 20
    """
    from meteor_e.base.progress import terminal_progress
    from meteor_e_papers.document_vectors import SkipGramOptions, train_document_vectors

    options = SkipGramOptions(
        dimension=training.dimension,
        window=training.window,
        epochs=training.epochs,
        min_count=training.min_count,
        limit=training.limit,
        seed=training.seed,
        language=training.language,
    )
    with terminal_progress() as progress:
        count = train_document_vectors(
            training.texts, training.output, options, tell=lambda stage: progress(stage, 0, None)
        )
    click.echo(f"{training.output}: {count} words and phrases, {training.dimension} dimensions")
