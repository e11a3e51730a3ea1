"""Tests of the store of resource packs: sources, archives, downloads, atomic installation and verification."""

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
from sample_resources import LICENCE_TEXT, PARAPHRASES, flip_bit, make_jar, make_table, write_tarball, write_wheel

from meteor_e.base.errors import ResourceError
from meteor_e.base.locks import lock_folder
from meteor_e.packs import download, meteor_data
from meteor_e.packs.pack import Pack
from meteor_e.packs.store import PackStore

posix_only = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and scripts")


def list_store(root: Path) -> list[str]:
    """Return the names of all files in the folder of a store, without the lock files."""
    return sorted(path.name for path in root.iterdir() if not path.name.endswith(".lock"))


def check_english_pack(pack: Pack) -> None:
    """Check that a pack contains the small English resources."""
    assert (pack.name, pack.language, pack.version) == ("en", "en", "1.5")
    assert pack.verify() == []
    assert pack.function_words == {"a", "the", "of"}
    assert pack.nonbreaking_prefixes.numeric == {"No", "pp"}
    assert pack.synonyms is not None
    assert pack.synonyms.synsets("big") == (7, 8)
    assert pack.paraphrases is not None
    assert len(pack.paraphrases) == len(PARAPHRASES)
    assert (pack.path / "COPYING.WORDNET").read_bytes() == LICENCE_TEXT


# Sources of the data


def test_store_installs_packs_from_a_wheel(store_root: Path, wheel: Path) -> None:
    store = PackStore()
    check_english_pack(store.install("en", wheel))
    czech = store.install("cz", wheel)
    assert (czech.name, czech.language, czech.synonyms, czech.paraphrases) == ("cs", "cs", None, None)
    assert czech.function_words == {"a", "the", "of"}
    assert "paraphrases" not in czech.manifest.contents
    assert not (czech.path / "COPYING.WORDNET").exists()
    assert store.names() == ["cs", "en"]
    assert list_store(store_root) == ["cs", "en"]
    [source] = czech.manifest.sources
    assert source.name == wheel.name


def test_store_installs_packs_from_a_tarball(store_root: Path, tmp_path: Path) -> None:
    tarball = write_tarball(tmp_path / "meteor-1.5.tar.gz")
    store = PackStore()
    check_english_pack(store.install("en", tarball))
    czech = store.install("cs", str(tarball))
    assert czech.paraphrases is not None
    assert len(czech.paraphrases) == len(PARAPHRASES)
    assert store.install("fr", tarball).paraphrases is None


def test_store_installs_packs_from_a_jar(store_root: Path, tmp_path: Path) -> None:
    """Paraphrases are installed if their table is in the folder ``data`` next to the jar."""
    folder = tmp_path / "meteor-1.5"
    (folder / "data").mkdir(parents=True)
    jar = folder / "meteor-1.5.jar"
    jar.write_bytes(make_jar())
    store = PackStore()
    assert store.install("en", jar).paraphrases is None
    (folder / "data" / "paraphrase-en.gz").write_bytes(gzip.compress(make_table(PARAPHRASES)))
    check_english_pack(store.install("en", jar.as_uri()))


def test_store_rejects_invalid_sources(store_root: Path, tmp_path: Path) -> None:
    store = PackStore()
    text_file = tmp_path / "notes.txt"
    text_file.write_text("nothing", encoding="utf-8")
    zip_file = tmp_path / "other.zip"
    with zipfile.ZipFile(zip_file, "w") as archive:
        archive.writestr("readme", "nothing")
    tar_file = tmp_path / "other.tar"
    with tarfile.open(tar_file, "w") as archive:
        archive.add(text_file, "readme")
    for source, message in (
        (text_file, "is not a source of METEOR's data"),
        (zip_file, "is not a source of METEOR's data"),
        (tar_file, "is not a source of METEOR's data"),
        (tmp_path, "Is a directory"),
        (tmp_path / "nowhere", "nowhere: the file does not exist"),
        ("ftp://example.org/meteor.jar", "use a path or an http, https or file URL"),
    ):
        with pytest.raises(ResourceError, match=message):
            store.install("en", source)
    assert store.names() == []


