"""Files of scores: nothing replaces anything without a word, and what they lack is an error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from meteor_e_evaluation.evaluation import evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_evaluation.score_files import ScoreFileMetric
from meteor_e_evaluation.score_writer import write_scores
from tiny_task import OUTPUTS

from meteor_e import SegmentMetric, load_metric
from meteor_e.api.formats import WmtNames
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import InputError
from meteor_e.formats.metric_task import metric_task_lines
from meteor_e.metrics.translations import score_test_set

CACHE = ArrayCache(enabled=False)
SEGMENTS = [(system, at, len(line)) for system, lines in OUTPUTS.items() for at, line in enumerate(lines, 1)]


@pytest.fixture
def test(task):
    (loaded,) = load_test_sets(load_index(task / "index.yaml"))
    return loaded


def score(test, spec, systems=True):
    metric = load_metric(spec) if isinstance(spec, str) else spec
    return score_test_set(metric, test, test.judgment_mask(), CACHE, systems=systems)


def write(path, rows):
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def test_score_file_error_names_both_duplicate_rows(test, tmp_path):
    file = write(tmp_path / "m", [("m", "cs-en", "t", system, at, x) for system, at, x in SEGMENTS])
    again = write(tmp_path / "again", [("m", "cs-en", "t", "beta", 4, 1)])
    with pytest.raises(InputError, match=r"again, line 1: a second score of system beta, segment 4; .*m, line 14"):
        score(test, f"scores:{file},{again}")


def test_score_files_of_several_pairs_are_separate(test, tmp_path):
    for pair in ("cs-en", "de-en"):
        write(tmp_path / f"{pair}.seg.score", [(system, x) for system, _, x in SEGMENTS])
    with pytest.raises(InputError, match=r"a second score of system alpha.*\{pair\}"):
        score(test, f"scores:{tmp_path}/cs-en.seg.score,{tmp_path}/de-en.seg.score")
    found = score(test, f"scores:{tmp_path}/{{pair}}.seg.score")
    assert found.segments[0, 0] == len(OUTPUTS["alpha"][0])


def test_score_file_options_select_test_set_and_reference(test, tmp_path):
    rows = [
        ("m", "cs-en", testset, reference, system, at, x * factor)
        for factor, testset in enumerate(("one", "other"), 1)
        for reference in ("refA", "refB")
        for system, at, x in SEGMENTS
    ]
    file = write(tmp_path / "m", rows)
    found = score(test, f"scores:{file}#m,testset=other,reference=refB")
    assert found.segments[0, 0] == 2 * len(OUTPUTS["alpha"][0])
    for chosen, message in (
        ("", r"several testsets \(one, other\); name one, as in scores:FILE#"),
        ("#testset=other", r"several references \(refA, refB\)"),
        ("#m,testset=other,reference=refC", "no reference 'refC'"),
    ):
        with pytest.raises(InputError, match=message):
            score(test, f"scores:{file}{chosen}")


def test_score_file_of_another_pair_is_an_error(test, tmp_path):
    for rows, message in (
        ([("alpha", 1), ("beta", 2)], "no score of m.score for system gamma.x of cs-en"),
        ([("alpha", 1), ("beta", 2), ("gamma.x", 3), ("online-Z", 1)], "line 4: cs-en has no system 'online-Z'"),
        ([(system, x) for system, at, x in SEGMENTS if at < 10], "system alpha has 9 scores; cs-en has 10 segments"),
    ):
        with pytest.raises(InputError, match=message):
            score(test, f"scores:{write(tmp_path / 'm.score', rows)}")


def test_system_scores_that_are_not_means_are_not_resampled(test, tmp_path):
    seg = write(tmp_path / "m.seg", [("m", "cs-en", "t", system, at, x) for system, at, x in SEGMENTS])
    sys = write(
        tmp_path / "m.sys",
        [("m", "cs-en", "t", "alpha", 1), ("m", "cs-en", "t", "beta", 2), ("m", "cs-en", "t", "gamma.x", 3)],
    )
    own = score(test, f"scores:{seg},{sys}")
    pearson = measure("system-pearson")
    assert pearson.value(test, own) < -0.9
    assert np.isnan(pearson.resampled(test, own, np.ones((2, 10)))).all()
    mean = score(test, f"scores:{seg}")
    assert pearson.resampled(test, mean, np.ones((2, 10)))[0] == pytest.approx(pearson.value(test, mean))


class Answers(SegmentMetric):
    """A metric that answers with what it is given."""

    name = signature = "answers"

    def __init__(self, answer):
        self.answer = answer

    def score_segments(self, hypotheses, references, sources):
        return [self.answer] * len(hypotheses)


@pytest.mark.parametrize("answer", ["0.5", None, [1.0]])
def test_metric_result_that_is_not_a_number_is_an_error(test, answer):
    with pytest.raises(
        InputError, match=r"answers (?:gave|returned) (scores that are not all numbers|.* scores for 10 segments)"
    ):
        score(test, Answers(answer))


def test_missing_metric_score_is_an_error(task):
    index = load_index(task / "index.yaml")
    lengths = {line: float(len(line)) for lines in OUTPUTS.values() for line in lines}

    class Partly(Answers):
        def score_segments(self, hypotheses, references, sources):
            return [math.nan if text.startswith("two goats") else lengths[text] for text in hypotheses]

    def run(tests, metric):
        return evaluate(tests, [metric], [measure("tau-strict")], CACHE)

    with pytest.raises(
        InputError, match="answers: the system's score is infinite, because a sum over 10 segments overflows"
    ):
        run(load_test_sets(index), Answers(math.inf))
    with pytest.raises(InputError, match=r"system alpha, segment 5 of Tiny cs-en \(2 are missing\)"):
        run(load_test_sets(index), Partly(0))


def test_write_scores_can_be_read_again(test, tmp_path):
    scores = score(test, Answers(0.25))
    files = write_scores(tmp_path, test, [scores])
    assert [file.relative_to(tmp_path).as_posix() for file in files] == [
        "cs-en/answers-ref.seg.score",
        "cs-en/answers-ref.sys.score",
    ]
    again = score(test, f"scores:{tmp_path}/{{pair}}/answers-ref.seg.score,{tmp_path}/{{pair}}/answers-ref.sys.score")
    assert (again.segments == scores.segments).all()
    assert (again.systems == scores.systems).all()
    with pytest.raises(InputError, match="two metrics would be written"):
        write_scores(tmp_path, test, [scores, scores])


def test_metrics_task_lines_can_be_read_again(test, tmp_path):
    names = WmtNames("cs-en", "tiny", "refA")
    lines = []
    for system, output in OUTPUTS.items():
        lengths = [float(len(line)) for line in output]
        lines += metric_task_lines("m", system, names, lengths)
        lines += metric_task_lines("m", system, names, [], corpus_score=sum(lengths) / len(lengths))
    assert lines[0] == f"m\tcs-en\ttiny\trefA\talpha\t1\t{float(len(OUTPUTS['alpha'][0]))}"
    (tmp_path / "m").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = score(test, f"scores:{tmp_path}/m")
    assert found.segments[1, 3] == len(OUTPUTS["beta"][3])
    assert found.resamplable
    with pytest.raises(InputError, match="names must not be empty or contain white space"):
        list(metric_task_lines("my metric", "s", WmtNames("cs-en", "t", "refA"), [1.0]))


def test_check_scores_warns_of_error_metrics(test):
    class Shorter(Answers):
        def score_segments(self, hypotheses, references, sources):
            return [-len(text) for text in hypotheses]

    many = type(test)(**{**vars(test), "rankings": test.rankings.select(np.tile(np.arange(32), 10))})
    found = evaluate([many], [Shorter(0)], [measure("tau-strict")], CACHE)
    assert any("answers correlates negatively with human judgments" in line for line in found.warnings["Tiny cs-en"])


def test_write_scores_refuses_equal_file_names(tmp_path):
    file = write(tmp_path / "m", [("m", "cs-en", "t", "a", 1), ("n", "cs-en", "t", "a", 1)])
    with pytest.raises(InputError, match=r"several metrics \(m, n\); name one"):
        ScoreFileMetric.make(files=[str(file)])
