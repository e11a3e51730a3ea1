"""Bounded memories: what was computed lately, forgotten all at once when there is too much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memory(dict[Key, Value]):
    """A dict that empties itself before it would hold more than ``limit`` items.

    It serves several threads without a lock, as a dict does. Another thread may empty it between any two steps, so take
    a value from it once, and keep it. With n threads that put at once, it may hold n items more. A copy, also a
    pickled one, starts empty.

    Each instance of a class has a memory of its own where a cached property makes it::

        _stems = cached_property(lambda self: Memory(STEM_LIMIT, self.stem))

    Args:
        limit: of the items.
        make: makes the value of a key that is not there.
    """

    __slots__ = ("limit", "make")

    def __init__(self, limit: int, make: Callable[[Key], Value] | None = None) -> None:
        super().__init__()
        self.limit, self.make = limit, make

    def __missing__(self, key: Key) -> Value:
        if self.make is None:
            raise KeyError(key)
        value = self[key] = self.make(key)
        return value

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
        return type(self), (self.limit, self.make)
