"""Test sets by name: what sacreBLEU knows as ``-t wmt17 -l de-en``."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from meteor_e.base.errors import InputError, near_miss
from meteor_e.base.extras import require

_OTHER_FIELDS = {"src", "docid", "doc_id", "origlang", "domain"}


def target_language(pair: str) -> str:
    """Return the language of a pair's outputs, without script and country: ``zh`` of ``en-zh-Hant`` or ``en-zh_TW``."""
    return re.split("[_-]", re.split("-(?=[a-z])", pair)[-1])[0]


class NamedSet(NamedTuple):
    """One language pair of a test set that sacreBLEU knows: files, one segment per line.

    Attributes:
        source: the source.
        references: the references.
        systems: outputs of systems, by name; empty where the test set has none.
    """

    source: str
    references: list[str]
    systems: dict[str, str]


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
    references = [file for file in files.values() if file in reference_files]
    names = [field for field in files if field not in _OTHER_FIELDS and field.partition(":")[0] != "ref"]
    return NamedSet(files["src"], references, {name: files[name] for name in names})
