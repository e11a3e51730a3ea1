from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest
from own_resources import FUNCTION_WORDS, PREFIXES, TABLE, flip

from meteor_e.base.errors import ResourceError
from meteor_e.packs import pack as pack_module
from meteor_e.packs.build import build_pack
from meteor_e.packs.pack import Pack, parse_function_words, parse_prefixes, read_word_list
from meteor_e.packs.store import PackStore


def test_resources_that_are_not_given_are_missing(tmp_path: Path) -> None:
    pack = build_pack(tmp_path / "xx", language="xx", licence="none")
    assert pack.function_words == frozenset()
    assert pack.nonbreaking_prefixes == (frozenset(), frozenset())
    assert pack.synonyms is None
    assert pack.paraphrases is None
    assert pack.manifest.licence == "none"


def test_equal_data_equal_digest(tmp_path: Path, files: dict[str, Path], tiny_pack: Pack) -> None:
    again = build_pack(tmp_path / "other", language="de", name="third-party", version="7", **files)
    assert again.digest == tiny_pack.digest
    assert len(again.digest) == 12
    files["function_words"].write_text("a\n", encoding="utf-8")
    assert build_pack(tmp_path / "other", language="de", **files).digest != tiny_pack.digest


def test_pack_replaces_only_a_pack(tmp_path: Path, files: dict[str, Path], tiny_pack: Pack) -> None:
    opened = tiny_pack.paraphrases
    replaced = build_pack(tiny_pack.path, language="en", function_words=files["function_words"])
    assert replaced.paraphrases is None
    assert opened is not None  # whoever had the old one open goes on reading it
    assert opened.phrases_at([opened.word_id("in")], 0)
    assert [path.name for path in tiny_pack.path.parent.iterdir() if not path.name.endswith(".lock")] == ["en"]

    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("all my work", encoding="utf-8")
    with pytest.raises(ResourceError, match="is not a resource pack"):
        build_pack(precious, language="en")
    assert (precious / "thesis.txt").read_text(encoding="utf-8") == "all my work"


def test_failed_build_leaves_the_old_pack(files: dict[str, Path], tiny_pack: Pack) -> None:
    files["paraphrases"].write_bytes(b"0.5\na\n")
    with pytest.raises(ResourceError, match="line 2"):
        build_pack(tiny_pack.path, language="en", **files)
    assert Pack(tiny_pack.path).verify() == []
    files["paraphrases"].unlink()
    with pytest.raises(ResourceError, match="paraphrases: No such file"):
        build_pack(tiny_pack.path, language="en", **files)


@pytest.mark.parametrize("kind", ["synonyms", "exceptions", "paraphrases"])
def test_sparse_file_is_refused_before_hashing(tmp_path: Path, files: dict[str, Path], kind: str) -> None:
    holes = tmp_path / "holes"
    with holes.open("wb") as stream:
        stream.truncate(1 << 43)
    with pytest.raises(ResourceError, match=r"holes is larger than 8 GiB"):
        build_pack(tmp_path / "pack", language="en", **{**files, kind: holes})
    assert not (tmp_path / "pack").exists()


@pytest.mark.parametrize("name", ["", "..", ".hidden", "a/b", "a b", "x" * 101, "ä"])
def test_names_are_names_of_folders(tmp_path: Path, name: str) -> None:
    with pytest.raises(ResourceError, match="not a name for a pack"):
        build_pack(tmp_path / "x", language="en", name=name or " ")
    with pytest.raises(ResourceError, match="not a name for a pack"):
        PackStore(tmp_path).find(name)
    with pytest.raises(ResourceError, match="not a name for a pack"):
        PackStore(tmp_path).remove(name)


def test_pickles_by_path(tiny_pack: Pack) -> None:
    copy = pickle.loads(pickle.dumps(tiny_pack))
    assert copy.digest == tiny_pack.digest
    assert len(copy.paraphrases) == len(TABLE)


FILES = ("function.words", "nonbreaking.prefixes", "synonyms.idx", "paraphrases.idx")
ATTRIBUTES = ("function_words", "nonbreaking_prefixes", "synonyms", "paraphrases")


@pytest.mark.parametrize(("file", "attribute"), [*zip(FILES, ATTRIBUTES, strict=True)])
def test_damaged_file_is_detected_and_named(tiny_pack: Pack, file: str, attribute: str) -> None:
    path = tiny_pack.path / file
    whole = path.read_bytes()

    def expect(message: str) -> None:
        with pytest.raises(ResourceError, match=rf"pack 'en' .*{message}.*`meteor-e pack install en`"):
            Pack(tiny_pack.path)
        [problem] = tiny_pack.verify()
        assert file in problem

    path.unlink()
    path.write_bytes(whole[:-1])
    expect(f"{file} has {len(whole) - 1} bytes instead of {len(whole)}")
    path.write_bytes(whole)
    flip(path, len(whole) - 2)
    expect(f"the SHA-256 of {file} differs from the manifest")
    path.unlink()
    expect(f"{file} cannot be read: No such file")
    path.mkdir()
    expect(file)
    path.rmdir()
    path.write_bytes(whole)
    pack = Pack(tiny_pack.path)
    assert pack.verify() == []
    assert getattr(pack, attribute) is not None


