"""Every command of the README and the docs, run as written, prints what is written below it.

A block is marked ``console``; a line that begins with ``$ `` is a command, the lines below it are what it
prints. Run by ``tox -e package``.
"""

from __future__ import annotations

import os
import re
import subprocess
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sessions(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page and what each should print."""
    found = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command += "\n" + more
            found.append((command, output))
    return found


@pytest.fixture(scope="session")
def clone(tmp_path_factory):
    """A clean copy of what git has, with an environment in it that has meteor_e and the example plugin."""
    folder = tmp_path_factory.mktemp("clone")
    archive = subprocess.run(["git", "-C", REPOSITORY, "archive", "HEAD"], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands(page, clone, tmp_path_factory):
    commands = sessions(page)
    if not commands:
        pytest.skip("the page has no console blocks")
    # The README makes this environment itself, and activates it.
    environment = clone / ".venv" if page.name == "README.md" else tmp_path_factory.mktemp("environment")
    bin_folder = environment / ("Scripts" if os.name == "nt" else "bin")
    variables = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
    for name in ("COLUMNS", "PYTHONPATH", "TOX_ENV_NAME", "VIRTUAL_ENV"):
        variables.pop(name, None)
    if page.name != "README.md":
        venv.create(environment, with_pip=True)
        subprocess.run(
            [bin_folder / "python", "-m", "pip", "install", "--quiet", ".", "./plugins/meteor-e-example"],
            cwd=clone,
            check=True,
        )
    for command, expected in commands:
        if command.strip() == "tox":
            continue  # that is the test command which runs this test
        done = subprocess.run(
            ["bash", "-c", command], cwd=clone, env=variables, capture_output=True, text=True, check=False
        )
        assert done.stdout == expected, f"{page.name}: {command}\n{done.stderr}"


def test_the_readme_has_one_command_for_everything():
    commands = [command for command, _ in sessions(PAGES[0])]
    assert "pip install --quiet ." in commands[0]
    assert "meteor-e score" in commands[0]
    assert "tox" in commands
