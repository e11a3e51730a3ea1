"""Synthetic comparisons, whose better text is known by construction: texts with errors, and excerpts."""

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
    """Synthetic texts, and comparisons of pairs of them.

    Attributes:
        hypotheses, references: the texts, and the references of each text.
        comparisons: for each kind of comparison, pairs of row indexes: the better text and the worse text.
        scores: the score of each text; empty if the quality of the texts is not known as a number.
    """

    hypotheses: list[str] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)
    comparisons: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    scores: list[float] = field(default_factory=list)

    def add(self, hypothesis: str, references: Sequence[str]) -> int:
        """Add a text, and return its row index."""
        self.hypotheses.append(hypothesis)
        self.references.append(list(references))
        return len(self.hypotheses) - 1

    def put_errors(self, texts: Sequence[str], references: Sequence[Sequence[str]], language: str, seed: int) -> None:
        """Add each text, and a comparison with each erroneous version of it (``meteor-e stress``)."""
        stress = require("meteor_e_evaluation.stress", "making errors", distribution="meteor-e-evaluation")
        rules = [rule for rule in stress.perturbations(language) if rule.kind == "error"]
        for index, (text, text_references) in enumerate(zip(texts, references, strict=True)):
            row = self.add(text, text_references)
            context = PerturbationContext(language, texts, index, None, text_references[0])
            for rule in rules:
                generator = random.Random(zlib.crc32(f"{seed} {index} {rule.name}".encode()))
                worse_text = rule.apply(text, generator, context)
                if worse_text is not None and worse_text != text and worse_text.strip():
                    worse_row = self.add(worse_text, text_references)
                    self.comparisons.setdefault(rule.name, []).append((row, worse_row))


def synthetic_comparisons(
    kind: SyntheticKind, tests: Sequence[TestSet], count: int, language: str, seed: int
) -> SyntheticTexts:
    """Make synthetic comparisons from the outputs of test sets.

    Args:
        kind: ``errors`` compares an output with the same output after an error was inserted. ``excerpts`` compares
            excerpts of translated documents with an excerpt of the reference, which has three sentences or one; the
            better text covers more of it.
        tests: the test sets.
        count: the number of outputs to insert errors into, or the number of reference excerpts.
        language: the language of the texts.
        seed: the seed of the random choices.
    """
    texts, generator = SyntheticTexts(), np.random.default_rng(seed)
    if kind == "errors":
        _add_errors(texts, tests, count, language, seed, generator)
        return texts
    for index in range(count):
        test = tests[index % len(tests)]
        _add_excerpts(texts, test.outputs, test.references[0], generator, several=index % 2 == 0)
    return texts


def _add_errors(
    target: SyntheticTexts,
    tests: Sequence[TestSet],
    count: int,
    language: str,
    seed: int,
    generator: np.random.Generator,
) -> None:
    """Add a random sample of the judged outputs, and their comparisons with erroneous versions."""
    outputs = [
        (test.outputs[system][segment], [reference[segment] for reference in test.references])
        for test in tests
        for system, segment in zip(*test.judgment_mask().nonzero(), strict=True)
    ]
    sample = [outputs[index] for index in generator.permutation(len(outputs))[:count]]
    hypotheses, references = [], []
    for hypothesis, hypothesis_references in sample:
        words = hypothesis.split()
        if len(words) > 2:
            hypotheses.append(" ".join(words))
            references.append(hypothesis_references)
    target.put_errors(hypotheses, references, language, seed)


def _add_excerpts(
    target: SyntheticTexts,
    outputs: Sequence[Sequence[str]],
    reference: Sequence[str],
    generator: np.random.Generator,
    *,
    several: bool,
) -> None:
    """Add six excerpts of a window of seven sentences, and compare them by how much of a reference they cover.

    Args:
        target: receives the texts and their comparisons.
        outputs: the hypotheses of each system.
        reference: the sentences of the reference.
        generator: the source of random choices.
        several: whether the reference excerpt has three sentences, and not one.
    """
    start = int(generator.integers(max(1, len(reference) - 7)))
    window = np.arange(start, min(start + 7, len(reference)))
    if several:
        reference_indexes = np.sort(generator.choice(window, min(3, len(window)), replace=False))
    else:
        reference_indexes = generator.choice(window, 1)
    lengths = {index: len(reference[index].split()) for index in window.tolist()}
    reference_text = " ".join(reference[index] for index in reference_indexes.tolist())
    covered_rows = []
    for _ in range(6):
        system = outputs[int(generator.integers(len(outputs)))]
        if several:
            size = min(len(window), int(generator.integers(2, 5)))
            indexes = np.sort(generator.choice(window, size, replace=False))
        else:
            offset = int(generator.integers(len(window)))
            indexes = window[offset : offset + int(generator.integers(1, 5))]
        sentences, coverage = [], 0.0
        for index in indexes.tolist():
            fraction = 1.0 if several or generator.random() < 2 / 3 else 0.5
            words = system[index].split()
            sentences.append(" ".join(words[: max(3, int(len(words) * fraction))]))
            coverage += fraction * lengths[index] * (index in reference_indexes)
        covered_rows.append((coverage, target.add(" ".join(sentences), [reference_text])))
    comparisons = target.comparisons.setdefault("excerpts-several" if several else "excerpts-one", [])
    comparisons += [
        (better, worse)
        for better_coverage, better in covered_rows
        for worse_coverage, worse in covered_rows
        if better_coverage > worse_coverage
    ]
