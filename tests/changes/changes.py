"""The changes that CONTRIBUTING.md promises, as edits of the tree; ``test_changes.py`` makes each in a copy."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from meteor_e.engine.native import native_module

__all__ = ["CHANGES", "REPOSITORY", "Change", "copy_of_the_tree"]

REPOSITORY = Path(__file__).parents[2]
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", ".tox", ".venv", "*.pyc")


@dataclass(frozen=True)
class Change:
    """A change of the tree.

    Attributes:
        title: what the table in CONTRIBUTING.md calls it.
        edits: for each file what is replaced by what.
        files: new files with their content.
        generated: files that ``python -m meteor_e.chains.schemas`` writes.
        plugin: new files that a plugin of one's own has; its hooks are in the first.
        probe: code that is run on the changed tree, with ``run`` and the texts; it asserts that the change is there.
    """

    title: str
    edits: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    generated: list[str] = field(default_factory=list)
    plugin: dict[str, str] = field(default_factory=dict)
    probe: str = ""

    @property
    def touched(self) -> list[str]:
        """All files that somebody who makes the change has in the commit."""
        return [*self.edits, *self.files, *self.generated, *self.plugin]

    def make(self, root: Path) -> None:
        """Make the change in a copy of the tree."""
        for name, pairs in self.edits.items():
            file = root / name
            text = file.read_text(encoding="utf-8")
            for old, new in pairs:
                assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times; mend {Path(__file__).name}"
                text = text.replace(old, new)
            file.write_text(text, encoding="utf-8")
        for name, text in {**self.files, **self.plugin}.items():
            (root / name).write_text(text, encoding="utf-8")
        if self.plugin:
            # What pip makes of the entry point in the plugin's pyproject.toml.
            module = Path(next(iter(self.plugin))).stem
            folder = root / f"{module}-1.0.dist-info"
            folder.mkdir()
            (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
            (folder / "entry_points.txt").write_text(f"[meteor_e]\n{module} = {module}\n")


def copy_of_the_tree(root: Path) -> None:
    """Copy the sources, so that they can be imported from the copy; the resources where they are in a wheel."""
    shutil.copytree(REPOSITORY / "meteor_e", root / "meteor_e", ignore=LEFT_OUT)
    shutil.copytree(REPOSITORY / "resources", root / "resources", ignore=LEFT_OUT)
    (root / "meteor_e" / "resources").symlink_to(root / "resources", target_is_directory=True)
    for source in sorted((REPOSITORY / "plugins").glob("*/src/*")):
        if (source / "__init__.py").is_file():
            shutil.copytree(source, root / source.name, ignore=LEFT_OUT)
    shutil.copy(REPOSITORY / "CMakeLists.txt", root)
    native = native_module()
    if native is not None:
        shutil.copy(str(native.__file__), root / "meteor_e")


STATISTIC = Change(
    "a statistic (number of matches)",
    {
        "meteor_e/scoring/statistics.py": [
            (
                "    chunks: int\n    hypothesis_matched: int",
                "    matches: int\n    chunks: int\n    hypothesis_matched: int",
            ),
            (
                "        chunks=alignment.chunks,\n",
                "        matches=len(alignment.matches),\n        chunks=alignment.chunks,\n",
            ),
        ],
        "meteor_e/native/statistics.cpp": [
            ("(X) X(chunks)", "(X) X(matches) X(chunks)"),
            (
                "    last[After::chunks] = count_chunks(matches);\n",
                "    last[After::chunks] = count_chunks(matches);\n    last[After::matches] = matches.size();\n",
            ),
        ],
    },
    probe="""
segment = Meteor("en", matchers=["exact", "stem"]).score(HYPOTHESES[0], [REFERENCES[0]])
assert segment.statistics.matches == len(segment.alignment.matches) > 1, segment.statistics
""",
)

PART = Change(
    "a part of the score (F2)",
    {
        "meteor_e/scoring/formula.py": [
            ("    f1: float\n", "    f1: float\n    f2: float\n"),
            ("    fmean = divide(1.0,",
             "    f2 = divide(5 * precision * recall, 4 * precision + recall)\n    fmean = divide(1.0,"),
            ("(precision, recall, f1, fmean,", "(precision, recall, f1, f2, fmean,"),
        ],
        "meteor_e/scoring/results.py": [("    f1: float\n", "    f1: float\n    f2: float\n")],
        "meteor_e/native/statistics.cpp": [
            ("X(f1) X(fmean)", "X(f1) X(f2) X(fmean)"),
            ("    scores[Part::f1] =",
             "    scores[Part::f2] = ratio(5 * precision * recall, 4 * precision + recall);\n    scores[Part::f1] ="),
        ],
    },
    probe="""
segment = Meteor("en", matchers=["exact", "stem"]).score(HYPOTHESES[0], [REFERENCES[0]])
expected = 5 * segment.precision * segment.recall / (4 * segment.precision + segment.recall)
assert abs(segment.f2 - expected) < 1e-12, segment
assert "f2" in segment.to_dict()
assert '"f2"' in run("score", *FILES, "-m", "exact,stem", "--format=json")
""",
)  # fmt: skip

KEY = Change(
    "a key of a chain (`penalty: false`)",
    {
        "meteor_e/chains/keys.py": [
            ("    character_mode: bool = False\n", "    character_mode: bool = False\n    penalty: bool = True\n"),
            ("    character_mode: bool | None\n", "    character_mode: bool | None\n    penalty: bool | None\n"),
            ('    "idf": ChainKey(',
             '    "penalty": ChainKey("Punish fragmentation.", bool),\n    "idf": ChainKey('),
        ],
        "meteor_e/chains/chain.py": [
            ("    for name in config.parameters:\n",
             '    greek["gamma"] *= config.plain.get("penalty", True)\n    for name in config.parameters:\n'),
        ],
    },
    generated=["resources/chain.schema.json"],
    probe="""
