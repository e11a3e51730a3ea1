"""A cache of computed values with a maximum number of items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(dict[Key, Value]):
    """A dictionary with a maximum size. When the dictionary is full, it is emptied before a new item is added.

    Like a dictionary, the cache can be used by several threads without a lock. Another thread may clear it at any time,
    so a thread should look up a value once and keep the result. If n threads add items at the same time, the cache may
    exceed the limit by n items. Copies and pickled caches are empty.

    A ``cached_property`` can create a separate cache for each instance of a class::

        _stems = cached_property(lambda self: BoundedCache(STEM_LIMIT, self.stem))

    Args:
        limit: the maximum number of items.
        make: a function that computes the value of a missing key.
    """

    __slots__ = ("limit", "make")

    def __init__(self, limit: int, make: Callable[[Key], Value] | None = None) -> None:
        super().__init__()
        self.limit = limit
        self.make = make

    def __missing__(self, key: Key) -> Value:
        if self.make is None:
            raise KeyError(key)
        value = self.make(key)
        self[key] = value
        return value

    def __setitem__(self, key: Key, value: Value) -> None:
        if len(self) >= self.limit:
            self.clear()
        super().__setitem__(key, value)

    def get_items(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Return the cached items of several keys. Keys that are not in the cache are left out."""
        items = {}
        for key in keys:
            # Each value is looked up only once, because another thread may clear the cache at any time.
            value = self.get(key)
            if value is not None:
                items[key] = value
        return items

    def get_or_make_items(
        self, keys: Sequence[Key], make_values: Callable[[list[Key]], Iterable[Value]]
    ) -> dict[Key, Value]:
        """Return the items of several keys. Missing values are computed by a single call, and added to the cache.

        Args:
            keys: the keys, which may be repeated.
            make_values: a function that returns the values of distinct keys that are missing in the cache.
        """
        items = self.get_items(keys)
        missing_keys = [key for key in dict.fromkeys(keys) if key not in items]
        if missing_keys:
            new_items = dict(zip(missing_keys, make_values(missing_keys), strict=True))
            self.add_items(new_items)
            items.update(new_items)
        return items

    def add_items(self, items: Mapping[Key, Value]) -> None:
        """Add several items to the cache at once. The cache may exceed its limit until another item is added."""
        if len(self) + len(items) > self.limit:
            self.clear()
        self.update(items)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.limit, self.make)
