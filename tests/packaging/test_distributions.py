"""Build the wheels and the source distributions, and install and use them in new environments.

``tox -e package`` runs these tests.
"""

from __future__ import annotations

import email
import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
PLUGIN_TUTORIAL = REPOSITORY / "docs" / "tutorials" / "plugin.md"
core = pytest.mark.xdist_group("core")
"""The mark of tests that use the distributions of meteor_e. They run in one process, so that one build is enough."""


def run(*command: str | Path, **options) -> str:
    """Run a command that must succeed, and return its standard output."""
    result = subprocess.run(
        [str(argument) for argument in command], capture_output=True, text=True, check=False, **options
    )
    assert result.returncode == 0, f"{command}: {result.stdout[-2000:]}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """Copy the files that git tracks, and return their folder. Untracked files must not be necessary for a build."""
    folder = tmp_path_factory.mktemp("source")
    archive = subprocess.run(["git", "-C", REPOSITORY, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    return folder


def build_distributions(source, folder):
    """Build a package as for a release, check it as a package index does, and return the wheel and the sdist."""
    for package in ("build", "twine", "uv"):
        pytest.importorskip(package, reason=f"the package {package!r} is not installed (tox -e package installs it)")
    # uv needs a third of the time of pip to create the build environment.
    run(sys.executable, "-m", "build", "--installer", "uv", "--outdir", folder, source)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    return wheel, sdist


def read_metadata(wheel):
    """Return the metadata of a wheel and the README in it, after checking that the README has no relative links."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        message = email.message_from_bytes(archive.read(name))
    readme = message.get_payload()
    # Relative links do not work on a package index. Code can contain text that looks like a link, and is removed.
    prose = re.sub(r"```.*?```|`[^`]*`", "", readme, flags=re.DOTALL)
    assert not re.findall(r"\]\((?!https?://|#)[^)]*\)", prose)
    assert "]: ." not in prose
    return message, readme


@pytest.fixture(scope="session")
def distributions(source, tmp_path_factory):
    """Build the distributions of meteor_e, and return the wheel and the sdist."""
    return build_distributions(source, tmp_path_factory.mktemp("dist"))


@core
def test_wheel_metadata_is_complete(distributions):
    message, readme = read_metadata(distributions[0])
    assert "](https://github.com/meteor-e/meteor_e/blob/main/docs/integrations.md)" in readme
    assert "](https://raw.githubusercontent.com/meteor-e/meteor_e/main/docs/images/" in readme
    linked_paths = re.findall(r"meteor-e/meteor_e/(?:blob/)?main/([^)#]+)", readme)
    assert len(linked_paths) > 20
    assert not [path for path in linked_paths if not (REPOSITORY / path).exists()]
    assert {url.partition(",")[0] for url in message.get_all("Project-URL")} >= {"Changelog", "Documentation", "Source"}
    classifiers = message.get_all("Classifier")
    assert [f"Programming Language :: Python :: 3.{minor}" in classifiers for minor in range(10, 14)] == [True] * 4


@core
def test_wheel_contains_resources_and_types(distributions):
    with zipfile.ZipFile(distributions[0]) as archive:
        names = archive.namelist()
    assert "meteor_e/py.typed" in names
    assert "meteor_e/resources/languages/en.yaml" in names
    assert any(name.startswith("meteor_e/resources/chains/") and name.endswith(".yaml") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "plugins/", "examples/"))]


@pytest.mark.parametrize("name", sorted(path.parent.name for path in REPOSITORY.glob("plugins/*/pyproject.toml")))
def test_plugin_distributions_contain_the_necessary_files(source, tmp_path, name):
    """The wheel of a plugin is built from the sdist, so the sdist must contain all files that the build needs."""
    wheel, sdist = build_distributions(source / "plugins" / name, tmp_path)
    read_metadata(wheel)
    module = name.replace("-", "_")
    with zipfile.ZipFile(wheel) as archive:
        wheel_files = archive.namelist()
    assert {f"{module}/py.typed", f"{module}/plugin.py"} <= set(wheel_files)
    assert not [name for name in wheel_files if name.endswith((".cpp", ".hpp")) or name.startswith("tests/")]
    with tarfile.open(sdist) as archive:
        # The first component of each path is the name of the sdist.
        sdist_files = [path.partition("/")[2] for path in archive.getnames()]
    assert "tests/conftest.py" in sdist_files or not (REPOSITORY / "plugins" / name / "tests" / "conftest.py").exists()
    if (REPOSITORY / "plugins" / name / "native").is_dir():
        assert f"{module}/_native.pyi" in wheel_files
        assert [name for name in wheel_files if name.startswith(f"{module}/_native.") and not name.endswith(".pyi")]
        assert "CMakeLists.txt" in sdist_files


@core
@pytest.mark.skipif(os.name == "nt", reason="the test needs the layout of a POSIX virtual environment")
def test_wheel_is_installed_without_a_compiler(distributions, tmp_path):
    """All dependencies are installed from wheels, and the native core is available in the installed package."""
    venv.create(tmp_path / "venv", with_pip=True)
    bin_folder = tmp_path / "venv" / "bin"
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("CC", "CXX")},
        "PATH": str(bin_folder),
        "METEOR_E_PACKS": str(tmp_path / "packs"),
    }
    install = ("-m", "pip", "install", "--quiet", "--only-binary", ":all:")
    run(bin_folder / "python", *install, distributions[0], cwd=tmp_path, env=environment)
    assert "native core" in run(bin_folder / "meteor-e", "--version", cwd=tmp_path, env=environment)
    (tmp_path / "text").write_text("the cats were running\n")
    options = ("--format=json", "-l", "other", "-m", "exact,stem=0.6", "--set", "stem.stemmer=english")
    output = run(bin_folder / "meteor-e", "score", "text", "text", *options, cwd=tmp_path, env=environment)
    assert json.loads(output)["systems"][0]["scores"]["METEOR"]["score"] == 1.0


def replace_times(output: str) -> str:
    """Replace the duration at the end of a line by ``in a moment``."""
    return re.sub(r"in [\d.]+s$", "in a moment", output, flags=re.MULTILINE)


@core
@pytest.mark.skipif(os.name == "nt", reason="the commands of the tutorial need a POSIX shell")
def test_plugin_tutorial_runs_in_an_empty_folder(distributions, tmp_path):
    """Write the files of the tutorial, run its commands in order, and compare their output with the tutorial."""
    # The commands must not use the import path or the virtual environment of the tests.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    folder, activation_command = tmp_path, "true"
    tutorial = PLUGIN_TUTORIAL.read_text(encoding="utf-8")
    for language, name, content in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", tutorial, re.DOTALL | re.MULTILINE):
        if name:
            (folder / name).write_text(content, encoding="utf-8")
            continue
        assert language == "console"
        lines = content.splitlines(keepends=True)
        commands = [line[2:].replace("~/meteor_e", str(distributions[0])) for line in lines if line.startswith("$ ")]
        expected = "".join(line for line in lines if not line.startswith("$ "))
        output = run("sh", "-ec", "".join([f"{activation_command}\n", *commands]), cwd=folder, env=environment)
        assert replace_times(output) == replace_times(expected)
        if commands[0] == "mkdir consonants && cd consonants\n":
            # A reader enters all commands in one shell. The test runs each block in a new shell, which must be in the
            # new folder and in the virtual environment.
            folder, activation_command = folder / "consonants", ". .venv/bin/activate"
    assert folder.name == "consonants"
