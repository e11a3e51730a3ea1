"""Loads training data, and extracts the features of the hypotheses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import ConfigError, Examples, FeatureBatch, InputError
from meteor_e.base.array_cache import Floats
from meteor_e.base.extras import require
from meteor_e.base.progress import Progress, rename_stages, silent
from meteor_e_learned.answers import answer_examples, load_answers
from meteor_e_learned.examples import concatenate
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.feature_store import FeatureStore
from meteor_e_learned.models.base import SYNTHETIC
from meteor_e_learned.recipe import DataSpec, resolve
from meteor_e_learned.synthetic import SyntheticTexts, synthetic_comparisons

if TYPE_CHECKING:
    from meteor_e_evaluation import TestSet
    from meteor_e_evaluation.judgments import Rankings


class _Rows(NamedTuple):
    """Features and vectors of hypotheses.

    Attributes:
        features: the features, ``(hypotheses, columns)``.
        vectors: the vectors of the hypotheses.
        reference_vectors: the mean vectors of the references.
    """

    features: Floats
    vectors: Floats
    reference_vectors: Floats


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


@dataclass(frozen=True)
class _Extractor:
    """Extracts features of hypotheses, and vectors of hypotheses and references.

    Attributes:
        features: the features of hypotheses and their references.
        vectors: the features of single texts.
        store: the cache of features.
        jobs: the number of processes.
        progress: receives the progress of the extraction.
    """

    features: FeatureSet
    vectors: FeatureSet
    store: FeatureStore
    jobs: int
    progress: Progress

    def extract(self, batch: FeatureBatch, stage: str) -> _Rows:
        """Return the features of the hypotheses in a batch, and the sentence vectors of hypotheses and references.

        Args:
            batch: the hypotheses and their references.
            stage: the name of the extraction in progress reports.
        """
        progress = rename_stages(self.progress, stage)
        features = self.features.extract(batch, self.store, jobs=self.jobs, progress=progress)
        vectors, reference_vectors = sentence_vectors(
            batch.hypotheses, batch.references, self.vectors, self.store, jobs=self.jobs, progress=progress
        )
        return _Rows(features, vectors, reference_vectors)


def load_examples(
    specs: Sequence[DataSpec],
    features: FeatureSet,
    vectors: FeatureSet,
    store: FeatureStore,
    *,
    language: str = "en",
    folder: Path = Path(),
    seed: int = 1,
    jobs: int = 1,
    progress: Progress = silent,
    roots: Mapping[str, str] | None = None,
) -> Examples:
    """Load the training or validation data that a recipe specifies, and extract the features of the hypotheses.

    Args:
        specs: the data of the recipe.
        features: the features of hypotheses and their references.
        vectors: the features of single texts.
        store: the cache of features.
        language: the target language. A spec without pairs uses all language pairs into this language.
        folder: the folder that the paths of the specs are relative to.
        seed: the seed for specs that do not have their own.
        jobs: the number of processes.
        progress: receives the progress of the work on each test set.
        roots: folders of the data by name of the index, which replace the folders in the indexes.

    Raises:
        ConfigError: if a sample or a list of language pairs is empty, or if ``skip`` is negative.
        InputError: if there are no judgments to learn from.
    """
    extractor = _Extractor(features, vectors, store, jobs, progress)
    example_sets: list[Examples] = []
    for spec in specs:
        if spec.answers:
            example_sets.append(_load_answer_examples(spec, extractor, folder))
            continue
        root = None if roots is None else roots.get(Path(spec.index).stem)
        tests = _load_test_sets(spec, language, folder, root)
        spec_seed = seed if spec.seed is None else spec.seed
        if spec.made is None:
            example_sets += _make_judged_examples(spec, tests, extractor, spec_seed)
        else:
            texts = synthetic_comparisons(spec.made, tests, spec.sample or 1000, language, spec_seed)
            example_sets.append(_make_synthetic_examples(texts, tests[0].name, extractor, spec.weight))
    return concatenate(example_sets)


def _load_answer_examples(spec: DataSpec, extractor: _Extractor, folder: Path) -> Examples:
    """Read a file with judged answers of language models, and extract the features of the answers."""
    name = Path(spec.answers).name
    return answer_examples(
        load_answers(resolve(spec.answers, folder)),
        name if spec.references is None else f"{name}, {spec.references} references",
        extractor.features,
        extractor.store,
        references=spec.references,
        jobs=extractor.jobs,
        progress=rename_stages(extractor.progress, name),
    )


def _load_test_sets(spec: DataSpec, language: str, folder: Path, root: str | None) -> list[TestSet]:
    """Check a data specification, and load the test sets that it names.

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
    index = evaluation.load_index(resolve(spec.index, folder), root=root)
    tests = [evaluation.load_test_set(index, pair) for pair in spec.pairs or index.pairs_into(language)]
    if not tests:
        raise InputError(f"{spec.index}: no language pair into {language!r}")
    return tests


