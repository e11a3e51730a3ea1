"""Tests of the data formats that WMT has used since 2020.

The formats are the folders of mt-metrics-eval, MQM annotations, ratings by document, language pairs with locales, and
test sets of sacreBLEU.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.evaluation import evaluate, load_test_sets
from meteor_e_evaluation.index import load_index, split_pair, target_language
from meteor_e_evaluation.measures import measure
from meteor_e_evaluation.mtme import mtme_index
from meteor_e_evaluation.ratings import read_mqm, read_ratings
from tiny_task import OUTPUTS, REFERENCE, run

from meteor_e import load_metric
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.formats import test_sets
from meteor_e.metrics.translations import score_test_set

CACHE = ArrayCache(enabled=False)
DOCUMENTS = ["harbor"] * 4 + ["school"] * 6
NAMES = list(OUTPUTS)


def write_file(path, text):
    """Write a file and its parent folders; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def rate(system, segment):
    """Return the human score of an output, or None. The system refB is a second human translation."""
    if system == "gamma.x" and segment == 3:
        return None
    return {"alpha": 90, "beta": 70, "gamma.x": 30, "refB": 95}[system] - segment % 3 * 5


def make_score_lines(system, scores):
    """Return the lines of a score file for a system."""
    return "".join(f"{system}\t{score}\n" for score in scores)


@pytest.fixture
def wmt(tmp_path):
    """Write a test set with two references in the layout of mt-metrics-eval; return its folder."""
    root = tmp_path / "wmt99"
    for pair in ("de-en", "de-en_GB"):
        write_file(root / "documents" / f"{pair}.docs", "".join(f"news\t{name}\n" for name in DOCUMENTS))
        write_file(root / "sources" / f"{pair}.txt", "\n".join(f"Satz {segment}" for segment in range(10)) + "\n")
        for name in ("refA", "refB"):
            write_file(root / "references" / f"{pair}.{name}.txt", "\n".join(REFERENCE) + "\n")
            write_file(root / "system-outputs" / pair / f"{name}.txt", "\n".join(REFERENCE) + "\n")
        for system, output in OUTPUTS.items():
            write_file(root / "system-outputs" / pair / f"{system}.txt", "\n".join(output) + "\n")
        human = {name: [rate(name, segment) for segment in range(10)] for name in [*NAMES, "refB"]}
        human["refA"] = [None] * 10
        segment_lines = "".join(make_score_lines(name, scores) for name, scores in human.items())
        write_file(root / "human-scores" / f"{pair}.esa.seg.score", segment_lines)
        means = {}
        for name in [*NAMES, "refB"]:
            means[name] = [np.mean([score for score in human[name] if score is not None])]
        means["refA"] = [None]
        system_lines = "".join(make_score_lines(name, scores) for name, scores in means.items())
        write_file(root / "human-scores" / f"{pair}.esa.sys.score", system_lines)
        write_file(root / "human-scores" / f"{pair}.other.seg.score", segment_lines.replace("90", "10"))
        lengths = {name: [len(text) for text in output] for name, output in OUTPUTS.items()}
        lengths["refB"] = [len(text) for text in REFERENCE]
        segment_lines = "".join(make_score_lines(name, scores) for name, scores in lengths.items())
        write_file(root / "metric-scores" / pair / "Length-refA.seg.score", segment_lines)
        system_lines = "".join(make_score_lines(name, [np.mean(scores)]) for name, scores in lengths.items())
        write_file(root / "metric-scores" / pair / "Length-refA.sys.score", system_lines)
    return root


def test_mtme_index_reads_a_folder(wmt):
    test_set = load_test_set(mtme_index(wmt), "de-en")
    assert test_set.systems == ("alpha", "beta", "gamma.x")
    assert test_set.reference_names == ("refA",)
    assert test_set.documents == tuple(DOCUMENTS)
    assert test_set.source[3] == "Satz 3"
    assert test_set.human[0, 4] == rate("alpha", 4)
    assert np.isnan(test_set.human[2, 3])
    assert test_set.system_scores["beta"] == pytest.approx(np.mean([rate("beta", segment) for segment in range(10)]))
    scores = score_test_set(load_metric("mtme:Length"), test_set, test_set.judgment_mask(), CACHE, systems=True)
    assert scores.segments[1, 2] == len(OUTPUTS["beta"][2])
    assert scores.systems[1] == pytest.approx(np.mean([len(text) for text in OUTPUTS["beta"]]))
    assert scores.resamplable


