from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_resources import EXCEPTIONS, SYNSETS

from meteor_e.base.errors import ResourceError
from meteor_e.packs import build_indexes
from meteor_e.packs.build_indexes import Stream, build_synonym_index
from meteor_e.packs.indexes import SynonymIndex

WORDS = st.text(st.characters(exclude_characters=" \t\n\r\f\x0b", exclude_categories=["Cs"]), min_size=1, max_size=4)
IDS = st.integers(0, 2**32 - 1)


def build(folder: Path, synsets: str | bytes, exceptions: str | bytes | None = None) -> SynonymIndex:
    def bytes_of(text: str | bytes) -> bytes:
        return text.encode() if isinstance(text, str) else text

    (folder / "english.synsets").write_bytes(bytes_of(synsets))
    if exceptions is not None:
        (folder / "english.exceptions").write_bytes(bytes_of(exceptions))
    build_synonym_index(
        folder / "english.synsets", folder / "english.exceptions" if exceptions is not None else None, folder / "idx"
    )
    return SynonymIndex(folder / "idx")


def test_gzip_streams_line_ends_and_mark(tmp_path: Path) -> None:
    build(tmp_path, SYNSETS, EXCEPTIONS)
    plain = (tmp_path / "idx").read_bytes()
    for end in ("\r\n", "\r", "\n"):
        synsets = b"\xef\xbb\xbf" + SYNSETS.replace("\n", end).encode()
        build_synonym_index(
            Stream(io.BytesIO(gzip.compress(synsets)), "synsets"),
            Stream(io.BytesIO(EXCEPTIONS.rstrip().encode()), "exceptions"),
            tmp_path / "idx",
        )
        assert (tmp_path / "idx").read_bytes() == plain


@pytest.mark.parametrize(
    ("synsets", "exceptions", "message"),
    [
        ("foo\n1\nbar\n", "", "english.synsets, line 3: the file ends inside an entry"),
        ("foo\n1\n\n2\n", "", "english.synsets, line 3: expected a word, found an empty line"),
        ("foo\nbar\n", "", "english.synsets, line 2: 'bar' is not a synset id"),
        ("foo\n1\nbar\n1 4294967296\n", "", "english.synsets, line 4: '4294967296' is not a synset id"),
        ("foo\n-1\n", "", "english.synsets, line 2: '-1' is not a synset id"),
        ("foo\n٣\n", "", "english.synsets, line 2: '٣' is not a synset id"),
        (b"foo\n1\n\xffoo\n1\n", "", "english.synsets, line 3: not valid UTF-8"),
        ("", "go\nwent\nsee\n", "english.exceptions, line 3: the file ends inside an entry"),
        (gzip.compress(b"foo\n1\n", mtime=0)[:-4], "", "english.synsets is damaged or cut short"),
    ],
)
def test_malformed_files(tmp_path: Path, synsets: str | bytes, exceptions: str, message: str) -> None:
    with pytest.raises(ResourceError) as caught:
        build(tmp_path, synsets, exceptions)
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_missing_and_too_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ResourceError, match=r"nowhere: No such file"):
        build_synonym_index(tmp_path / "nowhere", None, tmp_path / "idx")
    monkeypatch.setattr(build_indexes, "MAX_SYNONYMS", 1000)
    with pytest.raises(ResourceError, match="refusing to index it"):
        build(tmp_path, gzip.compress(b"foo\n1\n" * 1000))


@settings(max_examples=100)
@given(st.dictionaries(WORDS, st.lists(IDS, max_size=4)), st.dictionaries(WORDS, st.lists(WORDS, max_size=3)), WORDS)
def test_equals_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory, synsets: dict[str, list[int]], forms: dict[str, list[str]], other: str
) -> None:
    index = build(
        tmp_path_factory.mktemp("synonyms"),
        "".join(f"{word}\n{' '.join(f'{i:08}' for i in ids)}\n" for word, ids in synsets.items()),
        "".join(f"{base}\n{' '.join(irregular)}\n" for base, irregular in forms.items()),
    )
    for word in {other, *synsets, *forms, *(form for several in forms.values() for form in several)}:
        assert index.synsets(word) == tuple(synsets.get(word, ()))
        expected = tuple(base for base, irregular in forms.items() for form in irregular if form == word)
        assert index.bases(word) == expected


@settings(max_examples=150)
@given(st.data())
def test_altered_content_never_leads_outside(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("altered")
    build(folder, SYNSETS, EXCEPTIONS)
    content = bytearray((folder / "idx").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (folder / "altered").write_bytes(content)
    try:
        index = SynonymIndex(folder / "altered")
    except ResourceError:
        return
    for word in ("big", "go", "went", "gone", "wend", "walk", "zebra"):
        for ask in (index.synsets, index.bases):
            try:
                assert isinstance(ask(word), tuple)
            except ResourceError:
                continue
