"""Run the commands and programs of the README and the documentation, and compare their output with the pages.

In a block marked ``console``, a line that begins with ``$ `` is a command, and the lines below it are its output. The
README's blocks marked ``sh`` are run first and in order, and their output is not compared.

``tox -e package`` runs these tests.
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
CONSOLE_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_commands(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page and their expected outputs."""
    commands = []
    for block in CONSOLE_BLOCK.findall(page.read_text(encoding="utf-8")):
        for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = entry.partition("\n")
            while command.endswith("\\"):
                next_line, _, output = output.partition("\n")
                command += "\n" + next_line
            commands.append((command, output))
    return commands


SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_scripts(page: Path) -> list[str]:
    """Return the shell scripts of a page. The page does not show their output."""
    return SHELL_BLOCK.findall(page.read_text(encoding="utf-8"))


PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = "# Not run by the tests"
"""The beginning of a Python block that the tests do not run."""


def find_programs(page: Path) -> list[str]:
    """Return the Python blocks of a page that the tests run."""
    return [block for block in PYTHON_BLOCK.findall(page.read_text(encoding="utf-8")) if not block.startswith(NOT_RUN)]


def run_shell(script: str, clone: Path, environment: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell script in the clone, with the programs of the virtual environment first on the PATH."""
    bin_folder = environment / ("Scripts" if os.name == "nt" else "bin")
    environment_variables = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    for name in ("COLUMNS", "PYTHONPATH", "TOX_ENV_NAME", "VIRTUAL_ENV"):
        environment_variables.pop(name, None)
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=clone, env=environment_variables, capture_output=True, text=True, check=False
    )


def check_commands(commands: list[tuple[str, str]], clone: Path, environment: Path) -> None:
    """Run commands in the clone, and compare their output with the expected output."""
    for command, expected in commands:
        if ".tox/run/bin/pytest" in command:
            continue  # This command runs the tests, and therefore this test.
        result = run_shell(command, clone, environment)
        assert result.stdout == expected, f"{command}\n{result.stderr}"


@pytest.fixture(scope="session")
def clone(tmp_path_factory):
    """Copy the files that git tracks, and return their folder."""
    folder = tmp_path_factory.mktemp("clone")
    archive = subprocess.run(["git", "-C", REPOSITORY, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    return folder


@pytest.fixture(scope="session")
def environment(clone):
    """Create the virtual environment of the README, add the packages that other pages need, and return its folder."""
    folder = clone / ".venv"
    for script in find_scripts(README):
        result = run_shell(script, clone, folder)
        assert result.returncode == 0, f"{script}\n{result.stderr}"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    # The README uses pip, as its readers do. For the other packages, the test uses uv, which needs a third of the time.
    pip = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    subprocess.run([*pip, "pandas"], cwd=clone, check=True)
    return folder


def test_readme_commands_print_the_documented_output(clone, environment):
    check_commands(find_commands(README), clone, environment)


def test_readme_python_blocks_run(clone, environment):
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    program = "\n\n".join(find_programs(README))
    result = subprocess.run([python, "-c", program], cwd=clone, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


DOCS = REPOSITORY / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PLUGIN_TUTORIAL = DOCS / "tutorials" / "plugin.md"
"""The tutorial that begins in an empty folder. ``test_distributions.py`` runs it in a separate environment."""
PAGES_WITH_COMMANDS = [page for page in PAGES if find_commands(page) and page != PLUGIN_TUTORIAL]
PAGES_WITH_PROGRAMS = [page for page in PAGES if find_programs(page) and page != PLUGIN_TUTORIAL]


def format_page_path(page: Path) -> str:
    """Return the path of a page, relative to the folder of the documentation."""
    return page.relative_to(DOCS).as_posix()


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=format_page_path)
def test_page_commands_print_the_documented_output(page, clone, environment):
    check_commands(find_commands(page), clone, environment)


@pytest.mark.parametrize("page", PAGES_WITH_PROGRAMS, ids=format_page_path)
def test_page_python_blocks_run(page, clone, environment):
    """The Python blocks of a page run in order, as one program."""
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    program = "\n\n".join(find_programs(page))
    result = subprocess.run([python, "-c", program], cwd=clone, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.name)
def test_page_links_to_existing_files(page):
    """Links to files of the repository exist. The build of the site checks only the links between its pages."""
    generated_pages = (
        *(f"reference/{name}.md" for name in ("chain-keys", "index-keys", "measures", "commands-score")),
        *(f"notebooks/{notebook.stem}.md" for notebook in DOCS.glob("notebooks/*.ipynb")),
    )
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists() or target.endswith(generated_pages), f"{page.name}: {target}"