def test_mtme_index_selects_gold_and_references(wmt):
    test_set = load_test_set(mtme_index(wmt, human_systems=True), "de-en")
    assert test_set.systems == ("alpha", "beta", "gamma.x", "refB")
    test_set = load_test_set(mtme_index(wmt, gold="other"), "de-en")
    assert test_set.human[0, 0] == 10
    assert load_test_set(mtme_index(wmt, references=["refB"]), "de-en").reference_names == ("refB",)
    for options, message in (
        ({"gold": "mqn"}, "no scores 'mqn' of de-en; there are esa, other"),
        ({"references": ["refC"]}, "de-en has no reference 'refC'"),
        ({"pairs": ["de-fr"]}, "no language pair 'de-fr'"),
    ):
        with pytest.raises(InputError, match=message):
            mtme_index(wmt, **options)
    with pytest.raises(InputError, match="no folder system-outputs"):
        mtme_index(wmt / "sources")


def test_target_language_ignores_locales(wmt):
    assert target_language("en-cs_CZ") == "cs"
    assert target_language("en-sr_Cyrl_RS") == "sr"
    assert load_test_set(mtme_index(wmt), "de-en_GB").language == "en"
    assert [target_language(pair) for pair in ("en-zh-Hant", "zh-Hant-en", "en-sr_Cyrl-RS")] == ["zh", "en", "sr"]
    assert [split_pair(pair) for pair in ("en-zh-Hant", "zh-Hant-en")] == [("en", "zh-Hant"), ("zh-Hant", "en")]
    for folder in ("system-outputs", "metric-scores"):
        (wmt / folder / "de-en").rename(wmt / folder / "de-zh-Hant")
    assert "de-zh-Hant" not in mtme_index(wmt).pairs
    with pytest.raises(InputError, match="no scores 'esa' of de-zh-Hant"):
        mtme_index(wmt, pairs=["de-zh-Hant"], gold="esa")


def test_evaluate_reads_mtme_and_writes_scores(wmt, packs, tmp_path):
    arguments = ["evaluate", f"mtme:{wmt}", "--pair", "de-en", "-M", "mtme:Length", "-M", "meteor", "--no-cache"]
    measures = ["-s", "acc-eq", "-s", "spa", "-s", "system-accuracy"]
    scores = tmp_path / "scores"
    significance = ["--samples", 50, "--significance"]
    document = json.loads(run(*arguments, *measures, *significance, "-f", "json", "--write-scores", scores).stdout)
    by_measure = {table["measure"]: table["metrics"] for table in document["tables"]}
    assert by_measure["acc-eq"]["METEOR"]["de-en"]["rank"] == 1
    assert by_measure["system-accuracy"]["METEOR"]["de-en"]["value"] == 1
    assert sorted(file.name for file in (scores / "de-en").iterdir()) == [
        "Length-refA.seg.score",
        "Length-refA.sys.score",
        "METEOR-refA.seg.score",
        "METEOR-refA.sys.score",
    ]
    # Scores are written for all systems, including the second reference, so that the folder can replace metric-scores.
    assert (scores / "de-en" / "METEOR-refA.seg.score").read_text(encoding="utf-8").count("\n") == 40
    original_file = wmt / "metric-scores" / "de-en" / "Length-refA.sys.score"
    assert (scores / "de-en" / "Length-refA.sys.score").read_text() == original_file.read_text()
    for file in (scores / "de-en").iterdir():
        (wmt / "metric-scores" / "de-en" / file.name).write_bytes(file.read_bytes())
    arguments_for_files = ["evaluate", f"mtme:{wmt}", "--pair", "de-en", "-M", "mtme:METEOR"]
    document_from_files = json.loads(run(*arguments_for_files, *measures, "-f", "json").stdout)
    value_from_files = document_from_files["tables"][0]["metrics"]["METEOR"]["de-en"]["value"]
    assert value_from_files == by_measure["acc-eq"]["METEOR"]["de-en"]["value"]
    for format_name in ("text", "markdown", "latex"):
        assert "(1)" in run(*arguments, "-s", "acc-eq", *significance, "-f", format_name).stdout


