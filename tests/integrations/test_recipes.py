"""The recipes of docs/integrations.md and docs/cluster.md run if their libraries are installed."""

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


def run(name, library):
    """Run a recipe, and return the names that it defines."""
    if library is not None:
        pytest.importorskip(library, exc_type=ImportError)
    names = {"__name__": name}
    exec(compile(RECIPES[name], name, "exec"), names)
    return names


@pytest.fixture
def meteor(own_packs):
    return Meteor("en")


def test_recipes_are_all_tested():
    assert sorted(RECIPES) == ["AAC", "TRL", "mbrs"]


def test_trl(meteor, capsys):
    reward = run("TRL", None)["meteor_reward"]
    texts, references = ["he closed the door", "a train"], ["he shut the door", ["the train", "trains"]]
    expected = [meteor.score(*pair).score for pair in zip(texts, references, strict=True)]
    assert reward(texts, reference=references, prompts=["a", "b"]) == expected
    said = [[{"role": "user", "content": "?"}, {"role": "assistant", "content": text}] for text in texts]
    assert reward(completions=said, reference=references) == expected


def test_aac_metrics(meteor):
    names = run("AAC", "torch")
    candidates, references = ["a man is speaking", "rain"], [["a man speaks", "someone is talking"], ["it rains"]]
    corpus, captions = names["meteor"](candidates, references)
    assert corpus["meteor"].item() == meteor.corpus(candidates, references).score
    expected = [meteor.score(*pair).score for pair in zip(candidates, references, strict=True)]
    assert captions["meteor"].tolist() == expected


UNUSED = ("bert_score", "bleurt_pytorch", "comet", "fastchrf", "sentencepiece", "transformers")
"""What the other metrics of mbrs need."""


class EmptyClasses(MetaPathFinder, Loader):
    """Replaces packages that mbrs imports and the recipe does not use. Their classes are empty."""

    def find_spec(self, fullname, path, target=None):
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in UNUSED else None

    def create_module(self, spec):
        module = ModuleType(spec.name)
        module.__getattr__ = lambda name: type(name, (), {}) if name[0].isupper() else Mock()
        return module

    def exec_module(self, module):
        """Leave the module empty."""


def test_mbrs(meteor, monkeypatch):
    pytest.importorskip("torch")
    before = {*sys.modules}
    monkeypatch.setattr(sys, "meta_path", [EmptyClasses(), *sys.meta_path])
    metric = run("mbrs", "mbrs")["metric"]
    for name in {*sys.modules} - before:
        if name.partition(".")[0] in UNUSED:
            monkeypatch.delitem(sys.modules, name)
    texts = ["he closed the door", "he shut the door", "a door"]
    assert metric.score(texts[0], texts[1]) == meteor.score(texts[0], texts[1]).score
    assert metric.pairwise_scores(texts, texts).tolist() == pytest.approx(meteor.pairwise(texts, texts), abs=1e-6)


FRAMES = (REPOSITORY / "docs/cluster.md").read_text(encoding="utf-8").partition("## Data frames")[2]
CALLS = dict(re.findall(r"^\| ([\w ]+) \| `(.*)` \|$", FRAMES, re.MULTILINE))


@pytest.mark.parametrize(
    ("name", "library", "make", "read"),
    [
        ("Dask", "dask.dataframe", "library.from_pandas(frame, npartitions=1)", "compute"),
        ("Spark", "pyspark.sql", "library.SparkSession.builder.getOrCreate().createDataFrame(frame)", "toPandas"),
        ("Ray", "ray.data", "library.from_pandas(frame)", "to_pandas"),
        ("Hugging Face datasets", "datasets", "library.Dataset.from_pandas(frame)", "to_pandas"),
    ],
)
def test_data_frames(name, library, make, read, meteor):
    """The function of the page is pickled for the workers of each library, like the functions of a program."""
    found = {"library": pytest.importorskip(library, exc_type=ImportError), "__name__": "not_importable"}
    program = re.search(r"^```python\n(.*?)^```$", FRAMES, re.MULTILINE | re.DOTALL)
    exec(compile(program[1], library, "exec"), found)
    found["frame"] = found["data"] = eval(make, found)
    scored = getattr(eval(CALLS[name], found), read)()
    assert list(scored["meteor"]) == [meteor.score("the cat sat", "a cat sat").score]
