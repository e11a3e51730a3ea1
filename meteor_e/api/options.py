"""Options of components, as types: what a chain or a recipe may say beside a component's name.

A component lists its options in a class::

    from typing import Annotated

    from meteor_e.api import ComponentOptions, KeyMatcher, Meta

    class Beginnings(KeyMatcher):
        \"\"\"Words with the same first letters match.\"\"\"

        name = "beginnings"

        class Options(ComponentOptions):
            letters: Annotated[int, Meta(ge=1, description="Letters that have to be the same.")] = 4

Types are those of msgspec. An option without a default must be given. Files are marked by their type,
:data:`FilePath`, and arrive as absolute paths: a chain's are seen from the chain's file.

msgspec takes time to import, and this module is only imported where a component has options.
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
"""The path of a file; it arrives as an absolute path."""

FolderPath = Annotated[str, Meta(extra={"path": "folder"})]
"""The path of a folder; it arrives as an absolute path."""


class ComponentOptions(Struct, kw_only=True, forbid_unknown_fields=True):
    """Base of the options of a component."""

    def replaced(self, **values: Any) -> Self:
        """Return a copy with other values, for :meth:`Component.from_options`, to fill in what the language decides."""
        return structs.replace(self, **values)


class SimilarityOptions(ComponentOptions, kw_only=True):
    """The options of every matcher that compares vectors."""

    threshold: Annotated[float, Meta(ge=0, le=1, description="Lowest similarity, (1 + cosine)/2, of a match.")] = 0.8
    below: (
        Annotated[
            float,
            Meta(
                gt=0,
                le=1,
                description="Similarity from which on words do not match, equal words among them. A chain that has the "
                "matcher several times gives each band of similarities a weight of its own.",
            ),
        ]
        | None
    ) = None

    def __post_init__(self) -> None:
        """Refuse an empty band."""
        if self.below is not None and self.below <= self.threshold:
            raise ValueError(f"below is {self.below}; it must be above the threshold, {self.threshold}")


class OverlapOptions(ComponentOptions, kw_only=True):
    """The options of every matcher that compares pieces of words."""

    threshold: Annotated[float, Meta(ge=0, le=1, description="Lowest share of common pieces of a match.")] = 0.1


class NgramOptions(OverlapOptions, kw_only=True):
    """The options of the matcher ``ngram``."""

    longest: Annotated[int, Meta(ge=1, le=10, description="Characters of the longest piece.")] = 4


class StemOptions(ComponentOptions):
    """The options of the matcher ``stem``."""

    stemmer: (
        Annotated[str, Meta(description="Name of a Snowball stemmer, such as english; by default the language's.")]
        | None
    ) = None


class OptionInfo(NamedTuple):
    """An option, for listings.

    Attributes:
        name: its name.
        type: what it may be, with its bounds, in words.
        required: whether it must be given.
        default: its value where it is not given.
        help: what it does.
    """

    name: str
    type: str
    required: bool
    default: Any
    help: str


def option_infos(kind: type[ComponentOptions]) -> list[OptionInfo]:
    """Return what can be said of each option."""
    infos = []
    for field in _fields(kind):
        said = [(each.extra_json_schema or {}).get("description", "") for each in _metadata(field.type)]
        text = " ".join(filter(None, dict.fromkeys(said)))
        default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        shown = None if default is msgspec.NODEFAULT else list(default) if isinstance(default, tuple) else default
        infos.append(OptionInfo(field.name, describe_type(field.type), field.required, shown, text))
    return infos


def option_defaults(kind: type[ComponentOptions]) -> dict[str, Any]:
    """Return the options that have a default other than ``None``, with it."""
    return {info.name: info.default for info in option_infos(kind) if info.default is not None}


def path_options(kind: type[ComponentOptions]) -> list[str]:
    """Return the names of the options that hold paths."""
    paths = [field for field in _fields(kind) if any("path" in (said.extra or {}) for said in _metadata(field.type))]
    return [field.name for field in paths]


def _fields(kind: type[ComponentOptions]) -> Iterable[types.Field]:
    found = types.type_info(kind)
    assert isinstance(found, types.StructType)
    return found.fields


def _metadata(kind: types.Type) -> Iterator[types.Metadata]:
    """Yield what is said of a type, of those that it may be, and of its items."""
    if isinstance(kind, types.Metadata):
        yield kind
    inner = [getattr(kind, name) for name in ("type", "item_type") if hasattr(kind, name)]
    for each in [*inner, *getattr(kind, "types", ())]:
        yield from _metadata(each)
