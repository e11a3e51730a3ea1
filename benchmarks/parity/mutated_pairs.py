"""Compare ``meteor-e compat`` with the Java program on mutated sentences in all languages of METEOR.

    METEOR_E_JAR=…/meteor-1.5.jar python benchmarks/parity/mutated_pairs.py save FOLDER ../shared/data/wmt12 \
        [--texts TEXTS] [--batches 100] [--size 10000] [--seed 1] [--odd .3]
    python benchmarks/parity/mutated_pairs.py compare FOLDER

``save`` creates batches, scores them with the Java program, and stores everything in a folder. The language and the
options of a batch are random: task, modules and weights, parameters, beam, normalization, character mode, number of
references, word lists, synonyms, paraphrase tables, folders of new languages, SGML, and the output. The segments are
pairs of outputs and references, or the same sentence twice. Words are deleted, duplicated, exchanged and changed. Some
batches also contain repeated words, joined symbols, other scripts and empty segments.

Folders of data contain ``references/`` and ``system-outputs/``. The folder of texts contains a file ``LANGUAGE.txt``
for each language, which ``manual_text.py`` creates. Existing batches are skipped, so an interrupted run can continue.

``--odd`` is the share of batches with unusual input. They have numbers in unusual forms that Java accepts (``0x1p-1``,
``1e308``, ``.5d``), a wrong number of numbers, and names in any case. Or their segments are requests of ``-stdio``,
together with requests to evaluate statistics and with invalid requests. If the Java program fails, ``compat`` must fail
too.

``compare`` scores the batches with ``meteor-e compat``, and compares the output of both programs line by line.
Differences in the last bit of a number, which ``pow`` causes, are counted separately. The script prints a line per
batch and per language, and exits with 1 if there are other differences. ``METEOR_E_PURE=1`` tests the Python engine.
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
"""Control characters, spaces, letters with unusual case, letters that are newer than Java's tables, and characters
outside of the Basic Multilingual Plane."""

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
"""The languages with their frequencies. ``ar`` represents all languages that the Java program does not support."""

NORMALIZED = ("en", "cs", "de", "es", "fr", "ru")
"""Languages for which the Java program supports ``-norm``."""

JAVA_NAMES = {"cs": "cz", "sv": "se", "ar": "other"}
TASKS = {"en": ("rank", "adq", "hter", "util", "li", "tune"), "ar": ("universal", "li"), "": ("rank", "li")}

Pairs = list[tuple[str, str]]


def mutate(text: str, rng: random.Random, max_changes: int) -> str:
    """Return a text in which some words are deleted, duplicated, exchanged or changed."""
    words = text.split()
    for _ in range(rng.randint(0, max_changes)):
        if not words:
            break
        index = rng.randrange(len(words))
        change = rng.randrange(21)
        if change < 4:
            del words[index]
        elif change < 8:
            words.insert(rng.randrange(len(words) + 1), words[index])
        elif change < 12:
            other_index = rng.randrange(len(words))
            words[index], words[other_index] = words[other_index], words[index]
        elif change < 16:
            words[index] += rng.choice(TAILS)
        elif change < 20:
            words[index] = rng.choice((str.upper, str.capitalize, str.lower))(words[index])
        else:
            word = words[index]
            position = rng.choice((0, len(word), rng.randint(0, len(word))))
            words[index] = word[:position] + rng.choice(CHARACTERS) + word[position:]
    return " ".join(words)


def make_unusual_pair(rng: random.Random) -> tuple[str, str]:
    """Return an unusual pair, for instance with an empty segment, random letters or repeated words."""
    kind = rng.randrange(5)
    words = rng.sample(["the", "the", "a", "of", "rain", "rains", "raining", "Rain", ",", "."], 4)
    if kind == 1:
        words = JOINED.split()
    elif kind == 2:
        words = SCRIPTS.split()
    elif kind == 3:
        words = [rng.choice(list("abcdefgh,.'-&")) for _ in range(9)]

    def make_segment() -> str:
        if kind == 4:
            return rng.choice(("", " ", ".", "a", "a a a", "\t", "\u3000", "' '", "- -", "a " * 300, "x" * 3000))
        separator = rng.choice((" ", " ", " ", "" if kind else " ", "  "))
        word_count = rng.choice((1, 3, 8, 8, 20, 40))
        return separator.join(rng.choice(words) for _ in range(word_count))

    hypothesis, reference = make_segment(), make_segment()
    return (hypothesis, hypothesis) if rng.random() < 0.1 else (hypothesis, reference)


def read_pairs(data: list[Path], texts: Path | None, language: str) -> Pairs:
    """Return pairs of outputs and references of a language. Without outputs, pair each sentence with itself."""
    pairs: Pairs = []
    for folder in data:
        for outputs in sorted((folder / "system-outputs").glob(f"*-{language}")):
            references = list(read_segments(find_references(folder, outputs.name, language)))
            for system in sorted(outputs.iterdir()):
                hypotheses = list(read_segments(system))
                if len(hypotheses) == len(references):
                    pairs += zip(hypotheses, references, strict=True)
    if not pairs and texts is not None and (texts / f"{language}.txt").exists():
        pairs = [(line, line) for line in read_segments(texts / f"{language}.txt")]
    return pairs


def find_references(folder: Path, language_pair: str, language: str) -> Path:
    """Return the reference file of a language pair, or a reference file of the target language."""
    paths = sorted((folder / "references").glob(f"*ref*.{language}"))
    for path in paths:
        if language_pair in path.name or language_pair.replace("-", "") in path.name:
            return path
    return paths[0]


def draw_phrase(text: str, rng: random.Random) -> str:
    """Return one to three consecutive words of a text."""
    words = text.split() or ["x"]
    start = rng.randrange(len(words))
    return " ".join(words[start : start + rng.randint(1, 3)]).lower()


def draw_numbers(count: int, maximum: float, rng: random.Random) -> str:
    """Return random numbers as the value of an option. Numbers are separated by spaces."""
    return " ".join(str(round(rng.uniform(0, maximum), 2)) for _ in range(count))


def draw_odd_numbers(count: int, rng: random.Random) -> str:
    """Return about ``count`` numbers in unusual forms that Java accepts, such as ``0x1p-1``."""
    forms = re.findall(
        r"\S+", "1e308 -1e308 1e-300 0 -0 1 2 -1 .5d 1f 0x1p-1 +.7 0x1.8p1 1e-5D 3. 1E0 00.50 .2 .8 .75 .9"
    )
    count += rng.choice((0,) * 18 + (-1, 1))
    separator = rng.choice((" ", " ", "  ", "\t"))
    return separator.join(
        rng.choice((*forms, f"{rng.uniform(-1, 3):.17g}", f"{rng.random():.3f}")) for _ in range(count)
    )


def make_options_odd(options: list[str], rng: random.Random) -> list[str]:
    """Return options that have unusual numbers as values, and names in upper or lower case."""
    value_by_option = dict(zip(options, [*options[1:], ""], strict=True))
    if rng.random() < 0.7:
        options += ["-p", draw_odd_numbers(4, rng)]
    if "-m" in value_by_option and rng.random() < 0.7:
        options += ["-w", draw_odd_numbers(len(value_by_option["-m"].split()), rng).replace("-", "")]
    if rng.random() < 0.5:
        options += ["-x", rng.choice(("1", "+3", "007", "1000", "2147483647"))]
    for name in ("-t", "-l"):
        if name in value_by_option and rng.random() < 0.5:
            change_case = rng.choice((str.upper, str.capitalize, str.lower))
            options += [name, change_case(value_by_option[name])]
    return options


def make_requests(hypotheses: list[str], references: list[str], reference_count: int, rng: random.Random) -> str:
    """Return requests for the option ``-stdio``. Some requests are invalid."""
    lines = []
    for index, hypothesis in enumerate(hypotheses):
        space = rng.choice((" ", " ", " ", "", "  "))
        command = rng.choice(("SCORE", "SCORE", "score", "Score"))
        segment_references = references[index * reference_count : (index + 1) * reference_count]
        lines.append(f"{space}|||{space}".join([command, *segment_references, hypothesis]))
        if rng.random() < 0.05:
            rows = [[rng.randint(0, 12) for _ in range(23)] for _ in range(rng.randint(1, 4))]
            texts = [" ".join(str(rng.choice((int, int, float))(value)) for value in row) for row in rows]
            lines.append(" ||| ".join([rng.choice(("EVAL", "eval")), *texts]))
            lines.append(" ||| ".join([rng.choice(("SING", "sing")), texts[0]]))
        if rng.random() < 0.01:
            lines.append(rng.choice(("", "SCORE", "what ||| ever", "||| a ||| b", "SCORED ||| a ||| b", "score a")))
    return "".join(f"{line}\n" for line in lines)


def draw_options(language: str, pairs: Pairs, folder: Path, rng: random.Random) -> list[str]:
    """Choose random options, and write the files that these options name to a folder."""
    supported: tuple[str, ...] = ("exact", "stem", "paraphrase")
    if language == "en":
        supported = ("exact", "stem", "synonym", "paraphrase")
    if language in ("cs", "ar"):
        supported = ("exact", "paraphrase")
    options: list[str] = ["-l", JAVA_NAMES.get(language, language)]
    if rng.random() < 0.5:
        options += ["-t", rng.choice(TASKS.get(language, TASKS[""]))]
    modules = supported if language == "en" else supported[:-1]
    if rng.random() < 0.4 or language != "en":
        modules = tuple(name for name in supported if name == "exact" or rng.random() < 0.7)
        options += ["-m", " ".join(modules), "-w", draw_numbers(len(modules), 1, rng)]
    if rng.random() < 0.3:
        options += ["-p", draw_numbers(4, 1, rng)]
    if rng.random() < 0.3:
        options += ["-x", str(rng.choice((1, 2, 5, 10, 20, 60)))]
    normalizations = (["-norm"], ["-norm"], ["-norm", "-noPunct"]) if language in NORMALIZED else ()
    options += rng.choice((*normalizations, ["-lower"], []))
    options += ["-ch"] * (rng.random() < 0.2)
    if "paraphrase" in modules and (language != "en" or rng.random() < 0.3):
        write_paraphrases(pairs, folder, rng)
        options += ["-a", "paraphrases.gz"]
    if "synonym" in modules and rng.random() < 0.3:
        write_synonyms(pairs, folder, rng)
        options += ["-d", "synonyms"]
    if rng.random() < 0.2:
        words = {draw_phrase(rng.choice(pairs)[1], rng).split()[0] for _ in range(200)}
        (folder / "function.words").write_text("".join(f"{word}\n" for word in sorted(words)), encoding="utf-8")
        options += ["-s", "function.words"]
    options += rng.choice((["-ssOut"], ["-ssOut"], ["-vOut"], []))
    if language == "ar" and "paraphrase" in modules and "-s" in options and rng.random() < 0.5:
        options = use_language_folder(options, folder)
    if rng.random() < 0.15:
        options += ["-writeAlignments"]
    return [*options, "-f", "own"]


def write_paraphrases(pairs: Pairs, folder: Path, rng: random.Random) -> None:
    """Write a paraphrase table with random phrases of the pairs."""
    entries = []
    for _ in range(3_000):
        hypothesis, reference = rng.choice(pairs)
        entries.append(f"{rng.random():.3f}\n{draw_phrase(hypothesis, rng)}\n{draw_phrase(reference, rng)}\n")
    (folder / "paraphrases.gz").write_bytes(gzip.compress("".join(entries).encode(), mtime=0))


def write_synonyms(pairs: Pairs, folder: Path, rng: random.Random) -> None:
    """Write a synonym dictionary in which words of the pairs have random synsets."""
    (folder / "synonyms").mkdir()
    words = {draw_phrase(rng.choice(pairs)[0], rng).split()[0] for _ in range(5_000)}
    entries = []
    for word in sorted(words):
        synsets = " ".join(str(rng.randrange(800)) for _ in range(3))
        entries.append(f"{word}\n{synsets}\n")
    (folder / "synonyms" / "english.synsets").write_text("".join(entries), encoding="utf-8")
    (folder / "synonyms" / "english.exceptions").write_text("mice\nmouse\n", encoding="utf-8")


def use_language_folder(options: list[str], folder: Path) -> list[str]:
    """Replace the options for the word list and the paraphrase table by the folder of a new language."""
    (folder / "new").mkdir()
    (folder / "function.words").rename(folder / "new" / "function.words")
    (folder / "paraphrases.gz").rename(folder / "new" / "paraphrase.gz")
    options = list(options)
    for name in ("-l", "-a", "-s"):
        index = options.index(name)
        del options[index : index + 2]
    return [*options, "-new", "new"]


def format_sgml(lines: list[str], kind: str, attribute: str, count: int = 1) -> str:
    """Return lines as SGML.

    Line separators make the Java program fail, so they are replaced by spaces, and so are angle brackets.

    Args:
        lines: the lines; ``count`` consecutive lines belong to the same segment.
        kind: name of the root element.
        attribute: name of the attribute that identifies a document.
        count: number of documents.
    """
    spaces = dict.fromkeys(map(ord, "<>\x85\u2028\u2029"), " ")
    documents = []
    for number in range(count):
        segments = "".join(
            f'<seg id="{segment_id}">{line.translate(spaces)}</seg>\n'
            for segment_id, line in enumerate(lines[number::count], 1)
        )
        documents.append(f'<doc docid="d" {attribute}="x{number}">\n{segments}</doc>\n')
    return f'<{kind} setid="s" srclang="any" trglang="any">\n{"".join(documents)}</{kind}>\n'


def save(arguments: argparse.Namespace) -> None:
    """Create the batches that do not exist, and score them with the Java program."""
    pairs_by_language: dict[str, Pairs] = {}
    for number in range(arguments.batches):
        rng = random.Random(f"{arguments.seed} {number}")
        language = rng.choice(arguments.languages.split())
        folder = arguments.folder / f"{arguments.seed}-{number:04}-{language}"
        if language not in pairs_by_language:
            pairs_by_language[language] = read_pairs(arguments.data, arguments.texts, language)
        if folder.exists() or not pairs_by_language[language]:
            continue
        scratch = arguments.folder / f".{folder.name}-{os.getpid()}"
        scratch.mkdir(parents=True)
        save_batch(scratch, language, pairs_by_language[language], arguments, rng)
        options = json.loads((scratch / "options.json").read_text())
        scratch.rename(folder)
        print(folder.name, *options, flush=True)


def save_batch(folder: Path, language: str, pairs: Pairs, arguments: argparse.Namespace, rng: random.Random) -> None:
    """Write the options, the texts and the output of the Java program for a random batch."""
    reference_count = rng.choice((1, 1, 1, 1, 1, 2, 3))
    first_hypothesis, first_reference = pairs[0]
    max_changes = 4 if first_hypothesis != first_reference else 8
    batch_pairs = [rng.choice(pairs) for _ in range(arguments.size)]
    is_odd = arguments.odd and rng.random() < arguments.odd
    # Unusual batches can have a huge beam, and a search with a huge beam takes too long for repeated words.
    unusual_share = 0.0 if is_odd else rng.choice((0, 0, 0.02, 0.2))
    batch_pairs = [make_unusual_pair(rng) if rng.random() < unusual_share else pair for pair in batch_pairs]
    hypotheses = [mutate(hypothesis, rng, max_changes) for hypothesis, _ in batch_pairs]
    references = [mutate(reference, rng, max_changes) for _, reference in batch_pairs for _ in range(reference_count)]
    options = draw_options(language, pairs, folder, rng)
    if is_odd:
        options = make_options_odd(options, rng)
        if rng.random() < 0.4:
            options += ["-stdio"]
            requests = make_requests(hypotheses, references, reference_count, rng)
            (folder / "requests").write_bytes(requests.encode())
    if "-stdio" not in options and rng.random() < 0.1:
        options += ["-sgml"]
        hypothesis_text = format_sgml(hypotheses, "tstset", "sysid")
        reference_text = format_sgml(references, "refset", "refid", reference_count)
    else:
        options += ["-r", str(reference_count)] if reference_count > 1 else []
        hypothesis_text = "".join(f"{line}\n" for line in hypotheses)
        reference_text = "".join(f"{line}\n" for line in references)
    (folder / "hypotheses").write_bytes(hypothesis_text.encode())
    (folder / "references").write_bytes(reference_text.encode())
    (folder / "options.json").write_text(json.dumps(options))
    java = ["java", "-Xmx2G", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8", "-jar", os.environ["METEOR_E_JAR"]]
    process = run_program(java, options, folder)
    if process.returncode and not is_odd:
        raise SystemExit(f"the Java program fails in {folder}: {process.stderr.decode()[-2000:]}")
    if process.returncode:
        (folder / "failed.txt").write_bytes(process.stderr[-2000:])
    (folder / "java.txt").write_bytes(process.stdout + take_output_files(folder))


def run_program(command: list[str], options: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a program on the segments or requests of a batch."""
    requests = (folder / "requests").read_bytes() if "-stdio" in options else b""
    files = ["-", "-"] if requests else ["hypotheses", "references"]
    return subprocess.run([*command, *files, *options], capture_output=True, cwd=folder, input=requests)


