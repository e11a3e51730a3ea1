"""Test sets by name: what sacreBLEU knows as ``-t wmt17 -l de-en``."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from meteor_e.base.errors import InputError, near_miss
from meteor_e.base.extras import require
from meteor_e.formats.plain import read_segments

_OTHER_FIELDS = {"src", "docid", "doc_id", "origlang", "domain"}


def target_language(pair: str) -> str:
    """Return the language of a pair's outputs, without script and country: ``zh`` of ``en-zh-Hant`` or ``en-zh_TW``."""
    return re.split("[_-]", re.split("-(?=[a-z])", pair)[-1])[0]


@dataclass(frozen=True)
class NamedSet:
    """One language pair of a test set that sacreBLEU knows.

    Attributes:
        name: as sacreBLEU calls it, such as ``wmt17``.
        pair: the language pair.
        source: segments of the source.
        references: one list of segments per reference.
        systems: outputs of systems, by name; empty where the test set has none.
        reference_files: files of the references, one segment per line.
        system_files: files of the outputs, by name.
    """

    name: str
    pair: str
    source: list[str]
    references: list[list[str]]
    systems: dict[str, list[str]]
    reference_files: list[str]
    system_files: dict[str, str]


@lru_cache(maxsize=8)
def named_set(name: str, pair: str) -> NamedSet:
    """Return a test set by its name; sacreBLEU fetches it once, and keeps it in the folder ``SACREBLEU`` names.

    Args:
        name: of the test set, such as ``wmt17`` or ``wmt21/systems``.
        pair: the language pair, such as ``de-en``.

    Raises:
        InputError: if sacreBLEU does not know the name or the pair, or if the test set cannot be fetched; the
            message says what to fetch.
        ConfigError: if sacreBLEU is not installed.
    """
    known: dict[str, Any] = require("sacrebleu.dataset", f"test set {name!r}", "metrics").DATASETS
    if name not in known:
        raise InputError(f"sacreBLEU knows no test set {name!r}{near_miss(name, known)}; sacrebleu --list names them")
    dataset = known[name]
    if pair not in dataset.langpairs:
        raise InputError(
            f"test set {name} has no language pair {pair!r}{near_miss(pair, dataset.langpairs)}; "
            f"it has {', '.join(sorted(dataset.langpairs))}"
        )
    try:
        # sacreBLEU fetches them if need be.
        files = dict(zip(dataset.fieldnames(pair), dataset.get_files(pair), strict=True))
        reference_files = set(dataset.get_reference_files(pair))
    except (OSError, SystemExit, EOFError) as error:
        folder = os.environ.get("SACREBLEU") or "~/.sacrebleu"
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or "it could not be fetched"
        raise InputError(
            f"test set {dataset.name} is not at hand ({reason}). Where there is a network, fetch it by: "
            f"sacrebleu -t {dataset.name} -l {pair} --echo src; it comes from {', '.join(dataset.data)} and is kept in "
            f"{folder}/{dataset.name}, which can be copied here"
        ) from error
    texts = {field: list(read_segments(file)) for field, file in files.items()}
    source = texts.get("src", [])
    for field, segments in texts.items():
        if len(segments) != len(source):
            raise InputError(f"test set {name} {pair}: {field} has {len(segments)} segments, the source {len(source)}")
    references = [field for field, file in files.items() if file in reference_files]
    systems = [field for field in files if field not in _OTHER_FIELDS and field.partition(":")[0] != "ref"]
    return NamedSet(
        name,
        pair,
        source,
        [texts[field] for field in references],
        {system: texts[system] for system in systems},
        [files[field] for field in references],
        {system: files[system] for system in systems},
    )
