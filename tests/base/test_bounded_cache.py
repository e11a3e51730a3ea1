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


def test_copy_keeps_the_limit_and_no_items():
    cache = BoundedCache[int, int](2)
    cache[0] = 1
    for other in (copy.copy(cache), copy.deepcopy(cache), pickle.loads(pickle.dumps(cache))):
        assert type(other) is BoundedCache
        assert (other, other.limit) == ({}, 2)
    assert cache == {0: 1}


class Squares:
    _known = cached_property(lambda self: BoundedCache[int, int](5))

    def square(self, number: int) -> int:
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = number * number
        return found


def test_threads_get_right_values_while_others_empty_it():
    squares = Squares()
    numbers = list(range(12)) * 500
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(squares.square, numbers)) == [number * number for number in numbers]
    assert len(squares._known) <= 5 + 4
    assert pickle.loads(pickle.dumps(squares))._known == {}
