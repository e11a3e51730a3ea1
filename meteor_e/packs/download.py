"""Download a wheel with pip, or a file from a URL."""

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
"""The maximum size of a downloaded file in bytes."""
TIMEOUT = 60.0
"""The maximum time in seconds without data from the server."""

_BLOCK_SIZE = 1 << 18


class Wheel(NamedTuple):
    """A wheel on PyPI, pinned by its hash.

    Attributes:
        requirement: the requirement for pip, ``name==version``.
        sha256: the SHA-256 of the wheel, in hexadecimal.
        size: the size of the wheel in bytes.
    """

    requirement: str
    sha256: str
    size: int


METEOR_WHEEL = Wheel(
    "pycocoevalcap==1.2", "083ed7910f1aec000b0a237ef6665f74edf19954204d0b1cbdb8399ed132228d", 104312215
)
ALTERNATIVE = (
    "run `meteor-e pack install {language} --from FILE` with the wheel pycocoevalcap 1.2, the tarball "
    "meteor-1.5.tar.gz or meteor-1.5.jar, by path or URL"
)


def download_wheel(wheel: Wheel, folder: Path, progress: Progress, alternative: str) -> Path:
    """Download a wheel with pip and check its SHA-256. The wheel is not installed.

    pip uses the user's settings for the index, proxies, certificates and cache.

    Args:
        wheel: the wheel.
        folder: an empty folder.
        progress: called when the download begins.
        alternative: advice for the error message if pip fails.

    Returns:
        The path of the wheel.

    Raises:
        ResourceError: if pip is missing or fails, or the wheel has a different SHA-256.
    """
    name = wheel.requirement
    if not sys.executable or importlib.util.find_spec("pip") is None:
        raise ResourceError(f"this Python has no pip to download {name} with; {alternative}")
    temporary_folder = folder / "pip"
    temporary_folder.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(folder), name]
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary_folder))}
    progress(f"downloading {name} ({spell_size(wheel.size)})", 0, None)
    # On a terminal, pip shows its own progress bar.
    is_terminal = sys.stderr.isatty()
    process = subprocess.run(
        command if is_terminal else [*command, "--quiet"],
        stdout=sys.stderr if is_terminal else subprocess.PIPE,
        stderr=None if is_terminal else subprocess.STDOUT,
        env=environment,
        check=False,
        text=True,
        errors="replace",
    )
    wheels = list(folder.glob("*.whl"))
    if process.returncode or len(wheels) != 1:
        output = (process.stdout or "").strip().splitlines()
        default_reason = "its reason is above" if is_terminal else "no reason given"
        reason = next((line for line in reversed(output) if "ERROR" in line), output[-1] if output else default_reason)
        raise ResourceError(f"pip could not download {name}: {reason.strip()}; or {alternative}")
    check_wheel(wheel, wheels[0])
    return wheels[0]


def check_wheel(wheel: Wheel, path: Path) -> None:
    """Check the SHA-256 of a file.

    Raises:
        ResourceError: if the file cannot be read, or is not the expected wheel.
    """
    with os_errors_as(ResourceError, f"cannot read {path}"):
        sha256 = sha256_of(path)
    if sha256 != wheel.sha256:
        raise ResourceError(
            f"{path.name} has SHA-256 {sha256}, but {wheel.requirement} has {wheel.sha256}; not using it"
        )


def read_member(archive: zipfile.ZipFile, member: str, limit: int, name: str) -> bytes:
    """Return the content of a file in an archive.

    Args:
        archive: the archive.
        member: the name of the file in the archive.
        limit: the maximum size of the file in bytes.
        name: the name of the archive in errors.

    Raises:
        KeyError: if the archive does not contain the file.
        ResourceError: if the file is too large.
    """
    with archive.open(member) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise ResourceError(f"{name}: {member} is larger than {spell_size(limit)}; refusing to read it")
    return content


def download_url(url: str, folder: Path, progress: Progress) -> Path:
    """Download a file into a folder.

    Args:
        url: the URL, with the scheme http or https.
        folder: the folder.
        progress: called with the progress.

    Returns:
        The path of the file.

    Raises:
        ResourceError: if the download fails, or the file is too large.
    """
    name = urllib.parse.unquote(urllib.parse.urlsplit(url).path.rpartition("/")[2])
    target = folder / (re.sub(r"[^A-Za-z0-9_.-]", "_", name).lstrip(".") or "download")
    n_bytes = 0
    try:
        if "@" in urllib.parse.urlsplit(url).netloc:
            raise ValueError("it has a user name; download the file yourself, and give its path")
        request = urllib.request.Request(url, headers={"User-Agent": "meteor_e"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response, target.open("wb") as out:
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdigit() else None
            stage = Stage(f"downloading {target.name}", "B")
            while block := response.read(_BLOCK_SIZE):
                n_bytes += len(block)
                if n_bytes > MAX_DOWNLOAD:
                    raise ResourceError(f"{url} is larger than {MAX_DOWNLOAD >> 30} GiB; not downloading it")
                out.write(block)
                progress(stage, n_bytes, total)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        reason = error.reason if type(error) is urllib.error.URLError else error
        raise ResourceError(f"cannot download {url}: {reason}") from error
    if total is not None and n_bytes != total:
        raise ResourceError(f"cannot download {url}: the connection ended after {n_bytes} of {total} bytes")
    return target


def local_path(source: str) -> Path | None:
    """Return the path of a source, which is a path or a ``file:`` URL; ``None`` for an http or https URL.

    Raises:
        ResourceError: for any other URL.
    """
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
