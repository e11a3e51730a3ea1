"""The data index: a YAML file that says which outputs, references and judgments belong together.

The files of a shared task do not say so themselves: systems are renamed, segments renumbered, and language codes
differ. An index states these relations once, so that no reader has to guess. ``docs/evaluation.md``
describes the keys.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from meteor_e.api import ConfigError, InputError
from meteor_e.base.checked import convert
from meteor_e.base.errors import near_miss
from meteor_e.base.yamlfile import Document, Key, read_yaml
from meteor_e.formats.test_sets import target_language

JudgmentFormat = Literal[
    "ranking-csv",
    "rank",
    "da-segments",
    "da-systems",
    "score-segments",
    "score-systems",
    "mqm",
    "ratings",
]

_LANGUAGE_CODE = r"[a-z]{2,3}(?:[_-][A-Z][A-Za-z0-9]*|_[A-Za-z0-9]+)*"

PAIR = re.compile(f"({_LANGUAGE_CODE})-({_LANGUAGE_CODE})")
"""A language pair; each language may have a script, a country or both, as in ``en-cs_CZ`` or ``en-zh-Hant``."""

NAMED_SET_PREFIX = "sacrebleu:"
"""Prefix of the name of one of sacreBLEU's test sets in place of a file name."""

RENAMED_KEYS = {"judgements": "judgments", "joined": "system_separator"}
"""Former names of keys, and their names now."""


class SegmentMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that maps the segment numbers of judgments to lines of the test set.

    Attributes:
        file: tab-separated table with a header, in the folder of the data or in that of the index.
        key: column with the judgments' segment numbers.
        line: column with line numbers, counted from 1.
        only: keep only rows with these values in these columns; judgments of other segments are left out.
    """

    file: str
    key: str
    line: str
    only: dict[str, str] = {}


class JudgmentSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of judgments, and how its names and numbers are to be read.

    Attributes:
        file: its path; ``{pair}``, ``{source}`` and ``{target}`` stand for the language pair and its languages.
        format: its format.
        system: pattern of its system names: ``{system}`` is the name of the output, ``{number}`` stands for digits.
        drop: names that are not systems, such as ``_ref``.
        rename: name in the file → name of the output.
        pairs: language pair in the file → language pair of this index.
        languages: names of languages → codes.
        first_segment: number of the first segment.
        segment_map: renumbering of segments.
        score: column of the score, for direct assessment.
        system_separator: separator between the names of systems with the same output, such as ``+``.
        lower_is_better: whether the scores count errors; they are then negated.
        ratings: whether several ratings of an output are averaged (``mean``) or each is kept (``all``).
        columns: names of the columns of a file without a header.
        only: keep only rows with these values in these columns.
        weights: of MQM errors, by ``severity`` or ``severity/category``; see :data:`.ratings.MQM_WEIGHTS`.
        segments: what segment numbers count: the segments of the test set, or those of a document.
    """

    file: str
    format: JudgmentFormat
    system: str = "{system}"
    drop: list[str] = []
    rename: dict[str, str] = {}
    pairs: dict[str, str] = {}
    languages: dict[str, str] = {}
    first_segment: int = 1
    segment_map: SegmentMap | None = None
    score: str | None = None
    system_separator: str | None = None
    lower_is_better: bool = False
    ratings: Literal["mean", "all"] = "mean"
    columns: list[str] = []
    only: dict[str, str] = {}
    weights: dict[str, float] = {}
    segments: Literal["test-set", "document"] = "test-set"


class OutputSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files of system outputs.

    Attributes:
        file: a path with ``{system}`` in it for one file per system, or one file with the outputs of all systems: XML,
            or a table with a column for the system.
        format: ``plain``, ``sgml`` or ``xml``; detected by default.
        system: of a table (CSV, TSV or JSON Lines): its column or field with the name of the system.
        hypothesis: of a table: its column or field with the output.
        segment: of a table: its column or field with the segment, if the rows of a system are not in order.
    """

    file: str
    format: Literal["plain", "sgml", "xml"] | None = None
    system: str | None = None
    hypothesis: str = "hypothesis"
    segment: str | None = None


class RecordSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file whose records hold an output, its references and its rating: JSON Lines, CSV or TSV, by its name.

    Attributes:
        file: its path; CSV and TSV have a header.
        hypothesis, references, score: names of the fields or columns; a column holds one reference.
        system: name of the field or column with the name of the system; without it, all records are of one system.
        segment: name of the field or column with the segment, if the records of a system are not in order.
    """

    file: str
    hypothesis: str = "hypothesis"
    references: str = "references"
    score: str = "score"
    system: str | None = None
    segment: str | None = None


class PairSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Entries of one language pair, which replace those of the index.

    Attributes:
        references, source, outputs, language, documents, judgments: replace the entries of the index.
        drop: names that are not systems of this language pair.
        outliers: systems of this language pair that system-level measures leave out.
        reference_names: names of the references in files of scores.
    """

    references: list[str] | None = None
    source: str | None = None
    outputs: OutputSpec | None = None
    language: str | None = None
    drop: list[str] = []
    documents: str | None = None
    outliers: list[str] = []
    reference_names: list[str] = []
    judgments: list[JudgmentSpec] | None = None


class DataIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of an index.

    Attributes:
        name: name of the test set.
        pairs: language pairs, ``source-target``, with the entries that differ for each.
        outputs, references, source: patterns of file names with ``{pair}``, ``{source}`` and ``{target}``;
            ``sacrebleu:NAME`` is a test set of sacreBLEU.
        judgments: files of judgments.
        records: outputs, references and ratings in one file, instead of outputs, references and judgments.
        description: a text for readers.
        root: folder of the files, relative to the index; environment variables are replaced by their values.
        language: language of the outputs; the target language by default.
        measures: measures to report by default.
        published: published values to compare with: metric → measure → language pair → value.
        measured: values that the original programs gave, in the same form.
        documents: pattern of the files that name the document of each segment.
        outliers: systems that system-level measures leave out.
        file: path of the index itself.
    """

    name: str
    pairs: dict[str, PairSpec]
    outputs: OutputSpec | None = None
    references: list[str] = []
    judgments: list[JudgmentSpec] = []
    records: RecordSpec | None = None
    description: str = ""
    root: str = "."
    source: str | None = None
    language: str | None = None
    measures: list[str] = []
    published: dict[str, dict[str, dict[str, float]]] = {}
    measured: dict[str, dict[str, dict[str, float]]] = {}
    documents: str | None = None
    outliers: list[str] = []
    file: Path = Path()

    def pairs_into(self, language: str) -> list[str]:
        """Return the language pairs whose outputs are in a language, given by its ISO code."""
        return [pair for pair in self.pairs if self.output_language(pair) == language]

    def output_language(self, pair: str) -> str:
        """Return the ISO code of the language of a language pair's outputs."""
        return self.pair(pair).language or self.language or target_language(pair)

    def pair(self, name: str) -> PairSpec:
        """Return the entries of a language pair.

        Raises:
            ConfigError: for a language pair that the index does not have.
        """
        if name not in self.pairs:
            raise ConfigError(
                f"{self.file}: no language pair {name!r}{near_miss(name, self.pairs)}; it has {', '.join(self.pairs)}"
            )
        return self.pairs[name]


def load_index(path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None) -> DataIndex:
    """Load a data index.

    Args:
        path: the YAML file.
        root: folder of the data, instead of the index's ``root``.

    Raises:
        ConfigError: if the file cannot be read or is malformed, with file, line and key.
        InputError: if the folder of the data is missing.
    """
    file = Path(path)
    document = read_yaml(file)
    _reject_renamed_keys(document)
    if isinstance(document.data, dict):
        _expand_short_forms(document.data)
    index: DataIndex = convert(document, DataIndex)
    _check_index(index, file)
    folder = Path(root) if root is not None else _resolve_root(index.root, file)
    if not folder.is_dir():
        raise InputError(
            f"{file}: the folder {folder} with the data is missing; give it with --root, or correct 'root' in the index"
        )
    return msgspec.structs.replace(index, root=str(folder), file=file)