def test_file_is_hashed_once(tiny_pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []
    original = pack_module.sha256_of

    def counting(path: Path) -> str:
        hashed.append(path.name)
        return original(path)

    monkeypatch.setattr(pack_module, "sha256_of", counting)
    Pack(tiny_pack.path)
    assert hashed == []
    # A copy has other times: hashed once more, then known.
    os.utime(tiny_pack.path / "synonyms.idx", ns=(1, 1))
    Pack(tiny_pack.path)
    Pack(tiny_pack.path)
    assert hashed == ["synonyms.idx"]
    # Archives and images cut times to seconds.
    stamp = (tiny_pack.path / "paraphrases.idx").stat().st_mtime_ns
    os.utime(tiny_pack.path / "paraphrases.idx", ns=(0, stamp // 10**9 * 10**9))
    Pack(tiny_pack.path)
    assert hashed == ["synonyms.idx"]


@pytest.mark.parametrize("checked", [b"", b"[]", b"{", b'{"synonyms.idx": 3}', b'{"synonyms.idx": [1, "x"]}', b"\xff"])
def test_notes_that_cannot_be_read_are_no_notes(tiny_pack: Pack, checked: bytes) -> None:
    (tiny_pack.path / pack_module.CHECKED).write_bytes(checked)
    flip(tiny_pack.path / "synonyms.idx", 300)
    os.utime(tiny_pack.path / "synonyms.idx", (5, 5))
    with pytest.raises(ResourceError, match=r"synonyms\.idx"):
        Pack(tiny_pack.path)


def edited(tiny_pack: Pack, **changes: object) -> None:
    path = tiny_pack.path / "manifest.json"
    manifest = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    path.write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "its format is 2; this release reads format 1"),
        ({"name": "../x"}, "'../x' is not a name"),
        ({"version": 1.5}, "a value that must be a text has another type"),
        ({"sources": ["x"]}, ""),
        ({"sources": [{"name": "x"}]}, "missing 1 required positional argument: 'sha256'"),
        ({"contents": {"synonyms": True}}, "a value that must be a whole number has another type"),
        ({"contents": [1]}, ""),
        ({"files": {"../../passwd": {"size": 1, "sha256": "0" * 64}}}, "is not a name for a pack or for a file"),
        ({"files": {"manifest.json": {"size": 1, "sha256": "0" * 64}}}, "is not a name for a pack or for a file"),
        ({"files": {"a": {"size": "1", "sha256": "0" * 64}}}, "a value that must be a whole number has another type"),
        ({"files": {"a": {"size": 1, "sha256": "xyz"}}}, "is not a SHA-256"),
        ({"files": {"a": 1}}, ""),
    ],
)
def test_damaged_manifest_is_refused(tiny_pack: Pack, changes: dict[str, object], message: str) -> None:
    edited(tiny_pack, **changes)
    with pytest.raises(ResourceError, match=rf"manifest\.json is damaged: .*{message}"):
        Pack(tiny_pack.path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b" " * (2 << 20), b'"\\ud800"'])
def test_invalid_manifest_is_refused(tiny_pack: Pack, text: bytes) -> None:
    (tiny_pack.path / "manifest.json").write_bytes(text)
    with pytest.raises(ResourceError, match=r"manifest\.json(: it is larger| is damaged)"):
        Pack(tiny_pack.path)


def test_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"manifest\.json: No such file"):
        Pack(tmp_path)


def test_function_words(tmp_path: Path) -> None:
    path = tmp_path / "words"
    for end in ("\n", "\r\n", "\r"):
        path.write_bytes(FUNCTION_WORDS.replace("\n", end).encode("utf-8-sig") + b"\xe2\x80\x99")
        assert parse_function_words(read_word_list(path)) == {"a", "the", "of", "’"}
    path.write_bytes(b"")
    assert parse_function_words(read_word_list(path)) == frozenset()


def test_spaces_belong_to_a_function_word_as_in_java(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b" a\nb \nC\n#\n")
    assert parse_function_words(read_word_list(path)) == {" a", "b ", "C", "#"}


def test_prefixes(tmp_path: Path) -> None:
    path = tmp_path / "prefixes"
    for end in ("\n", "\r\n"):
        path.write_bytes(PREFIXES.replace("\n", end).encode())
        prefixes = parse_prefixes(read_word_list(path))
        assert prefixes.always == {"Mr", "Prof"}
        assert prefixes.numeric == {"No", "pp"}


def test_unreadable_list_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="nowhere: No such file"):
        parse_function_words(read_word_list(tmp_path / "nowhere"))
    (tmp_path / "latin").write_bytes("the\ncafé\n".encode("latin-1"))
    with pytest.raises(ResourceError, match="latin, line 2: not valid UTF-8"):
        parse_prefixes(read_word_list(tmp_path / "latin"))


def test_endless_list_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meteor_e.packs.pack.MAX_LIST", 100)
    (tmp_path / "long").write_bytes(b"word\n" * 100)
    with pytest.raises(ResourceError, match="larger than 100 bytes"):
        parse_function_words(read_word_list(tmp_path / "long"))
