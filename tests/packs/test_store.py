from __future__ import annotations

import errno
import functools
import gzip
import http.server
import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from own_resources import LICENCE_TEXT, TABLE, flip, jar_bytes, table_text, write_tarball, write_wheel

from meteor_e.base.errors import ResourceError
from meteor_e.base.locks import lock_folder
from meteor_e.packs import download, meteor_data
from meteor_e.packs.pack import Pack
from meteor_e.packs.store import PackStore

posix_only = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and scripts")


def contents(root: Path) -> list[str]:
    """Return the names of the files in a store, without its locks."""
    return sorted(path.name for path in root.iterdir() if not path.name.endswith(".lock"))


def check_english(pack: Pack) -> None:
    assert (pack.name, pack.language, pack.version) == ("en", "en", "1.5")
    assert pack.verify() == []
    assert pack.function_words == {"a", "the", "of"}
    assert pack.nonbreaking_prefixes.numeric == {"No", "pp"}
    assert pack.synonyms is not None
    assert pack.synonyms.synsets("big") == (7, 8)
    assert pack.paraphrases is not None
    assert len(pack.paraphrases) == len(TABLE)
    assert (pack.path / "COPYING.WORDNET").read_bytes() == LICENCE_TEXT


# Where the data comes from


def test_pack_is_installed_from_the_wheel(store_root: Path, wheel: Path) -> None:
    store = PackStore()
    check_english(store.install("en", wheel))
    czech = store.install("cz", wheel)
    assert (czech.name, czech.language, czech.synonyms, czech.paraphrases) == ("cs", "cs", None, None)
    assert czech.function_words == {"a", "the", "of"}
    assert "paraphrases" not in czech.manifest.contents
    assert not (czech.path / "COPYING.WORDNET").exists()
    assert store.names() == ["cs", "en"]
    assert contents(store_root) == ["cs", "en"]
    [source] = czech.manifest.sources
    assert source.name == wheel.name


def test_pack_is_installed_from_the_tarball(store_root: Path, tmp_path: Path) -> None:
    tarball = write_tarball(tmp_path / "meteor-1.5.tar.gz")
    store = PackStore()
    check_english(store.install("en", tarball))
    czech = store.install("cs", str(tarball))
    assert czech.paraphrases is not None
    assert len(czech.paraphrases) == len(TABLE)
    assert store.install("fr", tarball).paraphrases is None


