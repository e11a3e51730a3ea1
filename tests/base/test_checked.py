"""The conversion of data to typed structures: error messages name the key, the line and the expected value."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import msgspec
import numpy as np
import pytest

from meteor_e.base.checked import convert
from meteor_e.base.errors import ConfigError
from meteor_e.base.yamlfile import Document, parse_yaml
from meteor_e.chains.schemas import ChainFile
from meteor_e.languages.schema import LanguageFile, Weight


def convert_source(source, structure):
    """Convert a YAML text or Python data to a structure."""
    document = parse_yaml(source.encode(), "c.yaml") if isinstance(source, str) else Document(source)
    return convert(document, structure)


def get_error(source, structure=ChainFile) -> str:
    """Return the error message that results from the conversion of a YAML text or of Python data."""
    with pytest.raises(ConfigError) as caught:
        convert_source(source, structure)
    return str(caught.value)


LANGUAGE = """\
code: xx
name: X
matchers: [exact]
default_task: rank
tasks:
  li: {alpha: 0.5, beta: 1, gamma: 0.5, delta: 0.5, weights: {exact: 1, stem: 0.5}}
  rank: {alpha: 0.5, beta: 1, gamma: 0.5, delta: 0.5, weights: {exact: 1, stem: 0.5}}
  hter: {alpha: 0.5, beta: 1, gamma: 0.5, delta: 0.5, weights: {exact: 1, stem: 0.5}}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("langauge: en", "c.yaml:1: langauge: unknown key (did you mean 'language'?)"),
        ("beam: 3\na: 1", "c.yaml:2: a: unknown key; there are name, description, language, task, normalization"),
        ("task: true", "c.yaml:1: task: must be a text, not true"),
        ("task: ''", "c.yaml:1: task: must be a text, not ''"),
        ("task: [rank]", "c.yaml:1: task: must be a text, not a list"),
        ("task:", "c.yaml:1: task: must be a text, not nothing"),
        ("beam: 40.5", "c.yaml:1: beam: must be a whole number, at least 1, not 40.5"),
        ("beam: true", "c.yaml:1: beam: must be a whole number, at least 1, not true"),
        ("beam: 0", "c.yaml:1: beam: must be a whole number, at least 1, not 0"),
        (f"beam: {'x' * 10_000}", f"c.yaml:1: beam: must be a whole number, at least 1, not '{'x' * 58}…"),
        ("character_mode: yes", "c.yaml:1: character_mode: must be true or false, not 'yes'"),
        (
            "normalization: ful",
            "c.yaml:1: normalization: must be one of none, lower, full, no-punctuation, not 'ful' (did you mean 'full'",
        ),
        ("parameters: 3", "c.yaml:1: parameters: must be a mapping with alpha, beta, gamma, delta, not 3"),
        ("parameters:\n  alpah: 1", "c.yaml:2: parameters.alpah: unknown key (did you mean 'alpha'?)"),
        ("parameters: {alpha: 1.5}", "c.yaml:1: parameters.alpha: must be a number from 0 to 1, not 1.5"),
        (
            f"parameters: {{alpha: 1{'0' * 200}}}",
            "c.yaml:1: parameters.alpha: must be a number from 0 to 1",
        ),
        ("matchers: []", "c.yaml:1: matchers: must be a list that is not empty, not an empty list"),
        ("matchers:\n- exact\n-\n", "c.yaml:3: matchers[1]: must be a text or a mapping with use,"),
        ("matchers: [[exact]]", "c.yaml:1: matchers[0]: must be a text or a mapping with use, weight, optional, not"),
        ("matchers:\n- exact\n- {weight: 1}", "c.yaml:3: matchers[1]: the key 'use' is missing"),
        (
            "matchers:\n- use: stem\n  weight: much",
            "c.yaml:3: matchers[0].weight: must be a number from 0 to 1000000, not",
        ),
        ("- a", "c.yaml: must be a mapping of keys to values, not a list"),
        ("---", "c.yaml: must be a mapping of keys to values, not nothing"),
    ],
)
def test_convert_locates_an_error_in_a_chain_file(text, expected):
    assert get_error(text).startswith(expected)


