"""Bounded memories: what was computed lately, forgotten all at once when there is too much of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import Self

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memory(dict[Key, Value]):
    """A dict that empties itself before it would hold more than ``limit`` items.

    It serves several threads without a lock, as a dict does. Another thread may empty it between any two steps, so take
    a value from it once, and keep it. With n threads that put at once, it may hold n items more. A copy starts empty,
    a pickled one, too.
    """

    __slots__ = ("limit",)

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= self.limit:
            self.clear()
        super().__setitem__(key, value)

    def remember(self, items: Mapping[Key, Value]) -> None:
        """Put several items; more than the limit are kept until the next ones come."""
        if len(self) + len(items) > self.limit:
            self.clear()
        self.update(items)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.limit,)


class Remembered(Generic[Key, Value]):
    """Gives each instance of a class a memory of its own, made when it is first used.

    Classes whose ``__init__`` is a plugin's business need no line in it::

        class KeyMatcher:
            _keys = Remembered[Token, Keys](CACHE_LIMIT)

    Args:
        limit: how many items a memory holds.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Memory[Key, Value]: ...

    def __get__(self, instance: object | None, owner: type) -> Self | Memory[Key, Value]:
        """Return the instance's memory; asked of the class, this."""
        if instance is None:
            return self
        # The instance's own attribute is found first from now on.
        memory: Memory[Key, Value] = instance.__dict__.setdefault(self.name, Memory(self.limit))
        return memory


def forgetting(instance: object) -> dict[str, Any]:
    """Return the state of an object without its memories, for ``__getstate__``: a copy starts with none."""
    return {name: value for name, value in instance.__dict__.items() if not isinstance(value, Memory)}
