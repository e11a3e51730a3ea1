from __future__ import annotations

import errno
import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from artificial_bitext import write_alignment
from meteor_e_bitext.alignment import AlignmentOptions
from meteor_e_bitext.build import build_from_bitext
from meteor_e_bitext.language_file import format_language_file
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.pivot import PivotOptions
from meteor_e_bitext.texts import language_text

from meteor_e import Meteor
from meteor_e.api import ConfigError, InputError, ResourceError
from meteor_e.cli.options import parse_fields
from meteor_e.packs.pack import Pack


def build(target: Path, files, *, code="xx", whitespace=False, **options) -> Pack:
    """Build a pack from a bitext whose first file is in the language of the pack."""
    texts = [language_text(name, whitespace=whitespace) for name in (code, None)]
    return build_from_bitext(target, *texts, files, **options)


def read_entries(pack: Pack) -> list[tuple[str, str, str]]:
    """Return the entries (probability, phrase, paraphrase) of the paraphrase table of a pack."""
    lines = gzip.decompress((pack.path / "paraphrase.gz").read_bytes()).decode().split("\n")
    assert lines.pop() == ""
    return list(zip(lines[0::3], lines[1::3], lines[2::3], strict=True))


def read_files(pack: Pack) -> dict[str, bytes]:
    """Return the contents of the files of a pack."""
    return {name: (pack.path / name).read_bytes() for name in pack.manifest.files}


OPTIONS = BitextOptions(pivot=PivotOptions(common=0.1))


def test_build_pairs_translations_of_a_word_as_paraphrases(bitext, tmp_path):
    pack = build(tmp_path / "pack", bitext, options=OPTIONS)
    table = {(phrase, paraphrase): float(p) for p, phrase, paraphrase in read_entries(pack)}
    for pair in (("cat", "tomcat"), ("house", "home"), ("sees", "spots"), ("red", "crimson")):
        # The two translations are equally frequent, and each has one source word.
        assert table[pair] == pytest.approx(0.5, abs=0.15)
    assert list(table) == sorted(table)
    assert pack.function_words == {"the", "."}
    assert (pack.path / "function.words").read_text() == "the\n.\n"
    assert pack.language == "xx"
    assert [source.name for source in pack.manifest.sources] == ["text.en", "text.fr"]
    assert pack.verify() == []


def test_meteor_scores_with_the_language_file_of_a_pack(bitext, tmp_path):
    pack = build(tmp_path / "pack", bitext, options=OPTIONS)
    meteor = Meteor(str(pack.path / "language.yaml"))
    assert f"|pack:pack@{pack.digest}" in meteor.signature
    exact_meteor = Meteor(str(pack.path / "language.yaml"), matchers=["exact"])
    hypothesis, reference = "the tomcat sees name1 .", "the cat sees name1 ."
    score_with_paraphrases = meteor.score(hypothesis, reference).score
    assert exact_meteor.score(hypothesis, reference).score < score_with_paraphrases < 1


def test_meteor_accepts_a_new_language_only_with_its_pack(bitext, store_root, tmp_path):
    pack = build(store_root / "xx-bitext", bitext, options=OPTIONS)
    signature = Meteor(str(pack.path / "language.yaml")).signature
    assert Meteor("xx", pack="xx-bitext").signature == signature
    assert Meteor("xx", pack=str(pack.path)).signature == signature
    for language, pack_name in (("xy", "xx-bitext"), ("xx", None)):
        with pytest.raises(ConfigError, match=f"there is no language '{language}'"):
            Meteor(language, pack=pack_name)


