"""Training, and the command line: a small language whose words have neighbours by construction."""

from __future__ import annotations

import bz2
import json
import lzma
import signal
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from command_line import wait_until
from meteor_e_vectors import open_vectors
from meteor_e_vectors.cli import vectors as command
from meteor_e_vectors.corpus import OTHER, interleaved

from meteor_e import MeteorError

NOUNS, VERBS = ("cat", "dog", "hound"), ("sleeps", "barks", "eats")


def text(size=600, seed=0):
    """Return sentences in which dog and hound stand in the same places, and cat in others."""
    numbers = np.random.default_rng(seed)
    lines = []
    for _ in range(size):
        if numbers.random() < 0.5:
            lines.append(f"The {numbers.choice(['dog', 'hound'])} barks , and runs after it .")
        else:
            lines.append(f"A cat {numbers.choice(['sleeps', 'rests'])} on our roof today .")
    return lines


def run(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(text()) + "\n")
    return path


@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_an_interrupted_training_leaves_nothing(tmp_path, corpus, number, code, said):
    target = tmp_path / "made" / "x.vectors"
    arguments = ["vectors", "train", str(corpus), "-l", "other", "-e", "1000000", "-o", str(target)]
    process = subprocess.Popen([sys.executable, "-m", "meteor_e", *arguments], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: list(target.parent.glob(".x.vectors.*/corpus")), process)  # It has far to go.
    process.send_signal(number)
    _, errors = process.communicate()
    assert (process.returncode, errors.strip()) == (code, f"meteor-e: {said}")
    assert list(target.parent.iterdir()) == []


def test_train_and_use(tmp_path, corpus):
    done = run("train", corpus, "-l", "other", "-d", 12, "-e", 20, "--rate", 0.1, "--sample", 1)
    assert done.exit_code == 0
    file = tmp_path / "vectors" / "other.vectors"
    assert f"{file}: " in done.output
    vectors = open_vectors(file)
    assert vectors.nearest("dog", 1)[0][0] == "hound"
    assert vectors.metadata["sentences"] == 600
    assert (vectors.metadata["seed"], vectors.metadata["threads"], vectors.metadata["deterministic"]) == (1, 1, True)
    assert vectors.counts[vectors.number("cat")] == sum("cat" in line for line in text())
    near = run("nearest", "dog", "-l", "other", "--number", 1).output
    assert near.endswith("  hound\n")
    assert list(json.loads(run("nearest", "dog", "cat", "--file", file, "--json").output)) == ["dog", "cat"]
    assert json.loads(run("info", "-l", "other").output)["made"]["model"] == "cbow"
    assert sorted(path.name for path in file.parent.iterdir()) == ["other.vectors"]


def test_the_same_seed_gives_the_same_vectors(tmp_path, corpus):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run("train", corpus, "-l", "other", "-d", 4, "-e", 1, "--seed", seed, "-o", tmp_path / name)
    a, b, c = (open_vectors(tmp_path / name).digest for name in "abc")
    assert a == b != c
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_kept_corpus_gives_the_same_vectors(tmp_path, corpus, lemmas):
    """Splitting words is done once, whatever is trained on them afterwards."""
    for name, arguments in (
        ("word", []),
        ("lemma", ["--key", "lemma", "--lemmatizer", lemmas]),
        ("pseudo", ["--with", "lemmas", "--lemmatizer", lemmas]),
    ):
        whole, kept, again = (tmp_path / f"{name}.{what}" for what in ("vectors", "corpus", "again"))
        common = ["-l", "other", "-d", 4, "-e", 2]
        run("train", corpus, *common, *arguments, "--corpus", kept, "-o", whole)
        key = arguments[:2] if name == "lemma" else []
        done = run("train", kept, "--split", *common, *key, "-o", again)
        one, other = open_vectors(whole), open_vectors(again)
        assert one.digest == other.digest
        assert one.key == other.key
        assert one.metadata["words"] == other.metadata["words"]
        assert f"from {one.metadata['words']} words of text" in done.output


