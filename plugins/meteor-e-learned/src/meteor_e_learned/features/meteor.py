"""METEOR as a feature: what it counts, and what it makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e import MatcherCounts, Meteor, Statistics
from meteor_e.api import ComponentOptions, Feature, FeatureBatch, Meta
from meteor_e.base.yamlfile import is_path
from meteor_e.chains.config import load_chain
from meteor_e.chains.settings import apply_settings, chain_with_paths
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring.arrays import divide_or_zero
from meteor_e.scoring.formula import PART_INDEXES, PARTS, FormulaScores, Shares, shares
from meteor_e.scoring.statistics import statistics_columns

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class MeteorFeature(Feature):
    """METEOR: the score, its parts, all statistics, and what each matcher of the chain brought.

    ``settings`` are options of the chain's matchers and, under ``lemmatizer``, of its lemmatizer:
    ``{vector: {file: en.vectors, threshold: 0.7}}``.

    Raises:
        ConfigError: for a chain or settings that are wrong.
        ResourceError: if a matcher lacks what it needs.
    """

    name: ClassVar[str] = "meteor"

    class Options(ComponentOptions):
        """Options in a recipe."""

        chain: (
            Annotated[
                str | dict[str, Any],
                Meta(description="Path or name of a chain, or its content; by default the language's."),
            ]
            | None
        ) = None
        language: Annotated[str, Meta(description="Code of the language; by default the recipe's.")] | None = None
        task: Annotated[str, Meta(description="What the parameters were tuned for; by default the chain's.")] | None = (
            None
        )
        settings: (
            Annotated[
                dict[str, dict[str, Any]],
                Meta(description="Options of the chain's matchers and lemmatizer that replace the chain's."),
            ]
            | None
        ) = None

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        chain, settings = options.chain, options.settings
        self._plain = chain is None and settings is None
        given: dict[str, Any] = {"language": options.language, "task": options.task}
        given = {key: value for key, value in given.items() if value is not None}
        if settings is not None:
            given |= apply_settings(chain, given, settings)
        self.meteor = Meteor(**given) if chain is None else Meteor.from_config(chain, **given)

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> Self:
        """Score in the recipe's language where neither chain nor option names another."""
        if not options.language and (not options.chain or load_chain(options.chain).language is None):
            options = options.replaced(language=context.language.code)
        return super().from_options(context, options)

    @classmethod
    def with_paths(cls, options: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
        """Change the paths within the chain and its settings, too."""
        changed = super().with_paths(options, change)
        chain, language, settings = (options.get(name) for name in ("chain", "language", "settings"))
        if isinstance(chain, str) and is_path(chain):
            changed["chain"] = change(chain)
        elif isinstance(chain, Mapping):
            changed["chain"] = chain_with_paths(chain, change, plugin_registry())
        if isinstance(language, str) and is_path(language):
            changed["language"] = change(language)
        if isinstance(settings, Mapping):
            changed["settings"] = replaced = dict(settings)
            for name, given in settings.items():
                if not isinstance(given, Mapping):
                    continue
                use = name
                if name == "lemmatizer":
                    before = None if "use" in given or not changed.get("chain") else load_chain(changed["chain"])
                    use = given.get("use", before.lemmatizer.name if before and before.lemmatizer else "none")
                found = plugin_registry().components("lemmatizer" if name == "lemmatizer" else "matcher").get(use)
                replaced[name] = {**given, **found.with_paths(given, change)}
        return changed

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the numbers; those of a matcher begin with its name and a dot."""
        names = self.meteor.matcher_names
        # A chain may have a matcher twice; the second is called stem#2.
        counts = [names[: index + 1].count(name) for index, name in enumerate(names)]
        matchers = [name if count == 1 else f"{name}#{count}" for name, count in zip(names, counts, strict=True)]
        return (*PARTS, *_STATISTICS, *(f"{matcher}.{part}" for matcher in matchers for part in _MATCHER_PARTS))

    @property
    def dimension(self) -> int:
        """Thirteen and seven a matcher."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Score the segments, each against its best reference."""
        parts, statistics = self._scored(batch)
        of = statistics_columns(statistics)
        brought = shares(
            of,
            FormulaScores(**dict(zip(PARTS, parts.T, strict=True))),  # type: ignore[arg-type]
            self.meteor.chain.parameters,
            divide_or_zero,
        )
        blocks = [parts, np.stack([getattr(of, name) for name in _STATISTICS], axis=1)]
        for matched, share in zip(of.matchers, brought, strict=True):
            blocks += [np.stack(matched, axis=1), np.stack(share, axis=1)]
        return np.hstack(blocks)

    def _scored(self, batch: FeatureBatch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the parts of the scores, in the order of ``PARTS``, and the statistics, a row for each segment."""
        arrays = self.meteor.rows(batch.hypotheses, batch.references).arrays()
        # Undefined parts are 0, as in a score.
        return np.nan_to_num(arrays.scores[:, PART_INDEXES]), arrays.statistics.astype(float)

    def describe(self) -> str:
        """Return METEOR's signature."""
        return self.meteor.signature

    def definition(self) -> str:
        """Return language, task and matchers; all of the signature where a chain or settings were given."""
        chain = self.meteor.chain
        if not self._plain:
            return self.meteor.signature
        return f"{chain.language.code}|{chain.task}|{'+'.join(self.meteor.matcher_names)}"


_STATISTICS = tuple(name for name in Statistics._fields if name != "matchers")
_MATCHER_PARTS = (*MatcherCounts._fields, *Shares._fields)
