"""Tests that run the recipes of docs/integrations.md and docs/cluster.md if their libraries are installed."""

from __future__ import annotations

import re
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from unittest.mock import Mock

import pytest
from fixtures import REPOSITORY

from meteor_e import Meteor

PAGE = (REPOSITORY / "docs/integrations.md").read_text(encoding="utf-8").partition("## Recipes\n")[2]
RECIPES = dict(re.findall(r"^### (\w+)\n.*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))

pytestmark = pytest.mark.filterwarnings("ignore")


def run_recipe(name, library):
    """Run a recipe, and return the names that it defines. Skip the test if a library is not installed."""
    if library is not None:
        pytest.importorskip(library, exc_type=ImportError)
    names = {"__name__": name}
    exec(compile(RECIPES[name], name, "exec"), names)
    return names


@pytest.fixture
def meteor(own_packs):
    """Return a metric with a small English pack."""
    return Meteor("en")


def test_recipes_are_all_tested():
    assert sorted(RECIPES) == ["AAC", "TRL", "mbrs"]


def test_trl_recipe_returns_meteor_scores(meteor, capsys):
    reward = run_recipe("TRL", None)["meteor_reward"]
    texts, references = ["he closed the door", "a train"], ["he shut the door", ["the train", "trains"]]
    expected = [meteor.score(*pair).score for pair in zip(texts, references, strict=True)]
    assert reward(texts, reference=references, prompts=["a", "b"]) == expected
    conversations = [[{"role": "user", "content": "?"}, {"role": "assistant", "content": text}] for text in texts]
    assert reward(completions=conversations, reference=references) == expected


def test_aac_recipe_returns_meteor_scores(meteor):
    names = run_recipe("AAC", "torch")
    candidates, references = ["a man is speaking", "rain"], [["a man speaks", "someone is talking"], ["it rains"]]
    corpus, captions = names["meteor"](candidates, references)
    assert corpus["meteor"].item() == meteor.corpus(candidates, references).score
    expected = [meteor.score(*pair).score for pair in zip(candidates, references, strict=True)]
    assert captions["meteor"].tolist() == expected


UNUSED_PACKAGES = ("bert_score", "bleurt_pytorch", "comet", "fastchrf", "sentencepiece", "transformers")
"""Packages that only the other metrics of mbrs need."""


class EmptyModuleFinder(MetaPathFinder, Loader):
    """Import hook that replaces packages that mbrs imports but the recipe does not use. Their classes are empty."""

    def find_spec(self, fullname, path, target=None):
        if fullname.partition(".")[0] in UNUSED_PACKAGES:
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        module = ModuleType(spec.name)
        module.__getattr__ = lambda name: type(name, (), {}) if name[0].isupper() else Mock()
        return module

    def exec_module(self, module):
        """Leave the module empty."""


def test_mbrs_recipe_returns_meteor_scores(meteor, monkeypatch):
    pytest.importorskip("torch")
    imported_before = {*sys.modules}
    monkeypatch.setattr(sys, "meta_path", [EmptyModuleFinder(), *sys.meta_path])
    metric = run_recipe("mbrs", "mbrs")["metric"]
    for name in {*sys.modules} - imported_before:
        if name.partition(".")[0] in UNUSED_PACKAGES:
            monkeypatch.delitem(sys.modules, name)
    texts = ["he closed the door", "he shut the door", "a door"]
    assert metric.score(texts[0], texts[1]) == meteor.score(texts[0], texts[1]).score
    assert metric.pairwise_scores(texts, texts).tolist() == pytest.approx(meteor.pairwise(texts, texts), abs=1e-6)


DATA_FRAME_SECTION = (REPOSITORY / "docs/cluster.md").read_text(encoding="utf-8").partition("## Data frames")[2]
EXPRESSIONS = dict(re.findall(r"^\| ([\w ]+) \| `(.*)` \|$", DATA_FRAME_SECTION, re.MULTILINE))


@pytest.mark.parametrize(
    ("name", "library", "make_expression", "read_method"),
    [
        ("Dask", "dask.dataframe", "library.from_pandas(frame, npartitions=1)", "compute"),
        ("Spark", "pyspark.sql", "library.SparkSession.builder.getOrCreate().createDataFrame(frame)", "toPandas"),
        ("Ray", "ray.data", "library.from_pandas(frame)", "to_pandas"),
        ("Hugging Face datasets", "datasets", "library.Dataset.from_pandas(frame)", "to_pandas"),
    ],
)
def test_data_frame_recipes_return_meteor_scores(name, library, make_expression, read_method, meteor):
    """Each library pickles the function on the page for its workers, like the functions of a user's program."""
    names = {"library": pytest.importorskip(library, exc_type=ImportError), "__name__": "not_importable"}
    code_block = re.search(r"^```python\n(.*?)^```$", DATA_FRAME_SECTION, re.MULTILINE | re.DOTALL)
    exec(compile(code_block[1], library, "exec"), names)
    names["frame"] = names["data"] = eval(make_expression, names)
    frame = getattr(eval(EXPRESSIONS[name], names), read_method)()
    assert list(frame["meteor"]) == [meteor.score("the cat sat", "a cat sat").score]
