"""A pack from two text files: the stages of ``meteor-e pack build``, from text to index."""

from __future__ import annotations

import gzip
import itertools
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from meteor_e.base.errors import ConfigError, InputError
from meteor_e.base.files import PathLike, input_name
from meteor_e.base.folders import locked, put_text, sha256_of, workplace
from meteor_e.base.progress import Progress, silent
from meteor_e.bitext.alignment import AlignmentOptions, align, bitext_module, read_pharaoh
from meteor_e.bitext.corpus import Corpus, Tokenizer, read_bitext
from meteor_e.bitext.phrase_table import convert_phrase_table, open_phrase_table
from meteor_e.bitext.phrases import extract_phrase_pairs, read_phrase_pairs
from meteor_e.bitext.pivot import Paraphrases, PivotOptions, WordFilter, pivot
from meteor_e.bitext.report import report, sample
from meteor_e.bitext.sides import LanguageSide
from meteor_e.bitext.stages import Stages
from meteor_e.packs.build import Ingredients, check_target, place_pack, write_pack
from meteor_e.packs.manifest import LANGUAGE_FILE, SourceFile, check_name
from meteor_e.packs.pack import Pack
from meteor_e.packs.usage import TABLE_FILE

__all__ = ["BitextOptions", "build_from_bitext"]

REPORT_FILE = "report.md"


@dataclass(frozen=True)
class BitextOptions:
    """How a pack is made of bitext.

    Attributes:
        alignment: how words are aligned.
        pivot: filters and thresholds of the paraphrases.
        longest_sentence: lines with more words are left out.
        longest_phrase: words of the longest phrase.
        least_count: phrases that occur less often have no paraphrases and are none.
        table_first: the pack's language is the first column of a phrase table; METEOR's is the second.
        target_lines: paraphrases are for phrases in so many lines of the bitext, as in METEOR (10,000); 0: in all.
        sample: paraphrases that the report shows.
        seed: of their choice.
        encoding: of the text files.
    """

    alignment: AlignmentOptions = field(default_factory=AlignmentOptions)
    pivot: PivotOptions = field(default_factory=PivotOptions)
    longest_sentence: int = 100
    longest_phrase: int = 7
    least_count: int = 2
    table_first: bool = False
    target_lines: int = 0
    sample: int = 100
    seed: int = 1
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        bounds = {"longest_sentence": (1, 1000), "longest_phrase": (1, 20), "least_count": (1, 1 << 30)}
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise ConfigError(f"{name.replace('_', ' ')} is {getattr(self, name)}; it can be {least} to {most}")


