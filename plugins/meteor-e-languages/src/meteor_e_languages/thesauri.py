"""Synonyms of thesauri in MyThes' format, and of wordnets: tables of the Open Multilingual Wordnet, and WN-LMF."""

from __future__ import annotations

import gzip
import io
import itertools
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from meteor_e.api import ResourceError
from meteor_e.packs.build import Ingredients

MOST_BYTES = 1 << 28
"""Bytes of a file of a package."""
_LICENCES = {"wordnet": "WordNet license"}


def mythes(found: Mapping[str, bytes], scratch: Path) -> tuple[Ingredients, str]:
    """Turn a MyThes thesaurus into synsets: each meaning of an entry is one, with the entry's word.

    Args:
        found: contents of files by name; those that end in ``.dat`` count.
        scratch: where the synsets are put.

    Raises:
        ResourceError: if there are no synonyms.
    """
    return _ingredients(
        (meaning for name, content in found.items() if name.endswith(".dat") for meaning in _meanings(name, content)),
        scratch,
        "the thesaurus has no synonyms; a package of MyThes has a file th_….dat",
    )


def _meanings(name: str, content: bytes) -> Iterator[list[str]]:
    first, _, rest = content.partition(b"\n")
    lines = iter(rest.decode(encoding(first, name), "replace").splitlines())
    for line in lines:
        word, bar, count = line.rpartition("|")
        if bar and count.strip().isdigit():
            for meaning in itertools.islice(lines, int(count)):
                others = meaning.split("|")[1:]
                yield [word, *(re.sub(r"\s*\(similar term\)", "", text) for text in others)]


def wordnet(found: Mapping[str, bytes], scratch: Path, code: str) -> tuple[Ingredients, str]:
    """Turn a wordnet into synsets.

    Args:
        found: contents of files by name: ``wn-data-CODE.tab``, plain or gzipped, or WN-LMF.
        scratch: where the synsets are put.
        code: the language's code in names of tables.

    Raises:
        ResourceError: if there is neither, or no synonyms in it.
    """
    # A language's own wordnet (data) comes before one made from Wiktionary (wikt).
    tables = [text for name, text in sorted(found.items()) if re.search(f"wn-(data|wikt)-{code}\\.tab(\\.gz)?$", name)]
    lexicons = [text for name, text in sorted(found.items()) if name.endswith(".xml")]
    if not tables and not lexicons:
        raise ResourceError(f"there is no wordnet: neither wn-data-{code}.tab nor a file of WN-LMF (.xml)")
    synsets: dict[str, list[str]] = {}
    licence = ""
    if tables:
        text = _unpacked(tables[0]).decode("utf-8", "replace")
        header = text.partition("\n")[0].split("\t")
        licence = header[3].strip() if header[0].startswith("#") and len(header) > 3 else ""
        for fields in (line.split("\t") for line in text.splitlines()):
            if len(fields) > 2 and fields[1].rpartition(":")[2] == "lemma":
                synsets.setdefault(fields[0], []).append(fields[-1])
    else:
        licence = _read_lexicon(lexicons[0], synsets)
    made, summary = _ingredients(synsets.values(), scratch, "the wordnet has no synonyms")
    return made._replace(licence=_LICENCES.get(licence.lower(), licence)), summary


def _unpacked(content: bytes) -> bytes:
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        with gzip.open(io.BytesIO(content)) as stream:
            unpacked = stream.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ResourceError(f"the wordnet cannot be unpacked: {error}") from error
    if len(unpacked) > MOST_BYTES:
        raise ResourceError("the wordnet is too large")
    return unpacked


def _read_lexicon(content: bytes, synsets: dict[str, list[str]]) -> str:
    """Add the words of each synset of a file of WN-LMF, and return its license."""
    from xml.etree import ElementTree

    licence, word = "", ""
    try:
        for event, element in ElementTree.iterparse(io.BytesIO(content), ("start", "end")):
            if event == "start" and element.tag == "Lexicon":
                licence = element.get("license", "")
            elif event == "start" and element.tag == "Lemma":
                word = element.get("writtenForm", "")
            elif event == "start" and element.tag == "Sense":
                synsets.setdefault(element.get("synset", ""), []).append(word)
            elif event == "end":
                element.clear()
    except ElementTree.ParseError as error:
        raise ResourceError(f"the wordnet is no XML: {error}") from error
    return licence


def _ingredients(groups: Iterable[Iterable[str]], scratch: Path, nothing: str) -> tuple[Ingredients, str]:
    """Write groups of synonyms as METEOR's synsets; what is no single word is left out."""
    synsets: dict[str, list[int]] = {}
    numbers = itertools.count(1)
    for group in groups:
        words = {text.strip().lower() for text in group}
        members = sorted(text for text in words if text and not re.search(r"[\s()_]", text))
        if len(members) > 1:
            number = next(numbers)
            for member in members:
                synsets.setdefault(member, []).append(number)
    if not synsets:
        raise ResourceError(nothing)
    target = scratch / "synsets.txt"
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(f"{word}\n{' '.join(map(str, ids))}\n" for word, ids in sorted(synsets.items()))
    return Ingredients(synonyms=target), f"{len(synsets):,} words with synonyms"


def encoding(first: bytes, name: str) -> str:
    """Return Python's name of the encoding that a file of MyThes or hunspell says.

    Raises:
        ResourceError: if there is no such encoding.
    """
    found = first.strip().decode("ascii", "replace").replace("microsoft-cp", "cp").replace("ISO8859", "iso8859")
    try:
        "".encode(found)
    except LookupError:
        raise ResourceError(f"{name} is in the unknown encoding {found!r}") from None
    return found
