"""Compare ``Meteor`` and ``PTBTokenizer`` of meteor_e with the classes of pycocoevalcap, which start Java.

    python benchmarks/parity/coco_meteor.py --pair HYPOTHESIS REFERENCE --captions train.en.gz --hostile 5000

All scores of captions, scores of corpora, and tokens must be equal. For a few arguments, the power function of Java
returns a number with another last bit. Scores with such a small difference are counted separately. Captions never
contain a line end, because the class of pycocoevalcap would then assign wrong scores to captions. The texts may be in
any language, but the class treats them as English.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from meteor_e_captions.coco import Meteor, PTBTokenizer
from ptb_tokens import real_java

from meteor_e import InputError

Captions = dict[int, list[str]]

PIECES = [
    *(
        "a man",
        "at home",
        "c6 home",
        "a dog",
        "the dogs",
        "rides",
        "riding",
        "two",
        "horse",
        "in the field",
        "Foo Inc.",
        "U.S.",
        "can't",
        "man's",
    ),
    *(
        "|||",
        "||",
        "|",
        " ||| ",
        "||||",
        "SCORE",
        "EVAL ||| 1",
        "SCORE ||| a",
        "-",
        "...",
        "@",
        "#",
        "$5.00",
        "1,000",
        "50%",
    ),
    *(
        "",
        " ",
        "  ",
        "   ",
        "\t",
        "\u00a0",
        "\u2003",
        "\u3000",
        "\u200b",
        "\ufeff",
        "\u2028",
        "\u0085",
        "\u000b",
        "\u000c",
    ),
    *("\0", "\u0001", "\u0007", "\u001a", "\u001b", "\u001f", "\u007f", "\u0080", "\ufffd", "\ufffe", "\uffff"),
    *(
        "Ein Mädchen läuft",
        "Žluťoučký kůň",
        "Une façade à Noël",
        "Дві собаки",
        "小猫坐在窗台上",
        "猫が座る",
        "قطة",
        "הכלב",
        "บ้าน",
    ),
    *(
        "İstanbul",
        "ΣΑΣ",
        "straße",
        "\ufb01",
        "e\u0301",
        "\u0301",
        "😀",
        "👩‍👩‍👧",
        "\U0010ffff",
        "½",
        "²",
        "٣",
        "Ⅳ",
        "…",
        "“a”",
        "’s",
    ),
    *(
        "&amp;",
        "<b>",
        "-LRB-",
        "-lrb-",
        "''",
        "``",
        "\\",
        '"',
        "'",
        "%s",
        "{}",
        "\\n",
        "$(x)",
        "; rm",
        "Aa BB",
        "AaAa BBBB",
    ),
    *(
        "dog dog dog dog dog",
        "a" * 300,
        "ab " * 60,
        "www.x.org/?a=1",
        "a@b.c",
        ":-)",
        "--",
        "e-mail",
        "x_y",
        "(old)",
        "[a]",
    ),
]


def lines_of(path: Path) -> list[str]:
    """Return the lines of a text file, which may be compressed with gzip."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return text.replace("\r", " ").removesuffix("\n").split("\n")


def pairs(hypotheses: list[str], references: list[str]) -> Iterator[tuple[Captions, Captions]]:
    """Yield references and hypotheses as ``gts`` and ``res``, in parts that fit into a line of the Java protocol."""
    for start in range(0, len(hypotheses), 2000):
        keys = range(start, min(start + 2000, len(hypotheses)))
        yield {key: [references[key]] for key in keys}, {key: [hypotheses[key]] for key in keys}


def captions(lines: list[str], chance: random.Random) -> tuple[Captions, Captions]:
    """Return references ``gts`` and captions ``res``. A caption mixes words of two of its three references."""
    gts, res = {}, {}
    for key in range(len(lines) - 2):
        gts[key] = lines[key : key + 3]
        words = lines[key].split(" ")
        next_words = lines[key + 1].split(" ")
        cut = chance.randint(0, len(words))
        inserted_words = chance.sample(next_words, chance.randint(0, min(4, len(next_words))))
        res[key] = [" ".join([*words[:cut], *inserted_words, *words[cut:]])]
    return gts, res


def hostile(chance: random.Random) -> tuple[Captions, Captions]:
    """Return unusual references, and a caption that contains some of their parts."""
    pieces = [chance.choices(PIECES, k=chance.choice([0, 1, 1, 2, 3, 5, 9, 30])) for _ in range(chance.randint(1, 3))]
    caption_pieces = chance.choices(PIECES, k=chance.choice([0, 1, 3, 30]))
    caption_pieces += chance.sample(pieces[0], chance.randint(0, len(pieces[0])))
    if chance.random() < 0.5:
        chance.shuffle(caption_pieces)
    references = [chance.choice(["", " "]).join(reference_pieces) for reference_pieces in pieces]
    caption = chance.choice(["", " "]).join(caption_pieces)
    return {1: references}, {1: [caption]}