def test_store_rejects_an_incomplete_jar(store_root: Path, tmp_path: Path) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("function/english.words", "a\n")
    with pytest.raises(ResourceError, match=r"meteor-1\.5\.jar has no nonbreaking/english\.prefixes"):
        PackStore().install("en", jar)


def test_store_rejects_unsupported_languages(store_root: Path, wheel: Path) -> None:
    with pytest.raises(ResourceError, match="METEOR has no data for the language 'it'"):
        PackStore().install("it", wheel)
    with pytest.raises(ResourceError, match=r"'eng' \(did you mean 'en'\?\)"):
        PackStore().install("eng", wheel)


# Malicious and damaged archives


def test_store_does_not_extract_files_outside_its_folder(tmp_path: Path) -> None:
    """Archive members with paths or links to other folders are ignored."""
    inside = tmp_path / "inside"
    inside.mkdir()
    malicious_members = {
        "../evil": b"x",
        "/tmp/evil-absolute": b"x",
        "pycocoevalcap/../../evil": b"x",
        "C:\\evil": b"x",
    }
    wheel = write_wheel(inside / "bad.whl", **malicious_members)
    infos = [tarfile.TarInfo(name) for name in ("../evil", "/evil", "meteor-1.5/data/../../../evil")]
    link = tarfile.TarInfo("meteor-1.5/link")
    link.type, link.linkname = tarfile.SYMTYPE, "../../.."
    tarball = write_tarball(inside / "bad.tar.gz", extra=[*infos, link])
    paths_before_install = sorted(tmp_path.rglob("*"))
    store = PackStore(inside / "store")
    for source in (wheel, tarball):
        check_english_pack(store.install("en", source))
        store.remove("en")
    new_paths = {path for path in tmp_path.rglob("*") if path not in paths_before_install}
    assert new_paths == {inside / "store", inside / "store" / ".en.lock"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE])
@pytest.mark.parametrize("name", ["meteor-1.5/meteor-1.5.jar", "meteor-1.5/data/paraphrase-en.gz"])
def test_store_rejects_members_that_are_not_plain_files(
    store_root: Path, tmp_path: Path, kind: bytes, name: str
) -> None:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, "/etc/hostname"
    tarball = tmp_path / "meteor-1.5.tar.gz"
    with tarfile.open(tarball, "w:gz") as archive:
        archive.addfile(info)
        if "data" in name:
            jar = make_jar()
            member = tarfile.TarInfo("meteor-1.5/meteor-1.5.jar")
            member.size = len(jar)
            archive.addfile(member, io.BytesIO(jar))
    with pytest.raises(ResourceError, match=r"is not a plain file"):
        PackStore().install("en", tarball)