def test_build_keeps_the_matchers_and_tasks_of_a_language_file(bitext, tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text(
        "code: xx\nname: Own\naliases: [xxx]\nmatchers: [paraphrase, exact]\ndefault_task: rank\n"
        "tasks: {rank: {alpha: .8, beta: 1, gamma: .5, delta: .6, weights: {exact: 1, paraphrase: .3}}}\n"
    )
    pack = build(tmp_path / "pack", bitext, code=str(file), options=OPTIONS)
    original = Meteor(str(file), pack=str(pack.path))
    meteor = Meteor(str(pack.path / "language.yaml"))
    assert meteor.signature == original.signature
    assert meteor.chain.language.aliases == ("xxx",)
    assert meteor.chain.language.matchers == ("paraphrase", "exact")


def test_build_ignores_thread_count_and_existing_files(bitext, tmp_path):
    pack = build(tmp_path / "pack", bitext, options=OPTIONS)
    expected = read_files(pack)
    shutil.rmtree(pack.path)
    assert read_files(build(tmp_path / "pack", bitext, options=OPTIONS, threads=3)) == expected
    assert read_files(build(tmp_path / "pack", bitext, options=OPTIONS)) == expected
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["pack"]


class _InterruptedError(Exception):
    """Stands for an interruption of a build."""


@pytest.mark.parametrize(
    ("stage_name", "min_done", "finished_count"),
    [
        ("tokenizing", 0, 0),
        ("aligning words", 1, 1),  # the extension module reports progress from 1
        ("extracting phrase pairs", 0, 2),
        ("pivoting", 0, 3),
        ("indexing", 0, 4),
    ],
)
def test_build_continues_after_an_interruption(bitext, tmp_path, stage_name, min_done, finished_count):
    """The stages before the interrupted stage are not repeated."""
    expected = read_files(build(tmp_path / "other" / "pack", bitext, options=OPTIONS))

    def interrupt(stage, done, total):
        if stage.startswith(stage_name) and done >= min_done:
            raise _InterruptedError

    with pytest.raises(_InterruptedError):
        build(tmp_path / "pack", bitext, options=OPTIONS, progress=interrupt)
    assert not (tmp_path / "pack").exists()
    stages = []

    def record_stage(name, seconds, reused):
        stages.append((name, reused))

    pack = build(tmp_path / "pack", bitext, options=OPTIONS, done=record_stage)
    names = ["tokens", "alignment", "phrases", "paraphrases", "pack"]
    assert stages == [(name, index < finished_count) for index, name in enumerate(names)]
    assert read_files(pack) == expected


def test_build_repeats_stages_whose_input_changes(bitext, tmp_path):
    def list_reused_stages(**options):
        """Build the pack, and return for each stage whether its result was reused."""
        reused_flags = []
        build(
            tmp_path / "pack",
            bitext,
            keep_work=True,
            options=BitextOptions(**options),
            done=lambda name, seconds, reused: reused_flags.append(reused),
        )
        return reused_flags

    assert list_reused_stages() == [False] * 5
    assert list_reused_stages() == [True] * 4 + [False]
    assert list_reused_stages(pivot=PivotOptions(common=0.1)) == [True, True, True, False, False]
    assert list_reused_stages(longest_phrase=3) == [True, True, False, False, False]
    with bitext[0].open("a", encoding="utf-8") as file:
        file.write("a b\n")
    with bitext[1].open("a", encoding="utf-8") as file:
        file.write("c d\n")
    assert list_reused_stages(longest_phrase=3) == [False] * 5
    # An unreadable state file also counts as a change.
    (tmp_path / ".work-pack" / "alignment" / "state.json").write_text("[" * 100_000)
    assert list_reused_stages(longest_phrase=3) == [True, False, True, True, False]


def test_build_distinguishes_files_with_equal_names(bitext, tmp_path):
    """A change of either file changes the pack, and the report names both files."""
    files = tmp_path / "one" / "train.txt", tmp_path / "two" / "train.txt"
    for file, text in zip(files, bitext, strict=True):
        file.parent.mkdir()
        file.write_text(text.read_text())
    target, work = tmp_path / "pack", tmp_path / "work"
    original = build(target, files, options=OPTIONS, work=work, keep_work=True)
    assert (original.path / "report.md").read_text().count("| source train.txt |") == 2
    files[0].write_text(bitext[0].read_text().replace("tomcat", "cat"))
    assert build(target, files, options=OPTIONS, work=work).digest != original.digest


def test_build_does_not_change_other_files_in_the_work_folder(bitext, tmp_path):
    work = tmp_path / "mine"
    (work / "other").mkdir(parents=True)
    (work / "other" / "state.json").write_text('{"key": "mine"}')
    (work / "notes.txt").write_text("mine")
    build(tmp_path / "pack", bitext, options=OPTIONS, work=work)
    assert sorted(path.name for path in work.iterdir()) == ["notes.txt", "other"]
    (work / "tokens").mkdir()
    (work / "tokens" / "text").write_text("mine")
    with pytest.raises(ConfigError, match=r"tokens does not contain intermediate results; choose another folder"):
        build(tmp_path / "pack", bitext, options=OPTIONS, work=work)
    assert (work / "tokens" / "text").read_text() == "mine"


def test_build_uses_the_alignments_of_the_user(bitext, tmp_path):
    links = write_alignment(tmp_path / "links")
    pack = build(tmp_path / "pack", bitext, options=OPTIONS, alignments=links)
    assert {("cat", "tomcat"), ("tomcat", "cat")} <= {entry[1:] for entry in read_entries(pack)}
    assert [source.name for source in pack.manifest.sources] == ["text.en", "text.fr", "links"]


def test_build_uses_the_phrase_table_of_the_user(bitext, tmp_path):
    table = tmp_path / "table"
    table.write_text("f ||| cat ||| .5 1 .5 1\nf ||| tomcat ||| .5 1 .5 1\n")
    pack = build(tmp_path / "pack", bitext, options=OPTIONS, phrase_table=table)
    assert read_entries(pack) == [("0.25", "cat", "tomcat"), ("0.25", "tomcat", "cat")]
    with pytest.raises(ConfigError, match="a phrase table needs no alignments"):
        build(tmp_path / "pack", bitext, phrase_table=table, alignments=table)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (b"a\nb\nc\n", b"x\ny\n", "one has 3 lines and .*two has 2;"),
        (b"x\n", b"x\ny\nz\nu", "one has 1 lines and .*two has 4;"),
        (b"", b"x\n", "one has 0 lines and .*two has 1;"),
        (b"a\n\xc3\n", b"x\nx\n", "one, line 2: not valid UTF-8"),
        (b"\n\n", b"\n\n", "do not have a line with between 1 and 100 words in both files"),
        (None, b"x\n", "cannot read .*one"),
    ],
)
def test_build_rejects_malformed_texts(tmp_path, first, second, message):
    files = tmp_path / "one", tmp_path / "two"
    for file, content in zip(files, (first, second), strict=True):
        if content is not None:
            file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        build(tmp_path / "pack", files)
    assert not (tmp_path / "pack").exists()
    assert not (tmp_path / ".work-pack").exists()


