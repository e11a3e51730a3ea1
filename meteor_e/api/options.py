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

import os
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
import msgspec.inspect as types
from msgspec import Meta as Meta
from msgspec import Struct, structs

from meteor_e.base.errors import ConfigError, near_miss
from meteor_e.base.validation import LISTS, describe_type, value_problems
from meteor_e.base.yamlfile import spell_key

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


class OptionProblem(NamedTuple):
    """What is wrong with an option.

    Attributes:
        key: where, within the options; empty for an option that is missing.
        message: what is wrong, without the place.
        is_unknown: whether there is no such option; the message then says whose.
    """

    key: tuple[str | int, ...]
    message: str
    is_unknown: bool = False


def option_infos(kind: type[ComponentOptions]) -> list[OptionInfo]:
    """Return what can be said of each option."""
    return [
        OptionInfo(
            field.name,
            describe_type(field.type),
            field.required,
            None if field.required else _default(field),
            " ".join(dict.fromkeys(_descriptions(field.type))),
        )
        for field in _fields(kind).values()
    ]


def option_defaults(kind: type[ComponentOptions]) -> dict[str, Any]:
    """Return the options that have a default other than ``None``, with it."""
    defaults = {name: _default(field) for name, field in _fields(kind).items() if not field.required}
    return {name: value for name, value in defaults.items() if value is not None}


def option_problems(what: str, kind: type[ComponentOptions] | None, given: Mapping[str, Any]) -> list[OptionProblem]:
    """Return all that is wrong with options.

    Args:
        what: whose options they are, such as ``matcher 'soundex'``.
        kind: the options' class; ``None`` if there are none.
        given: the options by name.
    """
    fields = {} if kind is None else _fields(kind)
    there = f"its options: {', '.join(fields)}" if fields else "it has no options"
    problems = []
    for name, value in given.items():
        if name not in fields:
            near = near_miss(str(name), fields)
            problems.append(OptionProblem((name,), f"{what} has no option {name!r}{near}; {there}", True))
        else:
            problems += [OptionProblem(*found) for found in value_problems(fields[name].type, _plain(value), (name,))]
    missing = [name for name, field in fields.items() if field.required and name not in given]
    return problems + [OptionProblem((), f"{what} needs the option {name!r}") for name in missing]


def checked_options(what: str, kind: type[ComponentOptions] | None, given: Mapping[str, Any]) -> Any:
    """Return options as their class, defaults filled in; ``None`` for a component that has none.

    Raises:
        ConfigError: for the first option that is not there, missing, or of another type.
    """
    for problem in option_problems(what, kind, given):
        placed = not problem.key or problem.is_unknown
        raise ConfigError(problem.message if placed else f"{what}: {spell_key(problem.key)} {problem.message}")
    if kind is None:
        return None
    try:
        return msgspec.convert({name: _plain(value) for name, value in given.items()}, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{what} refuses its options ({spell_options(given)}): {error}") from error


def absolute_options(
    kind: type[ComponentOptions], given: Mapping[str, Any], absolute: Callable[[str], str]
) -> dict[str, Any]:
    """Return options with the paths in them replaced; what has another type stays, right or wrong.

    Args:
        kind: the options' class.
        given: the options by name.
        absolute: called with each path.
    """
    fields = _fields(kind)
    return {
        name: _with_paths(fields[name].type, value, absolute) if name in fields else value
        for name, value in given.items()
    }


def is_path_type(kind: types.Type) -> bool:
    """Return whether texts of a type are paths."""
    if isinstance(kind, types.Metadata):
        return bool(kind.extra and "path" in kind.extra) or is_path_type(kind.type)
    if isinstance(kind, types.UnionType):
        return any(is_path_type(option) for option in kind.types)
    return isinstance(kind, LISTS) and is_path_type(kind.item_type)


def path_options(kind: type[ComponentOptions]) -> list[str]:
    """Return the names of the options that hold paths."""
    return [name for name, field in _fields(kind).items() if is_path_type(field.type)]


def _with_paths(kind: types.Type, value: Any, absolute: Callable[[str], str]) -> Any:
    if not is_path_type(kind):
        return value
    if isinstance(value, list | tuple):
        return [absolute(item) if isinstance(item, str) else item for item in value]
    return absolute(value) if isinstance(value, str) else value


def spell_options(given: Mapping[str, Any]) -> str:
    """Return options in one line."""
    return ", ".join(f"{name}: {value!r}" for name, value in given.items()) or "none"


def _fields(kind: type[ComponentOptions]) -> dict[str, types.Field]:
    found = types.type_info(kind)
    assert isinstance(found, types.StructType)
    return {field.name: field for field in found.fields}


def _default(field: types.Field) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return list(field.default) if isinstance(field.default, tuple) else field.default
    return field.default_factory() if callable(field.default_factory) else None


def _descriptions(kind: types.Type) -> Iterator[str]:
    if isinstance(kind, types.Metadata):
        if kind.extra_json_schema and "description" in kind.extra_json_schema:
            yield kind.extra_json_schema["description"]
        yield from _descriptions(kind.type)
    elif isinstance(kind, types.UnionType):
        for option in kind.types:
            yield from _descriptions(option)


def _plain(value: Any) -> Any:
    """Return a value as a YAML file has it: Python programs give paths, tuples and numbers of numpy's, too."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in (sorted(value) if isinstance(value, set | frozenset) else value)]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value
