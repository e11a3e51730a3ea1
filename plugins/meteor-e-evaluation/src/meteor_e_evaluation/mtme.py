"""Makes a data index from a folder with the layout of mt-metrics-eval.

A test set has the files ``documents/LP.docs``, ``sources/LP.txt``, ``references/LP.REF.txt``,
``system-outputs/LP/SYSTEM.txt``, ``human-scores/LP.NAME.seg.score`` and ``.sys.score``, and
``metric-scores/LP/METRIC-REF.seg.score`` and ``.sys.score``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from meteor_e.api import InputError
from meteor_e.base.errors import near_miss
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import PAIR, DataIndex, JudgmentSpec, OutputSpec, PairSpec, load_index
from meteor_e_evaluation.test_set import TestSet

GOLD = ("mqm", "esa", "esa-merged", "da-sqm", "wmt-appraise-z", "wmt-z", "wmt", "wmt-raw", "wmt-appraise")
"""Names of human scores, the preferred one first."""

STANDARD_REFERENCES = ("refA", "ref", "refB", "refC", "refD")
"""Names of references, the preferred one first."""


def mtme_index(
    folder: str | Path,
    *,
    pairs: Sequence[str] = (),
    gold: str | None = None,
    references: Sequence[str] = (),
    human_systems: bool = False,
) -> DataIndex:
    """Make an index of the folder of a test set.

    Args:
        folder: the folder, such as ``mt-metrics-eval-v2/wmt23``.
        pairs: language pairs; by default all with outputs and human scores.
        gold: name of the human scores; by default the first of :data:`GOLD` that a language pair has.
        references: names of the references to score with; by default the first of :data:`STANDARD_REFERENCES`.
        human_systems: whether to treat the other references as systems.

    Raises:
        InputError: if the folder has another layout, or does not have the language pair, reference or human scores.
    """
    root = Path(folder)
    outputs = root / "system-outputs"
    if not outputs.is_dir():
        raise InputError(f"{root}: no folder system-outputs; is this a test set of mt-metrics-eval, such as …/wmt23?")
    available_pairs = sorted(path.name for path in outputs.iterdir() if path.is_dir() and PAIR.fullmatch(path.name))
    for pair in pairs:
        if pair not in available_pairs:
            hint = near_miss(pair, available_pairs)
            raise InputError(f"{outputs}: no language pair {pair!r}{hint}; it has {', '.join(available_pairs)}")
    pair_specs: dict[str, PairSpec] = {}
    for pair in pairs or available_pairs:
        levels_by_name = _find_human_scores(root, pair)
        if not levels_by_name and not pairs:
            continue
        judgments = _make_judgment_specs(root, pair, gold, levels_by_name)
        pair_specs[pair] = _make_pair_spec(root, pair, references, human_systems, judgments)
    if not pair_specs:
        raise InputError(f"{root}: no language pair has both outputs and human scores")
    return DataIndex(
        name=root.resolve().name,
        pairs=pair_specs,
        outputs=OutputSpec("system-outputs/{pair}/{system}.txt", format="plain"),
        references=[],
        root=str(root),
        measures=["acc-eq", "spa", "system-accuracy"],
        file=root,
    )


def _find_human_scores(root: Path, pair: str) -> dict[str, list[str]]:
    """Return the levels (``seg``, ``sys``) of the human scores of a language pair, by name."""
    levels_by_name: dict[str, list[str]] = {}
    file_name = re.compile(re.escape(pair) + r"\.(?P<name>.+)\.(?P<level>seg|sys)\.score")
    for file in sorted((root / "human-scores").glob("*.score")):
        match = file_name.fullmatch(file.name)
        if match:
            levels_by_name.setdefault(match["name"], []).append(match["level"])
    return levels_by_name


def _make_judgment_specs(
    root: Path, pair: str, gold: str | None, levels_by_name: Mapping[str, Sequence[str]]
) -> list[JudgmentSpec]:
    """Return the entries of the human scores to use.

    Raises:
        InputError: if there are no such human scores.
    """
    preferred = next((name for name in GOLD if name in levels_by_name), next(iter(levels_by_name), ""))
    name = gold or preferred
    if name not in levels_by_name:
        raise InputError(
            f"{root / 'human-scores'}: no scores {name or gold!r} of {pair}{near_miss(name, levels_by_name)}; "
            f"there are {', '.join(levels_by_name) or 'none'}"
        )
    return [
        JudgmentSpec(
            file=f"human-scores/{pair}.{name}.{level}.score",
            format="score-segments" if level == "seg" else "score-systems",
        )
        for level in levels_by_name[name]
    ]


def _make_pair_spec(
    root: Path, pair: str, references: Sequence[str], human_systems: bool, judgments: list[JudgmentSpec]
) -> PairSpec:
    """Return the entries of a language pair.

    Raises:
        InputError: if there is no reference, or not the one that is named.
    """
    folder = root / "references"
    file_name = re.compile(re.escape(pair) + r"\.(?P<name>.+)\.txt")
    matches = (file_name.fullmatch(file.name) for file in folder.glob(f"{pair}.*.txt"))
    names = sorted(match["name"] for match in matches if match)
    if not names:
        raise InputError(f"{folder}: no reference {pair}.NAME.txt")
    preferred = [name for name in STANDARD_REFERENCES if name in names] or names
    selected = list(references) or preferred[:1]
    for name in selected:
        if name not in names:
            raise InputError(
                f"{folder}: {pair} has no reference {name!r}{near_miss(name, names)}; it has {', '.join(names)}"
            )
    source, documents = f"sources/{pair}.txt", f"documents/{pair}.docs"
    return PairSpec(
        references=[f"references/{{pair}}.{name}.txt" for name in selected],
        reference_names=selected,
        judgments=judgments,
        source=source if (root / source).is_file() else None,
        documents=documents if (root / documents).is_file() else None,
        # A reference that is scored with is never a system; the others are if that was asked for.
        drop=selected if human_systems else names,
    )


def load_tests(paths: Sequence[str], language: str, pairs: Sequence[str], *, root: str | None = None) -> list[TestSet]:
    """Load the test sets of indexes: the language pairs that are named, or else those into a language.

    Args:
        paths: index files, or ``mtme:FOLDER``.
        language: ISO code of the language of the outputs.
        pairs: language pairs.
        root: folder of the data, instead of the index's.

    Raises:
        InputError: if there are no such test sets.
    """
    tests: list[TestSet] = []
    for path in paths:
        index = mtme_index(path.removeprefix("mtme:")) if path.startswith("mtme:") else load_index(path, root=root)
        selected = [pair for pair in index.pairs if pair in pairs] if pairs else index.pairs_into(language)
        tests += [load_test_set(index, pair) for pair in selected]
    if not tests:
        raise InputError(f"{', '.join(paths)}: no language pair {' or '.join(pairs) or f'into {language!r}'}")
    return tests
