"""Batches in several threads: order, errors, reading ahead, and early ends."""

import random
import threading
import time
from itertools import islice

import pytest

from meteor_e import InputError, Meteor
from meteor_e.api.batches import BATCH_SEGMENTS, Batch, map_in_order, pair_texts, read_batches
from meteor_e.engine.native import native_module
from meteor_e.packs.resources import LanguageResources

needs_native = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

FULL = [""] * BATCH_SEGMENTS


def full_batches(count, read=None):
    for number in range(count):
        if read is not None:
            read.append(number)
        yield Batch(FULL, [], position=number * BATCH_SEGMENTS)


def test_results_come_in_order_whatever_takes_longest():
    pauses = {batch: random.Random(batch).random() / 50 for batch in range(12)}
    at_once, most = [0], [0]
    lock = threading.Lock()

    def score(batch):
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(pauses[batch.position // BATCH_SEGMENTS])
        with lock:
            at_once[0] -= 1
        assert batch.threads == 1
        return batch.position + 1

    firsts = [((batch.position + 1), result) for batch, result in map_in_order(score, full_batches(12), 3)]
    assert firsts == [(1 + number * BATCH_SEGMENTS,) * 2 for number in range(12)]
    assert most[0] == 3


def test_small_chunks_use_all_threads_inside():
    seen = []

    def score(batch):
        seen.append((len(batch.hypotheses), batch.threads, threading.current_thread() is threading.main_thread()))

    texts = ["a"] * (3 * BATCH_SEGMENTS)
    for _ in map_in_order(score, read_batches(pair_texts(texts, texts)), 2):
        pass
    small = [entry for entry in seen if entry[0] < BATCH_SEGMENTS and entry[2]]
    assert small
    assert {threads for _, threads, _ in small} == {2}
    assert [entry for entry in seen if entry[0] == BATCH_SEGMENTS] == [(BATCH_SEGMENTS, 1, False)] * 2


def test_reading_ahead_is_bounded():
    read = []
    results = map_in_order(lambda batch: None, full_batches(50, read), 4)
    for done, _ in enumerate(results, 1):
        assert len(read) <= done + 4
    assert len(read) == 50


def test_error_is_raised_in_the_order_of_the_batches():
    def score(batch):
        if (batch.position + 1) > 3 * BATCH_SEGMENTS:
            raise InputError("the fourth")
        return batch.position + 1

    results = map_in_order(score, full_batches(9), 3)
    assert [result for _, result in islice(results, 3)] == [1 + number * BATCH_SEGMENTS for number in range(3)]
    with pytest.raises(InputError, match="the fourth"):
        next(results)


def test_error_of_the_reader_follows_its_results():
    def reader():
        yield from full_batches(5)
        raise InputError("the file ends in the middle of a line")

    results = map_in_order(lambda batch: batch.position + 1, reader(), 4)
    assert len(list(islice(results, 5))) == 5
    with pytest.raises(InputError, match="in the middle"):
        next(results)


def test_reader_that_ends_early_stops_the_threads():
    stopped = []

    def score(batch):
        if (batch.position + 1) == 1:
            return
        while not batch.stop:
            time.sleep(0.001)
        stopped.append(batch.position + 1)

    results = map_in_order(score, full_batches(50), 3)
    next(results)
    results.close()
    assert 1 <= len(stopped) <= 3
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("meteor_e")]


@needs_native
def test_running_call_can_be_stopped_by_another_thread():
    metric = Meteor("other", matchers=["exact"], resources=LanguageResources(), threads=1)
    stop = []
    timer = threading.Timer(0.3, lambda: stop.append(True))
    timer.start()
    text = " ".join(f"w{number % 40}" for number in range(600))
    hypotheses = [f"{text} {number}" for number in range(5000)]
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        metric._engine.score(Batch(hypotheses, [[text[::-1] + text]] * 5000, stop=stop))
    timer.join()
    assert time.process_time() - begin < 20
