"""From test sets to examples: features and vectors of judged hypotheses, and the judgments among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from meteor_e.api import ConfigError, Examples, FeatureBatch, InputError
from meteor_e.base.array_cache import Floats
from meteor_e.base.extras import require
from meteor_e.base.progress import Progress, silent, staged
from meteor_e_learned.answers import answer_examples, load_answers
from meteor_e_learned.examples import joined
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
    """Read judged test sets and extract their features.

    Args:
        specs: the judgments.
        features: of hypotheses, given their references.
        vectors: of single segments.
        store: where rows are kept.
        language: test sets into it are taken where a spec names no pairs.
        folder: indexes are seen from it.
        seed: of samples that have none of their own.
        jobs: number of processes.
        progress: told about the work on each test set.
        roots: folders of the data by the name of the index, instead of the index's own.

    Raises:
        ConfigError: for a sample of nothing, or no pairs.
        InputError: if there is nothing to learn from.
    """
    found = []
    for spec in specs:
        if spec.answers:
            title = Path(spec.answers).name
            found.append(
                answer_examples(
                    load_answers(resolve(spec.answers, folder)),
                    title if spec.references is None else f"{title}, {spec.references} references",
                    features,
                    store,
                    references=spec.references,
                    jobs=jobs,
                    progress=staged(progress, title),
                )
            )
            continue
        evaluation = require("meteor_e_evaluation", "training", distribution="meteor-e-evaluation")
        if spec.sample is not None and spec.sample < 1:
            raise ConfigError(f"{spec.index}: sample is {spec.sample}; it has to be 1 or more")
        if spec.skip < 0:
            raise ConfigError(f"{spec.index}: skip is {spec.skip}; it has to be 0 or more")
        if spec.pairs is not None and not spec.pairs:
            raise ConfigError(f"{spec.index}: 'pairs' is empty; name some, or leave it out for all into {language!r}")
        index = evaluation.load_index(resolve(spec.index, folder), root=(roots or {}).get(Path(spec.index).stem))
        tests = [evaluation.load_test_set(index, pair) for pair in spec.pairs or index.pairs_into(language)]
        if not tests:
            raise InputError(f"{spec.index}: no language pair into {language!r}")
        if spec.made is not None:
            own = seed if spec.seed is None else spec.seed
            texts = synthetic_comparisons(spec.made, tests, spec.sample or 1000, language, own)
            found.append(
                _synthetic_examples(texts, tests[0].name, features, vectors, store, spec.weight, jobs, progress)
            )
            continue
        chosen = sample_judgements(tests, spec.sample, seed if spec.seed is None else spec.seed, skip=spec.skip)
        if not chosen:
            raise InputError(f"{spec.index}: no judgments are left after skip: {spec.skip}")
        for test in chosen:
            told = staged(progress, f"{test.name} {test.pair}")
            found.append(make_examples(test, features, vectors, store, weight=spec.weight, jobs=jobs, progress=told))
    return joined(found)


def sample_judgements(tests: Sequence[TestSet], count: int | None, seed: int, *, skip: int = 0) -> list[TestSet]:
    """Return test sets with a number of judgments in all, drawn without replacement; ties do not count as judgments.

    Args:
        tests: test sets with rankings, or with scores of segments.
        count: how many; ``None`` for all.
        seed: of the draw.
        skip: number of those drawn first that are left out.
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
    chosen = np.zeros(sum(sizes), bool)
    last = None if count is None else skip + count
    chosen[np.random.default_rng(seed).permutation(len(chosen))[skip:last]] = True
    result = []
    for test, rankings, part in zip(tests, ranked, np.split(chosen, np.cumsum(sizes)[:-1]), strict=True):
        if test.rankings is not None and rankings is not None:
            result.append(replace(test, rankings=rankings.select(part)))
        elif test.assessments is not None:
            result.append(replace(test, assessments=test.assessments.select(part)))
    return [test for test in result if test.judged().any()]


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
    """Extract the features of the judged hypotheses of a test set; arguments are those of :func:`load_examples`."""
    from meteor_e_evaluation import pairwise_judgments

    cells = test.judged()
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
    left, right = sentence_vectors(hypotheses, references, vectors, store, jobs=jobs, progress=progress)
    place = np.full(cells.shape, -1, np.int64)
    place[systems, segments] = np.arange(len(systems))
    rankings = pairwise_judgments(test)
    none = np.array([], np.int64)
    better = worse = group = none
    if rankings is not None:
        rankings = rankings.strict()
        better = place[rankings.better, rankings.segments]
        worse = place[rankings.worse, rankings.segments]
        group = rankings.segments
    scores = np.full(len(systems), np.nan)
    if test.assessments is not None:
        scores[place[test.assessments.systems, test.assessments.segments]] = test.assessments.scores
    return Examples(
        title=(f"{test.name} {test.pair}",),
        features=rows,
        vectors=left,
        reference_vectors=right,
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
    """Extract the features of synthetic texts; each kind of comparison is a part."""
    batch = FeatureBatch(texts.hypotheses, texts.references)
    told = staged(progress, f"{SYNTHETIC} {name}")
    rows = features.extract(batch, store, jobs=jobs, progress=told)
    left, right = sentence_vectors(texts.hypotheses, texts.references, vectors, store, jobs=jobs, progress=told)
    sizes = [len(pairs) for pairs in texts.comparisons.values()]
    better, worse = (
        np.array([pair for pairs in texts.comparisons.values() for pair in pairs], np.int64).reshape(-1, 2).T
    )
    return Examples(
        title=tuple(f"{SYNTHETIC} {name} {kind}" for kind in texts.comparisons),
        features=rows,
        vectors=left,
        reference_vectors=right,
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
    """Return the vectors of hypotheses, and the means of those of their references."""
    if not vectors.features:
        return np.empty((len(hypotheses), 0)), np.empty((len(hypotheses), 0))
    distinct = list(dict.fromkeys([*hypotheses, *(one for each in references for one in each)]))
    row = {segment: at for at, segment in enumerate(distinct)}
    found = vectors.segment_vectors(distinct, store, jobs=jobs, progress=progress)
    left = found[[row[segment] for segment in hypotheses]]
    right = np.array([found[[row[one] for one in each]].mean(axis=0) for each in references])
    return left, right.reshape(len(hypotheses), -1)
