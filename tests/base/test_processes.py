from __future__ import annotations

import os

import pytest

from meteor_e.base.processes import worked_on


def multiply(factor: int, number: int) -> tuple[int, int]:
    return factor * number, os.getpid()


def fail(shared: None, number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_item_once(jobs):
    found = list(worked_on(multiply, 7, iter(range(30)), jobs))
    assert [result for result, _ in found] == [7 * number for number in range(30)]
    assert (os.getpid() in {process for _, process in found}) == (jobs == 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_through(jobs):
    with pytest.raises(ValueError, match="three"):
        list(worked_on(fail, None, range(5), jobs))


@pytest.mark.parametrize("jobs", [0, 1, 2])
def test_no_items(jobs):
    assert list(worked_on(fail, None, [], jobs)) == []
