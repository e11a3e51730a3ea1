"""METEOR as a feature: what it counts, and what it makes of it."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api.features import Feature, FeatureBatch
from meteor_e.base.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from meteor_e.api.context import MatcherContext
    from meteor_e.scoring.parameters import Parameters

__all__ = ["MeteorFeature"]


class MeteorFeature(Feature):
    """METEOR: the score, its parts, all statistics, and what each matcher of the chain brought.

    Args:
        chain: path of a YAML chain, name of a chain, or a mapping; by default the language's chain.
        language: code of the language; by default that of the recipe.
        task: what the parameters were tuned for; by default the chain's or the language's.
        settings: options of the chain's matchers and, under ``lemmatizer``, of its lemmatiser, in the place of those
            that the chain gives: ``{vector: {file: en.vectors, threshold: 0.7}}``.

    Raises:
        ConfigError: for a chain or settings that are wrong.
        ResourceError: if a matcher lacks what it needs.
    """

    name: ClassVar[str] = "meteor"

    def __init__(
        self,
        chain: str | Mapping[str, Any] | None = None,
        language: str | None = None,
        task: str | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        from meteor_e.chains.settings import apply_settings
        from meteor_e.meteor import Meteor

        self._plain = chain is None and settings is None
        given: dict[str, Any] = {"language": language, "task": task}
        given = {key: value for key, value in given.items() if value is not None}
        if settings is not None:
            given |= apply_settings(chain, given, _checked(settings))
        self.meteor = Meteor(**given) if chain is None else Meteor.from_config(chain, **given)

    @classmethod
    def create(cls, context: MatcherContext, **options: Any) -> Self:
        """Score in the recipe's language where neither chain nor option names another."""
        from meteor_e.chains.config import load_chain

        chain = options.get("chain")
        if not options.get("language") and (not chain or load_chain(chain).language is None):
            options["language"] = context.language.code
        return super().create(context, **options)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers; those of a matcher begin with its name and a dot."""
        names = self.meteor.matcher_names
        # A chain may have a matcher twice; the second is called stem#2.
        counts = [names[: index + 1].count(name) for index, name in enumerate(names)]
        matchers = [name if count == 1 else f"{name}#{count}" for name, count in zip(names, counts, strict=True)]
        return (*_PARTS, *_STATISTICS, *(f"{matcher}.{part}" for matcher in matchers for part in _MATCHER_PARTS))

    @property
    def dimension(self) -> int:
        """Thirteen and seven a matcher."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Score the segments, each against its best reference."""
        import numpy as np

        scored = list(self.meteor.segments(batch.hypotheses, batch.references))
        parts = np.array([_parts(each) for each in scored])
        statistics = np.array([each.statistics.to_vector() for each in scored], float)
        counts = statistics[:, 4:-3].reshape(len(scored), -1, 4)
        shares = _contributions(statistics, counts, parts, self.meteor.chain.parameters)
        blocks = [parts, statistics[:, :4], statistics[:, -3:]]
        blocks.append(np.concatenate([counts, shares], axis=2).reshape(len(scored), -1))
        return np.hstack(blocks)

    def describe(self) -> str:
        """Return METEOR's signature."""
        return self.meteor.signature

    def definition(self) -> str:
        """Return language, task and matchers; all of the signature where a chain or settings were given."""
        chain = self.meteor.chain
        if not self._plain:
            return self.meteor.signature
        return f"{chain.language.code}|{chain.task}|{'+'.join(self.meteor.matcher_names)}"


def _contributions(
    statistics: NDArray[np.float64], counts: NDArray[np.float64], parts: NDArray[np.float64], parameters: Parameters
) -> NDArray[np.float64]:
    """Return what :meth:`meteor_e.scoring.results.Score.contributions` does, of many segments at once.

    Args:
        statistics: ``(segments, 7 + 4 · matchers)``.
        counts: those of the matchers, ``(segments, matchers, 4)``.
        parts: the parts of the scores, in the order of ``_PARTS``.
        parameters: of the chain.

    Returns:
        Precision, recall and score of each matcher, ``(segments, matchers, 3)``.
    """
    import numpy as np

    delta, alpha, weights = parameters.delta, parameters.alpha, np.array(parameters.weights)
    function, length = statistics[:, 2:4], statistics[:, :2]
    words = (delta * (length - function) + (1 - delta) * function)[:, None, :]
    matched = weights[:, None] * (delta * counts[:, :, :2] + (1 - delta) * counts[:, :, 2:])
    shares = np.where(words > 0, matched / np.where(words > 0, words, 1), 0.0)
    score, precision, recall, _, fmean, penalty = parts.T[:, :, None]
    some = score > 0
    # Quotients first: the squares of tiny numbers are 0.
    of_side = [
        shares[:, :, side] / np.where(some, whole, 1) * (share * (fmean / np.where(some, whole, 1)))
        for side, whole, share in ((0, precision, 1 - alpha), (1, recall, alpha))
    ]
    scores = np.where(some, fmean * (1 - penalty) * (of_side[0] + of_side[1]), 0.0)
    return np.concatenate([shares, scores[:, :, None]], axis=2)


def _checked(settings: object) -> Mapping[str, Mapping[str, Any]]:
    if not isinstance(settings, Mapping) or not all(isinstance(options, Mapping) for options in settings.values()):
        raise ConfigError(
            f"feature 'meteor': settings is {settings!r}; it must be a mapping, such as {{vector: {{threshold: 0.7}}}}"
        )
    return settings


_PARTS = ("score", "precision", "recall", "f1", "fmean", "fragmentation_penalty")
_parts = operator.attrgetter(*_PARTS)
_STATISTICS = (
    *("hypothesis_length", "reference_length", "hypothesis_function_words", "reference_function_words"),
    *("chunks", "hypothesis_matched", "reference_matched"),
)
_MATCHER_PARTS = (
    *("hypothesis_content", "reference_content", "hypothesis_function", "reference_function"),
    *("precision", "recall", "score"),
)
