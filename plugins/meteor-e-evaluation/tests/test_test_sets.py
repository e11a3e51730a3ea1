"""Tests of test sets, of their index files, and of the formats of outputs, references and records."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_evaluation.data import load_test_set
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.sanity import check_test_set
from tiny_task import HEADER, OUTPUTS, REFERENCE, ranking_row

from meteor_e.base.errors import ConfigError, InputError


def load(task, pair="cs-en"):
    """Load a language pair of the task."""
    return load_test_set(load_index(task / "index.yaml"), pair)


def edit_index(task, old, new):
    """Replace a text in the index of the task."""
    index = task / "index.yaml"
    text = index.read_text(encoding="utf-8")
    assert old in text
    index.write_text(text.replace(old, new), encoding="utf-8")


def test_load_test_set_maps_judgments_to_outputs(task):
    test_set = load(task)
    assert test_set.systems == ("alpha", "beta", "gamma.x")
    assert list(test_set.outputs) == list(OUTPUTS.values())
    assert list(test_set.references) == [REFERENCE]
    assert test_set.language == "en"
    rankings = test_set.rankings
    assert len(rankings) == 32
    assert len(rankings.strict()) == 30
    assert rankings.segments.min() == 0
    first_segment = rankings.select(rankings.segments == 0)
    better = [test_set.systems[index] for index in first_segment.better]
    worse = [test_set.systems[index] for index in first_segment.worse]
    assert better == ["alpha", "alpha", "beta"]
    assert worse == ["beta", "gamma.x", "gamma.x"]
    assert test_set.judgment_mask().sum() == 30


def test_notes_name_dropped_and_missing_judgments(task):
    (task / "outputs" / "tiny.cs-en.silent").write_text("x\n" * 10, encoding="utf-8")
    notes = load(task).notes
    assert "left out: 30 judgments of _ref" in notes
    assert "outputs without judgments: silent" in notes


def test_unknown_system_error_names_line_and_similar_name(task):
    edit_index(task, ", rename: {gamma: gamma.x}", "")
    with pytest.raises(
        InputError, match=r"ranks.csv, line 2: system 'gamma' has no output in .*did you mean 'gamma.x'"
    ):
        load(task)


def test_short_output_error_names_system_and_file(task):
    file = task / "outputs" / "tiny.cs-en.beta"
    file.write_text("one line\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"system beta: .*tiny\.cs-en\.beta has 1 segment, its reference has 10"):
        load(task)


def test_load_test_set_rejects_unknown_segments(task):
    edit_index(task, "format: ranking-csv", "format: ranking-csv, first_segment: 2")
    with pytest.raises(InputError, match="line 2: segment 1 is outside the test set of 10 segments"):
        load(task)


def test_segment_map_renumbers_and_filters_segments(task):
    table = "old\tnew\tsure\n" + "".join(f"{n}\t{n % 10 + 1}\t{int(n > 2)}\n" for n in range(1, 11))
    (task / "map.tsv").write_text(table, encoding="utf-8")
    edit_index(
        task,
        "format: ranking-csv",
        'format: ranking-csv, segment_map: {file: map.tsv, key: old, line: new, only: {sure: "1"}}',
    )
    test_set = load(task)
    assert set(test_set.rankings.segments.tolist()) == {0, *range(3, 10)}
    assert "left out: 6 judgments of segments that are not in map.tsv" in test_set.notes
    edit_index(task, "key: old", "key: older")
    with pytest.raises(InputError, match=r"map\.tsv: no column 'older'"):
        load(task)


def test_system_name_pattern_extracts_the_output_name(task):
    rows = [HEADER, ranking_row(1, {"tiny.cs-en.alpha.12": 1, "tiny.cs-en.beta.3": 2})]
    (task / "ranks.csv").write_text("\n".join(rows), encoding="utf-8")
    edit_index(task, "drop: [_ref]", 'system: "tiny.{pair}.{system}.{number}"')
    assert load(task).systems == ("alpha", "beta")
    edit_index(task, "tiny.{pair}.{system}.{number}", "other.{system}")
    with pytest.raises(InputError, match=r"system 'tiny.cs-en.alpha.12' is not of the form 'other.\{system\}'"):
        load(task)


def test_system_separator_splits_joint_systems(task):
    (task / "da.csv").write_text(
        "LP DATA SYSTEM SID HUMAN\ncs-en t alpha+beta 2 0.5\ncs-en t beta 3 1\n", encoding="utf-8"
    )
    edit_index(
        task,
        "{file: ranks.csv, format: ranking-csv, drop: [_ref], rename: {gamma: gamma.x}}",
        '{file: da.csv, format: da-segments, system_separator: "+"}',
    )
    test_set = load(task)
    assert test_set.rankings is None
    assert test_set.assessments.systems.tolist() == [0, 1]
    assert test_set.assessments.segments.tolist() == [1, 2]


@pytest.mark.parametrize(("rank", "is_tie"), [(2, False), (1, True)])
def test_joint_systems_are_not_compared_with_themselves(task, rank, is_tie):
    rows = [HEADER, ranking_row(1, {"alpha+beta": 1, "beta+gamma.x": rank})]
    (task / "ranks.csv").write_text("\n".join(rows), encoding="utf-8")
    edit_index(task, "drop: [_ref], rename: {gamma: gamma.x}", 'system_separator: "+"')
    test_set = load(task)
    alpha, beta, gamma = range(3)
    assert test_set.systems == ("alpha", "beta", "gamma.x")
    assert test_set.rankings.better.tolist() == [alpha, alpha, beta]
    assert test_set.rankings.worse.tolist() == [beta, gamma, gamma]
    assert test_set.rankings.ties.tolist() == [is_tie] * 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("measures: [", "measure: [", r"index.yaml:7: .*measure.*did you mean 'measures'"),
        ("format: ranking-csv", "format: csv", r"index.yaml:6: judgments\[0\].format"),
        ("pairs: [cs-en]", "pairs: [Czech]", "'Czech' under 'pairs' is not of the form"),
        ("pairs: [cs-en]", "pairs: cs-en", r"index.yaml:2: pairs"),
    ],
)
def test_index_errors_name_file_line_and_key(task, old, new, message):
    edit_index(task, old, new)
    with pytest.raises(ConfigError, match=message):
        load_index(task / "index.yaml")


def test_load_errors_name_missing_files_and_folders(task, monkeypatch):
    with pytest.raises(ConfigError, match="no language pair 'de-en'"):
        load(task, "de-en")
    edit_index(task, "ref.{target}", "refs.{target}")
    with pytest.raises(InputError, match=r"a reference of cs-en is missing: .*refs\.en"):
        load(task)
    edit_index(task, "refs.{target}", "ref.{target}\nroot: ${TINY_ROOT}")
    with pytest.raises(ConfigError, match="needs the environment variable TINY_ROOT"):
        load_index(task / "index.yaml")
    monkeypatch.setenv("TINY_ROOT", "nowhere")
    with pytest.raises(InputError, match="nowhere with the data is missing"):
        load_index(task / "index.yaml")
    assert load_index(task / "index.yaml", root=task).root == str(task)


def test_outputs_are_read_from_sgml_and_wmt_xml(task):
    def make_element(tag, lines):
        segments = "".join(f'<seg id="{n}">{line}</seg>' for n, line in enumerate(lines, 1))
        return f"<{tag}><p>{segments}</p></{tag.split()[0]}>"

    sets = {"ref.en": ("refset", "refid", REFERENCE)}
    sets |= {f"outputs/tiny.cs-en.{system}": ("tstset", "sysid", lines) for system, lines in OUTPUTS.items()}
    for file, (kind, attribute, lines) in sets.items():
        document = make_element(f'doc docid="d" {attribute}="x"', lines)
        (task / file).write_text(f'<{kind} setid="s">{document}</{kind}>', encoding="utf-8")
    assert list(load(task).outputs) == list(OUTPUTS.values())

    hypotheses = "".join(make_element(f'hyp system="{system}"', lines) for system, lines in OUTPUTS.items())
    references = make_element('ref translator="A"', REFERENCE) + make_element('ref translator="B"', REFERENCE[::-1])
    xml = f'<dataset id="t"><doc id="d">{references}{hypotheses}</doc></dataset>'
    (task / "all.xml").write_text(xml, encoding="utf-8")
    edit_index(task, "ref.{target}", "all.xml")
    edit_index(task, "outputs/tiny.{pair}.{system}", "all.xml")
    test_set = load(task)
    assert list(test_set.outputs) == list(OUTPUTS.values())
    assert list(test_set.references) == [REFERENCE, REFERENCE[::-1]]


def test_check_test_set_warns_of_shifted_judgments(task):
    outputs = {"alpha": [f"line {n}" for n in range(10)], "beta": [f"line {n}" for n in range(10)]}
    for system, lines in outputs.items():
        (task / "outputs" / f"tiny.cs-en.{system}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [HEADER, *(ranking_row(n, {"alpha": 1, "beta": 1 + n % 2}) for n in range(1, 11))]
    (task / "ranks.csv").write_text("\n".join(rows), encoding="utf-8")
    (warning,) = (line for line in check_test_set(load(task)) if line.startswith("warning"))
    assert warning == (
        "warning: 5 of 10 pairs of identical outputs have different ranks; "
        "are the judgments shifted against the outputs?"
    )


def test_assessments_are_compared_within_segments(task):
    (task / "da.csv").write_text("SYS SID Z\nalpha 1 0.5\nbeta 1 0.7\ngamma.x 1 0.5\nbeta 2 1\n", encoding="utf-8")
    edit_index(
        task,
        "{file: ranks.csv, format: ranking-csv, drop: [_ref], rename: {gamma: gamma.x}}",
        "{file: da.csv, format: da-segments}",
    )
    pairs = load(task).assessments.comparisons
    rows = np.stack([pairs.segments, pairs.better, pairs.worse, pairs.ties], axis=1).tolist()
    # The columns are the segment, the better system, the worse system, and whether the systems are tied.
    assert set(map(tuple, rows)) == {(0, 1, 0, 0), (0, 0, 2, 1), (0, 1, 2, 0)}


RECORDS = """name: Captions
pairs: [en-en]
records: {file: rated.jsonl, hypothesis: candidate, score: rating}
"""


def load_records(folder, *lines):
    """Write rated records as JSON lines; load them as a test set."""
    (folder / "index.yaml").write_text(RECORDS, encoding="utf-8")
    (folder / "rated.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return load(folder, "en-en")


def test_records_may_differ_in_number_of_references(tmp_path):
    test_set = load_records(
        tmp_path,
        '{"candidate": "a dog", "references": ["the dog", "one dog"], "rating": 5}',
        '{"candidate": "a cat", "references": "the cat", "rating": 1.5}',
    )
    assert test_set.systems == ("all",)
    assert test_set.outputs == (["a dog", "a cat"],)
    assert test_set.references == (["the dog", "the cat"], ["one dog", "the cat"])
    assert test_set.human.tolist() == [[5, 1.5]]
    assert test_set.language == "en"


def test_records_are_read_from_csv(tmp_path):
    (tmp_path / "index.yaml").write_text(RECORDS.replace(".jsonl", ".csv"), encoding="utf-8")
    (tmp_path / "rated.csv").write_text('candidate,references,rating\n"a, dog",the dog,5\na cat,the cat,1.5\n', "utf-8")
    test_set = load(tmp_path, "en-en")
    assert test_set.outputs == (["a, dog", "a cat"],)
    assert test_set.references == (["the dog", "the cat"],)
    assert test_set.human.tolist() == [[5, 1.5]]


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        '{"candidate": "a", "references": ["b"]}',
        '{"candidate": "a", "references": [], "rating": 1}',
        '{"candidate": 3, "references": ["b"], "rating": 1}',
        '{"candidate": "a", "references": [4], "rating": 1}',
        '{"candidate": "a", "references": ["b"], "rating": NaN}',
        "[]",
    ],
)
def test_record_errors_name_the_line(tmp_path, line):
    with pytest.raises(InputError, match=r"rated\.jsonl, line 2"):
        load_records(tmp_path, '{"candidate": "a dog", "references": ["the dog"], "rating": 5}', line)


def test_index_needs_either_records_or_outputs(tmp_path):
    (tmp_path / "index.yaml").write_text("name: X\npairs: [en-en]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="either 'records'"):
        load_index(tmp_path / "index.yaml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("judgments:", "judgements:", r"index.yaml:5: judgements: this key is now called 'judgments'"),
        ("drop: [_ref]", 'joined: "+"', r"index.yaml:6: judgments\[0\].joined: this key is now called 'system_sep"),
        (
            "pairs: [cs-en]",
            "pairs: {cs-en: {judgements: []}}",
            r"index.yaml:2: pairs.cs-en.judgements: this key is now called 'judgments'",
        ),
    ],
)
def test_index_error_names_the_new_name_of_an_old_key(task, old, new, message):
    edit_index(task, old, new)
    with pytest.raises(ConfigError, match=message):
        load(task)


def test_index_allows_systems_with_the_names_of_old_keys(task):
    edit_index(task, "rename: {gamma: gamma.x}", "rename: {gamma: gamma.x, joined: beta, judgements: beta}")
    assert load(task).systems == ("alpha", "beta", "gamma.x")


TABLE_INDEX = """\
name: Table
pairs: [cs-en]
references: ref.en
outputs: {file: outputs.csv, system: model, hypothesis: translation, segment: line}
judgments:
  - {file: ranks.csv, format: ranking-csv, drop: [_ref], rename: {gamma: gamma.x}}
