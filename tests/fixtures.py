"""Fixtures for the tests of the core and the plugins: data, packs, the Java program, a browser."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock

from meteor_e.engine.native import native_module
from meteor_e.plugins.registry import PluginRegistry

__all__ = [
    "BUILTIN_CODES",
    "REPOSITORY",
    "Java",
    "PluginSite",
    "_no_process_outlives_its_test",
    "_own_packs",
    "_packs",
    "java",
    "missing",
    "own_packs",
    "packs",
    "plugin_site",
    "pytest_configure",
    "pytest_unconfigure",
    "quick_refusal",
    "shared",
]

REPOSITORY = Path(__file__).parent.parent
LIMIT = 6 * 3600
"""Seconds of a run of tests; what is at work then is shown, and ended."""
BUILTIN_CODES = (
    *("en", "cs", "fr", "es", "de", "ru", "da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr", "other"),
)
"""The codes of METEOR's languages."""
PACKS = ("en", "cs", "de", "es", "fr", "ru")


def pytest_configure() -> None:
    """Set one limit for the whole run, and let hypothesis do the same in every run where the result counts.

    A slow machine is no defect: nothing else has a limit of time.
    """
    # A shell in the background ignores interrupts, and all that it starts would, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from hypothesis import HealthCheck, settings

    faulthandler.dump_traceback_later(LIMIT, exit=True, file=os.dup(2))
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("repeatable", patient, derandomize=True, database=None)
    settings.register_profile("searching", patient, max_examples=500)
    chosen = "repeatable" if os.environ.get("CI") else os.environ.get("METEOR_E_HYPOTHESIS", "repeatable")
    settings.load_profile(chosen)


def pytest_unconfigure() -> None:
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(autouse=True)
def _no_process_outlives_its_test(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kill the Python processes that a test has started, and their children, if they are still running at its end."""
    started: list[subprocess.Popen] = []
    begin = subprocess.Popen.__init__

    def recorded(process, arguments, *others, **options):
        ours = isinstance(arguments, list | tuple) and arguments and str(arguments[0]) == sys.executable
        if ours and os.name == "posix":
            # A group of its own, so that its children can be killed with it.
            options.setdefault("start_new_session", True)
        begin(process, arguments, *others, **options)
        if ours:
            started.append(process)

    monkeypatch.setattr(subprocess.Popen, "__init__", recorded)
    yield
    for process in started:
        at_work = process.poll() is None
        if os.name == "posix":
            # Children of one that has ended are of its group still.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        if at_work:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr) if at_work else ():
            if stream is not None:
                stream.close()


def missing(what: str) -> NoReturn:
    """Skip a test if data is missing, or let it fail if the data is required, as in CI."""
    if os.environ.get("METEOR_E_REQUIRE_DATA", "0") not in ("", "0"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The project's shared data: METEOR_E_SHARED, or the folder ``shared`` next to the checkout."""
    folder = Path(os.environ.get("METEOR_E_SHARED") or REPOSITORY.parent / "shared")
    if not (folder / "golden").is_dir():
        missing(f"no shared data in {folder}; set METEOR_E_SHARED to its folder")
    return folder


@pytest.fixture(scope="session")
def _packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with METEOR's packs: METEOR_E_PACKS, or a folder that all test runs of this checkout share."""
    from meteor_e.base.errors import ResourceError
    from meteor_e.base.progress import silent
    from meteor_e.packs.download import METEOR_WHEEL, download_wheel
    from meteor_e.packs.store import PackStore

    store = PackStore(os.environ.get("METEOR_E_PACKS") or REPOSITORY / ".tox" / "packs")
    store.root.mkdir(parents=True, exist_ok=True)
    # The first of the processes that run tests installs them.
    with FileLock(store.root / ".tests.lock"):
        wanted = [name for name in PACKS if store.find(name) is None]
        if wanted:
            try:
                wheel = download_wheel(METEOR_WHEEL, tmp_path_factory.mktemp("wheel"), silent, "")
                for name in wanted:
                    store.install(name, wheel)
            except ResourceError as error:
                missing(f"METEOR's packs cannot be installed: {error}")
            wheel.unlink()
    return store.root


@pytest.fixture
def packs(_packs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with METEOR's packs of all languages, which is the default store during the test."""
    monkeypatch.setenv("METEOR_E_PACKS", str(_packs))
    return _packs


@pytest.fixture(scope="session")
def _own_packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from meteor_e.packs.build import build_pack

    files = REPOSITORY / "tests" / "parity" / "own"
    root = tmp_path_factory.mktemp("own") / "packs"
    build_pack(
        root / "en",
        language="en",
        function_words=files / "function.words",
        prefixes=files / "english.prefixes",
        synonyms=files / "english.synsets",
        exceptions=files / "english.exceptions",
        paraphrases=files / "paraphrases.txt",
    )
    return root


@pytest.fixture
def own_packs(_own_packs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a small English pack, which is the default store during the test."""
    monkeypatch.setenv("METEOR_E_PACKS", str(_own_packs))
    return _own_packs


class Java:
    """The Java program."""

    def __init__(self, jar: Path) -> None:
        self.jar = jar

    def run(self, arguments: Sequence[str], *, main: str | None = None, text: str = "") -> str:
        """Run the program, or another main class of the jar, and return its output."""
        start = ["-jar", str(self.jar)] if main is None else ["-cp", str(self.jar), main]
        done = subprocess.run(
            # It runs for a moment; a better compiler would take longer than it saves.
            ["java", "-Xmx2G", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", *start, *arguments],
            input=text.encode(),
            capture_output=True,
            check=True,
        )
        return done.stdout.decode()


@pytest.fixture(scope="session")
def java() -> Java:
    """The Java program: METEOR_E_JAR, or the jar of an installed pycocoevalcap."""
    if shutil.which("java") is None:
        missing("no java on the PATH")
    named = os.environ.get("METEOR_E_JAR")
    if named:
        jar = Path(named)
    else:
        try:
            jar = Path(str(distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor/meteor-1.5.jar")))
        except PackageNotFoundError:
            missing("no METEOR_E_JAR, and pycocoevalcap is not installed")
    if not jar.is_file():
        missing(f"there is no {jar}")
    return Java(jar)


class PluginSite:
    """A folder of installed distributions, each with one module and an entry point for meteor_e."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.modules: list[str] = []

    def add(
        self,
        distribution: str,
        code: str,
        *,
        version: str = "1.0",
        module: str | None = None,
        entry_point: str | None = None,
        value: str | None = None,
        requires: Sequence[str] = (),
    ) -> str:
        """Install a distribution, and return the name of its module."""
        module = module or distribution.replace("-", "_")
        self.modules.append(module)
        (self.folder / f"{module}.py").write_text(textwrap.dedent(code), encoding="utf-8")
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        requirements = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n{requirements}"
        )
        (info / "entry_points.txt").write_text(f"[meteor_e]\n{entry_point or module} = {value or module}\n")
        return module

    def entry_points(self):
        return [
            entry_point
            for distribution in distributions(path=[str(self.folder)])
            for entry_point in distribution.entry_points
            if entry_point.group == "meteor_e"
        ]

    def registry(self) -> PluginRegistry:
        return PluginRegistry(self.entry_points)


@pytest.fixture
def quick_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limit of candidates, because the Python engine takes seconds to reach the usual limit."""
    if native_module() is None:
        monkeypatch.setattr("meteor_e.engine.candidates.MAX_CANDIDATES", 100_000)


@pytest.fixture
def plugin_site(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    site = PluginSite(folder)
    yield site
    for module in site.modules:
        sys.modules.pop(module, None)
