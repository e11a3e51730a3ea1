"""What WMT publishes since 2020: mt-metrics-eval's folders, MQM, ratings by document, locales, test sets by name."""

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


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def quality(system, segment):
    """What people say of a segment, made up; refB is a second human translation."""
    if system == "gamma.x" and segment == 3:
        return None
    return {"alpha": 90, "beta": 70, "gamma.x": 30, "refB": 95}[system] - segment % 3 * 5


def lines(system, values):
    return "".join(f"{system}\t{value}\n" for value in values)


@pytest.fixture
def wmt(tmp_path):
    """A test set of our own in the layout of mt-metrics-eval, with two references."""
    root = tmp_path / "wmt99"
    for pair in ("de-en", "de-en_GB"):
        write(root / "documents" / f"{pair}.docs", "".join(f"news\t{name}\n" for name in DOCUMENTS))
        write(root / "sources" / f"{pair}.txt", "\n".join(f"Satz {at}" for at in range(10)) + "\n")
        for name in ("refA", "refB"):
            write(root / "references" / f"{pair}.{name}.txt", "\n".join(REFERENCE) + "\n")
            write(root / "system-outputs" / pair / f"{name}.txt", "\n".join(REFERENCE) + "\n")
        for system, output in OUTPUTS.items():
            write(root / "system-outputs" / pair / f"{system}.txt", "\n".join(output) + "\n")
        human = {name: [quality(name, at) for at in range(10)] for name in [*NAMES, "refB"]}
        human["refA"] = [None] * 10
        seg = "".join(lines(name, values) for name, values in human.items())
        write(root / "human-scores" / f"{pair}.esa.seg.score", seg)
        means = {
            name: [np.mean([x for x in values if x is not None])] for name, values in human.items() if name != "refA"
        }
        means["refA"] = [None]
        write(root / "human-scores" / f"{pair}.esa.sys.score", "".join(lines(name, x) for name, x in means.items()))
        write(root / "human-scores" / f"{pair}.other.seg.score", seg.replace("90", "10"))
        metric = {name: [len(text) for text in output] for name, output in OUTPUTS.items()}
        metric["refB"] = [len(text) for text in REFERENCE]
        given = "".join(lines(name, values) for name, values in metric.items())
        write(root / "metric-scores" / pair / "Length-refA.seg.score", given)
        given = "".join(lines(name, [np.mean(values)]) for name, values in metric.items())
        write(root / "metric-scores" / pair / "Length-refA.sys.score", given)
    return root


def test_mtme_folder_is_read(wmt):
    test = load_test_set(mtme_index(wmt), "de-en")
    assert test.systems == ("alpha", "beta", "gamma.x")
    assert test.reference_names == ("refA",)
    assert test.documents == tuple(DOCUMENTS)
    assert test.source[3] == "Satz 3"
    assert test.human[0, 4] == quality("alpha", 4)
    assert np.isnan(test.human[2, 3])
    assert test.system_scores["beta"] == pytest.approx(np.mean([quality("beta", at) for at in range(10)]))
    scores = score_test_set(load_metric("mtme:Length"), test, test.judgment_mask(), CACHE, systems=True)
    assert scores.segments[1, 2] == len(OUTPUTS["beta"][2])
    assert scores.systems[1] == pytest.approx(np.mean([len(text) for text in OUTPUTS["beta"]]))
    assert scores.resamplable


def test_mtme_options_select_gold_and_references(wmt):
    test = load_test_set(mtme_index(wmt, human_systems=True), "de-en")
    assert test.systems == ("alpha", "beta", "gamma.x", "refB")
    test = load_test_set(mtme_index(wmt, gold="other"), "de-en")
    assert test.human[0, 0] == 10
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


def test_pairs_with_locales_have_the_metrics_language(wmt):
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


