"""The thread pool when the system cannot start as many threads as requested."""

from __future__ import annotations

import threading

import pytest

from meteor_e import Meteor
from meteor_e.base.thread_pool import ThreadPool


@pytest.fixture
def limit_threads(monkeypatch):
    """A function that limits the number of threads that can still be started."""
    original_start = threading.Thread.start

    def limit(count: int) -> None:
        # `list.pop` is atomic, so that several threads can start threads at the same time.
        permits = [None] * count

        def start_if_permitted(thread):
            if not permits:
                raise RuntimeError("can't start new thread")
            permits.pop()
            original_start(thread)

        monkeypatch.setattr(threading.Thread, "start", start_if_permitted)

    return limit


@pytest.mark.parametrize("count", [1, 2, 8])
def test_pool_uses_the_available_threads(limit_threads, count):
    limit_threads(count)
    with ThreadPool(8) as pool:
        futures = [pool.submit(pow, number, 2) for number in range(100)]
        assert [future.result() for future in futures] == [number**2 for number in range(100)]


def test_pool_without_threads_raises_an_error(limit_threads):
    limit_threads(0)
    with ThreadPool(8) as pool, pytest.raises(RuntimeError, match="can't start new thread"):
        pool.submit(pow, 2, 2)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_corpus_uses_the_available_threads(limit_threads, count):
    hypotheses = [f"the cat {number} sat" for number in range(10_000)]
    references = [f"a cat {number} sat" for number in range(10_000)]
    meteor = Meteor("other", matchers=["exact"], threads=8)
    expected = meteor.corpus(hypotheses, references, segments=True)
    limit_threads(count)
    assert meteor.corpus(hypotheses, references, segments=True) == expected
