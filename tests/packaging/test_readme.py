"""Every command of the README and the docs, run as written, prints the output that is written below it.

In a block marked ``console``, a line that begins with ``$ `` is a command, and the lines below it are its output. The
README's blocks marked ``sh`` are run as well, first and in order, but their output is not compared. ``tox -e package``
runs these tests.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pages")]

REPOSITORY = Path(__file__).parents[2]
README = REPOSITORY / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sessions(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page and their expected outputs."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command += "\n" + more
            found.append((command, output))
    return found


SCRIPT = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def scripts(page: Path) -> list[str]:
    """Return the shell scripts of a page whose output is not shown."""
    return SCRIPT.findall(page.read_text(encoding="utf-8"))


PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = "# Not run by the tests"


def programs(page: Path) -> list[str]:
    """Return the Python blocks of a page, except those with a reason not to run them."""
    return [block for block in PROGRAM.findall(page.read_text(encoding="utf-8")) if not block.startswith(NOT_RUN)]


def run_shell(script: str, clone: Path, environment: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script in the clone, with the programs of an environment first on the PATH."""
    bin_folder = environment / ("Scripts" if os.name == "nt" else "bin")
    variables = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    for name in ("COLUMNS", "PYTHONPATH", "TOX_ENV_NAME", "VIRTUAL_ENV"):
        variables.pop(name, None)
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=clone, env=variables, capture_output=True, text=True, check=False
    )


def run(commands: list[tuple[str, str]], clone: Path, environment: Path) -> None:
    """Run commands in the clone, and compare their output with the page's."""
    for command, expected in commands:
        if ".tox/run/bin/pytest" in command:
            continue  # that is the test command, which runs this test
        done = run_shell(command, clone, environment)
        assert done.stdout == expected, f"{command}\n{done.stderr}"


@pytest.fixture(scope="session")
def clone(tmp_path_factory):
    """A clean copy of the files that git tracks."""
    folder = tmp_path_factory.mktemp("clone")
    archive = subprocess.run(["git", "-C", REPOSITORY, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    return folder


@pytest.fixture(scope="session")
def environment(clone):
    """Return the environment that the README creates, with the packages that the other pages need in addition."""
    folder = clone / ".venv"
    for script in scripts(README):
        done = run_shell(script, clone, folder)
        assert done.returncode == 0, f"{script}\n{done.stderr}"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    # The README installs with pip, as its readers do; uv needs a third of the time.
    pip = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    subprocess.run([*pip, "pandas"], cwd=clone, check=True)
    return folder


def test_readme(clone, environment):
    run(sessions(README), clone, environment)


def test_python_of_readme(clone, environment):
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    program = "\n\n".join(programs(README))
    done = subprocess.run([python, "-c", program], cwd=clone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


DOCS = REPOSITORY / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
WALK_THROUGH = DOCS / "tutorials" / "plugin.md"
"""Begins in an empty folder; ``test_distributions.py`` runs it, in an environment of its own."""


def page_name(page: Path) -> str:
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if sessions(page) and page != WALK_THROUGH], ids=page_name)
def test_page(page, clone, environment):
    run(sessions(page), clone, environment)


@pytest.mark.parametrize("page", [page for page in PAGES if programs(page) and page != WALK_THROUGH], ids=page_name)
def test_python_of_page(page, clone, environment):
    """The Python blocks of a page run in order, as one program."""
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    program = "\n\n".join(programs(page))
    done = subprocess.run([python, "-c", program], cwd=clone, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.name)
def test_links_to_files(page):
    """Links between pages are checked when the site is built; these are the links to other files of the repository."""
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8")):
        generated = (
            *(f"reference/{name}.md" for name in ("chain-keys", "index-keys", "measures", "commands-score")),
            *(f"notebooks/{notebook.stem}.md" for notebook in DOCS.glob("notebooks/*.ipynb")),
        )
        assert (page.parent / target).exists() or target.endswith(generated), f"{page.name}: {target}"
