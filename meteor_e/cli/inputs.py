"""What there is to score: systems and references, lined up, from whatever files hold them."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from meteor_e.api.tables import SystemInput
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.formats.coco import is_json_list, read_coco_annotations, read_coco_results
from meteor_e.formats.documents import Collection, pair_collections
from meteor_e.formats.inputs import Format, open_input
from meteor_e.formats.plain import count_segments, read_segments
from meteor_e.render.plain import printable

Pair = tuple[str, list[str]]


def refuse_pipes(paths: Iterable[str]) -> None:
    """Refuse named pipes, also those that a shell makes; files are read more than once.

    Raises:
        InputError: for the first of them.
    """
    for path in paths:
        if path != "-" and Path(path).is_fifo():
            raise InputError(f"{path} is a pipe, which can be read once only; give a file, or - for standard input")


def plain_systems(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> list[SystemInput]:
    """Line up plain text files, one segment per line.

    Args:
        hypotheses: one file per system; ``-`` is standard input.
        references: one or several files.
        references_per_segment: how many lines of a reference file belong to a segment.
        encoding: of all the files.

    Raises:
        InputError: if a file cannot be read, is empty, or has another number of segments than the others.
    """
    if [*hypotheses, *references].count("-") > 1:
        raise InputError("standard input (-) can stand for one file only")
    if "-" in references and len(hypotheses) > 1:
        raise InputError("references from standard input can be read once only; give one system, or a file")
    # By the way, everything that is wrong with a file shows before a number is printed.
    files = [path for path in dict.fromkeys([*hypotheses, *references]) if path != "-"]
    counts = {path: count_segments(path, encoding=encoding) for path in files}
    for path in references:
        if counts.get(path, 0) % references_per_segment:
            raise InputError(
                f"{path} has {counts[path]} lines, which is no multiple of {references_per_segment} references "
                "a segment"
            )
    segments = {
        path: count // references_per_segment if path in references else count for path, count in counts.items()
    }
    _check_counts(segments)
    names = system_names(hypotheses)
    return [
        SystemInput(
            name,
            next(iter(segments.values()), None),
            lambda path=path: _pairs(path, references, references_per_segment, encoding),  # type: ignore[misc]
        )
        for name, path in zip(names, hypotheses, strict=True)
    ]


def _check_counts(segments: dict[str, int]) -> None:
    if not segments:
        return
    (first, expected), *others = segments.items()
    for path, count in others:
        if count != expected:
            raise InputError(
                f"{first} has {expected} segments, but {path} has {count}; "
                "hypotheses and references must line up, one segment per line"
            )
    if not expected:
        raise InputError(f"{first} is empty; there is nothing to score")


def system_names(paths: Sequence[str]) -> list[str]:
    """Name systems after their files: by the shortest end of the path that tells them apart."""
    parts = [Path(path).parts if path != "-" else ("standard input",) for path in paths]
    for length in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return list(paths)


def _pairs(path: str, references: Sequence[str], references_per_segment: int, encoding: str) -> Iterator[Pair]:
    sides: list[Iterator[str]] = [read_segments(path, encoding=encoding)]
    sides += [
        lines
        for reference in references
        for lines in _interleaved(read_segments(reference, encoding=encoding), references_per_segment)
    ]
    for number, row in enumerate(itertools.zip_longest(*sides)):
        if None in row:
            raise InputError(
                f"hypotheses and references do not line up: one of them ends after {number} segments, others go on"
            )
        hypothesis, *others = row
        yield hypothesis, others


def _interleaved(lines: Iterator[str], count: int) -> list[Iterator[str]]:
    """Split a stream whose lines take turns into one stream a turn."""
    if count == 1:
        return [lines]
    copies = itertools.tee(lines, count)
    return [itertools.islice(copy, start, None, count) for start, copy in enumerate(copies)]


def systems(
    files: Sequence[str],
    references: Sequence[str],
    references_per_segment: int,
    encoding: str,
    form: Format | None = None,
    on_missing: str = "stop",
) -> list[SystemInput]:
    """Find out what the files of a command line hold, and line up systems and references.

    Plain files line up by line, SGML and XML files by document and segment. A plain hypothesis lines up with
    the segments of an SGML or XML reference in their order in the file. One XML file alone may hold both sides.

    Args:
        files: hypotheses, and behind them the reference unless ``references`` names it.
        references: files that hold nothing but references.
        references_per_segment: how many lines of a plain reference file belong to a segment.
        encoding: of plain text files.
        form: the format of all files; ``None``: their content tells.
        on_missing: what becomes of a segment of an SGML, XML or COCO file that a system or the references lack:
            ``stop`` is an error, ``skip`` leaves it out, ``empty`` takes it as empty where a system lacks it. Not of
            lines of plain text, which must line up.

    Raises:
        ConfigError: if there is no hypothesis or no reference.
        InputError: if a file cannot be used, or files do not line up.
    """
    hypotheses = list(files)
    refuse_pipes((*hypotheses, *references))
    formats = {path: form or file_format(path, encoding) for path in dict.fromkeys([*hypotheses, *references])}
    if not references:
        if len(hypotheses) == 1 and formats[hypotheses[0]] == "wmt-xml":
            references = hypotheses
        elif len(hypotheses) < 2:
            raise ConfigError("a reference is missing: give the hypotheses and, as the last file, the reference")
        else:
            references = [hypotheses.pop()]
    if all(each == "plain" for each in formats.values()):
        return plain_systems(hypotheses, references, references_per_segment, encoding)
    if "coco" in formats.values():
        if references_per_segment > 1:
            raise ConfigError(
                "--references-per-segment counts lines of a plain file; COCO's JSON says itself what belongs together"
            )
        return _captions(hypotheses, references, formats, on_missing)
    if references_per_segment > 1:
        raise ConfigError(
            "--references-per-segment counts lines of a plain reference file; SGML and XML files say it themselves"
        )
    if all(formats[path] != "plain" for path in references):
        collections = {path: _collection(path, encoding, each) for path, each in formats.items() if each != "plain"}
        known = [collections[path] for path in references]
        found = [
            system
            for path in hypotheses
            for system in (
                _structured_systems(collections[path], known, on_missing)
                if path in collections
                else [_plain_beside_collections(path, known, encoding)]
            )
        ]
        return found if on_missing != "skip" else _of_the_same_segments(found)
    raise InputError(
        "the references are plain text, but a hypothesis is SGML or XML; give the reference in that form too"
    )


def named(inputs: Sequence[SystemInput], names: Sequence[str]) -> list[SystemInput]:
    """Return systems under other names, or their own; each name is one line without control characters.

    Raises:
        ConfigError: if there are names, but not one for each system, or one is empty, or two are equal.
    """
    shown = [printable(" ".join(name.split())) for name in names or [system.name for system in inputs]]
    if len(shown) != len(inputs):
        raise ConfigError(f"--name is given {len(names)} times, and there are {len(inputs)} systems; name each once")
    if names and (len(set(shown)) < len(shown) or not all(shown)):
        raise ConfigError("--name: each system needs a name of its own")
    return [system._replace(name=name) for system, name in zip(inputs, shown, strict=True)]


def lined_up(inputs: Sequence[SystemInput]) -> list[SystemInput]:
    """Read systems whole, which are of the same segments.

    Raises:
        InputError: if they are not, or there are no segments.
    """
    found: list[SystemInput] = []
    first: list[Sequence[str]] = []
    for system in inputs:
        pairs = list(system.pairs())
        if not pairs:
            raise InputError(f"{system.name} is empty; there is nothing to score")
        references = [texts for _, texts in pairs]
        if found and references != first:
            raise InputError(
                f"{system.name} and {inputs[0].name} are not of the same segments; only systems that are can be "
                "compared"
            )
        first = references
        found.append(SystemInput.of(system.name, [text for text, _ in pairs], references))
    return found


def file_format(path: str, encoding: str) -> Format:
    """Return the format of a file, which its content tells."""
    with open_input(path, encoding=encoding) as file:
        form = file.format
    return "coco" if form == "plain" and path != "-" and is_json_list(path) else form


def _captions(
    hypotheses: Sequence[str], references: Sequence[str], formats: dict[str, Format], on_missing: str
) -> list[SystemInput]:
    """Line up COCO's results with its annotations by image."""
    for path, form in formats.items():
        if form != "coco":
            other = next(name for name in formats if formats[name] == "coco")
            raise InputError(
                f"{other} is JSON, and {path} is not. COCO's results need COCO's annotations; of other JSON, write the "
                "texts one segment per line"
            )
    known: dict[Any, list[str]] = {}
    for path in references:
        for image, captions in read_coco_annotations(path).items():
            known.setdefault(image, []).extend(captions)
    found: list[SystemInput] = []
    images: set[Any] = set()
    for path, name in zip(hypotheses, system_names(hypotheses), strict=True):
        results = read_coco_results(path)
        strangers = [image for image in results if image not in known]
        if strangers:
            raise InputError(f"{path}: image {strangers[0]!r} has no annotation in {' or '.join(references)}")
        others = sorted(images ^ set(results), key=repr) if found and on_missing != "empty" else []
        if others:
            raise InputError(f"image {others[0]!r} is in {path} or in {hypotheses[0]}, but not in both")
        images = set(results)
        missing = [image for image in known if image not in results]
        _tell_missing(missing, f"{path} lacks captions of {len(missing)} of {len(known)} annotated images", on_missing)
        sides = [(results.get(image), captions) for image, captions in known.items()]
        found.append(_paired(name, sides, on_missing))
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


