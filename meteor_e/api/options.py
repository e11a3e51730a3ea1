"""Base classes of options, which users set in chains, in recipes and on the command line.

A component defines its options in a class, with types, limits and descriptions::

    from typing import Annotated

    from meteor_e.api import ComponentOptions, KeyMatcher, Meta

    class Beginnings(KeyMatcher):
        \"\"\"Words with the same first letters match.\"\"\"

        name = "beginnings"

        class Options(ComponentOptions):
            letters: Annotated[int, Meta(ge=1, description="Number of letters that must be equal.")] = 4

All types that the library msgspec supports can be used. An option without a default is required. Options with the type
:data:`FilePath` are converted to absolute paths. In a chain, paths are relative to the file of the chain.

This module is imported only if a component has options, because importing msgspec takes time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
import msgspec.inspect as types
from msgspec import Meta as Meta
from msgspec import Struct, structs

from meteor_e.base.checked import describe_type

if TYPE_CHECKING:
    from typing_extensions import Self

FilePath = Annotated[str, Meta(extra={"path": "file"})]
"""The path of a file. The component receives an absolute path."""

FolderPath = Annotated[str, Meta(extra={"path": "folder"})]
"""The path of a folder. The component receives an absolute path."""


class ComponentOptions(Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of the options of a component."""

    def replaced(self, **values: Any) -> Self:
        """Return a copy of the options in which some values are replaced."""
        return structs.replace(self, **values)


class SimilarityOptions(ComponentOptions, kw_only=True):
    """The options of matchers that compare vectors."""

    threshold: Annotated[float, Meta(ge=0, le=1, description="Minimum similarity, (1 + cosine)/2, of a match.")] = 0.8
    below: (
        Annotated[
            float,
            Meta(
                gt=0,
                le=1,
                description="Words, including equal words, do not match from this similarity on. A chain that contains "
                "the matcher several times can have a different weight for each range of similarities.",
            ),
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        """Check that ``below`` is greater than ``threshold``."""
        if self.below is not None and self.below <= self.threshold:
            raise ValueError(f"below is {self.below}; it must be above the threshold, {self.threshold}")


class OverlapOptions(ComponentOptions, kw_only=True):
    """The options of matchers that compare pieces of words, such as character n-grams."""

    threshold: Annotated[float, Meta(ge=0, le=1, description="Minimum share of common pieces of a match.")] = 0.1


class NgramOptions(OverlapOptions, kw_only=True):
    """The options of the matcher ``ngram``."""

    longest: Annotated[int, Meta(ge=1, le=10, description="Length of the longest piece in characters.")] = 4


class StemOptions(ComponentOptions):
    """The options of the matcher ``stem``."""

    stemmer: (
        Annotated[str, Meta(description="Name of a Snowball stemmer, such as english; by default the language's.")]
        | None
    ) = None


class OptionInfo(NamedTuple):
    """The description of an option.

    Attributes:
        name: name of the option.
        type: description of the type, including limits.
        required: whether the option must be given.
        default: default value; ``None`` for required options.
        help: description of the effect.
    """

    name: str
    type: str
    required: bool
    default: Any
    help: str


def option_infos(kind: type[ComponentOptions]) -> list[OptionInfo]:
    """Return descriptions of all options."""
    infos = []
    for field in _fields(kind):
        descriptions = [(metadata.extra_json_schema or {}).get("description") for metadata in _metadata(field.type)]
        # Several types in a union can have equal descriptions, so dict.fromkeys() removes the duplicates.
        help_text = " ".join(dict.fromkeys(filter(None, descriptions)))
        infos.append(
            OptionInfo(field.name, describe_type(field.type), field.required, _default_value(field), help_text)
        )
    return infos


def _default_value(field: types.Field) -> Any:
    """Return the default value of an option, or ``None`` if the option is required."""
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    if field.default is msgspec.NODEFAULT:
        return None
    return list(field.default) if isinstance(field.default, tuple) else field.default


def option_defaults(kind: type[ComponentOptions]) -> dict[str, Any]:
    """Return the defaults of all options by name. Options whose default is ``None`` are left out."""
    return {info.name: info.default for info in option_infos(kind) if info.default is not None}


def option_names(kind: type[ComponentOptions]) -> list[str]:
    """Return the names of all options in the order of their definition. Options of a base class come first."""
    names = []
    # The fields are collected here, because msgspec may list fields in another order.
    for base in reversed(kind.__mro__):
        names += [name for name in vars(base).get("__annotations__", ()) if name in kind.__struct_fields__]
    return list(dict.fromkeys(names))


def path_options(kind: type[ComponentOptions]) -> list[str]:
    """Return the names of the options that contain paths."""
    names = []
    for field in _fields(kind):
        if any("path" in (metadata.extra or {}) for metadata in _metadata(field.type)):
            names.append(field.name)
    return names


def _fields(kind: type[ComponentOptions]) -> Iterable[types.Field]:
    """Return the fields of an options class with their types and defaults."""
    struct_type = types.type_info(kind)
    assert isinstance(struct_type, types.StructType)
    return struct_type.fields


def _metadata(kind: types.Type) -> Iterator[types.Metadata]:
    """Yield the metadata of a type and of all nested types, such as the members of a union."""
    if isinstance(kind, types.Metadata):
        yield kind
    inner_types = [getattr(kind, name) for name in ("type", "item_type") if hasattr(kind, name)]
    inner_types += getattr(kind, "types", ())
    for inner_type in inner_types:
        yield from _metadata(inner_type)
