"""``meteor-e completion``: shell completion."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes meteor-e's commands and options in your SHELL.

    bash: meteor-e completion bash > ~/.local/share/bash-completion/completions/meteor-e

    zsh: meteor-e completion zsh > a folder of your $fpath, in a file named _meteor-e

    fish: meteor-e completion fish > ~/.config/fish/completions/meteor-e.fish
    """
    from meteor_e.cli import cli

    completer = get_completion_class(shell)
    assert completer is not None
    click.echo(completer(cli, {}, "meteor-e", "_METEOR_E_COMPLETE").source())
