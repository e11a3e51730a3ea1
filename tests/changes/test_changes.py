"""CONTRIBUTING.md says which files a change touches. Here each change is made in a copy of the tree, and works there.

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
from changes import CHANGES, REPOSITORY, Change, copy_of_the_tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (REPOSITORY / "plugins").is_dir(), reason="the plugins are not beside the tests"),
]
pytest.importorskip("meteor_e_learned", reason="needs the plugins meteor-e-learned and meteor-e-evaluation")
pytest.importorskip("meteor_e_evaluation", reason="needs the plugin meteor-e-evaluation")

GUIDE = REPOSITORY / "CONTRIBUTING.md"
PROBE = Path(__file__).with_name("probe.py")
NATIVE = [change for change in CHANGES if change.native]
HEAD = "| change | files |\n|---|---|\n"


def probe(root: Path, folder: Path, *arguments: str, pure: bool = False) -> Any:
    """Return the figures of a tree; beside the folder of texts is that of packs."""
    done = subprocess.run(
        [sys.executable, PROBE, root, folder, *arguments],
        env={
            **os.environ,
            "METEOR_E_PURE": "1" if pure else "0",
            "METEOR_E_PACKS": (folder / "packs").read_text(encoding="utf-8"),
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
def folder(tmp_path_factory, _own_packs):
    """Where the texts and the model are, and the path of the packs; the tree as it is trains the model."""
    texts = tmp_path_factory.mktemp("texts")
    (texts / "packs").write_text(str(_own_packs), encoding="utf-8")
    return texts


@pytest.fixture(scope="module")
def before(tmp_path_factory, folder):
    """The figures of the tree as it is."""
    root = tmp_path_factory.mktemp("before")
    copy_of_the_tree(root)
    return probe(root, folder)


def in_python(figures: dict[str, Any]) -> dict[str, Any]:
    """Return figures as the Python engine gives them: the same, but for the engine's name."""
    other: dict[str, Any] = json.loads(
        json.dumps({**figures, "native": False}).replace('"engine": "native"', '"engine": "python"')
    )
    return other


@pytest.mark.parametrize("change", [change for change in CHANGES if not change.native], ids=lambda change: change.title)
def test_a_change_works_and_leaves_numbers_as_they_are(change: Change, before, folder, tmp_path):
    copy_of_the_tree(tmp_path)
    change.make(tmp_path)
    for name, arguments in change.generated.items():
        written = subprocess.run(
            [sys.executable, "-m", "meteor_e", *arguments], env={**os.environ, "PYTHONPATH": str(tmp_path)},
            cwd=folder, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert written != (tmp_path / name).read_text(encoding="utf-8"), f"{name} needs not be written anew"
        (tmp_path / name).write_text(written, encoding="utf-8")
    same(before, probe(tmp_path, folder, change.title))


def test_changes_of_the_native_core_work_and_leave_numbers_as_they_are(before, folder, tmp_path):
    """All in one copy, which is compiled once; the Python engine runs them, too."""
    copy_of_the_tree(tmp_path)
    for change in NATIVE:
        change.make(tmp_path)
    for change in NATIVE:
        same(in_python(before), probe(tmp_path, folder, change.title, pure=True))
    if not before["native"]:
        return
    pybind11 = pytest.importorskip("pybind11", reason="needs pybind11 and cmake to compile the core")
    lists = (tmp_path / "CMakeLists.txt").read_text(encoding="utf-8").replace("-O3", "-O0")
    (tmp_path / "CMakeLists.txt").write_text(lists, encoding="utf-8")
    for file in (tmp_path / "meteor_e").glob("_native.*.so"):
        file.unlink()
    found = [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}", f"-DPython_EXECUTABLE={sys.executable}"]
    for command in (["-S", ".", "-B", "build", *found], ["--build", "build", "--parallel", "2"]):
        subprocess.run(["cmake", *command], cwd=tmp_path, check=True, capture_output=True)
    (library,) = (tmp_path / "build").glob("_native.*")
    shutil.copy(library, tmp_path / "meteor_e")
    for change in NATIVE:
        same(before, probe(tmp_path, folder, change.title))


def test_a_ready_model_of_ours_takes_a_new_statistic(packs, tmp_path):
    """As above, with METEOR's English pack, which en-light needs."""
    (one := tmp_path / "one").mkdir()
    (other := tmp_path / "other").mkdir()
    copy_of_the_tree(one)
    copy_of_the_tree(other)
    for change in NATIVE:
        change.make(other)
    (texts := tmp_path / "texts").mkdir()
    (texts / "packs").write_text(str(packs), encoding="utf-8")
    ready = [probe(root, texts, "--ready", pure=True) for root in (one, other)]
    assert ready[0] == ready[1]


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
