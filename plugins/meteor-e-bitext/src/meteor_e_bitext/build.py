"""Build a pack from a text and its translation in several stages, as ``meteor-e pack build`` does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from meteor_e.api import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name, os_errors_as
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments
from meteor_e.packs.build import Ingredients, open_builder
from meteor_e.packs.pack import LANGUAGE_FILE, TABLE_FILE, Pack, SourceFile
from meteor_e_bitext.alignment import Links, align, read_pharaoh
from meteor_e_bitext.corpus import BitextPart, Corpus, LineCounts, read_bitext
from meteor_e_bitext.language_file import format_language_file
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.phrase_table import open_phrase_table, read_phrase_table, store_phrase_table
from meteor_e_bitext.phrases import PhrasePairs, extract_phrase_pairs, read_phrase_pairs
from meteor_e_bitext.pivot import WordFilter, WordFilters, pivot
from meteor_e_bitext.report import PackContents, draw_sample, format_report
from meteor_e_bitext.stages import StageReport, Stages, ignore_stage
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
    """Build a pack that contains the function words and paraphrases of a language.

    Args:
        target: the folder of the pack. An existing pack is replaced when the new pack is complete.
        text: the language of the pack and its tokenization.
        pivot_text: the other language of the bitext and its tokenization.
        bitext: the paths of a text in the language of the pack and of its translation. Each line is translated by the
            same line of the other file. Both files can be compressed with gzip, bzip2 or xz.
        options: all other options that affect the result.
        alignments: the path of a Pharaoh file with word alignments. In ``i-j``, ``i`` is a word of the pack's
            language.
        phrase_table: the path of a Moses phrase table with phrase pairs. The common words are determined from the
            bitext.
        name: the name of the pack. By default, the name of the folder is used.
        work: the folder of intermediate results, which allow an interrupted build to be continued. By default, a
            folder next to the pack is used.
        keep_work: whether to keep the intermediate results.
        threads: the number of threads.
        progress: called with the progress.
        done: called at the end of each stage.

    Returns:
        The new pack.

    Raises:
        ConfigError: if both ``alignments`` and ``phrase_table`` are specified, or if a file is standard input.
        InputError: if the bitext is malformed.
        ResourceError: if a file cannot be written.
    """
    report_stage = done or ignore_stage
    pack_folder = Path(target).absolute()
    input_files = _list_input_files(bitext, alignments, phrase_table)
    work_folder = pack_folder.with_name(f".work-{pack_folder.name}") if work is None else Path(work).absolute()
    with open_builder(pack_folder, name, progress) as builder:
        sources = [_read_source(file) for file in input_files]
        stages = Stages(work_folder, report_stage)
        build = _BitextBuild(
            stages=stages,
            texts=(text, pivot_text),
            bitext=bitext,
            sources=sources,
            options=options or BitextOptions(),
            threads=threads,
            progress=progress,
        )
        if phrase_table is not None:
            build.run_with_phrase_table(phrase_table)
        else:
            build.run_with_text(alignments)
        start = time.monotonic()
        pack = builder.build(build.make_ingredients(), text.code, sources)
        report_stage("pack", time.monotonic() - start, False)
        if not keep_work:
            stages.remove()
    return pack


def _list_input_files(
    bitext: tuple[PathLike, PathLike], alignments: PathLike | None, phrase_table: PathLike | None
) -> list[Path]:
    """Return the paths of all input files.

    Raises:
        ConfigError: if both ``alignments`` and ``phrase_table`` are specified, or if a file is standard input.
    """
    if alignments is not None and phrase_table is not None:
        raise ConfigError("a phrase table needs no alignments; name only one of the two files")
    input_files = [Path(file) for file in (*bitext, alignments, phrase_table) if file is not None]
    if any(str(file) == "-" for file in input_files):
        raise ConfigError("the files of a bitext are read more than once, so standard input cannot be one of them")
    return input_files


@dataclass
class _BitextBuild:
    """Build the content of a pack in several stages, and store the result of each stage.

    Attributes:
        stages: runs the stages, and stores their results.
        texts: the language of the pack, and the pivot language.
        bitext: the paths of the text and of its translation.
        sources: the two files of the bitext, followed by the file of alignments or the phrase table.
        options: the options that affect the result.
        threads: the number of threads.
        progress: called with the progress.
    """

    stages: Stages
    texts: tuple[LanguageText, LanguageText]
    bitext: tuple[PathLike, PathLike]
    sources: Sequence[SourceFile]
    options: BitextOptions
    threads: int
    progress: Progress
    _line_counts: LineCounts = field(default_factory=LineCounts)

    def run_with_text(self, alignments: PathLike | None) -> None:
        """Find paraphrases in the bitext.

        Args:
            alignments: the path of a file with word alignments, or None to compute the alignments.
        """
        corpus, pivot_corpus = self._tokenize()
        links_folder = self._align(corpus, pivot_corpus, alignments)
        pairs_folder = self._extract_phrases(corpus, pivot_corpus, links_folder)
        read_pairs = partial(read_phrase_pairs, corpus, pivot_corpus, pairs_folder, self.options.pivot.least_product)
        self._find_paraphrases(corpus, pivot_corpus, read_pairs, "phrases")

    def run_with_phrase_table(self, table: PathLike) -> None:
        """Find paraphrases among the phrase pairs of a Moses phrase table."""
        corpus, pivot_corpus = self._tokenize()
        table_folder = self._convert_table(corpus, pivot_corpus, table)
        self._find_paraphrases(corpus, pivot_corpus, partial(open_phrase_table, table_folder), "table")

    def make_ingredients(self) -> Ingredients:
        """Combine the results of all stages into the content of the pack."""
        folder = self.stages.folder / "paraphrases"
        contents = PackContents(**json.loads((folder / "facts.json").read_bytes()))
        report = format_report(self.texts, self.sources, self.options, self._line_counts, contents)
        language_file = format_language_file(self.texts[0])
        return Ingredients(
            function_words="".join(f"{word}\n" for word in contents.function_words).encode(),
            prefixes=self.texts[0].prefixes,
            paraphrases=folder / TABLE_FILE,
            notices=((LANGUAGE_FILE, language_file.encode()), (REPORT_FILE, report.encode())),
            copies=((TABLE_FILE, folder / TABLE_FILE),),
            licence="that of the bitext; meteor_e claims no rights in it",
        )

    def _tokenize(self) -> tuple[Corpus, Corpus]:
        """Tokenize the bitext, count its lines, and return the corpora of both languages."""
        stage_options = {
            "files": [(file.name, file.sha256) for file in self.sources[:2]],
            "longest": self.options.longest_sentence,
            "encoding": self.options.encoding,
            "tokenization": [text.description for text in self.texts],
        }
        folder = self.stages.run("tokens", stage_options, self._write_corpora)
        self._line_counts = LineCounts(**json.loads((folder / "counts.json").read_bytes()))
        return Corpus(folder / "language"), Corpus(folder / "pivot")

    def _write_corpora(self, folder: Path) -> None:
        """Tokenize the bitext, and write the corpora and the line counts into a folder."""
        file, pivot_file = self.bitext
        text, pivot_text = self.texts
        max_words = self.options.longest_sentence
        part = BitextPart(file, text, folder / "language", self.options.encoding)
        pivot_part = BitextPart(pivot_file, pivot_text, folder / "pivot", self.options.encoding)
        counts = read_bitext(part, pivot_part, max_words, self.progress, self.threads)
        if not counts.sentence_pairs:
            raise InputError(
                f"{input_name(file)} and {input_name(pivot_file)} do not have a line with between 1 and "
                f"{max_words} words in both files"
            )
        _write_text(folder / "counts.json", json.dumps(asdict(counts)))

    def _align(self, corpus: Corpus, pivot_corpus: Corpus, alignments: PathLike | None) -> Path:
        """Align the words of both corpora, or read alignments from a file. Return the folder with the result."""
        if alignments is None:
            stage_options = asdict(self.options.alignment)
            write_links = partial(self._compute_links, corpus, pivot_corpus)
        else:
            stage_options = {"file": self.sources[-1].sha256}
            write_links = partial(self._read_links, corpus, pivot_corpus, alignments)
        return self.stages.run("alignment", stage_options, write_links, ("tokens",))

    def _compute_links(self, corpus: Corpus, pivot_corpus: Corpus, folder: Path) -> None:
        """Align the words of both corpora, and write the links into a folder."""
        links = align(
            source=pivot_corpus,
            target=corpus,
            max_words=self.options.longest_sentence,
            options=self.options.alignment,
            threads=self.threads,
            progress=self.progress,
        )
        # A link consists of two word positions. In stored links, the position in the pack's language comes first.
        links.swap().write(folder)

    def _read_links(self, corpus: Corpus, pivot_corpus: Corpus, alignments: PathLike, folder: Path) -> None:
        """Read word alignments from a Pharaoh file, and write the links into a folder."""
        self.progress("reading alignments", 0, None)
        line_indices = np.load(corpus.folder / "lines.npy")
        links = read_pharaoh(alignments, corpus, pivot_corpus, line_indices, self._line_counts.lines)
        self.progress("reading alignments", 1, 1)
        links.write(folder)

    def _extract_phrases(self, corpus: Corpus, pivot_corpus: Corpus, links_folder: Path) -> Path:
        """Extract phrase pairs that are consistent with the word alignment. Return the folder with the result."""
        stage_options = {"longest": self.options.longest_phrase, "least": self.options.least_count}
        write_phrases = partial(self._write_phrases, corpus, pivot_corpus, links_folder)
        return self.stages.run("phrases", stage_options, write_phrases, ("alignment",))

    def _write_phrases(self, corpus: Corpus, pivot_corpus: Corpus, links_folder: Path, folder: Path) -> None:
        """Extract phrase pairs from the corpora and their word alignment, and write the pairs into a folder."""
        extract_phrase_pairs(
            corpus,
            pivot_corpus,
            Links.open(links_folder),
            folder,
            max_length=self.options.longest_phrase,
            min_count=self.options.least_count,
            threads=self.threads,
            progress=self.progress,
        )

    def _convert_table(self, corpus: Corpus, pivot_corpus: Corpus, table: PathLike) -> Path:
        """Convert a Moses phrase table to binary files. Return the folder that contains the files."""
        stage_options = asdict(self.options.pivot)
        del stage_options["least_probability"]  # The least probability of a paraphrase does not affect this stage.
        stage_options["table"] = self.sources[-1].sha256
        stage_options["first"] = self.options.table_first
        write_table_files = partial(self._write_converted_table, corpus, pivot_corpus, table)
        return self.stages.run("table", stage_options, write_table_files, ("tokens",))

    def _write_converted_table(self, corpus: Corpus, pivot_corpus: Corpus, table: PathLike, folder: Path) -> None:
        """Convert a Moses phrase table, and write the binary files into a folder."""
        filters = self._make_filters(corpus, pivot_corpus)
        entries = read_phrase_table(table, self.options.table_first, self.progress)
        store_phrase_table(entries, filters, self.options.pivot.least_product, folder, self.progress)

    def _find_paraphrases(
        self, corpus: Corpus, pivot_corpus: Corpus, read_pairs: Callable[[], PhrasePairs], dependency: str
    ) -> None:
        """Run the stage that finds paraphrases.

        Args:
            corpus: the corpus of the pack's language.
            pivot_corpus: the corpus of the pivot language.
            read_pairs: reads the phrase pairs. It is called only if the stage does not have a result yet.
            dependency: the name of the stage that provides the phrase pairs.
        """
        stage_options = {**asdict(self.options.pivot), "sample": self.options.sample, "seed": self.options.seed}
        write_paraphrases = partial(self._write_paraphrases, corpus, pivot_corpus, read_pairs)
        self.stages.run("paraphrases", stage_options, write_paraphrases, (dependency,))

    def _write_paraphrases(
        self, corpus: Corpus, pivot_corpus: Corpus, read_pairs: Callable[[], PhrasePairs], folder: Path
    ) -> None:
        """Find paraphrases, and write the paraphrase table and the data for the report into a folder."""
        pairs = read_pairs()
        filters = self._make_filters(corpus, pivot_corpus)
        paraphrases = pivot(pairs, filters, self.options.pivot, self.threads, self.progress)
        write_table(folder / TABLE_FILE, paraphrases, self.progress)
        contents = PackContents(
            words=int(corpus.frequencies.sum()),
            types=len(corpus.vocabulary),
            phrase_pairs=len(pairs.pair_phrases),
            paraphrases=len(paraphrases.phrase_ids),
            phrases=len(np.unique(paraphrases.phrase_ids)),
            function_words=corpus.common_words(self.options.pivot.common),
            sample=draw_sample(paraphrases, self.options.sample, self.options.seed),
        )
        _write_text(folder / "facts.json", json.dumps(contents._asdict()))

    def _make_filters(self, corpus: Corpus, pivot_corpus: Corpus) -> WordFilters:
        """Return the phrase filters of both languages."""
        options = self.options.pivot
        return WordFilters(
            phrases=WordFilter(corpus.common_words(options.common), options.symbols),
            pivots=WordFilter(pivot_corpus.common_words(options.common), options.symbols),
        )


def _write_text(path: Path, text: str) -> None:
    """Write a text file as UTF-8 with line feeds as line ends."""
    path.write_text(text, encoding="utf-8", newline="\n")


def _read_source(file: Path) -> SourceFile:
    """Return the name and the digest of an input file."""
    # The first line is read before the file is hashed, so that a large file without line breaks is rejected early.
    next(read_segments(file, encoding="latin-1"), None)
    with os_errors_as(InputError, f"cannot read {file}"):
        return SourceFile.from_path(file)