"""


def write_output_table(task, *, n_segments=10):
    """Write the outputs of all systems to a table, the last segment first, and an index that reads the table."""
    rows = [
        f'{system},{line},"{texts[line - 1]}"' for line in range(n_segments, 0, -1) for system, texts in OUTPUTS.items()
    ]
    (task / "outputs.csv").write_text("\n".join(["model,line,translation", *rows]) + "\n", encoding="utf-8")
    (task / "index.yaml").write_text(TABLE_INDEX, encoding="utf-8")


def test_outputs_are_read_from_a_table_of_all_systems(task):
    write_output_table(task)
    assert load(task).outputs == tuple(OUTPUTS.values())
    # Without a column for the segment, the rows of a system are taken in the order of the file.
    edit_index(task, ", segment: line", "")
    assert load(task).outputs == tuple(texts[::-1] for texts in OUTPUTS.values())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("system: model", "system: modl", r"outputs\.csv, line 2: no field 'modl' .did you mean 'model'"),
        ("segment: line", "segment: translation", r"line 2: the segment is .*, not a whole number"),
        ("segment: line", "segment: model", r"not a whole number"),
    ],
)
def test_output_table_errors_name_wrong_columns(task, old, new, message):
    write_output_table(task)
    edit_index(task, old, new)
    with pytest.raises(InputError, match=message):
        load(task)


def test_output_table_needs_one_row_per_segment(task):
    write_output_table(task, n_segments=9)
    with pytest.raises(InputError, match=r"system alpha: .*outputs\.csv has 9 segments, its reference has 10"):
        load(task)
    with (task / "outputs.csv").open("a", encoding="utf-8") as stream:
        stream.write("beta,9,twice\n")
    with pytest.raises(InputError, match=r"line 29: a second output of system beta for segment 9"):
        load(task)


SYSTEM_RECORDS = "name: Rated\npairs: [en-en]\nrecords: {file: rated.csv, system: model, segment: id}\n"


def load_system_records(folder, *lines):
    """Write rated records of several systems as CSV; load them as a test set."""
    (folder / "index.yaml").write_text(SYSTEM_RECORDS, encoding="utf-8")
    header = "model,id,hypothesis,references,score"
    (folder / "rated.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return load(folder, "en-en")


def test_records_may_name_their_system(tmp_path):
    test_set = load_system_records(
        tmp_path, "b,7,a dog,the dog,5", "a,7,dog,the dog,4", "a,9,a cat,the cat,1", "b,9,cat,the cat,2"
    )
    assert test_set.systems == ("a", "b")
    assert test_set.outputs == (["dog", "a cat"], ["a dog", "cat"])
    assert test_set.references == (["the dog", "the cat"],)
    assert test_set.human.tolist() == [[4, 1], [5, 2]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b,9,cat,the cat,2", "system b has no record of a segment that a has in line 2"),
        ("b,7,cat,a dog,2", "line 3: other references than those of system a in line 2"),
        ("a,7,cat,the dog,2", "line 3: a second record of system a, segment 7; the first is in line 2"),
        ("b,7,cat,the dog,good", "line 3: the score is 'good', not a number"),
    ],
)
def test_records_of_systems_must_have_the_same_segments(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        load_system_records(tmp_path, "a,7,dog,the dog,4", line)
