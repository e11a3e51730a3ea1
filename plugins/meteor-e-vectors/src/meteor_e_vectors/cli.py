"""Define the command ``meteor-e vectors``, which trains and converts word vectors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError, InputError
from meteor_e.base.folders import temporary_folder
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.commands import FullHelpGroup, GroupedCommand, Options, option
from meteor_e_vectors.keys import KEYS
from meteor_e_vectors.options import VectorOptions

if TYPE_CHECKING:
    from meteor_e import Meteor
    from meteor_e_vectors.training import CorpusSize


@click.group(cls=FullHelpGroup)
def vectors() -> None:
    """Train and convert the word vectors of the matcher `vector`.

    \b
    meteor-e vectors train europarl.fr -l fr
    meteor-e score system.txt reference.txt -l fr --chain vector
    """


def _select_target(output: str | None, language: str | None) -> Path:
    """Return the path ``output``. Without ``output``, return the path of the installed vectors of a language."""
    from meteor_e_vectors.locations import vectors_path

    if output is not None:
        return Path(output)
    if language is None:
        raise ConfigError("use -o FILE to name the vector file, or -l LANGUAGE to install it for a language")
    return vectors_path(language)


@dataclass(frozen=True)
class CorpusOptions(Options):
    """The text, and the vector file."""

    heading = "Text and vector file"
    example = "europarl.fr -l fr -o fr.vectors"

    texts: tuple[str, ...] = option((), nargs=-1, required=True, metavar="TEXT...")
    language: str = option(
        None, "-l", "--language", required=True, help="Language of the text, which decides how it is tokenized."
    )
    output: str | None = option(
        None,
        *("-o", "--output"),
        metavar="FILE",
        show_default="install the vectors for the language",
        help="The vector file.",
    )
    key: str = option(
        "word",
        "--key",
        type=click.Choice(KEYS),
        help="Units that get a vector: words, lemmas, or either with a part of speech or lemma appended.",
    )
    lemmatizer: str | None = option(
        None,
        "--lemmatizer",
        metavar="NAME",
        help="Lemmatizer, for all keys except word: simplemma, or one that also tags: hanta, treetagger, udpipe.",
    )


@vectors.command(cls=GroupedCommand)
def train(corpus: CorpusOptions, training: VectorOptions) -> None:
    """Train word vectors on text files with one sentence per line, plain or compressed with gzip, bzip2 or xz.

    The Python library gensim trains the vectors. If another program has already trained vectors, use the command
    `meteor-e vectors convert` instead.

    \b
    meteor-e vectors train europarl.fr.xz -l fr
    meteor-e vectors train europarl.fr.xz -l fr -d 100 -o fr-100.vectors
    meteor-e vectors train europarl.fr -l fr --key lemma --lemmatizer simplemma
    """
    from meteor_e_vectors.training import train_vectors, write_corpus
    from meteor_e_vectors.vector_file import write_vectors

    target = _select_target(corpus.output, corpus.language)
    if target.is_dir():  # Report this error before hours of training.
        raise InputError(f"cannot write {target}: it is a folder; use -o to name a file")
    meteor = _make_tokenizer(corpus)
    with temporary_folder(target.parent, target.name) as folder, terminal_progress() as progress:
        corpus_path = folder / "corpus"
        corpus_size = write_corpus(corpus_path, meteor, corpus.texts, corpus.key, progress)
        word_vectors = train_vectors(corpus_path, training, progress)
    metadata = {**word_vectors.metadata, **_describe_corpus(corpus, meteor, corpus_size)}
    write_vectors(target, word_vectors.words, word_vectors.rows, counts=word_vectors.counts, metadata=metadata)
    n_words, dimension = word_vectors.rows.shape
    click.echo(f"{target}: {n_words} words, {dimension} dimensions, from {corpus_size.words} words of text")


def _describe_corpus(corpus: CorpusOptions, meteor: Meteor, size: CorpusSize) -> dict[str, Any]:
    """Describe the training corpus in metadata that are stored with the vectors."""
    metadata: dict[str, Any] = {
        "key": corpus.key,
        "language": meteor.chain.language.code,
        "sentences": size.sentences,
        "words": size.words,
        "texts": [Path(text).name for text in corpus.texts],
    }
    if meteor.lemmatizer is not None:
        metadata["lemmatizer"] = meteor.lemmatizer.name
    return metadata


def _make_tokenizer(corpus: CorpusOptions) -> Meteor:
    """Return a Meteor object that tokenizes the corpus, and provides the lemmas and tags that the vector keys need.

    Raises:
        ConfigError: if the keys need a lemmatizer and there is none, or if they need tags and it does not provide them.
    """
    from meteor_e import Meteor

    meteor = Meteor(corpus.language, matchers=["exact"], lemmatizer=corpus.lemmatizer)
    key, lemmatizer = corpus.key, meteor.lemmatizer
    if key == "word":
        return meteor
    if lemmatizer is None:
        raise ConfigError(f"--key {key} needs a lemmatizer: add --lemmatizer simplemma, hanta, treetagger or udpipe")
    if "POS" in key and not lemmatizer.tags:
        raise ConfigError(
            f"--key {key} needs parts of speech, and the lemmatizer {lemmatizer.name} does not tag; "
            "use hanta, treetagger or udpipe"
        )
    return meteor


@vectors.command()
@click.argument("source", metavar="FILE")
@click.option("-l", "--language", help="Install the vectors for a language.")
@click.option("-o", "--output", metavar="FILE", help="The vector file, instead of -l.")
@click.option("--key", type=click.Choice(KEYS), default="word", help="Units that have a vector.  [default: word]")
def convert(source: str, language: str | None, output: str | None, key: str) -> None:
    """Convert vectors of word2vec, GloVe, fastText or gensim to a memory-mapped file.

    \b
    meteor-e vectors convert cc.fr.300.bin -l fr
    meteor-e vectors convert glove.6B.300d.txt -o glove.vectors
    """
    from meteor_e_vectors.cache import convert_vectors
    from meteor_e_vectors.vector_file import is_vector_file

    if is_vector_file(source):
        raise InputError(f"{source} is a vector file already; name it with the matcher's option `file`")
    target = _select_target(output, language)
    result = convert_vectors(Path(source), target, key=key, language=language)
    message = f"{target}: {len(result.words)} words, {result.rows.shape[1]} dimensions, from {result.format}"
    if result.subwords is not None:
        message += f", {len(result.subwords.rows)} subword vectors for unknown words"
    if result.duplicate_count:
        message += f"; {result.duplicate_count} repeated words were left out"
    click.echo(message)