def _paired(name: str, sides: Iterable[tuple[str | None, list[str]]], on_missing: str) -> SystemInput:
    """Return a system of which texts are missing; they are left out or empty."""
    pairs = [(text or "", references) for text, references in sides if text is not None or on_missing == "empty"]
    return SystemInput(name, len(pairs), pairs.__iter__)


def _collection(path: str, encoding: str, form: Format) -> Collection:
    with open_input(path, encoding=encoding, form=form) as file:
        return file.collection()


def _structured_systems(hypotheses: Collection, references: Sequence[Collection], on_missing: str) -> list[SystemInput]:
    found: list[SystemInput] = []
    for system in pair_collections(hypotheses, references):
        missing = [key for key, text in zip(system.keys, system.hypotheses, strict=True) if text is None]
        who = f"{hypotheses.name}: system {system.name!r}"
        _tell_missing(missing, f"{who} lacks {len(missing)} segments", on_missing)
        extra = system.unreferenced
        _tell_missing(extra, f"{who} has {len(extra)} segments that no reference has", on_missing, unreferenced=True)
        found.append(_paired(system.name, zip(system.hypotheses, system.references, strict=True), on_missing))
    return found


def _of_the_same_segments(found: list[SystemInput]) -> list[SystemInput]:
    """Refuse systems of which different segments were left out; their scores would not be comparable."""
    sides = ([references for _, references in system.pairs()] for system in found)
    for system, (first, other) in zip(found[1:], itertools.pairwise(sides)):  # noqa: B905
        if first != other:
            raise InputError(
                f"{system.name} and {found[0].name} are not of the same segments; only systems that are can be compared"
            )
    return found


def _plain_beside_collections(path: str, references: Sequence[Collection], encoding: str) -> SystemInput:
    sides = [
        collection.segments("reference", name) for collection in references for name in collection.texts["reference"]
    ]
    if not sides:
        raise InputError(f"{references[0].name} holds no references (no refset or ref element)")
    hypotheses = list(read_segments(path, encoding=encoding))
    counts = {path: len(hypotheses)}
    counts |= {f"reference {number} of {references[0].name}": len(side) for number, side in enumerate(sides, 1)}
    _check_counts(counts)
    pairs = [(hypothesis, list(others)) for hypothesis, *others in zip(hypotheses, *sides, strict=True)]
    return SystemInput(system_names([path])[0], len(pairs), lambda: iter(pairs))
