"""Drafts a data index from a folder, for people to check.

Names and numbers are only guessed where all files agree; what the files cannot tell (renamed systems, renumbered
segments) is for the reader of the draft to add. Loading the draft says what does not line up.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from meteor_e.api import InputError
from meteor_e.formats.plain import read_segments
from meteor_e_evaluation.index import PAIR, expand, id_pattern, languages_of

ENDINGS = (".gz", ".csv", ".tsv", ".txt", ".rank", ".xml")


def draft_index(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Draft an index for a folder with ``system-outputs/PAIR/…``, ``references/…`` and ``judgements/…``.

    Returns:
        The index's content, ready to be written as YAML.

    Raises:
        InputError: if the folder is laid out otherwise, saying what is missing.
    """
    root = Path(folder)
    outputs = root / "system-outputs"
    pairs = sorted(path.name for path in outputs.iterdir() if PAIR.fullmatch(path.name)) if outputs.is_dir() else []
    if not pairs:
        raise InputError(f"{root}: no folders system-outputs/SOURCE-TARGET; a draft needs them")
    names = {pair: sorted(path.name for path in (outputs / pair).iterdir() if path.is_file()) for pair in pairs}
    pattern = "system-outputs/{pair}/" + _common_pattern(names)
    index: dict[str, Any] = {
        "name": root.resolve().name.upper(),
        "root": str(root.resolve()),
        "pairs": pairs,
        "references": _references(root, pairs),
        "outputs": pattern,
    }
    judgements = _judgements(root, pairs, pattern, names)
    if not judgements:
        raise InputError(f"{root / 'judgements'}: no file of judgments of a known form")
    index["judgements"] = judgements
    index["measures"] = ["pearson" if judgements[0]["format"].startswith("da") else "tau-strict"]
    return index


def _common_pattern(names: dict[str, list[str]]) -> str:
    """Return what all file names share, with ``{system}`` where they differ."""
    forms = {tuple(_shape(name, pair).split(".")) for pair, listed in names.items() for name in listed}
    if not forms:
        raise InputError("the folders of outputs are empty")

    def shared(parts: Sequence[tuple[str, ...]]) -> list[str]:
        columns = itertools.takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False))
        return [column[0] for column in columns]

    rows = list(forms)
    shortest = min(len(row) for row in rows)
    first = shared(rows)[: shortest - 1]
    last = shared([row[::-1] for row in rows])[: shortest - len(first) - 1][::-1]
    return ".".join([*first, "{system}", *last])


def _shape(name: str, pair: str) -> str:
    """Return a name with the pair, or the target language at its end, replaced by placeholders."""
    source, target = languages_of(pair)
    name = name.replace(pair, "{pair}").replace(f"{source}{target}", "{source}{target}")
    return f"{name[: -len(target)]}{{target}}" if name.endswith(f".{target}") else name


def _references(root: Path, pairs: Sequence[str]) -> str:
    folder = root / "references"
    files = sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    forms = dict.fromkeys(_shape(name, pair) for name in files for pair in pairs)
    for form in sorted(forms, key=lambda form: (-form.count("{"), form)):
        if ("{" in form or len(pairs) == 1) and all((folder / expand(form, pair)).is_file() for pair in pairs):
            return f"references/{form}"
    raise InputError(
        f"{folder}: no name of a reference fits all of {', '.join(pairs)}; it holds {', '.join(files[:10])}"
    )


def _judgements(root: Path, pairs: Sequence[str], outputs: str, names: dict[str, list[str]]) -> list[dict[str, Any]]:
    folder = root / "judgements"
    files = sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
    found: dict[str, dict[str, Any]] = {}
    for name in files:
        if not name.endswith(ENDINGS):
            continue
        form = next((_shape(name, pair) for pair in pairs if pair in name), name)
        spec = _describe(folder / name, outputs, names, form)
        if spec is not None and form not in found:
            found[form] = {"file": f"judgements/{form}", **spec}
    return list(found.values())


def _describe(file: Path, outputs: str, names: dict[str, list[str]], form: str) -> dict[str, Any] | None:
    """Return the format of a file of judgments and the pattern of its system names."""
    head = list(itertools.islice(read_segments(file), 50))
    if not head:
        return None
    if "system1rank" in head[0]:
        return {"format": "ranking-csv", "drop": ["_ref"]}
    if any("<ranking" in line or "appraise" in line for line in head[:5]):
        return {"format": "ranking-xml"}
    titles = head[0].upper().replace(",", " ").split()
    if {"SYSTEM", "SYS"} & set(titles) and {"HUMAN", "Z.SCR", "Z", "RAW.SCR", "SCORE"} & set(titles):
        of_segments = bool({"SID", "SEGID", "SEGMENT", "SEG"} & set(titles))
        column = titles.index("SYSTEM" if "SYSTEM" in titles else "SYS")
        spec: dict[str, Any] = {"format": "da-segments" if of_segments else "da-systems"}
        rows = [line.replace(",", " ").split() for line in head[1:]]
        systems = {row[column] for row in rows if len(row) > column}
        if any("+" in system for system in systems) or (of_segments and "HUMAN" in titles):
            spec["joined"] = "+"
            systems = {part for system in systems for part in system.split("+")}
        pair = next((pair for pair in names if form != file.name and pair in file.name), None)
        return {**spec, **_system_pattern(systems, outputs, names, pair)}
    fields = head[0].split("\t")
    if len(fields) == 5 and fields[0].isdecimal() and PAIR.fullmatch(fields[1]):
        systems = {line.split("\t")[at] for line in head for at in (2, 4) if line.count("\t") == 4}
        return {"format": "rank", **_system_pattern(systems, outputs, names, fields[1])}
    return None


def _system_pattern(systems: set[str], outputs: str, names: dict[str, list[str]], pair: str | None) -> dict[str, str]:
    """Return the pattern by which most names lead to an output; nothing where plain names do."""
    file_pattern = outputs.rpartition("/")[2]
    known: dict[str, set[str]] = {}
    for each, listed in names.items():
        matches = (id_pattern(file_pattern, each).fullmatch(name) for name in listed)
        known[each] = {found["system"] for found in matches if found}
    available = known[pair] if pair in known else set().union(*known.values())

    def fits(pattern: str) -> int:
        expression = id_pattern(pattern, pair or next(iter(names)))
        matches = (expression.fullmatch(system) for system in systems)
        return sum(1 for found in matches if found and found["system"] in available)

    candidates = ["{system}", "{system}.{number}", file_pattern, file_pattern.replace("{system}", "{system}.{number}")]
    if "." in file_pattern:
        start = file_pattern.split(".")[0]
        candidates += [f"{start}.{{pair}}.{{system}}", f"{start}.{{system}}.{{pair}}"]
    best = max(candidates, key=fits)
    return {} if best == "{system}" else {"system": best}