def test_packed_texts(tmp_path, corpus):
    for name, pack in (("x.bz2", bz2.compress), ("x.xz", lzma.compress)):
        (tmp_path / name).write_bytes(pack(corpus.read_bytes()))
        run("train", tmp_path / name, "-l", "other", "-d", 4, "-e", 1, "-o", tmp_path / "out")
        assert open_vectors(tmp_path / "out").metadata["sentences"] == 600


def test_skip_gram(tmp_path, corpus):
    run(
        "train",
        corpus,
        "-l",
        "other",
        "--model",
        "skip-gram",
        "-d",
        8,
        "-e",
        10,
        "--rate",
        0.1,
        "--sample",
        1,
        "-o",
        tmp_path / "o",
    )
    assert open_vectors(tmp_path / "o").nearest("dog", 1)[0][0] == "hound"


@pytest.fixture
def lemmas(tmp_path):
    path = tmp_path / "lemmas.tsv"
    path.write_text("barks\tVERB\tbark\nsleeps\tVERB\tsleep\nrests\tVERB\trest\ndog\tNOUN\tdog\ncat\tNOUN\tcat\n")
    return path


@pytest.mark.parametrize(
    ("key", "word"),
    [("lemma", "bark"), ("word_POS", "barks_VERB"), ("lemma_POS", "bark_VERB"), ("word_lemma", "barks_bark")],
)
def test_keys(tmp_path, corpus, lemmas, key, word):
    run("train", corpus, "-l", "other", "--key", key, "--lemmatizer", lemmas, "-d", 4, "-e", 1, "-o", tmp_path / "out")
    vectors = open_vectors(tmp_path / "out")
    assert word in vectors
    assert "barks" not in vectors
    assert vectors.key == key


@pytest.mark.parametrize(("side", "second"), [("tags", "VERB"), ("lemmas", "bark")])
def test_pseudo_bilingual(tmp_path, corpus, lemmas, side, second):
    arguments = ["--with", side, "--lemmatizer", lemmas, "--corpus", tmp_path / "kept", "-d", 4, "-e", 1]
    run("train", corpus, "-l", "other", *arguments, "-o", tmp_path / "out")
    first = (tmp_path / "kept").read_text().splitlines()[0].split()
    assert first[::2] == text()[0].lower().split()
    assert all(unit.startswith(OTHER) for unit in first[1::2])
    assert f"{OTHER}{second}" in (tmp_path / "kept").read_text().split()
    vectors = open_vectors(tmp_path / "out")
    assert "cat" in vectors
    assert not any(word.startswith(OTHER) for word in vectors)
    assert vectors.metadata["with"] == side
    assert vectors.metadata["lemmatizer"].startswith("lookup lemmas.tsv@")


def test_bilingual(tmp_path, corpus):
    other = tmp_path / "other.txt"
    other.write_text("\n".join(line.upper().replace("THE ", "") for line in text()) + "\n")
    arguments = ["--bitext", other, "--bitext-language", "other", "--corpus", tmp_path / "kept", "-d", 4, "-e", 1]
    run("train", corpus, "-l", "other", *arguments, "-o", tmp_path / "out")
    left, right, mixed = (tmp_path / "kept").read_text().splitlines()[:3]
    assert left == text()[0].lower()
    assert right.split() == [OTHER + word for word in left.replace("the ", "").split()]
    assert sorted(mixed.split()) == sorted([*left.split(), *right.split()])
    vectors = open_vectors(tmp_path / "out")
    assert "bitext" in vectors.metadata
    # Each word stands twice in the corpus, alone and mixed; it is counted once.
    cats = sum("cat" in line for line in text())
    assert vectors.counts[vectors.number("cat")] == cats
    with pytest.raises(MeteorError, match="no word occurs 601 times"):
        run("train", corpus, "-l", "other", *arguments, "--min-count", 601, "-o", tmp_path / "out")
    done = run("train", tmp_path / "kept", "-l", "other", "--split", "-d", 4, "-e", 1, "-o", tmp_path / "again")
    again = open_vectors(tmp_path / "again")
    assert again.digest == vectors.digest
    assert again.counts[again.number("cat")] == cats
    assert f"from {vectors.metadata['words']} words of text" in done.output
    other.write_text("one line\n")
    with pytest.raises(MeteorError, match=r"other\.txt ends before line 2"):
        run("train", corpus, "-l", "other", *arguments, "-o", tmp_path / "out")


