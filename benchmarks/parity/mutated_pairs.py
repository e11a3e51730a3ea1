"""Compare ``compat`` with the Java program on real sentences that are mutated at random, in all its languages.

    METEOR_E_JAR=…/meteor-1.5.jar python benchmarks/parity/mutated_pairs.py save FOLDER ../shared/data/wmt12 \
        [--texts TEXTS] [--batches 100] [--size 10000] [--seed 1] [--odd .3]
    python benchmarks/parity/mutated_pairs.py compare FOLDER

``save`` makes the batches, scores them with the Java program, and keeps all in a folder. A batch has a language and
options of its own, drawn at random: tasks, modules and weights, parameters, beam, normalization, characters, several
references, word lists, synonyms, paraphrase tables, folders of new languages, SGML, and what is written. It takes
pairs of outputs and references, or a sentence twice, and drops, doubles, exchanges and changes words of both sides;
some batches have pairs of words that repeat, joined signs, other scripts and empty sides among them.
Folders of data have ``references/`` and ``system-outputs/``; a folder of texts has a file ``LANGUAGE.txt`` for each
language (``manual_text.py`` makes them). Batches that are there already are not made again, so an interrupted run
goes on where it stopped. With ``--odd``, this share of the batches has numbers that nobody would write but that Java
reads (``0x1p-1``, ``1e308``, ``.5d``), too few or too many of them, or tasks and languages in any case; or its
segments are requests of ``-stdio``, between requests to evaluate statistics, and lines that are no requests. A batch
that the Java program fails on is kept with that; ``compat`` must fail, too.

``compare`` scores the batches with ``meteor-e compat``, and compares what both programs print, line by line. Numbers
that differ only in the last bit, as ``pow`` has it, are counted on their own. It prints a line per batch and per
language, and exits with 1 if anything else differs. ``METEOR_E_PURE=1`` compares the Python engine.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from meteor_e.formats.plain import read_segments

TAILS = ("s", "ing", "ed", "'s", ".", ",", "-", "…", "e", "!?", '"', "%", "&amp;", "’", "(")
CHARACTERS = (
    "\x00\x01\x08\x0b\x0c\x1b\x1c\x1f\x7f\x80\x85\x9f\xa0\xad\u0130\u0131\u0301\u03a3\u1e9e\u2003\u200b\u200d\u2028"
    "\u2029\u202e\u2c2f\u3000\ua7c0\ufeff\ufffd\uffff\ufb01\U00010400\U00010570\U0001f600\U000e0041\t "
)
"""Control characters, spaces, letters whose case is special, letters newer than Java's tables, and beyond the plane."""

JOINED = (
    "1,000.50 3.5% $20 U.S.A. i.e. p.m. don't 'tis rock'n'roll http://a.b/c?d=e&f x@y.z ... -- --- -LRB- [1] (a) "
    "“b” «c» a,b a.b a;b; 1. 2) 10:30 3/4 1-2 &lt;b&gt; &#39; &amp;quot; #tag @name *x* _y_ ~ ^ | || a|b \\ {0} "
    "%s $ € № § a…b ´ `` ''"
)
SCRIPTS = (
    "мир МИР Ёж ёж Ω ω ς σ Σ İstanbul ıI ſs ß ẞ SS K k Å å \ufb01n fin e\u0301 é İ i\u0307 Ǆ ǅ ǆ ا لله ١٢٣ 123 १२ "
    "नमस्ते ไทย 東京 東 京 カナ か\u3099 が 한국 "
    "\u1112\u1161\u11ab \U0001f468\u200d\U0001f469 \U0001d400 𐐀 𐐨 ﷺ ½ ² ª º ʼn ŉ Ⅷ ⅷ Ꙃ ꙃ ა Ა Ꭰ ꭰ"
)

LANGUAGES = "en en en en en en cs cs de de es es fr fr ru ru da da fi fi hu hu it it nl nl no pt pt ro sv sv tr tr ar"
"""How often each is drawn; ``ar`` stands for all languages that the Java program has no name for."""

NORMALIZED = ("en", "cs", "de", "es", "fr", "ru")
"""Languages that the Java program has ``-norm`` for."""

JAVA_NAMES = {"cs": "cz", "sv": "se", "ar": "other"}
TASKS = {"en": ("rank", "adq", "hter", "util", "li", "tune"), "ar": ("universal", "li"), "": ("rank", "li")}

