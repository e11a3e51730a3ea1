"""``meteor-e completion``: shell completion of commands, options, files and names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from glob import escape
from pathlib import Path

import click
from click.shell_completion import CompletionItem, get_completion_class

from meteor_e.base.errors import ConfigError
from meteor_e.base.files import atomic_writer

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.option("--install", is_flag=True, help="Write the script where the shell finds it, instead of printing it.")
def completion(shell: str | None, install: bool) -> None:
    """Print or install a script that completes meteor-e's commands, options, files and names.

    SHELL is the shell that $SHELL names, unless you give one.

    \b
    meteor-e completion --install
    meteor-e completion zsh > ~/.zfunc/_meteor-e
    """
    cli = click.get_current_context().find_root().command
    shell = shell or _own_shell()
    completer = get_completion_class(shell)
    assert completer is not None
    script = completer(cli, {}, "meteor-e", "_METEOR_E_COMPLETE").source()
    if not install:
        click.echo(script)
        return
    file = _place(shell)
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_writer(file) as stream:
        stream.write(script)
    click.echo(f"wrote {file}; it works in every {shell} that you start from now on")
    if shell == "zsh":
        click.echo(f"if it does not: put `fpath=({file.parent} $fpath)` above `compinit` in your ~/.zshrc", err=True)


def _own_shell() -> str:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise ConfigError(f"$SHELL is {name or 'not set'}; name one of {', '.join(SHELLS)}: meteor-e completion bash")
    return name


def _place(shell: str) -> Path:
    """Return where a shell looks for the script of a user."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share")
    config = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return {
        "bash": data / "bash-completion/completions/meteor-e",
        "zsh": data / "zsh/site-functions/_meteor-e",
        "fish": config / "fish/completions/meteor-e.fish",
    }[shell]


class Completed(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.3
    """What a parameter's value may begin with; used while a shell completes, and never to read a value.

    Args:
        names: returns the known names.
        files: whether the value can also be a file.
        separator: the value is a list joined by this; the last item is completed.
    """

    name = "text"

    def __init__(self, names: Callable[[], Iterable[str]] = tuple, *, files: bool = False, separator: str = "") -> None:
        self._names = names
        self._files = files
        self._separator = separator

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with what is typed, and files where they are possible.

        Where no name fits, the shell completes files itself. It would forget the names, so that files are listed
        here where there are some.
        """
        head, separator, last = incomplete.rpartition(self._separator) if self._separator else ("", "", incomplete)
        items = [CompletionItem(f"{head}{separator}{name}") for name in self._names() if name.startswith(last)]
        if not self._files:
            return items
        if not items:
            return [CompletionItem(incomplete, type="file")]
        return items + [CompletionItem(path.name) for path in sorted(Path().glob(f"{escape(last)}*")) if path.is_file()]


def _registered(kind: str) -> Callable[[], Iterable[str]]:
    def names() -> Iterable[str]:
        from meteor_e.plugins.registry import plugin_registry

        return plugin_registry().names(kind)

    return names


def _tasks() -> Iterable[str]:
    from meteor_e.languages.files import builtin_language

    return builtin_language("en").tasks


def _packs() -> Iterable[str]:
    from meteor_e.packs.store import PackStore

    return PackStore().names()


def _metrics() -> Iterable[str]:
    return {*_registered("metric")(), *_registered("chain")()}


_BY_NAME = {
    "metrics": Completed(_metrics, files=True),
    "metric": Completed(_metrics, files=True),
    "language": Completed(_registered("language"), files=True),
    "task": Completed(_tasks),
    "chain": Completed(_registered("chain"), files=True),
    "matchers": Completed(_registered("matcher"), separator=","),
    "pack": Completed(_packs, files=True),
}
"""By the parameter's name, in every command that has it."""

_FILES = Completed(files=True)


def complete_values(command: click.Command) -> None:
    """Teach a command what its values complete to: names that meteor_e knows, and files."""
    for parameter in command.params:
        if not isinstance(parameter.type, click.types.StringParamType):
            continue
        if isinstance(parameter, click.Option) and parameter.is_flag:
            continue
        known = _BY_NAME.get(parameter.name or "")
        if known is not None:
            parameter.type = known
        elif isinstance(parameter, click.Argument) or "FILE" in (parameter.metavar or ""):
            parameter.type = _FILES
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            complete_values(inner)