@pytest.mark.parametrize(
    ("left", "right", "mixed"),
    [
        ("a b c", "1 2 3", "a 1 b 2 c 3"),
        ("a b c d", "1 2", "a b 1 c d 2"),
        ("a b", "1 2 3 4", "a 1 2 b 3 4"),
        ("a", "", "a"),
        ("", "1 2", "1 2"),
    ],
)
def test_interleaved(left, right, mixed):
    assert interleaved(left.split(), right.split()) == mixed.split()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--min-count", 10000], "no word occurs 10000 times"),
        (["-d", 0], "dimension is 0"),
        (["-d", 99999999], "dimension is 99999999; it must be 10000 or less"),
        (["--rate", -3], "rate is -3"),
        (["--sample", -1], "sample is -1"),
        (["--seed", -5], "seed is -5; it must be a whole number from 0 to 4294967295"),
        (["--bitext", "x"], "--bitext needs --bitext-language"),
        (["--bitext-language", "fr"], "--bitext-language goes with --bitext"),
        (["--lemmatizer", "lookup"], "--lemmatizer is only used with --key"),
        (["--with", "tags"], "the lemmatizer 'simplemma' gives no tags; name one that does"),
        (["--key", "word_POS", "--lemmatizer", "simplemma"], "the lemmatizer 'simplemma' gives no tags"),
        (["--key", "lemma", "--lemmatizer", "none"], "the lemmatizer 'none' gives no lemmas"),
        (["--split", "--with", "tags"], "--split trains on the text as it is"),
    ],
)
def test_mistakes(tmp_path, corpus, arguments, message):
    with pytest.raises(MeteorError, match=message):
        run("train", corpus, "-l", "en", *arguments, "-o", tmp_path / "folder" / "out")
    assert not list(tmp_path.glob("folder/*"))


def test_a_folder_in_the_place_of_the_file(tmp_path, corpus, monkeypatch):
    monkeypatch.setattr("meteor_e_vectors.training.train", None)  # It is said before anything is trained.
    with pytest.raises(MeteorError, match="it is a folder; name a file with -o"):
        run("train", corpus, "-l", "other", "-o", tmp_path)


def test_texts_that_cannot_be_read(tmp_path):
    (tmp_path / "empty").touch()
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    (tmp_path / "cut.xz").write_bytes(lzma.compress(b"a b c\n" * 10000)[:-20])
    for name, message in (
        ("empty", "there are no words"),
        ("latin", "latin, line 1: not valid UTF-8"),
        ("cut.xz", "cannot read .*cut.xz"),
        ("nothing", "cannot read .*nothing"),
    ):
        with pytest.raises(MeteorError, match=message):
            run("train", tmp_path / name, "-l", "other", "-o", tmp_path / "out")


def test_convert(tmp_path):
    source = tmp_path / "glove.txt"
    source.write_text("house 1 2 3\nhome 1 2 4\nhouse 0 0 0\n")
    done = run("convert", source, "-l", "en")
    assert "2 words, 3 dimensions, from glove; 1 words were there twice" in done.output
    assert run("nearest", "house", "-l", "en").output.endswith("  home\n")
    for arguments, message in (
        (["convert", tmp_path / "vectors" / "en.vectors", "-l", "en"], "is a vector file already"),
        (["convert", source], "say where the vectors go"),
        (["nearest", "house"], "name vectors"),
        (["nearest", "house", "-l", "de"], "no vectors for language 'de'"),
    ):
        with pytest.raises(MeteorError, match=message):
            run(*arguments)