@pytest.mark.parametrize("input_name", ["text", "phrase_table", "alignments"])
def test_build_rejects_endless_lines_before_hashing(bitext, tmp_path, input_name):
    """The file is sparse. It has 8 TiB without a line break, so that hashing it would take hours."""
    sparse_file = tmp_path / "holes"
    with sparse_file.open("wb") as stream:
        stream.truncate(1 << 43)
    files, options = bitext, {}
    if input_name == "text":
        files = sparse_file, bitext[1]
    else:
        options = {input_name: sparse_file}
    with pytest.raises(InputError, match=r"holes, line 1.*64 MiB"):
        build(tmp_path / "pack", files, **options)
    assert not (tmp_path / "pack").exists()


def test_build_survives_hostile_text(bitext, tmp_path):
    """Text cannot break the format of a file, and all usable lines are used."""
    texts = [path.read_text().rstrip("\n").split("\n") for path in bitext]
    hostile_pairs = [
        ("", "x"),
        (" \t ", "x"),
        ("a ||| b ||| 0.5", "c ||| d"),
        ("\x00\x01\x1b[31m red", "\x85 rouge"),
        ("\u2028 a\u2029b \x0b c", "d\x1c e"),
        ("\ufeff\u202e\u2066 cat", "chat\u200d"),
        ("word " * 50_000, "mot"),
        ("x" * 1_000_000, "y" * 1_000_000),
        ("\U0001f642\u0301 \ud7ff", "é"),
    ]
    files = tmp_path / "one", tmp_path / "two"
    for index, (file, lines) in enumerate(zip(files, texts, strict=True)):
        hostile_lines = [pair[index] for pair in hostile_pairs]
        text = "\r\n".join([*lines, *hostile_lines] * 3)
        file.write_bytes(b"\xef\xbb\xbf" + text.encode())
    pack = build(tmp_path / "pack", files, whitespace=True, options=OPTIONS)
    table = read_entries(pack)
    assert len(table) > 100
    assert all(phrase and paraphrase and float(p) <= 1.000001 for p, phrase, paraphrase in table)
    assert pack.manifest.contents["paraphrases"] == len(table)
    report = (pack.path / "report.md").read_text(encoding="utf-8")
    assert "| lines without a word on one side | 6 |" in report
    assert "| lines of more than 100 words | 3 |" in report
    assert not any(char in report for char in "\x00\x1b\x85\u2028\u202e")
    Meteor(str(pack.path / "language.yaml")).score("a ||| b", "b ||| a")


def test_build_without_common_pivots_finds_no_paraphrases(tmp_path):
    (tmp_path / "one").write_text("a b c\n")
    (tmp_path / "two").write_text("x y\n")
    pack = build(tmp_path / "pack", (tmp_path / "one", tmp_path / "two"))
    assert pack.manifest.contents["paraphrases"] == 0
    assert len(pack.paraphrases) == 0


def test_build_reads_compressed_files(bitext, tmp_path):
    for path in bitext:
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert read_entries(build(tmp_path / "pack", bitext, options=OPTIONS))