class Theirs:
    """The original classes of pycocoevalcap."""

    def __init__(self) -> None:
        real_java()
        # Without this option, the encoding that Java uses depends on the locale.
        os.environ.setdefault("JDK_JAVA_OPTIONS", "-Dfile.encoding=UTF-8")
        from pycocoevalcap.meteor.meteor import Meteor as TheirMeteor
        from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer as TheirTokenizer

        self.meteor, self.tokenizer = TheirMeteor(), TheirTokenizer()

    def close(self) -> None:
        """Close the pipes that the class of pycocoevalcap does not close."""
        self.meteor.meteor_p.stdout.close()
        self.meteor.meteor_p.stderr.close()


class Comparison:
    """Compares scores and tokens, counts the differences, and prints them."""

    def __init__(self) -> None:
        self.theirs, self.meteor = Theirs(), Meteor()
        self.differences = self.last_bits = 0
        self.seconds = [0.0, 0.0]

    def score(self, gts: Captions, res: Captions) -> None:
        """Compare the scores of the captions, and the corpus score."""
        start = time.perf_counter()
        theirs: Any = self.theirs.meteor.compute_score(gts, res)
        middle = time.perf_counter()
        ours = self.meteor.compute_score(gts, res)
        self.seconds = [self.seconds[0] + middle - start, self.seconds[1] + time.perf_counter() - middle]
        for key, their_score, our_score in zip(gts, theirs[1], ours[1], strict=True):
            self.compare(f"{res[key][0]!r} against {gts[key]!r}", their_score, our_score)
        self.compare(f"corpus of {len(gts)}", theirs[0], ours[0])

    def tokens(self, texts: list[str]) -> list[str]:
        """Compare the tokens of captions, and return the tokens of meteor_e."""
        images = {key: [{"caption": text}] for key, text in enumerate(texts)}
        theirs, ours = self.theirs.tokenizer.tokenize(images), PTBTokenizer().tokenize(images)
        for key, text in enumerate(texts):
            if theirs[key] != ours[key]:
                self.differs(f"tokens of {text!r}", theirs[key], ours[key])
        return [ours[key][0] for key in images]

    def compare(self, description: str, theirs: float, ours: float) -> None:
        """Compare two scores. A difference in the last bits is only counted."""
        if theirs != ours and math.isclose(theirs, ours, rel_tol=4 * sys.float_info.epsilon, abs_tol=0):
            self.last_bits += 1
        elif theirs != ours:
            self.differs(description, theirs, ours)

    def differs(self, description: str, theirs: object, ours: object) -> None:
        """Count a difference, and print it if there are not too many."""
        self.differences += 1
        if self.differences <= 50:
            print(f"  {description[:400]}\n    theirs {theirs!r}\n    ours   {ours!r}")

    def row(self, name: str, captions: int, differences_before: int) -> None:
        """Print a row of results for a file."""
        seconds = (f"{part:.1f}" for part in self.seconds)
        print(name, captions, self.differences - differences_before, self.last_bits, *seconds, sep="\t", flush=True)
        self.seconds, self.last_bits = [0.0, 0.0], 0


def main() -> None:
    """Print a row for each file, and all differences. The exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pair", nargs=2, action="append", default=[], type=Path, metavar=("HYPOTHESIS", "REFERENCE"))
    parser.add_argument("--captions", action="append", default=[], type=Path, help="captions, also used as references")
    parser.add_argument("--hostile", type=int, default=0, metavar="N", help="number of unusual captions")
    parser.add_argument("--lines", type=int, help="number of lines that are read from each file")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compared = Comparison()
    chance = random.Random(options.seed)
    print("captions\tnumber\tdifferences\tlast bits\tJava s\tours s")
    for hypothesis, reference in options.pair:
        differences_before = compared.differences
        texts = lines_of(hypothesis)[: options.lines], lines_of(reference)[: options.lines]
        for gts, res in pairs(*texts):
            compared.score(gts, res)
        compared.row(hypothesis.name, len(texts[0]), differences_before)
    for path in options.captions:
        differences_before = compared.differences
        texts_of_file = compared.tokens(lines_of(path)[: options.lines])
        gts, res = captions(texts_of_file, chance)
        compared.score(gts, res)
        compared.row(path.name, len(gts), differences_before)
    if options.hostile:
        differences_before = compared.differences
        refused = 0
        for _ in range(options.hostile):
            try:
                compared.score(*hostile(chance))
            except InputError as error:
                refused += 1
                print(f"  refused: {error}")
        compared.row("hostile", options.hostile, differences_before)
        print(f"refused\t{refused}")
    compared.theirs.close()
    sys.exit(compared.differences > 0)


if __name__ == "__main__":
    main()
