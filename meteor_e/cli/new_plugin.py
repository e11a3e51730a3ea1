"""``meteor-e plugins new``: a distribution with a plugin, whose tests pass at once."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

import click

from meteor_e._version import __version__
from meteor_e.base.errors import ConfigError
from meteor_e.base.files import workplace
from meteor_e.languages.files import RESOURCES

_FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "src/$package/plugin.py": "plugin.py",
    "src/$package/$name.yaml": "chain.yaml",
    "tests/test_plugin.py": "test_plugin.py",
}
"""The files of a plugin, and their templates in the folder ``plugin-templates`` of the resources."""


@click.command()
@click.argument("name")
@click.option("-o", "--output", metavar="DIR", help="The new folder.  [default: meteor-e-NAME]")
def new(name: str, output: str | None) -> None:
    """Write a plugin to begin with: a matcher of words by a key, its chain, and tests that pass.

    NAME is what chains call the matcher: lower-case letters and digits, joined by hyphens.

    \b
    meteor-e plugins new soundex
    """
    folder = write_plugin(name, Path(output or f"meteor-e-{name}"))
    click.echo(f"wrote {folder}; next: cd {folder} && pip install --editable '.[test]' && pytest")


def write_plugin(name: str, folder: Path) -> Path:
    """Write a distribution with a plugin.

    Args:
        name: what chains call it.
        folder: the new folder; it must not exist.

    Raises:
        ConfigError: for a name that cannot be used, or a folder that exists.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ConfigError(f"a plugin cannot be called {name!r}; use lower-case letters and digits, joined by hyphens")
    if folder.exists():
        raise ConfigError(f"{folder} exists; name another folder with --output")
    words = name.split("-")
    values = {
        "name": name,
        "package": f"meteor_e_{'_'.join(words)}",
        "cls": "".join(map(str.capitalize, words)),
        "version": __version__,
    }
    with workplace(folder.absolute()) as work:
        for file, template in _FILES.items():
            target = work / "plugin" / Template(file).substitute(values)
            target.parent.mkdir(parents=True, exist_ok=True)
            content = (RESOURCES / "plugin-templates" / f"{template}.txt").read_text(encoding="utf-8")
            target.write_text(Template(content).substitute(values), encoding="utf-8")
        (work / "plugin").rename(folder)
    return folder
