"""Plain values skip the checker of files: what it would say of them is known."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from meteor_e.chains.config import _is_simple, chain_of, load_chain
from meteor_e.chains.keys import KEYS

SHARES = st.floats(0, 1)
NUMBERS = st.one_of(SHARES, st.integers(-2, 2), st.floats(), st.none(), st.text(max_size=3), st.booleans())
ENTRIES = st.one_of(
    st.sampled_from(["exact", "stem", ""]),
    st.fixed_dictionaries(
        {"use": st.sampled_from(["exact", ""])}, optional={"weight": NUMBERS, "optional": st.booleans()}
    ),
    st.none(),
)
VALUES = {
    "language": st.one_of(st.sampled_from(["en", "", "./x.yaml"]), st.none(), st.integers()),
    "task": st.one_of(st.sampled_from(["rank", ""]), st.integers()),
    "normalization": st.one_of(st.sampled_from(["full", "lower", "fulll", ""]), st.integers(), st.just(["full"])),
    "parameters": st.one_of(
        st.dictionaries(st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon"]), NUMBERS, max_size=4), st.none()
    ),
    "matchers": st.one_of(st.lists(ENTRIES, max_size=3), st.just("exact"), st.none()),
    "beam": st.one_of(st.integers(-1, 50), st.booleans(), st.floats(1, 9)),
    "character_mode": st.one_of(st.booleans(), st.integers(0, 1)),
}


@given(st.fixed_dictionaries({}, optional=VALUES))
def test_a_plain_value_is_one_that_the_checker_accepts(keys):
    simple = all(_is_simple(KEYS[name], value) for name, value in keys.items())
    # What is empty, resolving refuses; a beam that is too small, the search.
    if simple and keys.get("beam", 1) >= 1 and "" not in (keys.get("language"), keys.get("task")):
        assert chain_of(keys) == load_chain(keys)


def test_plain_values():
    for name, value in (
        ("parameters", {"alpha": 0.5, "beta": 1.0}),
        ("matchers", ["exact", {"use": "stem", "weight": 0.6}]),
        ("normalization", "full"),
    ):
        assert _is_simple(KEYS[name], value)
    for name, value in (
        ("parameters", {"alpha": math.nan}),
        ("parameters", {"alpha": 1}),
        ("matchers", []),
        ("matchers", [{"use": "vector", "file": "x"}]),
        ("normalization", "none at all"),
        ("lemmatizer", "none"),
    ):
        assert not _is_simple(KEYS[name], value)