def build_from_bitext(
    target: PathLike,
    side: LanguageSide,
    pivot_side: LanguageSide,
    bitext: tuple[PathLike, PathLike],
    *,
    options: BitextOptions | None = None,
    alignments: PathLike | None = None,
    phrase_table: PathLike | None = None,
    name: str | None = None,
    work: PathLike | None = None,
    keep_work: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
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
        ResourceError: if files cannot be written, or the extension is not there.
    """
    bitext_module()
    progress = progress or silent
    options = options or BitextOptions()
    target = Path(target).absolute()
    name = check_name(name or target.name)
    check_name(target.name)
    check_target(target)  # not after hours
    if alignments is not None and phrase_table is not None:
        raise ConfigError("a phrase table needs no alignments; give one or the other")
    inputs = [Path(file) for file in (*bitext, alignments, phrase_table) if file is not None]
    for file in inputs:
        if str(file) == "-":
            raise ConfigError("the files of a bitext are read more than once; standard input cannot be")
    sources = [_source(file) for file in inputs]
    folder = Path(work).absolute() if work is not None else target.with_name(f".work-{target.name}")
    with locked(target.parent, target.name, progress):
        stages = Stages(folder, done)
        work_on = _Work(stages, side, pivot_side, bitext, sources, options, threads, progress)
        if phrase_table is not None:
            work_on.from_table(phrase_table, sources[-1].sha256)
        else:
            work_on.from_text(alignments, sources[-1].sha256)
        begin = time.monotonic()
        with workplace(target) as place:
            built = place / "pack"
            write_pack(built, work_on.ingredients(), name, side.code, "1", sources, progress)
            place_pack(built, target)
        if done is not None:
            done("pack", time.monotonic() - begin, False)
        if not keep_work:
            stages.remove()
    return Pack.open(target)


class _Work:
    """The stages of a pack."""

    def __init__(
        self,
        stages: Stages,
        side: LanguageSide,
        pivot_side: LanguageSide,
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
        """Tokenise both sides."""

        def work(folder: Path) -> None:
            names = ("language", "pivot")
            folders = (folder / names[0], folder / names[1])
            for each in folders:
                each.mkdir()
            tokenizers = tuple(Tokenizer(side.normalizer, side.segment, self.threads) for side in self.sides)
            counts = read_bitext(
                self.bitext,
                (tokenizers[0], tokenizers[1]),
                folders,
                self.options.longest_sentence,
                self.progress,
                self.options.encoding,
            )
            if not counts.kept:
                raise InputError(
                    f"{input_name(self.bitext[0])} and {input_name(self.bitext[1])} have no line with words on both "
                    f"sides, {self.options.longest_sentence} of them at most"
                )
            put_text(folder / "counts.json", json.dumps(counts._asdict()))

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
        import numpy as np

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
            "target_lines": options.target_lines,
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
        import numpy as np

        options = self.options
        if options.target_lines:
            from meteor_e.bitext.filtering import phrases_in

            end = int(corpus.starts[np.searchsorted(np.load(corpus.folder / "lines.npy"), options.target_lines)])
            starts = [int(start) for start in corpus.starts if start < end] + [end]
            sentences = (
                [corpus.vocabulary[word] for word in corpus.words[begin:stop]]
                for begin, stop in itertools.pairwise(starts)
            )
            inside = phrases_in(found, sentences)
            found = found._replace(
                left=found.left[inside], right=found.right[inside], probabilities=found.probabilities[inside]
            )
        write_table(folder / TABLE_FILE, found, self.progress)
        words = corpus.common_words(options.pivot.common)
        put_text(folder / "function.words", "".join(f"{word}\n" for word in words))
        facts = {
            "function_words": words,
            "phrase_pairs": phrase_pairs,
            "paraphrases": len(found.left),
            "phrases": len(np.unique(found.left)),
            "words": int(corpus.frequencies.sum()),
            "types": len(corpus.vocabulary),
            "sample": sample(found, options.sample, options.seed),
        }
        put_text(folder / "facts.json", json.dumps(facts))

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
            notices=((LANGUAGE_FILE, side.definition().encode()), (REPORT_FILE, described.encode())),
            copies=((TABLE_FILE, folder / TABLE_FILE),),
            licence="that of the bitext; meteor_e claims no rights in it",
        )


def write_table(path: Path, table: Paraphrases, progress: Progress) -> None:
    """Write a table in METEOR's format: gzip text, three lines an entry. Equal tables are equal files."""
    import numpy as np

    phrases = table.phrases
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        ThreadPoolExecutor(1) as packer,
    ):
        packing: Future[int] | None = None  # of the block before, while the next one is made
        for begin in range(0, len(table.left), 1 << 16):
            block = slice(begin, begin + (1 << 16))
            left, left_rows = np.unique(table.left[block], return_inverse=True)
            left_texts = phrases.texts(left)
            columns = (table.probabilities[block].tolist(), left_rows.tolist(), phrases.texts(table.right[block]))
            text = "".join([f"{p:.9g}\n{left_texts[row]}\n{right}\n" for p, row, right in zip(*columns, strict=True)])
            if packing is not None:
                packing.result()
            packing = packer.submit(packed.write, text.encode())
            progress("writing paraphrases", begin, len(table.left))
        if packing is not None:
            packing.result()
        progress("writing paraphrases", 1, 1)


def _source(file: Path) -> SourceFile:
    try:
        return SourceFile(file.name, sha256_of(file))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from error
