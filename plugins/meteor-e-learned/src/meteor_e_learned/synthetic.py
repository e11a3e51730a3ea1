"""Makes synthetic comparisons, in which one of two texts is worse by construction.

The worse text either contains an inserted error, or is an excerpt that covers less of the reference.
"""

from __future__ import annotations

import random
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api.perturbations import Perturbation, PerturbationContext
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
    comparisons: defaultdict[str, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, hypothesis: str, references: Sequence[str]) -> int:
        """Append a text with its references, and return its row index."""
        self.hypotheses.append(hypothesis)
        self.references.append(list(references))
        return len(self.hypotheses) - 1


def make_error_comparisons(tests: Sequence[TestSet], count: int, language: str, seed: int) -> SyntheticTexts:
    """Compare system outputs with copies that contain one error each.

    The rules of the command ``meteor-e stress`` create the errors.

    Args:
        tests: the test sets that contain the outputs.
        count: the number of outputs.
        language: the language of the outputs.
        seed: the seed of the random choices.
    """
    stress = require("meteor_e_evaluation.stress", "making errors", distribution="meteor-e-evaluation")
    rules = [rule for rule in stress.perturbations(language) if rule.kind == "error"]
    hypotheses, references = _sample_outputs(tests, count, np.random.default_rng(seed))
    texts = SyntheticTexts()
    for index, hypothesis in enumerate(hypotheses):
        row = texts.add(hypothesis, references[index])
        context = PerturbationContext(language, hypotheses, index, reference=references[index][0])
        for rule in rules:
            worse_text = _insert_error(rule, context, seed)
            if worse_text is not None:
                worse_row = texts.add(worse_text, references[index])
                texts.comparisons[rule.name].append((row, worse_row))
    return texts


def _insert_error(rule: Perturbation, context: PerturbationContext, seed: int) -> str | None:
    """Insert an error into a text, and return the result. Return None if the rule does not apply to the text.

    Args:
        rule: inserts the error.
        context: the text, and the other texts that the rule may read.
        seed: the seed of the random choices.
    """
    text = context.texts[context.position]
    # Each text and rule has its own seed, so an error does not depend on the other texts and rules.
    generator = random.Random(zlib.crc32(f"{seed} {context.position} {rule.name}".encode()))
    worse_text = rule.apply(text, generator, context)
    # Some rules return the text unchanged, or delete its only word.
    if worse_text is None or worse_text == text or not worse_text.strip():
        return None
    return worse_text


def make_excerpt_comparisons(tests: Sequence[TestSet], count: int, seed: int) -> SyntheticTexts:
    """Compare pairs of excerpts from translated documents. The excerpt that covers more of the reference is better.

    Args:
        tests: the test sets that contain the documents.
        count: the number of reference excerpts, which have one or three sentences.
        seed: the seed of the random choices.
    """
    texts = SyntheticTexts()
    generator = np.random.default_rng(seed)
    for index in range(count):
        test = tests[index % len(tests)]
        sampler = _ExcerptSampler(generator, multi_sentence=index % 2 == 0)
        _add_excerpts(texts, test.outputs, test.references[0], sampler)
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
    texts: SyntheticTexts, outputs: Sequence[Sequence[str]], reference: Sequence[str], sampler: _ExcerptSampler
) -> None:
    """Draw excerpts of translations, compare the excerpts, and add excerpts and comparisons to the synthetic texts.

    Args:
        texts: receives the excerpts and their comparisons.
        outputs: the hypotheses of each system.
        reference: the sentences of the reference.
        sampler: draws the excerpts.
    """
    window = sampler.draw_window(len(reference))
    reference_indexes = sampler.draw_reference_sentences(window)
    reference_text = " ".join(reference[index] for index in reference_indexes)
    reference_lengths = {index: len(reference[index].split()) for index in reference_indexes}
    excerpts = []
    for _ in range(EXCERPTS_PER_WINDOW):
        text, coverage = sampler.draw_excerpt(outputs, window, reference_lengths)
        row = texts.add(text, [reference_text])
        excerpts.append(_Excerpt(row, coverage))
    texts.comparisons[sampler.kind] += _compare_excerpts(excerpts)


