"""Tests of the commands ``vectors train`` and ``vectors convert``. Two words of their corpus have equal contexts."""

from __future__ import annotations

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

from meteor_e import MeteorError


def make_sentences(size=600):
    """Return sentences in which dog and hound have equal contexts, and cat has other contexts."""
    generator = np.random.default_rng(0)
    dog_sentences = [f"The {dog} barks , and runs after it ." for dog in ("dog", "hound")]
    cat_sentences = [f"A cat {verb} on our roof today ." for verb in ("sleeps", "rests")]
    return [str(generator.choice(dog_sentences + cat_sentences)) for _ in range(size)]


def run(*arguments):
    """Run ``meteor-e vectors``, and return its result."""
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def corpus(tmp_path):
    """Write a corpus, and return its path."""
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(make_sentences()) + "\n")
    return path


def test_interrupted_training_leaves_no_files(tmp_path, corpus):
    target = tmp_path / "made" / "x.vectors"
    corpus.write_text(corpus.read_text() * 2000)
    arguments = ["vectors", "train", str(corpus), "-l", "other", "-o", str(target)]
    process = subprocess.Popen([sys.executable, "-m", "meteor_e", *arguments], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: list(target.parent.glob(".x.vectors.*/corpus")), process)  # The training has just started.
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate()
    assert (process.returncode, errors.strip()) == (143, "meteor-e: terminated")
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("model", ["cbow", "skip-gram"])
def test_trained_vectors_have_metadata_and_similar_words(tmp_path, corpus, model):
    corpus.write_text(corpus.read_text() * 10)
    compressed_corpus = tmp_path / "corpus.xz"
    compressed_corpus.write_bytes(lzma.compress(corpus.read_bytes()))
    result = run("train", compressed_corpus, "-l", "other", "-d", 12, "--model", model)
    file = tmp_path / "vectors" / "other.vectors"
    assert f"{file}: " in result.output
    vectors = open_vectors(file)
    rows = {word: row / np.linalg.norm(row) for word, row in vectors.items()}
    assert max(set(rows) - {"dog"}, key=lambda word: rows["dog"] @ rows[word]) == "hound"
    assert vectors.counts[vectors.index("cat")] == sum("cat" in line for line in make_sentences()) * 10
    metadata = vectors.metadata
    assert (metadata["model"], metadata["sentences"], metadata["deterministic"]) == (model, 6000, True)


def test_training_options_change_the_vectors(tmp_path, corpus):
    base_arguments = ["train", corpus, "-l", "other", "-d", 4]
    run(*base_arguments, "-o", tmp_path / "plain")
    for index, (option, value) in enumerate({"--epochs": 9, "--min-count": 200, "--seed": 2, "-w": 2}.items()):
        file = tmp_path / f"other-{index}"
        run(*base_arguments, option, value, "-o", file)
        assert open_vectors(file).digest != open_vectors(tmp_path / "plain").digest, option
    assert "cat" in open_vectors(tmp_path / "plain")
    counts = open_vectors(tmp_path / "other-1").counts
    assert len(counts)
    assert counts.min() >= 200
    metadata = open_vectors(tmp_path / "other-0").metadata
    assert (metadata["epochs"], metadata["min_count"], metadata["seed"], metadata["key"]) == (9, 5, 1, "word")


def test_training_units_can_be_lemmas(tmp_path):
    text = tmp_path / "text"
    text.write_text("the cats sleep on houses\nthe house has a cat\n" * 5)
    with pytest.raises(MeteorError, match=r"--key lemma needs a lemmatizer: add --lemmatizer simplemma"):
        run("train", text, "-l", "en", "--key", "lemma", "-o", tmp_path / "v")
    pytest.importorskip("simplemma", reason="simplemma is not installed")
    with pytest.raises(MeteorError, match=r"needs parts of speech, and the lemmatizer simplemma does not tag"):
        run("train", text, "-l", "en", "--key", "word_POS", "--lemmatizer", "simplemma", "-o", tmp_path / "v")
    run("train", text, "-l", "en", "--key", "lemma", "--lemmatizer", "simplemma", "-d", 3, "-o", tmp_path / "v")
    vectors = open_vectors(tmp_path / "v")
    assert {"cat", "house"} <= set(vectors)
    assert not {"cats", "houses"} & set(vectors)
    assert (vectors.key, vectors.metadata["lemmatizer"]) == ("lemma", "simplemma")
    run("train", text, "-l", "en", "--key", "word_lemma", "--lemmatizer", "simplemma", "-d", 3, "-o", tmp_path / "w")
    assert "cats_cat" in open_vectors(tmp_path / "w")


def test_training_with_one_thread_is_reproducible(tmp_path, corpus):
    for name in "ab":
        run("train", corpus, "-l", "other", "-d", 4, "-o", tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "there are no words"),
        (b"a\n", "no word occurs 5 times"),
        (b"caf\xe9\n", "line 1: not valid UTF-8"),
        (lzma.compress(b"a b c\n" * 10000)[:-20], "cannot read"),
    ],
)
def test_train_command_rejects_unusable_texts(tmp_path, content, message):
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(MeteorError, match=message):
        run("train", tmp_path / "text", "-l", "other", "-o", tmp_path / "folder" / "out")
    assert not list(tmp_path.glob("folder/*"))


def test_convert_command_reports_counts_and_errors(tmp_path):
    source = tmp_path / "glove.txt"
    source.write_text("house 1 2 3\nhome 1 2 4\nhouse 0 0 0\n")
    result = run("convert", source, "-l", "en")
    assert "2 words, 3 dimensions, from glove; 1 repeated words were left out" in result.output
    for arguments, message in (
        (["convert", tmp_path / "vectors" / "en.vectors", "-l", "en"], "is a vector file already"),
        (["convert", source], "use -o FILE to name the vector file"),
        (["train", source, "-l", "other", "-o", tmp_path], "it is a folder"),
    ):
        with pytest.raises(MeteorError, match=message):
            run(*arguments)
