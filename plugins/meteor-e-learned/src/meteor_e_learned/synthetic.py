"""Makes synthetic comparisons, in which one of two texts is worse by construction.

Either errors are inserted into a text, or an excerpt covers less of the reference than another excerpt.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.perturbations import PerturbationContext
from meteor_e.base.extras import require

if TYPE_CHECKING:
    from meteor_e_evaluation import TestSet

SyntheticKind = Literal["errors", "excerpts"]

WINDOW_SENTENCES = 7
"""Number of consecutive sentences of a document from which excerpts are made."""
EXCERPTS_PER_WINDOW = 6
"""Number of excerpts that are compared with each other."""


@dataclass
class SyntheticTexts:
    """Synthetic texts, and comparisons between pairs of these texts.

    Attributes:
        hypotheses, references: the texts, and the references of each text.
        comparisons: the comparisons by kind. A comparison consists of the row indexes of the better text and of the
            worse text.
    """

    hypotheses: list[str] = field(default_factory=list)
    references: list[list[str]] = field(default_factory=list)
    comparisons: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, hypothesis: str, references: Sequence[str]) -> int:
        """Append a text with its references, and return its row index."""
        self.hypotheses.append(hypothesis)
        self.references.append(list(references))
        return len(self.hypotheses) - 1

    def add_erroneous_copies(
        self, texts: Sequence[str], references: Sequence[Sequence[str]], language: str, seed: int
    ) -> None:
        """Append texts and copies of these texts with one error each, and compare each text with its copies.

        The command ``meteor-e stress`` inserts the same kinds of errors.

        Args:
            texts: the texts.
            references: the references of each text.
            language: the language of the texts.
            seed: the seed of the random choices.
        """
        stress = require("meteor_e_evaluation.stress", "making errors", distribution="meteor-e-evaluation")
        rules = [rule for rule in stress.perturbations(language) if rule.kind == "error"]
        for index, text in enumerate(texts):
            row = self.add(text, references[index])
            context = PerturbationContext(language, texts, index, None, references[index][0])
            for rule in rules:
                generator = random.Random(zlib.crc32(f"{seed} {index} {rule.name}".encode()))
                worse_text = rule.apply(text, generator, context)
                # Some rules cannot change every text, or delete the only word of a text.
                if worse_text is None or worse_text == text or not worse_text.strip():
                    continue
                worse_row = self.add(worse_text, references[index])
                self.comparisons.setdefault(rule.name, []).append((row, worse_row))


def synthetic_comparisons(
    kind: SyntheticKind, tests: Sequence[TestSet], count: int, language: str, seed: int
) -> SyntheticTexts:
    """Make synthetic training comparisons from the system outputs of test sets.

    Args:
        kind: ``errors`` compares an output with the same output after an error was inserted. ``excerpts`` compares
            excerpts of translated documents. The reference of the excerpts has one or three sentences, and the better
            excerpt covers more of the reference.
        tests: the test sets.
        count: the number of outputs to insert errors into, or the number of reference excerpts.
        language: the language of the texts.
        seed: the seed of the random choices.
    """
    texts = SyntheticTexts()
    generator = np.random.default_rng(seed)
    if kind == "errors":
        hypotheses, references = _sample_outputs(tests, count, generator)
        texts.add_erroneous_copies(hypotheses, references, language, seed)
        return texts
    for index in range(count):
        test = tests[index % len(tests)]
        _add_excerpts(texts, test.outputs, test.references[0], generator, multi_sentence=index % 2 == 0)
    return texts


def _sample_outputs(
    tests: Sequence[TestSet], count: int, generator: np.random.Generator
) -> tuple[list[str], list[list[str]]]:
    """Draw a random sample of judged system outputs, and return the outputs and the references of each output.

    Args:
        tests: the test sets.
        count: the number of outputs to draw. Outputs of one or two words are then left out.
        generator: the source of random numbers.
    """
    judged_outputs = _list_judged_outputs(tests)
    sample = generator.permutation(len(judged_outputs))[:count]
    hypotheses, references = [], []
    for output_index in sample:
        hypothesis, hypothesis_references = judged_outputs[output_index]
        words = hypothesis.split()
        if len(words) > 2:
            hypotheses.append(" ".join(words))
            references.append(hypothesis_references)
    return hypotheses, references


def _list_judged_outputs(tests: Sequence[TestSet]) -> list[tuple[str, list[str]]]:
    """Return all system outputs that have human judgments, each with its references."""
    judged_outputs = []
    for test in tests:
        for system, segment in zip(*test.judgment_mask().nonzero(), strict=True):
            references = [reference[segment] for reference in test.references]
            judged_outputs.append((test.outputs[system][segment], references))
    return judged_outputs


def _add_excerpts(
    target: SyntheticTexts,
    outputs: Sequence[Sequence[str]],
    reference: Sequence[str],
    generator: np.random.Generator,
    *,
    multi_sentence: bool,
) -> None:
    """Append excerpts of translations, and compare the excerpts by how much of the reference each one covers.

    Args:
        target: receives the texts and their comparisons.
        outputs: the hypotheses of each system.
        reference: the sentences of the reference.
        generator: the source of random choices.
        multi_sentence: whether the reference excerpt has three sentences instead of one.
    """
    n_starts = max(1, len(reference) - WINDOW_SENTENCES)
    start = int(generator.integers(n_starts))
    end = min(start + WINDOW_SENTENCES, len(reference))
    # The indexes of the sentences from which all excerpts are drawn.
    window = np.arange(start, end)
    reference_indexes = _draw_reference_sentences(window, generator, multi_sentence=multi_sentence)
    reference_text = " ".join(reference[index] for index in reference_indexes)
    reference_lengths = {index: len(reference[index].split()) for index in reference_indexes}
    excerpts = []
    for _ in range(EXCERPTS_PER_WINDOW):
        system = outputs[int(generator.integers(len(outputs)))]
        indexes = _draw_sentences(window, generator, multi_sentence=multi_sentence)
        text, coverage = _make_excerpt(system, indexes, reference_lengths, generator, multi_sentence=multi_sentence)
        row = target.add(text, [reference_text])
        excerpts.append(_Excerpt(row, coverage))
    kind = "excerpts-several" if multi_sentence else "excerpts-one"
    target.comparisons.setdefault(kind, []).extend(_compare_excerpts(excerpts))


class _Excerpt(NamedTuple):
    """An excerpt of a system's output, and how many words of the reference excerpt it covers.

    Attributes:
        row: the row index of the excerpt in the synthetic texts.
        coverage: the number of words of the reference excerpt whose sentences the excerpt translates.
    """

    row: int
    coverage: float


def _compare_excerpts(excerpts: Sequence[_Excerpt]) -> list[tuple[int, int]]:
    """Return all pairs of a better and a worse excerpt. The better excerpt covers more words of the reference."""
    comparisons = []
    for better in excerpts:
        for worse in excerpts:
            if better.coverage > worse.coverage:
                comparisons.append((better.row, worse.row))
    return comparisons


def _draw_reference_sentences(
    window: NDArray[np.int64], generator: np.random.Generator, *, multi_sentence: bool
) -> list[int]:
    """Draw either one random sentence or three random sentences, and return the indexes in document order."""
    if not multi_sentence:
        return list(generator.choice(window, 1).tolist())
    n_sentences = min(3, len(window))
    return sorted(generator.choice(window, n_sentences, replace=False).tolist())


def _draw_sentences(window: NDArray[np.int64], generator: np.random.Generator, *, multi_sentence: bool) -> list[int]:
    """Draw one to four random sentences, and return their indexes in document order.

    Args:
        window: the indexes of the available sentences.
        generator: the source of random choices.
        multi_sentence: whether to draw at least two sentences, which do not have to be adjacent.
    """
    if multi_sentence:
        n_sentences = min(len(window), int(generator.integers(2, 5)))
        return sorted(generator.choice(window, n_sentences, replace=False).tolist())
    offset = int(generator.integers(len(window)))
    n_adjacent_sentences = int(generator.integers(1, 5))
    return list(window[offset : offset + n_adjacent_sentences].tolist())


def _make_excerpt(
    system: Sequence[str],
    indexes: Sequence[int],
    reference_lengths: Mapping[int, int],
    generator: np.random.Generator,
    *,
    multi_sentence: bool,
) -> tuple[str, float]:
    """Return an excerpt of a system's output, and how many words of the reference excerpt it covers.

    Args:
        system: the sentences of the system's output.
        indexes: the indexes of the sentences in the excerpt.
        reference_lengths: the number of words of each sentence in the reference excerpt, by index.
        generator: the source of random choices.
        multi_sentence: whether to use complete sentences. Otherwise, a third of the sentences is cut in half.

    Returns:
        The text, and the number of words of the reference excerpt whose sentences the text translates. A sentence that
        is cut in half counts half.
    """
    sentences = []
    coverage = 0.0
    for index in indexes:
        is_complete = multi_sentence or generator.random() < 2 / 3
        fraction = 1.0 if is_complete else 0.5
        words = system[index].split()
        n_words = max(3, int(len(words) * fraction))
        sentences.append(" ".join(words[:n_words]))
        coverage += fraction * reference_lengths.get(index, 0)
    return " ".join(sentences), coverage
