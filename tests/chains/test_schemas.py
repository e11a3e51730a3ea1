"""Tests for the JSON schemas of chain files and language files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from meteor_e.base.checked import convert
from meteor_e.base.errors import ConfigError
from meteor_e.base.yamlfile import parse_yaml, read_yaml
from meteor_e.chains.schemas import FILES, json_schema
from meteor_e.languages.schema import LanguageFile
from meteor_e.text.normalization import APOSTROPHE_STYLES

RESOURCES = Path(__file__).parents[2] / "resources"
CHAINS = sorted((RESOURCES / "chains").glob("*.yaml"))
LANGUAGES = sorted(set((RESOURCES / "languages").glob("*.yaml")) - {RESOURCES / "languages" / "any.yaml"})


@pytest.mark.parametrize("kind", FILES)
def test_schemas_are_up_to_date(kind):
    file = RESOURCES / f"{kind}.schema.json"
    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(json_schema(kind)), (
        f"run: python -m meteor_e.chains.schemas {kind} > resources/{kind}.schema.json"
    )


def test_schema_lists_all_apostrophe_styles():
    for style in APOSTROPHE_STYLES:
        text = f"code: x\nname: x\nmatchers: [exact]\ndefault_task: li\napostrophes: {style}"
        assert convert(parse_yaml(text.encode(), ""), LanguageFile).apostrophes == style
    properties = json.loads(json_schema("language"))["$defs"]["LanguageFile"]["properties"]
    assert len(properties["apostrophes"]["enum"]) == len(APOSTROPHE_STYLES)


@pytest.fixture(scope="module")
def validators():
    """Return a JSON schema validator for each kind of file."""
    jsonschema = pytest.importorskip("jsonschema", reason="checks files against the JSON schemas")
    return {kind: jsonschema.Draft202012Validator(json.loads(json_schema(kind))) for kind in FILES}


@pytest.mark.parametrize(("kind", "file"), [*(("chain", f) for f in CHAINS), *(("language", f) for f in LANGUAGES)])
def test_schemas_accept_our_resource_files(validators, kind, file):
    validators[kind].validate(read_yaml(file).data)


@pytest.mark.parametrize(
    "text",
    [
        "langauge: en",
        "task: 3",
        "task: ''",
        "task:",
        "beam: 0",
        "beam: '40'",
        "character_mode: yes",
        "normalization: ful",
        "parameters: {alpha: 1.5}",
        "parameters: {x: 1}",
        "matchers: []",
        "matchers: [{weight: 1}]",
        "matchers: [{use: exact, weight: -1}]",
        "lemmatizer: {file: x}",
        "- a",
        # Chains that the schema and the converter accept.
        "{}",
        "language: no",
        "matchers: [exact, {use: stem, weight: 0.5, anything: goes}]",
        "lemmatizer: {use: lookup, file: x}",
    ],
)
def test_schema_and_converter_agree(validators, text):
    document = parse_yaml(text.encode(), "c.yaml")
    try:
        convert(document, FILES["chain"])
    except ConfigError:
        assert not validators["chain"].is_valid(document.data)
    else:
        assert validators["chain"].is_valid(document.data)
