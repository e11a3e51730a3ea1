"""Loads a data index, a YAML file that names the outputs, references and judgments of a test set.

The files of a shared task often disagree on system names, segment numbers, and language codes. A data index maps these
names, numbers and codes to one another.

The page ``docs/evaluation.md`` describes the keys of a data index.
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
"""Regular expression of a language pair, such as ``cs-en``.

A language may be followed by a script, a country or both, as in ``en-cs_CZ`` or ``en-zh-Hant``.
"""

NAMED_SET_PREFIX = "sacrebleu:"
"""Prefix of an entry that names a test set of sacreBLEU instead of a file."""

RENAMED_KEYS = {"judgements": "judgments", "joined": "system_separator"}
"""Current names of renamed keys by their former names."""


class SegmentMap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table that maps the segment numbers of judgments to lines of the test set.

    Attributes:
        file: tab-separated table with a header, in the folder of the data or the folder of the index.
        key: column with the segment numbers of the judgments.
        line: column with line numbers of the test set, which start from 1.
        only: values by column that a row must have. Judgments of segments in other rows are left out.
    """

    file: str
    key: str
    line: str
    only: dict[str, str] = {}


class JudgmentSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Description of a file of human judgments in a data index.

    Attributes:
        file: path of the file, in which ``{pair}``, ``{source}`` and ``{target}`` stand for the language pair and its
            languages.
        format: format of the file.
        system: pattern of system names, in which ``{system}`` is the name of the output and ``{number}`` stands for
            digits.
        drop: names that are not systems, such as ``_ref``.
        rename: names of outputs by the names in the file.
        pairs: language pairs of this index by the language pairs in the file.
        languages: codes of languages by the names in the file.
        first_segment: number of the first segment.
        segment_map: table that renumbers segments.
        score: column of the score, for direct assessments.
        system_separator: separator between the names of systems with the same output, such as ``+``.
        lower_is_better: whether lower scores are better, as for counts of errors. Such scores are negated.
        ratings: ``mean`` to average several ratings of an output, or ``all`` to use each of them.
        columns: names of the columns of a file without a header.
        only: values by column that a row must have. Other rows are ignored.
        weights: weights of MQM errors by ``severity`` or ``severity/category``, see :data:`.ratings.MQM_WEIGHTS`.
        segments: whether segments are numbered within the test set or within each document.
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
    """The files of system outputs.

    Attributes:
        file: path of a file with the outputs of all systems, or a path with ``{system}`` for one file per system.
        format: ``plain``, ``sgml`` or ``xml``. By default, the format is detected.
        system: column with the name of the system, for a table in CSV, TSV or JSON Lines.
        hypothesis: column of a table with the output.
        segment: column of a table with the segment, if the rows of a system are not in order.
    """

    file: str
    format: Literal["plain", "sgml", "xml"] | None = None
    system: str | None = None
    hypothesis: str = "hypothesis"
    segment: str | None = None


class RecordSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON Lines, CSV or TSV file whose records contain an output, its references and its rating.

    Attributes:
        file: path of the file. CSV and TSV files need a header.
        hypothesis: column with the output.
        references: column with the references.
        score: column with the rating.
        system: column with the name of the system, or None if all records belong to one system.
        segment: column with the segment, or None if the records of each system are in order.
    """

    file: str
    hypothesis: str = "hypothesis"
    references: str = "references"
    score: str = "score"
    system: str | None = None
    segment: str | None = None


class PairSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of a data index for one language pair, which override the general settings.

    Attributes:
        references, source, outputs, language, documents, judgments: entries that override those of the index.
        drop: names that are not systems of this language pair.
        outliers: systems of this language pair that system-level measures leave out.
        reference_names: names of the references in score files.
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
    """The contents of a data index.

    Attributes:
        name: name of the test set.
        pairs: language pairs, such as ``cs-en``, with the entries that are specific to each pair.
        outputs, references, source: paths of the texts, in which ``{pair}``, ``{source}`` and ``{target}`` stand for
            the language pair and its languages. ``sacrebleu:NAME`` is a test set of sacreBLEU.
        judgments: files of judgments.
        records: file with outputs, references and ratings, instead of separate files.
        description: description of the test set for readers.
        root: folder of the files, relative to the index. References to environment variables are expanded.
        language: language of the outputs. By default, this is the target language of the pair.
        measures: measures to report by default.
        published: published values to compare with, by metric, measure and language pair.
        measured: values that the original programs computed, by metric, measure and language pair.
        documents: path of the files that name the document of each segment.
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
        """Return the language pairs with a given target language."""
        return [pair for pair in self.pairs if self.output_language(pair) == language]

    def output_language(self, pair: str) -> str:
        """Return the ISO code of the language in which the outputs of a language pair are written."""
        return self.pair(pair).language or self.language or target_language(pair)

    def pair(self, name: str) -> PairSpec:
        """Return the entries of a language pair.

        Raises:
            ConfigError: if the index does not contain the language pair.
        """
        if name not in self.pairs:
            raise self.make_missing_pair_error(name)
        return self.pairs[name]

    def make_missing_pair_error(self, name: str) -> ConfigError:
        """Return the error for a language pair that the index does not contain."""
        hint = near_miss(name, self.pairs)
        return ConfigError(f"{self.file}: no language pair {name!r}{hint}; it has {', '.join(self.pairs)}")


