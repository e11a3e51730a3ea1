"""Features are numbers that describe hypotheses and references. Learned metrics compute scores from features.

A minimal plugin::

    class LengthRatio(Feature):
        \"\"\"The length of the hypothesis divided by the length of the reference, in words.\"\"\"

        name = "length-ratio"
        dimension = 1

        def compute(self, batch):
            return [
                [len(hypothesis.split()) / max(1, len(references[0].split()))]
                for hypothesis, references in zip(batch.hypotheses, batch.references)
            ]

A feature defines its options, like a matcher, in a subclass of :class:`ComponentOptions`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

from meteor_e.api.component import Component
from meteor_e.base.errors import InputError, PluginError, plugin_errors
from meteor_e.base.texts import check_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class FeatureBatch:
    """The segments for which a feature is computed. Each attribute is a sequence with one item per segment.

    Attributes:
        hypotheses: raw hypotheses.
        references: raw references of each hypothesis.
        sources: raw source segments, for features that need them.
        systems: name of the system of each hypothesis, for features that look up results of another program.
        segments: id of the segment of each hypothesis, for features that look up results of another program.
    """

    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None = None
    systems: Sequence[str] | None = None
    segments: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)


class Feature(Component):
    """Base class of all features. A feature describes a hypothesis and its references by a row of numbers.

    Rows are cached on disk. Therefore, a row must be the same in every call and must not depend on other segments of
    the batch. The cache key consists of the feature's name and the result of :meth:`describe`. Instances must be
    picklable.

    The class attributes of :class:`Component` are inherited.

    Class attributes
    ----------------
    needs : tuple[str, ...]
        Names of the attributes of :class:`FeatureBatch` that the feature uses.
    version : int
        Version of the definition of the numbers. It must increase when the numbers change intentionally.
    any_text : bool
        Whether the feature can be computed for every text. It is ``False`` if texts are looked up in a file.
    """

    kind: ClassVar[str] = "feature"
    needs: ClassVar[tuple[str, ...]] = ("hypotheses", "references")
    version: ClassVar[int] = 1
    any_text: ClassVar[bool] = True

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of values per segment."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the feature's values. By default, the names are the numbers 0, 1, 2 and so on."""
        return tuple(str(index) for index in range(self.dimension))

    @abstractmethod
    def compute(self, batch: FeatureBatch) -> ArrayLike:
        """Return an array of finite numbers with the shape ``(len(batch), dimension)``.

        This method is not called for empty batches.
        """

    def definition(self) -> str:
        """Return :meth:`describe` without versions of libraries. Model files store this description.

        A model file also contains a few texts and their feature values. When a model is loaded, the values are computed
        again. Differences show that a new version of a library has changed the feature.
        """
        return self.describe()

    def extract(
        self,
        hypotheses: Sequence[str],
        references: Sequence[str | Sequence[str]],
        *,
        sources: Sequence[str] | None = None,
        systems: Sequence[str] | None = None,
        segments: Sequence[str] | None = None,
    ) -> NDArray[np.float64]:
        """Check the texts of segments, and compute the feature's values for each segment.

        Args:
            hypotheses: raw hypotheses.
            references: for each hypothesis its raw references, or a single raw reference.
            sources: raw source segments; see :class:`FeatureBatch`.
            systems: name of the system of each hypothesis.
            segments: id of the segment of each hypothesis.

        Returns:
            NDArray[np.float64] of shape (segments, dimension): The feature's values for each segment.

        Raises:
            InputError: if an argument is not a list of texts, if the lists have different lengths, or if a list that
                the feature needs is missing.
            PluginError: if the feature fails, or does not return finite rows of its dimension.
        """
        optional = {"sources": sources, "systems": systems, "segments": segments}
        provided = {name: values for name, values in optional.items() if values is not None}
        columns = check_items(hypotheses=hypotheses, references=references, **provided)
        reference_lists = [[texts] if isinstance(texts, str) else texts for texts in columns.pop("references")]
        return self.rows(FeatureBatch(references=reference_lists, **columns))

    def rows(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Compute and check the feature's values for a batch. The shape is ``(len(batch), dimension)``.

        Raises:
            InputError: if the batch does not have an attribute that the feature needs.
            PluginError: if the feature fails, or does not return finite rows of its dimension.
        """
        import numpy as np

        for attribute in self.needs:
            if getattr(batch, attribute) is None:
                raise InputError(f"feature {self.name!r} needs the {attribute} of the segments")
        if len(batch) == 0:
            return np.empty((0, self.dimension))
        with plugin_errors(f"feature {self.name!r}"):
            rows = np.asarray(self.compute(batch), dtype=np.float64)
        self._check_rows(rows, len(batch))
        return rows

    def _check_rows(self, rows: NDArray[np.float64], segment_count: int) -> None:
        """Check that there is one row of finite numbers per segment.

        Args:
            rows: the result of :meth:`compute`.
            segment_count: number of segments in the batch.

        Raises:
            PluginError: if the shape is wrong, or if a number is infinite or NaN.
        """
        import numpy as np

        if rows.shape != (segment_count, self.dimension):
            raise PluginError(
                f"feature {self.name!r} returned an array of shape {rows.shape} for {segment_count} segments; "
                f"it declares {self.dimension} numbers per segment"
            )
        is_finite = np.isfinite(rows).all(axis=1)  # (segments,)
        if not is_finite.all():
            index = int(np.argmin(is_finite))  # The first row that is not finite.
            raise PluginError(f"feature {self.name!r} is not finite for segment {index + 1}: {rows[index]}")


class SegmentFeature(Feature):
    """Base class of features that represent each text by a vector, such as a sentence embedding.

    The feature consists of the hypothesis vector and the mean vector of the references. Neural networks call
    :meth:`vectors` to get the vectors of single texts.
    """

    @property
    @abstractmethod
    def segment_dimension(self) -> int:
        """Dimension of the vector of a segment."""

    @abstractmethod
    def vectors(self, segments: Sequence[str]) -> ArrayLike:
        """Return one finite vector per raw segment. The shape is ``(len(segments), segment_dimension)``."""

    @property
    def dimension(self) -> int:
        """The number of values per segment, which is twice the dimension of a segment vector."""
        return 2 * self.segment_dimension

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Return for each segment the vector of the hypothesis, followed by the mean vector of the references."""
        import numpy as np

        return np.hstack(compute_segment_vectors(batch, self._compute_vectors))

    def _compute_vectors(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the vectors of texts as an array, ``(texts, segment_dimension)``.

        Raises:
            PluginError: if :meth:`vectors` returns an array of another shape.
        """
        import numpy as np

        vectors = np.asarray(self.vectors(texts), dtype=np.float64)
        if vectors.shape != (len(texts), self.segment_dimension):
            raise PluginError(
                f"feature {self.name!r} returned vectors of shape {vectors.shape} for {len(texts)} segments; "
                f"it declares {self.segment_dimension} numbers per segment"
            )
        return vectors


def compute_segment_vectors(
    batch: FeatureBatch, compute_vectors: Callable[[Sequence[str]], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the vector of each hypothesis, and the mean of the vectors of its references.

    Args:
        batch: the segments, of which there is at least one.
        compute_vectors: a function that returns one vector per text, ``(texts, dimension)``. It is called once, with
            the distinct texts of the batch.

    Returns:
        Two arrays, ``(segments, dimension)``.
    """
    import numpy as np

    distinct_texts = list(dict.fromkeys(chain(batch.hypotheses, *batch.references)))
    vectors = compute_vectors(distinct_texts)
    index_of_text = {text: index for index, text in enumerate(distinct_texts)}
    hypothesis_indexes = [index_of_text[hypothesis] for hypothesis in batch.hypotheses]
    mean_reference_vectors = []
    for references in batch.references:
        reference_indexes = [index_of_text[reference] for reference in references]
        mean_reference_vectors.append(vectors[reference_indexes].mean(axis=0))
    return vectors[hypothesis_indexes], np.stack(mean_reference_vectors)
