"""The wheel and the sdist are built, installed in new environments, and used. ``tox -e package`` runs these tests."""

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
WALK_THROUGH = REPOSITORY / "docs" / "tutorials" / "plugin.md"
core = pytest.mark.xdist_group("core")
"""Tests of one wheel and one sdist."""


def run(*command: str | Path, **options) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """The files that git tracks, because untracked files must not be needed."""
    folder = tmp_path_factory.mktemp("source")
    archive = subprocess.run(["git", "-C", REPOSITORY, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    return folder


def built(source, folder):
    """Build a distribution as for a release, check it as a package index does, and return the wheel and the sdist."""
    for package in ("build", "twine", "uv"):
        pytest.importorskip(package, reason=f"the package {package!r} is not installed (tox -e package has it)")
    # uv makes the environments of a build in a third of the time.
    run(sys.executable, "-m", "build", "--installer", "uv", "--outdir", folder, source)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    return wheel, sdist


def page(wheel):
    """Return the metadata of a wheel, and the README that a package index shows."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        message = email.message_from_bytes(archive.read(name))
    readme = message.get_payload()
    # Dead on a package index: links to files beside the README. Code has brackets and parentheses, too.
    prose = re.sub(r"```.*?```|`[^`]*`", "", readme, flags=re.DOTALL)
    assert not re.findall(r"\]\((?!https?://|#)[^)]*\)", prose)
    assert "]: ." not in prose
    return message, readme


@pytest.fixture(scope="session")
def distributions(source, tmp_path_factory):
    return built(source, tmp_path_factory.mktemp("dist"))


@core
def test_metadata_of_the_distributions_is_complete(distributions):
    message, readme = page(distributions[0])
    assert "](https://github.com/meteor-e/meteor_e/blob/main/docs/integrations.md)" in readme
    assert "](https://raw.githubusercontent.com/meteor-e/meteor_e/main/docs/images/" in readme
    linked = re.findall(r"meteor-e/meteor_e/(?:blob/)?main/([^)#]+)", readme)
    assert len(linked) > 20
    assert not [name for name in linked if not (REPOSITORY / name).exists()]
    assert {url.partition(",")[0] for url in message.get_all("Project-URL")} >= {"Changelog", "Documentation", "Source"}
    classifiers = message.get_all("Classifier")
    assert [f"Programming Language :: Python :: 3.{minor}" in classifiers for minor in range(10, 14)] == [True] * 4


@core
def test_wheel_holds_resources_and_types(distributions):
    with zipfile.ZipFile(distributions[0]) as archive:
        names = archive.namelist()
    assert "meteor_e/py.typed" in names
    assert "meteor_e/resources/languages/en.yaml" in names
    assert any(name.startswith("meteor_e/resources/chains/") and name.endswith(".yaml") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "plugins/", "examples/"))]


@pytest.mark.parametrize("name", sorted(path.parent.name for path in REPOSITORY.glob("plugins/*/pyproject.toml")))
def test_plugins(source, tmp_path, name):
    """The wheel is built from the sdist, which must contain all necessary files."""
    wheel, sdist = built(source / "plugins" / name, tmp_path)
    page(wheel)
    module = name.replace("-", "_")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {f"{module}/py.typed", f"{module}/plugin.py"} <= set(names)
    assert not [each for each in names if each.endswith((".cpp", ".hpp")) or each.startswith("tests/")]
    with tarfile.open(sdist) as archive:
        files = ["/".join(each.split("/")[1:]) for each in archive.getnames()]
    assert "tests/conftest.py" in files or not (REPOSITORY / "plugins" / name / "tests" / "conftest.py").exists()
    if (REPOSITORY / "plugins" / name / "native").is_dir():
        assert f"{module}/_native.pyi" in names
        assert [each for each in names if each.startswith(f"{module}/_native.") and not each.endswith(".pyi")]
        assert "CMakeLists.txt" in files


@core
@pytest.mark.skipif(os.name == "nt", reason="needs a PATH of links")
def test_wheel_needs_no_compiler(distributions, tmp_path):
    """All dependencies are installed from wheels, and the native core is available."""
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("CC", "CXX")},
        "PATH": str(programs),
        "METEOR_E_PACKS": str(tmp_path / "packs"),
    }
    install = ("-m", "pip", "install", "--quiet", "--only-binary", ":all:")
    run(programs / "python", *install, distributions[0], cwd=tmp_path, env=environment)
    assert "native core" in run(programs / "meteor-e", "--version", cwd=tmp_path, env=environment)
    (tmp_path / "text").write_text("the cats were running\n")
    options = ("--format=json", "-l", "other", "-m", "exact,stem=0.6", "--set", "stem.stemmer=english")
    output = run(programs / "meteor-e", "score", "text", "text", *options, cwd=tmp_path, env=environment)
    assert json.loads(output)["systems"][0]["scores"]["METEOR"]["score"] == 1.0


def timeless(output: str) -> str:
    return re.sub(r"in [\d.]+s$", "in a moment", output, flags=re.MULTILINE)


@core
@pytest.mark.skipif(os.name == "nt", reason="the page's commands are those of a POSIX shell")
def test_plugin_walk_through_runs_in_an_empty_folder(distributions, tmp_path):
    """The files of the plugin walk-through are written, its commands run in order, and their outputs are compared."""
    # Nothing of the environment that runs the tests: no path, no virtual environment.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    folder, activate = tmp_path, "true"
    page = WALK_THROUGH.read_text(encoding="utf-8")
    for language, name, content in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        if name:
            (folder / name).write_text(content, encoding="utf-8")
            continue
        assert language == "console"
        lines = content.splitlines(keepends=True)
        commands = [line[2:].replace("~/meteor_e", str(distributions[0])) for line in lines if line.startswith("$ ")]
        expected = "".join(line for line in lines if not line.startswith("$ "))
        output = run("sh", "-ec", "".join([f"{activate}\n", *commands]), cwd=folder, env=environment)
        assert timeless(output) == timeless(expected)
        if commands[0] == "mkdir consonants && cd consonants\n":
            # The commands that follow are typed in the same shell; each block here has one of its own.
            folder, activate = folder / "consonants", ". .venv/bin/activate"
    assert folder.name == "consonants"