def _reject_renamed_keys(document: Document) -> None:
    for key in _walk_keys(document.data):
        new_name = RENAMED_KEYS.get(str(key[-1]))
        if new_name is not None:
            raise document.error(key, f"this key is now called {new_name!r}; rename it")


def _walk_keys(data: Any, prefix: Key = ()) -> Iterator[Key]:
    """Yield the path of every key of a document that the index defines; keys of ``rename`` and the like are names."""
    if isinstance(data, list):
        for position, item in enumerate(data):
            yield from _walk_keys(item, (*prefix, position))
    elif isinstance(data, dict):
        for name, value in data.items():
            yield (*prefix, name)
            if name in ("pairs", "judgments", "judgements") or (prefix and prefix[-1] == "pairs"):
                yield from _walk_keys(value, (*prefix, name))


def _expand_short_forms(content: dict[str, Any]) -> None:
    """Replace the short forms of an index: a list of pairs, a path instead of outputs, a single reference."""
    content.pop("file", None)
    if isinstance(content.get("pairs"), list):
        content["pairs"] = {str(pair): {} for pair in content["pairs"]}
    pairs = content.get("pairs")
    if isinstance(pairs, dict):
        content["pairs"] = pairs = {pair: {} if entries is None else entries for pair, entries in pairs.items()}
    for entries in [content, *(pairs.values() if isinstance(pairs, dict) else [])]:
        if not isinstance(entries, dict):
            continue
        if isinstance(entries.get("outputs"), str):
            entries["outputs"] = {"file": entries["outputs"]}
        if isinstance(entries.get("references"), str):
            entries["references"] = [entries["references"]]


def _check_index(index: DataIndex, file: Path) -> None:
    has_outputs_and_references = index.outputs is not None and bool(index.references)
    if has_outputs_and_references == (index.records is not None):
        raise ConfigError(f"{file}: give either 'records', or 'outputs', 'references' and 'judgments'")
    for pair in index.pairs:
        if not PAIR.fullmatch(pair):
            raise ConfigError(
                f"{file}: {pair!r} under 'pairs' is not of the form source-target, such as cs-en, en-cs_CZ or "
                "en-zh-Hant"
            )


def _resolve_root(root: str, index: Path) -> Path:
    """Return the folder of the data, with the values of environment variables, ``${NAME}`` or ``${NAME:-default}``."""

    def get_variable(match: re.Match[str]) -> str:
        name, default = match[1], match[2]
        value = os.environ.get(name, "") or default
        if value is None:
            raise ConfigError(f"{index}: 'root' needs the environment variable {name}; set it, or give --root")
        return value

    expanded = re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", get_variable, root)
    return index.parent / Path(expanded).expanduser()


def split_pair(pair: str) -> tuple[str, str]:
    """Return the source and the target language of a language pair."""
    match = PAIR.fullmatch(pair)
    source, _, target = pair.partition("-")
    return (match[1], match[2]) if match else (source, target)


def fill_pattern(pattern: str, pair: str) -> str:
    """Replace ``{pair}``, ``{source}`` and ``{target}`` in a file pattern."""
    source, target = split_pair(pair)
    return pattern.replace("{pair}", pair).replace("{source}", source).replace("{target}", target)


def system_name_regex(pattern: str, pair: str) -> re.Pattern[str]:
    """Return the regular expression of a pattern of system names, in which the group ``system`` is the name."""
    placeholders = {"{system}": "(?P<system>.+)", "{number}": r"\d+", "*": ".*"}
    parts = re.split(r"(\{system\}|\{number\}|\*)", fill_pattern(pattern, pair))
    return re.compile("".join(placeholders.get(part, re.escape(part)) for part in parts))
