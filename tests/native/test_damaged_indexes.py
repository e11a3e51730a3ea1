"""Altered and truncated indexes give scores or a ResourceError, never a crash.

A read outside the file may go unnoticed here; ``.ci/sanitize.sh`` runs the same tests with
AddressSanitizer and UndefinedBehaviorSanitizer.
"""

from __future__ import annotations

import os
import random

import pytest
from random_chains import build_indexes, engines, hypotheses_and_references

from meteor_e import ResourceError
from meteor_e.engine.native import native_module
from meteor_e.matchers.modules import ExactMatcher, ParaphraseMatcher, SynonymMatcher
from meteor_e.packs.indexes import PARAPHRASES as PHRASES
from meteor_e.packs.indexes import SYNONYMS, IndexFile, ParaphraseIndex, SynonymIndex

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

ROUNDS = int(os.environ.get("METEOR_E_DAMAGED_INDEXES", "100"))


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    build_indexes(folder)
    return {name: (folder / f"{name}.idx").read_bytes() for name in ("paraphrases", "synonyms")}


def alter(numbers: random.Random, whole: bytes, header: int) -> bytes:
    """Change some bytes after the header, because the header has a checksum."""
    data = bytearray(whole)
    for _ in range(numbers.choice((1, 2, 5, 50))):
        at = numbers.randrange(header, len(data) - 3)
        kind = numbers.randrange(4)
        if kind == 0:
            data[at] = numbers.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << numbers.randrange(8)
        else:
            value = numbers.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, len(data), numbers.randrange(500)))
            start = at - at % 4
            data[start : start + 4] = value.to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize("name", ["paraphrases", "synonyms"])
def test_altered(indexes, tmp_path, name):
    numbers = random.Random(name)
    layout = PHRASES if name == "paraphrases" else SYNONYMS
    header = 96 + 16 * len(layout.sections)
    texts = hypotheses_and_references(numbers, 60)
    outcomes = {"scored": 0, "refused": 0}
    for number in range(ROUNDS):
        path = tmp_path / f"{number}.idx"
        path.write_bytes(alter(numbers, indexes[name], header))
        try:
            if name == "paraphrases":
                matcher = ParaphraseMatcher(ParaphraseIndex(path))
            else:
                matcher = SynonymMatcher(SynonymIndex(path))
            native, _ = engines([ExactMatcher(), matcher], threads=1)
            for score in native.segments(*texts):
                assert 0 <= score.score <= 1
            outcomes["scored"] += 1
        except ResourceError as error:
            outcomes["refused" if str(path) in str(error) else "refused without its name"] += 1
        path.unlink()
    assert min(outcomes.values()) > ROUNDS // 50


def test_damage_found_by_a_thread(indexes, tmp_path):
    """An index whose entries all point outside of the file is detected while several threads score."""
    path = tmp_path / "bad.idx"
    path.write_bytes(indexes["paraphrases"])
    file = IndexFile(path, PHRASES)
    nodes = file.sections["nodes"]
    data = bytearray(indexes["paraphrases"])
    at = data.index(bytes(nodes.cast("B")))
    for node in range(1, len(nodes) // 3 - 1):
        data[at + 12 * node + 8 : at + 12 * node + 12] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(data)
    native, _ = engines([ParaphraseMatcher(ParaphraseIndex(path))], threads=4)
    hypotheses, references = hypotheses_and_references(random.Random(4), 3000)
    with pytest.raises(ResourceError, match=r"bad\.idx"):
        native.corpus(hypotheses, references)
