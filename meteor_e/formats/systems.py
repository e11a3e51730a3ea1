"""What there is to score: systems and references, lined up, from whatever files hold them."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from meteor_e.api.tables import SystemInput
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.formats.documents import pair_collections
from meteor_e.formats.inputs import Format, read_collection, text_format
from meteor_e.formats.plain import count_segments, read_segments

Pair = tuple[str, list[str]]

_UNLIKE = "are not of the same segments; only systems that are can be compared"


def read_systems(
    files: Sequence[str],
    references: Sequence[str] = (),
    references_per_segment: int = 1,
    encoding: str = "utf-8",
    form: Format | None = None,
    on_missing: str = "stop",
) -> list[SystemInput]:
    """Find out what files hold, and line up systems and references.

    Plain files line up by line, SGML, XML and COCO files by document and segment. A plain hypothesis lines up with
    the segments of an SGML or XML reference in their order in the file. One XML file alone may hold both sides.

    Args:
        files: hypotheses, and behind them the reference unless ``references`` names it.
        references: files that hold nothing but references.
        references_per_segment: how many lines of a plain reference file belong to a segment.
        encoding: of plain text and SGML files.
        form: the format of all files; ``None``: their content tells.
        on_missing: what to do with a segment of an SGML, XML or COCO file that a system or the references lack:
            ``stop`` is an error, ``skip`` leaves it out, ``empty`` takes it as empty where a system lacks it. Not of
            lines of plain text, which must line up.

    Raises:
        ConfigError: if there is no hypothesis or no reference.
        InputError: if a file cannot be used, or files do not line up.
    """
    hypotheses = list(files)
    refuse_pipes((*hypotheses, *references))
    formats = {path: form or text_format(path) for path in dict.fromkeys([*hypotheses, *references])}
    if not references:
        if len(hypotheses) == 1 and formats[hypotheses[0]] == "wmt-xml":
            references = hypotheses
        elif len(hypotheses) < 2:
            raise ConfigError("a reference is missing: give the hypotheses and, as the last file, the reference")
        else:
            references = [hypotheses.pop()]
    if set(formats.values()) == {"plain"}:
        return _plain_systems(hypotheses, references, references_per_segment, encoding)
    if references_per_segment > 1:
        raise ConfigError(
            "--references-per-segment counts lines of a plain reference file; SGML, XML and COCO files say themselves "
            "what belongs together"
        )
    other = next((path for path, each in formats.items() if each == "coco"), None)
    for path, each in formats.items():
        if (other is not None and each != "coco") or (path in references and each == "plain"):
            raise InputError(
                f"{path} is {each}, and {other or hypotheses[0]} is not; give hypotheses and references in one form, "
                "or plain hypotheses and SGML or XML references"
            )
    return _structured_systems(hypotheses, references, formats, encoding, on_missing)


def refuse_pipes(paths: Iterable[str]) -> None:
    """Refuse named pipes, also those that a shell makes; files are read more than once."""
    for path in paths:
        if path != "-" and Path(path).is_fifo():
            raise InputError(f"{path} is a pipe, which can be read once only; give a file, or - for standard input")


def check_same_segments(systems: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> None:
    """Refuse systems, name and references, that are not of the same segments."""
    for name, references in systems[1:]:
        if references != systems[0][1]:
            raise InputError(f"{name} and {systems[0][0]} {_UNLIKE}")


def _plain_systems(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> list[SystemInput]:
    """Line up plain text files, one segment per line; they are read while they are scored."""
    if [*hypotheses, *references].count("-") > 1:
        raise InputError("standard input (-) can stand for one file only")
    if "-" in references and len(hypotheses) > 1:
        raise InputError("references from standard input can be read once only; give one system, or a file")
    segments: dict[str, int] = {}
    # Everything that is wrong with a file shows before a number is printed.
    for path in dict.fromkeys([*hypotheses, *references]):
        if path == "-":
            continue
        lines = count_segments(path, encoding=encoding)
        per_segment = references_per_segment if path in references else 1
        if lines % per_segment:
            raise InputError(f"{path} has {lines} lines, which is no multiple of {per_segment} references per segment")
        segments[path] = lines // per_segment
    _check_counts(segments)

    def pairs(path: str) -> Iterator[Pair]:
        sides = [read_segments(path, encoding=encoding)]
        for reference in references:
            # The lines of a file take turns: one copy of it for each turn.
            copies = itertools.tee(read_segments(reference, encoding=encoding), references_per_segment)
            sides += [itertools.islice(copy, at, None, references_per_segment) for at, copy in enumerate(copies)]
        for number, row in enumerate(itertools.zip_longest(*sides)):
            if None in row:
                raise InputError(
                    f"hypotheses and references do not line up: one of them ends after {number} segments, others go on"
                )
            yield row[0], list(row[1:])

    size = next(iter(segments.values()), None)
    names = _system_names(hypotheses)
    return [SystemInput(names[path], size, lambda path=path: pairs(path)) for path in hypotheses]  # type: ignore[misc]


def _check_counts(segments: dict[str, int]) -> None:
    for path, count in segments.items():
        first, expected = next(iter(segments.items()))
        if count != expected:
            raise InputError(
                f"{first} has {expected} segments, but {path} has {count}; "
                "hypotheses and references must line up, one segment per line"
            )
        if not expected:
            raise InputError(f"{first} is empty; there is nothing to score")


def _system_names(paths: Sequence[str]) -> dict[str, str]:
    """Name systems after their files: by the shortest end of the path that tells them apart."""
    parts = [Path(path).parts if path != "-" else ("standard input",) for path in paths]
    for length in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return dict(zip(paths, names, strict=True))
    return {path: path for path in paths}


def _structured_systems(
    hypotheses: Sequence[str], references: Sequence[str], formats: dict[str, Format], encoding: str, on_missing: str
) -> list[SystemInput]:
    """Line up files of which the references, at least, are in documents and segments."""
    collections = {
        path: read_collection(path, form, encoding=encoding) for path, form in formats.items() if form != "plain"
    }
    known = [collections[path] for path in references]
    names = _system_names(hypotheses)
    found: list[SystemInput] = []
    for path in hypotheses:
        if path not in collections:
            sides = [[*side.values()] for each in known for side in each.texts["reference"].values()]
            texts = list(read_segments(path, encoding=encoding))
            counts = {path: len(texts)}
            _check_counts(
                counts | {f"reference {at} of {known[0].name}": len(side) for at, side in enumerate(sides, 1)}
            )
            pairs = [(text, list(others)) for text, *others in zip(texts, *sides, strict=True)]
            found.append(SystemInput(names[path], len(pairs), pairs.__iter__))
            continue
        for system in pair_collections(collections[path], known):
            who = f"{path}: system {system.name!r}" if system.name else path
            missing = [key for key, text in zip(system.keys, system.hypotheses, strict=True) if text is None]
            _tell_missing(missing, f"{who} lacks {len(missing)} of {len(system.keys)} segments", on_missing)
            extra = system.unreferenced
            what = f"{who} has {len(extra)} segments that no reference has"
            _tell_missing(extra, what, on_missing, unreferenced=True)
            beside = zip(system.hypotheses, system.references, strict=True)
            pairs = [(text or "", others) for text, others in beside if text is not None or on_missing == "empty"]
            found.append(SystemInput(system.name or names[path], len(pairs), pairs.__iter__))
    if on_missing == "skip":
        check_same_segments([(system.name, [others for _, others in system.pairs()]) for system in found])
    return found


def _tell_missing(missing: Sequence[Any], what: str, on_missing: str, unreferenced: bool = False) -> None:
    """Refuse what is missing, or warn of it as was asked for."""
    if not missing:
        return
    what = f"{what} (the first is {missing[0]})"
    if on_missing == "stop" or (unreferenced and on_missing == "empty"):
        also = "" if unreferenced else ", --on-missing empty scores empty texts for them"
        raise InputError(f"{what}; --on-missing skip leaves them out{also}")
    how = "scored as empty" if on_missing == "empty" else "left out"
    warnings.warn(f"{what}; they are {how}", stacklevel=1)
