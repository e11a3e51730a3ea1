"""Hypothesis strategies for invalid texts and invalid lists of texts, for the tests of the core and of plugins."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

NOT_TEXTS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.binary(max_size=3),
    st.builds(object),
    st.builds(np.float64, st.floats()),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text("ab", max_size=2), st.text("ab", max_size=2), max_size=2),
    st.sets(st.text("ab", max_size=2), max_size=2),
    st.text("a b", max_size=3).map(lambda text: f"{text}\ud800{text}"),
    st.sampled_from(["\udcff", "a\udfff b", "\ud83d"]),
)
"""Values that are not valid texts, including texts with a lone surrogate."""

NOT_LISTS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text("a b", max_size=3),
    st.binary(max_size=3),
    st.builds(object),
    st.builds(np.array, st.text("ab", max_size=2)),
    st.dictionaries(st.text("ab", max_size=2), st.text("ab", max_size=2), max_size=2),
    st.sets(st.text("ab", max_size=2), max_size=2),
    st.frozensets(st.text("ab", max_size=2), max_size=2),
)
"""Values that are not lists of texts."""
