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

__all__ = ["FAMILIES", "new", "write_plugin"]


class Family(NamedTuple):
    """A kind of plugin that can be begun.

    Attributes:
        what: what it is called in prose.
        hook: the hook that returns it.
        module: the module's code.
        test: the test's code.
        use: how to try it on the command line, in a clone of meteor_e.
    """

    what: str
    hook: str
    module: str
    test: str
    use: str


_KEY = '''"""Words that share a key match."""

from __future__ import annotations

from meteor_e.api import KeyMatcher, Token


class $cls(KeyMatcher):
    """Different words match if they begin with the same four letters."""

    name = "$name"
    default_weight = 0.5

    def keys(self, token: Token) -> set[str]:
        """Return what the word has in common with the words that it may match; nothing for short words."""
        return {token.form[:4]} if len(token.form) > 4 else set()
'''

_SIMILARITY = '''"""Words with similar vectors match."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import SimilarityMatcher, Token

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class $cls(SimilarityMatcher):
    """Words match if they are made of the same letters, whatever their order."""

    name = "$name"
    default_weight = 0.5

    def vectors(self, tokens: Sequence[Token]) -> NDArray[np.float32]:
        """Return a row of length 1 for each token; a row of zeros matches nothing."""
        counts = np.array([[token.form.count(letter) for letter in LETTERS] for token in tokens], dtype=np.float32)
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        return counts / np.maximum(lengths, 1)
'''

_PHRASE = '''"""Phrases that a table pairs match."""

from __future__ import annotations

from collections.abc import Sequence

from meteor_e.api import PhraseMatcher

PAIRS = [("of course", "naturally"), ("as well as", "and")]
"""Phrases that mean the same; words are separated by spaces, in lower case."""


class Table:
    """The phrases, by number. A phrase's number is its place in ``PAIRS`` when both sides are laid in a row."""

    def __init__(self) -> None:
        self.phrases = [phrase.split() for pair in PAIRS for phrase in pair]
        self.words = {word: number for number, word in enumerate(sorted({w for p in self.phrases for w in p}))}
        self.numbers = [tuple(self.words[word] for word in phrase) for phrase in self.phrases]

    def word_id(self, word: str) -> int:
        """Return the number of a word, -1 if no phrase has it."""
        return self.words.get(word, -1)

    def phrases_at(self, ids: Sequence[int], start: int) -> list[tuple[int, int]]:
        """Return length and number of each phrase that begins at a position, the shortest first."""
        found = [
            (len(phrase), number)
            for number, phrase in enumerate(self.numbers)
            if tuple(ids[start : start + len(phrase)]) == phrase
        ]
        return sorted(found)

    def paraphrases(self, node: int) -> Sequence[int]:
        """Return the phrase at the other side of the pair."""
        return [node ^ 1]


class $cls(PhraseMatcher):
    """Phrases match if the table pairs them."""

    name = "$name"
    default_weight = 0.5

    def __init__(self) -> None:
        self._table = Table()

    @property
    def table(self) -> Table:
        """The table."""
        return self._table
'''

_FEATURE = '''"""A number that learned metrics can use."""

from __future__ import annotations

from meteor_e.api import Feature, FeatureBatch


class $cls(Feature):
    """Words of the hypothesis divided by words of its first reference."""

    name = "$name"

    @property
    def dimension(self) -> int:
        """One number per segment."""
        return 1

    def compute(self, batch: FeatureBatch) -> list[list[float]]:
        """Return one row per segment."""
        return [
            [len(hypothesis.split()) / max(1, len(references[0].split()))]
            for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True)
        ]
'''

_LANGUAGE = '''"""A language, as a mapping with the keys of a language file."""

from __future__ import annotations

LANGUAGE = {
    "code": "$code",
    "name": "$title",
    "matchers": ["exact"],
    "default_task": "rank",
    "tasks": {
        "rank": {"alpha": 0.85, "beta": 0.2, "gamma": 0.6, "delta": 0.75, "weights": {"exact": 1}},
    },
}
"""The parameters are those of English. Nobody has tuned them for this language."""
'''

_MATCHER_TEST = """from __future__ import annotations

from $package.$module import $cls

from meteor_e import Meteor
from meteor_e.testing import check_matcher


def test_conformance():
    check_matcher($cls, tokens=$tokens)


def test_it_can_be_named_in_a_chain():
    meteor = Meteor("other", matchers=["exact", "$name"])
    plain = Meteor("other", matchers=["exact"])
    hypothesis, reference = $example
    assert meteor.score(hypothesis, reference).score > plain.score(hypothesis, reference).score
    assert "$distribution@" in meteor.signature
"""

