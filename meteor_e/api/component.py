"""The base class of everything that is selected by name: its options, its creation and its part of the signature."""

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
    """Base of matchers, lemmatizers, segmenters, features and all other things that plugins add under a name.

    A component without options needs only a name and the methods of its family. Options are defined in one place, as
    the fields of :attr:`Options`, a subclass of :class:`ComponentOptions`. ``__init__`` receives an instance of this
    class, whose values have been checked, and stores it in :attr:`options`::

        class Beginnings(KeyMatcher):
            name = "beginnings"

            class Options(ComponentOptions):
                letters: Annotated[int, Meta(ge=1, description="Number of letters that must be equal.")] = 4

            def __init__(self, options):
                super().__init__(options)
                self.cut = slice(options.letters)

            def keys(self, token):
                return {token.form[self.cut]}

    Programs, tests and chains create components with :meth:`make`: ``Beginnings.make(letters=3)`` checks the options.
    Components that depend on the language or its resources override :meth:`from_options`.

    Instances must be picklable, because they are sent to other processes.

    Class attributes:
        kind: name of the family in error messages and in ``meteor-e plugins``.
        name: name in chains and recipes; lower case, unique within its family among all installed plugins.
        requires: names of other things that must be installed, which ``meteor-e plugins`` shows.
        Options: a subclass of :class:`ComponentOptions`, or its location as ``"module:Class"``; ``None`` for a
            component without options.

    Attributes:
        options: an instance of ``Options``; ``None`` for a component without options.
    """

    kind: ClassVar[str] = "component"
    name: ClassVar[str] = ""
    requires: ClassVar[tuple[str, ...]] = ()
    Options: ClassVar[type[Any] | str | None] = None
    options: Any = None

    def __init__(self, options: Any = None) -> None:
        """Store the options, an instance of :attr:`Options` with checked values; ``None`` for the defaults."""
        self.options = self.check_options({}) if options is None else options

    @classmethod
    def make(cls, context: Any = None, /, **options: Any) -> Self:
        """Check options, and create a component with them.

        Args:
            context: language and resources that :meth:`from_options` may use.
            options: the options by name, as in a chain.

        Raises:
            ConfigError: if an option is unknown, missing, of the wrong type, or rejected by the component.
            ResourceError: if a resource that the component needs is missing.
            PluginError: if the component's code fails for another reason.
        """
        checked_options = cls.check_options(options)
        title = f"{cls.kind} {cls.name!r}"
        try:
            with plugin_errors(f"making {title}"):
                return cls.from_options(context, checked_options)
        except PluginError as error:
            if isinstance(error.__cause__, (TypeError, ValueError)):
                option_list = ", ".join(f"{name}: {value!r}" for name, value in options.items()) or "none"
                raise ConfigError(f"{title} refuses its options ({option_list}): {error.__cause__}") from error
            raise

    @classmethod
    def from_options(cls, context: Any, options: Any) -> Self:
        """Create the component. Override this method if the component depends on the language or its resources.

        Args:
            context: language and resources; see the context class of the family.
            options: an instance of :attr:`Options` with checked values; ``None`` for a component without options.

        Raises:
            ConfigError: if the values are not valid together, or not valid for this language.
            ResourceError: if a resource that the component needs is missing.
        """
        return cls() if options is None else cls(options)

    def describe(self) -> str:
        """Return the component's part of the signature: everything except the name that changes its results.

        By default, these are the options in the order of their definition, except for those that are ``None``. A file
        is represented by its name and a digest.
        """
        if self.options is None:
            return ""
        from meteor_e.api.options import path_options

        options_class = type(self.options)
        path_names = path_options(options_class)
        parts = []
        # The options of a base class come first. The order of msgspec's fields may differ.
        for base in reversed(options_class.__mro__):
            for name in vars(base).get("__annotations__", ()):
                value = getattr(self.options, name) if name in options_class.__struct_fields__ else None
                if value is not None:
                    parts.append(f"{name}={_format_value(value, name in path_names)}")
        return " ".join(parts)

    @classmethod
    def options_class(cls) -> type[ComponentOptions] | None:
        """Return the class of the options; ``None`` for a component that has none."""
        if isinstance(cls.Options, str):
            module, _, name = cls.Options.partition(":")
            options_class: type[ComponentOptions] = getattr(import_module(module), name)
            return options_class
        return cls.Options

    @classmethod
    def with_paths(cls, options: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
        """Return options with changed paths. Values that are not texts remain, even if their types are wrong.

        Args:
            options: the options by name, as in a chain.
            change: function that returns the new path for a path.
        """
        options_class = cls.options_class() if options else None
        if options_class is None:
            return dict(options)
        from meteor_e.api.options import path_options

        def change_paths(value: Any) -> Any:
            if isinstance(value, list | tuple):
                return [change_paths(item) for item in value]
            return change(value) if isinstance(value, str) else value

        path_names = path_options(options_class)
        return {name: change_paths(value) if name in path_names else value for name, value in options.items()}

    @classmethod
    def check_options(cls, options: Mapping[str, Any]) -> Any:
        """Return options as an instance of :attr:`Options`, with defaults; ``None`` for a component without options.

        Raises:
            ConfigError: for the first option that is unknown, missing, or of the wrong type.
        """
        title = f"{cls.kind} {cls.name!r}"
        if cls.Options is None:
            # The modules below are not imported here, because importing them takes time.
            for name in options:
                raise ConfigError(f"{title} has no option {name!r}; it has no options")
            return None
        from meteor_e.base.checked import convert
        from meteor_e.base.yamlfile import Document

        with add_location(title):
            return convert(Document(options), cls.options_class(), "option")


def options_by_name(options: Any) -> dict[str, Any]:
    """Return the names and values of options; empty for a component without options."""
    return {} if options is None else {name: getattr(options, name) for name in options.__struct_fields__}


def _format_value(value: Any, is_path: bool) -> str:
    """Return the value of an option for the signature. A file is represented by its name and a digest."""
    if isinstance(value, list | tuple):
        return ",".join(_format_value(item, is_path) for item in value)
    if not is_path:
        return str(value)
    from meteor_e.base.files import name_with_digest

    return name_with_digest(value)
