"""The wheel and the sdist, built, installed in fresh environments and used. Run by ``tox -e package``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
# java -jar meteor-1.5.jar examples/system-a.en.txt examples/reference.en.txt -l en -norm
JAVA_SCORE = 0.4401364236323586


def run(*command: str | Path, **options) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def distributions(tmp_path_factory):
    pytest.importorskip("build", reason="the package 'build' is not installed (tox -e package has it)")
    folder = tmp_path_factory.mktemp("dist")
    source = tmp_path_factory.mktemp("source")
    # What git has is what a newcomer clones: files left lying about must not be needed.
    archive = subprocess.run(["git", "-C", REPOSITORY, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
    run(sys.executable, "-m", "build", "--outdir", folder, source)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    return wheel, sdist


def test_wheel_holds_resources_and_types(distributions):
    with zipfile.ZipFile(distributions[0]) as archive:
        names = archive.namelist()
    assert "meteor_e/py.typed" in names
    assert "meteor_e/resources/languages/en.yaml" in names
    assert any(name.startswith("meteor_e/resources/chains/") and name.endswith(".yaml") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "plugins/", "examples/"))]


def test_sdist_holds_what_a_build_needs(distributions):
    with tarfile.open(distributions[1]) as archive:
        names = ["/".join(name.split("/")[1:]) for name in archive.getnames()]
    for name in ("pyproject.toml", "README.md", "LICENSE", "resources/languages/en.yaml", "meteor_e/py.typed"):
        assert name in names


def test_the_plugin_with_an_extension(tmp_path):
    """Its wheel is built from its sdist alone, which has all that the extension is made of."""
    pytest.importorskip("build", reason="the package 'build' is not installed (tox -e package has it)")
    source = tmp_path / "source"
    source.mkdir()
    archive = subprocess.run(["git", "-C", REPOSITORY, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
    run(sys.executable, "-m", "build", "--outdir", tmp_path, source / "plugins" / "meteor-e-bitext")
    (wheel,) = tmp_path.glob("*.whl")
    (sdist,) = tmp_path.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"meteor_e_bitext/py.typed", "meteor_e_bitext/_native.pyi", "meteor_e_bitext/build.py"} <= set(names)
    assert [name for name in names if name.startswith("meteor_e_bitext/_native.") and not name.endswith(".pyi")]
    assert not [name for name in names if name.endswith((".cpp", ".hpp"))]
    with tarfile.open(sdist) as archive:
        files = archive.getnames()
    assert any(name.endswith("native/common.hpp") for name in files)


@pytest.mark.parametrize("kind", [0, 1], ids=["wheel", "sdist"])
def test_installed_and_used(distributions, kind, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    bin_folder = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run(bin_folder / "python", "-m", "pip", "install", "--quiet", distributions[kind], cwd=tmp_path)
    examples = REPOSITORY / "examples"
    output = run(
        bin_folder / "meteor-e",
        "score",
        examples / "system-a.en.txt",
        examples / "reference.en.txt",
        "--json",
        cwd=tmp_path,
    )
    (system,) = json.loads(output)["systems"]
    assert system["scores"]["METEOR"]["score"] == pytest.approx(JAVA_SCORE, abs=1e-12)
    assert system["segment_count"] == 12


@pytest.mark.skipif(os.name == "nt", reason="needs a PATH of links")
def test_a_wheel_needs_no_compiler(distributions, tmp_path):
    """Where there is none, and nothing else either: wheels for all that is needed, and the native core."""
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
    output = run(
        programs / "meteor-e",
        *("score", "text", "text", "--json", "-l", "other", "-m", "exact,stem=0.6", "--set", "stem.stemmer=english"),
        cwd=tmp_path,
        env=environment,
    )
    assert json.loads(output)["systems"][0]["scores"]["METEOR"]["score"] == 1.0
