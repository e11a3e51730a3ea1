"""A pack from two text files: the stages of ``meteor-e pack build``, from text to index."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from meteor_e.api import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name, os_errors_as
from meteor_e.base.progress import Progress, silent
from meteor_e.formats.plain import read_segments
from meteor_e.packs.build import Ingredients, pack_place
from meteor_e.packs.pack import LANGUAGE_FILE, TABLE_FILE, Pack, SourceFile
from meteor_e_bitext.alignment import align, read_pharaoh
from meteor_e_bitext.corpus import Corpus, read_bitext
from meteor_e_bitext.language_file import language_file
from meteor_e_bitext.options import BitextOptions
from meteor_e_bitext.phrase_table import convert_phrase_table, open_phrase_table
from meteor_e_bitext.phrases import extract_phrase_pairs, read_phrase_pairs
from meteor_e_bitext.pivot import Paraphrases, WordFilter, pivot
from meteor_e_bitext.report import report, sample
from meteor_e_bitext.stages import Stages
from meteor_e_bitext.table import write_table
from meteor_e_bitext.texts import LanguageText

REPORT_FILE = "report.md"


def build_from_bitext(
    target: PathLike,
    side: LanguageText,
    pivot_side: LanguageText,
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
    done: Callable[[str, float, bool], None] | None = None,
) -> Pack:
    """Build a pack from bitext and put it in the folder ``target``; return it.

    Args:
        target: the pack's folder. A pack that is there is replaced when the new one is whole.
        side: the pack's language, and how its text becomes words.
        pivot_side: the other language.
        bitext: the text in the pack's language, and its translation, line by line; plain, gzip, bzip2 or xz.
        options: everything else that decides on the result.
        alignments: a Pharaoh file to take word alignments from, ``i-j`` with ``i`` in the pack's language.
        phrase_table: a Moses phrase table to take phrase pairs from; the bitext still tells the common words.
        name: the pack's, by default the folder's.
        work: where intermediate results lie until the pack is whole, by default beside it; a run that was
            interrupted goes on from there.
        keep_work: leave them there.
        threads: how many work.
        progress: told how far it is.
        done: told of each stage when it is done.

    Raises:
        InputError: if the bitext is malformed.
        ResourceError: if files cannot be written.
    """
    options = options or BitextOptions()
    target = Path(target).absolute()
    if alignments is not None and phrase_table is not None:
        raise ConfigError("a phrase table needs no alignments; give one or the other")
    inputs = [Path(file) for file in (*bitext, alignments, phrase_table) if file is not None]
    for file in inputs:
        if str(file) == "-":
            raise ConfigError("the files of a bitext are read more than once; standard input cannot be")
    folder = Path(work).absolute() if work is not None else target.with_name(f".work-{target.name}")
    with pack_place(target, name, progress) as place:
        sources = [_source(file) for file in inputs]
        stages = Stages(folder, done)
        work_on = _Work(stages, side, pivot_side, bitext, sources, options, threads, progress)
        if phrase_table is not None:
            work_on.from_table(phrase_table, sources[-1].sha256)
        else:
            work_on.from_text(alignments, sources[-1].sha256)
        begin = time.monotonic()
        pack = place.build(work_on.ingredients(), side.code, sources)
        if done is not None:
            done("pack", time.monotonic() - begin, False)
        if not keep_work:
            stages.remove()
    return pack


class _Work:
    """The stages of a pack."""

    def __init__(
        self,
        stages: Stages,
        side: LanguageText,
        pivot_side: LanguageText,
        bitext: tuple[PathLike, PathLike],
        sources: Sequence[SourceFile],
        options: BitextOptions,
        threads: int,
        progress: Progress,
    ) -> None:
        self.stages = stages
        self.sides = (side, pivot_side)
        self.bitext = bitext
        self.sources = sources
        self.options = options
        self.threads = threads
        self.progress = progress
        self._counts: dict[str, Any] = {}

    def tokens(self) -> tuple[Corpus, Corpus]:
        """Tokenize both sides."""

        def work(folder: Path) -> None:
            names = ("language", "pivot")
            folders = (folder / names[0], folder / names[1])
            for each in folders:
                each.mkdir()
            counts = read_bitext(
                self.bitext,
                self.sides,
                folders,
                self.options.longest_sentence,
                self.progress,
                encoding=self.options.encoding,
                threads=self.threads,
            )
            if not counts.kept:
                raise InputError(
                    f"{input_name(self.bitext[0])} and {input_name(self.bitext[1])} have no line with words on both "
                    f"sides, {self.options.longest_sentence} of them at most"
                )
            (folder / "counts.json").write_text(json.dumps(counts._asdict()), encoding="utf-8", newline="\n")

        described = {
            "files": [(file.name, file.sha256) for file in self.sources[:2]],
            "longest": self.options.longest_sentence,
            "encoding": self.options.encoding,
            "tokenization": [side.description for side in self.sides],
        }
        folder = self.stages.run("tokens", described, work)
        self._counts.update(json.loads((folder / "counts.json").read_bytes()))
        return Corpus(folder / "language"), Corpus(folder / "pivot")

    def from_text(self, alignments: PathLike | None, alignments_hash: str) -> None:
        """Go from text to paraphrases, or from text and alignments."""
        corpus, pivot_corpus = self.tokens()
        options = self.options

        def links(folder: Path) -> None:
            if alignments is None:
                # The pivot language explains the pack's, as source and target of a translation.
                found, starts = align(
                    pivot_corpus, corpus, options.longest_sentence, options.alignment, self.threads, self.progress
                )
                found = np.ascontiguousarray(found[:, ::-1])
            else:
                self.progress("reading alignments", 0, None)
                lines = np.load(corpus.folder / "lines.npy")
                found, starts = read_pharaoh(alignments, corpus, pivot_corpus, lines, self._counts["lines"])
                self.progress("reading alignments", 1, 1)
            np.save(folder / "links.npy", found)
            np.save(folder / "starts.npy", starts)

        given = asdict(options.alignment) if alignments is None else {"file": alignments_hash}
        aligned = self.stages.run("alignment", given, links, after=("tokens",))

        def phrase_pairs(folder: Path) -> None:
            extract_phrase_pairs(
                corpus,
                pivot_corpus,
                np.load(aligned / "links.npy", mmap_mode="r"),
                np.load(aligned / "starts.npy"),
                folder,
                longest=options.longest_phrase,
                least=options.least_count,
                threads=self.threads,
                progress=self.progress,
            )

        described = {"longest": options.longest_phrase, "least": options.least_count}
        extracted = self.stages.run("phrases", described, phrase_pairs, after=("alignment",))

        def paraphrases(folder: Path) -> None:
            pairs = read_phrase_pairs(corpus, pivot_corpus, extracted, options.pivot.least_product)
            filters = self._filters(corpus, pivot_corpus)
            found = pivot(pairs, *filters, options.pivot, self.threads, self.progress)
            self._write(folder, found, corpus, len(pairs.pair_phrases))

        self.stages.run("paraphrases", self._pivot_options(), paraphrases, after=("phrases",))

    def from_table(self, table: PathLike, table_hash: str) -> None:
        """Go from a phrase table to paraphrases."""
        corpus, pivot_corpus = self.tokens()

        options = self.options

        def numbers(folder: Path) -> None:
            convert_phrase_table(
                table,
                *self._filters(corpus, pivot_corpus),
                folder,
                first=options.table_first,
                least_probability=options.pivot.least_product,
                progress=self.progress,
            )

        described = {"table": table_hash, "first": options.table_first, **asdict(options.pivot)}
        del described["least_probability"]
        converted = self.stages.run("table", described, numbers, after=("tokens",))

        def paraphrases(folder: Path) -> None:
            pairs = open_phrase_table(converted)
            filters = self._filters(corpus, pivot_corpus)
            found = pivot(pairs, *filters, options.pivot, self.threads, self.progress)
            self._write(folder, found, corpus, len(pairs.pair_phrases))

        self.stages.run("paraphrases", self._pivot_options(), paraphrases, after=("table",))

    def _pivot_options(self) -> dict[str, Any]:
        options = self.options
        return {
            **asdict(options.pivot),
            "sample": options.sample,
            "seed": options.seed,
        }

    def _filters(self, corpus: Corpus, pivot_corpus: Corpus) -> tuple[WordFilter, WordFilter]:
        options = self.options.pivot
        first, second = (
            WordFilter(side.common_words(options.common), options.symbols) for side in (corpus, pivot_corpus)
        )
        return first, second

    def _write(self, folder: Path, found: Paraphrases, corpus: Corpus, phrase_pairs: int) -> None:
        """Write the table, the function words, and what the report will say."""
        options = self.options
        write_table(folder / TABLE_FILE, found, self.progress)
        words = corpus.common_words(options.pivot.common)
        (folder / "function.words").write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
        facts = {
            "function_words": words,
            "phrase_pairs": phrase_pairs,
            "paraphrases": len(found.left),
            "phrases": len(np.unique(found.left)),
            "words": int(corpus.frequencies.sum()),
            "types": len(corpus.vocabulary),
            "sample": sample(found, options.sample, options.seed),
        }
        (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8", newline="\n")

    def ingredients(self) -> Ingredients:
        """Return what goes into the pack."""
        folder = self.stages.folder / "paraphrases"
        facts = {**json.loads((folder / "facts.json").read_bytes()), **self._counts}
        side, pivot_side = self.sides
        described = report(side, pivot_side, self.sources, self.options, facts)
        return Ingredients(
            function_words=(folder / "function.words").read_bytes(),
            prefixes=side.prefixes,
            paraphrases=folder / TABLE_FILE,
            notices=((LANGUAGE_FILE, language_file(side).encode()), (REPORT_FILE, described.encode())),
            copies=((TABLE_FILE, folder / TABLE_FILE),),
            licence="that of the bitext; meteor_e claims no rights in it",
        )


def _source(file: Path) -> SourceFile:
    # What has no line end for 64 MiB, such as a file of holes, is refused before it is hashed from end to end.
    next(read_segments(file, encoding="latin-1"), None)
    with os_errors_as(InputError, f"cannot read {file}"):
        return SourceFile.of(file)
