"""``meteor-e pack``: install, list, verify and remove resource packs."""

from __future__ import annotations

import json
from typing import Any

import click

from meteor_e.cli.tables import format_table
from meteor_e.errors import ResourceError
from meteor_e.packs import Pack, PackStore, terminal_progress
from meteor_e.packs.languages import how_to_install

_CONTENTS = ("function_words", "prefixes", "synonyms", "paraphrases")


@click.group()
def pack() -> None:
    """Install, list, verify and remove resource packs.

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
    "with its data folder beside it. Default: the wheel, through pip.",
)
@click.option("--offline", is_flag=True, envvar="METEOR_E_OFFLINE", help="Never download anything.")
def install(language: str, source: str | None, offline: bool) -> None:
    """Build METEOR's pack of a language: en, cs, de, es, fr or ru."""
    with terminal_progress() as progress:
        installed = PackStore().install(language, source, progress=progress, offline=offline)
    click.echo(f"installed {installed.name} ({_summary(installed)}) in {installed.path}")


@pack.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_packs(as_json: bool) -> None:
    """List the installed packs."""
    store = PackStore()
    rows = [_row(store, name) for name in store.names()]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    if not rows:
        click.echo(f"no packs in {store.root}; install one with `meteor-e pack install en`", err=True)
        return
    header = ["name", "state", "version", "digest", *(key.replace("_", " ") for key in _CONTENTS)]
    lines = [
        [row["name"], "damaged" if row["problem"] else "ok", row["version"], row["digest"]]
        + [_count(row["contents"].get(key)) for key in _CONTENTS]
        for row in rows
    ]
    click.echo(format_table(header, lines, left=4))


@pack.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
def verify(names: tuple[str, ...]) -> None:
    """Check the SHA-256 of every file of the packs named, or of all; exit with 3 if one is damaged."""
    store = PackStore()
    damaged = []
    for name in names or store.names():
        problems = store.verify(name)
        for problem in problems:
            click.echo(f"{name}: {problem}")
        if problems:
            damaged.append(name)
        else:
            click.echo(f"{name}: ok")
    if damaged:
        raise ResourceError(
            "; ".join(f"the resource pack {name!r} is damaged, {how_to_install(name, again=True)}" for name in damaged)
        )


@pack.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove a pack."""
    PackStore().remove(name)
    click.echo(f"removed {name}")


@pack.command()
@click.argument("name")
def path(name: str) -> None:
    """Print the folder of a pack."""
    click.echo(str(PackStore().get(name).path))


@pack.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(name: str, as_json: bool) -> None:
    """Print what a pack holds and where it comes from."""
    found = PackStore().get(name)
    manifest = found.manifest
    if as_json:
        shown = {**json.loads(manifest.to_json()), "digest": found.digest, "path": str(found.path)}
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    lines = {
        "name": manifest.name,
        "language": manifest.language,
        "version": manifest.version,
        "digest": found.digest,
        "path": str(found.path),
        **{key.replace("_", " "): _count(manifest.contents.get(key)) for key in _CONTENTS},
        "licence": manifest.licence or "not stated",
        "built with": manifest.built_with,
    }
    for key, value in lines.items():
        click.echo(f"{key:16}{value}")
    for origin in manifest.sources:
        click.echo(f"{'source':16}{origin.name}  sha256 {origin.sha256}")
    for file_name, file in sorted(manifest.files.items()):
        click.echo(f"{'file':16}{file_name}  {file.size} bytes  sha256 {file.sha256}")


def _row(store: PackStore, name: str) -> dict[str, Any]:
    """Return a pack's line of the list; a damaged one is listed, too."""
    try:
        found = store.get(name)
    except ResourceError as error:
        return {"name": name, "version": "", "digest": "", "contents": {}, "path": "", "problem": str(error)}
    problem = None
    try:
        found.check()
    except ResourceError as error:
        problem = str(error)
    return {
        "name": found.name,
        "language": found.language,
        "version": found.version,
        "digest": found.digest,
        "contents": found.manifest.contents,
        "path": str(found.path),
        "problem": problem,
    }


def _count(number: int | None) -> str:
    return "no" if number is None else f"{number:,}"


def _summary(found: Pack) -> str:
    contents = found.manifest.contents
    return ", ".join(f"{_count(contents.get(key))} {key.replace('_', ' ')}" for key in _CONTENTS)
