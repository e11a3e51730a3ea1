"""What all that has a name shares: how it is made, with which options, and what the signature says of it."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.base.errors import ConfigError, PluginError, add_location, plugin_errors

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api.options import ComponentOptions


class Component(ABC):  # noqa: B024 (families have abstract methods)
    """Base of matchers, lemmatizers, segmenters, features and all else that plugins bring under a name.

    A component without options needs a name and what its family asks for. Options stand once, as the fields of
    :attr:`Options`, a subclass of :class:`ComponentOptions`. ``__init__`` takes an instance of it, whose values are
    checked, and the code reads :attr:`options`::

        class Beginnings(KeyMatcher):
            name = "beginnings"

            class Options(ComponentOptions):
                letters: Annotated[int, Meta(ge=1, description="Letters that have to be the same.")] = 4

            def __init__(self, options):
                super().__init__(options)
                self.cut = slice(options.letters)

            def keys(self, token):
                return {token.form[self.cut]}

    Programs, tests and chains make components with :meth:`make`: ``Beginnings.make(letters=3)`` checks the options.
    What depends on the language or its resources overrides :meth:`from_options`.

    Instances are pickled to other processes.

    Class attributes:
        kind: the family, as errors and ``meteor-e plugins`` call it.
        name: what chains and recipes call it; lower case, unique within its family among all installed plugins.
        requires: names of what must be there beside the package, for ``meteor-e plugins`` to show.
        Options: the options, a subclass of :class:`ComponentOptions`, or where it is, as ``"module:Class"``;
            ``None`` for none.

    Attributes:
        options: the values, an instance of ``Options``; ``None`` for a component without options.
    """

    kind: ClassVar[str] = "component"
    name: ClassVar[str] = ""
    requires: ClassVar[tuple[str, ...]] = ()
    Options: ClassVar[type[Any] | str | None] = None
    options: Any = None

    def __init__(self, options: Any = None) -> None:
        """Take the options: an instance of :attr:`Options`, all values checked; ``None`` for the defaults."""
        self.options = self.check_options({}) if options is None else options

    @classmethod
    def make(cls, context: Any = None, /, **options: Any) -> Self:
        """Check options, and make a component with them.

        Args:
            context: what :meth:`from_options` may draw on: language and resources.
            options: by name, as a chain gives them.

        Raises:
            ConfigError: for an option that is not there, missing, of another type, or refused.
            ResourceError: if a resource that the component needs is missing.
            PluginError: if its code fails otherwise.
        """
        checked = cls.check_options(options)
        what = f"{cls.kind} {cls.name!r}"
        try:
            with plugin_errors(f"making {what}"):
                return cls.from_options(context, checked)
        except PluginError as error:
            if isinstance(error.__cause__, (TypeError, ValueError)):
                spelled = ", ".join(f"{name}: {value!r}" for name, value in options.items()) or "none"
                raise ConfigError(f"{what} refuses its options ({spelled}): {error.__cause__}") from error
            raise

    @classmethod
    def from_options(cls, context: Any, options: Any) -> Self:
        """Make the component. Override this where what is made depends on the language or its resources.

        Args:
            context: language and resources; see the family's context.
            options: an instance of :attr:`Options`, all values checked; ``None`` for a component without options.

        Raises:
            ConfigError: for values that make no sense together, or for this language.
            ResourceError: if a resource that it needs is missing.
        """
        return cls() if options is None else cls(options)

    def describe(self) -> str:
        """Return what the signature says of this component behind its name: what changes its result.

        By default the options, in their order, but those that are ``None``; of a file the name and a digest.
        """
        if self.options is None:
            return ""
        from meteor_e.api.options import path_options

        kind = type(self.options)
        paths = path_options(kind)
        # Those of a base class come first, in whichever order msgspec has them.
        names = [name for base in reversed(kind.__mro__) for name in vars(base).get("__annotations__", ())]
        values = [(name, getattr(self.options, name)) for name in names if name in kind.__struct_fields__]
        return " ".join(f"{name}={_spell(value, name in paths)}" for name, value in values if value is not None)

    @classmethod
    def options_class(cls) -> type[ComponentOptions] | None:
        """Return the class of the options; ``None`` for a component that has none."""
        if isinstance(cls.Options, str):
            module, _, name = cls.Options.partition(":")
            found: type[ComponentOptions] = getattr(import_module(module), name)
            return found
        return cls.Options

    @classmethod
    def with_paths(cls, options: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
        """Return options with the paths in them changed; what has another type stays, right or wrong.

        Args:
            options: by name, as a chain gives them.
            change: called with each path.
        """
        kind = cls.options_class() if options else None
        if kind is None:
            return dict(options)
        from meteor_e.api.options import path_options

        def changed(value: Any) -> Any:
            if isinstance(value, list | tuple):
                return [changed(item) for item in value]
            return change(value) if isinstance(value, str) else value

        paths = path_options(kind)
        return {name: changed(value) if name in paths else value for name, value in options.items()}

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> Any:
        """Return options as an instance of :attr:`Options`, defaults filled in; ``None`` if there are none.

        Raises:
            ConfigError: for the first option that is not there, missing, or of another type.
        """
        what = f"{cls.kind} {cls.name!r}"
        if cls.Options is None:
            # Without a look at types, which take time to import.
            for name in options:
                raise ConfigError(f"{what} has no option {name!r}; it has no options")
            return None
        from meteor_e.base.checked import convert
        from meteor_e.base.yamlfile import Document

        with add_location(what):
            return convert(Document(options), cls.options_class(), "option")


def options_by_name(options: Any) -> dict[str, Any]:
    """Return the values of options by name, in their order."""
    return {} if options is None else {name: getattr(options, name) for name in options.__struct_fields__}


def _spell(value: Any, is_path: bool) -> str:
    """Return a value for the signature; of a file its name and a digest."""
    if isinstance(value, list | tuple):
        return ",".join(_spell(item, is_path) for item in value)
    if not is_path:
        return str(value)
    from meteor_e.base.files import named_digest

    return named_digest(value)
