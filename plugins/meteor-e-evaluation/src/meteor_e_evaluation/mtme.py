"""Creates a data index from a folder with the layout of mt-metrics-eval.

The folder of a test set contains the files ``documents/LP.docs``, ``sources/LP.txt``, ``references/LP.REF.txt``,
``system-outputs/LP/SYSTEM.txt``, ``human-scores/LP.NAME.seg.score`` and ``.sys.score``, and
``metric-scores/LP/METRIC-REF.seg.score`` and ``.sys.score``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from meteor_e.api import InputError
from meteor_e.base.errors import near_miss
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import PAIR, DataIndex, JudgmentFormat, JudgmentSpec, OutputSpec, PairSpec, load_index
from meteor_e_evaluation.test_set import TestSet

OUTPUT_FOLDER = "system-outputs"
"""Name of the folder with one folder of system outputs per language pair."""

HUMAN_SCORES = "human-scores"
"""Name of the folder of human scores."""

JUDGMENT_FORMATS: dict[str, JudgmentFormat] = {"seg": "score-segments", "sys": "score-systems"}
"""Formats of the files of human scores, by level."""

GOLD = ("mqm", "esa", "esa-merged", "da-sqm", "wmt-appraise-z", "wmt-z", "wmt", "wmt-raw", "wmt-appraise")
"""Names of human scores in order of preference."""

STANDARD_REFERENCES = ("refA", "ref", "refB", "refC", "refD")
"""Names of references in order of preference."""


def mtme_index(
    folder: str | Path,
    *,
    pairs: Sequence[str] = (),
    gold: str | None = None,
    references: Sequence[str] = (),
    human_systems: bool = False,
) -> DataIndex:
    """Create a data index for the folder of a test set.

    Args:
        folder: path of the folder, such as ``mt-metrics-eval-v2/wmt23``.
        pairs: the language pairs. By default, all pairs with outputs and human scores are used.
        gold: name of the human scores. By default, the first available name of :data:`GOLD` is used.
        references: names of the references. By default, the first available name of :data:`STANDARD_REFERENCES` is
            used.
        human_systems: whether to treat the other references as systems.

    Returns:
        The index, whose default measures are those of the WMT metrics tasks since 2023.

    Raises:
        InputError: if the folder has another layout, or if it lacks a language pair, a reference or human scores.
    """
    root = Path(folder)
    available_pairs = _find_pairs(root)
    _check_names(pairs, available_pairs, f"{root / OUTPUT_FOLDER}: no language pair")
    selected_pairs = pairs or [pair for pair in available_pairs if _find_human_scores(root, pair)]
    pair_specs = {}
    for pair in selected_pairs:
        judgments = _make_judgment_specs(root, pair, gold)
        pair_specs[pair] = _make_pair_spec(root, pair, references, human_systems, judgments)
    if not pair_specs:
        raise InputError(f"{root}: no language pair has both outputs and human scores")
    return DataIndex(
        name=root.resolve().name,
        pairs=pair_specs,
        outputs=OutputSpec(f"{OUTPUT_FOLDER}/{{pair}}/{{system}}.txt", format="plain"),
        references=[],
        root=str(root),
        measures=["acc-eq", "spa", "system-accuracy"],
        file=root,
    )


def _check_names(names: Sequence[str], available_names: Sequence[str], message: str) -> None:
    """Raise an error that begins with the given message if a name is not among the available names."""
    for name in names:
        if name not in available_names:
            hint = near_miss(name, available_names)
            raise InputError(f"{message} {name!r}{hint}; it has {', '.join(available_names)}")


def _find_pairs(root: Path) -> list[str]:
    """Return the sorted language pairs with system outputs.

    Raises:
        InputError: if the folder of the test set does not contain system outputs.
    """
    outputs = root / OUTPUT_FOLDER
    if not outputs.is_dir():
        raise InputError(f"{root}: no folder {OUTPUT_FOLDER}; is this a test set of mt-metrics-eval, such as …/wmt23?")
    return sorted(path.name for path in outputs.iterdir() if path.is_dir() and PAIR.fullmatch(path.name))


def _find_human_scores(root: Path, pair: str) -> dict[str, list[str]]:
    """Find the human scores of a language pair, and whether they are scores of segments or of systems.

    Returns:
        The levels of human scores by their name. The level is ``seg`` for scores of segments and ``sys`` for scores of
        systems.
    """
    levels_by_name: dict[str, list[str]] = {}
    file_name = re.compile(re.escape(pair) + r"\.(?P<name>.+)\.(?P<level>seg|sys)\.score")
    for file in sorted((root / HUMAN_SCORES).glob("*.score")):
        match = file_name.fullmatch(file.name)
        if match:
            levels_by_name.setdefault(match["name"], []).append(match["level"])
    return levels_by_name


def _make_judgment_specs(root: Path, pair: str, gold: str | None) -> list[JudgmentSpec]:
    """Create the entries of a data index for the human scores of a language pair.

    Segment scores and system scores have separate entries. An entry is left out if its file does not exist.

    Args:
        root: folder of the test set.
        pair: the language pair.
        gold: name of the human scores, such as ``mqm``, or None for the preferred ones.

    Raises:
        InputError: if the human scores do not exist.
    """
    levels_by_name = _find_human_scores(root, pair)
    name = _choose_human_scores(list(levels_by_name), gold, pair, root / HUMAN_SCORES)
    specs = []
    for level in levels_by_name[name]:
        file = f"{HUMAN_SCORES}/{pair}.{name}.{level}.score"
        specs.append(JudgmentSpec(file, format=JUDGMENT_FORMATS[level]))
    return specs


def _choose_human_scores(available_names: Sequence[str], gold: str | None, pair: str, folder: Path) -> str:
    """Return the name of the requested human scores, or of the preferred ones if none were requested."""
    if gold is None:
        if not available_names:
            raise InputError(f"{folder}: no scores of {pair}; there are none")
        return _choose_preferred(available_names, GOLD)
    if gold not in available_names:
        hint = near_miss(gold, available_names)
        existing_scores = ", ".join(available_names) or "none"
        raise InputError(f"{folder}: no scores {gold!r} of {pair}{hint}; there are {existing_scores}")
    return gold


def _choose_preferred(available_names: Sequence[str], preferred_names: Sequence[str]) -> str:
    """Return the first preferred name that is available, or else the first available name."""
    for name in preferred_names:
        if name in available_names:
            return name
    return available_names[0]


def _make_pair_spec(
    root: Path, pair: str, references: Sequence[str], human_systems: bool, judgments: list[JudgmentSpec]
) -> PairSpec:
    """Describe the files of a language pair as entries of a data index.

    Args:
        root: folder of the test set.
        pair: the language pair.
        references: names of the references, or an empty sequence for the preferred one.
        human_systems: whether to treat the other references as systems.
        judgments: entries of the human scores.

    Raises:
        InputError: if the language pair does not have the references.
    """
    folder = root / "references"
    available_names = _find_references(folder, pair)
    reference_names = list(references) or [_choose_preferred(available_names, STANDARD_REFERENCES)]
    _check_names(reference_names, available_names, f"{folder}: {pair} has no reference")
    return PairSpec(
        references=[f"references/{pair}.{name}.txt" for name in reference_names],
        reference_names=reference_names,
        judgments=judgments,
        source=_find_optional_file(root, f"sources/{pair}.txt"),
        documents=_find_optional_file(root, f"documents/{pair}.docs"),
        # The folder of outputs also contains the references. The names under "drop" are not evaluated as systems.
        drop=reference_names if human_systems else available_names,
    )


def _find_optional_file(root: Path, file: str) -> str | None:
    """Return a path relative to the folder of the test set, or None if the file does not exist."""
    return file if (root / file).is_file() else None


def _find_references(folder: Path, pair: str) -> list[str]:
    """Return the sorted names of the references of a language pair.

    Raises:
        InputError: if there are no references.
    """
    prefix = f"{pair}."
    files = folder.glob(f"{prefix}?*.txt")
    names = [file.name.removeprefix(prefix).removesuffix(".txt") for file in files]
    if not names:
        raise InputError(f"{folder}: no reference {pair}.NAME.txt")
    return sorted(names)


def _open_index(path: str, root: str | None) -> DataIndex:
    """Load an index file, or create an index for a folder of mt-metrics-eval, given as ``mtme:FOLDER``."""
    if path.startswith("mtme:"):
        return mtme_index(path.removeprefix("mtme:"))
    return load_index(path, root=root)


def load_tests(paths: Sequence[str], language: str, pairs: Sequence[str], *, root: str | None = None) -> list[TestSet]:
    """Load test sets for the given language pairs, or for all pairs with a given target language.

    Args:
        paths: paths of index files, or ``mtme:FOLDER`` for folders of mt-metrics-eval.
        language: ISO code of the language of the outputs, if no language pairs are given.
        pairs: the language pairs.
        root: folder of the data, which overrides the folder in the index.

    Returns:
        The test sets in the order of the paths and of the language pairs in each index.

    Raises:
        InputError: if no test set matches.
    """
    tests: list[TestSet] = []
    for path in paths:
        index = _open_index(path, root)
        requested_pairs = pairs or index.pairs_into(language)
        tests += [load_test_set(index, pair) for pair in index.pairs if pair in requested_pairs]
    if not tests:
        requested = " or ".join(pairs) if pairs else f"into {language!r}"
        raise InputError(f"{', '.join(paths)}: no language pair {requested}")
    return tests
