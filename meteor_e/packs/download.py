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
from typing import IO, NamedTuple

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
        progress: a callback that is called when the download begins.
        alternative: advice for the error message if pip fails.

    Returns:
        The path of the wheel.

    Raises:
        ResourceError: if pip is missing or fails, or the wheel has a different SHA-256.
    """
    name = wheel.requirement
    if not sys.executable or importlib.util.find_spec("pip") is None:
        raise ResourceError(f"cannot download {name}, because this Python does not have pip; {alternative}")
    progress(f"downloading {name} ({spell_size(wheel.size)})", 0, None)
    process = _run_pip_download(name, folder)
    wheels = list(folder.glob("*.whl"))
    if process.returncode or len(wheels) != 1:
        raise ResourceError(f"pip could not download {name}: {_find_reason(process.stdout)}; or {alternative}")
    check_wheel(wheel, wheels[0])
    return wheels[0]


def _run_pip_download(requirement: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``pip download``. On a terminal, pip shows a progress bar, and its output is not captured."""
    temporary_folder = folder / "pip"
    temporary_folder.mkdir()
    path = str(temporary_folder)
    options = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input", "--dest", str(folder)]
    is_terminal = sys.stderr.isatty()
    if not is_terminal:
        options.append("--quiet")
    return subprocess.run(
        [sys.executable, "-m", "pip", "download", *options, requirement],
        stdout=sys.stderr if is_terminal else subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": path, "TEMP": path, "TMP": path},
        check=False,
        text=True,
        errors="replace",
    )


def _find_reason(output: str | None) -> str:
    """Return the last error message in the output of pip, or the last line if there is no error message.

    Args:
        output: the output of pip, or ``None`` if it was not captured.
    """
    if output is None:
        return "see the messages of pip above"
    lines = output.strip().splitlines()
    errors = [line for line in lines if "ERROR" in line]
    messages = errors or lines
    return messages[-1].strip() if messages else "pip gives no reason"


def check_wheel(wheel: Wheel, path: Path) -> None:
    """Check the SHA-256 of a file.

    Raises:
        ResourceError: if the file cannot be read, or is not the expected wheel.
    """
    with os_errors_as(ResourceError, f"cannot read {path}"):
        sha256 = sha256_of(path)
    if sha256 != wheel.sha256:
        raise ResourceError(
            f"{path.name} has the SHA-256 {sha256}, but {wheel.requirement} has {wheel.sha256}; the file is not used"
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
        return read_limited(stream, limit, f"{name}: {member}")


def read_limited(stream: IO[bytes], limit: int, name: str) -> bytes:
    """Return the content of a stream.

    Args:
        stream: the stream.
        limit: the maximum size of the content in bytes.
        name: the name of the content in errors.

    Raises:
        ResourceError: if the content is too large.
    """
    content = stream.read(limit + 1)
    if len(content) > limit:
        raise ResourceError(f"{name} is larger than {spell_size(limit)}; refusing to read it")
    return content


def download_url(url: str, folder: Path, progress: Progress) -> Path:
    """Download a file into a folder.

    Args:
        url: the URL, with the scheme http or https.
        folder: the folder.
        progress: a callback that receives the progress.

    Returns:
        The path of the file.

    Raises:
        ResourceError: if the download fails, or the file is too large.
    """
    address = urllib.parse.urlsplit(url)
    if "@" in address.netloc:
        raise ResourceError(
            f"cannot download {url}: the URL contains a user name; download the file yourself, and give its path"
        )
    target = folder / _make_file_name(address.path)
    try:
        request = urllib.request.Request(url, headers={"User-Agent": "meteor_e"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response, target.open("wb") as output:
            _save_response(response, output, url, Stage(f"downloading {target.name}", "B"), progress)
    except urllib.error.HTTPError as error:
        error.close()  # An HTTP error is also a response with an open connection.
        raise ResourceError(f"cannot download {url}: {error}") from error
    except urllib.error.URLError as error:
        raise ResourceError(f"cannot download {url}: {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ResourceError(f"cannot download {url}: {error}") from error
    return target


def _make_file_name(url_path: str) -> str:
    """Return the last part of a URL's path as a file name that is valid on all systems."""
    _, _, encoded_name = url_path.rpartition("/")
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", urllib.parse.unquote(encoded_name)).lstrip(".")
    return name or "download"


def _save_response(
    response: http.client.HTTPResponse, output: IO[bytes], url: str, stage: Stage, progress: Progress
) -> None:
    """Write the body of a response to a file. Raise ResourceError if the body is incomplete or too large."""
    content_length = response.headers.get("Content-Length", "")
    total = int(content_length) if content_length.isdigit() else None
    n_bytes = 0
    while block := response.read(_BLOCK_SIZE):
        n_bytes += len(block)
        if n_bytes > MAX_DOWNLOAD:
            raise ResourceError(f"{url} is larger than {MAX_DOWNLOAD >> 30} GiB; the download was stopped")
        output.write(block)
        progress(stage, n_bytes, total)
    if total is not None and n_bytes != total:
        raise ResourceError(f"cannot download {url}: the connection ended after {n_bytes} of {total} bytes")


def local_path(source: str) -> Path | None:
    """Convert a path or ``file:`` URL to a ``Path``. Return ``None`` for an http or https URL.

    Raises:
        ResourceError: for any other URL.
    """
    try:
        url = urllib.parse.urlsplit(source)
    except ValueError as error:
        raise ResourceError(f"cannot download {source}: {error}") from error
    if url.scheme in ("http", "https"):
        return None
    if url.scheme == "file":
        return Path(urllib.request.url2pathname(url.path))
    if "://" in source:
        raise ResourceError(f"cannot download {source}: use a path or an http, https or file URL")
    return Path(source)
