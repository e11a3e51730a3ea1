"""``meteor-e pack``: install, list and remove resource packs.

The plugin meteor-e-bitext builds packs and shows what they hold.
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
from meteor_e.render.plain import count_or_no, format_table


class PackGroup(PluginGroup):
    """The commands of packs."""

    prefix = "pack "


@click.group(cls=PackGroup)
def pack() -> None:
    """Install, build, list and remove resource packs.

    A pack holds a language's function words, nonbreaking prefixes, synonyms and paraphrases. Packs lie in the
    folder that METEOR_E_PACKS names, by default in your user data folder.
    """


@pack.command()
@click.argument("language", metavar="LANGUAGE")
@click.option(
    "--from",
    "source",
    metavar="PATH|URL",
    help="Where METEOR's data is: the wheel pycocoevalcap 1.2, the tarball meteor-1.5.tar.gz, or meteor-1.5.jar "
    "with its data folder beside it. Default: the wheel, through pip. Of a wordnet: omw-1.4.zip, or a .tab file.",
)
@click.pass_context
def install(context: click.Context, language: str, source: str | None) -> None:
    """Install what a language has: METEOR's data (en, cs, de, es, fr, ru), or a wordnet's synonyms (27 more).

    \b
    meteor-e pack install en
    meteor-e pack install fr --from meteor-1.5.tar.gz
    meteor-e pack install is
    """
    if not is_installable(language) and (command := pack.get_command(context, "synonyms")):
        context.invoke(command, language=language, source=source)
        return
    with terminal_progress() as progress:
        installed = PackStore().install(language, source, progress=progress, offline=is_offline())
    click.echo(f"installed {installed.name} ({installed.summary}) in {installed.path}")


@pack.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_packs(as_json: bool) -> None:
    """List the installed packs.

    \b
    meteor-e pack list --json
    """
    store = PackStore()
    rows = [_row(store, name) for name in store.names()]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo(f"no packs in {store.root}; install one with `meteor-e pack install en`", err=True)
        return
    header = ["name", "state", "version", "digest", *(key.replace("_", " ") for key in CONTENTS)]
    lines = [
        [row["name"], "damaged" if row["problem"] else "ok", row["version"], row["digest"]]
        + [count_or_no(row["contents"].get(key)) for key in CONTENTS]
        for row in rows
    ]
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


def _row(store: PackStore, name: str) -> dict[str, Any]:
    """Return the row of a pack. A damaged pack has a row with a problem."""
    row: dict[str, Any] = {"name": name, "version": "", "digest": "", "contents": {}, "path": "", "problem": None}
    try:
        installed = store.get(name)
        row |= {"language": installed.language, "version": installed.version, "digest": installed.digest}
        row |= {"contents": installed.manifest.contents, "path": str(installed.path)}
    except ResourceError as error:
        row["problem"] = str(error)
    return row
