"""Test sets that sacreBLEU knows, judged by human scores from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from meteor_e.api import ConfigError
from meteor_e_evaluation.index import DataIndex, JudgementSpec, OutputSpec, PairSpec

NAMED = "sacrebleu:"
"""What the name of a test set begins with where a file name is expected."""


def named_index(name: str, pairs: Sequence[str], human: Sequence[str]) -> DataIndex:
    """Return an index of a test set that sacreBLEU knows, with human scores from files.

    Args:
        name: of the test set; it must have system outputs.
        pairs: language pairs.
        human: files of ``SYSTEM⇥SCORE`` lines, ``*.seg.score`` for segments and ``*.sys.score`` for systems;
            ``{pair}`` in a name is filled in.

    Raises:
        ConfigError: if there are no human scores, or a file's name does not say its level.
    """
    if not human:
        raise ConfigError(f"test set {name} has no human scores; give files with --human FILE.seg.score")
    specs = []
    for file in human:
        if not file.endswith((".seg.score", ".sys.score")):
            raise ConfigError(f"--human {file}: its name must end in .seg.score or .sys.score")
        form: Literal["score-segments", "score-systems"] = (
            "score-segments" if file.endswith(".seg.score") else "score-systems"
        )
        specs.append(JudgementSpec(file=file, format=form))
    return DataIndex(
        name=name,
        pairs={pair: PairSpec() for pair in pairs},
        outputs=OutputSpec(NAMED + name),
        references=[NAMED + name],
        source=NAMED + name,
        judgements=specs,
        measures=["acc-eq"] if specs[0].format == "score-segments" else ["system-accuracy"],
        file=Path(name),
    )
