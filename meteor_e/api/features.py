"""Features: from hypotheses and references to rows of numbers, for the learned metrics.

A minimal plugin::

    class LengthRatio(Feature):
        \"\"\"Words of the hypothesis over words of the reference.\"\"\"

        name = "length-ratio"
        dimension = 1

        def compute(self, batch):
            return [
                [len(hypothesis.split()) / max(1, len(references[0].split()))]
                for hypothesis, references in zip(batch.hypotheses, batch.references)
            ]

Options are a class, as for matchers: :class:`ComponentOptions`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from meteor_e.api.component import Component
from meteor_e.base.errors import InputError, PluginError, plugin_errors
from meteor_e.base.texts import check_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class FeatureBatch:
    """What a feature sees of some segments; all sequences have one item per segment.

    Attributes:
        hypotheses: raw hypotheses.
        references: the raw references of each.
        sources: raw source segments, for features that need them.
        systems, segments: which system's output each is and of which segment, for features that look up what
            another program computed.
    """

    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None = None
    systems: Sequence[str] | None = None
    segments: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.hypotheses)


class Feature(Component):
    """Base of all features: one or several numbers that say something of a hypothesis, given its references.

    A row depends on its own segment only, whatever else is in the batch, and is the same each time: rows are
    kept on disk under the feature's name and :meth:`describe`. Instances are pickled to other processes.

    Class attributes, beside those of :class:`Component`:
        needs: the attributes of :class:`FeatureBatch` that it reads.
        version: of the definition of its numbers; raised when these change on purpose.
        any_text: whether it has a row for any text; ``False`` for a feature that looks texts up in a file.
    """

    kind: ClassVar[str] = "feature"
    needs: ClassVar[tuple[str, ...]] = ("hypotheses", "references")
    version: ClassVar[int] = 1
    any_text: ClassVar[bool] = True

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Numbers a segment."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What each number is; by default they are counted."""
        return tuple(str(index) for index in range(self.dimension))

    @abstractmethod
    def compute(self, batch: FeatureBatch) -> ArrayLike:
        """Return the rows of a batch, ``(len(batch), dimension)``, finite; the batch is not empty."""

    def definition(self) -> str:
        """Return what a trained model asks for: :meth:`describe` without the versions of libraries.

        A model holds some texts with the numbers that its features gave, and notices when a library's new version
        gives others.
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
        """Return one row per segment, ``(len(hypotheses), dimension)``.

        Args:
            hypotheses: raw hypotheses.
            references: for each hypothesis its raw references, or its only one.
            sources: raw source segments; see :class:`FeatureBatch`.
            systems: which system's output each hypothesis is.
            segments: which segment each hypothesis is of.

        Raises:
            InputError: for other things than texts, lists of different lengths, or a list that the feature needs.
            PluginError: if the feature fails, or does not return finite rows of the dimension that it declares.
        """
        sides = {"hypotheses": hypotheses, "references": references}
        others = {"sources": sources, "systems": systems, "segments": segments}
        found = check_items(**sides, **{name: values for name, values in others.items() if values is not None})
        found["references"] = [[each] if isinstance(each, str) else each for each in found["references"]]
        return self.rows(FeatureBatch(**found))

    def rows(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Return one row for each segment of a batch, ``(len(batch), dimension)``.

        Raises:
            InputError: if the batch lacks what the feature needs.
            PluginError: if the feature fails, or does not return finite rows of the dimension that it declares.
        """
        import numpy as np

        for name in self.needs:
            if getattr(batch, name) is None:
                raise InputError(f"feature {self.name!r} needs the {name} of the segments")
        if not len(batch):
            return np.empty((0, self.dimension))
        with plugin_errors(f"feature {self.name!r}"):
            rows = np.asarray(self.compute(batch), dtype=np.float64)
        if rows.shape != (len(batch), self.dimension):
            raise PluginError(
                f"feature {self.name!r} returned an array of shape {rows.shape} for {len(batch)} segments; "
                f"it declares {self.dimension} numbers per segment"
            )
        finite = np.isfinite(rows).all(axis=1)
        if not finite.all():
            segment = int(np.argmin(finite))
            raise PluginError(f"feature {self.name!r} is not finite for segment {segment + 1}: {rows[segment]}")
        return rows


class SegmentFeature(Feature):
    """A feature of one segment alone, such as a sentence vector; hypotheses and references have one each.

    :meth:`vectors` is what a network that reads both sides asks for. As a row of numbers, the feature is the
    hypothesis's vector followed by the mean of its references' vectors.
    """

    @property
    @abstractmethod
    def segment_dimension(self) -> int:
        """Numbers a segment's vector."""

    @abstractmethod
    def vectors(self, segments: Sequence[str]) -> ArrayLike:
        """Return the vectors of raw segments, ``(len(segments), segment_dimension)``, finite."""

    @property
    def dimension(self) -> int:
        """Twice the dimension of a segment's vector."""
        return 2 * self.segment_dimension

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Return hypothesis and references side by side."""
        import numpy as np

        distinct = list(dict.fromkeys([*batch.hypotheses, *(one for each in batch.references for one in each)]))
        vectors = np.asarray(self.vectors(distinct), dtype=np.float64)
        if vectors.shape != (len(distinct), self.segment_dimension):
            raise PluginError(
                f"feature {self.name!r} returned vectors of shape {vectors.shape} for {len(distinct)} segments; "
                f"it declares {self.segment_dimension} numbers per segment"
            )
        row = {segment: index for index, segment in enumerate(distinct)}
        left = vectors[[row[hypothesis] for hypothesis in batch.hypotheses]]
        right = [vectors[[row[one] for one in each]].mean(axis=0) for each in batch.references]
        return np.hstack([left, np.stack(right)])
