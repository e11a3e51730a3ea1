from __future__ import annotations

import json
from pathlib import Path

import pytest
from own_resources import flip

from meteor_e.cli.program import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int | str | None, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["pack", *map(str, arguments)])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


def test_install_list_remove(capsys: pytest.CaptureFixture[str], store_root: Path, wheel: Path) -> None:
    assert run(capsys, "list") == (0, "", f"no packs in {store_root}; install one with `meteor-e pack install en`\n")
    code, out, err = run(capsys, "install", "en", "--from", wheel)
    assert (code, err) == (0, "")
    assert out == (f"installed en (3 function words, 4 prefixes, 5 synonyms, 6 paraphrases) in {store_root / 'en'}\n")
    code, out, err = run(capsys, "install", "cz", "--from", wheel)
    assert "installed cs (3 function words, 4 prefixes, no synonyms, no paraphrases)" in out

    code, out, _ = run(capsys, "list")
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()] == [
        ["name", "state", "version"],
        ["cs", "ok", "1.5"],
        ["en", "ok", "1.5"],
    ]
    code, out, _ = run(capsys, "list", "--json")
    assert [(row["name"], row["problem"], row["contents"].get("paraphrases")) for row in json.loads(out)] == [
        ("cs", None, None),
        ("en", None, 6),
    ]

    assert run(capsys, "remove", "cs") == (0, "removed cs\n", "")
    assert run(capsys, "remove", "cs")[0] == 3


def test_damaged_pack_is_reported(capsys: pytest.CaptureFixture[str], store_root: Path, wheel: Path) -> None:
    run(capsys, "install", "en", "--from", wheel)
    flip(store_root / "en" / "synonyms.idx", 500)
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert out.splitlines()[1].split()[:2] == ["en", "damaged"]
    [row] = json.loads(run(capsys, "list", "--json")[1])
    assert "synonyms.idx" in row["problem"]
    (store_root / "en" / "manifest.json").write_text("{", encoding="utf-8")
    code, out, _ = run(capsys, "list")
    assert out.splitlines()[1].split()[:2] == ["en", "damaged"]
    assert run(capsys, "remove", "en")[0] == 0


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
def test_errors_are_one_line(
    capsys: pytest.CaptureFixture[str], store_root: Path, arguments: list[str], code: int
) -> None:
    actual, out, err = run(capsys, *arguments)
    assert (actual, out) == (code, "")
    assert err.startswith("meteor-e: ")
    assert err.count("\n") == 1