Pairs = list[tuple[str, str]]


def mutated(text: str, draw: random.Random, most: int) -> str:
    """Return a text with some of its words dropped, doubled, exchanged or changed."""
    words = text.split()
    for _ in range(draw.randint(0, most)):
        if not words:
            break
        at = draw.randrange(len(words))
        change = draw.randrange(21)
        if change < 4:
            del words[at]
        elif change < 8:
            words.insert(draw.randrange(len(words) + 1), words[at])
        elif change < 12:
            other = draw.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif change < 16:
            words[at] += draw.choice(TAILS)
        elif change < 20:
            words[at] = draw.choice((str.upper, str.capitalize, str.lower))(words[at])
        else:
            place = draw.choice((0, len(words[at]), draw.randint(0, len(words[at]))))
            words[at] = words[at][:place] + draw.choice(CHARACTERS) + words[at][place:]
    return " ".join(words)


def unusual(draw: random.Random) -> tuple[str, str]:
    """Return a pair that no mutation makes: words that repeat, joined signs, other scripts, empty sides."""
    kind = draw.randrange(5)
    words = draw.sample(["the", "the", "a", "of", "rain", "rains", "raining", "Rain", ",", "."], 4)
    if kind == 1:
        words = JOINED.split()
    elif kind == 2:
        words = SCRIPTS.split()
    elif kind == 3:
        words = [draw.choice(list("abcdefgh,.'-&")) for _ in range(9)]

    def side() -> str:
        if kind == 4:
            return draw.choice(("", " ", ".", "a", "a a a", "\t", "\u3000", "' '", "- -", "a " * 300, "x" * 3000))
        return draw.choice((" ", " ", " ", "" if kind else " ", "  ")).join(
            draw.choice(words) for _ in range(draw.choice((1, 3, 8, 8, 20, 40)))
        )

    one, two = side(), side()
    return (one, one) if draw.random() < 0.1 else (one, two)


def read_pairs(data: list[Path], texts: Path | None, language: str) -> Pairs:
    """Return outputs with their references; or, where there are none, sentences with themselves."""
    found: Pairs = []
    for folder in data:
        for outputs in sorted((folder / "system-outputs").glob(f"*-{language}")):
            pairs = (outputs.name, outputs.name.replace("-", ""))
            references = sorted((folder / "references").glob(f"*ref*.{language}"))
            own = (path for path in references if any(pair in path.name for pair in pairs))
            lines = list(read_segments(next(own, references[0])))
            for system in sorted(outputs.iterdir()):
                hypotheses = list(read_segments(system))
                if len(hypotheses) == len(lines):
                    found += zip(hypotheses, lines, strict=True)
    if not found and texts is not None and (texts / f"{language}.txt").exists():
        found = [(line, line) for line in read_segments(texts / f"{language}.txt")]
    return found


def part(text: str, draw: random.Random) -> str:
    """Return one to three words of a text that stand together."""
    words = text.split() or ["x"]
    at = draw.randrange(len(words))
    return " ".join(words[at : at + draw.randint(1, 3)]).lower()


def numbers(count: int, most: float, draw: random.Random) -> str:
    """Return some numbers as an option takes them."""
    return " ".join(str(round(draw.uniform(0, most), 2)) for _ in range(count))


def odd_numbers(count: int, draw: random.Random) -> str:
    """Return about so many numbers in forms that Java reads."""
    forms = re.findall(
        r"\S+", "1e308 -1e308 1e-300 0 -0 1 2 -1 .5d 1f 0x1p-1 +.7 0x1.8p1 1e-5D 3. 1E0 00.50 .2 .8 .75 .9"
    )
    count += draw.choice((0,) * 18 + (-1, 1))
    return draw.choice((" ", " ", "  ", "\t")).join(
        draw.choice((*forms, f"{draw.uniform(-1, 3):.17g}", f"{draw.random():.3f}")) for _ in range(count)
    )


