"""``meteor-e vectors``: train and convert word vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from meteor_e.api import ConfigError, InputError
from meteor_e.base.folders import temporary_folder
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import FullHelpGroup, GroupedCommand, Options, option
from meteor_e_vectors.keys import KEYS, needed

if TYPE_CHECKING:
    from meteor_e import Meteor


@click.group(cls=FullHelpGroup)
def vectors() -> None:
    """Train and convert the word vectors of the matcher `vector`.

    \b
    meteor-e vectors train europarl.fr -l fr
    meteor-e score system.txt reference.txt -l fr --chain vector
    """


def _target(output: str | None, language: str | None) -> Path:
    from meteor_e_vectors.places import installed_path

    if output is not None:
        return Path(output)
    if language is None:
        raise ConfigError("say where the vectors go: -o FILE, or -l LANGUAGE to install them for a language")
    return installed_path(language)


@dataclass(frozen=True)
class CorpusOptions(Options, heading="Text and vector file", example="europarl.fr -l fr -o fr.vectors"):
    """The text, and where the vectors go."""

    texts: tuple[str, ...] = option((), nargs=-1, required=True, metavar="TEXT...")
    language: str = option(
        None, "-l", "--language", required=True, help="Language of the texts, which decides how words are split."
    )
    output: str | None = option(
        None,
        *("-o", "--output"),
        metavar="FILE",
        show_default="install them for the language",
        help="The vector file.",
    )
    key: str = option(
        "word",
        "--key",
        type=click.Choice(KEYS),
        help="What gets a vector: the word, its lemma, or either with its part of speech or lemma appended.",
    )
    lemmatizer: str | None = option(
        None,
        "--lemmatizer",
        metavar="NAME",
        help="Lemmatizer, for all keys but word: simplemma, or hanta, treetagger, udpipe, which also tag.",
    )


@dataclass(frozen=True)
class VectorOptions(Options, heading="Training", example="europarl.fr -l fr --model skip-gram -d 100"):
    """How vectors are trained."""

    model: str = option("cbow", "--model", type=click.Choice(["cbow", "skip-gram"]), help="What is trained.")
    dimension: int = option(50, "-d", "--dimension", type=click.IntRange(1, 10_000), help="Size of a vector.")
    window: int = option(5, "-w", "--window", type=click.IntRange(1), help="Words of context on each side.")
    epochs: int = option(5, "--epochs", type=click.IntRange(1), help="Number of passes over the text.")
    min_count: int = option(
        5, "--min-count", type=click.IntRange(1), help="Words that occur less often do not get a vector."
    )
    seed: int = option(1, "--seed", type=click.IntRange(0, 2**31 - 1), help="Seed of the training.")
    threads: int = option(1, "--threads", type=click.IntRange(1), help="More than 1: not reproducible.")


@vectors.command(cls=GroupedCommand)
def train(corpus: CorpusOptions, training: VectorOptions) -> None:
    """Train vectors on text, one sentence per line (plain, gzip, bzip2, xz).

    The defaults are METEOR-E's. gensim trains; other programs' vectors can be converted.

    \b
    meteor-e vectors train europarl.fr.xz -l fr
    meteor-e vectors train europarl.fr.xz -l fr -d 100 -o fr-100.vectors
    meteor-e vectors train europarl.fr -l fr --key lemma --lemmatizer simplemma
    """
    from meteor_e import Meteor
    from meteor_e_vectors.training import train as run
    from meteor_e_vectors.training import write_corpus
    from meteor_e_vectors.vector_file import write_vectors

    target = _target(corpus.output, corpus.language)
    if target.is_dir():  # Said now, and not after hours of training.
        raise InputError(f"cannot write {target}: it is a folder; name a file with -o")
    meteor = Meteor(corpus.language, matchers=["exact"], lemmatizer=corpus.lemmatizer)
    _check_key(corpus.key, meteor)
    with temporary_folder(target.parent, target.name) as folder, terminal_progress() as tell:
        with (folder / "corpus").open("w", encoding="utf-8", newline="\n") as stream:
            sentences, units = write_corpus(stream, meteor, corpus.texts, tell, key=corpus.key)
        words, rows, counts, described = run(folder / "corpus", tell, **vars(training))
        described |= {"key": corpus.key, "language": meteor.chain.language.code, "sentences": sentences, "words": units}
        described |= {"texts": [Path(text).name for text in corpus.texts]}
        if meteor.lemmatizer is not None:
            described["lemmatizer"] = meteor.lemmatizer.name
        write_vectors(target, words, rows, counts=counts, metadata=described)
    click.echo(f"{target}: {len(words)} words, {rows.shape[1]} dimensions, from {units} words of text")


def _check_key(key: str, meteor: Meteor) -> None:
    """Check that the lemmatizer gives what a key needs.

    Raises:
        ConfigError: if there is no lemmatizer, or if it does not tag.
    """
    needs = needed(key)
    if needs and meteor.lemmatizer is None:
        raise ConfigError(f"--key {key} needs a lemmatizer: add --lemmatizer simplemma, hanta, treetagger or udpipe")
    if "tag" in needs and meteor.lemmatizer is not None and not meteor.lemmatizer.tags:
        raise ConfigError(
            f"--key {key} needs parts of speech, and the lemmatizer {meteor.lemmatizer.name} does not tag; "
            "use hanta, treetagger or udpipe"
        )


@vectors.command()
@click.argument("source", metavar="FILE")
@click.option("-l", "--language", help="Install the vectors for a language.")
@click.option("-o", "--output", metavar="FILE", help="The vector file, instead of -l.")
@click.option("--key", type=click.Choice(KEYS), default="word", help="What has a vector.  [default: word]")
def convert(source: str, language: str | None, output: str | None, key: str) -> None:
    """Convert vectors of word2vec, GloVe, fastText or gensim to a memory-mapped file.

    \b
    meteor-e vectors convert cc.fr.300.bin -l fr
    meteor-e vectors convert glove.6B.300d.txt -o glove.vectors
    """
    from meteor_e_vectors.cache import convert as run
    from meteor_e_vectors.vector_file import is_vector_file

    if is_vector_file(source):
        raise InputError(f"{source} is a vector file already; name it as the matcher's option `file`")
    target = _target(output, language)
    found = run(Path(source), target, key=key, language=language)
    left_out = f"; {found.dropped} words were there twice, the first counts" if found.dropped else ""
    parts = f", subwords for words that are not there ({len(found.subwords.rows)})" if found.subwords else ""
    click.echo(
        f"{target}: {len(found.words)} words, {found.rows.shape[1]} dimensions, from {found.format}{parts}{left_out}"
    )
