"""Tests of the command ``meteor-e pack``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_resources import flip_bit

from meteor_e.cli.program import main


def run_pack(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int | str | None, str, str]:
    """Run ``meteor-e pack``, and return its exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as exit_info:
        main(["pack", *map(str, arguments)])
    out, err = capsys.readouterr()
    return exit_info.value.code, out, err


def test_pack_command_installs_lists_and_removes_packs(
    capsys: pytest.CaptureFixture[str], store_root: Path, wheel: Path
) -> None:
    assert run_pack(capsys, "list") == (
        0,
        "",
        f"no packs in {store_root}; install one with `meteor-e pack install en`\n",
    )
    code, out, err = run_pack(capsys, "install", "en", "--from", wheel)
    assert (code, err) == (0, "")
    assert out == (f"installed en (3 function words, 4 prefixes, 5 synonyms, 6 paraphrases) in {store_root / 'en'}\n")
    code, out, err = run_pack(capsys, "install", "cz", "--from", wheel)
    assert "installed cs (3 function words, 4 prefixes, no synonyms, no paraphrases)" in out

    code, out, _ = run_pack(capsys, "list")
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()] == [
        ["name", "state", "version"],
        ["cs", "ok", "1.5"],
        ["en", "ok", "1.5"],
    ]
    code, out, _ = run_pack(capsys, "list", "--json")
    assert [(row["name"], row["problem"], row["contents"].get("paraphrases")) for row in json.loads(out)] == [
        ("cs", None, None),
        ("en", None, 6),
    ]

    assert run_pack(capsys, "remove", "cs") == (0, "removed cs\n", "")
    assert run_pack(capsys, "remove", "cs")[0] == 3


def test_pack_list_shows_damaged_packs(capsys: pytest.CaptureFixture[str], store_root: Path, wheel: Path) -> None:
    run_pack(capsys, "install", "en", "--from", wheel)
    flip_bit(store_root / "en" / "synonyms.idx", 500)
    code, out, _ = run_pack(capsys, "list")
    assert code == 0
    assert out.splitlines()[1].split()[:2] == ["en", "damaged"]
    [row] = json.loads(run_pack(capsys, "list", "--json")[1])
    assert "synonyms.idx" in row["problem"]
    (store_root / "en" / "manifest.json").write_text("{", encoding="utf-8")
    code, out, _ = run_pack(capsys, "list")
    assert out.splitlines()[1].split()[:2] == ["en", "damaged"]
    assert run_pack(capsys, "remove", "en")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["install", "it"], 3),
        (["install", "en", "--from", "nowhere.jar"], 3),
        (["remove", "en"], 3),
        (["install"], 2),
        (["list", "--yaml"], 2),
    ],
)
def test_pack_command_reports_errors_in_one_line(
    capsys: pytest.CaptureFixture[str], store_root: Path, arguments: list[str], code: int
) -> None:
    actual_code, out, err = run_pack(capsys, *arguments)
    assert (actual_code, out) == (code, "")
    assert err.startswith("meteor-e: ")
    assert err.count("\n") == 1