_FEATURE_TEST = """from __future__ import annotations

from $package.$module import $cls

from meteor_e.testing import check_feature


def test_conformance():
    check_feature($cls)


def test_values():
    assert $cls().extract(["a b"], [["a b c d"]]).tolist() == [[0.5]]
"""

_LANGUAGE_TEST = """from __future__ import annotations

from meteor_e import Meteor


def test_score():
    meteor = Meteor("$code")
    assert meteor.score("a b c", "a b c").score == 1
    assert "lang:$code" in meteor.signature
"""

_TRY_MATCHER = "meteor-e align --text --language other --matchers exact,$name $words"

FAMILIES = {
    "key": Family("matcher", "matchers", _KEY, _MATCHER_TEST, _TRY_MATCHER),
    "similarity": Family("matcher", "matchers", _SIMILARITY, _MATCHER_TEST, _TRY_MATCHER),
    "phrase": Family("matcher", "matchers", _PHRASE, _MATCHER_TEST, _TRY_MATCHER),
    "feature": Family("feature", "features", _FEATURE, _FEATURE_TEST, "meteor-e plugins --kind feature"),
    "language": Family("language", "languages", _LANGUAGE, _LANGUAGE_TEST, "meteor-e config show --language $code"),
}
"""What can be begun, by the value of ``--family``."""

_EXAMPLES = {
    "key": ("colours", "coloured"),
    "similarity": ("listen", "silent"),
    "phrase": ("of course", "naturally"),
}
"""Two texts that match."""

_FILES = {
    "pyproject.toml": """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$distribution"
version = "0.1.0"
description = "A plugin of meteor_e"
readme = "README.md"
requires-python = ">=3.10"
dependencies = ["meteor_e>=$version"$numpy]

[project.optional-dependencies]
test = ["pytest>=8"]

# This makes the package a plugin: meteor_e imports the module and calls its hooks.
[project.entry-points.meteor_e]
$entry = "$package.plugin"

[tool.setuptools.packages.find]
where = ["src"]
""",
    "tox.ini": """[tox]
env_list = tests

[testenv]
extras = test
# Installed before the plugin, which needs it.
deps = $meteor
commands = pytest {posargs:tests}
""",
    "README.md": """# $distribution

A plugin of meteor_e: the $what `$name`.

| file | what |
|---|---|
| `src/$package/$module.py` | the $what |
| `src/$package/plugin.py` | the hook that tells meteor_e about it |
| `pyproject.toml` | the entry point that makes meteor_e find the hook |
| `tests/` | the conformance checks of `meteor_e.testing`, and a test of your own |

Install it and try it:

```console
$$ pip install .
$$ meteor-e plugins $name
$$ $use
```

Run the tests: `tox`, or `pip install '.[test]' && pytest`.

## Next

1. Write what your $what does in `src/$package/$module.py`. The first line of its docstring is what listings show.
2. Change the test in `tests/`: an example that your $what is for.
3. Give the plugin a version and a licence in `pyproject.toml`. The signature of every score names the version.
""",
    "src/$package/__init__.py": '"""A plugin of meteor_e."""\n',
    "src/$package/plugin.py": '''"""What this distribution brings to meteor_e."""

from __future__ import annotations

from typing import Any

from meteor_e.api import hookimpl


@hookimpl
def meteor_e_$hook() -> list[Any]:
    """Return the $what."""
    from $package.$module import $thing

    return [$thing]
''',
}


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
    words = name.split("-")
    module = "_".join(words) + ("_" if keyword.iskeyword("_".join(words)) else "")
    cls = "".join(word.capitalize() for word in words)
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
        "hook": kind.hook,
        "version": __version__,
        "numpy": ', "numpy>=1.24"' if family == "similarity" else "",
        "meteor": _installed_from(),
        "example": json.dumps(example)[1:-1],
        "tokens": json.dumps(example),
        "words": " ".join(f"'{text}'" for text in example),
    }
    values["use"] = Template(kind.use).substitute(values)
    files = {
        **_FILES,
        "src/$package/$module.py": kind.module,
        "tests/test_$module.py": kind.test,
    }
    with workplace(folder.absolute()) as work:
        for file, content in files.items():
            target = work / "plugin" / Template(file).substitute(values)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(Template(content).substitute(values), encoding="utf-8")
        (work / "plugin").rename(folder)
    return folder


def _installed_from() -> str:
    """Return what pip installs this meteor_e from: the folder or archive that it came from, or its name."""
    try:
        origin = metadata.distribution("meteor_e").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        origin = None
    url = json.loads(origin)["url"] if origin else ""
    return f"meteor_e @ {url}" if url else f"meteor_e=={__version__}"
