"""A WordNet with a few synsets in Princeton's format (https://wordnet.princeton.edu/documentation/wndb5wn)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

HEADER = "  1 This is a tiny WordNet for tests.  \n  2 WordNet {version} Copyright 2006 by nobody.  \n"
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

# For each synset: part of speech, words, and links (symbol, synset, source and target word in hexadecimal).
SYNSETS: Mapping[str, tuple[str, Sequence[str], Sequence[tuple[str, str, str]]]] = {
    "entity": ("n", ["entity"], []),
    "animal": ("n", ["animal", "beast"], [("@", "entity", "0000")]),
    "dog": ("n", ["dog", "domestic_dog"], [("@", "animal", "0000")]),
    "cat": ("n", ["cat"], [("@", "animal", "0000")]),
    "ox": ("n", ["ox", "Kerbau"], [("@", "animal", "0000"), ("+", "ride", "0101")]),
    "boxful": ("n", ["boxful", "box"], []),
    "car": ("n", ["car", "auto", "automobile"], []),
    "rex": ("n", ["Rex"], [("@i", "dog", "0000")]),
    "buy": ("v", ["buy", "purchase"], [("*", "pay", "0000"), ("$", "ride", "0000")]),
    "pay": ("v", ["pay"], []),
    "ride": ("v", ["ride"], [(">", "pay", "0000")]),
    "good": ("a", ["good"], [("&", "fine", "0000"), ("^", "fine", "0000")]),
    "fine": ("s", ["fine", "all_right"], [("&", "good", "0000")]),
    "well": ("r", ["well", "good"], []),
}
EXCEPTIONS = {"noun": "oxen ox\n", "verb": "bought buy\n", "adj": "better good\n", "adv": "better well\n"}


def write(folder: Path, version: str = "3.0") -> dict[str, str]:
    """Write the files into a folder, and return the id of each synset, such as ``00000123-n``."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets: dict[str, int] = {}
    for _ in range(2):  # The first pass computes the offset of each line.
        texts = {part: HEADER.format(version=version) for part in FILES}
        for name, (kind, words, links) in SYNSETS.items():
            part = "a" if kind == "s" else kind
            offsets[name] = len(texts[part].encode())
            word_fields = " ".join(f"{word} 0" for word in words)
            pointers = "".join(
                f" {symbol} {offsets.get(target, 0):08d} {SYNSETS[target][0].replace('s', 'a')} {link_words}"
                for symbol, target, link_words in links
            )
            frames = " 01 + 08 00" if part == "v" else ""
            words_and_pointers = f"{len(words):02x} {word_fields} {len(links):03d}{pointers}"
            texts[part] += f"{offsets[name]:08d} 03 {kind} {words_and_pointers}{frames} | gloss  \n"
    for part, name in FILES.items():
        (folder / f"data.{name}").write_bytes(texts[part].encode())
        senses: dict[str, list[int]] = {}
        for synset, (kind, words, _) in SYNSETS.items():
            if kind.replace("s", "a") == part:
                for word in words:
                    senses.setdefault(word.lower(), []).append(offsets[synset])
        lines = []
        for word, word_offsets in sorted(senses.items()):
            count = len(word_offsets)
            offset_fields = " ".join(f"{offset:08d}" for offset in word_offsets)
            lines.append(f"{word} {part} {count} 0 {count} 0 {offset_fields}  \n")
        (folder / f"index.{name}").write_text(HEADER.format(version=version) + "".join(lines), encoding="utf-8")
        (folder / f"{name}.exc").write_text(EXCEPTIONS[name], encoding="utf-8")
    return {name: f"{offsets[name]:08d}-{kind}" for name, (kind, _, _) in SYNSETS.items()}
