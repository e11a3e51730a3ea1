"""Synthetic comparisons, whose answer is known without a judge: errors put into texts, and excerpts."""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base.extras import require

if TYPE_CHECKING:
    from meteor_e_evaluation import TestSet

SyntheticKind = Literal["errors", "excerpts"]


@dataclass
class SyntheticTexts:
    """Synthetic texts, and comparisons among them.

    Attributes:
        hypotheses, references: the texts, and the references of each.
        comparisons: for each kind of comparison, rows of the better and the worse text.
        scores: of each text, where its worth is known as a number; else empty.
    """

    hypotheses: list[str] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)
    comparisons: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    scores: list[float] = field(default_factory=list)

    def add(self, hypothesis: str, references: Sequence[str]) -> int:
        """Add a text; return its row."""
        self.hypotheses.append(hypothesis)
        self.references.append(list(references))
        return len(self.hypotheses) - 1

    def put_errors(self, texts: Sequence[str], references: Sequence[Sequence[str]], language: str, seed: int) -> None:
        """Compare each text with the same text with each error that it can have (``meteor-e stress``)."""
        stress = require("meteor_e_evaluation.stress", "making errors", distribution="meteor-e-evaluation")
        rules = [rule for rule in stress.perturbations(language) if rule.kind == "error"]
        for position, (text, own) in enumerate(zip(texts, references, strict=True)):
            row = self.add(text, own)
            context = PerturbationContext(language, texts, position, None, own[0])
            for rule in rules:
                worse = rule.apply(text, random.Random(zlib.crc32(f"{seed} {position} {rule.name}".encode())), context)
                if worse is not None and worse != text and worse.strip():
                    self.comparisons.setdefault(rule.name, []).append((row, self.add(worse, own)))


def synthetic_comparisons(
    kind: SyntheticKind, tests: Sequence[TestSet], count: int, language: str, seed: int
) -> SyntheticTexts:
    """Make comparisons of the outputs of test sets.

    Args:
        kind: ``errors``, or ``excerpts``: some sentences of a document, against a reference of some of them, where the
            better one has more of the reference; and against a single sentence of it.
        tests: the test sets.
        count: of outputs that errors are put into, or of references of excerpts.
        language: of the texts.
        seed: of what is drawn.
    """
    found, draw = SyntheticTexts(), np.random.default_rng(seed)
    if kind == "errors":
        cells = [
            (test.outputs[system][segment], [reference[segment] for reference in test.references])
            for test in tests
            for system, segment in zip(*test.judged().nonzero(), strict=True)
        ]
        chosen = [cells[at] for at in draw.permutation(len(cells))[:count]]
        texts = [" ".join(text.split()) for text, _ in chosen]
        kept = [at for at, text in enumerate(texts) if len(text.split()) > 2]
        found.put_errors([texts[at] for at in kept], [chosen[at][1] for at in kept], language, seed)
        return found
    for number in range(count):
        test = tests[number % len(tests)]
        _excerpts(found, test.outputs, test.references[0], draw, several=number % 2 == 0)
    return found


def _excerpts(
    target: SyntheticTexts,
    outputs: Sequence[Sequence[str]],
    reference: Sequence[str],
    draw: np.random.Generator,
    *,
    several: bool,
) -> None:
    """Add six texts of some of seven sentences, and compare them by how much of a reference they have."""
    first = int(draw.integers(max(1, len(reference) - 7)))
    around = np.arange(first, min(first + 7, len(reference)))
    wanted = np.sort(draw.choice(around, min(3, len(around)), replace=False)) if several else draw.choice(around, 1)
    sizes = {at: len(reference[at].split()) for at in around.tolist()}
    whole = " ".join(reference[at] for at in wanted.tolist())
    rows = []
    for _ in range(6):
        system = outputs[int(draw.integers(len(outputs)))]
        parts, share = [], 0.0
        if several:
            taken = np.sort(draw.choice(around, min(len(around), int(draw.integers(2, 5))), replace=False))
        else:
            begin = int(draw.integers(len(around)))
            taken = around[begin : begin + int(draw.integers(1, 5))]
        for at in taken.tolist():
            part = 1.0 if several or draw.random() < 2 / 3 else 0.5
            words = system[at].split()
            parts.append(" ".join(words[: max(3, int(len(words) * part))]))
            share += part * sizes[at] * (at in wanted)
        rows.append((share, target.add(" ".join(parts), [whole])))
    pairs = target.comparisons.setdefault("excerpts-several" if several else "excerpts-one", [])
    pairs += [(one, other) for more, one in rows for less, other in rows if more > less]
