"""Tests that all interfaces that read or show chains support each key of a chain."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meteor_e import ConfigError, Meteor, __version__
from meteor_e.chains.config import _is_simple, load_chain, make_chain_from_keys
from meteor_e.chains.keys import KEYS, PLAIN_DEFAULTS, ChainArguments
from meteor_e.chains.schemas import MeteorOptions, json_schema
from meteor_e.cli.options import parse_settings
from meteor_e.engine.search import MAX_BEAM

METADATA_KEYS = ("name", "description")
"""Keys that describe a chain file and do not affect the metric."""


def test_schema_contains_all_keys():
    properties = json.loads(json_schema("chain"))["$defs"]["ChainFile"]["properties"]
    assert list(properties) == list(KEYS)
    assert all(properties[name]["description"] == key.help for name, key in KEYS.items())


def test_keyword_arguments_include_all_keys():
    option_keys = KEYS.keys() - {*METADATA_KEYS}
    assert set(ChainArguments.__annotations__) == option_keys - {"language"}
    assert set(MeteorOptions.__struct_fields__) == option_keys | {"alpha", "beta", "gamma", "delta"}


def test_command_line_can_set_all_keys():
    settable = KEYS.keys() - {*METADATA_KEYS, "language", "task", "matchers", "parameters"}
    assert parse_settings([f"{name}=x" for name in settable])[0].keys() == settable


def test_plain_keys_reach_the_chain_and_the_signature():
    values = {"beam": 7, "character_mode": True, "average": "macro", "segmenter": "script"}
    # Add each new key to this test. The key idf is missing because it cannot be combined with character_mode.
    assert values.keys() | {"idf"} == PLAIN_DEFAULTS.keys()
    meteor = Meteor("other", matchers=["exact"], **values)
    assert values.items() <= meteor.chain.effective().items()
    assert "|beam:7|units:chars|average:macro|" in meteor.signature
    assert meteor.signature.count("segmenter:") == 1
    assert Meteor.from_config(meteor.chain.effective(), beam=9).chain.beam == 9


def test_key_without_label_is_signed_only_if_changed(monkeypatch):
    monkeypatch.setitem(KEYS, "beam", KEYS["beam"]._replace(signature=""))
    assert "|beam:" not in Meteor("other").signature
    assert "|beam:7|units:words|" in Meteor("other", beam=7).signature


@pytest.mark.parametrize("value", [0, MAX_BEAM + 1])
def test_beam_outside_its_bounds_is_rejected(value):
    with pytest.raises(ConfigError, match=rf"^beam is {value}; it must be from 1 to {MAX_BEAM}$"):
        Meteor("other", matchers=["exact"], beam=value)


FRACTIONS = st.floats(0, 1)
NUMBERS = st.one_of(FRACTIONS, st.integers(-2, 2), st.floats(), st.none(), st.text(max_size=3), st.booleans())
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
def test_make_chain_from_keys_equals_load_chain(keys):
    simple = all(_is_simple(name, value) for name, value in keys.items())
    # Resolving rejects empty names, and the search rejects a beam that is too small.
    has_valid_beam = keys.get("beam", 1) >= 1
    has_empty_name = "" in (keys.get("language"), keys.get("task"))
    if simple and has_valid_beam and not has_empty_name:
        assert make_chain_from_keys(keys) == load_chain(keys)


def test_is_simple_distinguishes_plain_values():
    for name, value in (
        ("parameters", {"alpha": 0.5, "beta": 1.0}),
        ("matchers", ["exact", {"use": "stem", "weight": 0.6}]),
        ("normalization", "full"),
    ):
        assert _is_simple(name, value)
    for name, value in (
        ("parameters", {"alpha": math.nan}),
        ("parameters", {"alpha": 1}),
        ("matchers", []),
        ("matchers", [{"use": "vector", "file": "x"}]),
        ("normalization", "none at all"),
        ("lemmatizer", "none"),
    ):
        assert not _is_simple(name, value)


def test_signature_contains_all_settings(own_packs):
    meteor = Meteor("en")
    parts = dict(part.split(":", 1) for part in meteor.signature.split("|"))
    assert parts.pop("pack").startswith("en@")
    assert parts == {
        "meteor_e": __version__,
        "lang": "en",
        "task": "rank",
        "norm": "full",
        "a": "0.85",
        "b": "0.2",
        "g": "0.6",
        "d": "0.75",
        "match": "exact=1.0+stem=0.6(english)+synonym=0.8+paraphrase=0.6",
        "beam": "40",
        "units": "words",
    }


@pytest.mark.parametrize(
    "options",
    [
        {"task": "adq"},
        {"parameters": {"alpha": 0.5}},
        {"matchers": ["exact"]},
        {"matchers": [{"use": "exact", "weight": 0.9}]},
        {"matchers": [{"use": "stem", "stemmer": "german"}]},
        {"normalization": "lower"},
        {"beam": 41},
        {"character_mode": True},
        {"language": "other"},
    ],
)
def test_signature_changes_with_each_setting(own_packs, options):
    assert Meteor(**{"language": "en", **options}).signature != Meteor("en").signature
