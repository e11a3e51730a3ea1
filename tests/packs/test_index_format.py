"""The files are as ``docs/index-format.md`` says, read here by nothing but that text."""

from __future__ import annotations

import hashlib
import itertools
import struct
import zlib
from pathlib import Path

from own_resources import EXCEPTIONS, SYNSETS, TABLE, table_text

from meteor_e.packs.build_indexes import build_paraphrase_index, build_synonym_index


def sections_of(data: bytes, magic: bytes) -> tuple[tuple[int, ...], list[bytes]]:
    assert data[:8] == magic
    version, mark, size, crc, count = struct.unpack_from("<IIQII", data, 8)
    assert (version, data[12:16], size) == (1, b"\x0d\x0c\x0b\x0a", len(data))
    assert mark == 0x0A0B0C0D
    assert crc == zlib.crc32(data[:24] + bytes(4) + data[28 : 64 + 16 * count])
    sections, end = [], 64 + 16 * count
    for number in range(count):
        offset, length = struct.unpack_from("<QQ", data, 64 + 16 * number)
        assert offset % 64 == 0
        assert set(data[end:offset]) <= {0}
        sections.append(data[offset : offset + length])
        end = offset + length
    assert end == len(data)
    return struct.unpack_from("<8I", data, 32), sections


def numbers(section: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(section) // 4}I", section))


def words_of(parameters: tuple[int, ...], sections: list[bytes]) -> list[str]:
    offsets, text, slots = numbers(sections[0]), sections[1], numbers(sections[2])
    size, longest = parameters[:2]
    words = [text[a:b] for a, b in itertools.pairwise(offsets)]
    assert len(words) == size
    assert offsets[-1] == len(text)
    assert len(slots) >= max(2, 2 * size)
    assert bin(len(slots)).count("1") == 1
    for number, word in enumerate(words):
        probes = [slots[(zlib.crc32(word) + step) % len(slots)] for step in range(longest)]
        assert probes.index(number + 1) < (probes.index(0) if 0 in probes else longest)
    return [word.decode() for word in words]


def test_paraphrases(tmp_path: Path) -> None:
    (tmp_path / "table").write_bytes(table_text(TABLE))
    build_paraphrase_index(tmp_path / "table", tmp_path / "idx")
    data = (tmp_path / "idx").read_bytes()
    parameters, sections = sections_of(data, b"MEphrase")
    _, _, starting, count, entry_count, longest, *rest = parameters
    assert rest == [0, 0]
    words = words_of(parameters, sections)
    assert {phrase.split()[0] for entry in TABLE for phrase in entry} == set(words[:starting])
    assert longest == 3
    flat = numbers(sections[3])
    nodes = list(zip(flat[0::3], flat[1::3], flat[2::3], strict=True))
    assert len(nodes) == count + 1
    assert nodes[0][0] == 0xFFFFFFFC
    assert nodes[count] == (0, count, entry_count)
    phrases: dict[int, tuple[str, ...]] = {0: ()}
    for node in range(count):
        children = range(nodes[node][1], nodes[node + 1][1])
        assert [nodes[child][0] for child in children] == sorted(nodes[child][0] for child in children)
        for child in children:
            phrases[child] = (*phrases[node], words[nodes[child][0] // 4])
            assert node == max(p for p in range(child) if nodes[p][1] <= child)
    assert sorted(phrases) == list(range(count))
    assert [phrases[word + 1] for word in range(starting)] == [(word,) for word in words[:starting]]
    entries = numbers(sections[4])
    assert len(entries) == entry_count
    found = [
        (" ".join(phrases[node]), " ".join(phrases[right]))
        for node in range(count)
        for right in entries[nodes[node][2] : nodes[node + 1][2]]
    ]
    assert sorted(found) == sorted(TABLE)
    assert [right for left, right in found if left == "in the end"] == ["at last", "finally", "at last"]
    sides = [set(side) for side in zip(*TABLE, strict=True)]
    for node in range(count):
        expected = sum(flag for flag, side in zip((1, 2), sides, strict=True) if " ".join(phrases[node]) in side)
        assert node == 0 or nodes[node][0] % 4 == expected
    # A change of these bytes is a change of the format: raise its version.
    assert hashlib.sha256(data).hexdigest()[:16] == "e6b4f53205456fac"


def test_synonyms(tmp_path: Path) -> None:
    for name, text in (("synsets", SYNSETS), ("exceptions", EXCEPTIONS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    build_synonym_index(tmp_path / "synsets", tmp_path / "exceptions", tmp_path / "idx")
    data = (tmp_path / "idx").read_bytes()
    parameters, sections = sections_of(data, b"MEsynset")
    assert parameters[2:] == (5, 0, 0, 0, 0, 0)
    words = words_of(parameters, sections)
    synset_start, synset_ids, base_start, base_ids = map(numbers, sections[3:])
    assert len(synset_start) == len(base_start) == len(words) + 1
    synsets = {word: synset_ids[synset_start[n] : synset_start[n + 1]] for n, word in enumerate(words)}
    bases = {
        word: [words[base] for base in base_ids[base_start[n] : base_start[n + 1]]] for n, word in enumerate(words)
    }
    assert {word: ids for word, ids in synsets.items() if ids} == {
        "big": [7, 8],
        "go": [9],
        "huge": [7],
        "large": [8],
        "walk": [9, 10],
    }
    assert {word: several for word, several in bases.items() if several} == {"gone": ["go"], "went": ["go", "wend"]}
    assert hashlib.sha256(data).hexdigest()[:16] == "778ef0b730f26160"
