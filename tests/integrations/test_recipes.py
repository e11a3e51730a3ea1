"""Recipes of docs/integrations.md whose libraries the tests have."""

from __future__ import annotations

import re

import pytest
from fixtures import REPOSITORY

from meteor_e import Meteor

PAGE = (REPOSITORY / "docs/integrations.md").read_text(encoding="utf-8").partition("## Recipes\n")[2]
RECIPES = dict(re.findall(r"^### (\w+)\n.*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))

pytestmark = pytest.mark.filterwarnings("ignore")


def run(name):
    """Run a recipe; return the names that it defines."""
    names = {"__name__": name}
    exec(compile(RECIPES[name], name, "exec"), names)
    return names


@pytest.fixture
def meteor(own_packs):
    return Meteor("en")


def test_trl(meteor):
    reward = run("TRL")["meteor_reward"]
    texts, references = ["he closed the door", "a train"], ["he shut the door", ["the train", "trains"]]
    expected = [meteor.score(*pair).score for pair in zip(texts, references, strict=True)]
    assert reward(texts, reference=references, prompts=["a", "b"]) == expected
    said = [[{"role": "user", "content": "?"}, {"role": "assistant", "content": text}] for text in texts]
    assert reward(completions=said, reference=references) == expected


def test_aac_metrics(meteor):
    pytest.importorskip("torch", reason="torch is not installed")
    names = run("AAC")
    candidates, references = ["a man is speaking", "rain"], [["a man speaks", "someone is talking"], ["it rains"]]
    corpus, captions = names["meteor"](candidates, references)
    assert corpus["meteor"].item() == meteor.corpus(candidates, references).score
    expected = [meteor.score(*pair).score for pair in zip(candidates, references, strict=True)]
    assert captions["meteor"].tolist() == expected