def test_store_limits_the_sizes_of_archive_members(
    store_root: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tarball = write_tarball(tmp_path / "meteor-1.5.tar.gz")
    for limit in ("MAX_MEMBER", "MAX_JAR"):
        with monkeypatch.context() as patch:
            patch.setattr(meteor_data, limit, 10)
            for source in (wheel, tarball):
                with pytest.raises(ResourceError, match="refusing to read it"):
                    PackStore().install("en", source)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_store_installs_damaged_archives_fully_or_not_at_all(tmp_path: Path, data: st.DataObject) -> None:
    """After truncation or bit flips of the archive, the result is an error or a valid pack."""
    write_archive, name = data.draw(
        st.sampled_from([(write_wheel, "a.whl"), (write_tarball, "meteor-1.5.tar.gz")]), label="kind"
    )
    source = write_archive(tmp_path / name)
    if data.draw(st.booleans(), label="cut"):
        content = source.read_bytes()
        length = data.draw(st.integers(0, len(content) - 1))
        source.write_bytes(content[:length])
    else:
        for _ in range(data.draw(st.integers(1, 3))):
            offset = data.draw(st.integers(0, source.stat().st_size - 1))
            bit = data.draw(st.integers(0, 7))
            flip_bit(source, offset, bit)
    store = PackStore(tmp_path / "damaged-store")
    try:
        pack = store.install("en", source)
    except ResourceError:
        assert store.names() == []
    else:
        assert pack.verify() == []
        store.remove("en")
    assert list_store(store.root) == []


# Downloads


RESPONSES = {
    "/short": (200, ("Content-Length", "1000"), b"too little"),
    "/moved": (302, ("Location", "/meteor.whl?x=1"), b""),
    "/away": (302, ("Location", "file:///etc/hostname"), b""),
}
"""The status, the header and the body of the server's responses, by path."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """Serve a folder with a small wheel over HTTP, and the responses of RESPONSES. Return the address."""
    folder = tmp_path / "served"
    folder.mkdir()
    write_wheel(folder / "meteor.whl")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in RESPONSES:
                super().do_GET()
                return
            status, header, body = RESPONSES[self.path]
            self.send_response(status)
            self.send_header(*header)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder))
    ) as http_server:
        thread = threading.Thread(target=http_server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http_server.server_address[1]}"
        finally:
            http_server.shutdown()
            thread.join()


def test_store_installs_packs_from_a_url(store_root: Path, server: str) -> None:
    calls: list[tuple[str, float, float | None]] = []
    pack = PackStore().install("en", f"{server}/meteor.whl", progress=lambda *call: calls.append(call))
    check_english_pack(pack)
    assert pack.manifest.sources[0].name == "meteor.whl"
    assert any(stage == "downloading meteor.whl" and count == total for stage, count, total in calls)
    check_english_pack(PackStore().install("en", f"{server}/moved"))
    assert list_store(store_root) == ["en"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/nowhere", "HTTP Error 404"),
        ("/short", "ended after 10 of 1000 bytes|IncompleteRead"),
        ("/away", "cannot download"),
    ],
)
def test_store_is_unchanged_after_a_failed_download(store_root: Path, server: str, path: str, message: str) -> None:
    with pytest.raises(ResourceError, match=message):
        PackStore().install("en", server + path)
    assert list_store(store_root) == []


def test_store_limits_the_size_of_downloads(store_root: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "MAX_DOWNLOAD", 100)
    with pytest.raises(ResourceError, match="the download was stopped"):
        PackStore().install("en", f"{server}/meteor.whl")


def test_store_does_not_download_when_offline(store_root: Path, wheel: Path, server: str) -> None:
    for source in (None, f"{server}/meteor.whl"):
        with pytest.raises(ResourceError, match=r"offline.*`meteor-e pack install en"):
            PackStore().install("en", source, offline=True)
    check_english_pack(PackStore().install("en", wheel, offline=True))


def replace_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Replace the Python interpreter that runs pip by a shell script, in which $dest is the download folder."""
    path = tmp_path / "fake-python"
    prologue = '#!/bin/sh\nwhile [ "$1" != --dest ]; do shift; done\ndest="$2"\n'
    path.write_text(prologue + script, encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.setattr(download.sys, "executable", str(path))


@posix_only
def test_store_checks_the_wheel_that_pip_downloads(
    store_root: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default, pip downloads the wheel. A wheel with another SHA-256 is rejected."""
    replace_pip(tmp_path, monkeypatch, f"cp '{wheel}' \"$dest\"\n")
    with pytest.raises(
        ResourceError, match=r"has the SHA-256 [0-9a-f]{64}, but pycocoevalcap==1\.2 has 083ed7910f1aec00"
    ):
        PackStore().install("en")
    pinned_wheel = download.METEOR_WHEEL._replace(sha256=download.sha256_of(wheel))
    monkeypatch.setattr(download, "METEOR_WHEEL", pinned_wheel)
    check_english_pack(PackStore().install("en"))
    assert list_store(store_root) == ["en"]


@posix_only
def test_store_reports_why_pip_failed(store_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_pip(tmp_path, monkeypatch, "echo 'ERROR: no route to the index' >&2; echo bye >&2; exit 1\n")
    with pytest.raises(ResourceError, match=r"could not download pycocoevalcap==1\.2: ERROR: no route.*--from"):
        PackStore().install("en")
    replace_pip(tmp_path, monkeypatch, "exit 0\n")
    with pytest.raises(ResourceError, match="pip gives no reason"):
        PackStore().install("en")
    assert list_store(store_root) == []


def test_store_reports_that_pip_is_missing(store_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ResourceError, match=r"this Python does not have pip.*--from"):
        PackStore().install("en")


# Atomic installation

INSTALL_PROGRAM = """
import sys, time
from pathlib import Path
from meteor_e.packs.store import PackStore; from meteor_e.packs import download
root, wheel, pause_stage, resume_file = sys.argv[1:5]

def progress(stage, count, total):
    print(stage, flush=True)
    if stage == pause_stage:
        while not Path(resume_file).exists():
            time.sleep(0.02)

def download_wheel(pinned_wheel, folder, progress, alternative):
    progress("downloading", 0, None)
    print("took the wheel", flush=True)
    return Path(wheel)

download.download_wheel = download_wheel
print(PackStore(root).install("en", progress=progress).digest)
"""
"""A program that installs the English pack. It prints each stage, and pauses at one stage until a file exists."""


def start_install(root: Path, wheel: Path, pause_stage: str, resume_file: Path) -> subprocess.Popen[str]:
    """Install the pack in a process that pauses at a stage until ``resume_file`` exists."""
    arguments = [sys.executable, "-c", INSTALL_PROGRAM, str(root), str(wheel), pause_stage, str(resume_file)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_line(process: subprocess.Popen[str], expected_line: str) -> None:
    """Read the output of a process until the expected line."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip() == expected_line:
            return
    raise AssertionError(f"the process did not print {expected_line!r}: {process.communicate()[1]}")


STAGES = ["downloading", "reading paraphrases", "indexing synonyms", "indexing paraphrases"]


@posix_only
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("was_installed", [False, True], ids=["first", "again"])
def test_interrupted_install_changes_nothing(
    tmp_path: Path, wheel: Path, stage: str, signal_number: signal.Signals, was_installed: bool
) -> None:
    root = tmp_path / "store"
    store = PackStore(root)
    if was_installed:
        store.install("en", wheel)
    process = start_install(root, wheel, stage, tmp_path / "never")
    wait_for_line(process, stage)
    process.send_signal(signal_number)
    process.communicate()
    assert process.returncode != 0
    assert store.names() == (["en"] if was_installed else [])
    if was_installed:
        check_english_pack(store.get("en"))
    if signal_number == signal.SIGINT:
        assert list_store(root) == store.names()
    check_english_pack(store.install("en", wheel))
    assert list_store(root) == ["en"]


@posix_only
def test_store_restores_a_pack_after_an_interrupted_replacement(tmp_path: Path, wheel: Path) -> None:
    """A process can be killed after it has renamed the old pack and before it has moved the new pack."""
    store = PackStore(tmp_path / "store")
    store.install("en", wheel)
    (store.root / "en").rename(store.root / ".old-en")
    assert store.find("en") is None
    with pytest.raises(ResourceError, match="not a source"):
        store.install("en", Path(__file__))
    check_english_pack(store.get("en"))
    assert list_store(store.root) == ["en"]


@posix_only
def test_concurrent_installs_build_the_pack_once(tmp_path: Path, wheel: Path) -> None:
    root, resume_file = tmp_path / "store", tmp_path / "go"
    first = start_install(root, wheel, "reading paraphrases", resume_file)
    wait_for_line(first, "reading paraphrases")
    second = start_install(root, wheel, "", resume_file)
    wait_for_line(second, "waiting for another process that works on en")
    assert PackStore(root).find("en") is None
    resume_file.touch()
    first_output, second_output = first.communicate()[0], second.communicate()[0]
    assert (first.returncode, second.returncode) == (0, 0)
    assert first_output.split()[-1] == second_output.split()[-1]
    assert "took the wheel" not in second_output
    check_english_pack(PackStore(root).get("en"))
    assert list_store(root) == ["en"]


def test_store_does_not_replace_an_equal_undamaged_pack(store_root: Path, wheel: Path) -> None:
    first = PackStore().install("en", wheel)
    inode = (first.path / "paraphrases.idx").stat().st_ino
    second = PackStore().install("en", wheel)
    assert (second.path / "paraphrases.idx").stat().st_ino == inode
    flip_bit(first.path / "paraphrases.idx", 300)
    repaired = PackStore().install("en", wheel)
    assert (repaired.path / "paraphrases.idx").stat().st_ino != inode
    check_english_pack(repaired)


def test_store_does_not_replace_a_folder_that_is_not_a_pack(store_root: Path, wheel: Path) -> None:
    (store_root / "en").mkdir(parents=True)
    (store_root / "en" / "diary").write_text("dear", encoding="utf-8")
    with pytest.raises(ResourceError, match="exists and is not a resource pack"):
        PackStore().install("en", wheel)
    assert (store_root / "en" / "diary").read_text(encoding="utf-8") == "dear"


# Finding, verifying and removing packs


def test_store_reports_packs_that_are_not_installed(store_root: Path) -> None:
    store = PackStore()
    assert store.find("en") is None
    assert store.names() == []
    with pytest.raises(ResourceError, match=r"'en' is not installed in .*`meteor-e pack install en`"):
        store.get("en")
    with pytest.raises(ResourceError, match="not installed"):
        store.remove("en")
    with pytest.raises(ResourceError, match="METEOR has no such pack"):
        store.get("tlh")


def test_verify_names_the_damaged_files(store_root: Path, wheel: Path) -> None:
    store = PackStore()
    pack = store.install("en", wheel)
    assert pack.verify() == []
    flip_bit(pack.path / "paraphrases.idx", 400)
    (pack.path / "function.words").unlink()
    assert pack.verify() == [
        "function.words cannot be read: No such file or directory",
        "the SHA-256 of paraphrases.idx differs from the manifest",
    ]
    (pack.path / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"pack 'en' .* is damaged: .*manifest.*`meteor-e pack install en`"):
        store.find("en")
    store.remove("en")
    assert list_store(store_root) == []


def test_store_rejects_a_pack_in_a_folder_of_another_name(store_root: Path, wheel: Path) -> None:
    pack = PackStore().install("en", wheel)
    shutil.copytree(pack.path, store_root / "mine")
    with pytest.raises(ResourceError, match="contains the pack 'en', not 'mine'"):
        PackStore().find("mine")


def test_store_reports_a_root_that_is_a_file(tmp_path: Path, wheel: Path) -> None:
    root = tmp_path / "file"
    root.write_text("", encoding="utf-8")
    assert PackStore(root).names() == []
    with pytest.raises(ResourceError, match="cannot write to"):
        PackStore(root).install("en", wheel)


def test_lock_folder_reports_that_the_disk_is_full(tmp_path, monkeypatch):
    def raise_disk_full(path, *arguments, **options):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "touch", raise_disk_full)
    with (
        pytest.raises(ResourceError, match=r"cannot write to .*: No space left on device"),
        lock_folder(tmp_path, "xx"),
    ):
        raise AssertionError


@pytest.mark.parametrize("missing_part", ["a member", "half a member", "the end"])
def test_store_rejects_a_truncated_tarball(store_root: Path, tmp_path: Path, missing_part: str) -> None:
    tarball = write_tarball(tmp_path / "meteor-1.5.tar.gz")
    complete_tar, truncated_tarball = tmp_path / "whole.tar", tmp_path / "short.tar.gz"
    with tarfile.open(tarball) as source, tarfile.open(complete_tar, "w") as target:
        # The jar is the first member, so that the truncation affects a paraphrase table.
        for member in sorted(source.getmembers(), key=lambda member: not member.name.endswith(".jar")):
            target.addfile(member, source.extractfile(member))
    with tarfile.open(complete_tar) as archive:
        last_member = archive.getmembers()[-1]
    lengths = {
        "a member": last_member.offset,
        "half a member": last_member.offset_data + 20,
        "the end": last_member.offset_data + 512,
    }
    truncated_tarball.write_bytes(gzip.compress(complete_tar.read_bytes()[: lengths[missing_part]]))
    with pytest.raises(ResourceError, match="damaged or cut short"):
        PackStore().install("en", truncated_tarball)
    assert list_store(store_root) == []
