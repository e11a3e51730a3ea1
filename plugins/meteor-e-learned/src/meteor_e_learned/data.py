"""Loads training data, and extracts the features of the hypotheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Examples, FeatureBatch, InputError
from meteor_e.base.extras import require
from meteor_e_learned.answers import answer_examples, load_answers
from meteor_e_learned.examples import Comparisons, concatenate, make_examples
from meteor_e_learned.inputs import InputExtractor, index_selected, select_hypotheses
from meteor_e_learned.models.base import SYNTHETIC
from meteor_e_learned.recipe import DataSpec, resolve
from meteor_e_learned.synthetic import (
    SyntheticKind,
    SyntheticTexts,
    make_error_comparisons,
    make_excerpt_comparisons,
)

if TYPE_CHECKING:
    from meteor_e_evaluation import TestSet

DEFAULT_SAMPLE = 1000
"""Number of outputs or reference excerpts from which synthetic comparisons are made by default."""


def load_examples(
    specs: Sequence[DataSpec],
    extractor: InputExtractor,
    *,
    language: str = "en",
    folder: Path = Path(),
    seed: int = 1,
    roots: Mapping[str, str] | None = None,
) -> Examples:
    """Load the training or validation data that a recipe specifies, and extract the features of the hypotheses.

    Args:
        specs: the data of the recipe.
        extractor: extracts the features and vectors.
        language: the target language. A spec without pairs uses all language pairs into this language.
        folder: the folder that the paths of the specs are relative to.
        seed: the seed for specs that do not have their own.
        roots: folders of the data by name of the index, which replace the folders in the indexes.

    Raises:
        ConfigError: if a sample or a list of language pairs is empty, or if ``skip`` is negative.
        InputError: if there are no judgments to learn from.
    """
    loader = _ExampleLoader(extractor, language, folder, seed, roots or {})
    return concatenate([examples for spec in specs for examples in loader.load(spec)])


@dataclass(frozen=True)
class _ExampleLoader:
    """Loads the training examples that the entries of a recipe specify.

    Attributes:
        extractor: extracts the features and vectors.
        language: the target language of the language pairs if an entry does not list pairs.
        folder: the folder that the paths of the entries are relative to.
        seed: the seed for entries that do not have their own.
        roots: folders of the data by name of the index, which replace the folders in the indexes.
    """

    extractor: InputExtractor
    language: str
    folder: Path
    seed: int
    roots: Mapping[str, str]

    def load(self, spec: DataSpec) -> list[Examples]:
        """Load the examples of an entry, which names either judged answers or test sets."""
        if spec.answers:
            return [self._load_answers(spec)]
        if spec.synthetic is not None:
            return [self._load_synthetic(spec, spec.synthetic)]
        return self._load_judged(spec)

    def _load_answers(self, spec: DataSpec) -> Examples:
        """Load judged answers of language models from a file."""
        name = Path(spec.answers).name
        title = name if spec.references is None else f"{name}, {spec.references} references"
        answers = load_answers(resolve(spec.answers, self.folder))
        return answer_examples(answers, title, self.extractor.with_stage(name), max_references=spec.references)

    def _load_synthetic(self, spec: DataSpec, kind: SyntheticKind) -> Examples:
        """Create training examples from system outputs: pairs of texts in which one text is better by construction.

        The worse text either contains an inserted error, or is an excerpt that covers less of the reference.
        """
        tests = self._load_test_sets(spec)
        count, seed = spec.sample or DEFAULT_SAMPLE, self._seed_of(spec)
        if kind == "errors":
            texts = make_error_comparisons(tests, count, self.language, seed)
        else:
            texts = make_excerpt_comparisons(tests, count, seed)
        return _make_synthetic_examples(texts, tests[0].name, self.extractor, spec.weight)

    def _load_judged(self, spec: DataSpec) -> list[Examples]:
        """Load test sets, and draw a random sample of their human judgments.

        Raises:
            InputError: if the sample is empty.
        """
        tests = self._load_test_sets(spec)
        sampled_tests = sample_judgments(tests, spec.sample, self._seed_of(spec), skip=spec.skip)
        if not sampled_tests:
            raise InputError(f"{spec.index}: no judgments are left after skip: {spec.skip}")
        return [_make_test_set_examples(test, self.extractor, spec.weight) for test in sampled_tests]

    def _seed_of(self, spec: DataSpec) -> int:
        """Return the seed of an entry, by default the seed of the recipe."""
        return self.seed if spec.seed is None else spec.seed

    def _load_test_sets(self, spec: DataSpec) -> list[TestSet]:
        """Load the test sets that an entry names, one for each language pair.

        Raises:
            ConfigError: if the sample or the list of language pairs is empty, or if ``skip`` is negative.
            InputError: if the index does not have a language pair into the language.
        """
        evaluation = require("meteor_e_evaluation", "training", distribution="meteor-e-evaluation")
        _check_spec(spec, self.language)
        root = self.roots.get(Path(spec.index).stem)
        index = evaluation.load_index(resolve(spec.index, self.folder), root=root)
        pairs = spec.pairs or index.pairs_into(self.language)
        if not pairs:
            raise InputError(f"{spec.index}: no language pair into {self.language!r}")
        return [evaluation.load_test_set(index, pair) for pair in pairs]


def _check_spec(spec: DataSpec, language: str) -> None:
    """Raise ConfigError if the sample or the list of language pairs is empty, or if ``skip`` is negative."""
    if spec.sample is not None and spec.sample < 1:
        raise ConfigError(f"{spec.index}: sample is {spec.sample}; it has to be 1 or more")
    if spec.skip < 0:
        raise ConfigError(f"{spec.index}: skip is {spec.skip}; it has to be 0 or more")
    if spec.pairs is not None and not spec.pairs:
        raise ConfigError(f"{spec.index}: 'pairs' is empty; name some, or leave it out for all into {language!r}")


def sample_judgments(tests: Sequence[TestSet], count: int | None, seed: int, *, skip: int = 0) -> list[TestSet]:
    """Draw a random sample of judgments without replacement, and return test sets with only these judgments.

    Ties between two hypotheses do not count as judgments. If no judgments are left out, the test sets are returned
    unchanged, with their ties.

    Args:
        tests: test sets with rankings, or with ratings of segments.
        count: the number of judgments in all test sets together, or None for all judgments.
        seed: the seed of the sample.
        skip: the number of judgments to leave out at the beginning of the random order.
    """
    strict_tests = [_drop_ties(test) for test in tests]
    judgment_counts = [_count_judgments(test) for test in strict_tests]
    n_judgments = sum(judgment_counts)
    if skip == 0 and (count is None or count >= n_judgments):
        return list(tests)
    is_selected = _draw_mask(n_judgments, count, seed, skip=skip)
    # The mask covers the judgments of all test sets in order, so it is split into one mask per test set.
    masks = np.split(is_selected, np.cumsum(judgment_counts)[:-1])
    sampled_tests = map(_select_judgments, strict_tests, masks)
    return [test for test in sampled_tests if test.judgment_mask().any()]


def _draw_mask(n_items: int, count: int | None, seed: int, *, skip: int) -> NDArray[np.bool_]:
    """Return a mask that selects ``count`` random items.

    The items are shuffled, and the first ``skip`` items are left out. If ``count`` is None, the mask selects all other
    items.
    """
    random_order = np.random.default_rng(seed).permutation(n_items)
    end = None if count is None else skip + count
    mask = np.zeros(n_items, bool)
    mask[random_order[skip:end]] = True
    return mask


def _drop_ties(test: TestSet) -> TestSet:
    """Return a copy of a test set without tied rankings."""
    return test if test.rankings is None else replace(test, rankings=test.rankings.strict())


def _count_judgments(test: TestSet) -> int:
    """Count the rankings of a test set. Without rankings, count the ratings instead."""
    if test.rankings is not None:
        return len(test.rankings)
    return len(test.assessments or ())


def _select_judgments(test: TestSet, mask: NDArray[np.bool_]) -> TestSet:
    """Return a copy of a test set that contains only the selected judgments.

    Args:
        test: the test set.
        mask: whether to select each ranking, or each rating if the test set does not contain rankings.
    """
    if test.rankings is not None:
        return replace(test, rankings=test.rankings.select(mask))
    if test.assessments is not None:
        return replace(test, assessments=test.assessments.select(mask))
    return test


def _make_test_set_examples(test: TestSet, extractor: InputExtractor, weight: float) -> Examples:
    """Convert the judged hypotheses of a test set to training examples.

    Args:
        test: the test set.
        extractor: extracts the features and vectors.
        weight: the weight of each comparison.
    """
    mask = test.judgment_mask()  # (systems, segments)
    references = list(zip(*test.references, strict=True))
    batch = select_hypotheses(test.outputs, references, test.systems, mask, test.source)
    title = f"{test.name} {test.pair}"
    inputs = extractor.with_stage(title).extract(batch)
    row_indexes = index_selected(mask)
    comparisons = _make_comparisons(test, row_indexes, weight)
    scores = np.full(len(batch), np.nan)
    if test.assessments is not None:
        rated_rows = row_indexes[test.assessments.systems, test.assessments.segments]
        scores[rated_rows] = test.assessments.scores
    return make_examples([title], batch, inputs, scores, comparisons)


def _make_comparisons(test: TestSet, row_indexes: NDArray[np.int64], weight: float) -> Comparisons:
    """Return all human comparisons of two hypotheses in a test set, excluding ties.

    Args:
        test: the test set.
        row_indexes: the row of each hypothesis in the examples, ``(systems, segments)``.
        weight: the weight of each comparison.
    """
    from meteor_e_evaluation import pairwise_judgments

    rankings = pairwise_judgments(test)
    if rankings is None:
        return Comparisons()
    rankings = rankings.strict()
    return Comparisons(
        better=row_indexes[rankings.better, rankings.segments],
        worse=row_indexes[rankings.worse, rankings.segments],
        part=np.zeros(len(rankings), np.int64),
        group=rankings.segments,
        weight=np.full(len(rankings), weight),
    )


def _make_synthetic_examples(texts: SyntheticTexts, name: str, extractor: InputExtractor, weight: float) -> Examples:
    """Convert synthetic comparisons to training examples. The title of each comparison names the kind of comparison.

    Args:
        texts: the synthetic texts and their comparisons.
        name: the name of the test set that the texts were made from.
        extractor: extracts the features and vectors.
        weight: the weight of each comparison.
    """
    stage = f"{SYNTHETIC} {name}"
    batch = FeatureBatch(texts.hypotheses, texts.references)
    inputs = extractor.with_stage(stage).extract(batch)
    titles = [f"{stage} {kind}" for kind in texts.comparisons]
    no_scores = np.full(len(batch), np.nan)
    return make_examples(titles, batch, inputs, no_scores, _make_synthetic_comparisons(texts, weight))


def _make_synthetic_comparisons(texts: SyntheticTexts, weight: float) -> Comparisons:
    """Return synthetic comparisons of equal weight. Comparisons that share the worse hypothesis form one group."""
    pairs_by_part = list(texts.comparisons.values())
    better = [better_row for pairs in pairs_by_part for better_row, _ in pairs]
    worse = [worse_row for pairs in pairs_by_part for _, worse_row in pairs]
    part = [part_index for part_index, pairs in enumerate(pairs_by_part) for _ in pairs]
    return Comparisons(
        better=np.array(better, np.int64),
        worse=np.array(worse, np.int64),
        part=np.array(part, np.int64),
        group=np.array(worse, np.int64),
        weight=np.full(len(worse), weight),
    )