def make_mqm_table(rows):
    """Return MQM annotations as a tab-separated table."""
    header = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
    return header + "".join("\t".join(map(str, row)) + "\n" for row in rows)


def make_error(system, segment, category, severity, rater="rater1", text=None):
    """Return a row of an MQM table. The default text is the system's output."""
    document = DOCUMENTS[segment - 1]
    segment_in_document = segment if document == "harbor" else segment - 4
    target = OUTPUTS[system][segment - 1] if text is None else text
    marked_target = target.replace(target.split()[0], f"<v>{target.split()[0]}</v>", 1)
    return (system, document, segment_in_document, segment, rater, 'ein "Satz', marked_target, category, severity)


ERRORS = [
    make_error("alpha", 1, "No-error", "No-error"),
    make_error("alpha", 2, "Fluency/Punctuation", "Minor"),
    make_error("alpha", 2, "Accuracy/Omission", "Minor"),
    make_error("alpha", 2, "Accuracy/Omission", "Major", rater="rater2"),
    make_error("beta", 1, "Non-translation!", "Major"),
    make_error("beta", 2, "Style/Awkward", "Neutral"),
    make_error("gamma.x", 5, "Accuracy/Mistranslation", "Major"),
    make_error("gamma.x", 5, "Probe", "HOTW-test"),
]


def test_read_mqm_weights_errors_by_severity(tmp_path):
    file = write_file(tmp_path / "mqm.tsv", make_mqm_table(ERRORS))
    rows = [(row.system, row.segment, row.score) for row in read_mqm(file)]
    assert rows == [
        ("alpha", 1, 0.0),
        ("alpha", 2, -1.1),
        ("alpha", 2, -5.0),
        ("beta", 1, -25.0),
        ("beta", 2, 0.0),
        ("gamma.x", 5, -5.0),
    ]
    file = write_file(tmp_path / "mqm.tsv", make_mqm_table([make_error("alpha", 1, "Accuracy", "Terrible")]))
    with pytest.raises(InputError, match="line 2: unknown severity 'Terrible'; there are major"):
        list(read_mqm(file))
    assert [row.score for row in read_mqm(file, weights={"Terrible": 9})] == [-9]


@pytest.fixture
def judgment_task(task):
    """Add documents to the tiny task; return its folder and a function that loads it with given judgments."""
    write_file(task / "docs", "\n".join(DOCUMENTS) + "\n")

    def load(spec):
        text = (
            "name: Tiny\npairs: [cs-en]\nreferences: ref.en\noutputs: 'outputs/tiny.{pair}.{system}'\n"
            f"documents: docs\njudgments:\n  - {spec}\n"
        )
        write_file(task / "judged.yaml", text)
        return load_test_set(load_index(task / "judged.yaml"), "cs-en")

    return task, load


def test_load_test_set_averages_mqm_ratings(judgment_task):
    folder, load = judgment_task
    write_file(folder / "mqm.tsv", make_mqm_table(ERRORS))
    for spec in ("{file: mqm.tsv, format: mqm}", "{file: mqm.tsv, format: mqm, segments: document}"):
        test_set = load(spec)
        assert test_set.human[0, 1] == pytest.approx((-1.1 - 5) / 2)
        assert test_set.human[test_set.systems.index("gamma.x"), 4] == -5
        assert "6 ratings of 5 segments of systems: several of one segment are averaged" in test_set.notes
        assert not any("rated texts" in note for note in test_set.notes)
    all_ratings = load("{file: mqm.tsv, format: mqm, ratings: all}")
    assert len(all_ratings.assessments) == 6
    assert any("each is kept" in note for note in all_ratings.notes)


