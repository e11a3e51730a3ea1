"""The data index: a YAML file that says which outputs, references and judgments belong together.

A shared task's files do not say it themselves: systems are renamed, segments renumbered, codes differ. An index
writes the join down once, so that no reader guesses. :doc:`docs/evaluation.md` describes the keys.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from meteor_e.api import ConfigError, InputError
from meteor_e.base.checked import convert
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import read_yaml
from meteor_e.formats.test_sets import target_language

JudgementFormat = Literal[
    "ranking-csv",
    "rank",
    "da-segments",
    "da-systems",
    "score-segments",
    "score-systems",
    "mqm",
    "ratings",
]


_CODE = r"[a-z]{2,3}(?:[_-][A-Z][A-Za-z0-9]*|_[A-Za-z0-9]+)*"
PAIR = re.compile(f"({_CODE})-({_CODE})")
"""A language pair; either language may have a script, a country or both, as in ``en-cs_CZ`` or ``en-zh-Hant``."""


class SegmentMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that turns the judgements' segment numbers into lines of the test set.

    Attributes:
        file: tab-separated table with a header, in the folder of the data or in that of the index.
        key: its column with the judgements' numbers.
        line: its column with the lines, counted from 1.
        only: keep only rows in which these columns have these values; judgments of others are left out.
    """

    file: str
    key: str
    line: str
    only: dict[str, str] = {}


class JudgementSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of judgments and how its names and numbers are to be read.

    Attributes:
        file: its path; ``{pair}`` and the like stand for the language pair.
        format: its form.
        system: pattern of its system names: ``{system}`` the name of the output file, ``{number}`` digits.
        drop: names that are not systems, such as ``_ref``.
        rename: name as judged → name of the output.
        pairs: pair as judged → pair of this index.
        languages: names of languages → codes.
        first_segment: number of the first segment.
        segment_map: renumbering of segments.
        score: column of the score, for direct assessment.
        joined: separator of systems that gave the same output, such as ``+``.
        lower_is_better: whether the scores count errors; they are negated then.
        ratings: several ratings of one segment of one system are averaged (``mean``), or each is kept (``all``).
        columns: names of the columns of a file that has no header.
        only: keep only rows in which these columns have these values.
        weights: of MQM errors, by ``severity`` or ``severity/category``; see :data:`.ratings.MQM_WEIGHTS`.
        segments: what segment numbers count: lines of the whole test set, or of their document.
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
    lower_is_better: bool = False
    ratings: Literal["mean", "all"] = "mean"
    columns: list[str] = []
    only: dict[str, str] = {}
    weights: dict[str, float] = {}
    segments: Literal["test-set", "document"] = "test-set"


class OutputSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files of system outputs.

    Attributes:
        file: a path with ``{system}`` in it for one file per system, or one XML file with all of them.
        format: ``plain``, ``sgml`` or ``xml``; by default what the file looks like.
    """

    file: str
    format: Literal["plain", "sgml", "xml"] | None = None


class RecordSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file whose records hold a text, its own references and its rating: JSON Lines, CSV or TSV, by its name.

    Attributes:
        file: its path; CSV and TSV have a header.
        hypothesis, references, score: names of the fields or columns; a column holds one reference.
    """

    file: str
    hypothesis: str = "hypothesis"
    references: str = "references"
    score: str = "score"


class PairSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Entries of one language pair that replace those of the index.

    Attributes:
        references, source, outputs, language, documents, judgements: instead of the index's own.
        drop: names that are not systems of this pair.
        outliers: systems of this pair that system-level measures leave out.
        reference_names: what files of scores call the references.
    """

    references: list[str] | None = None
    source: str | None = None
    outputs: OutputSpec | None = None
    language: str | None = None
    drop: list[str] = []
    documents: str | None = None
    outliers: list[str] = []
    reference_names: list[str] = []
    judgements: list[JudgementSpec] | None = None


class DataIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole index.

    Attributes:
        name: of the test set.
        pairs: language pairs, ``source-target``, with what differs for each.
        outputs, references, source: file patterns; ``{pair}``, ``{source}``, ``{target}`` are filled in.
            ``sacrebleu:NAME`` is a test set that sacreBLEU knows.
        judgements: files of judgments.
        records: instead of the three: texts, references and ratings in one file, such as ratings of captions.
        description: for people.
        root: folder of the files, relative to the index; environment variables are filled in.
        language: language of the metrics, by default the target.
        measures: measures to report by default.
        published: figures to compare with: metric → measure → pair → value.
        documents: pattern of the files that say which document each segment belongs to.
        outliers: systems that are left out of system-level measures.
    """

    name: str
    pairs: dict[str, PairSpec]
    outputs: OutputSpec | None = None
    references: list[str] = []
    judgements: list[JudgementSpec] = []
    records: RecordSpec | None = None
    description: str = ""
    root: str = "."
    source: str | None = None
    language: str | None = None
    measures: list[str] = []
    published: dict[str, dict[str, dict[str, float]]] = {}
    documents: str | None = None
    outliers: list[str] = []
    file: Path = Path()

    def pairs_into(self, language: str) -> list[str]:
        """Return the language pairs whose outputs are in a language, by its ISO code."""
        return [
            pair
            for pair in self.pairs
            if (self.pair(pair).language or self.language or target_language(pair)) == language
        ]

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
        root: folder of the files, instead of the index's own.

    Raises:
        ConfigError: if it cannot be read or is malformed, with file, line and key.
        InputError: if the folder is missing.
    """
    file = Path(path)
    document = read_yaml(file)
    if isinstance(document.data, dict):
        _simplify(document.data)
    index: DataIndex = convert(document, DataIndex)
    if (index.outputs is None or not index.references) == (index.records is None):
        raise ConfigError(f"{file}: give either 'records', or 'outputs', 'references' and 'judgements'")
    for pair in index.pairs:
        if not PAIR.fullmatch(pair):
            raise ConfigError(
                f"{file}: {pair!r} under 'pairs' is not of the form source-target, such as cs-en, en-cs_CZ or "
                "en-zh-Hant"
            )
    base = Path(root) if root is not None else _folder(index.root, file)
    if not base.is_dir():
        raise InputError(
            f"{file}: the folder {base} with the data is missing; give it with --root, or correct 'root' in the index"
        )
    return msgspec.structs.replace(index, root=str(base), file=file)


def _simplify(content: dict[str, Any]) -> None:
    """Accept the short forms: a list of pairs, a path instead of outputs, one reference."""
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


def languages_of(pair: str) -> tuple[str, str]:
    """Return the source and the target language of a pair."""
    found = PAIR.fullmatch(pair)
    source, _, target = pair.partition("-")
    return (found[1], found[2]) if found else (source, target)


def expand(pattern: str, pair: str) -> str:
    """Fill ``{pair}``, ``{source}`` and ``{target}`` into a file pattern."""
    source, target = languages_of(pair)
    return pattern.replace("{pair}", pair).replace("{source}", source).replace("{target}", target)


def id_pattern(pattern: str, pair: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern of system names."""
    parts = re.split(r"(\{system\}|\{number\}|\*)", expand(pattern, pair))
    known = {"{system}": "(?P<system>.+)", "{number}": r"\d+", "*": ".*"}
    return re.compile("".join(known.get(part, re.escape(part)) for part in parts))


NAMED = "sacrebleu:"
"""Prefix of the name of a test set where a file name is expected."""
