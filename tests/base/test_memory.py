from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from meteor_e.base.memory import Memory


def test_it_never_holds_more_than_its_limit():
    memory = Memory[int, str](3)
    for number in range(10):
        memory[number] = str(number)
        assert len(memory) <= 3
        assert memory[number] == str(number)
    assert memory.limit == 3


def test_several_at_once():
    memory = Memory[int, int](4)
    memory[0] = 0
    memory.remember({1: 1, 2: 2, 3: 3})
    assert len(memory) == 4
    memory.remember({4: 4})
    assert memory == {4: 4}
    memory.remember(dict.fromkeys(range(9), 0))
    assert len(memory) == 9
    memory[10] = 1
    assert memory == {10: 1}


def test_a_copy_keeps_the_limit_and_no_item():
    memory = Memory[int, int](2)
    memory[0] = 1
    for other in (copy.copy(memory), copy.deepcopy(memory), pickle.loads(pickle.dumps(memory))):
        assert type(other) is Memory
        assert (other, other.limit) == ({}, 2)
    assert memory == {0: 1}


class Squares:
    _known = cached_property(lambda self: Memory[int, int](5))

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