def test_load_test_set_warns_of_texts_that_are_not_outputs(judgment_task):
    folder, load = judgment_task
    rows = [
        make_error("alpha", segment, "Accuracy", "Minor", text=OUTPUTS["alpha"][segment]) for segment in range(1, 10)
    ]
    write_file(folder / "mqm.tsv", make_mqm_table(rows))
    (warning,) = [note for note in load("{file: mqm.tsv, format: mqm}").notes if "rated texts" in note]
    assert warning.startswith("warning: 9 of 9 rated texts are not the system's output; are the judgments shifted")


RATINGS = "system,document,line,rater,score\nalpha,harbor,1,r1,90\nalpha,harbor,1,r2,80\nbeta,school,2,r1,40\n"


def test_load_test_set_finds_ratings_by_document_and_line(judgment_task):
    folder, load = judgment_task
    write_file(folder / "esa.csv", RATINGS)
    test_set = load("{file: esa.csv, format: ratings, segments: document}")
    assert test_set.human[0, 0] == 85
    assert test_set.human[1, 5] == 40
    for location, message in (
        ("school,7", "line 4: segment 7 is outside the document school, which has 6"),
        ("shool,2", "line 4: cs-en has no document 'shool' .did you mean 'school'"),
    ):
        write_file(folder / "esa.csv", RATINGS.replace("school,2", location))
        with pytest.raises(InputError, match=message):
            load("{file: esa.csv, format: ratings, segments: document}")


def test_read_ratings_accepts_column_names_and_filters(tmp_path):
    file = write_file(tmp_path / "da.csv", "u1,alpha,1,TGT,90\nu1,alpha,2,BAD,5\nu2,beta,1,TGT,None\n")
    columns = ["rater", "system", "segment", "type", "score"]
    rows = list(read_ratings(file, columns=columns, only={"type": "TGT"}))
    assert [(row.system, row.segment, row.score) for row in rows] == [("alpha", 1, 90.0)]
    with pytest.raises(InputError, match="no column 'kind'"):
        list(read_ratings(file, columns=columns, only={"kind": "TGT"}))


@pytest.mark.parametrize(
    ("level", "text", "message"),
    [
        ("segments", "alpha\t1\nalpha\tx\n", "line 2: the score is 'x', not a number"),
        ("segments", "alpha\t1\t2\n", "line 1: 3 fields; SYSTEM and SCORE"),
        ("segments", "alpha\t1\n", "system alpha has 1 scores; the test set has 10 segments"),
        ("segments", "alpha\tnan\n", "the score is 'nan'; a finite number"),
        ("systems", "alpha\t1\nbeta\t2\nalpha\t3\n", r"line 3: a second score of system alpha; .*line 1"),
    ],
)
def test_score_line_errors_name_the_line(judgment_task, level, text, message):
    folder, load = judgment_task
    write_file(folder / "h.score", text)
    with pytest.raises(InputError, match=message):
        load(f"{{file: h.score, format: score-{level}}}")


def test_system_scores_in_several_files_are_not_overwritten(judgment_task):
    folder, load = judgment_task
    write_file(folder / "first.score", "alpha\t1\nbeta\t2\n")
    write_file(folder / "second.score", "gamma.x\t3\n")
    write_file(folder / "third.score", "alpha\t4\n")
    first, second, third = (f"{{file: {name}.score, format: score-systems}}" for name in ("first", "second", "third"))
    assert load(f"{first}\n  - {second}").system_scores == {"alpha": 1, "beta": 2, "gamma.x": 3}
    with pytest.raises(InputError, match=r"third.score, line 1: a second score of system alpha; .*first.score, line 1"):
        load(f"{first}\n  - {third}")


def test_evaluate_rejects_duplicate_test_set_names(task):
    loaded_sets = load_test_sets(load_index(task / "index.yaml"))
    with pytest.raises(InputError, match="two test sets are called Tiny cs-en"):
        evaluate([*loaded_sets, *loaded_sets], [], [measure("tau-strict")], CACHE)


