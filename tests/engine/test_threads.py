"""Batches in several threads: the order of the results, errors, read-ahead, and interruption."""

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

FULL_BATCH = [""] * BATCH_SEGMENTS


def full_batches(count, consumed_indexes=None):
    """Yield batches of maximum size, and record in a list which batches have been consumed."""
    for index in range(count):
        if consumed_indexes is not None:
            consumed_indexes.append(index)
        yield Batch(FULL_BATCH, [], position=index * BATCH_SEGMENTS)


def test_map_in_order_keeps_the_order_of_the_batches():
    delays = {index: random.Random(index).random() / 50 for index in range(12)}
    running_count, maximum_count = 0, 0
    lock = threading.Lock()

    def score(batch):
        nonlocal running_count, maximum_count
        with lock:
            running_count += 1
            maximum_count = max(maximum_count, running_count)
        time.sleep(delays[batch.position // BATCH_SEGMENTS])
        with lock:
            running_count -= 1
        assert batch.threads == 1
        return batch.position + 1

    results = [(batch.position + 1, result) for batch, result in map_in_order(score, full_batches(12), 3)]
    first_segments = [1 + index * BATCH_SEGMENTS for index in range(12)]
    assert results == [(first_segment, first_segment) for first_segment in first_segments]
    assert maximum_count == 3


def test_map_in_order_uses_all_threads_in_small_batches():
    calls = []

    def score(batch):
        is_main_thread = threading.current_thread() is threading.main_thread()
        calls.append((len(batch.hypotheses), batch.threads, is_main_thread))

    texts = ["a"] * (3 * BATCH_SEGMENTS)
    for _ in map_in_order(score, read_batches(pair_texts(texts, texts)), 2):
        pass
    thread_counts_of_small_batches = {
        thread_count for size, thread_count, is_main_thread in calls if size < BATCH_SEGMENTS and is_main_thread
    }
    assert thread_counts_of_small_batches == {2}
    calls_with_full_batches = [call for call in calls if call[0] == BATCH_SEGMENTS]
    assert calls_with_full_batches == [(BATCH_SEGMENTS, 1, False)] * 2


def test_map_in_order_limits_the_read_ahead():
    consumed_indexes = []
    results = map_in_order(lambda batch: None, full_batches(50, consumed_indexes), 4)
    for result_count, _ in enumerate(results, 1):
        assert len(consumed_indexes) <= result_count + 4
    assert len(consumed_indexes) == 50


def test_map_in_order_raises_an_error_after_earlier_results():
    def score(batch):
        if batch.position + 1 > 3 * BATCH_SEGMENTS:
            raise InputError("the fourth")
        return batch.position + 1

    results = map_in_order(score, full_batches(9), 3)
    assert [result for _, result in islice(results, 3)] == [1 + index * BATCH_SEGMENTS for index in range(3)]
    with pytest.raises(InputError, match="the fourth"):
        next(results)


def test_map_in_order_raises_reader_errors_after_the_results():
    def read_and_fail():
        yield from full_batches(5)
        raise InputError("the file ends in the middle of a line")

    results = map_in_order(lambda batch: batch.position + 1, read_and_fail(), 4)
    assert len(list(islice(results, 5))) == 5
    with pytest.raises(InputError, match="in the middle"):
        next(results)


def test_close_of_the_results_stops_the_threads():
    stopped_segments = []

    def score(batch):
        if batch.position == 0:
            return
        while not batch.stop:
            time.sleep(0.001)
        stopped_segments.append(batch.position + 1)

    results = map_in_order(score, full_batches(50), 3)
    next(results)
    results.close()
    assert 1 <= len(stopped_segments) <= 3
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("meteor_e")]


@needs_native
def test_score_call_can_be_stopped_by_another_thread():
    metric = Meteor("other", matchers=["exact"], resources=LanguageResources(), threads=1)
    stop = []
    timer = threading.Timer(0.3, lambda: stop.append(True))
    timer.start()
    text = " ".join(f"w{number % 40}" for number in range(600))
    hypotheses = [f"{text} {number}" for number in range(5000)]
    start_time = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        metric._engine.score(Batch(hypotheses, [[text[::-1] + text]] * 5000, stop=stop))
    timer.join()
    assert time.process_time() - start_time < 20
