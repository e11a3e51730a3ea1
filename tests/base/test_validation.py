from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest

from meteor_e.base.validation import find_problems
from meteor_e.base.yamlfile import Document, parse_yaml
from meteor_e.chains.schemas import ChainFile
from meteor_e.languages.schema import CommonTasks, LanguageFile


def problems(text: str, kind=ChainFile) -> list[str]:
    return [str(problem) for problem in find_problems(parse_yaml(text.encode(), "c.yaml"), kind)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("langauge: en", "c.yaml:1: langauge: unknown key (did you mean 'language'?)"),
        ("a: 1\nbeam: 3", "c.yaml:1: a: unknown key; there are name, description, language, task, normalization"),
        ("'': 1", "c.yaml:1: unknown key; there are"),
        ("task: 3", "c.yaml:1: task: must be a text, not 3 (put it in quotes?)"),
        ("task: true", "c.yaml:1: task: must be a text, not true (put it in quotes?)"),
        ("task: ''", "c.yaml:1: task: must be a text, not ''"),
        ("task: [rank]", "c.yaml:1: task: must be a text, not a list"),
        ("task:", "c.yaml:1: task: has no value; give a text, or leave it out"),
        ("beam: 40.0", "c.yaml:1: beam: must be a whole number, 1 or more, not 40.0"),
        ("beam: true", "c.yaml:1: beam: must be a whole number, 1 or more, not true"),
        ("beam: 0", "c.yaml:1: beam: must be a whole number, 1 or more, not 0"),
        ("beam: '40'", "c.yaml:1: beam: must be a whole number, 1 or more, not '40' (leave the quotes out?)"),
        ("character_mode: yes", "c.yaml:1: character_mode: must be true or false, not 'yes' (did you mean true?)"),
        ("character_mode: Off", "c.yaml:1: character_mode: must be true or false, not 'Off' (did you mean false?)"),
        ("character_mode: 1", "c.yaml:1: character_mode: must be true or false, not 1"),
        (
            "normalization: ful",
            "c.yaml:1: normalization: must be one of none, lower, full, no-punctuation, not 'ful' (did you mean 'full'",
        ),
        (
            "normalization: false",
            "c.yaml:1: normalization: must be one of none, lower, full, no-punctuation, not false",
        ),
        ("parameters: 3", "c.yaml:1: parameters: must be a mapping with the keys alpha, beta, gamma, delta, not 3"),
        ("parameters:\n  alpah: 1", "c.yaml:2: parameters.alpah: unknown key (did you mean 'alpha'?)"),
        ("parameters: {alpha: 1.5}", "c.yaml:1: parameters.alpha: must be a number from 0 to 1, not 1.5"),
        ("parameters: {beta: -1}", "c.yaml:1: parameters.beta: must be a number, 0 or more, not -1"),
        ("parameters: {beta: 1e999}", "c.yaml:1: parameters.beta: is 1e999; it must be a finite number"),
        ("parameters: {alpha: .nan}", "c.yaml:1: parameters.alpha: is .nan; it must be a finite number"),
        ("parameters: {alpha: high}", "c.yaml:1: parameters.alpha: must be a number from 0 to 1, not 'high'"),
        (
            f"parameters: {{alpha: 1{'0' * 200}}}",
            "c.yaml:1: parameters.alpha: must be a number from 0 to 1, not a",
        ),
        ("matchers: exact", "c.yaml:1: matchers: must be a list with something in it, not 'exact'"),
        ("matchers: []", "c.yaml:1: matchers: must be a list with something in it, not an empty list"),
        ("matchers:\n- exact\n-\n", "c.yaml:3: matchers[1]: has no value; give a text or a mapping with the keys use,"),
        (
            "matchers: [[exact]]",
            "c.yaml:1: matchers[0]: must be a text or a mapping with the keys use, weight, optional",
        ),
        ("matchers:\n- {weight: 1}", "c.yaml:2: matchers[0]: the key 'use' is missing"),
        (
            "matchers:\n- use: stem\n  weight: much",
            "c.yaml:3: matchers[0].weight: must be a number, 0 or more, not 'much'",
        ),
        ("lemmatizer: 3", "c.yaml:1: lemmatizer: must be a text or a mapping with the key use, not 3"),
        ("- a", "c.yaml: must be a mapping of keys to values, not a list"),
        ("---", "c.yaml: must be a mapping of keys to values, not nothing"),
        ("hello", "c.yaml: must be a mapping of keys to values, not 'hello'"),
        ("beam: 1\nbeam: 2", "c.yaml:2: beam: is given twice, on lines 1 and 2"),
    ],
)
def test_a_mistake_in_a_chain(text, expected):
    (found,) = problems(text)
    assert found.startswith(expected)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "language: no",
        "parameters: {alpha: 1, beta: 1.5, gamma: 0, delta: 1e-3}",
        "matchers: [exact, {use: stem, weight: 0, optional: true, anything: [goes, {here: null}]}]",
        "lemmatizer: none",
        "lemmatizer: {use: lookup, file: x.tsv, weight: text}",
        "beam: 1",
        "character_mode: true\nnormalization: no-punctuation\npack: ./x\nname: a\ndescription: ''",
    ],
)
def test_chains_without_mistakes(text):
    assert problems(text) == []


