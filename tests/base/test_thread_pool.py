from __future__ import annotations

import threading

import pytest

from meteor_e import Meteor
from meteor_e.base.thread_pool import ThreadPool


@pytest.fixture
def grant(monkeypatch):
    """Limit the number of threads that the system can start."""
    start = threading.Thread.start

    def limit(count: int) -> None:
        left = [None] * count

        def limited(thread):
            if not left:
                raise RuntimeError("can't start new thread")
            left.pop()
            start(thread)

        monkeypatch.setattr(threading.Thread, "start", limited)

    return limit


@pytest.mark.parametrize("count", [1, 2, 8])
def test_pool_continues_with_the_available_threads(grant, count):
    grant(count)
    with ThreadPool(8) as pool:
        futures = [pool.submit(pow, number, 2) for number in range(100)]
        assert [future.result() for future in futures] == [number**2 for number in range(100)]


def test_pool_without_threads_raises_an_error(grant):
    grant(0)
    with ThreadPool(8) as pool, pytest.raises(RuntimeError, match="can't start new thread"):
        pool.submit(pow, 2, 2)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_corpus_is_scored_with_the_available_threads(grant, count):
    hypotheses = [f"the cat {number} sat" for number in range(10_000)]
    references = [f"a cat {number} sat" for number in range(10_000)]
    meteor = Meteor("other", matchers=["exact"], threads=8)
    expected = meteor.corpus(hypotheses, references, segments=True)
    grant(count)
    assert meteor.corpus(hypotheses, references, segments=True) == expected
