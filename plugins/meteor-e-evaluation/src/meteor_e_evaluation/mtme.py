"""Folders laid out as mt-metrics-eval lays them out: a data index is made of what lies there.

The layout of a test set is ``documents/LP.docs``, ``sources/LP.txt``, ``references/LP.REF.txt``,
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
from meteor_e_evaluation.index import PAIR, DataIndex, JudgmentSpec, OutputSpec, PairSpec, load_index
from meteor_e_evaluation.test_set import TestSet

GOLD = ("mqm", "esa", "esa-merged", "da-sqm", "wmt-appraise-z", "wmt-z", "wmt", "wmt-raw", "wmt-appraise")
"""Human scores in the order in which they are preferred."""

STANDARD_REFERENCES = ("refA", "ref", "refB", "refC", "refD")
"""References in the order in which they are preferred."""


def mtme_index(
    folder: str | Path,
    *,
    pairs: Sequence[str] = (),
    gold: str | None = None,
    references: Sequence[str] = (),
    human_systems: bool = False,
) -> DataIndex:
    """Make an index of a test set's folder.

    Args:
        folder: the folder, such as ``mt-metrics-eval-v2/wmt23``.
        pairs: language pairs; by default all that have outputs and human scores.
        gold: name of the human scores; by default the first of :data:`GOLD` that a pair has.
        references: names of the references to score with; by default the first of :data:`STANDARD_REFERENCES`.
        human_systems: whether other references count as systems.

    Raises:
        InputError: if the folder is laid out otherwise, or lacks the pair, reference or human scores, by name.
    """
    root = Path(folder)
    outputs = root / "system-outputs"
    if not outputs.is_dir():
        raise InputError(f"{root}: no folder system-outputs; is this a test set of mt-metrics-eval, such as …/wmt23?")
    there = sorted(path.name for path in outputs.iterdir() if path.is_dir() and PAIR.fullmatch(path.name))
    for pair in pairs:
        if pair not in there:
            raise InputError(f"{outputs}: no language pair {pair!r}{near_miss(pair, there)}; it has {', '.join(there)}")
    specs: dict[str, PairSpec] = {}
    for pair in pairs or there:
        scores = _human_scores(root, pair)
        if not scores and not pairs:
            continue
        name = gold or next((name for name in GOLD if name in scores), next(iter(scores), ""))
        if name not in scores:
            raise InputError(
                f"{root / 'human-scores'}: no scores {name or gold!r} of {pair}{near_miss(name, scores)}; "
                f"there are {', '.join(scores) or 'none'}"
            )
        specs[pair] = _pair(root, pair, references, human_systems, [_spec(pair, name, level) for level in scores[name]])
    if not specs:
        raise InputError(f"{root}: no language pair has both outputs and human scores")
    return DataIndex(
        name=root.resolve().name,
        pairs=specs,
        outputs=OutputSpec("system-outputs/{pair}/{system}.txt", format="plain"),
        references=[],
        root=str(root),
        measures=["acc-eq", "spa", "system-accuracy"],
        file=root,
    )


def _spec(pair: str, name: str, level: str) -> JudgmentSpec:
    file = f"human-scores/{pair}.{name}.{level}.score"
    return JudgmentSpec(file=file, format="score-segments" if level == "seg" else "score-systems")


def _human_scores(root: Path, pair: str) -> dict[str, list[str]]:
    """Return which human scores a pair has, and at which levels (``seg``, ``sys``)."""
    found: dict[str, list[str]] = {}
    shape = re.compile(re.escape(pair) + r"\.(?P<name>.+)\.(?P<level>seg|sys)\.score")
    for file in sorted((root / "human-scores").glob("*.score")):
        match = shape.fullmatch(file.name)
        if match:
            found.setdefault(match["name"], []).append(match["level"])
    return found


def _pair(
    root: Path, pair: str, references: Sequence[str], human_systems: bool, judgments: list[JudgmentSpec]
) -> PairSpec:
    shape = re.compile(re.escape(pair) + r"\.(?P<name>.+)\.txt")
    matches = (shape.fullmatch(file.name) for file in (root / "references").glob(f"{pair}.*.txt"))
    names = sorted(match["name"] for match in matches if match)
    if not names:
        raise InputError(f"{root / 'references'}: no reference {pair}.NAME.txt")
    usual = [name for name in STANDARD_REFERENCES if name in names] or names
    chosen = list(references) or usual[:1]
    for name in chosen:
        if name not in names:
            raise InputError(
                f"{root / 'references'}: {pair} has no reference {name!r}{near_miss(name, names)}; "
                f"it has {', '.join(names)}"
            )
    documents = f"documents/{pair}.docs"
    return PairSpec(
        references=[f"references/{{pair}}.{name}.txt" for name in chosen],
        reference_names=chosen,
        judgments=judgments,
        source=f"sources/{pair}.txt" if (root / "sources" / f"{pair}.txt").is_file() else None,
        documents=documents if (root / documents).is_file() else None,
        # A reference that scores are computed with is never a system; other ones are where they are asked for.
        drop=chosen if human_systems else names,
    )


def load_tests(paths: Sequence[str], language: str, pairs: Sequence[str], *, root: str | None = None) -> list[TestSet]:
    """Load the test sets of indexes that are in a language, or those of the pairs that are named.

    Raises:
        InputError: if there are none.
    """

    tests: list[TestSet] = []
    for path in paths:
        index = mtme_index(path.removeprefix("mtme:")) if path.startswith("mtme:") else load_index(path, root=root)
        wanted = [pair for pair in index.pairs if pair in pairs] if pairs else index.pairs_into(language)
        tests += [load_test_set(index, pair) for pair in wanted]
    if not tests:
        raise InputError(f"{', '.join(paths)}: no language pair {' or '.join(pairs) or f'into {language!r}'}")
    return tests
