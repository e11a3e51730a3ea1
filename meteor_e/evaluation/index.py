"""The data index: a YAML file that says which outputs, references and judgements belong together.

A shared task's files do not say it themselves: systems are renamed, segments renumbered, codes differ. An index
writes the join down once, so that no reader guesses. :doc:`docs/evaluation.md` describes the keys.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from meteor_e.base.errors import ConfigError, InputError, near_miss
from meteor_e.base.validation import find_problems
from meteor_e.base.yamlfile import raise_problems, read_yaml

__all__ = ["DataIndex", "JudgementSpec", "OutputSpec", "PairSpec", "SegmentMap", "expand", "id_pattern", "load_index"]

JudgementFormat = Literal["ranking-csv", "rank", "ranking-xml", "da-segments", "da-systems"]


class SegmentMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that turns the judgements' segment numbers into lines of the test set.

    Attributes:
        file: tab-separated table with a header, in the folder of the data or in that of the index.
        key: its column with the judgements' numbers.
        line: its column with the lines, counted from 1.
        only: keep only rows in which these columns have these values; judgements of others are left out.
    """

    file: str
    key: str
    line: str
    only: dict[str, str] = {}


class JudgementSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of judgements and how its names and numbers are to be read.

    Attributes:
        file: its path; ``{pair}`` and the like stand for the language pair.
        format: its form.
        system: pattern of its system names: ``{system}`` the name of the output file, ``{number}`` digits.
        drop: names that are no systems, such as ``_ref``.
        rename: name as judged → name of the output.
        pairs: pair as judged → pair of this index.
        languages: names of languages → codes.
        first_segment: number of the first segment.
        segment_map: renumbering of segments.
        score: column of the score, for direct assessment.
        joined: separator of systems that gave the same output, such as ``+``.
    """

    file: str
    format: JudgementFormat
    system: str = "{system}"
    drop: list[str] = []
    rename: dict[str, str] = {}
    pairs: dict[str, str] = {}
    languages: dict[str, str] = {}
    first_segment: int = 1
    segment_map: SegmentMap | None = None
    score: str | None = None
    joined: str | None = None


class OutputSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where system outputs are.

    Attributes:
        file: a path with ``{system}`` in it for one file a system, or one XML file with all of them.
        format: ``plain``, ``sgml`` or ``xml``; by default what the file looks like.
    """

    file: str
    format: Literal["plain", "sgml", "xml"] | None = None


class PairSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What differs for one language pair from the rest of the index."""

    references: list[str] | None = None
    source: str | None = None
    outputs: OutputSpec | None = None
    language: str | None = None
    drop: list[str] = []


class DataIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole index.

    Attributes:
        name: of the test set.
        pairs: language pairs, ``source-target``, with what differs for each.
        outputs, references, source: file patterns; ``{pair}``, ``{source}``, ``{target}`` are filled in.
        judgements: files of judgements.
        description: for people.
        root: folder of the files, relative to the index; environment variables are filled in.
        language: language of the metrics, by default the target.
        measures: measures to report by default.
        published: figures to compare with: metric → measure → pair → value.
    """

    name: str
    pairs: dict[str, PairSpec]
    outputs: OutputSpec
    references: list[str]
    judgements: list[JudgementSpec] = []
    description: str = ""
    root: str = "."
    source: str | None = None
    language: str | None = None
    measures: list[str] = []
    published: dict[str, dict[str, dict[str, float]]] = {}
    file: Path = Path()

    def pair(self, name: str) -> PairSpec:
        """Return what is special about a pair.

        Raises:
            ConfigError: for a pair that the index does not have.
        """
        if name not in self.pairs:
            known = ", ".join(self.pairs)
            raise ConfigError(f"{self.file}: no language pair {name!r}{near_miss(name, self.pairs)}; it has {known}")
        return self.pairs[name]


def load_index(path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None) -> DataIndex:
    """Load a data index.

    Args:
        path: the YAML file.
        root: folder of the files, in the place of the index's own.

    Raises:
        ConfigError: if it cannot be read or is malformed, with file, line and key.
        InputError: if the folder is missing.
    """
    file = Path(path)
    document = read_yaml(file)
    if isinstance(document.data, dict):
        _simplify(document.data)
    raise_problems(find_problems(document, DataIndex))
    index = msgspec.convert(document.data, DataIndex)
    for pair in index.pairs:
        if not re.fullmatch(r"[a-z]{2,3}-[a-z]{2,3}", pair):
            raise ConfigError(f"{file}: {pair!r} under 'pairs' is not of the form source-target, such as cs-en")
    base = Path(root) if root is not None else _folder(index.root, file)
    if not base.is_dir():
        raise InputError(
            f"{file}: the folder {base} with the data is missing; give it with --root, or correct 'root' in the index"
        )
    return msgspec.structs.replace(index, root=str(base), file=file)


def _simplify(content: dict[str, Any]) -> None:
    """Accept the short forms: a list of pairs, a path in the place of outputs, one reference."""
    content.pop("file", None)
    if isinstance(content.get("pairs"), list):
        content["pairs"] = {str(pair): {} for pair in content["pairs"]}
    specs = content.get("pairs")
    if isinstance(specs, dict):
        content["pairs"] = specs = {pair: {} if special is None else special for pair, special in specs.items()}
    for part in [content, *(specs.values() if isinstance(specs, dict) else [])]:
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("outputs"), str):
            part["outputs"] = {"file": part["outputs"]}
        if isinstance(part.get("references"), str):
            part["references"] = [part["references"]]


def _folder(root: str, index: Path) -> Path:
    def variable(found: re.Match[str]) -> str:
        name, default = found[1], found[2]
        value = os.environ.get(name, "") or default
        if value is None:
            raise ConfigError(f"{index}: 'root' needs the environment variable {name}; set it, or give --root")
        return value

    filled = re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", variable, root)
    return index.parent / Path(filled).expanduser()


def expand(pattern: str, pair: str) -> str:
    """Fill ``{pair}``, ``{source}`` and ``{target}`` into a file pattern."""
    source, _, target = pair.partition("-")
    return pattern.replace("{pair}", pair).replace("{source}", source).replace("{target}", target)


def id_pattern(pattern: str, pair: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern of system names."""
    parts = re.split(r"(\{system\}|\{number\}|\*)", expand(pattern, pair))
    known = {"{system}": "(?P<system>.+)", "{number}": r"\d+", "*": ".*"}
    return re.compile("".join(known.get(part, re.escape(part)) for part in parts))
