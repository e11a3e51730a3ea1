from __future__ import annotations

from meteor_e.api.tokens import split_words


def test_only_five_ascii_characters_separate_words():
    assert split_words(" a\tb\nc\rd\fe  f ") == ["a", "b", "c", "d", "e", "f"]
    words = ["a\x0bb", "c\x85d", "e\u00a0f", "g\u2028h", "i\x1cj"]
    assert split_words(" ".join(words)) == words
    assert split_words("") == split_words(" \t ") == []
