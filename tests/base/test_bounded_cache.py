"""The cache with a limited number of items: its limit, copies, and use by several threads."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from meteor_e.base.bounded_cache import BoundedCache


def test_cache_never_exceeds_its_limit():
    cache = BoundedCache[int, str](3)
    for number in range(10):
        cache[number] = str(number)
        assert len(cache) <= 3
        assert cache[number] == str(number)
    assert cache.limit == 3


def test_cache_adds_several_items_at_once():
    cache = BoundedCache[int, int](4)
    cache[0] = 0
    cache.add_items({1: 1, 2: 2, 3: 3})
    assert len(cache) == 4
    cache.add_items({4: 4})
    assert cache == {4: 4}
    cache.add_items(dict.fromkeys(range(9), 0))
    assert len(cache) == 9
    cache[10] = 1
    assert cache == {10: 1}


def test_cache_computes_all_missing_items_with_one_call():
    calls = []

    def compute_squares(numbers):
        calls.append(numbers)
        return [number * number for number in numbers]

    cache = BoundedCache[int, int](5)
    cache[2] = 4
    assert cache.get_or_make_items([3, 2, 3, 1], compute_squares) == {1: 1, 2: 4, 3: 9}
    assert cache.get_or_make_items([1, 2], compute_squares) == {1: 1, 2: 4}
    assert calls == [[3, 1]]
    assert cache == {1: 1, 2: 4, 3: 9}


def test_copies_keep_the_limit_but_not_the_items():
    cache = BoundedCache[int, int](2)
    cache[0] = 1
    for duplicate in (copy.copy(cache), copy.deepcopy(cache), pickle.loads(pickle.dumps(cache))):
        assert type(duplicate) is BoundedCache
        assert duplicate == {}
        assert duplicate.limit == 2
    assert cache == {0: 1}


class SquareCalculator:
    """A class that caches the squares of numbers, in the way production code uses the cache."""

    _cache = cached_property(lambda self: BoundedCache[int, int](5))

    def square(self, number: int) -> int:
        """Return the square of a number from the cache, or compute it."""
        result = self._cache.get(number)
        if result is None:
            result = self._cache[number] = number * number
        return result


def test_cache_returns_right_values_to_concurrent_threads():
    calculator = SquareCalculator()
    numbers = list(range(12)) * 500
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(calculator.square, numbers)) == [number * number for number in numbers]
    # Each of the four threads can add one item beyond the limit.
    assert len(calculator._cache) <= 5 + 4
    assert pickle.loads(pickle.dumps(calculator))._cache == {}
