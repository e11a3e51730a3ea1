"""Loads training data, and extracts the features of the hypotheses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Examples, FeatureBatch, InputError
from meteor_e.base.extras import require
from meteor_e_learned.answers import answer_examples, load_answers
from meteor_e_learned.examples import concatenate
from meteor_e_learned.inputs import InputExtractor, select_hypotheses
from meteor_e_learned.models.base import SYNTHETIC
from meteor_e_learned.recipe import DataSpec, resolve
from meteor_e_learned.synthetic import SyntheticTexts, synthetic_comparisons

if TYPE_CHECKING:
    from meteor_e_evaluation import TestSet


class _Comparisons(NamedTuple):
    """Pairwise comparisons of hypotheses.

    Attributes:
        better: the row of the better hypothesis of each comparison.
        worse: the row of the worse hypothesis of each comparison.
        segments: the index of the segment of each comparison.
    """

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    segments: NDArray[np.int64]


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
    example_sets: list[Examples] = []
    for spec in specs:
        if spec.answers:
            example_sets.append(_load_answer_examples(spec, extractor, folder))
            continue
        test_sets = _load_test_sets(spec, language, folder, roots or {})
        spec_seed = seed if spec.seed is None else spec.seed
        if spec.made is None:
            example_sets += _make_judged_examples(spec, test_sets, extractor, spec_seed)
        else:
            texts = synthetic_comparisons(spec.made, test_sets, spec.sample or 1000, language, spec_seed)
            example_sets.append(_make_synthetic_examples(texts, test_sets[0].name, extractor, spec.weight))
    return concatenate(example_sets)


def _load_answer_examples(spec: DataSpec, extractor: InputExtractor, folder: Path) -> Examples:
    """Read a file with judged answers of language models, and extract the features of the answers."""
    name = Path(spec.answers).name
    title = name if spec.references is None else f"{name}, {spec.references} references"
    answers = load_answers(resolve(spec.answers, folder))
    return answer_examples(answers, title, extractor.with_stage(name), references=spec.references)


def _load_test_sets(spec: DataSpec, language: str, folder: Path, roots: Mapping[str, str]) -> list[TestSet]:
    """Load the test sets that an entry of a recipe names, one for each language pair.

    Args:
        spec: the entry.
        language: the target language of the pairs if the entry does not list pairs.
        folder: the folder that the path of the index is relative to.
        roots: folders of the data by name of the index, which replace the folders in the indexes.

    Raises:
        ConfigError: if the sample or the list of language pairs is empty, or if ``skip`` is negative.
        InputError: if the index does not have a language pair into the language.
    """
    evaluation = require("meteor_e_evaluation", "training", distribution="meteor-e-evaluation")
    if spec.sample is not None and spec.sample < 1:
        raise ConfigError(f"{spec.index}: sample is {spec.sample}; it has to be 1 or more")
    if spec.skip < 0:
        raise ConfigError(f"{spec.index}: skip is {spec.skip}; it has to be 0 or more")
    if spec.pairs is not None and not spec.pairs:
        raise ConfigError(f"{spec.index}: 'pairs' is empty; name some, or leave it out for all into {language!r}")
    root = roots.get(Path(spec.index).stem)
    index = evaluation.load_index(resolve(spec.index, folder), root=root)
    pairs = spec.pairs or index.pairs_into(language)
    if not pairs:
        raise InputError(f"{spec.index}: no language pair into {language!r}")
    return [evaluation.load_test_set(index, pair) for pair in pairs]


def sample_judgments(tests: Sequence[TestSet], count: int | None, seed: int, *, skip: int = 0) -> list[TestSet]:
    """Draw a random sample of judgments without replacement, and return test sets with only these judgments.

    Ties between two hypotheses do not count as judgments.

    Args:
        tests: test sets with rankings, or with ratings of segments.
        count: the number of judgments in all test sets together, or None for all judgments.
        seed: the seed of the sample.
        skip: the number of judgments to leave out at the beginning of the random order.
    """
    strict_tests = []
    for test in tests:
        strict_rankings = None if test.rankings is None else test.rankings.strict()
        strict_tests.append(replace(test, rankings=strict_rankings))
    judgment_counts = [_count_judgments(test) for test in strict_tests]
    n_judgments = sum(judgment_counts)
    selects_all = not skip and (count is None or count >= n_judgments)
    if selects_all:
        return list(tests)
    random_order = np.random.default_rng(seed).permutation(n_judgments)
    end = None if count is None else skip + count
    is_selected = np.zeros(n_judgments, bool)
    is_selected[random_order[skip:end]] = True
    # The mask covers the judgments of all test sets in order, so it is split into one mask per test set.
    masks = np.split(is_selected, np.cumsum(judgment_counts)[:-1])
    sampled_tests = map(_select_judgments, strict_tests, masks)
    return [test for test in sampled_tests if test.judgment_mask().any()]


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


def _make_judged_examples(
    spec: DataSpec, tests: Sequence[TestSet], extractor: InputExtractor, seed: int
) -> Iterator[Examples]:
    """Draw a random sample of human judgments, and yield the training examples of each test set.

    Args:
        spec: the data of the recipe, with the size of the sample and the weight of the comparisons.
        tests: the test sets.
        extractor: extracts the features and vectors.
        seed: the seed of the sample.

    Raises:
        InputError: if the sample is empty.
    """
    sampled_tests = sample_judgments(tests, spec.sample, seed, skip=spec.skip)
    if not sampled_tests:
        raise InputError(f"{spec.index}: no judgments are left after skip: {spec.skip}")
    for test in sampled_tests:
        yield _make_test_set_examples(test, extractor, spec.weight)


def _make_test_set_examples(test: TestSet, extractor: InputExtractor, weight: float) -> Examples:
    """Convert the judged hypotheses of a test set to training examples.

    Args:
        test: the test set.
        extractor: extracts the features and vectors.
        weight: the weight of each comparison.
    """
    # (systems, segments)
    mask = test.judgment_mask()
    references = [[reference[segment] for reference in test.references] for segment in range(mask.shape[1])]
    batch = select_hypotheses(test.outputs, references, test.systems, mask, test.source)
    title = f"{test.name} {test.pair}"
    inputs = extractor.with_stage(title).extract(batch)
    # The row of each judged hypothesis, or -1 for other hypotheses, (systems, segments).
    row_indexes = np.full(mask.shape, -1, np.int64)
    row_indexes[mask] = np.arange(len(batch))
    comparisons = _make_comparisons(test, row_indexes)
    scores = np.full(len(batch), np.nan)
    if test.assessments is not None:
        scores[row_indexes[test.assessments.systems, test.assessments.segments]] = test.assessments.scores
    return Examples(
        title=(title,),
        features=inputs.features,
        vectors=inputs.vectors,
        reference_vectors=inputs.reference_vectors,
        better=comparisons.better,
        worse=comparisons.worse,
        part=np.zeros(len(comparisons.better), np.int64),
        group=comparisons.segments,
        weight=np.full(len(comparisons.better), weight),
        scores=scores,
        hypothesis_part=np.zeros(len(batch), np.int64),
        hypotheses=tuple(batch.hypotheses),
        references=tuple(map(tuple, batch.references)),
    )


def _make_comparisons(test: TestSet, row_indexes: NDArray[np.int64]) -> _Comparisons:
    """Return all human comparisons of two hypotheses in a test set, excluding ties.

    Args:
        test: the test set.
        row_indexes: the row of each hypothesis in the examples, ``(systems, segments)``.
    """
    from meteor_e_evaluation import pairwise_judgments

    rankings = pairwise_judgments(test)
    if rankings is None:
        empty = np.array([], np.int64)
        return _Comparisons(empty, empty, empty)
    rankings = rankings.strict()
    return _Comparisons(
        better=row_indexes[rankings.better, rankings.segments],
        worse=row_indexes[rankings.worse, rankings.segments],
        segments=rankings.segments,
    )


def _make_synthetic_examples(texts: SyntheticTexts, name: str, extractor: InputExtractor, weight: float) -> Examples:
    """Convert synthetic comparisons to training examples. Each kind of comparison receives its own title.

    Args:
        texts: the synthetic texts and their comparisons.
        name: the name of the test set that the texts were made from.
        extractor: extracts the features and vectors.
        weight: the weight of each comparison.
    """
    stage = f"{SYNTHETIC} {name}"
    inputs = extractor.with_stage(stage).extract(FeatureBatch(texts.hypotheses, texts.references))
    n_texts = len(texts.hypotheses)
    pair_counts = [len(pairs) for pairs in texts.comparisons.values()]
    row_pairs = list(chain.from_iterable(texts.comparisons.values()))
    better, worse = np.array(row_pairs, np.int64).reshape(-1, 2).T
    return Examples(
        title=tuple(f"{stage} {kind}" for kind in texts.comparisons),
        features=inputs.features,
        vectors=inputs.vectors,
        reference_vectors=inputs.reference_vectors,
        better=better,
        worse=worse,
        part=np.repeat(np.arange(len(pair_counts)), pair_counts),
        group=worse,
        weight=np.full(len(better), weight),
        scores=np.array(texts.scores) if texts.scores else np.full(n_texts, np.nan),
        hypothesis_part=np.zeros(n_texts, np.int64),
        hypotheses=tuple(texts.hypotheses),
        references=tuple(map(tuple, texts.references)),
    )