def made_odd(chosen: list[str], draw: random.Random) -> list[str]:
    """Return options with other numbers, some of them in another case."""
    given = dict(zip(chosen, [*chosen[1:], ""], strict=True))
    if draw.random() < 0.7:
        chosen += ["-p", odd_numbers(4, draw)]
    if "-m" in given and draw.random() < 0.7:
        chosen += ["-w", odd_numbers(len(given["-m"].split()), draw).replace("-", "")]
    if draw.random() < 0.5:
        chosen += ["-x", draw.choice(("1", "+3", "007", "1000", "2147483647"))]
    for name in ("-t", "-l"):
        if name in given and draw.random() < 0.5:
            chosen += [name, draw.choice((str.upper, str.capitalize, str.lower))(given[name])]
    return chosen


def requests(hypotheses: list[str], references: list[str], count: int, draw: random.Random) -> str:
    """Return requests of ``-stdio``: segments, statistics made at random, and lines that are no requests."""
    lines = []
    for at, hypothesis in enumerate(hypotheses):
        blank = draw.choice((" ", " ", " ", "", "  "))
        sides = [
            draw.choice(("SCORE", "SCORE", "score", "Score")),
            *references[at * count : (at + 1) * count],
            hypothesis,
        ]
        lines.append(f"{blank}|||{blank}".join(sides))
        if draw.random() < 0.05:
            sums = [[draw.randint(0, 12) for _ in range(23)] for _ in range(draw.randint(1, 4))]
            texts = [" ".join(str(draw.choice((int, int, float))(value)) for value in row) for row in sums]
            lines.append(" ||| ".join([draw.choice(("EVAL", "eval")), *texts]))
            lines.append(" ||| ".join([draw.choice(("SING", "sing")), texts[0]]))
        if draw.random() < 0.01:
            lines.append(draw.choice(("", "SCORE", "what ||| ever", "||| a ||| b", "SCORED ||| a ||| b", "score a")))
    return "".join(f"{line}\n" for line in lines)


def options(language: str, pairs: Pairs, folder: Path, draw: random.Random) -> list[str]:
    """Draw options, and write the files that they name."""
    known: tuple[str, ...] = ("exact", "stem", "paraphrase")
    if language == "en":
        known = ("exact", "stem", "synonym", "paraphrase")
    if language in ("cs", "ar"):
        known = ("exact", "paraphrase")
    chosen: list[str] = ["-l", JAVA_NAMES.get(language, language)]
    if draw.random() < 0.5:
        chosen += ["-t", draw.choice(TASKS.get(language, TASKS[""]))]
    modules = known if language == "en" else known[:-1]
    if draw.random() < 0.4 or language != "en":
        modules = tuple(name for name in known if name == "exact" or draw.random() < 0.7)
        chosen += ["-m", " ".join(modules), "-w", numbers(len(modules), 1, draw)]
    if draw.random() < 0.3:
        chosen += ["-p", numbers(4, 1, draw)]
    if draw.random() < 0.3:
        chosen += ["-x", str(draw.choice((1, 2, 5, 10, 20, 60)))]
    norms = (["-norm"], ["-norm"], ["-norm", "-noPunct"]) if language in NORMALIZED else ()
    chosen += draw.choice((*norms, ["-lower"], []))
    chosen += ["-ch"] * (draw.random() < 0.2)
    if "paraphrase" in modules and (language != "en" or draw.random() < 0.3):
        entries = (draw.choice(pairs) for _ in range(3_000))
        table = "".join(f"{draw.random():.3f}\n{part(one, draw)}\n{part(two, draw)}\n" for one, two in entries)
        (folder / "paraphrases.gz").write_bytes(gzip.compress(table.encode(), mtime=0))
        chosen += ["-a", "paraphrases.gz"]
    if "synonym" in modules and draw.random() < 0.3:
        (folder / "synonyms").mkdir()
        words = {part(draw.choice(pairs)[0], draw).split()[0] for _ in range(5_000)}
        sets = "".join(f"{word}\n{' '.join(str(draw.randrange(800)) for _ in range(3))}\n" for word in sorted(words))
        (folder / "synonyms" / "english.synsets").write_text(sets, encoding="utf-8")
        (folder / "synonyms" / "english.exceptions").write_text("mice\nmouse\n", encoding="utf-8")
        chosen += ["-d", "synonyms"]
    if draw.random() < 0.2:
        words = {part(draw.choice(pairs)[1], draw).split()[0] for _ in range(200)}
        (folder / "function.words").write_text("".join(f"{word}\n" for word in sorted(words)), encoding="utf-8")
        chosen += ["-s", "function.words"]
    chosen += draw.choice((["-ssOut"], ["-ssOut"], ["-vOut"], []))
    if language == "ar" and "paraphrase" in modules and "-s" in chosen and draw.random() < 0.5:
        # The same word list and table as a folder of a new language, which takes the place of three options.
        (folder / "new").mkdir()
        (folder / "function.words").rename(folder / "new" / "function.words")
        (folder / "paraphrases.gz").rename(folder / "new" / "paraphrase.gz")
        for name in ("-l", "-a", "-s"):
            del chosen[chosen.index(name) : chosen.index(name) + 2]
        chosen += ["-new", "new"]
    if draw.random() < 0.15:
        chosen += ["-writeAlignments"]
    return [*chosen, "-f", "own"]


