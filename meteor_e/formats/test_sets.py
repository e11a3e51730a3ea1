"""This module finds the files of sacreBLEU's test sets by name and language pair."""

from __future__ import annotations

import os
import re
from typing import Any, NamedTuple

from meteor_e.base.errors import InputError, near_miss
from meteor_e.base.extras import require

_NON_SYSTEM_FIELDS = {"src", "ref", "docid", "doc_id", "origlang", "domain"}
"""Fields of a test set that are not outputs of systems. The names of references are ``ref`` or ``ref:A``."""


def target_language(pair: str) -> str:
    """Return the target language of a language pair, without script and country, such as ``zh`` for ``en-zh-Hant``."""
    # The hyphen between the two languages is the only hyphen before a lowercase letter.
    target = re.split("-(?=[a-z])", pair)[-1]
    return re.split("[_-]", target)[0]


class NamedSet(NamedTuple):
    """Store the files of a sacreBLEU test set for one language pair. Each file contains one segment per line.

    Attributes:
        source: the path of the source file.
        references: the paths of the reference files.
        systems: the paths of the system outputs by system name, or an empty dictionary if there are none.
    """

    source: str
    references: list[str]
    systems: dict[str, str]


def named_set(name: str, pair: str) -> NamedSet:
    """Return the files of a sacreBLEU test set.

    On first use, sacreBLEU downloads the test set to ``~/.sacrebleu``. The environment variable ``SACREBLEU`` can name
    another folder.

    Args:
        name: the name of the test set, such as ``wmt17`` or ``wmt21/systems``.
        pair: the language pair, such as ``de-en``.

    Raises:
        InputError: if the name or the language pair is unknown, or if the test set cannot be downloaded.
        ConfigError: if sacreBLEU is not installed.
    """
    dataset = _find_dataset(name, pair)
    files = _download_files(dataset, pair)
    reference_files = set(dataset.get_reference_files(pair))
    references = [path for path in files.values() if path in reference_files]
    systems = {field: path for field, path in files.items() if field.partition(":")[0] not in _NON_SYSTEM_FIELDS}
    return NamedSet(files["src"], references, systems)


def _find_dataset(name: str, pair: str) -> Any:
    """Return sacreBLEU's description of a test set.

    Raises:
        InputError: if the name or the language pair is unknown.
        ConfigError: if sacreBLEU is not installed.
    """
    datasets: dict[str, Any] = require("sacrebleu.dataset", f"test set {name!r}", "metrics").DATASETS
    if name not in datasets:
        raise InputError(
            f"sacreBLEU knows no test set {name!r}{near_miss(name, datasets)}; sacrebleu --list names them"
        )
    dataset = datasets[name]
    if pair not in dataset.langpairs:
        raise InputError(
            f"test set {name} has no language pair {pair!r}{near_miss(pair, dataset.langpairs)}; "
            f"it has {', '.join(sorted(dataset.langpairs))}"
        )
    return dataset


def _download_files(dataset: Any, pair: str) -> dict[str, str]:
    """Return the path of the file for each field of a test set, such as ``src``. Download missing files."""
    try:
        return dict(zip(dataset.fieldnames(pair), dataset.get_files(pair), strict=True))
    except (OSError, SystemExit, EOFError) as error:
        raise InputError(_describe_failed_download(dataset, pair, error)) from error


def _describe_failed_download(dataset: Any, pair: str, error: BaseException) -> str:
    """Return the error message for a test set that cannot be downloaded, with instructions for a manual download."""
    folder = os.environ.get("SACREBLEU") or "~/.sacrebleu"
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or "it could not be fetched"
    return (
        f"test set {dataset.name} is not available ({reason}). On a computer with a network connection, run: "
        f"sacrebleu -t {dataset.name} -l {pair} --echo src; it downloads {', '.join(dataset.data)} to "
        f"{folder}/{dataset.name}, which can be copied to this computer"
    )
