"""Build a pack from bitext: the stages of ``meteor-e pack build``, from text to paraphrase index."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from meteor_e.api import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name, os_errors_as
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments
from meteor_e.packs.build import Ingredients, open_builder
from meteor_e.packs.pack import LANGUAGE_FILE, TABLE_FILE, Pack, SourceFile
from meteor_e_bitext.alignment import align, read_pharaoh
from meteor_e_bitext.corpus import Corpus, read_bitext
from meteor_e_bitext.language_file import format_language_file
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.phrase_table import convert_phrase_table, open_phrase_table
from meteor_e_bitext.phrases import PhrasePairs, extract_phrase_pairs, read_phrase_pairs
from meteor_e_bitext.pivot import WordFilter, pivot
from meteor_e_bitext.report import draw_sample, format_report
from meteor_e_bitext.stages import StageReport, Stages
from meteor_e_bitext.table import write_table
from meteor_e_bitext.texts import LanguageText

REPORT_FILE = "report.md"


def build_from_bitext(
    target: PathLike,
    text: LanguageText,
    pivot_text: LanguageText,
    bitext: tuple[PathLike, PathLike],
    *,
    options: BitextOptions | None = None,
    alignments: PathLike | None = None,
    phrase_table: PathLike | None = None,
    name: str | None = None,
    work: PathLike | None = None,
    keep_work: bool = False,
    threads: int = 1,
    progress: Progress = silent,
    done: StageReport | None = None,
) -> Pack:
    """Build a pack from bitext in the folder ``target``.

    Args:
        target: the folder of the pack. An existing pack is replaced when the new pack is complete.
        text: the language of the pack, and how its text is tokenized.
        pivot_text: the other language of the bitext.
        bitext: a text in the language of the pack, and its translation line by line; plain, gzip, bzip2 or xz.
        options: all other options that affect the result.
        alignments: a Pharaoh file with word alignments. In ``i-j``, ``i`` is a word of the pack's language.
        phrase_table: a Moses phrase table with phrase pairs. The common words are still taken from the bitext.
        name: the name of the pack; by default the name of the folder.
        work: the folder of intermediate results; by default a folder next to the pack. An interrupted build continues
            from them.
        keep_work: keep the intermediate results.
        threads: number of threads.
        progress: called with the progress.
        done: called after each stage.

    Returns:
        The new pack.

    Raises:
        ConfigError: if ``alignments`` and ``phrase_table`` are combined, or a file is standard input.
        InputError: if the bitext is malformed.
        ResourceError: if a file cannot be written.
    """
    options = options or BitextOptions()
    target = Path(target).absolute()
    if alignments is not None and phrase_table is not None:
        raise ConfigError("a phrase table needs no alignments; name only one of the two files")
    inputs = [Path(file) for file in (*bitext, alignments, phrase_table) if file is not None]
    if any(str(file) == "-" for file in inputs):
        raise ConfigError("the files of a bitext are read more than once, so standard input cannot be one of them")
    work_folder = Path(work).absolute() if work is not None else target.with_name(f".work-{target.name}")
    with open_builder(target, name, progress) as builder:
        sources = [_read_source(file) for file in inputs]
        stages = Stages(work_folder, done)
        build = _BitextBuild(stages, (text, pivot_text), bitext, sources, options, threads, progress)
        if phrase_table is not None:
            build.run_with_phrase_table(phrase_table)
        else:
            build.run_with_text(alignments)
        start = time.monotonic()
        pack = builder.build(build.ingredients(), text.code, sources)
        if done is not None:
            done("pack", time.monotonic() - start, False)
        if not keep_work:
            stages.remove()
    return pack


class _BitextBuild:
    """The stages of a build. A stage is not run again if :class:`Stages` has its result.

    Args:
        stages: the results of the stages.
        texts: the language of the pack, and the pivot language.
        bitext: the text in both languages.
        sources: the files of the bitext, then the file of alignments or the phrase table.
        options: the options that affect the result.
        threads: number of threads.
        progress: called with the progress.
    """

    def __init__(
        self,
        stages: Stages,
        texts: tuple[LanguageText, LanguageText],
        bitext: tuple[PathLike, PathLike],
        sources: Sequence[SourceFile],
        options: BitextOptions,
        threads: int,
        progress: Progress,
    ) -> None:
        self.stages = stages
        self.texts = texts
        self.bitext = bitext
        self.sources = sources
        self.options = options
        self.threads = threads
        self.progress = progress
        self._counts: dict[str, Any] = {}

    def run_with_text(self, alignments: PathLike | None) -> None:
        """Find paraphrases in the bitext, with the alignments of a file or computed ones."""
        corpus, pivot_corpus = self._tokenize()
        links_folder = self._align(corpus, pivot_corpus, alignments)
        pairs_folder = self._extract_phrases(corpus, pivot_corpus, links_folder)
        read_pairs = partial(read_phrase_pairs, corpus, pivot_corpus, pairs_folder, self.options.pivot.least_product)
        self._find_paraphrases(corpus, pivot_corpus, read_pairs, "phrases")

    def run_with_phrase_table(self, table: PathLike) -> None:
        """Find paraphrases in a phrase table."""
        corpus, pivot_corpus = self._tokenize()
        table_folder = self._convert_table(corpus, pivot_corpus, table)
        self._find_paraphrases(corpus, pivot_corpus, partial(open_phrase_table, table_folder), "table")

    def ingredients(self) -> Ingredients:
        """Return the content of the pack."""
        folder = self.stages.folder / "paraphrases"
        facts = {**json.loads((folder / "facts.json").read_bytes()), **self._counts}
        text = self.texts[0]
        report = format_report(*self.texts, self.sources, self.options, facts)
        return Ingredients(
            function_words=(folder / "function.words").read_bytes(),
            prefixes=text.prefixes,
            paraphrases=folder / TABLE_FILE,
            notices=((LANGUAGE_FILE, format_language_file(text).encode()), (REPORT_FILE, report.encode())),
            copies=((TABLE_FILE, folder / TABLE_FILE),),
            licence="that of the bitext; meteor_e claims no rights in it",
        )

    def _tokenize(self) -> tuple[Corpus, Corpus]:
        """Tokenize both languages, and count the lines."""
        stage_options = {
            "files": [(file.name, file.sha256) for file in self.sources[:2]],
            "longest": self.options.longest_sentence,
            "encoding": self.options.encoding,
            "tokenization": [text.description for text in self.texts],
        }
        folder = self.stages.run("tokens", stage_options, self._write_corpora)
        self._counts.update(json.loads((folder / "counts.json").read_bytes()))
        return Corpus(folder / "language"), Corpus(folder / "pivot")

    def _write_corpora(self, folder: Path) -> None:
        max_words = self.options.longest_sentence
        folders = (folder / "language", folder / "pivot")
        for corpus_folder in folders:
            corpus_folder.mkdir()
        counts = read_bitext(
            self.bitext,
            self.texts,
            folders,
            max_words,
            self.progress,
            encoding=self.options.encoding,
            threads=self.threads,
        )
        if not counts.sentence_pairs:
            raise InputError(
                f"{input_name(self.bitext[0])} and {input_name(self.bitext[1])} do not have a line with between 1 and "
                f"{max_words} words in both files"
            )
        (folder / "counts.json").write_text(json.dumps(counts._asdict()), encoding="utf-8", newline="\n")

    def _align(self, corpus: Corpus, pivot_corpus: Corpus, alignments: PathLike | None) -> Path:
        """Compute the links between words, or read them from a file of alignments."""
        if alignments is None:
            stage_options = asdict(self.options.alignment)
            work = partial(self._compute_links, corpus, pivot_corpus)
        else:
            stage_options = {"file": self.sources[-1].sha256}
            work = partial(self._read_links, corpus, pivot_corpus, alignments)
        return self.stages.run("alignment", stage_options, work, ("tokens",))

    def _compute_links(self, corpus: Corpus, pivot_corpus: Corpus, folder: Path) -> None:
        # The pivot language is the source of the translation, and the language of the pack is its target.
        max_words, model = self.options.longest_sentence, self.options.alignment
        links, starts = align(pivot_corpus, corpus, max_words, model, self.threads, self.progress)
        np.save(folder / "links.npy", np.ascontiguousarray(links[:, ::-1]))
        np.save(folder / "starts.npy", starts)

    def _read_links(self, corpus: Corpus, pivot_corpus: Corpus, alignments: PathLike, folder: Path) -> None:
        self.progress("reading alignments", 0, None)
        line_indices = np.load(corpus.folder / "lines.npy")
        links, starts = read_pharaoh(alignments, corpus, pivot_corpus, line_indices, self._counts["lines"])
        self.progress("reading alignments", 1, 1)
        np.save(folder / "links.npy", links)
        np.save(folder / "starts.npy", starts)

    def _extract_phrases(self, corpus: Corpus, pivot_corpus: Corpus, links_folder: Path) -> Path:
        """Extract the phrase pairs that are consistent with the links between words."""
        options = self.options

        def extract(folder: Path) -> None:
            extract_phrase_pairs(
                corpus,
                pivot_corpus,
                np.load(links_folder / "links.npy", mmap_mode="r"),
                np.load(links_folder / "starts.npy"),
                folder,
                max_length=options.longest_phrase,
                min_count=options.least_count,
                threads=self.threads,
                progress=self.progress,
            )

        stage_options = {"longest": options.longest_phrase, "least": options.least_count}
        return self.stages.run("phrases", stage_options, extract, ("alignment",))

    def _convert_table(self, corpus: Corpus, pivot_corpus: Corpus, table: PathLike) -> Path:
        """Convert a Moses phrase table to arrays."""
        options = self.options

        def convert(folder: Path) -> None:
            convert_phrase_table(
                table,
                *self._make_filters(corpus, pivot_corpus),
                folder,
                first=options.table_first,
                min_probability=options.pivot.least_product,
                progress=self.progress,
            )

        stage_options = {"table": self.sources[-1].sha256, "first": options.table_first, **asdict(options.pivot)}
        del stage_options["least_probability"]
        return self.stages.run("table", stage_options, convert, ("tokens",))

    def _find_paraphrases(
        self, corpus: Corpus, pivot_corpus: Corpus, read_pairs: Callable[[], PhrasePairs], dependency: str
    ) -> None:
        """Find the paraphrases by pivoting, and write them with the function words and facts for the report."""

        def find(folder: Path) -> None:
            pairs = read_pairs()
            filters = self._make_filters(corpus, pivot_corpus)
            paraphrases = pivot(pairs, *filters, self.options.pivot, self.threads, self.progress)
            write_table(folder / TABLE_FILE, paraphrases, self.progress)
            function_words = corpus.common_words(self.options.pivot.common)
            lines = "".join(f"{word}\n" for word in function_words)
            (folder / "function.words").write_text(lines, encoding="utf-8", newline="\n")
            facts = {
                "function_words": function_words,
                "phrase_pairs": len(pairs.pair_phrases),
                "paraphrases": len(paraphrases.left),
                "phrases": len(np.unique(paraphrases.left)),
                "words": int(corpus.frequencies.sum()),
                "types": len(corpus.vocabulary),
                "sample": draw_sample(paraphrases, self.options.sample, self.options.seed),
            }
            (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8", newline="\n")

        stage_options = {
            **asdict(self.options.pivot),
            "sample": self.options.sample,
            "seed": self.options.seed,
        }
        self.stages.run("paraphrases", stage_options, find, (dependency,))

    def _make_filters(self, corpus: Corpus, pivot_corpus: Corpus) -> tuple[WordFilter, WordFilter]:
        """Return the phrase filters of the pack's language and of the pivot language."""
        options = self.options.pivot
        return (
            WordFilter(corpus.common_words(options.common), options.symbols),
            WordFilter(pivot_corpus.common_words(options.common), options.symbols),
        )


def _read_source(file: Path) -> SourceFile:
    """Return the digest of an input file, after a check of its first line.

    The check refuses a file without line breaks, such as a huge sparse file, before the whole file is hashed.
    """
    next(read_segments(file, encoding="latin-1"), None)
    with os_errors_as(InputError, f"cannot read {file}"):
        return SourceFile.from_path(file)
