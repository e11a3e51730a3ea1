"""The command ``meteor-e plugins new`` creates the source code of a new plugin from templates."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

import click

from meteor_e._version import __version__
from meteor_e.base.errors import ConfigError
from meteor_e.base.folders import working_folder
from meteor_e.languages.files import RESOURCES

_FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "src/$package/plugin.py": "plugin.py",
    "src/$package/$name.yaml": "chain.yaml",
    "tests/test_plugin.py": "test_plugin.py",
}
"""The table maps each file of a new plugin to its template in the resource folder ``plugin-templates``."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@click.command()
@click.argument("name")
@click.option("-o", "--output", metavar="DIR", help="The new folder.  [default: meteor-e-NAME]")
def new(name: str, output: str | None) -> None:
    """Write a new plugin: a matcher that compares words by a key, a chain that uses it, and tests that pass.

    NAME is the name of the matcher in chains: lowercase letters and digits, separated by hyphens.

    \b
    meteor-e plugins new soundex
    """
    folder = write_plugin(name, Path(output or f"meteor-e-{name}"))
    click.echo(f"wrote {folder}; next: cd {folder} && pip install --editable '.[test]' && pytest")


def write_plugin(name: str, folder: Path) -> Path:
    """Create a folder with the source code of a new plugin, and return the folder.

    Args:
        name: the name of the plugin's matcher in chains.
        folder: the folder to create, which must not exist.

    Raises:
        ConfigError: if the name is not valid or the folder exists.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{name!r} is not a plugin name; use lowercase letters and digits, separated by hyphens")
    if folder.exists():
        raise ConfigError(f"{folder} exists; name another folder with --output")
    words = name.split("-")
    values = {
        "name": name,
        "package": f"meteor_e_{'_'.join(words)}",
        "cls": "".join(word.capitalize() for word in words),
        "version": __version__,
    }
    with working_folder(folder.absolute()) as temporary_folder:
        plugin = temporary_folder / "plugin"
        for path, template in _FILES.items():
            file = plugin / Template(path).substitute(values)
            file.parent.mkdir(parents=True, exist_ok=True)
            content = (RESOURCES / "plugin-templates" / f"{template}.txt").read_text(encoding="utf-8")
            file.write_text(Template(content).substitute(values), encoding="utf-8")
        plugin.rename(folder)
    return folder
