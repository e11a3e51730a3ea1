"""CONTRIBUTING.md says which files a change touches. Here all changes are made in one copy of the tree, and work there.

What the Java program's command line prints, its EVAL, ``score`` and models that were trained before are the same on
the changed tree. ``METEOR_E_WRITE_TABLE=1`` writes the table in CONTRIBUTING.md anew.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from changes import CHANGES, REPOSITORY, copy_of_the_tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (REPOSITORY / "plugins").is_dir(), reason="the plugins are not beside the tests"),
]
pytest.importorskip("meteor_e_learned", reason="needs the plugins meteor-e-learned and meteor-e-evaluation")
pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")

GUIDE = REPOSITORY / "CONTRIBUTING.md"
PROBE = Path(__file__).with_name("probe.py")
HEAD = "| change | files |\n|---|---|\n"


def probe(root: Path, folder: Path, packs: Path, *arguments: str, pure: bool) -> Any:
    """Return the figures of a tree; the folder holds texts and the model, which the first run trains."""
    done = subprocess.run(
        [sys.executable, PROBE, root, folder, *arguments],
        env={
            **os.environ,
            "METEOR_E_PURE": "1" if pure else "0",
            "METEOR_E_PACKS": str(packs),
            "METEOR_E_CACHE": str(folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-1000:]
    return json.loads(done.stdout)


def same(old: object, new: object, where: str = "") -> None:
    """Check that what was there is there, with the same values; more may be there."""
    if isinstance(old, dict):
        assert isinstance(new, dict), where
        for key, value in old.items():
            assert key in new, f"{where}: {key} is gone"
            same(value, new[key], f"{where}/{key}")
    elif isinstance(old, list):
        assert isinstance(new, list), where
        assert len(old) == len(new), where
        for place, (one, other) in enumerate(zip(old, new, strict=True)):
            same(one, other, f"{where}/{place}")
    else:
        assert old == new, f"{where}: {old!r}, now {new!r}"


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """A copy of the tree as it is, and one with all changes."""
    before, after = (tmp_path_factory.mktemp(name) for name in ("before", "after"))
    for root in (before, after):
        copy_of_the_tree(root)
    for change in CHANGES:
        change.make(after)
    for name in (name for change in CHANGES for name in change.generated):
        command = [sys.executable, PROBE, after, before, "--schema"]
        written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert written != (after / name).read_text(encoding="utf-8"), f"{name} needs not be written anew"
        (after / name).write_text(written, encoding="utf-8")
    return before, after


def test_changes_work_and_leave_numbers_as_they_are(trees, _own_packs, tmp_path):  # noqa: PT019
    """With the Python engine, and compiled anew."""
    before, after = trees
    expected = probe(before, tmp_path, _own_packs, pure=True)
    same(expected, probe(after, tmp_path, _own_packs, "--changed", pure=True))
    if not list((before / "meteor_e").glob("_native.*.so")):
        return
    expected = probe(before, tmp_path, _own_packs, pure=False)
    assert expected["native"]
    pybind11 = pytest.importorskip("pybind11", reason="needs pybind11 and cmake to compile the core")
    for file in (after / "meteor_e").glob("_native.*.so"):
        file.unlink()
    found = [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}", f"-DPython_EXECUTABLE={sys.executable}"]
    # Without a type of build, nothing is optimized.
    for command in (["-S", ".", "-B", "build", *found], ["--build", "build", "--parallel", "2"]):
        subprocess.run(["cmake", *command], cwd=after, check=True, capture_output=True)
    (library,) = (after / "build").glob("_native.*")
    shutil.copy(library, after / "meteor_e")
    same(expected, probe(after, tmp_path, _own_packs, "--changed", pure=False))


def test_a_ready_model_of_ours_takes_a_new_statistic(trees, packs, tmp_path):
    """As above, with METEOR's English pack, which en-light needs."""
    before, after = (probe(root, tmp_path, packs, "--ready", pure=True) for root in trees)
    assert before == after


def rows() -> str:
    lines = []
    for change in CHANGES:
        files = [f"`{name.removeprefix('meteor_e/')}`" for name in change.touched]
        generated = ", the last is generated" if change.generated else ""
        own = " of a plugin" if change.plugin else ""
        lines.append(f"| {change.title} | {len(files)}{own}: {', '.join(files)}{generated} |\n")
    return "".join(lines)


def test_the_table_of_the_guide_is_that_of_the_changes():
    text = GUIDE.read_text(encoding="utf-8")
    start = text.index(HEAD) + len(HEAD)
    end = text.index("\n\n", start) + 1
    if os.environ.get("METEOR_E_WRITE_TABLE"):
        GUIDE.write_text(text[:start] + rows() + text[end:], encoding="utf-8")
        return
    assert text[start:end] == rows(), "run this test with METEOR_E_WRITE_TABLE=1"