@pytest.mark.parametrize(
    ("valid_part", "invalid_part", "expected"),
    [
        ("code: xx", "code: x x", "c.yaml:1: code: must be letters and digits, joined by - or _, not 'x x'"),
        ("[exact]", "[exact, 3]", "c.yaml:3: matchers[1]: must be a text, not 3"),
        ("name: X\n", "", "c.yaml: the key 'name' is missing"),
        # msgspec reports errors in the values of a dictionary without the key. `convert` adds the key.
        ("rank: {alpha: 0.5", "rank: {alpha: x", "c.yaml:7: tasks.rank.alpha: must be a number"),
        ("rank: {alpha: 0.5, beta", "rank: {beta", "c.yaml:7: tasks.rank: the key 'alpha' is missing"),
        ("hter: {alpha: 0.5", "hter: {alpha: 2", "c.yaml:8: tasks.hter.alpha: must be a number"),
        (
            "stem: 0.5}}\n  rank",
            "stem: -1}}\n  rank",
            "c.yaml:6: tasks.li.weights.stem: must be a number from 0 to 1000000",
        ),
        (
            "{exact: 1, stem: 0.5}}\n  rank",
            "{}}\n  rank",
            "c.yaml:6: tasks.li.weights: must be a mapping that is not empty",
        ),
        ("  hter:", "  '':", "c.yaml:5: tasks: has a key that is not a text"),
    ],
)
def test_convert_locates_an_error_in_a_language_file(valid_part, invalid_part, expected):
    assert get_error(LANGUAGE.replace(valid_part, invalid_part), LanguageFile).startswith(expected)


def test_convert_locates_an_error_in_a_nested_list():
    message = get_error("li: [1, -1]", dict[str, dict[str, Weight] | list[Weight]])
    assert message == "c.yaml:1: li[1]: must be a number from 0 to 1000000, not -1"
    assert get_error("li: [1, x]", dict[str, tuple[str, int]]) == "c.yaml:1: li[0]: must be a text, not 1"
    assert get_error("li: [x]", dict[str, tuple[str, int]]) == "c.yaml:1: li: must be a list of 2, not a list"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({1: 2}, "has a key that is not a text"),
        ({"parameters": {"beta": float("inf")}}, "inf is not a finite number"),
        ({"parameters": {"beta": 10**500}}, f"parameters.beta: must be a number, at least 0, not 1{'0' * 58}…"),
        ({"matchers": b"exact"}, "matchers: must be a list that is not empty, not b'exact'"),
        ([], "must be a mapping of keys to values, not an empty list"),
    ],
)
def test_convert_rejects_invalid_python_data(data, expected):
    assert get_error(data) == expected


def test_convert_accepts_valid_files():
    chain = convert(
        parse_yaml(b"language: no\nmatchers: [exact, {use: stem, weight: 0, any: [x, {y: null}]}]", ""), ChainFile
    )
    assert (chain.language, chain.matchers[1].weight) == ("no", 0)
    language = convert(parse_yaml(LANGUAGE.encode(), "c.yaml"), LanguageFile)
    assert list(language.tasks) == ["li", "rank", "hter"]


def test_convert_accepts_numbers_of_numpy_and_fractions():
    data = {
        "parameters": MappingProxyType({"alpha": np.float32(0.5), "beta": np.int64(1), "gamma": Fraction(1, 2)}),
        "beam": np.int32(3),
        "matchers": ("exact",),
    }
    assert convert(Document(MappingProxyType(data)), ChainFile).parameters.gamma == 0.5


class ExampleStruct(msgspec.Struct):
    """A structure with fields of several types."""

    file: str
    numbers: tuple[float, ...]
    count: int


def test_convert_converts_python_values_to_the_field_types():
    data = {"file": Path("a/b"), "numbers": (np.float32(0.5), Fraction(1, 4)), "count": np.int64(3)}
    assert convert(Document(data), ExampleStruct) == ExampleStruct("a/b", (0.5, 0.25), 3)
