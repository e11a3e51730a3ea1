"""The base class of everything that users select by name, such as matchers and metrics."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from meteor_e.base.errors import ConfigError, add_location, plugin_errors

if TYPE_CHECKING:
    from typing_extensions import Self

    from meteor_e.api.options import ComponentOptions


class Component(ABC):  # noqa: B024 (families have abstract methods)
    """Base class of matchers, lemmatizers, segmenters, features and all other components that have a name.

    A component without options only needs a name and the methods of its family. Options are the fields of the class
    :attr:`Options`, which is a subclass of :class:`ComponentOptions`. The method ``__init__`` receives an instance of
    this class with checked values, and stores it in :attr:`options`::

        class Beginnings(KeyMatcher):
            name = "beginnings"

            class Options(ComponentOptions):
                letters: Annotated[int, Meta(ge=1, description="Number of letters that must be equal.")] = 4

            def __init__(self, options):
                super().__init__(options)
                self.cut = slice(options.letters)

            def keys(self, token):
                return {token.form[self.cut]}

    Components are created with :meth:`make`, which checks the options, such as ``Beginnings.make(letters=3)``. Classes
    that depend on the language or its resources override :meth:`from_options`.

    Instances must be picklable, because they are sent to other processes.

    Class attributes
    ----------------
    kind : str
        Name of the family in error messages and in ``meteor-e plugins``.
    name : str
        Name in chains and recipes; lower case, unique within its family among all installed plugins.
    requires : tuple[str, ...]
        Names of packages or programs that must be installed, which ``meteor-e plugins`` shows.
    Options : type[Any] | str | None
        A subclass of :class:`ComponentOptions`, or its location as ``"module:Class"``; ``None`` for a component without
        options.

    Attributes:
        options: an instance of ``Options``; ``None`` for a component without options.
    """

    kind: ClassVar[str] = "component"
    name: ClassVar[str] = ""
    requires: ClassVar[tuple[str, ...]] = ()
    Options: ClassVar[type[Any] | str | None] = None
    options: Any = None

    def __init__(self, options: Any = None) -> None:
        """Store the options.

        Args:
            options: an instance of :attr:`Options` with checked values; ``None`` for the defaults.
        """
        self.options = self.check_options({}) if options is None else options

    @classmethod
    def make(cls, context: Any = None, /, **options: Any) -> Self:
        """Check options, and create a component with them.

        Args:
            context: language and resources that :meth:`from_options` may use.
            **options: the options by name, as in a chain.

        Raises:
            ConfigError: if an option is unknown, missing, of the wrong type, or rejected by the component.
            ResourceError: if a resource that the component needs is missing.
            PluginError: if the component's code fails for another reason.
        """
        checked_options = cls.check_options(options)
        title = f"{cls.kind} {cls.name!r}"
        with plugin_errors(f"making {title}"):
            try:
                return cls.from_options(context, checked_options)
            except (TypeError, ValueError) as error:
                option_list = ", ".join(f"{name}: {value!r}" for name, value in options.items()) or "none"
                raise ConfigError(f"{title} refuses its options ({option_list}): {error}") from error

    @classmethod
    def from_options(cls, context: Any, options: Any) -> Self:
        """Create the component. A subclass that depends on the language or its resources overrides this method.

        Args:
            context: language and resources; see the context class of the family.
            options: an instance of :attr:`Options` with checked values; ``None`` for a component without options.

        Raises:
            ConfigError: if the values are not valid together, or not valid for this language.
            ResourceError: if a resource that the component needs is missing.
        """
        return cls() if options is None else cls(options)

    def describe(self) -> str:
        """Return a string that describes the component's settings in a signature.

        The string must contain all settings that affect the component's results. By default, it lists the options that
        are not ``None``, in the order of their definition. A file is represented by its name and a digest.
        """
        if self.options is None:
            return ""
        from meteor_e.api.options import option_names, path_options

        options_class = type(self.options)
        names_of_paths = path_options(options_class)
        descriptions = []
        for name in option_names(options_class):
            value = getattr(self.options, name)
            if value is not None:
                formatted_value = _format_value(value, is_path=name in names_of_paths)
                descriptions.append(f"{name}={formatted_value}")
        return " ".join(descriptions)

    @classmethod
    def options_class(cls) -> type[ComponentOptions] | None:
        """Return the class of the options, or ``None`` for a component without options."""
        if isinstance(cls.Options, str):
            module, _, name = cls.Options.partition(":")
            options_class: type[ComponentOptions] = getattr(import_module(module), name)
            return options_class
        return cls.Options

    @classmethod
    def with_paths(cls, options: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
        """Apply a function to all paths in the options, and return the changed options.

        Args:
            options: the options by name, as in a chain.
            change: function that returns the new path for a path, such as the absolute path.
        """
        options_class = cls.options_class() if options else None
        if options_class is None:
            return dict(options)
        from meteor_e.api.options import path_options

        changed_options = dict(options)
        for name in path_options(options_class):
            if name in changed_options:
                changed_options[name] = _change_paths(options[name], change)
        return changed_options

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> Any:
        """Convert a mapping of options to an instance of :attr:`Options`. Missing options get their default values.

        Returns:
            The instance; ``None`` for a component without options.

        Raises:
            ConfigError: for the first option that is unknown, missing, or of the wrong type.
        """
        title = f"{cls.kind} {cls.name!r}"
        options_class = cls.options_class()
        if options_class is None:
            if options:
                raise ConfigError(f"{title} has no option {min(options)!r}; it has no options")
            return None
        from meteor_e.base.checked import convert  # This import is slow.
        from meteor_e.base.yamlfile import Document

        with add_location(title):
            return convert(Document(options), options_class, "option")


def _change_paths(value: Any, change: Callable[[str], str]) -> Any:
    """Apply a function to a path, or to each path of a list. Other values are returned unchanged."""
    if isinstance(value, list | tuple):
        return [_change_paths(item, change) for item in value]
    if isinstance(value, str):
        return change(value)
    return value


def options_by_name(options: Any) -> dict[str, Any]:
    """Return options as a dictionary from names to values. ``None`` becomes an empty dictionary."""
    return {} if options is None else {name: getattr(options, name) for name in options.__struct_fields__}


def _format_value(value: Any, *, is_path: bool) -> str:
    """Format the value of an option for the signature. A file is represented by its name and a digest."""
    if isinstance(value, list | tuple):
        return ",".join(_format_value(item, is_path=is_path) for item in value)
    if not is_path:
        return str(value)
    from meteor_e.base.files import name_with_digest

    return name_with_digest(value)