def test_pack_is_installed_from_a_jar(store_root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "meteor-1.5"
    (folder / "data").mkdir(parents=True)
    (folder / "meteor-1.5.jar").write_bytes(jar_bytes())
    store = PackStore()
    assert store.install("en", folder / "meteor-1.5.jar").paraphrases is None
    (folder / "data" / "paraphrase-en.gz").write_bytes(gzip.compress(table_text(TABLE)))
    check_english(store.install("en", (folder / "meteor-1.5.jar").as_uri()))


def test_invalid_sources_are_refused(store_root: Path, tmp_path: Path) -> None:
    store = PackStore()
    text = tmp_path / "notes.txt"
    text.write_text("nothing", encoding="utf-8")
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme", "nothing")
    other_tar = tmp_path / "other.tar"
    with tarfile.open(other_tar, "w") as tar:
        tar.add(text, "readme")
    for source, message in (
        (text, "is not a source of METEOR's data"),
        (other, "is not a source of METEOR's data"),
        (other_tar, "is not a source of METEOR's data"),
        (tmp_path, "Is a directory"),
        (tmp_path / "nowhere", "nowhere: the file does not exist"),
        ("ftp://example.org/meteor.jar", "use a path or an http, https or file URL"),
    ):
        with pytest.raises(ResourceError, match=message):
            store.install("en", source)
    assert store.names() == []


def test_incomplete_jar_is_refused(store_root: Path, tmp_path: Path) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("function/english.words", "a\n")
    with pytest.raises(ResourceError, match=r"meteor-1\.5\.jar has no nonbreaking/english\.prefixes"):
        PackStore().install("en", jar)


def test_languages(store_root: Path, wheel: Path) -> None:
    with pytest.raises(ResourceError, match="METEOR has no data for the language 'it'"):
        PackStore().install("it", wheel)
    with pytest.raises(ResourceError, match=r"'eng' \(did you mean 'en'\?\)"):
        PackStore().install("eng", wheel)


# Archives that mean harm


def test_archives_write_nowhere_else(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    bad = {"../evil": b"x", "/tmp/evil-absolute": b"x", "pycocoevalcap/../../evil": b"x", "C:\\evil": b"x"}
    wheel = write_wheel(inside / "bad.whl", **bad)
    infos = [tarfile.TarInfo(name) for name in ("../evil", "/evil", "meteor-1.5/data/../../../evil")]
    link = tarfile.TarInfo("meteor-1.5/link")
    link.type, link.linkname = tarfile.SYMTYPE, "../../.."
    tarball = write_tarball(inside / "bad.tar.gz", extra=[*infos, link])
    before = sorted(tmp_path.rglob("*"))
    store = PackStore(inside / "store")
    for source in (wheel, tarball):
        check_english(store.install("en", source))
        store.remove("en")
    new = {path for path in tmp_path.rglob("*") if path not in before}
    assert new == {inside / "store", inside / "store" / ".en.lock"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
@pytest.mark.parametrize("name", ["meteor-1.5/meteor-1.5.jar", "meteor-1.5/data/paraphrase-en.gz"])
def test_members_that_are_no_files(store_root: Path, tmp_path: Path, kind: bytes, name: str) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/hostname"
    tarball = tmp_path / "meteor-1.5.tar.gz"
    with tarfile.open(tarball, "w:gz") as archive:
        archive.addfile(info)
        if "data" in name:
            jar = jar_bytes()
            member = tarfile.TarInfo("meteor-1.5/meteor-1.5.jar")
            member.size = len(jar)
            archive.addfile(member, io.BytesIO(jar))
    with pytest.raises(ResourceError, match=r"is not a plain file"):
        PackStore().install("en", tarball)


def test_sizes_are_bounded(store_root: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tarball = write_tarball(tmp_path / "meteor-1.5.tar.gz")
    for bound in ("MAX_MEMBER", "MAX_JAR"):
        with monkeypatch.context() as patch:
            patch.setattr(meteor_data, bound, 10)
            for source in (wheel, tarball):
                with pytest.raises(ResourceError, match="refusing to read it"):
                    PackStore().install("en", source)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_damaged_archives(tmp_path: Path, data: st.DataObject) -> None:
    maker, name = data.draw(
        st.sampled_from([(write_wheel, "a.whl"), (write_tarball, "meteor-1.5.tar.gz")]), label="kind"
    )
    source = maker(tmp_path / name)
    if data.draw(st.booleans(), label="cut"):
        whole = source.read_bytes()
        source.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    else:
        for _ in range(data.draw(st.integers(1, 3))):
            flip(source, data.draw(st.integers(0, source.stat().st_size - 1)), data.draw(st.integers(0, 7)))
    store = PackStore(tmp_path / "damaged-store")
    try:
        pack = store.install("en", source)
    except ResourceError:
        assert store.names() == []
    else:
        assert pack.verify() == []
        store.remove("en")
    assert contents(store.root) == []


# Downloads


ANSWERS = {
    "/short": (200, ("Content-Length", "1000"), b"too little"),
    "/moved": (302, ("Location", "/meteor.whl?x=1"), b""),
    "/away": (302, ("Location", "file:///etc/hostname"), b""),
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Serve a folder of small archives; some paths cause errors."""
    folder = tmp_path / "served"
    folder.mkdir()
    write_wheel(folder / "meteor.whl")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in ANSWERS:
                super().do_GET()
                return
            status, header, body = ANSWERS[self.path]
            self.send_response(status)
            self.send_header(*header)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder))
    ) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_address[1]}"
        finally:
            running.shutdown()
            thread.join()


def test_pack_is_installed_from_a_url(store_root: Path, server: str) -> None:
    calls: list[tuple[str, float, float | None]] = []
    pack = PackStore().install("en", f"{server}/meteor.whl", progress=lambda *call: calls.append(call))
    check_english(pack)
    assert pack.manifest.sources[0].name == "meteor.whl"
    assert any(stage == "downloading meteor.whl" and done == total for stage, done, total in calls)
    check_english(PackStore().install("en", f"{server}/moved"))
    assert contents(store_root) == ["en"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/nowhere", "HTTP Error 404"),
        ("/short", "ended after 10 of 1000 bytes|IncompleteRead"),
        ("/away", "cannot download"),
    ],
)
def test_downloads_that_fail(store_root: Path, server: str, path: str, message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        PackStore().install("en", server + path)
    assert contents(store_root) == []


def test_downloads_are_bounded(store_root: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MAX_DOWNLOAD", 100)
    with pytest.raises(ResourceError, match="the download was stopped"):
        PackStore().install("en", f"{server}/meteor.whl")


def test_offline(store_root: Path, wheel: Path, server: str) -> None:
    for source in (None, f"{server}/meteor.whl"):
        with pytest.raises(ResourceError, match=r"offline.*`meteor-e pack install en"):
            PackStore().install("en", source, offline=True)
    check_english(PackStore().install("en", wheel, offline=True))


def fake_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Replace the interpreter that runs pip by a script, in which $dest is the download folder."""
    path = tmp_path / "fake-python"
    head = '#!/bin/sh\nwhile [ "$1" != --dest ]; do shift; done\ndest="$2"\n'
    path.write_text(head + script, encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(download.sys, "executable", str(path))


@posix_only
def test_through_pip(store_root: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_python(tmp_path, monkeypatch, f"cp '{wheel}' \"$dest\"\n")
    with pytest.raises(
        ResourceError, match=r"has the SHA-256 [0-9a-f]{64}, but pycocoevalcap==1\.2 has 083ed7910f1aec00"
    ):
        PackStore().install("en")
    pinned = download.METEOR_WHEEL._replace(sha256=download.sha256_of(wheel))
    monkeypatch.setattr(download, "METEOR_WHEEL", pinned)
    check_english(PackStore().install("en"))
    assert contents(store_root) == ["en"]


@posix_only
def test_pip_fails(store_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_python(tmp_path, monkeypatch, "echo 'ERROR: no route to the index' >&2; echo bye >&2; exit 1\n")
    with pytest.raises(ResourceError, match=r"could not download pycocoevalcap==1\.2: ERROR: no route.*--from"):
        PackStore().install("en")
    fake_python(tmp_path, monkeypatch, "exit 0\n")
    with pytest.raises(ResourceError, match="pip gives no reason"):
        PackStore().install("en")
    assert contents(store_root) == []


def test_missing_pip_is_reported(store_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ResourceError, match=r"this Python does not have pip.*--from"):
        PackStore().install("en")


# Whole or not at all

INSTALL = """
import sys, time
from pathlib import Path
from meteor_e.packs.store import PackStore; from meteor_e.packs import download
root, wheel, stage, go = sys.argv[1:5]

def progress(at, done, total):
    print(at, flush=True)
    if at == stage:
        while not Path(go).exists():
            time.sleep(0.02)

def take(wheel_, folder, progress, otherwise):
    progress("downloading", 0, None)
    print("took the wheel", flush=True)
    return Path(wheel)

download.download_wheel = take
print(PackStore(root).install("en", progress=progress).digest)
"""


def start_install(root: Path, wheel: Path, stage: str, go: Path) -> subprocess.Popen[str]:
    """Install in a process that waits at a stage until the file ``go`` exists."""
    arguments = [sys.executable, "-c", INSTALL, str(root), str(wheel), stage, str(go)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    for said in process.stdout:
        if said.strip() == line:
            return
    raise AssertionError(f"never said {line!r}: {process.communicate()[1]}")


STAGES = ["downloading", "reading paraphrases", "indexing synonyms", "indexing paraphrases"]


@posix_only
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("before", [False, True], ids=["first", "again"])
def test_interrupted_install_changes_nothing(
    tmp_path: Path, wheel: Path, stage: str, how: signal.Signals, before: bool
) -> None:
    root = tmp_path / "store"
    store = PackStore(root)
    if before:
        store.install("en", wheel)
    process = start_install(root, wheel, stage, tmp_path / "never")
    wait_for(process, stage)
    process.send_signal(how)
    process.communicate()
    assert process.returncode != 0
    assert store.names() == (["en"] if before else [])
    if before:
        check_english(store.get("en"))
    if how == signal.SIGINT:
        assert contents(root) == store.names()
    check_english(store.install("en", wheel))
    assert contents(root) == ["en"]


@posix_only
def test_process_killed_between_the_renames_loses_nothing(tmp_path: Path, wheel: Path) -> None:
    store = PackStore(tmp_path / "store")
    store.install("en", wheel)
    (store.root / "en").rename(store.root / ".old-en")
    assert store.find("en") is None
    with pytest.raises(ResourceError, match="not a source"):
        store.install("en", Path(__file__))
    check_english(store.get("en"))
    assert contents(store.root) == ["en"]


@posix_only
def test_concurrent_installs(tmp_path: Path, wheel: Path) -> None:
    root, go = tmp_path / "store", tmp_path / "go"
    first = start_install(root, wheel, "reading paraphrases", go)
    wait_for(first, "reading paraphrases")
    second = start_install(root, wheel, "", go)
    wait_for(second, "waiting for another process that works on en")
    assert PackStore(root).find("en") is None
    go.touch()
    out_first, out_second = first.communicate()[0], second.communicate()[0]
    assert (first.returncode, second.returncode) == (0, 0)
    assert out_first.split()[-1] == out_second.split()[-1]
    assert "took the wheel" not in out_second
    check_english(PackStore(root).get("en"))
    assert contents(root) == ["en"]


def test_equal_pack_stays_in_place(store_root: Path, wheel: Path) -> None:
    first = PackStore().install("en", wheel)
    inode = (first.path / "paraphrases.idx").stat().st_ino
    again = PackStore().install("en", wheel)
    assert (again.path / "paraphrases.idx").stat().st_ino == inode
    flip(first.path / "paraphrases.idx", 300)
    repaired = PackStore().install("en", wheel)
    assert (repaired.path / "paraphrases.idx").stat().st_ino != inode
    check_english(repaired)


def test_existing_folder_is_left_alone(store_root: Path, wheel: Path) -> None:
    (store_root / "en").mkdir(parents=True)
    (store_root / "en" / "diary").write_text("dear", encoding="utf-8")
    with pytest.raises(ResourceError, match="exists and is not a resource pack"):
        PackStore().install("en", wheel)
    assert (store_root / "en" / "diary").read_text(encoding="utf-8") == "dear"


# Finding, verifying, removing


def test_missing(store_root: Path) -> None:
    store = PackStore()
    assert store.find("en") is None
    assert store.names() == []
    with pytest.raises(ResourceError, match=r"'en' is not installed in .*`meteor-e pack install en`"):
        store.get("en")
    with pytest.raises(ResourceError, match="not installed"):
        store.remove("en")
    with pytest.raises(ResourceError, match="METEOR has no such pack"):
        store.get("tlh")


def test_verify_names_what_is_damaged(store_root: Path, wheel: Path) -> None:
    store = PackStore()
    pack = store.install("en", wheel)
    assert pack.verify() == []
    flip(pack.path / "paraphrases.idx", 400)
    (pack.path / "function.words").unlink()
    assert pack.verify() == [
        "function.words cannot be read: No such file or directory",
        "the SHA-256 of paraphrases.idx differs from the manifest",
    ]
    (pack.path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"pack 'en' .* is damaged: .*manifest.*`meteor-e pack install en`"):
        store.find("en")
    store.remove("en")
    assert contents(store_root) == []


def test_pack_can_have_another_name(store_root: Path, wheel: Path) -> None:
    pack = PackStore().install("en", wheel)
    shutil.copytree(pack.path, store_root / "mine")
    with pytest.raises(ResourceError, match="contains the pack 'en', not 'mine'"):
        PackStore().find("mine")


def test_root_that_is_a_file_is_reported(tmp_path: Path, wheel: Path) -> None:
    root = tmp_path / "file"
    root.write_text("", encoding="utf-8")
    assert PackStore(root).names() == []
    with pytest.raises(ResourceError, match="cannot write to"):
        PackStore(root).install("en", wheel)


def test_lock_that_cannot_be_created_is_an_error(tmp_path, monkeypatch):
    def full(path, *arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "touch", full)
    with (
        pytest.raises(ResourceError, match=r"cannot write to .*: No space left on device"),
        lock_folder(tmp_path, "xx"),
    ):
        raise AssertionError


@pytest.mark.parametrize("missing", ["a member", "half a member", "the end"])
def test_truncated_tarball_is_refused(store_root: Path, tmp_path: Path, missing: str) -> None:
    tarball = write_tarball(tmp_path / "meteor-1.5.tar.gz")
    whole, shortened = tmp_path / "whole.tar", tmp_path / "short.tar.gz"
    with tarfile.open(tarball) as old, tarfile.open(whole, "w") as new:
        for member in sorted(old.getmembers(), key=lambda member: not member.name.endswith(".jar")):  # the jar first
            new.addfile(member, old.extractfile(member))
    with tarfile.open(whole) as tar:
        last = tar.getmembers()[-1]
    end = {"a member": last.offset, "half a member": last.offset_data + 20, "the end": last.offset_data + 512}[missing]
    shortened.write_bytes(gzip.compress(whole.read_bytes()[:end]))
    with pytest.raises(ResourceError, match="damaged or cut short"):
        PackStore().install("en", shortened)
    assert contents(store_root) == []
