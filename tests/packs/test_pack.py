"""Tests of resource packs: building, opening and validation."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest
from sample_resources import FUNCTION_WORDS, PARAPHRASES, PREFIXES, flip_bit

from meteor_e.base.errors import ResourceError
from meteor_e.packs import pack as pack_module
from meteor_e.packs.build import build_pack
from meteor_e.packs.pack import Pack, parse_function_words, parse_prefixes, read_word_list
from meteor_e.packs.store import PackStore


def test_pack_without_resources_has_empty_attributes(tmp_path: Path) -> None:
    pack = build_pack(tmp_path / "xx", language="xx", licence="none")
    assert pack.function_words == frozenset()
    assert pack.nonbreaking_prefixes == (frozenset(), frozenset())
    assert pack.synonyms is None
    assert pack.paraphrases is None
    assert pack.manifest.licence == "none"


def test_pack_digest_depends_only_on_the_data(tmp_path: Path, files: dict[str, Path], tiny_pack: Pack) -> None:
    copy = build_pack(tmp_path / "other", language="de", name="third-party", version="7", **files)
    assert copy.digest == tiny_pack.digest
    assert len(copy.digest) == 12
    files["function_words"].write_text("a\n", encoding="utf-8")
    assert build_pack(tmp_path / "other", language="de", **files).digest != tiny_pack.digest


def test_build_pack_replaces_packs_but_no_other_folders(
    tmp_path: Path, files: dict[str, Path], tiny_pack: Pack
) -> None:
    open_index = tiny_pack.paraphrases
    new_pack = build_pack(tiny_pack.path, language="en", function_words=files["function_words"])
    assert new_pack.paraphrases is None
    # An index that was opened before the replacement can still be read.
    assert open_index is not None
    assert open_index.phrases_at([open_index.word_id("in")], 0)
    assert [path.name for path in tiny_pack.path.parent.iterdir() if not path.name.endswith(".lock")] == ["en"]

    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("all my work", encoding="utf-8")
    with pytest.raises(ResourceError, match="is not a resource pack"):
        build_pack(precious, language="en")
    assert (precious / "thesis.txt").read_text(encoding="utf-8") == "all my work"


def test_build_pack_keeps_the_old_pack_after_an_error(files: dict[str, Path], tiny_pack: Pack) -> None:
    files["paraphrases"].write_bytes(b"0.5\na\n")
    with pytest.raises(ResourceError, match="line 2"):
        build_pack(tiny_pack.path, language="en", **files)
    assert Pack(tiny_pack.path).verify() == []
    files["paraphrases"].unlink()
    with pytest.raises(ResourceError, match="paraphrases: No such file"):
        build_pack(tiny_pack.path, language="en", **files)


@pytest.mark.parametrize("kind", ["synonyms", "exceptions", "paraphrases"])
def test_build_pack_rejects_a_sparse_file_before_hashing(tmp_path: Path, files: dict[str, Path], kind: str) -> None:
    sparse_file = tmp_path / "holes"
    with sparse_file.open("wb") as stream:
        stream.truncate(1 << 43)
    with pytest.raises(ResourceError, match=r"holes is larger than 8 GiB"):
        build_pack(tmp_path / "pack", language="en", **{**files, kind: sparse_file})
    assert not (tmp_path / "pack").exists()


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a b", "x" * 101, "ä"])
def test_pack_name_must_be_a_valid_folder_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(ResourceError, match="not a name for a pack"):
        build_pack(tmp_path / "x", language="en", name=name or " ")
    with pytest.raises(ResourceError, match="not a name for a pack"):
        PackStore(tmp_path).find(name)
    with pytest.raises(ResourceError, match="not a name for a pack"):
        PackStore(tmp_path).remove(name)


def test_pack_can_be_pickled(tiny_pack: Pack) -> None:
    copy = pickle.loads(pickle.dumps(tiny_pack))
    assert copy.digest == tiny_pack.digest
    assert len(copy.paraphrases) == len(PARAPHRASES)


@pytest.mark.parametrize(
    ("file", "attribute"),
    [
        ("function.words", "function_words"),
        ("nonbreaking.prefixes", "nonbreaking_prefixes"),
        ("synonyms.idx", "synonyms"),
        ("paraphrases.idx", "paraphrases"),
    ],
)
def test_pack_names_the_damaged_file(tiny_pack: Pack, file: str, attribute: str) -> None:
    path = tiny_pack.path / file
    content = path.read_bytes()

    def expect_problem(message: str) -> None:
        """Check that the pack cannot be opened and that its verification names the file."""
        with pytest.raises(ResourceError, match=rf"pack 'en' .*{message}.*`meteor-e pack install en`"):
            Pack(tiny_pack.path)
        [problem] = tiny_pack.verify()
        assert file in problem

    path.unlink()
    path.write_bytes(content[:-1])
    expect_problem(f"{file} has {len(content) - 1} bytes instead of {len(content)}")
    path.write_bytes(content)
    flip_bit(path, len(content) - 2)
    expect_problem(f"the SHA-256 of {file} differs from the manifest")
    path.unlink()
    expect_problem(f"{file} cannot be read: No such file")
    path.mkdir()
    expect_problem(file)
    path.rmdir()
    path.write_bytes(content)
    pack = Pack(tiny_pack.path)
    assert pack.verify() == []
    assert getattr(pack, attribute) is not None


def test_pack_file_is_hashed_once(tiny_pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    hash_calls: list[str] = []
    sha256_of = pack_module.sha256_of

    def record_call(path: Path) -> str:
        hash_calls.append(path.name)
        return sha256_of(path)

    monkeypatch.setattr(pack_module, "sha256_of", record_call)
    Pack(tiny_pack.path)
    assert hash_calls == []
    # A copy of a file has another modification time. It is hashed once, and the result is stored.
    os.utime(tiny_pack.path / "synonyms.idx", ns=(1, 1))
    Pack(tiny_pack.path)
    Pack(tiny_pack.path)
    assert hash_calls == ["synonyms.idx"]
    # Archives and container images truncate modification times to seconds. The file need not be hashed again.
    modification_time = (tiny_pack.path / "paraphrases.idx").stat().st_mtime_ns
    os.utime(tiny_pack.path / "paraphrases.idx", ns=(0, modification_time // 10**9 * 10**9))
    Pack(tiny_pack.path)
    assert hash_calls == ["synonyms.idx"]


@pytest.mark.parametrize("notes", [b"", b"[]", b"{", b'{"synonyms.idx": 3}', b'{"synonyms.idx": [1, "x"]}', b"\xff"])
def test_pack_ignores_invalid_notes_of_verified_files(tiny_pack: Pack, notes: bytes) -> None:
    """Without valid notes of the files that were verified before, a damaged file is hashed and detected."""
    (tiny_pack.path / pack_module.CHECKED).write_bytes(notes)
    flip_bit(tiny_pack.path / "synonyms.idx", 300)
    os.utime(tiny_pack.path / "synonyms.idx", (5, 5))
    with pytest.raises(ResourceError, match=r"synonyms\.idx"):
        Pack(tiny_pack.path)


def edit_manifest(tiny_pack: Pack, **changes: object) -> None:
    """Change keys of the manifest of a pack."""
    path = tiny_pack.path / "manifest.json"
    manifest = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    path.write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "its format is 2; this release reads format 1"),
        ({"name": "../x"}, "'../x' is not a name"),
        ({"version": 1.5}, "the value of 'version' has the type float, not str"),
        ({"sources": ["x"]}, ""),
        ({"sources": [{"name": "x"}]}, "missing 1 required positional argument: 'sha256'"),
        ({"contents": {"synonyms": True}}, "the value of 'synonyms' has the type bool, not int"),
        ({"contents": [1]}, ""),
        ({"files": {"../../passwd": {"size": 1, "sha256": "0" * 64}}}, "is not a name for a pack or for a file"),
        ({"files": {"manifest.json": {"size": 1, "sha256": "0" * 64}}}, "is not a name for a pack or for a file"),
        ({"files": {"a": {"size": "1", "sha256": "0" * 64}}}, "the value of 'size' has the type str, not int"),
        ({"files": {"a": {"size": 1, "sha256": "xyz"}}}, "is not a SHA-256"),
        ({"files": {"a": 1}}, ""),
    ],
)
def test_pack_rejects_a_manifest_with_invalid_values(tiny_pack: Pack, changes: dict[str, object], message: str) -> None:
    edit_manifest(tiny_pack, **changes)
    with pytest.raises(ResourceError, match=rf"manifest\.json is damaged: .*{message}"):
        Pack(tiny_pack.path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b" " * (2 << 20), b'"\\ud800"'])
def test_pack_rejects_a_manifest_that_is_not_a_json_object(tiny_pack: Pack, text: bytes) -> None:
    (tiny_pack.path / "manifest.json").write_bytes(text)
    with pytest.raises(ResourceError, match=r"manifest\.json(: it is larger| is damaged)"):
        Pack(tiny_pack.path)


def test_pack_rejects_a_folder_without_a_manifest(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"manifest\.json: No such file"):
        Pack(tmp_path)


def test_function_words_are_read_with_all_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "words"
    for line_end in ("\n", "\r\n", "\r"):
        path.write_bytes(FUNCTION_WORDS.replace("\n", line_end).encode("utf-8-sig") + b"\xe2\x80\x99")
        assert parse_function_words(read_word_list(path)) == {"a", "the", "of", "’"}
    path.write_bytes(b"")
    assert parse_function_words(read_word_list(path)) == frozenset()


def test_function_words_keep_their_spaces_as_in_java(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b" a\nb \nC\n#\n")
    assert parse_function_words(read_word_list(path)) == {" a", "b ", "C", "#"}


def test_prefixes_are_read_with_all_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "prefixes"
    for line_end in ("\n", "\r\n"):
        path.write_bytes(PREFIXES.replace("\n", line_end).encode())
        prefixes = parse_prefixes(read_word_list(path))
        assert prefixes.always == {"Mr", "Prof"}
        assert prefixes.numeric == {"No", "pp"}


def test_word_list_reports_missing_files_and_invalid_utf8(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="nowhere: No such file"):
        parse_function_words(read_word_list(tmp_path / "nowhere"))
    (tmp_path / "latin").write_bytes("the\ncafé\n".encode("latin-1"))
    with pytest.raises(ResourceError, match="latin, line 2: not valid UTF-8"):
        parse_prefixes(read_word_list(tmp_path / "latin"))


def test_word_list_has_a_maximum_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meteor_e.packs.pack.MAX_LIST", 100)
    (tmp_path / "long").write_bytes(b"word\n" * 100)
    with pytest.raises(ResourceError, match="larger than 100 bytes"):
        parse_function_words(read_word_list(tmp_path / "long"))