def load_index(path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None) -> DataIndex:
    """Load a data index.

    Args:
        path: the YAML file.
        root: folder of the data, which overrides ``root`` in the index.

    Returns:
        The index, in which ``root`` is the folder of the data and ``file`` is the path of the YAML file.

    Raises:
        ConfigError: if the file cannot be read or is malformed. The message names the file, the line and the key.
        InputError: if the folder of the data does not exist.
    """
    file = Path(path)
    index = _read_index(file)
    folder = Path(root) if root is not None else _resolve_root(index.root, file)
    if not folder.is_dir():
        raise InputError(
            f"{file}: the folder {folder} with the data is missing; give it with --root, or correct 'root' in the index"
        )
    return msgspec.structs.replace(index, root=str(folder), file=file)


def _read_index(file: Path) -> DataIndex:
    """Read an index file, expand its abbreviated settings, and check its contents."""
    document = read_yaml(file)
    _reject_renamed_keys(document)
    if isinstance(document.data, dict):
        _expand_short_forms(document.data)
    index: DataIndex = convert(document, DataIndex)
    _check_index(index, file)
    return index


def _reject_renamed_keys(document: Document) -> None:
    """Raise an error if the index contains a key that has been renamed. The message gives the new name."""
    for key in _walk_keys(document.data):
        new_name = RENAMED_KEYS.get(str(key[-1]))
        if new_name is not None:
            raise document.error(key, f"this key is now called {new_name!r}; rename it")


def _walk_keys(data: Any, prefix: Key = ()) -> Iterator[Key]:
    """Yield the path of every key whose name is fixed by the index file format.

    Keys that users choose freely, such as system names under ``rename``, are not included.
    """
    if isinstance(data, list):
        for position, item in enumerate(data):
            yield from _walk_keys(item, (*prefix, position))
    elif isinstance(data, dict):
        for name, value in data.items():
            yield (*prefix, name)
            if name in ("pairs", "judgments", "judgements") or (prefix and prefix[-1] == "pairs"):
                yield from _walk_keys(value, (*prefix, name))


def _expand_short_forms(content: dict[str, Any]) -> None:
    """Expand the abbreviated settings of an index file in place.

    For example, an index may contain a list of language pairs, or a single reference instead of a list.
    """
    content.pop("file", None)  # The attribute "file" is not part of the index file.
    _expand_files(content)
    pairs = content.get("pairs")
    if isinstance(pairs, list):
        pairs = {str(pair): None for pair in pairs}
    if isinstance(pairs, dict):
        content["pairs"] = {pair: _expand_pair(entries) for pair, entries in pairs.items()}


def _expand_pair(entries: Any) -> Any:
    """Return the entries of a language pair, with expanded abbreviations. A pair without entries is allowed."""
    if entries is None:
        return {}
    if isinstance(entries, dict):
        _expand_files(entries)
    return entries


def _expand_files(entries: dict[str, Any]) -> None:
    """Expand abbreviated paths of outputs and references in an index file."""
    if isinstance(entries.get("outputs"), str):
        entries["outputs"] = {"file": entries["outputs"]}
    if isinstance(entries.get("references"), str):
        entries["references"] = [entries["references"]]


def _check_index(index: DataIndex, file: Path) -> None:
    """Check that an index file names either one file of records, or separate files of outputs and references.

    The names of the language pairs must also be valid.
    """
    has_records = index.records is not None
    has_outputs_and_references = index.outputs is not None and len(index.references) > 0
    if has_records == has_outputs_and_references:
        raise ConfigError(f"{file}: give either 'records', or 'outputs', 'references' and 'judgments'")
    for pair in index.pairs:
        if not PAIR.fullmatch(pair):
            raise ConfigError(
                f"{file}: {pair!r} under 'pairs' is not of the form source-target, such as cs-en, en-cs_CZ or "
                "en-zh-Hant"
            )


def _resolve_root(root: str, index: Path) -> Path:
    """Return the folder of the data, and replace environment variables such as ``${NAME}`` in its path."""

    def get_variable(match: re.Match[str]) -> str:
        """Return the value of an environment variable, or the default value that follows ``:-``."""
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
    if match:
        return match[1], match[2]
    source, _, target = pair.partition("-")
    return source, target


def fill_pattern(pattern: str, pair: str) -> str:
    """Replace ``{pair}``, ``{source}`` and ``{target}`` in a path by a language pair and its two languages."""
    source, target = split_pair(pair)
    return pattern.replace("{pair}", pair).replace("{source}", source).replace("{target}", target)


def system_name_regex(pattern: str, pair: str) -> re.Pattern[str]:
    """Convert a pattern of system names to a regular expression.

    The placeholder ``{system}`` becomes the group ``system`` of the regular expression. In a match, this group contains
    the name of the system.
    """
    placeholders = {"{system}": "(?P<system>.+)", "{number}": r"\d+", "*": ".*"}
    regex = ""
    for part in re.split(r"(\{system\}|\{number\}|\*)", fill_pattern(pattern, pair)):
        regex += placeholders.get(part, re.escape(part))
    return re.compile(regex)
