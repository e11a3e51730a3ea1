"""The reader of word frequency lists."""

from __future__ import annotations

import pytest

from meteor_e.base.word_lists import load_word_lists

wordfreq = pytest.importorskip("wordfreq", reason="wordfreq is installed with meteor-e-learned and meteor-e-captions")


def test_load_word_lists_equals_the_reader_of_wordfreq():
    lists = load_word_lists("a test", "meteor-e-learned")
    assert lists == wordfreq.get_frequency_list("en", "large")