def test_evaluate_reads_mtme_writes_scores_and_ranks(wmt, packs, tmp_path):
    arguments = ["evaluate", f"mtme:{wmt}", "--pair", "de-en", "-M", "mtme:Length", "-M", "meteor", "--no-cache"]
    measures = ["-s", "acc-eq", "-s", "spa", "-s", "system-accuracy"]
    scores = tmp_path / "scores"
    tests = ["--samples", 50, "--significance"]
    document = json.loads(run(*arguments, *measures, *tests, "-f", "json", "--write-scores", scores).stdout)
    by_measure = {table["measure"]: table["metrics"] for table in document["tables"]}
    assert by_measure["acc-eq"]["METEOR"]["de-en"]["rank"] == 1
    assert by_measure["system-accuracy"]["METEOR"]["de-en"]["value"] == 1
    assert sorted(file.name for file in (scores / "de-en").iterdir()) == [
        "Length-refA.seg.score",
        "Length-refA.sys.score",
        "METEOR-refA.seg.score",
        "METEOR-refA.sys.score",
    ]
    # Written for all systems, the second reference too, so that the folder can take the place of metric-scores.
    assert (scores / "de-en" / "METEOR-refA.seg.score").read_text(encoding="utf-8").count("\n") == 40
    assert (scores / "de-en" / "Length-refA.sys.score").read_text() == (
        wmt / "metric-scores" / "de-en" / "Length-refA.sys.score"
    ).read_text()
    for file in (scores / "de-en").iterdir():
        (wmt / "metric-scores" / "de-en" / file.name).write_bytes(file.read_bytes())
    again = json.loads(
        run("evaluate", f"mtme:{wmt}", "--pair", "de-en", "-M", "mtme:METEOR", *measures, "-f", "json").stdout
    )
    assert again["tables"][0]["metrics"]["METEOR"]["de-en"]["value"] == by_measure["acc-eq"]["METEOR"]["de-en"]["value"]
    for form in ("text", "markdown", "latex"):
        assert "(1)" in run(*arguments, "-s", "acc-eq", *tests, "-f", form).stdout


def mqm(rows):
    head = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
    return head + "".join("\t".join(map(str, row)) + "\n" for row in rows)


def error(system, at, category, severity, rater="rater1", text=None):
    document = DOCUMENTS[at - 1]
    inside = at if document == "harbor" else at - 4
    target = OUTPUTS[system][at - 1] if text is None else text
    marked = target.replace(target.split()[0], f"<v>{target.split()[0]}</v>", 1)
    return (system, document, inside, at, rater, 'ein "Satz', marked, category, severity)


ERRORS = [
    error("alpha", 1, "No-error", "No-error"),
    error("alpha", 2, "Fluency/Punctuation", "Minor"),
    error("alpha", 2, "Accuracy/Omission", "Minor"),
    error("alpha", 2, "Accuracy/Omission", "Major", rater="rater2"),
    error("beta", 1, "Non-translation!", "Major"),
    error("beta", 2, "Style/Awkward", "Neutral"),
    error("gamma.x", 5, "Accuracy/Mistranslation", "Major"),
    error("gamma.x", 5, "Probe", "HOTW-test"),
]


def test_mqm_weights_errors_and_averages_raters(tmp_path):
    file = write(tmp_path / "mqm.tsv", mqm(ERRORS))
    rows = [(row.system, row.segment, row.score) for row in read_mqm(file)]
    assert rows == [
        ("alpha", 1, 0.0),
        ("alpha", 2, -1.1),
        ("alpha", 2, -5.0),
        ("beta", 1, -25.0),
        ("beta", 2, 0.0),
        ("gamma.x", 5, -5.0),
    ]
    file = write(tmp_path / "mqm.tsv", mqm([error("alpha", 1, "Accuracy", "Terrible")]))
    with pytest.raises(InputError, match="line 2: unknown severity 'Terrible'; there are major"):
        list(read_mqm(file))
    assert [row.score for row in read_mqm(file, weights={"Terrible": 9})] == [-9]


