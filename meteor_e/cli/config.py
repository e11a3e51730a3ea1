"""The command ``meteor-e config`` checks and shows chains, which are METEOR's YAML configuration files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import NamedTuple

import click

from meteor_e.base.errors import MeteorError, ResourceError
from meteor_e.cli.commands import FullHelpGroup
from meteor_e.render.plain import printable


@click.group(cls=FullHelpGroup)
def config() -> None:
    """Check and show YAML chains."""


@config.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--language", "is_language", is_flag=True, help="The files define languages, not chains.")
@click.option("--no-resources", is_flag=True, help="Do not look for packs and files, and start no programs.")
def check(files: tuple[str, ...], is_language: bool, no_resources: bool) -> int:
    """Check chain files, or, with --language, language files.

    Prints the first problem of each file as FILE:LINE: KEY: PROBLEM. The names of languages, tasks, matchers and
    options are checked, too. Exits with 2 if there are problems. If a chain has no problems, it is tested on a
    sentence; exits with 1 if a pack, a file or a program is missing. A pack that `score` would download does not count
    as missing. With --no-resources, chains are not tested.

    \b
    meteor-e config check chain.yaml
    meteor-e config check chain.yaml --no-resources
    meteor-e config check --language hsb.yaml
    """
    exit_code = 0
    for file in files:
        result = _check_file(file, is_language, no_resources)
        click.echo(printable(result.message))
        exit_code = max(exit_code, result.exit_code)
    return exit_code


class _CheckResult(NamedTuple):
    """The result of checking a file: an exit code, and a message that begins with the name of the file."""

    exit_code: int
    message: str


def _check_file(file: str, is_language: bool, no_resources: bool) -> _CheckResult:
    """Check a chain file or a language file, and return a summary of the file or its first problem."""
    try:
        summary = _check_language(file) if is_language else _check_chain(file, no_resources)
    except ResourceError as error:
        return _CheckResult(1, f"{file}: cannot score: {error}")
    except MeteorError as error:
        message = str(error)
        # If the problem is in a line of the file, the message already begins with the file and the line.
        return _CheckResult(2, message if message.startswith(file) else f"{file}: {message}")
    return _CheckResult(0, f"{file}: OK: {summary}")


def _check_chain(file: str, no_resources: bool) -> str:
    """Check a chain file, score a test sentence with the chain, and return a summary of the chain.

    Args:
        file: the path of the chain file.
        no_resources: whether to skip the test sentence, which requires the chain's packs, files and programs.

    Raises:
        MeteorError: if the chain is not valid.
        ResourceError: if the chain is valid but cannot score the test sentence.
    """
    from meteor_e.chains.checks import check_chain
    from meteor_e.plugins.registry import plugin_registry

    chain = check_chain(Path(file), plugin_registry())
    matchers = ", ".join(matcher.name for matcher in chain.matchers)
    summary = f"language {chain.language.code}, task {chain.task}, matchers {matchers}"
    if no_resources:
        return f"{summary}; resources were not checked"
    for pack in (chain.pack, chain.function_words):
        if pack and _will_be_downloaded(pack):
            return f"{summary}; resources were not checked, because the pack {pack} is not installed"
    _check_scoring(file)
    return summary


def _will_be_downloaded(pack: str) -> bool:
    """Return whether a resource pack is missing and would be downloaded by the command ``score``."""
    from meteor_e.packs.pack import is_installable
    from meteor_e.packs.store import PackStore

    return is_installable(pack) and PackStore().find(pack) is None


def _check_scoring(file: str) -> None:
    """Check that the chain in a file can score a test sentence. Warnings are suppressed.

    Raises:
        ResourceError: if the chain cannot score the sentence.
    """
    from meteor_e.meteor import Meteor

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Meteor.from_config(file, offline=True).corpus(["A test ."], ["A short test ."])
    except MeteorError as error:
        raise ResourceError(str(error)) from error


def _check_language(file: str) -> str:
    """Check a language file, and return a summary of the language."""
    from meteor_e.chains.checks import check_language
    from meteor_e.plugins.registry import plugin_registry

    language = check_language(file, plugin_registry())
    return f"{language.name} ({language.code}), tasks {', '.join(language.tasks)}"


@config.command()
@click.argument("source", metavar="[FILE|NAME]", required=False)
@click.option("-l", "--language", help="Language to use instead of the chain's.")
@click.option("-t", "--task", help="Task to use instead of the chain's.")
def show(source: str | None, language: str | None, task: str | None) -> None:
    """Print a chain as YAML, including all default values. The output is a valid chain file.

    If no FILE or NAME is given, the default chain of the language is printed. The command `meteor-e plugins --kind
    chain` lists the names of chains.

    \b
    meteor-e config show baseline
    meteor-e config show --language de --task adq
    """
    from meteor_e.base.yamlfile import dump_yaml
    from meteor_e.chains.chain import resolve
    from meteor_e.chains.checks import spell_out
    from meteor_e.chains.config import ChainConfig, load_chain
    from meteor_e.plugins.registry import plugin_registry

    chain = load_chain(source) if source is not None else ChainConfig()
    chain = chain.override({"language": language, "task": task})
    full_chain = spell_out(resolve(chain, plugin_registry()), plugin_registry())
    click.echo(dump_yaml(full_chain).rstrip())