segment = Meteor("en", matchers=["exact"], penalty=False).score("a b c d", ["a b x d"])
assert segment.fragmentation_penalty == 0 and segment.score == segment.fmean, segment
assert Meteor("en", matchers=["exact"]).score("a b c d", ["a b x d"]).fragmentation_penalty > 0
assert "penalty:False" in Meteor("en", matchers=["exact"], penalty=False).signature
""",
)  # fmt: skip

MATCHER = Change(
    "a matcher (first letters)",
    {
        "meteor_e/plugins/builtin.py": [
            ('        "lemma": ',
             '        "initial": "meteor_e.matchers.initial:InitialMatcher",\n        "lemma": '),
        ],
    },
    {
        "meteor_e/matchers/initial.py": '''"""Words with the same first letter."""

from meteor_e.api.matchers import KeyMatcher


class InitialMatcher(KeyMatcher):
    """Words match if they begin alike."""

    name = "initial"

    def keys(self, token):
        return {token.form[0]}
''',
    },
    probe="""
from meteor_e.matchers.initial import InitialMatcher
from meteor_e.testing import check_matcher
pairs = Meteor("en", matchers=["exact", "initial"]).score("a bird", ["a bat"]).alignment.pairs()
assert ("bird", "bat", "initial") in pairs, pairs
""",
)  # fmt: skip

LANGUAGE = Change(
    "a language (Ido)",
    files={
        "resources/languages/io.yaml": "code: io\nname: Ido\nnormalization: lower\nsegmenter: unicode\n"
        "matchers: [exact]\ndefault_task: universal\n"
    },
    probe="""
assert Meteor("io").score("bona dio", ["bona nokto"]).score > 0
assert "io" in run("plugins", "io")
""",
)

ESTIMATOR = Change(
    "an estimator (mean of the features)",
    plugin={
        "own_estimator.py": '''import numpy as np
from meteor_e import Estimator, hookimpl


class FeatureMean(Estimator):
    """The mean of the features."""

    name = "feature-mean"

    def fit(self, X, y, *, groups=None, sample_weight=None):
        self.size_ = X.shape[1] // 2
        return self

    def score_segments(self, features):
        return features.mean(axis=1)

    def arrays(self):
        return {"size": np.array([self.size_])}

    def restore(self, arrays):
        self.size_ = int(arrays["size"][0])


@hookimpl
def meteor_e_estimators():
    return [FeatureMean]
''',
    },
    probe="""
from meteor_e import load_metric
recipe = folder / "mean.yaml"
recipe.write_text(RECIPE.replace("guarded-linear", "feature-mean").replace("options: {toward: [meteor.score]}", ""))
run("train", str(recipe), "-o", str(folder / "mean.safetensors"), "--no-cache")
assert load_metric(str(folder / "mean.safetensors")).corpus(HYPOTHESES, REFERENCES).score > 0
""",
)

MEASURE = Change(
    "a measure (share of segments whose scores are above the mean where people's are)",
    plugin={
        "own_measure.py": '''import numpy as np
from meteor_e import Measure, hookimpl


class SameSide(Measure):
    """Share of the outputs that metric and people put on the same side of their mean."""

    name = "same-side"
    title = "same side"
    definition = "Share of the outputs that metric and people put on the same side of their mean."

    def agreement(self, test):
        if test.assessments is None:
            return None
        rated, human = test.assessments, test.assessments.scores
        own = lambda scores: scores[rated.systems, rated.segments]
        return lambda scores: float(np.mean((own(scores) > np.nanmean(scores)) == (human > human.mean())))

    def resampled(self, test, scores, weights):
        return np.full(len(weights), self.value(test, scores))


@hookimpl
def meteor_e_measures():
    return [SameSide]
''',
    },
    probe="""
table = run("evaluate", str(JUDGED / "assessed.yaml"), "-M", "chrf", "-s", "same-side", "-q")
assert "same side" in table, table
""",
)

OUTPUT = Change(
    "an output format (Org tables)",
    plugin={
        "own_format.py": '''from meteor_e import hookimpl
from meteor_e.api import OutputFormat


class OrgFormat(OutputFormat):
    """Tables of Emacs Org."""

    name = "org"

    def write(self, result, stream, options):
        for grid in result.grids(options.digits):
            for row in (grid.header, *grid.rows):
                stream.write("| " + " | ".join(row) + " |\\n")


@hookimpl
def meteor_e_output_formats():
    return [OrgFormat]
''',
    },
    probe="""
assert "| hypotheses | " in run("score", *FILES, "-m", "exact", "-f", "org"), run("score", *FILES, "-f", "org")
""",
)

METRIC = Change(
    "a metric (share of the hypothesis's words)",
    plugin={
        "own_metric.py": '''from meteor_e import SegmentMetric, hookimpl


class Overlap(SegmentMetric):
    """Share of the hypothesis's words that a reference has, too."""

    name = "word-share"

    @property
    def signature(self):
        return "word-share|version:1"

    def score_segments(self, hypotheses, references, sources=None):
        shares = []
        for text, texts in zip(hypotheses, references):
            words = set(text.split())
            shares.append(max(len(words & set(one.split())) for one in texts) / max(1, len(words)))
        return shares


@hookimpl
def meteor_e_metrics():
    return [Overlap]
''',
    },
    probe="""
import own_metric
assert "word-share" in run("score", *FILES, "-M", "word-share")
""",
)

CHANGES = (STATISTIC, PART, KEY, MATCHER, LANGUAGE, ESTIMATOR, MEASURE, OUTPUT, METRIC)