@pytest.fixture
def judged(task):
    """The tiny task with documents; tests say how it is judged."""
    write(task / "docs", "\n".join(DOCUMENTS) + "\n")

    def load(spec):
        text = (
            "name: Tiny\npairs: [cs-en]\nreferences: ref.en\noutputs: 'outputs/tiny.{pair}.{system}'\n"
            f"documents: docs\njudgments:\n  - {spec}\n"
        )
        write(task / "judged.yaml", text)
        return load_test_set(load_index(task / "judged.yaml"), "cs-en")

    return task, load


def test_mqm_becomes_human_scores(judged):
    folder, load = judged
    write(folder / "mqm.tsv", mqm(ERRORS))
    for spec in ("{file: mqm.tsv, format: mqm}", "{file: mqm.tsv, format: mqm, segments: document}"):
        test = load(spec)
        assert test.human[0, 1] == pytest.approx((-1.1 - 5) / 2)
        assert test.human[test.systems.index("gamma.x"), 4] == -5
        assert "6 ratings of 5 segments of systems: several of one segment are averaged" in test.notes
        assert not any("rated texts" in note for note in test.notes)
    every = load("{file: mqm.tsv, format: mqm, ratings: all}")
    assert len(every.assessments) == 6
    assert any("each is kept" in note for note in every.notes)


def test_sanity_check_compares_rated_texts_with_outputs(judged):
    folder, load = judged
    rows = [error("alpha", at, "Accuracy", "Minor", text=OUTPUTS["alpha"][at]) for at in range(1, 10)]
    write(folder / "mqm.tsv", mqm(rows))
    (warning,) = [note for note in load("{file: mqm.tsv, format: mqm}").notes if "rated texts" in note]
    assert warning.startswith("warning: 9 of 9 rated texts are not the system's output; are the judgments shifted")


RATINGS = "system,document,line,rater,score\nalpha,harbor,1,r1,90\nalpha,harbor,1,r2,80\nbeta,school,2,r1,40\n"


def test_ratings_are_located_by_document_and_line(judged):
    folder, load = judged
    write(folder / "esa.csv", RATINGS)
    test = load("{file: esa.csv, format: ratings, segments: document}")
    assert test.human[0, 0] == 85
    assert test.human[1, 5] == 40
    for wrong, message in (
        ("school,7", "line 4: segment 7 is outside the document school, which has 6"),
        ("shool,2", "line 4: cs-en has no document 'shool' .did you mean 'school'"),
    ):
        write(folder / "esa.csv", RATINGS.replace("school,2", wrong))
        with pytest.raises(InputError, match=message):
            load("{file: esa.csv, format: ratings, segments: document}")


def test_ratings_without_header_and_with_filter(tmp_path):
    file = write(tmp_path / "da.csv", "u1,alpha,1,TGT,90\nu1,alpha,2,BAD,5\nu2,beta,1,TGT,None\n")
    columns = ["rater", "system", "segment", "type", "score"]
    rows = list(read_ratings(file, columns=columns, only={"type": "TGT"}))
    assert [(row.system, row.segment, row.score) for row in rows] == [("alpha", 1, 90.0)]
    with pytest.raises(InputError, match="no column 'kind'"):
        list(read_ratings(file, columns=columns, only={"kind": "TGT"}))


@pytest.mark.parametrize(
    ("of", "text", "message"),
    [
        ("segments", "alpha\t1\nalpha\tx\n", "line 2: the score is 'x', not a number"),
        ("segments", "alpha\t1\t2\n", "line 1: 3 fields; SYSTEM and SCORE"),
        ("segments", "alpha\t1\n", "system alpha has 1 scores; the test set has 10 segments"),
        ("segments", "alpha\tnan\n", "the score is 'nan'; a finite number"),
        ("systems", "alpha\t1\nbeta\t2\nalpha\t3\n", r"line 3: a second score of system alpha; .*line 1"),
    ],
)
def test_score_line_errors_name_the_line(judged, of, text, message):
    folder, load = judged
    write(folder / "h.score", text)
    with pytest.raises(InputError, match=message):
        load(f"{{file: h.score, format: score-{of}}}")