def sample_judgments(tests: Sequence[TestSet], count: int | None, seed: int, *, skip: int = 0) -> list[TestSet]:
    """Draw a random sample of judgments without replacement, and return test sets with only these judgments.

    Ties between two hypotheses do not count as judgments.

    Args:
        tests: test sets with rankings, or with ratings of segments.
        count: the number of judgments in all test sets together, or None for all judgments.
        seed: the seed of the sample.
        skip: the number of judgments to leave out at the beginning of the random order.
    """
    rankings = [None if test.rankings is None else test.rankings.strict() for test in tests]
    judgment_counts = list(map(_count_judgments, tests, rankings))
    n_judgments = sum(judgment_counts)
    if not skip and (count is None or count >= n_judgments):
        return list(tests)
    random_order = np.random.default_rng(seed).permutation(n_judgments)
    end = None if count is None else skip + count
    is_selected = np.zeros(n_judgments, bool)
    is_selected[random_order[skip:end]] = True
    # The mask covers the judgments of all test sets in order, so it is split into one mask per test set.
    masks = np.split(is_selected, np.cumsum(judgment_counts)[:-1])
    sampled_tests = map(_select_judgments, tests, rankings, masks)
    return [test for test in sampled_tests if test.judgment_mask().any()]


def _count_judgments(test: TestSet, rankings: Rankings | None) -> int:
    """Count the rankings of a test set, excluding ties. Without rankings, count the ratings instead."""
    if rankings is not None:
        return len(rankings)
    return len(test.assessments or ())


def _select_judgments(test: TestSet, rankings: Rankings | None, mask: NDArray[np.bool_]) -> TestSet:
    """Return a copy of a test set that contains only the selected judgments.

    Args:
        test: the test set.
        rankings: the rankings of the test set without ties, or None if the test set contains ratings.
        mask: whether to select each ranking or rating.
    """
    if rankings is not None:
        return replace(test, rankings=rankings.select(mask))
    if test.assessments is not None:
        return replace(test, assessments=test.assessments.select(mask))
    return test


