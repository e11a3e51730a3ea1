"""The lint of prose finds what it is for, and leaves code alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "docs" / "prose_lint.py"


@pytest.fixture(scope="module")
def lint():
    spec = importlib.util.spec_from_file_location("prose_lint", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("A tie stands in the\nplace of a score.", "in the place of"),
        ("It reads one segment a line.", "one segment a line"),
        ("Two vectors a word are two too many.", "Two vectors a word"),
        ("The same in all but for the last.", "but for"),
        ("What a batch came to is printed.", "What a batch came to"),
        ("The argument is no number.", "is no number"),
    ],
)
def test_phrases_are_found(lint, text, phrase):
    assert [found for _, found, _ in lint.phrases(text)] == [phrase]


@pytest.mark.parametrize("text", ["There is no number.", "But for example, this is.", "A file per system."])
def test_what_is_right_is_left_alone(lint, text):
    assert not list(lint.phrases(text))


def test_code_is_not_prose(lint, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Colour\n\nA `colour` is\n\n    colour = 1\n\n```python\ncolour = 2\n```\n", encoding="utf-8")
    assert lint.prose(page).split() == ["#", "Colour", "A", "is"]
    module = tmp_path / "module.py"
    module.write_text(
        '"""Say the colour.\n\nArgs:\n    colour: the colour.\n"""\n\ncolour = f"no thing of {colour}"  # colour\n',
        encoding="utf-8",
    )
    lines = lint.prose(module).splitlines()
    assert [line.count("colour") for line in lines] == [1, 0, 0, 1, 0, 0, 1]
    assert len(lines[3]) == len("    colour: the colour.")