class _Excerpt(NamedTuple):
    """An excerpt of a system's output, and the number of reference words that the excerpt translates.

    Attributes:
        row: the row index of the excerpt in the synthetic texts.
        coverage: the number of words of the reference excerpt whose sentences the excerpt translates.
    """

    row: int
    coverage: float


def _compare_excerpts(excerpts: Sequence[_Excerpt]) -> list[tuple[int, int]]:
    """Return all pairs of a better and a worse excerpt. The better excerpt covers more words of the reference."""
    return [(better.row, worse.row) for better in excerpts for worse in excerpts if better.coverage > worse.coverage]


@dataclass(frozen=True)
class _ExcerptSampler:
    """Draws random excerpts of documents.

    Attributes:
        generator: the source of random choices.
        multi_sentence: whether reference excerpts have three sentences instead of one. The other excerpts then consist
            of complete sentences, which do not have to be adjacent.
    """

    generator: np.random.Generator
    multi_sentence: bool

    @property
    def kind(self) -> str:
        """The name of the kind of comparison, which depends on the length of the reference excerpts."""
        return "excerpts-several" if self.multi_sentence else "excerpts-one"

    def draw_window(self, n_sentences: int) -> NDArray[np.int64]:
        """Choose a random run of consecutive sentences in a document, and return the sentence indexes."""
        n_starts = max(1, n_sentences - WINDOW_SENTENCES)
        start = int(self.generator.integers(n_starts))
        return np.arange(start, min(start + WINDOW_SENTENCES, n_sentences))

    def draw_reference_sentences(self, window: NDArray[np.int64]) -> list[int]:
        """Draw the sentences of a reference excerpt, and return their indexes in document order."""
        if not self.multi_sentence:
            return list(self.generator.choice(window, 1).tolist())
        n_sentences = min(3, len(window))
        return sorted(self.generator.choice(window, n_sentences, replace=False).tolist())

    def draw_excerpt(
        self, outputs: Sequence[Sequence[str]], window: NDArray[np.int64], reference_lengths: Mapping[int, int]
    ) -> tuple[str, float]:
        """Return an excerpt from the output of a random system, and the number of reference words that it covers.

        Args:
            outputs: the sentences of each system's output.
            window: the indexes of the available sentences.
            reference_lengths: the number of words of each sentence in the reference excerpt, by index.

        Returns:
            The text, and the number of words of the reference excerpt whose sentences the text translates. A sentence
            that is cut in half counts half.
        """
        system = outputs[int(self.generator.integers(len(outputs)))]
        sentences = []
        coverage = 0.0
        for index in self._draw_sentences(window):
            words = system[index].split()
            fraction = self._draw_fraction()
            n_words = max(3, int(len(words) * fraction))
            sentences.append(" ".join(words[:n_words]))
            coverage += fraction * reference_lengths.get(index, 0)
        return " ".join(sentences), coverage

    def _draw_sentences(self, window: NDArray[np.int64]) -> list[int]:
        """Draw one to four random sentences, and return their indexes in document order."""
        if self.multi_sentence:
            n_sentences = min(len(window), int(self.generator.integers(2, 5)))
            return sorted(self.generator.choice(window, n_sentences, replace=False).tolist())
        offset = int(self.generator.integers(len(window)))
        n_adjacent_sentences = int(self.generator.integers(1, 5))
        return list(window[offset : offset + n_adjacent_sentences].tolist())

    def _draw_fraction(self) -> float:
        """Return the fraction of a sentence's words to keep, which is 1 or 0.5.

        If the reference excerpts have one sentence, a random third of the sentences is cut in half. Otherwise,
        sentences are kept in full.
        """
        is_complete = self.multi_sentence or self.generator.random() < 2 / 3
        return 1.0 if is_complete else 0.5