@pytest.mark.parametrize(
    "assignment",
    ["longest_phrase=21", "least_count=0", "longest_sentence=0", "heuristic=grow", "iterations=0", "common=1.5"],
)
def test_options_out_of_range_are_rejected(assignment):
    with pytest.raises(ConfigError, match="--set: "):
        parse_fields([assignment], BitextOptions, AlignmentOptions, PivotOptions)


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no such system call")
def test_build_supports_file_systems_without_allocation(bitext, tmp_path, monkeypatch):
    def raise_not_supported(file, begin, size):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(os, "posix_fallocate", raise_not_supported)
    assert read_entries(build(tmp_path / "other", bitext, options=OPTIONS))


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
@pytest.mark.parametrize("size_limit", [0, 5_000, 20_000])
@pytest.mark.parametrize("with_phrase_table", [False, True])
def test_build_on_a_full_disk_reports_an_error(bitext, tmp_path, size_limit, with_phrase_table):
    """A disk that fills up at any point causes an error message of one line, and the pack does not exist.

    A limit on the size of each file stands for the full disk.
    """
    rows = [f"f{number % 50} ||| e{number % 97} ||| .5 1 .5 1" for number in range(3000)]
    (tmp_path / "table").write_text("\n".join(rows) + "\n")
    command = ["pack", "build", "-l", "xx", "-o", str(tmp_path / "pack"), "--bitext", *map(str, bitext)]
    if with_phrase_table:
        command += ["--phrase-table", str(tmp_path / "table")]
    script = f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size_limit}, {size_limit})); "
    script += f"from meteor_e.cli.program import main; sys.argv[1:] = {command!r}; main()"
    # The option -B prevents truncated files of compiled modules. The working directory is not the repository, because
    # Python would import its sources instead of the installed package.
    result = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 3, result.stderr
    assert result.stderr.splitlines()[-1].startswith("meteor-e: cannot write")
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "pack").exists()


def test_build_does_not_replace_a_folder_without_a_pack(bitext, tmp_path):
    def fail(*stage):
        pytest.fail("the error should be raised before the first stage")

    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "precious").write_text("x")
    with pytest.raises(ResourceError, match="is not a resource pack"):
        build(tmp_path / "pack", bitext, done=fail)
    assert (tmp_path / "pack" / "precious").read_text() == "x"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run meteor-e in a separate process."""
    command = [sys.executable, "-m", "meteor_e", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")


def test_build_command_writes_a_pack_and_a_report(bitext, store_root, tmp_path, monkeypatch):
    # The working directory is not the repository, because Python would import its sources instead of the package.
    monkeypatch.chdir(tmp_path)
    command = ("pack", "build", "-l", "xx", "--set", "common=0.1", "--set", "sample=5", "--bitext")
    result = run(*command, *bitext)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("built xx-bitext (2 function words, no prefixes, no synonyms, ")
    lines = (store_root / "xx-bitext" / "report.md").read_text().rstrip("\n").split("\n")
    sample_table = lines[lines.index("| p | phrase | paraphrase |") :]
    assert len(sample_table) == 2 + 5  # two lines of the header, and the entries of the option "sample"
    failed_result = run(*command, bitext[0], "-")
    assert "so standard input cannot be one of them" in failed_result.stderr


def test_language_text_tokenizes_as_the_language_file_says(bitext, tmp_path):
    (tmp_path / "xx.yaml").write_text(
        "code: xx\nname: Example\nnormalization: lower\nsegmenter: characters\nmatchers: [exact]\ndefault_task: li\n"
    )
    text = language_text(str(tmp_path / "xx.yaml"))
    assert text.description.startswith("lower, apostrophes apart, prefixes none, segmenter characters")
    assert "segmenter: characters\n" in format_language_file(text)
    with pytest.raises(ConfigError):
        language_text("not/a/file.yaml")


@pytest.mark.java
def test_java_program_returns_equal_scores_with_a_pack(bitext, tmp_path, java):
    """METEOR reads the folder of the pack with its option ``-new`` for new languages."""
    pack = build(tmp_path / "pack", bitext, options=OPTIONS)
    hypotheses = ["the tomcat sees name1 .", "the old house likes the hound name2 .", "a b"]
    references = ["the cat spots name1 .", "the aged home loves the dog name2 .", "b c"]
    for name, lines in (("hyp", hypotheses), ("ref", references)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / name) for name in ("hyp", "ref")]
    java_output = java.run([*files, "-new", str(pack.path)])
    java_scores = [float(line.split("\t")[1]) for line in java_output.splitlines() if line.startswith("Segment ")]
    meteor = Meteor("other", task="universal", normalization="lower", pack=str(pack.path))
    assert java_scores == [meteor.score(*pair).score for pair in zip(hypotheses, references, strict=True)]

    # For a language that METEOR supports, its option -a reads only the paraphrase table.
    options = ["-l", "fr", "-m", "exact paraphrase", "-a", str(pack.path / "paraphrase.gz")]
    assert run("compat", *files, *options).stdout == java.run([*files, *options])