def test_all_mistakes_are_found_in_the_order_of_the_lines():
    text = "beam: 0\nmatchers:\n  - {use: 3}\n  - {weight: -1}\nbeam: 2\nparameters: {alpha: x, x: 1}\n"
    assert [line.split(": ")[:2] for line in problems(text)] == [
        ["c.yaml:1", "beam"],
        ["c.yaml:3", "matchers[0].use"],
        ["c.yaml:4", "matchers[1]"],
        ["c.yaml:4", "matchers[1].weight"],
        ["c.yaml:5", "beam"],
        ["c.yaml:6", "parameters.alpha"],
        ["c.yaml:6", "parameters.x"],
    ]


def test_long_values_are_cut():
    (found,) = problems(f"beam: {'x' * 10_000}")
    assert found.endswith("…")
    assert len(found) < 150


def of_mapping(data) -> list[str]:
    return [str(problem) for problem in find_problems(Document(data), ChainFile)]


def test_mappings_from_python():
    assert of_mapping({1: 2}) == ["the key 1 must be a text"]
    assert of_mapping({"beam": float("nan")}) == ["beam: must be a whole number, 1 or more, not nan"]
    assert of_mapping({"parameters": {"beta": float("inf")}}) == [
        "parameters.beta: must be a number, 0 or more, not inf"
    ]
    assert of_mapping({"parameters": {"beta": 10**5000}}) == [
        "parameters.beta: must be a number, 0 or more, not a huge number"
    ]
    assert of_mapping({"matchers": b"exact"}) == ["matchers: must be a list with something in it, not b'exact'"]
    assert of_mapping([]) == ["must be a mapping of keys to values, not an empty list"]


def test_numbers_and_containers_of_other_libraries():
    data = {
        "parameters": MappingProxyType({"alpha": np.float32(0.5), "beta": np.int64(1), "gamma": Fraction(1, 2)}),
        "beam": np.int32(3),
        "matchers": ("exact",),
    }
    assert of_mapping(MappingProxyType(data)) == []


def test_language_files():
    text = """\
code: x x
matchers: [exact, 3]
default_task: rank
tasks:
  rank: {alpha: 0.5, beta: 1, gamma: 0.5, weights: {exact: yes}}
  li: {alpha: 0.5, beta: 1, gamma: 0.5, delta: 0.5, weights: {}}
apostrophes: germn
aliases: [no, 5]
"""
    assert problems(text, LanguageFile) == [
        "c.yaml: the key 'name' is missing",
        "c.yaml:1: code: must be letters and digits, joined by - or _, not 'x x'",
        "c.yaml:2: matchers[1]: must be a text, not 3 (put it in quotes?)",
        "c.yaml:5: tasks.rank: the key 'delta' is missing",
        "c.yaml:5: tasks.rank.weights.exact: must be a number, 0 or more, not 'yes'",
        "c.yaml:6: tasks.li.weights: must be a mapping with something in it, not an empty mapping",
        "c.yaml:7: apostrophes: must be one of apart, english, french, not 'germn'",
        "c.yaml:8: aliases[1]: must be letters and digits, joined by - or _, not 5 (put it in quotes?)",
    ]


def test_mappings_with_any_key():
    assert problems("'': {}", CommonTasks) == ["c.yaml: the key '' must be a text"]
    (found,) = problems("li: 3", CommonTasks)
    assert found.startswith("c.yaml:1: li: must be a mapping with the keys alpha, beta")
    (found,) = problems("li: {alpha: 0, beta: 0, gamma: 0, delta: 0, weights: [1, -1]}", CommonTasks)
    assert found == "c.yaml:1: li.weights[1]: must be a number, 0 or more, not -1"
