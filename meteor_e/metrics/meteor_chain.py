"""The metric ``chain``: METEOR with a chain that is selected by its name or by the path of its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.api.metrics import named_options
from meteor_e.chains.chain import find_language
from meteor_e.chains.config import ChainConfig, load_chain
from meteor_e.chains.metric_options import computation_arguments, make_chain_keys, select_set_options
from meteor_e.meteor import Meteor

if TYPE_CHECKING:
    from meteor_e.api.metrics import MetricContext

CHAIN_FILES = (".yaml", ".yml", ".json")
"""The suffixes of chain files."""


class MeteorChain(Meteor):
    """METEOR with a chain that is selected by its name or by the path of its YAML file."""

    name: ClassVar[str] = "chain"
    Options: ClassVar[Any] = "meteor_e.chains.schemas:ChainOptions"

    @classmethod
    def parse(cls, text: str) -> dict[str, Any]:
        """Parse ``NAME,key=value,key=value``: the name or path of a chain, followed by options."""
        source, _, options = text.partition(",")
        return {"source": source, **named_options(options, f"metric {cls.name!r}")}

    @classmethod
    def from_options(cls, context: MetricContext | None, options: Any) -> MeteorChain:
        """Create the METEOR metric from a chain. The language of the text overrides the language of the chain."""
        keys = select_set_options(options)
        config = _load_named_chain(keys.pop("source"))
        overrides = make_chain_keys(keys)
        language = "" if context is None else context.language
        if language and "language" not in overrides and not _is_language(config, language):
            overrides["language"] = language
        return cls.from_config(config, label=config.name, **computation_arguments(context), **overrides)

    @classmethod
    def label_for(cls, options: Mapping[str, Any]) -> str:
        """Return the name of the chain."""
        return _load_named_chain(options["source"]).name

    @classmethod
    def language_for(cls, options: Mapping[str, Any]) -> str:
        """Return the language code in the options or in the chain, or an empty string if neither contains it."""
        language = options.get("language") or _load_named_chain(options["source"]).language
        code = find_language(language).code if language else ""
        return "" if code == "other" else code


def _load_named_chain(source: str) -> ChainConfig:
    """Load an installed chain or a chain file.

    Args:
        source: name of an installed chain, or path of a chain file. A path contains a slash or ends with the suffix of
            a chain file.
    """
    return load_chain(Path(source) if "/" in source or source.endswith(CHAIN_FILES) else source)


def _is_language(config: ChainConfig, code: str) -> bool:
    """Return whether a chain is for the given language.

    The chain specifies its language by a language code or by the path of a language file.
    """
    if config.language is None:
        return False
    language = find_language(config.language, pack=config.pack)
    return code in (language.code, *language.aliases)
