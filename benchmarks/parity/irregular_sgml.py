"""Compare ``meteor-e compat`` with the Java program on irregular SGML files.

    METEOR_E_JAR=…/meteor-1.5.jar python benchmarks/parity/irregular_sgml.py save FOLDER \
        [--batches 200] [--segments 100] [--seed 1]
    python benchmarks/parity/irregular_sgml.py compare FOLDER

``save`` creates batches, scores them with the Java program, and stores the files and the results in a folder. A batch
contains a file of systems and a file of references. Each file has random irregularities from :data:`HABITS`: the order,
case and quotes of attributes, text around tags, several elements on a line, comments, shuffled and missing segments,
names that are not ASCII, line ends, and entities. Existing batches are skipped. The script also stores whether the Java
program fails or does not end.

``compare`` scores the batches with ``meteor-e compat``, and compares the results as ``mutated_pairs.py`` does. If the
Java program failed, ``compat`` must end with an error.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
from pathlib import Path

from mutated_pairs import CHARACTERS, compare, take_output_files

_TEXT = (
    "the a of rain rains raining snow wind strong strongly on in boats boat harbour , . ' \" ! 1 2.5 "
    "x=1 id = été Straße дом 水 don't U.S. co-op A&B & &amp; &lt;b&gt; &quot; &apos; &QUOT; &amp;lt; "
    "&amp;amp; &eacute; &#233; < > <b> </b> <br/> </p> segid doc </ /seg"
)
WORDS = _TEXT.split(" ")

HABITS = {
    "order": "attributes in any order",
    "extra": "attributes of the file's own, with quotes and angle brackets in their values",
    "quotes": "single quotes, or none",
    "blanks": "white space around the = and inside of tags",
    "spacing": "white space added or left out between any two parts of a tag",
    "case": "tags and names of attributes in any case",
    "before": "text on the line before a tag",
    "after": "text on the line after a closing tag",
    "broken": "segments that go over lines",
    "broken tags": "tags that go over lines",
    "together": "several elements on a line",
    "shuffled": "documents and segments in any order",
    "missing": "segments and documents that are left out",
    "twice": "ids that are there twice",
    "names": "ids with white space, other letters, entities, or nothing in them",
    "comments": "comments, which may have segments in them",
    "stray": "stray text and elements between segments",
    "ends": "other line ends",
    "characters": "control characters and odd white space in the text",
    "marks": "a byte order mark, a declaration of XML, a document type",
    "nested": "paragraphs and headlines around segments; elements in segments",
    "system": "the name of the system at the set, the document or both",
    "unclosed": "documents and sets that are not closed",
    "several": "several sets, or a set in two parts",
    "empty": "segments without text, or with white space, signs or entities alone",
    "markup": "CDATA, processing instructions, elements that close themselves, sources in between",
    "long": "segments of many words, and without white space",
}
ODD_NAMES = (
    "a b",
    "é",
    "日本",
    "a&amp;b",
    "x'y",
    "a/b",
    " 7",
    "1.5",
    "A",
    "ß",
    "seg",
    "doc id",
)


class Writer:
    """Writes SGML files with random irregularities, which are called habits."""

    def __init__(self, draw: random.Random, habits: set[str], rate: float) -> None:
        self.draw = draw
        self.habits = habits
        self.rate = rate

    def now(self, habit: str, often: float = 1.0) -> bool:
        """Return at random whether the next element has an irregularity."""
        return habit in self.habits and self.draw.random() < self.rate * often

    def change_case(self, name: str) -> str:
        """Return the name of a tag or attribute, possibly in another case."""
        return self.draw.choice((str.upper, str.capitalize, str.lower))(name) if self.now("case") else name

    def quote(self, value: str) -> str:
        """Return the value of an attribute, possibly with unusual quotes."""
        if self.now("quotes"):
            return self.draw.choice((f"'{value}'", value, f'"{value}', f" {value} ", f'""{value}""'))
        return f'"{value}"'

    def blank(self) -> str:
        """Return unusual white space or an empty text."""
        return self.draw.choice((" ", "  ", "\t", "\x0b", "\xa0", "\u3000", "\x85")) if self.now("blanks") else ""

    def tag(self, name: str, attributes: dict[str, str]) -> str:
        """Return an opening tag."""
        pairs = list(attributes.items())
        if self.now("extra"):
            attribute_names = ("lang", "n", "docid2", "xid", "seg", "id2", "my-id", "genre", "origid", "sysid.x")
            values = ('say "x"', "a<b", "a>b", "</seg>", "<seg>", "7", "", 'id="9"', "doc", "it's", "<doc>", "setid=")
            for _ in range(self.draw.randint(1, 2)):
                position = self.draw.randint(0, len(pairs))
                pairs.insert(position, (self.draw.choice(attribute_names), self.draw.choice(values)))
        if self.now("order"):
            self.draw.shuffle(pairs)
        middle = "".join(
            (self.draw.choice(("\n", " ")) if self.now("broken tags") else " ")
            + self.blank()
            + self.change_case(key)
            + self.blank()
            + "="
            + self.blank()
            + self.quote(value)
            for key, value in pairs
        )
        return self.change_spacing(f"<{self.blank()}{self.change_case(name)}{middle}{self.blank()}>")

    def change_spacing(self, tag: str) -> str:
        """Return a tag in which white space is added or missing at a random place."""
        if not self.now("spacing"):
            return tag
        parts = re.findall(r'"[^"]*"|\w+|\s+|.', tag)
        position = self.draw.randrange(1, len(parts))
        if parts[position].isspace():
            parts[position] = ""
        elif self.now("spacing") and parts[position].isalpha() and len(parts[position]) > 1:
            cut = self.draw.randrange(1, len(parts[position]))
            parts[position] = f"{parts[position][:cut]} {parts[position][cut:]}"
        else:
            parts[position] = self.draw.choice((" ", "\t", "  ", "\x0c", "\xa0")) + parts[position]
        return "".join(parts)

    def end(self, name: str) -> str:
        """Return a closing tag."""
        slash = f"/{self.blank() if self.now('blanks', 0.3) else ''}"
        return self.change_spacing(f"<{self.blank()}{slash}{self.change_case(name)}{self.blank()}>")

    def line(self, text: str) -> str:
        """Return a piece of SGML, possibly with text around it and with a line end after it."""
        text_before = self.draw.choice(("text ", "  ", "<p>", "<p> ", "x.")) if self.now("before") else ""
        text_after = (
            self.draw.choice((" text", " </p>", "  ", " <br>", " . </seg>", "<seg>")) if self.now("after") else ""
        )
        return text_before + text + text_after + ("" if self.now("together") else "\n")

    def words(self) -> str:
        """Return the text of a segment."""
        words = [self.draw.choice(WORDS[:24])] + [
            self.draw.choice(WORDS if self.draw.random() < 0.3 else WORDS[:24]) for _ in range(self.draw.randint(0, 9))
        ]
        if self.now("characters"):
            words.insert(self.draw.randrange(len(words)), self.draw.choice(CHARACTERS))
        if self.now("broken"):
            position = self.draw.randrange(len(words) + 1)
            words.insert(position, self.draw.choice(("\n", "\n\n", "\n  \n", " \n")))
        if self.now("empty"):
            return self.draw.choice(("", " ", ".", "&amp;", "&lt;", "\u3000", "\x0b", "&nbsp;", "&#32;", "''", "- -"))
        if self.now("long"):
            words *= self.draw.choice((10, 30))
            if self.now("long"):
                words = ["".join(words)]
        if self.now("markup"):
            words.insert(
                self.draw.randrange(len(words) + 1),
                self.draw.choice(
                    ("<![CDATA[ a < b ]]>", "<?x y?>", "<br/>", "<seg/>", "<x y='</seg>'>", "]]>", "<![CDATA[")
                ),
            )
        if self.now("nested"):
            words.insert(
                self.draw.randrange(len(words)),
                self.draw.choice(('<b class="x">', "<!-- c -->", "<seg>", '<seg id="1">')),
            )
        text = self.draw.choice((" ".join(words), "".join(words))) if self.now("broken") else " ".join(words)
        return self.draw.choice((text, f" {text} ")) if self.now("blanks") else text

    def between(self) -> str:
        """Return random text, such as a comment, that may stand between two elements."""
        text = ""
        if self.now("comments"):
            text += self.line(
                self.draw.choice(
                    (
                        "<!-- a remark -->",
                        '<!-- <seg id="1"> not this one </seg> -->',
                        '<!--\n<seg id="2"> nor this </seg>\n-->',
                        "<!-- </doc> -->",
                        '<!-- <doc docid="no" sysid="s0"> -->',
                    )
                )
            )
        if self.now("markup"):
            text += self.line(
                self.draw.choice(
                    (
                        '<seg id="1"/>',
                        '<seg id="2" />',
                        "<doc/>",
                        "</seg/>",
                        "<srcset setid='set' srclang='any'>",
                        "<?xml-stylesheet x?>",
                        "<![CDATA[ <seg id='1'> x </seg> ]]>",
                        '<seg id="1"></seg></seg>',
                    )
                )
            )
        if self.now("stray"):
            text += self.line(
                self.draw.choice(
                    ("stray words", "", "</p>", "<hl>", "</seg>", "<seg>", "<doc", "< >", "<segment>", "<document>")
                )
            )
        return text

    def document(self, name: str, attribute: str, system: str, segments: list[str], *, has_name: bool) -> str:
        """Return a document. If ``named``, its tag contains the name of the system or reference."""
        attributes = {"docid": name, **({attribute: system} if has_name else {})}
        parts = [self.line(self.tag("doc", attributes))]
        pieces = []
        for segment_id in segments:
            if self.now("missing", 0.2):
                continue
            if self.now("twice", 0.2):
                pieces.append(f"{self.tag('seg', {'id': segment_id})}{self.words()}{self.end('seg')}")
            pieces.append(f"{self.tag('seg', {'id': segment_id})}{self.words()}{self.end('seg')}")
        if self.now("shuffled"):
            self.draw.shuffle(pieces)
        for piece in pieces:
            wrapped = f"<p>{piece}</p>" if self.now("nested") else piece
            parts += [self.between(), self.line(wrapped)]
        if not self.now("unclosed"):
            parts.append(self.line(self.end("doc")))
        return "".join(parts)

    def sets(
        self, kind: str, attribute: str, names: list[str], documents: dict[str, list[str]], setids: list[str]
    ) -> bytes:
        """Return a file of systems or references."""
        text = (
            self.draw.choice(("\ufeff", '<?xml version="1.0"?>\n', "<!DOCTYPE mteval SYSTEM 'x'>\n", "\n"))
            if self.now("marks")
            else ""
        )
        for set_id in setids:
            names_system = self.now("system")
            split = self.now("several", 0.5) or names_system
            head = {"setid": set_id, "srclang": "any", "trglang": "any"}
            for number, name in enumerate(names):
                if split or not number:
                    text += self.line(self.tag(kind, head | ({attribute: name} if names_system else {})))
                chosen = [document for document in documents if not self.now("missing", 0.1)] or list(documents)
                if self.now("shuffled"):
                    self.draw.shuffle(chosen)
                for document in chosen:
                    has_name = not names_system or self.now("system")
                    text += (
                        self.document(document, attribute, name, documents[document], has_name=has_name)
                        + self.between()
                    )
                if (split or number == len(names) - 1) and not self.now("unclosed"):
                    text += self.line(self.end(kind))
        if self.now("ends"):
            text = text.replace(
                "\n",
                self.draw.choice(("\r\n", "\r", "\n\n", "\n\r\n", "\u2028", "\x85"))
                if self.now("ends", 0.2)
                else "\r\n",
            )
        return text.encode()


def ids(writer: Writer, count: int) -> list[str]:
    """Return distinct random names of documents or segments."""
    names = [str(number + 1) for number in range(count)]
    if "names" in writer.habits:
        # Numbers and other names are never mixed, because the order of mixed names depends on the sort algorithm.
        kind = writer.draw.randrange(3)
        names = [f"n{name}" for name in names] if kind else names
        for index in range(count):
            if writer.now("names"):
                names[index] = writer.draw.choice(ODD_NAMES if kind else ("007", "-1", "+3", "0"))
    return list(dict.fromkeys(names))


def settings(draw: random.Random) -> list[str]:
    """Choose random options with which the Java program starts quickly."""
    language = draw.choice(("en", "en", "en", "other", "de", "fr", "cz"))
    modules = {"en": ("exact", "exact stem"), "de": ("exact", "exact stem"), "fr": ("exact stem",)}
    chosen = ["-sgml", "-l", language, "-m", draw.choice(modules.get(language, ("exact",))), "-f", "own"]
    chosen += draw.choice(([], ["-norm"], ["-lower"]) if language != "other" else ([], ["-lower"]))
    chosen += draw.choice(([], ["-vOut"], ["-ssOut"], ["-ch"], ["-q"]))
    return chosen + draw.choice((["-writeAlignments"], []))


def save(arguments: argparse.Namespace) -> None:
    """Create the batches that do not exist, and score them with the Java program."""
    for number in range(arguments.batches):
        folder = arguments.folder / f"{arguments.seed}-{number:04}-sgml"
        if folder.exists():
            continue
        draw = random.Random(f"{arguments.seed} {number}")
        scratch = arguments.folder / f".{folder.name}-{os.getpid()}"
        scratch.mkdir(parents=True)
        chosen = set(draw.sample(sorted(HABITS), draw.choice((1, 2, 3, 4, 6))))
        if arguments.habits:
            chosen &= set(arguments.habits.split(","))
        # Sorted, because the order of a set of strings differs from run to run, and each habit takes a random number.
        writers = [
            Writer(draw, {habit for habit in sorted(chosen) if draw.random() < 0.8}, draw.choice((0.005, 0.02, 0.1)))
            for _ in range(2)
        ]
        systems, sets = draw.choice((1, 1, 2, 3)), ["set"]
        if "several" in chosen and draw.random() < 0.5:
            sets = draw.choice((["set", "two"], ["news é", "x"], ["b", "a", "c"]))
        count = max(1, arguments.segments // (systems * len(sets)))
        naming = Writer(draw, chosen, 0.2)
        documents = {name: ids(naming, max(1, count // 5)) for name in ids(naming, 5)}
        for writer, name, kind, attribute, names in (
            (writers[0], "hypotheses", "tstset", "sysid", [f"s{index}" for index in range(systems)]),
            (writers[1], "references", "refset", "refid", [f"r{index}" for index in range(draw.choice((1, 1, 2, 4)))]),
        ):
            (scratch / name).write_bytes(writer.sets(kind, attribute, names, documents, sets))
        options = settings(draw)
        (scratch / "options.json").write_text(json.dumps(options))
        (scratch / "habits.json").write_text(json.dumps([sorted(writer.habits) for writer in writers]))
        java = ["java", "-Xmx1G", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8"]
        command = [*java, "-jar", os.environ["METEOR_E_JAR"], "hypotheses", "references", *options]
        # The Java program never ends if a segment is not closed, so it is killed after 20 seconds of processor time.
        done = subprocess.run(["prlimit", "--cpu=20", *command], capture_output=True, cwd=scratch)
        if done.returncode:
            (scratch / "failed.txt").write_bytes(done.stderr[-2000:] or b"no end")
        (scratch / "java.txt").write_bytes(done.stdout + take_output_files(scratch))
        scratch.rename(folder)


def main() -> None:
    """Parse the command line, and run the command ``save`` or ``compare``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    saving = commands.add_parser("save", help="create batches and score them with the Java program")
    saving.add_argument("folder", type=Path)
    saving.add_argument("--batches", type=int, default=200)
    saving.add_argument("--segments", type=int, default=100, help="number of segments of all systems in a batch")
    saving.add_argument("--seed", type=int, default=1)
    saving.add_argument("--habits", help="only these irregularities, separated by commas")
    saving.set_defaults(do=save)
    comparing = commands.add_parser("compare", help="score the saved batches with compat, and compare")
    comparing.add_argument("folder", type=Path)
    comparing.set_defaults(do=compare)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