def take_output_files(folder: Path) -> bytes:
    """Return the contents of the files that a program wrote, and delete the files."""
    content = b""
    for path in sorted(folder.glob("own-*")):
        content += path.name.encode() + b"\n" + path.read_bytes()
        path.unlink()
    return content


def are_nearly_equal(line: bytes, java_line: bytes) -> bool:
    """Return whether two lines are equal except for the last bits of numbers."""
    fields, java_fields = line.split(), java_line.split()
    if len(fields) != len(java_fields):
        return False
    try:
        for field, java_field in zip(fields, java_fields, strict=True):
            if field == java_field:
                continue
            number, java_number = float(field), float(java_field)
            if not abs(number - java_number) <= sys.float_info.epsilon * max(1, abs(java_number)):
                return False
    except ValueError:
        return False
    return True


def compare(arguments: argparse.Namespace) -> None:
    """Score the saved batches with ``compat``, and compare the results with those of the Java program."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for folder in sorted(arguments.folder.glob("[0-9]*")):
        counts[folder.name.rpartition("-")[2]].update(compare_batch(folder))
    total = sum(counts.values(), Counter[str]())
    for name, count in [*sorted(counts.items()), ("all", total)]:
        print(
            f"{name:5} {count['pairs']:9,} pairs in {count['batches']:3} batches: {count['wrong']} lines differ, "
            f"{count['last']} more in the last bit, {count['failed']} batches that Java fails on"
        )
    sys.exit(bool(total["wrong"]) or not total["pairs"])


def compare_batch(folder: Path) -> dict[str, int]:
    """Compare the results for a batch, print the differences, and return their counts."""
    options = json.loads((folder / "options.json").read_text())
    # The Java program is the jar of pycocoevalcap, which has the request format of coco-caption.
    protocol = ["-coco"] if "-stdio" in options else []
    process = run_program([sys.executable, "-m", "meteor_e", "compat"], [*options, *protocol], folder)
    lines = (process.stdout + take_output_files(folder)).splitlines()
    java_lines = (folder / "java.txt").read_bytes().splitlines()
    if "-stdio" in options:
        lines, java_lines = hide_error_texts(lines), hide_error_texts(java_lines)
    unequal = [pair for pair in zip(lines, java_lines, strict=False) if pair[0] != pair[1]]
    wrong = [pair for pair in unequal if not are_nearly_equal(*pair)]
    has_failed = (folder / "failed.txt").exists()
    if has_failed:
        # The lines that the Java program printed before it failed are not compared.
        unequal = []
        wrong = [] if process.returncode else [(process.stdout[-500:], b"a failure")]
    elif process.returncode or len(lines) != len(java_lines):
        wrong.append((process.stderr[-500:], b"%d lines, not %d" % (len(lines), len(java_lines))))
    for line, java_line in wrong[:3]:
        message = f"{folder.name} {' '.join(options)}\n  ours {line!r}\n  Java {java_line!r}"
        print(message, file=sys.stderr, flush=True)
    last_bit_count = sum(pair not in wrong for pair in unequal)
    pair_count = 0 if has_failed else count_pairs(folder, options)
    summary = f"{pair_count:,} pairs, {len(wrong)} lines differ, {last_bit_count} in the last bit"
    print(f"{folder.name}: {summary}", flush=True)
    return {"pairs": pair_count, "batches": 1, "wrong": len(wrong), "last": last_bit_count, "failed": int(has_failed)}


def hide_error_texts(lines: list[bytes]) -> list[bytes]:
    """Shorten error messages, because the two programs have different messages for the same error."""
    return [b"Error:" if line.startswith(b"Error:") else line for line in lines]


def count_pairs(folder: Path, options: list[str]) -> int:
    """Return the number of segments in a batch."""
    text = (folder / "hypotheses").read_bytes()
    return len(re.findall(rb"(?i)<\s*seg", text)) if "-sgml" in options else text.count(b"\n")


def main() -> None:
    """Parse the command line, and run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    saving = commands.add_parser("save", help="create batches and score them with the Java program")
    saving.add_argument("folder", type=Path)
    saving.add_argument("data", type=Path, nargs="+", help="folders with references/ and system-outputs/")
    saving.add_argument("--texts", type=Path, help="folder with LANGUAGE.txt for languages without outputs")
    saving.add_argument("--languages", default=LANGUAGES, help="codes of the languages from which batches choose")
    saving.add_argument("--batches", type=int, default=100)
    saving.add_argument("--size", type=int, default=10_000, help="number of pairs in a batch")
    saving.add_argument("--seed", type=int, default=1)
    saving.add_argument("--odd", type=float, default=0, help="fraction of batches with unusual input")
    saving.set_defaults(do=save)
    comparing = commands.add_parser("compare", help="score saved batches with compat, and compare")
    comparing.add_argument("folder", type=Path)
    comparing.set_defaults(do=compare)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
