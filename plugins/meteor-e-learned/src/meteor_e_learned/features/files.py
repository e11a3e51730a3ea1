"""Scores and vectors that another program computed: metrics without a library, parsers' sentence vectors."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e.api import (
    ComponentOptions,
    ConfigError,
    Feature,
    FeatureBatch,
    FilePath,
    InputError,
    Meta,
    SegmentFeature,
)
from meteor_e.base.extras import require
from meteor_e.formats.plain import read_segments


class ScoreFileFeature(Feature):
    """A metric's scores, read from files in a form of the WMT metrics task.

    Segments are found by system and number, so these have to be known. A file may say ``None`` or ``NaN`` of segments
    that nobody asks for.

    Args:
        file: the files of segment scores.
        metric: the metric, where the files hold several.
        pair: the language pair, where the files hold several.
    """

    name: ClassVar[str] = "score-file"
    needs: ClassVar[tuple[str, ...]] = ("hypotheses", "references", "systems", "segments")
    dimension = 1

    class Options(ComponentOptions):
        """What a recipe may say."""

        file: Annotated[FilePath | list[FilePath], Meta(description="A file of scores, or several.")]
        metric: Annotated[str, Meta(description="Of the file, the metric whose scores count.")] | None = None
        pair: Annotated[str, Meta(description="Of the file, the language pair whose scores count.")] | None = None

    def __init__(self, file: str | Sequence[str], metric: str | None = None, pair: str | None = None) -> None:
        self.scores: dict[tuple[str, str], float] = {}
        self._metric, self._pair = metric, pair
        state = hashlib.sha256()
        files = [file] if isinstance(file, str | os.PathLike) else file
        self._files = ", ".join(map(os.fspath, files))
        evaluation = require("meteor_e_evaluation", f"feature {self.name!r}", distribution="meteor-e-evaluation")
        for path in files:
            for found in evaluation.read_metric_scores(path):
                if found.segment is None or metric not in (None, found.metric) or pair not in (None, found.pair):
                    continue
                key = (found.system, str(found.segment))
                if math.isnan(found.score):
                    continue
                if math.isinf(found.score):
                    raise InputError(f"{found.where}: the score is infinite")
                if self.scores.setdefault(key, found.score) != found.score:
                    raise InputError(
                        f"{path}: system {found.system}, segment {found.segment} has a second score; "
                        "choose one metric and pair with the options 'metric' and 'pair'"
                    )
                state.update(f"{found.system}\t{found.segment}\t{found.score!r}\n".encode())
        if not self.scores:
            raise InputError(f"{file}: no scores of segments" + (f" of metric {metric!r}" if metric else ""))
        self._digest = state.hexdigest()[:12]

    @property
    def columns(self) -> tuple[str, ...]:
        """The score."""
        return ("score",)

    def compute(self, batch: FeatureBatch) -> list[list[float]]:
        """Look the scores up."""
        assert batch.systems is not None
        assert batch.segments is not None
        rows = []
        for system, segment in zip(batch.systems, batch.segments, strict=True):
            score = self.scores.get((system, segment))
            if score is None:
                raise InputError(
                    f"feature 'score-file': {self._files} has no score of system {system!r}, segment {segment}"
                )
            rows.append([score])
        return rows

    def describe(self) -> str:
        """Return the digest of what was read."""
        return f"{self._metric or ''}@{self._digest}"


class VectorFileFeature(SegmentFeature):
    """Sentence vectors that were computed before: a file of segments, and one of as many vectors.

    Args:
        text_file: segments, one a line.
        vector_file: their vectors, a line each, numbers with blanks between; or a numpy array in a ``.npy`` file.
    """

    name: ClassVar[str] = "vector-file"

    class Options(ComponentOptions):
        """What a recipe may say."""

        text_file: Annotated[FilePath, Meta(description="The segments, one a line.")]
        vector_file: Annotated[FilePath, Meta(description="Their vectors, one a line or as an array of numpy.")]

    def __init__(self, text_file: str, vector_file: str) -> None:
        segments = list(read_segments(text_file))
        self._vectors = _read_vectors(vector_file)
        if len(segments) != len(self._vectors):
            raise InputError(
                f"{vector_file} has {len(self._vectors)} vectors, {text_file} has {len(segments)} segments"
            )
        self._row = {segment.strip(): row for row, segment in enumerate(segments)}
        self._file = str(text_file)
        state = hashlib.sha256(self._vectors.tobytes())
        state.update("\n".join(segments).encode("utf-8", "surrogatepass"))
        self._digest = state.hexdigest()[:12]

    @property
    def segment_dimension(self) -> int:
        """As the file has it."""
        return int(self._vectors.shape[1])

    def vectors(self, segments: Sequence[str]) -> NDArray[np.float64]:
        """Look the vectors up."""
        rows = [self._row.get(segment.strip(), -1) for segment in segments]
        if -1 in rows:
            missing = segments[rows.index(-1)]
            raise InputError(f"feature 'vector-file': {self._file} has no segment {missing[:60]!r}")
        return self._vectors[rows]

    def describe(self) -> str:
        """Return the digest of what was read."""
        return f"@{self._digest}"


def _read_vectors(path: str) -> NDArray[np.float64]:
    try:
        if Path(path).suffix == ".npy":
            found = np.load(path, allow_pickle=False)
        else:
            rows = [[float(number) for number in line.split()] for line in read_segments(path)]
            if len({len(row) for row in rows}) > 1:
                raise InputError(f"{path}: lines differ in how many numbers they have")
            found = np.array(rows)
        if found.ndim != 2 or not found.size:
            raise InputError(f"{path}: not a table of vectors; its shape is {found.shape}")
        found = found.astype(np.float64)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise InputError(f"{path}: not vectors: {error}") from error
    if not np.isfinite(found).all():
        raise ConfigError(f"{path}: has numbers that are not finite")
    result: NDArray[np.float64] = found
    return result