def _make_judged_examples(
    spec: DataSpec, tests: Sequence[TestSet], extractor: _Extractor, seed: int
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


def _make_test_set_examples(test: TestSet, extractor: _Extractor, weight: float) -> Examples:
    """Convert the judged hypotheses of a test set to training examples.

    Args:
        test: the test set.
        extractor: extracts the features and vectors.
        weight: the weight of each comparison.
    """
    mask = test.judgment_mask()
    systems, segments = mask.nonzero()
    batch = _select_hypotheses(test, systems, segments)
    title = f"{test.name} {test.pair}"
    rows = extractor.extract(batch, title)
    row_indexes = np.full(mask.shape, -1, np.int64)
    row_indexes[systems, segments] = np.arange(len(systems))
    comparisons = _make_comparisons(test, row_indexes)
    scores = np.full(len(systems), np.nan)
    if test.assessments is not None:
        scores[row_indexes[test.assessments.systems, test.assessments.segments]] = test.assessments.scores
    return Examples(
        title=(title,),
        features=rows.features,
        vectors=rows.vectors,
        reference_vectors=rows.reference_vectors,
        better=comparisons.better,
        worse=comparisons.worse,
        part=np.zeros(len(comparisons.better), np.int64),
        group=comparisons.segments,
        weight=np.full(len(comparisons.better), weight),
        scores=scores,
        hypothesis_part=np.zeros(len(systems), np.int64),
        hypotheses=tuple(batch.hypotheses),
        references=tuple(map(tuple, batch.references)),
    )


def _select_hypotheses(test: TestSet, systems: NDArray[np.intp], segments: NDArray[np.intp]) -> FeatureBatch:
    """Return a batch of selected hypotheses from a test set, with their references and sources.

    Args:
        test: the test set.
        systems: the index of the system of each hypothesis.
        segments: the index of the segment of each hypothesis.
    """
    sources = None
    if test.source is not None:
        sources = [test.source[segment] for segment in segments]
    return FeatureBatch(
        hypotheses=[test.outputs[system][segment] for system, segment in zip(systems, segments, strict=True)],
        references=[[reference[segment] for reference in test.references] for segment in segments],
        sources=sources,
        systems=[test.systems[system] for system in systems],
        segments=[str(segment + 1) for segment in segments],
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


def _make_synthetic_examples(texts: SyntheticTexts, name: str, extractor: _Extractor, weight: float) -> Examples:
    """Convert synthetic comparisons to training examples. Each kind of comparison receives its own title.

    Args:
        texts: the synthetic texts and their comparisons.
        name: the name of the test set that the texts were made from.
        extractor: extracts the features and vectors.
        weight: the weight of each comparison.
    """
    rows = extractor.extract(FeatureBatch(texts.hypotheses, texts.references), f"{SYNTHETIC} {name}")
    pair_counts = [len(pairs) for pairs in texts.comparisons.values()]
    all_pairs = [pair for pairs in texts.comparisons.values() for pair in pairs]
    better, worse = np.array(all_pairs, np.int64).reshape(-1, 2).T
    return Examples(
        title=tuple(f"{SYNTHETIC} {name} {kind}" for kind in texts.comparisons),
        features=rows.features,
        vectors=rows.vectors,
        reference_vectors=rows.reference_vectors,
        better=better,
        worse=worse,
        part=np.repeat(np.arange(len(pair_counts)), pair_counts),
        group=worse,
        weight=np.full(len(better), weight),
        scores=np.array(texts.scores) if texts.scores else np.full(len(rows.features), np.nan),
        hypothesis_part=np.zeros(len(rows.features), np.int64),
        hypotheses=tuple(texts.hypotheses),
        references=tuple(map(tuple, texts.references)),
    )


def sentence_vectors(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    vectors: FeatureSet,
    store: FeatureStore,
    *,
    jobs: int = 1,
    progress: Progress = silent,
) -> tuple[Floats, Floats]:
    """Return the sentence vector of each hypothesis, and the mean sentence vector of its references.

    Args:
        hypotheses: the hypotheses.
        references: the references of each hypothesis.
        vectors: the features that compute vectors of single texts. If there are none, the vectors are empty.
        store: the cache of features.
        jobs: the number of processes.
        progress: receives the progress of the extraction.
    """
    if not vectors.features:
        return np.empty((len(hypotheses), 0)), np.empty((len(hypotheses), 0))
    all_references = [reference for segment_references in references for reference in segment_references]
    distinct_texts = list(dict.fromkeys([*hypotheses, *all_references]))
    row_by_text = {text: row for row, text in enumerate(distinct_texts)}
    text_vectors = vectors.segment_vectors(distinct_texts, store, jobs=jobs, progress=progress)
    hypothesis_vectors = text_vectors[[row_by_text[hypothesis] for hypothesis in hypotheses]]
    mean_vectors = []
    for segment_references in references:
        reference_rows = [row_by_text[reference] for reference in segment_references]
        mean_vectors.append(text_vectors[reference_rows].mean(axis=0))
    return hypothesis_vectors, np.array(mean_vectors).reshape(len(hypotheses), -1)
