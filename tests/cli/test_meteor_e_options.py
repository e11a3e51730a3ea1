"""METEOR-E's options of ``compat``: what they mean. What they compute is tested with the plugins."""

from __future__ import annotations

import pytest

from meteor_e.java.options import JavaConfiguration, UsageError, parse
from meteor_e.java.program import chain_of


def configuration(*arguments):
    return JavaConfiguration.of(parse(["h", "r", *arguments]))


def _lemmatizer(found):
    return chain_of(found)[1]


def _matcher(module, found):
    return chain_of(found)[0][found.modules.index(module)]


def test_meteor_1_5_is_left_alone():
    plain = configuration("-m", "exact synonym", "-d", "synsets")
    assert plain.extension is None
    assert plain.slots == 4
    assert _matcher("synonym", plain) == {"use": "synonym"}
    assert _lemmatizer(plain) is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-embTh", "x"], "-embTh: not a number"),
        (["-embTh", "1.5"], "-embTh is '1.5'; it must be a number between 0 and 1"),
        (["-embTh", ""], "-embTh is"),
        (["-embTh", ".8 .9"], "-embTh is"),
        (["-embLema", "x"], "unknown option \"-embLema\" \\(did you mean '-embLemma'"),
        (["-emb", "x", "-embLemma", "y"], "there are vectors already where -embLemma names others"),
        (["-m", "exact embedings"], "unknown module"),
    ],
)
def test_mistakes(arguments, message):
    with pytest.raises(UsageError, match=message):
        configuration(*arguments)
