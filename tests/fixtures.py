"""Fixtures for the tests of the core and the plugins: data, packs, the Java program, and installed plugins."""

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
    "_kill_leftover_processes",
    "_own_packs",
    "_packs",
    "java",
    "low_candidate_limit",
    "own_packs",
    "packs",
    "plugin_site",
    "pytest_configure",
    "pytest_unconfigure",
    "report_missing_data",
    "shared",
]

REPOSITORY = Path(__file__).parent.parent
TIME_LIMIT = 6 * 3600
"""The maximum duration of a test run, in seconds. A longer run prints the tracebacks of all threads and ends."""
BUILTIN_CODES = (
    *("en", "cs", "fr", "es", "de", "ru", "da", "fi", "hu", "it", "nl", "no", "pt", "ro", "sv", "tr", "other"),
)
"""The codes of the languages that METEOR supports."""
METEOR_PACKS = ("en", "cs", "de", "es", "fr", "ru")


def pytest_configure() -> None:
    """Set a time limit for the whole run, and select the hypothesis profile.

    The default profile is deterministic. There are no other time limits, because a slow machine is not a defect.
    """
    # A background job of a shell ignores interrupts, and its child processes inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from hypothesis import HealthCheck, settings

    faulthandler.dump_traceback_later(TIME_LIMIT, exit=True, file=os.dup(2))
    patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("repeatable", patient, derandomize=True, database=None)
    settings.register_profile("searching", patient, max_examples=500)
    profile = "repeatable" if os.environ.get("CI") else os.environ.get("METEOR_E_HYPOTHESIS", "repeatable")
    settings.load_profile(profile)


def pytest_unconfigure() -> None:
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(autouse=True)
def _kill_leftover_processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Kill Python processes, and their children, that a test started and that still run at its end."""
    processes: list[subprocess.Popen] = []
    original_init = subprocess.Popen.__init__

    def init_and_record(process, arguments, *remaining_arguments, **options):
        is_python = isinstance(arguments, list | tuple) and arguments and str(arguments[0]) == sys.executable
        if is_python and os.name == "posix":
            # In a process group of its own, the process can be killed together with its children.
            options.setdefault("start_new_session", True)
        original_init(process, arguments, *remaining_arguments, **options)
        if is_python:
            processes.append(process)

    monkeypatch.setattr(subprocess.Popen, "__init__", init_and_record)
    yield
    for process in processes:
        is_running = process.poll() is None
        if os.name == "posix":
            # The children of a process stay in its group after the process has ended.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        if is_running:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout, process.stderr) if is_running else ():
            if stream is not None:
                stream.close()


def report_missing_data(message: str) -> NoReturn:
    """Skip the test because data is missing, or fail it if ``METEOR_E_REQUIRE_DATA`` is set, as in CI."""
    if os.environ.get("METEOR_E_REQUIRE_DATA", "0") not in ("", "0"):
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the project's shared data: METEOR_E_SHARED, or the folder ``shared`` next to the checkout."""
    folder = Path(os.environ.get("METEOR_E_SHARED") or REPOSITORY.parent / "shared")
    if not (folder / "golden").is_dir():
        report_missing_data(f"no shared data in {folder}; set METEOR_E_SHARED to the folder of the data")
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
    # If several processes run tests, the first one installs the packs.
    with FileLock(store.root / ".tests.lock"):
        missing_packs = [name for name in METEOR_PACKS if store.find(name) is None]
        if missing_packs:
            try:
                wheel = download_wheel(METEOR_WHEEL, tmp_path_factory.mktemp("wheel"), silent, "")
                for name in missing_packs:
                    store.install(name, wheel)
            except ResourceError as error:
                report_missing_data(f"METEOR's packs cannot be installed: {error}")
            wheel.unlink()
    return store.root


@pytest.fixture
def packs(_packs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with METEOR's packs for all languages, which is the default pack store during the test."""
    monkeypatch.setenv("METEOR_E_PACKS", str(_packs))
    return _packs


@pytest.fixture(scope="session")
def _own_packs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small English pack, built from the files in tests/parity/own."""
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
    """A folder with a small English pack, which is the default pack store during the test."""
    monkeypatch.setenv("METEOR_E_PACKS", str(_own_packs))
    return _own_packs


class Java:
    """The Java program of METEOR."""

    def __init__(self, jar: Path) -> None:
        self.jar = jar

    def run(self, arguments: Sequence[str], *, main: str | None = None, text: str = "") -> str:
        """Run the program, or the main class ``main`` of its jar, and return the output."""
        start = ["-jar", str(self.jar)] if main is None else ["-cp", str(self.jar), main]
        process = subprocess.run(
            # In such a short run, the optimizing compiler would take more time than it saves.
            ["java", "-Xmx2G", "-XX:TieredStopAtLevel=1", "-Dfile.encoding=UTF-8", *start, *arguments],
            input=text.encode(),
            capture_output=True,
            check=True,
        )
        return process.stdout.decode()


@pytest.fixture(scope="session")
def java() -> Java:
    """The Java program: METEOR_E_JAR, or the jar of an installed pycocoevalcap."""
    if shutil.which("java") is None:
        report_missing_data("no java on the PATH")
    jar_path = os.environ.get("METEOR_E_JAR")
    if jar_path:
        jar = Path(jar_path)
    else:
        try:
            jar = Path(str(distribution("pycocoevalcap").locate_file("pycocoevalcap/meteor/meteor-1.5.jar")))
        except PackageNotFoundError:
            report_missing_data("no METEOR_E_JAR, and pycocoevalcap is not installed")
    if not jar.is_file():
        report_missing_data(f"the file {jar} does not exist")
    return Java(jar)


class PluginSite:
    """A folder of installed distributions. Each has one module and one entry point for meteor_e."""

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
        """Return the entry points for meteor_e of all distributions in the folder."""
        return [
            entry_point
            for distribution in distributions(path=[str(self.folder)])
            for entry_point in distribution.entry_points
            if entry_point.group == "meteor_e"
        ]

    def registry(self) -> PluginRegistry:
        """Return a new registry that loads the plugins in the folder."""
        return PluginRegistry(self.entry_points)


@pytest.fixture
def low_candidate_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limit of match candidates for the Python engine, which needs seconds to reach the normal limit."""
    if native_module() is None:
        monkeypatch.setattr("meteor_e.engine.candidates.MAX_CANDIDATES", 100_000)


@pytest.fixture
def plugin_site(tmp_path, monkeypatch):
    """An empty :class:`PluginSite` on ``sys.path``, whose modules are unloaded after the test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    site = PluginSite(folder)
    yield site
    for module in site.modules:
        sys.modules.pop(module, None)
