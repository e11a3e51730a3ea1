"""``meteor-e plugins new``: a distribution with a plugin, whose tests pass at once."""

from __future__ import annotations

import json
import keyword
import re
from importlib import metadata
from pathlib import Path
from string import Template
from typing import NamedTuple

import click

from meteor_e._version import __version__
from meteor_e.base.errors import ConfigError
from meteor_e.base.folders import workplace
from meteor_e.languages.files import resources_folder


class Family(NamedTuple):
    """A kind of plugin that can be begun.

    The folder ``plugin-templates`` of the resources has its module, ``FAMILY.py.txt``, and what its README says of it,
    ``FAMILY.md.txt``.

    Attributes:
        what: what it is called in prose; the folder has its test, ``test-WHAT.py.txt``.
        use: how to try it on the command line.
    """

    what: str
    use: str


_TRY_MATCHER = "meteor-e align --text --language other --matchers exact,$name $words"

FAMILIES = {
    "key": Family("matcher", _TRY_MATCHER),
    "similarity": Family("matcher", _TRY_MATCHER),
    "contextual": Family("matcher", _TRY_MATCHER),
    "phrase": Family("matcher", _TRY_MATCHER),
    "matcher": Family("matcher", _TRY_MATCHER),
    "metric": Family("metric", "meteor-e score hypotheses.txt -R references.txt -M $name"),
    "estimator": Family("estimator", "meteor-e train recipe.yaml -o model.safetensors"),
    "measure": Family("measure", "meteor-e evaluate index.yaml -M chrf -s $name"),
    "format": Family("output format", "meteor-e score hypotheses.txt -R references.txt -f $name"),
    "command": Family("command", "meteor-e $name 'one text' 'one more text'"),
    "lemmatizer": Family("lemmatizer", "meteor-e plugins --kind lemmatizer"),
    "feature": Family("feature", "meteor-e plugins --kind feature"),
    "language": Family("language", "meteor-e config show --language $code"),
}
"""What can be begun, by the value of ``--family``."""

_LIBRARIES = {"numpy": "numpy>=1.24", "measure": "meteor-e-evaluation"}
"""What a plugin asks for whose module has this word, or whose family it is."""

_EXAMPLES = {
    "key": ("colors", "colored"),
    "similarity": ("listen", "silent"),
    "contextual": ("she drank coffee at home", "she drank tea at home"),
    "phrase": ("of course", "naturally"),
    "matcher": ("a data base", "a database"),
}
"""Two texts that match."""

_FILES = {
    "pyproject.toml": "pyproject.toml.txt",
    "tox.ini": "tox.ini.txt",
    "README.md": "README.md.txt",
    "src/$package/plugin.py": "plugin.py.txt",
}
"""The files that every plugin has, with their templates."""


@click.command()
@click.argument("name")
@click.option(
    "--family",
    type=click.Choice(sorted(FAMILIES)),
    default="key",
    help="What the plugin brings.  [default: key, a matcher of words that share a key]",
)
@click.option("-o", "--output", metavar="DIR", help="The new folder.  [default: NAME]")
def new(name: str, family: str, output: str | None) -> None:
    """Write a plugin to begin with: a package with a hook, a README, and tests that pass.

    NAME is what chains call it: lower-case letters and digits, joined by hyphens. For a language it is the code.

    \b
    meteor-e plugins new soundex --family key
    meteor-e plugins new sc --family language
    """
    folder = write_plugin(name, family, Path(output or f"meteor-e-{name}"))
    click.echo(f"wrote {folder}; next: cd {folder} && tox")


def write_plugin(name: str, family: str, folder: Path) -> Path:
    """Write a distribution with a plugin.

    Args:
        name: what chains call it.
        family: a key of :data:`FAMILIES`.
        folder: the new folder; it must not exist.

    Raises:
        ConfigError: for a name that cannot be used, or a folder that exists.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ConfigError(f"a plugin cannot be called {name!r}; use lower-case letters and digits, joined by hyphens")
    if folder.exists():
        raise ConfigError(f"{folder} exists; name another folder with --output")
    kind = FAMILIES[family]
    code = _template(f"{family}.py.txt")
    steps = _template(f"{family}.md.txt") + (_template("steps-matcher.md.txt") if kind.what == "matcher" else "")
    words = name.split("-")
    module = "_".join(words) + ("_" if keyword.iskeyword("_".join(words)) else "")
    cls = module if family == "command" else "".join(word.capitalize() for word in words)
    example = _EXAMPLES.get(family, ("", ""))
    values = {
        "name": name,
        "code": name,
        "title": " ".join(word.capitalize() for word in words),
        "distribution": f"meteor-e-{name}",
        "package": f"meteor_e_{module}",
        "module": "language" if family == "language" else module,
        "entry": name,
        "cls": cls,
        "thing": "LANGUAGE" if family == "language" else cls,
        "what": kind.what,
        "hook": kind.what.replace(" ", "_") + "s",
        "version": __version__,
        "needs": "".join(f', "{library}"' for word, library in _LIBRARIES.items() if word in code or word == family),
        "meteor": _installed_from(),
        "example": json.dumps(example)[1:-1],
        "tokens": json.dumps(example),
        "words": " ".join(f"'{text}'" for text in example),
    }
    values["options"] = "SimilarityOptions" if family in ("similarity", "contextual") else "ComponentOptions"
    values["tool"] = "`align` comes with the plugin meteor-e-evaluation.\n" if kind.use is _TRY_MATCHER else ""
    values["use"] = Template(kind.use).substitute(values)
    values["steps"] = Template(steps).substitute(values)
    files = {
        **{file: _template(template) for file, template in _FILES.items()},
        "src/$package/__init__.py": '"""A plugin of meteor_e."""\n',
        "src/$package/$module.py": code,
        "tests/test_$module.py": _template(f"test-{kind.what.replace(' ', '-')}.py.txt"),
    }
    with workplace(folder.absolute()) as work:
        for file, content in files.items():
            target = work / "plugin" / Template(file).substitute(values)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(Template(content).substitute(values), encoding="utf-8")
        (work / "plugin").rename(folder)
    return folder


def _template(name: str) -> str:
    return (resources_folder() / "plugin-templates" / name).read_text(encoding="utf-8")


def _installed_from() -> str:
    """Return what pip installs this meteor_e from: the folder or archive that it came from, or its name."""
    try:
        origin = metadata.distribution("meteor_e").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        origin = None
    url = json.loads(origin)["url"] if origin else ""
    return f"meteor_e @ {url}" if url else f"meteor_e=={__version__}"