def test_evaluate_returns_nan_without_ratings_of_a_pair(judgment_task):
    folder, load = judgment_task
    write_file(folder / "da.csv", "LP SYSTEM SID HUMAN\nde-en alpha 1 1\n")
    write_file(folder / "sys.csv", "LP SYSTEM HUMAN\ncs-en alpha 1\ncs-en beta 2\ncs-en gamma.x 3\n")
    test_set = load("{file: da.csv, format: da-segments}\n  - {file: sys.csv, format: da-systems}")
    metric = load_metric("chrf")
    names = ("tau-strict", "acc-eq", "pearson", "pearson-item", "spa", "system-pearson")
    evaluation = evaluate([test_set], [metric], [measure(name) for name in names], CACHE, intervals=5)
    values = [table.rows["chrF"][0].value for table in evaluation.tables]
    assert np.isnan(values[:5]).all()
    assert values[5] < 0


class Dataset:
    """A fake test set of sacreBLEU."""

    name = "ours"
    data = ("https://example.org/ours.tgz",)

    def __init__(self, folder=None, reason=None):
        self.langpairs = {"cs-en": []}
        self.folder, self.reason = folder, reason

    def fieldnames(self, pair):
        return ["src", "docid", "ref", *OUTPUTS]

    def get_files(self, pair):
        if self.reason:
            raise self.reason
        return [str(self.folder / name) for name in self.fieldnames(pair)]

    def get_reference_files(self, pair):
        return [str(self.folder / "ref")]


def test_sacrebleu_test_set_is_found_by_name(tmp_path, monkeypatch, packs):
    from sacrebleu.dataset import DATASETS

    for name, text in {"src": REFERENCE, "docid": DOCUMENTS, "ref": REFERENCE, **OUTPUTS}.items():
        write_file(tmp_path / "set" / name, "\n".join(text) + "\n")
    monkeypatch.setitem(DATASETS, "ours", Dataset(tmp_path / "set"))
    test_set = test_sets.named_set("ours", "cs-en")
    assert test_set.references == [str(tmp_path / "set" / "ref")]
    assert list(test_set.systems) == NAMES
    write_file(tmp_path / "h.sys.score", "alpha\t3\nbeta\t2\ngamma.x\t1\n")
    keys = (
        "name: ours\npairs: [cs-en]\noutputs: sacrebleu:ours\nreferences: sacrebleu:ours\nmeasures: [system-accuracy]\n"
    )
    index = write_file(tmp_path / "i.yaml", keys + "judgments: [{file: h.sys.score, format: score-systems}]\n")
    arguments = ["evaluate", index, "-f", "json", "--no-cache"]
    document = json.loads(run(*arguments).stdout)
    assert document["tables"][0]["metrics"]["METEOR"]["cs-en"]["value"] == 1.0
    options = ["--test-set", "ours", "--pair", "cs-en", "--format=json"]
    beta_result = json.loads(run("score", tmp_path / "set" / "beta", *options).stdout)
    all_results = json.loads(run("score", *options).stdout)
    assert [system["system"] for system in all_results["systems"]] == NAMES
    assert beta_result["systems"][0]["scores"] == all_results["systems"][1]["scores"]
    with pytest.raises(ConfigError, match="--test-set NAME and --pair SRC-TRG go together"):
        run("score", tmp_path / "set" / "beta", "--test-set", "ours")
    for name, message in (("ours", "ours has no language pair 'de-en'"), ("wmt170", "knows no test set 'wmt170'")):
        with pytest.raises(InputError, match=message):
            test_sets.named_set(name, "de-en")


@pytest.mark.parametrize("reason", [OSError(113, "No route to host"), SystemExit(1)])
def test_sacrebleu_test_set_error_names_the_download(monkeypatch, reason):
    from sacrebleu.dataset import DATASETS

    monkeypatch.setitem(DATASETS, "ours", Dataset(reason=reason))
    with pytest.raises(
        InputError, match=r"sacrebleu -t ours -l cs-en --echo src; it downloads https://example.org/ours"
    ):
        test_sets.named_set("ours", "cs-en")