def as_sgml(lines: list[str], kind: str, attribute: str, count: int = 1) -> str:
    """Return lines as SGML: a document for each of ``count`` lines that belong together.

    Without marks, and without the ends of lines at which the Java program fails here.
    """
    blanks = dict.fromkeys(map(ord, "<>\x85\u2028\u2029"), " ")
    sides = []
    for number in range(count):
        segments = "".join(
            f'<seg id="{at}">{line.translate(blanks)}</seg>\n' for at, line in enumerate(lines[number::count], 1)
        )
        sides.append(f'<doc docid="d" {attribute}="x{number}">\n{segments}</doc>\n')
    return f'<{kind} setid="s" srclang="any" trglang="any">\n{"".join(sides)}</{kind}>\n'


def save(arguments: argparse.Namespace) -> None:
    """Make the batches that are not there, and score them with the Java program."""
    texts: dict[str, Pairs] = {}
    for number in range(arguments.batches):
        draw = random.Random(f"{arguments.seed} {number}")
        language = draw.choice(arguments.languages.split())
        folder = arguments.folder / f"{arguments.seed}-{number:04}-{language}"
        if language not in texts:
            texts[language] = read_pairs(arguments.data, arguments.texts, language)
        if folder.exists() or not texts[language]:
            continue
        scratch = arguments.folder / f".{folder.name}-{os.getpid()}"
        scratch.mkdir(parents=True)
        count = draw.choice((1, 1, 1, 1, 1, 2, 3))
        most = 4 if texts[language][0][0] != texts[language][0][1] else 8
        chosen = [draw.choice(texts[language]) for _ in range(arguments.size)]
        odd = arguments.odd and draw.random() < arguments.odd
        # Words that repeat have no end with a beam that is out of range.
        share = 0.0 if odd else draw.choice((0, 0, 0.02, 0.2))
        chosen = [unusual(draw) if draw.random() < share else pair for pair in chosen]
        hypotheses = [mutated(one, draw, most) for one, _ in chosen]
        references = [mutated(two, draw, most) for _, two in chosen for _ in range(count)]
        settings = options(language, texts[language], scratch, draw)
        if odd:
            settings = made_odd(settings, draw)
        if odd and draw.random() < 0.4:
            settings += ["-stdio"]
            (scratch / "requests").write_bytes(requests(hypotheses, references, count, draw).encode())
        if "-stdio" not in settings and draw.random() < 0.1:
            settings += ["-sgml"]
            sides = as_sgml(hypotheses, "tstset", "sysid"), as_sgml(references, "refset", "refid", count)
        else:
            settings += ["-r", str(count)] if count > 1 else []
            sides = "".join(f"{line}\n" for line in hypotheses), "".join(f"{line}\n" for line in references)
        for name, text in zip(("hypotheses", "references"), sides, strict=True):
            (scratch / name).write_bytes(text.encode())
        (scratch / "options.json").write_text(json.dumps(settings))
        java = ["java", "-Xmx2G", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-jar", os.environ["METEOR_E_JAR"]]
        done = answer(java, settings, scratch)
        if done.returncode and not odd:
            raise SystemExit(f"the Java program fails in {scratch}: {done.stderr.decode()[-2000:]}")
        if done.returncode:
            (scratch / "failed.txt").write_bytes(done.stderr[-2000:])
        (scratch / "java.txt").write_bytes(done.stdout + written(scratch))
        scratch.rename(folder)
        print(folder.name, *settings, flush=True)


def answer(command: list[str], settings: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a program on the segments or requests of a batch."""
    text = (folder / "requests").read_bytes() if "-stdio" in settings else b""
    sides = ["-", "-"] if text else ["hypotheses", "references"]
    return subprocess.run([*command, *sides, *settings], capture_output=True, cwd=folder, input=text)


def written(folder: Path) -> bytes:
    """Return what the files hold that a program wrote beside its output, and remove them."""
    content = b""
    for path in sorted(folder.glob("own-*")):
        content += path.name.encode() + b"\n" + path.read_bytes()
        path.unlink()
    return content


def nearly_equal(one: bytes, other: bytes) -> bool:
    """Tell whether two lines differ in their numbers only, and those by a bit of ``pow``."""
    ours, theirs = one.split(), other.split()
    if len(ours) != len(theirs):
        return False
    try:
        return all(
            mine == java or abs(float(mine) - float(java)) <= sys.float_info.epsilon * max(1, abs(float(java)))
            for mine, java in zip(ours, theirs, strict=True)
        )
    except ValueError:
        return False


def compare(arguments: argparse.Namespace) -> None:
    """Score what is saved with ``compat``, and compare."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for folder in sorted(arguments.folder.glob("[0-9]*")):
        settings = json.loads((folder / "options.json").read_text())
        # The jar of pycocoevalcap, which is compared, speaks coco-caption's protocol.
        protocol = ["-coco"] if "-stdio" in settings else []
        done = answer([sys.executable, "-m", "meteor_e", "compat"], [*settings, *protocol], folder)
        output = done.stdout + written(folder)
        mine, java = output.splitlines(), (folder / "java.txt").read_bytes().splitlines()
        if "-stdio" in settings:
            # The words of an error are each program's own.
            mine, java = ([line if line[:6] != b"Error:" else b"Error:" for line in side] for side in (mine, java))
        unequal = [(one, two) for one, two in zip(mine, java, strict=False) if one != two]
        wrong = [pair for pair in unequal if not nearly_equal(*pair)]
        failed = (folder / "failed.txt").exists()
        if failed:
            # The Java program ends with a stack trace, or not at all: what it printed before is no result.
            wrong, unequal = ([] if done.returncode else [(done.stdout[-500:], b"a failure")]), []
        elif done.returncode or len(mine) != len(java):
            wrong.append((done.stderr[-500:], b"%d lines, not %d" % (len(mine), len(java))))
        for one, two in wrong[:3]:
            print(f"{folder.name} {' '.join(settings)}\n  ours {one!r}\n  Java {two!r}", file=sys.stderr, flush=True)
        text = (folder / "hypotheses").read_bytes()
        pairs = len(re.findall(rb"(?i)<\s*seg", text)) if "-sgml" in settings else text.count(b"\n")
        last = sum(pair not in wrong for pair in unequal)
        pairs *= not failed
        counts[folder.name.rpartition("-")[2]].update(
            pairs=pairs, batches=1, wrong=len(wrong), last=last, failed=int(failed)
        )
        print(f"{folder.name}: {pairs:,} pairs, {len(wrong)} lines differ, {last} in the last bit", flush=True)
    total = sum(counts.values(), Counter[str]())
    for name, count in [*sorted(counts.items()), ("all", total)]:
        print(
            f"{name:5} {count['pairs']:9,} pairs in {count['batches']:3} batches: {count['wrong']} lines differ, "
            f"{count['last']} more in the last bit, {count['failed']} batches that Java fails on"
        )
    sys.exit(bool(total["wrong"]) or not total["pairs"])


def main() -> None:
    """Save or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    saving = commands.add_parser("save", help="make batches and score them with the Java program")
    saving.add_argument("folder", type=Path)
    saving.add_argument("data", type=Path, nargs="+", help="folders with references/ and system-outputs/")
    saving.add_argument("--texts", type=Path, help="folder with LANGUAGE.txt for languages without outputs")
    saving.add_argument("--languages", default=LANGUAGES, help="codes to draw from")
    saving.add_argument("--batches", type=int, default=100)
    saving.add_argument("--size", type=int, default=10_000, help="pairs in a batch")
    saving.add_argument("--seed", type=int, default=1)
    saving.add_argument("--odd", type=float, default=0, help="share of batches with odd numbers, or with requests")
    saving.set_defaults(do=save)
    comparing = commands.add_parser("compare", help="score what is saved with compat, and compare")
    comparing.add_argument("folder", type=Path)
    comparing.set_defaults(do=compare)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
