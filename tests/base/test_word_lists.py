from __future__ import annotations

import pytest

from meteor_e.base.word_lists import load_word_lists

wordfreq = pytest.importorskip("wordfreq", reason="comes with meteor-e-learned and meteor-e-captions")


def test_word_lists_are_those_of_wordfreq():
    lists = load_word_lists("a test", "meteor-e-learned")
    assert lists == wordfreq.get_frequency_list("en", "large")