def test_evaluate_refuses_two_test_sets_of_one_name(task):
    tests = load_test_sets(load_index(task / "index.yaml"))
    with pytest.raises(InputError, match="two test sets are called Tiny cs-en"):
        evaluate([*tests, *tests], [], [measure("tau-strict")], CACHE)


def test_judgments_without_rows_of_a_pair_are_an_error(judged):
    folder, load = judged
    write(folder / "da.csv", "LP SYSTEM SID HUMAN\nde-en alpha 1 1\n")
    write(folder / "sys.csv", "LP SYSTEM HUMAN\ncs-en alpha 1\ncs-en beta 2\ncs-en gamma.x 3\n")
    test = load("{file: da.csv, format: da-segments}\n  - {file: sys.csv, format: da-systems}")
    metric = load_metric("chrf")
    names = ("tau-strict", "acc-eq", "pearson", "pearson-item", "spa", "system-pearson")
    found = evaluate([test], [metric], [measure(name) for name in names], CACHE, intervals=5)
    values = [table.rows["chrF"][0].value for table in found.tables]
    assert np.isnan(values[:5]).all()
    assert values[5] < 0


class Dataset:
    """What sacreBLEU has of a test set."""

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


def test_sacrebleu_test_set_by_name(tmp_path, monkeypatch, packs):
    from sacrebleu.dataset import DATASETS

    for name, text in {"src": REFERENCE, "docid": DOCUMENTS, "ref": REFERENCE, **OUTPUTS}.items():
        write(tmp_path / "set" / name, "\n".join(text) + "\n")
    monkeypatch.setitem(DATASETS, "ours", Dataset(tmp_path / "set"))
    found = test_sets.named_set("ours", "cs-en")
    assert found.references == [str(tmp_path / "set" / "ref")]
    assert list(found.systems) == NAMES
    write(tmp_path / "h.sys.score", "alpha\t3\nbeta\t2\ngamma.x\t1\n")
    keys = (
        "name: ours\npairs: [cs-en]\noutputs: sacrebleu:ours\nreferences: sacrebleu:ours\nmeasures: [system-accuracy]\n"
    )
    index = write(tmp_path / "i.yaml", keys + "judgments: [{file: h.sys.score, format: score-systems}]\n")
    arguments = ["evaluate", index, "-f", "json", "--no-cache"]
    document = json.loads(run(*arguments).stdout)
    assert document["tables"][0]["metrics"]["METEOR"]["cs-en"]["value"] == 1.0
    shown = ["--test-set", "ours", "--pair", "cs-en", "--format=json"]
    mine = json.loads(run("score", tmp_path / "set" / "beta", *shown).stdout)
    theirs = json.loads(run("score", *shown).stdout)
    assert [system["system"] for system in theirs["systems"]] == NAMES
    assert mine["systems"][0]["scores"] == theirs["systems"][1]["scores"]
    with pytest.raises(ConfigError, match="--test-set NAME and --pair SRC-TRG go together"):
        run("score", tmp_path / "set" / "beta", "--test-set", "ours")
    for name, message in (("ours", "ours has no language pair 'de-en'"), ("wmt170", "knows no test set 'wmt170'")):
        with pytest.raises(InputError, match=message):
            test_sets.named_set(name, "de-en")


@pytest.mark.parametrize("reason", [OSError(113, "No route to host"), SystemExit(1)])
def test_sacrebleu_test_set_offline_names_the_download(monkeypatch, reason):
    from sacrebleu.dataset import DATASETS

    monkeypatch.setitem(DATASETS, "ours", Dataset(reason=reason))
    with pytest.raises(
        InputError, match=r"sacrebleu -t ours -l cs-en --echo src; it downloads https://example.org/ours"
    ):
        test_sets.named_set("ours", "cs-en")
