"""Feature that consists of METEOR's score, components of the score such as recall, and the underlying counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from meteor_e import MatcherCounts, Meteor, Statistics
from meteor_e.api import ComponentOptions, Feature, FeatureBatch, Meta
from meteor_e.base.yamlfile import is_path
from meteor_e.chains.config import load_chain
from meteor_e.chains.settings import apply_settings, replace_chain_paths
from meteor_e.plugins.registry import plugin_registry
from meteor_e.scoring.arrays import divide_or_zero
from meteor_e.scoring.formula import PART_INDEXES, PARTS, FormulaScores, Shares, shares
from meteor_e.scoring.statistics import statistics_columns

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api import MatcherContext


class MeteorFeature(Feature):
    """METEOR's score, its parts, all counts, and the contribution of each matcher.

    The option ``settings`` overrides options of matchers and of the lemmatizer. For example,
    ``{vector: {file: en.vectors, threshold: 0.7}}`` sets two options of the matcher ``vector``. The key of the
    lemmatizer is ``lemmatizer``.

    Raises:
        ConfigError: if the chain or the settings are invalid.
        ResourceError: if a resource of a matcher is not installed.
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
        task: Annotated[str, Meta(description="Task of the tuned parameters; by default the chain's.")] | None = None
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
        self._is_default = chain is None and settings is None
        arguments: dict[str, Any] = {}
        if options.language is not None:
            arguments["language"] = options.language
        if options.task is not None:
            arguments["task"] = options.task
        if settings is not None:
            arguments |= apply_settings(chain, arguments, settings)
        self.meteor = Meteor(**arguments) if chain is None else Meteor.from_config(chain, **arguments)

    @classmethod
    def from_options(cls, context: MatcherContext, options: Options) -> Self:
        """Create the feature. The language is the recipe's, unless the chain or the options set another language."""
        if not options.language and (not options.chain or load_chain(options.chain).language is None):
            options = options.replaced(language=context.language.code)
        return super().from_options(context, options)

    @classmethod
    def with_paths(cls, options: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
        """Return the options with ``change`` applied to all file paths.

        The options ``language``, ``chain`` and ``settings`` can contain file paths.
        """
        changed = super().with_paths(options, change)
        if "language" in options:
            changed["language"] = _convert_path(options["language"], change)
        if "chain" in options:
            changed["chain"] = _convert_chain_paths(options["chain"], change)
        if isinstance(options.get("settings"), Mapping):
            changed["settings"] = _convert_setting_paths(options["settings"], changed.get("chain"), change)
        return changed

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names. The columns of a matcher have the matcher's name as a prefix."""
        columns = [*PARTS, *_STATISTICS]
        counts: Counter[str] = Counter()
        for matcher in self.meteor.matcher_names:
            counts[matcher] += 1
            # If a matcher occurs twice in a chain, the columns of the second one have a prefix such as "stem#2".
            prefix = matcher if counts[matcher] == 1 else f"{matcher}#{counts[matcher]}"
            columns += [f"{prefix}.{part}" for part in _MATCHER_PARTS]
        return tuple(columns)

    @property
    def dimension(self) -> int:
        """The number of columns, which is thirteen plus seven for each matcher."""
        return len(self.columns)

    def compute(self, batch: FeatureBatch) -> NDArray[np.float64]:
        """Return the feature values of each segment, computed with the best-matching reference."""
        arrays = self.meteor.rows(batch.hypotheses, batch.references).arrays()
        # Undefined components of the score, such as the recall of an empty reference, are set to 0.
        scores = np.nan_to_num(arrays.scores)  # (segments, fields of FormulaScores)
        counts = statistics_columns(arrays.statistics.astype(float))
        matcher_shares = shares(counts, FormulaScores(*scores.T), self.meteor.chain.parameters, divide_or_zero)
        blocks = [scores[:, PART_INDEXES], np.stack([getattr(counts, name) for name in _STATISTICS], axis=1)]
        for matcher_counts, matcher_share in zip(counts.matchers, matcher_shares, strict=True):
            blocks.append(np.stack(matcher_counts, axis=1))
            blocks.append(np.stack(matcher_share, axis=1))
        return np.hstack(blocks)

    def describe(self) -> str:
        """Return METEOR's signature."""
        return self.meteor.signature

    def definition(self) -> str:
        """Return a string that identifies METEOR's language, task and matchers.

        If the options contain a chain or settings, return METEOR's complete signature instead.
        """
        chain = self.meteor.chain
        if not self._is_default:
            return self.meteor.signature
        return f"{chain.language.code}|{chain.task}|{'+'.join(self.meteor.matcher_names)}"


_STATISTICS = tuple(name for name in Statistics._fields if name != "matchers")
_MATCHER_PARTS = (*MatcherCounts._fields, *Shares._fields)


def _convert_path(value: Any, convert: Callable[[str], str]) -> Any:
    """Apply a function to a value if the value is a file path."""
    return convert(value) if isinstance(value, str) and is_path(value) else value


def _convert_chain_paths(chain: Any, convert: Callable[[str], str]) -> Any:
    """Apply a function to the path of a chain. If the chain is a mapping, apply the function to each path in it."""
    if isinstance(chain, Mapping):
        return replace_chain_paths(chain, convert, plugin_registry())
    return _convert_path(chain, convert)


def _convert_setting_paths(
    settings: Mapping[str, Any], chain: str | Mapping[str, Any] | None, convert: Callable[[str], str]
) -> dict[str, Any]:
    """Apply a function to all file paths in the settings of matchers and of the lemmatizer.

    Args:
        settings: the options by the name of a matcher, or by the word ``lemmatizer``. Options that are not a mapping
            are invalid, and are not changed.
        chain: the chain, if the feature sets one.
        convert: a function that returns the new path for a path.
    """
    converted_settings = dict(settings)
    for name, options in settings.items():
        if isinstance(options, Mapping):
            component = _find_component(name, options, chain)
            converted_settings[name] = {**options, **component.with_paths(options, convert)}
    return converted_settings


def _find_component(name: str, options: Mapping[str, Any], chain: str | Mapping[str, Any] | None) -> Any:
    """Return the class of the matcher with the given name, or of the lemmatizer if the name is ``lemmatizer``."""
    kinds = plugin_registry().kinds
    if name == "lemmatizer":
        return kinds["lemmatizer"].get(_lemmatizer_name(options, chain))
    return kinds["matcher"].get(name)


def _lemmatizer_name(options: Mapping[str, Any], chain: str | Mapping[str, Any] | None) -> str:
    """Return the name of the lemmatizer in the options, by default the lemmatizer of the chain."""
    if "use" in options:
        return str(options["use"])
    lemmatizer = load_chain(chain).lemmatizer if chain else None
    return lemmatizer.name if lemmatizer else "none"
