"""METEOR as a metric: with the language's defaults, or with any chain."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api.component import options_by_name
from meteor_e.api.languages import GREEK, Normalization
from meteor_e.api.metrics import MetricContext, named_options
from meteor_e.engine.metric import AlignmentMetric

# NumPy is imported where it is needed: plain METEOR starts without it.
if TYPE_CHECKING:
    from meteor_e.chains.config import ChainConfig
    from meteor_e.meteor import Meteor


class ChainMetric(AlignmentMetric):
    """METEOR with a chain: a YAML file, or the name of one that is installed.

    Args:
        source: a chain for every language, its file, name or mapping; ``None`` for the default of each language.
        name: what tables call it.
        options: keys of the chain to replace, such as ``task``.
        context: what :meth:`from_options` was given.
    """

    name: ClassVar[str] = "chain"
    Options: ClassVar[Any] = "meteor_e.chains.schemas:ChainOptions"

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any] | ChainConfig | None = None,
        *,
        name: str = "METEOR",
        options: Mapping[str, Any] | None = None,
        context: MetricContext | None = None,
    ) -> None:
        self.label = name
        self._source = source
        self._options = dict(options or {})
        self._context = context or MetricContext()
        self._meteor: Meteor | None = None
        self._made_for = self.language = self._context.language

    @classmethod
    def from_options(cls, context: MetricContext, options: Any) -> ChainMetric:
        """Make the metric, called what the chain is; it is made ready when the language is known."""
        from meteor_e.chains.config import load_chain

        given = _given(options)
        source = given.pop("source")
        chain = load_chain(Path(source) if "/" in source or source.endswith(CHAIN_FILES) else source)
        return cls(chain, name=chain.name, options=_keys(given), context=context)

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``NAME,key=value,key=value``."""
        source, _, options = text.partition(",")
        return {"source": source, **named_options(options, f"metric {cls.name!r}")}

    @property
    def meteor(self) -> Meteor:
        """The chain for the language that is scored; without one, English, as for :class:`~meteor_e.Meteor`."""
        from meteor_e.meteor import Meteor

        if self._meteor is None:
            keys: dict[str, Any] = dict(self._options)
            if self._made_for and not self._defines_language(self._made_for):
                keys.setdefault("language", self._made_for)
            self._meteor = Meteor.from_config(
                {} if self._source is None else self._source,
                offline=self._context.offline,
                threads=self._context.threads,
                **keys,
            )
        return self._meteor

    def _defines_language(self, code: str) -> bool:
        """Return whether the chain itself defines the language of the text.

        A mapping from a program decides on its language. A chain that a user names is for the language of the text,
        unless it names a language file for that code.
        """
        from meteor_e.base.yamlfile import is_path
        from meteor_e.chains.chain import find_language
        from meteor_e.chains.config import ChainConfig, load_chain

        if self._source is None:
            return False
        if isinstance(self._source, Mapping):
            return "language" in self._source
        chain = self._source if isinstance(self._source, ChainConfig) else load_chain(self._source)
        if chain.language is None or not is_path(chain.language):
            return False
        language = find_language(chain.language)
        return code in (language.code, *language.aliases)

    def prepare(self, references: Sequence[Sequence[str]], language: str = "") -> None:
        """Take the language."""
        language = language or self.language
        if language != self._made_for:
            self._meteor, self._made_for = None, language


class MeteorMetric(ChainMetric):
    """METEOR with the language's defaults; options are keys of a chain, as in `meteor:task=adq,beam=5`."""

    name: ClassVar[str] = "meteor"

    Options: ClassVar[Any] = "meteor_e.chains.schemas:MeteorOptions"

    @classmethod
    def from_options(cls, context: MetricContext, options: Any) -> MeteorMetric:
        """Make the metric; the label names the keys that are given."""
        given = _given(options)
        text = ",".join(f"{key}={str(value).removesuffix('.0')}" for key, value in given.items())
        return cls(name="METEOR" + (f" {text}" if text else ""), options=_keys(given), context=context)

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Read ``key=value,key=value``."""
        return named_options(text, f"metric {cls.name!r}")


CHAIN_FILES = (".yaml", ".yml", ".json")
"""What the names of chain files end in."""


def _given(options: Any) -> dict[str, Any]:
    """Return the options that are given, by name."""
    given = {name: value for name, value in options_by_name(options).items() if value is not None}
    return {name: value.value if isinstance(value, Normalization) else value for name, value in given.items()}


def _keys(given: dict[str, Any]) -> dict[str, Any]:
    """Return keys of a chain from the options of a specification; parameters stand beside the other keys there."""
    parameters = {name: given[name] for name in GREEK if name in given}
    keys = {name: value for name, value in given.items() if name not in parameters}
    if isinstance(keys.get("matchers"), str):
        keys["matchers"] = keys["matchers"].replace("+", " ").split()
    if parameters:
        keys["parameters"] = {**keys.get("parameters", {}), **parameters}
    return keys
