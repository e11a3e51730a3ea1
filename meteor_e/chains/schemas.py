"""Types that describe the YAML file of a chain. They are used to check files and to create JSON schemas.

This module is imported only when a file or a mapping is checked, because msgspec loads slowly.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct
from msgspec.json import schema

from meteor_e.api.languages import GREEK, Normalization
from meteor_e.api.options import ComponentOptions
from meteor_e.chains.keys import KEYS, ChainKey
from meteor_e.languages.schema import Alpha, Beta, Delta, Gamma, LanguageFile, Name, Weight


class ParameterValues(Struct, kw_only=True, forbid_unknown_fields=True):
    """Parameters of the formula that replace those of the task."""

    alpha: Alpha | UnsetType = UNSET
    beta: Beta | UnsetType = UNSET
    gamma: Gamma | UnsetType = UNSET
    delta: Delta | UnsetType = UNSET


class MatcherEntry(Struct, kw_only=True):
    """A matcher with its weight. All other keys are options of the matcher."""

    use: Annotated[Name, Meta(description="The matcher's name.")]
    weight: Weight | UnsetType = UNSET
    optional: (
        Annotated[bool, Meta(description="Work without the matcher's resource if it is not installed.")] | UnsetType
    ) = UNSET


class LemmatizerEntry(Struct, kw_only=True):
    """A lemmatizer. All keys except ``use`` are options of the lemmatizer."""

    use: Annotated[Name, Meta(description="The lemmatizer's name.")]


_SCHEMAS: dict[str, Any] = {
    "Average": Literal["micro", "macro"],
    "Lemmatizer": Name | LemmatizerEntry,
    "Matchers": Annotated[list[Name | MatcherEntry], Meta(min_length=1)],
    "Name": Name,
    "Normalization": Normalization,
    "ParameterValues": ParameterValues,
    "Text": str,
}
"""The types that :attr:`ChainKey.schema` names."""


def _make_type(key: ChainKey) -> Any:
    """Return the type of a setting, annotated with its help text and its minimum value."""
    value_type = key.type
    if key.schema:
        value_type = _SCHEMAS[key.schema]
    elif key.type is str:
        value_type = Name
    return Annotated[value_type, Meta(description=key.help, ge=key.least)]


ChainFile = defstruct(
    "ChainFile",
    [(name, _make_type(key) | UnsetType, UNSET) for name, key in KEYS.items()],
    kw_only=True,
    forbid_unknown_fields=True,
    module=__name__,
    namespace={"__doc__": "A chain: all settings of a METEOR score. The language and the task supply missing values."},
)


def _metric_options() -> Iterator[tuple[str, Any, Any]]:
    """Yield the options of the metric ``meteor``. Each parameter of the formula is a separate option."""
    for name, key in KEYS.items():
        if name == "parameters":
            for parameter, parameter_type in zip(GREEK, (Alpha, Beta, Gamma, Delta), strict=True):
                yield parameter, parameter_type | None, None
        if name not in ("name", "description"):
            # The items of mappings and lists are checked later, when the chain is loaded.
            option_type = Annotated[Any, Meta(description=key.help)] if key.type in (list, dict) else _make_type(key)
            yield name, option_type | None, None


MeteorOptions = defstruct(
    "MeteorOptions", list(_metric_options()), bases=(ComponentOptions,), kw_only=True, module=__name__
)


class ChainOptions(MeteorOptions, kw_only=True):  # type: ignore[call-arg, misc, valid-type]
    """The options of the metric ``chain``."""

    source: Annotated[str, Meta(min_length=1, description="A chain file, or the name of an installed chain.")]


FILES: dict[str, Any] = {"chain": ChainFile, "language": LanguageFile}
"""The types of files that have a JSON schema, by kind."""


def json_schema(kind: str) -> str:
    """Return the JSON schema (draft 2020-12) of chain files or language files as a string."""
    content = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"meteor_e {kind} file",
        **schema(FILES[kind]),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(json_schema(sys.argv[1]))
