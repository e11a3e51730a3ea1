"""Test that corrupted indexes give scores or raise ResourceError, and never crash the process.

These tests may not detect a read outside the file. For this reason, ``.ci/sanitize.sh`` runs them with AddressSanitizer
and UndefinedBehaviorSanitizer.
"""

from __future__ import annotations

import os
import random

import pytest
from random_chains import build_indexes, generate_segments, make_engines

from meteor_e import ResourceError
from meteor_e.engine.native import native_module
from meteor_e.matchers.modules import ExactMatcher, ParaphraseMatcher, SynonymMatcher
from meteor_e.packs.indexes import PARAPHRASES, SYNONYMS, IndexFile, ParaphraseIndex, SynonymIndex

pytestmark = pytest.mark.skipif(native_module() is None, reason="the extension is not built, or METEOR_E_PURE is set")

ROUNDS = int(os.environ.get("METEOR_E_DAMAGED_INDEXES", "100"))
"""The number of corrupted indexes of each kind."""


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """Return the contents of an intact index of paraphrases and of an intact index of synonyms."""
    folder = tmp_path_factory.mktemp("intact")
    build_indexes(folder)
    return {name: (folder / f"{name}.idx").read_bytes() for name in ("paraphrases", "synonyms")}


def corrupt(rng: random.Random, content: bytes, header_size: int) -> bytes:
    """Return the content with some changed bytes. The header stays intact because it has a checksum."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 2, 5, 50))):
        position = rng.randrange(header_size, len(data) - 3)
        kind = rng.randrange(4)
        if kind == 0:
            data[position] = rng.randrange(256)
        elif kind == 1:
            data[position] ^= 1 << rng.randrange(8)
        else:
            value = rng.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, len(data), rng.randrange(500)))
            start = position - position % 4
            data[start : start + 4] = value.to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize("name", ["paraphrases", "synonyms"])
def test_corrupted_index_gives_scores_or_resource_error(indexes, tmp_path, name):
    rng = random.Random(name)
    layout = PARAPHRASES if name == "paraphrases" else SYNONYMS
    header_size = 96 + 16 * len(layout.sections)
    texts = generate_segments(rng, 60)
    outcomes = {"scored": 0, "rejected": 0}
    messages = {}
    for index in range(ROUNDS):
        path = tmp_path / f"{index}.idx"
        path.write_bytes(corrupt(rng, indexes[name], header_size))
        try:
            if name == "paraphrases":
                matcher = ParaphraseMatcher(ParaphraseIndex(path))
            else:
                matcher = SynonymMatcher(SynonymIndex(path))
            native, _ = make_engines([ExactMatcher(), matcher], threads=1)
            for score in native.segments(*texts):
                assert 0 <= score.score <= 1
            outcomes["scored"] += 1
        except ResourceError as error:
            outcomes["rejected"] += 1
            messages[path] = str(error)
        path.unlink()
    assert all(str(path) in message for path, message in messages.items())
    assert min(outcomes.values()) > ROUNDS // 50


def test_damaged_index_raises_resource_error_in_threads(indexes, tmp_path):
    """An index whose entries all point outside of the file is detected while several threads score."""
    path = tmp_path / "bad.idx"
    path.write_bytes(indexes["paraphrases"])
    file = IndexFile(path, PARAPHRASES)
    nodes = file.sections["nodes"]
    data = bytearray(indexes["paraphrases"])
    section_start = data.index(bytes(nodes.cast("B")))
    # A node has three numbers of four bytes. The third number is the position of its entries.
    for node in range(1, len(nodes) // 3 - 1):
        position = section_start + 12 * node + 8
        data[position : position + 4] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(data)
    native, _ = make_engines([ParaphraseMatcher(ParaphraseIndex(path))], threads=4)
    hypotheses, references = generate_segments(random.Random(4), 3000)
    with pytest.raises(ResourceError, match=r"bad\.idx"):
        native.corpus(hypotheses, references)
