"""Training examples from test sets: the features and vectors of the judged hypotheses, and their judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

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
    """Read judged test sets, and extract the features of their hypotheses.

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
    parts = []
    for spec in specs:
        if spec.answers:
            parts.append(_load_answer_examples(spec, features, store, folder, jobs, progress))
            continue
        tests = _load_test_sets(spec, language, folder, (roots or {}).get(Path(spec.index).stem))
        spec_seed = seed if spec.seed is None else spec.seed
        if spec.made is not None:
            texts = synthetic_comparisons(spec.made, tests, spec.sample or 1000, language, spec_seed)
            parts.append(
                _synthetic_examples(texts, tests[0].name, features, vectors, store, spec.weight, jobs, progress)
            )
            continue
        sampled_tests = sample_judgments(tests, spec.sample, spec_seed, skip=spec.skip)
        if not sampled_tests:
            raise InputError(f"{spec.index}: no judgments are left after skip: {spec.skip}")
        for test in sampled_tests:
            stage = rename_stages(progress, f"{test.name} {test.pair}")
            parts.append(make_examples(test, features, vectors, store, weight=spec.weight, jobs=jobs, progress=stage))
    return concatenate(parts)


def _load_answer_examples(
    spec: DataSpec, features: FeatureSet, store: FeatureStore, folder: Path, jobs: int, progress: Progress
) -> Examples:
    """Read judged answers, and extract their features."""
    name = Path(spec.answers).name
    return answer_examples(
        load_answers(resolve(spec.answers, folder)),
        name if spec.references is None else f"{name}, {spec.references} references",
        features,
        store,
        references=spec.references,
        jobs=jobs,
        progress=rename_stages(progress, name),
    )


def _load_test_sets(spec: DataSpec, language: str, folder: Path, root: str | None) -> list[TestSet]:
    """Check a spec, and read its test sets.

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
    """Return test sets with a random sample of their judgments, drawn without replacement.

    Ties between two hypotheses do not count as judgments.

    Args:
        tests: test sets with rankings, or with ratings of segments.
        count: the number of judgments in all test sets together; ``None`` for all.
        seed: the seed of the sample.
        skip: the number of judgments to leave out at the beginning of the random order.
    """
    from meteor_e_evaluation import pairwise_judgments

    judgments = [pairwise_judgments(test) for test in tests]
    ranked = [None if rankings is None else rankings.strict() for rankings in judgments]
    sizes = [
        len(rankings) if test.rankings is not None and rankings is not None else len(test.assessments or ())
        for test, rankings in zip(tests, ranked, strict=True)
    ]
    if not skip and (count is None or count >= sum(sizes)):
        return list(tests)
    mask = np.zeros(sum(sizes), bool)
    end = None if count is None else skip + count
    mask[np.random.default_rng(seed).permutation(len(mask))[skip:end]] = True
    result = []
    for test, rankings, test_mask in zip(tests, ranked, np.split(mask, np.cumsum(sizes)[:-1]), strict=True):
        if test.rankings is not None and rankings is not None:
            result.append(replace(test, rankings=rankings.select(test_mask)))
        elif test.assessments is not None:
            result.append(replace(test, assessments=test.assessments.select(test_mask)))
    return [test for test in result if test.judgment_mask().any()]


def make_examples(
    test: TestSet,
    features: FeatureSet,
    vectors: FeatureSet,
    store: FeatureStore,
    *,
    weight: float = 1.0,
    jobs: int = 1,
    progress: Progress = silent,
) -> Examples:
    """Extract the features of the judged hypotheses of a test set.

    See :func:`load_examples` for the arguments.
    """
    from meteor_e_evaluation import pairwise_judgments

    cells = test.judgment_mask()
    systems, segments = cells.nonzero()
    hypotheses = [test.outputs[system][segment] for system, segment in zip(systems, segments, strict=True)]
    references = [[reference[segment] for reference in test.references] for segment in segments]
    batch = FeatureBatch(
        hypotheses,
        references,
        None if test.source is None else [test.source[segment] for segment in segments],
        [test.systems[system] for system in systems],
        [str(segment + 1) for segment in segments],
    )
    rows = features.extract(batch, store, jobs=jobs, progress=progress)
    hypothesis_vectors, reference_vectors = sentence_vectors(
        hypotheses, references, vectors, store, jobs=jobs, progress=progress
    )
    row_indexes = np.full(cells.shape, -1, np.int64)
    row_indexes[systems, segments] = np.arange(len(systems))
    rankings = pairwise_judgments(test)
    better = worse = group = np.array([], np.int64)
    if rankings is not None:
        rankings = rankings.strict()
        better = row_indexes[rankings.better, rankings.segments]
        worse = row_indexes[rankings.worse, rankings.segments]
        group = rankings.segments
    scores = np.full(len(systems), np.nan)
    if test.assessments is not None:
        scores[row_indexes[test.assessments.systems, test.assessments.segments]] = test.assessments.scores
    return Examples(
        title=(f"{test.name} {test.pair}",),
        features=rows,
        vectors=hypothesis_vectors,
        reference_vectors=reference_vectors,
        better=better,
        worse=worse,
        part=np.zeros(len(better), np.int64),
        group=group,
        weight=np.full(len(better), weight),
        scores=scores,
        hypothesis_part=np.zeros(len(systems), np.int64),
        hypotheses=tuple(hypotheses),
        references=tuple(map(tuple, references)),
    )


def _synthetic_examples(
    texts: SyntheticTexts, name: str, features: FeatureSet, vectors: FeatureSet, store: FeatureStore, weight: float,
    jobs: int, progress: Progress,
) -> Examples:  # fmt: skip
    """Extract the features of synthetic texts. Each kind of comparison becomes a part of the examples."""
    batch = FeatureBatch(texts.hypotheses, texts.references)
    stage = rename_stages(progress, f"{SYNTHETIC} {name}")
    rows = features.extract(batch, store, jobs=jobs, progress=stage)
    hypothesis_vectors, reference_vectors = sentence_vectors(
        texts.hypotheses, texts.references, vectors, store, jobs=jobs, progress=stage
    )
    sizes = [len(pairs) for pairs in texts.comparisons.values()]
    better, worse = (
        np.array([pair for pairs in texts.comparisons.values() for pair in pairs], np.int64).reshape(-1, 2).T
    )
    return Examples(
        title=tuple(f"{SYNTHETIC} {name} {kind}" for kind in texts.comparisons),
        features=rows,
        vectors=hypothesis_vectors,
        reference_vectors=reference_vectors,
        better=better,
        worse=worse,
        part=np.repeat(np.arange(len(sizes)), sizes),
        group=worse,
        weight=np.full(len(better), weight),
        scores=np.array(texts.scores) if texts.scores else np.full(len(rows), np.nan),
        hypothesis_part=np.zeros(len(rows), np.int64),
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
    """Return the vector of each hypothesis, and the mean vector of its references."""
    if not vectors.features:
        return np.empty((len(hypotheses), 0)), np.empty((len(hypotheses), 0))
    distinct = list(dict.fromkeys([*hypotheses, *(text for texts in references for text in texts)]))
    row_index = {text: index for index, text in enumerate(distinct)}
    rows = vectors.segment_vectors(distinct, store, jobs=jobs, progress=progress)
    hypothesis_vectors = rows[[row_index[text] for text in hypotheses]]
    reference_vectors = np.array([rows[[row_index[text] for text in texts]].mean(axis=0) for texts in references])
    return hypothesis_vectors, reference_vectors.reshape(len(hypotheses), -1)
