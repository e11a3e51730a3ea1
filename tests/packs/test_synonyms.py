"""Tests of the synonym index and its builder."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_resources import EXCEPTIONS, SYNSETS

from meteor_e.base.errors import ResourceError
from meteor_e.packs import build_indexes
from meteor_e.packs.build_indexes import build_synonym_index
from meteor_e.packs.entries import Stream
from meteor_e.packs.indexes import SynonymIndex

WORDS = st.text(st.characters(exclude_characters=" \t\n\r\f\x0b", exclude_categories=["Cs"]), min_size=1, max_size=4)
IDS = st.integers(0, 2**32 - 1)


def to_bytes(text: str | bytes) -> bytes:
    """Return a text as UTF-8."""
    return text.encode() if isinstance(text, str) else text


def build_index(folder: Path, synsets: str | bytes, exceptions: str | bytes | None = None) -> SynonymIndex:
    """Write the files of synonyms, index the files, and open the index."""
    synsets_path = folder / "english.synsets"
    synsets_path.write_bytes(to_bytes(synsets))
    exceptions_path = None
    if exceptions is not None:
        exceptions_path = folder / "english.exceptions"
        exceptions_path.write_bytes(to_bytes(exceptions))
    build_synonym_index(synsets_path, exceptions_path, folder / "idx")
    return SynonymIndex(folder / "idx")


def test_synonym_index_is_equal_for_all_encodings_of_the_files(tmp_path: Path) -> None:
    """Compression, a byte order mark, line ends and a missing line end in the last line do not change the index."""
    build_index(tmp_path, SYNSETS, EXCEPTIONS)
    expected = (tmp_path / "idx").read_bytes()
    for line_end in ("\r\n", "\r", "\n"):
        synsets = b"\xef\xbb\xbf" + SYNSETS.replace("\n", line_end).encode()
        build_synonym_index(
            Stream(io.BytesIO(gzip.compress(synsets)), "synsets"),
            Stream(io.BytesIO(EXCEPTIONS.rstrip().encode()), "exceptions"),
            tmp_path / "idx",
        )
        assert (tmp_path / "idx").read_bytes() == expected


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
def test_synonym_index_rejects_malformed_files(
    tmp_path: Path, synsets: str | bytes, exceptions: str, message: str
) -> None:
    with pytest.raises(ResourceError) as error_info:
        build_index(tmp_path, synsets, exceptions)
    assert str(error_info.value).removeprefix(f"{tmp_path}/").startswith(message)


def test_synonym_index_rejects_missing_and_too_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ResourceError, match=r"nowhere: No such file"):
        build_synonym_index(tmp_path / "nowhere", None, tmp_path / "idx")
    small_format = build_indexes._SYNONYM_FORMAT._replace(max_size=1000)
    monkeypatch.setattr(build_indexes, "_SYNONYM_FORMAT", small_format)
    with pytest.raises(ResourceError, match="refusing to index it"):
        build_index(tmp_path, gzip.compress(b"foo\n1\n" * 1000))


@settings(max_examples=100)
@given(st.dictionaries(WORDS, st.lists(IDS, max_size=4)), st.dictionaries(WORDS, st.lists(WORDS, max_size=3)), WORDS)
def test_synonym_index_equals_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory,
    synsets: dict[str, list[int]],
    irregular_forms: dict[str, list[str]],
    random_word: str,
) -> None:
    index = build_index(
        tmp_path_factory.mktemp("synonyms"),
        "".join(f"{word}\n{' '.join(f'{i:08}' for i in ids)}\n" for word, ids in synsets.items()),
        "".join(f"{base}\n{' '.join(forms)}\n" for base, forms in irregular_forms.items()),
    )
    all_forms = [form for forms in irregular_forms.values() for form in forms]
    for word in {random_word, *synsets, *irregular_forms, *all_forms}:
        assert index.synsets(word) == tuple(synsets.get(word, ()))
        expected = tuple(base for base, forms in irregular_forms.items() for form in forms if form == word)
        assert index.bases(word) == expected


@settings(max_examples=150)
@given(st.data())
def test_synonym_index_with_altered_content_stays_in_bounds(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Random changes of the file lead to an error or to other results, but not to accesses outside the file."""
    folder = tmp_path_factory.mktemp("altered")
    build_index(folder, SYNSETS, EXCEPTIONS)
    content = bytearray((folder / "idx").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (folder / "altered").write_bytes(content)
    try:
        index = SynonymIndex(folder / "altered")
    except ResourceError:
        return
    for word in ("big", "go", "went", "gone", "wend", "walk", "zebra"):
        for method in (index.synsets, index.bases):
            try:
                assert isinstance(method(word), tuple)
            except ResourceError:
                continue
