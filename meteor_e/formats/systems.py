"""Read the systems to score from files of any text format, and line them up with their references."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from meteor_e.api.segments import Segment, System, TextContext
from meteor_e.base.errors import ConfigError, InputError, count_of, warn_user
from meteor_e.formats.documents import Collection, SegmentKey, segment_ids
from meteor_e.formats.inputs import TEXT_FORMATS, input_formats, read_collection
from meteor_e.formats.plain import read_segments

_MUST = "hypotheses and references must line up, one segment per line"


def read_systems(
    files: Sequence[str],
    references: Sequence[str] = (),
    references_per_segment: int = 1,
    encoding: str = "utf-8",
    formats: Mapping[str, str] | None = None,
    on_missing: str = "stop",
) -> list[System]:
    """Read the systems of files, and line them up with their references.

    Plain text lines up by line; SGML, XML and COCO files line up by document and segment. A plain hypothesis file lines
    up with the segments of an SGML or XML reference in the order of the reference file. One XML file may contain
    hypotheses and references.

    Args:
        files: the hypothesis files, followed by the reference file unless ``references`` names it.
        references: the reference files.
        references_per_segment: number of consecutive lines of a plain reference file that belong to one segment.
        encoding: encoding of plain text and SGML files.
        formats: the format of each file; by default, the content of the file decides.
        on_missing: policy for a segment of an SGML, XML or COCO file that a system or the references lack. ``stop``
            raises an error, ``skip`` leaves the segment out, ``empty`` scores an empty text if a system lacks it.
            Lines of plain text must always line up.

    Raises:
        ConfigError: if there is no hypothesis or no reference.
        InputError: if a file cannot be read, or files do not line up.
    """
    file_formats = input_formats((*files, *references)) if formats is None else formats
    text_formats = {path: form if form in TEXT_FORMATS else "plain" for path, form in file_formats.items()}
    hypotheses, references = _split_references(files, references, text_formats)
    if set(text_formats.values()) == {"plain"}:
        return _read_plain_systems(hypotheses, references, references_per_segment, encoding)
    if references_per_segment > 1:
        raise ConfigError(
            "--references-per-segment counts lines of a plain reference file; SGML, XML and COCO files say themselves "
            "what belongs together"
        )
    _check_formats(hypotheses, references, text_formats)
    return _read_structured_systems(hypotheses, references, text_formats, encoding, on_missing)


def _split_references(
    files: Sequence[str], references: Sequence[str], formats: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the hypothesis files and the reference files; the last file is the reference unless one is named."""
    if references:
        return list(files), list(references)
    if len(files) == 1 and formats[files[0]] == "wmt-xml":
        return list(files), list(files)
    if len(files) < 2:
        raise ConfigError("a reference is missing: give the hypotheses and, as the last file, the reference")
    return list(files[:-1]), [files[-1]]


def _check_formats(hypotheses: Sequence[str], references: Sequence[str], formats: Mapping[str, str]) -> None:
    """Raise InputError for formats that cannot be combined: COCO files with others, plain references with markup."""
    coco_path = next((path for path, form in formats.items() if form == "coco"), None)
    for path, form in formats.items():
        if (coco_path is not None and form != "coco") or (path in references and form == "plain"):
            raise InputError(
                f"{path} is {form}, and {coco_path or hypotheses[0]} is not; give hypotheses and references in one "
                "form, or plain hypotheses and SGML or XML references"
            )


def check_same_segments(systems: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> None:
    """Raise InputError unless all systems, given by name and references, have the same references."""
    for name, references in systems[1:]:
        if references != systems[0][1]:
            raise InputError(
                f"{name} and {systems[0][0]} are not of the same segments; only systems that are can be compared"
            )


def _read_plain_systems(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> list[System]:
    """Line up plain text files, one segment per line. The systems read the files each time they are scored."""
    if [*hypotheses, *references].count("-") > 1:
        raise InputError("standard input (-) can stand for one file only")
    if "-" in references and len(hypotheses) > 1:
        raise InputError("references from standard input can be read once only; give one system, or a file")
    size = _count_segments(hypotheses, references, references_per_segment, encoding)

    def read(path: str) -> Iterator[Segment]:
        columns = [read_segments(path, encoding=encoding)]
        for reference in references:
            # With n references per segment, column k holds the lines k, k + n, k + 2n and so on.
            copies = itertools.tee(read_segments(reference, encoding=encoding), references_per_segment)
            columns += [
                itertools.islice(copy, first_line, None, references_per_segment)
                for first_line, copy in enumerate(copies)
            ]
        for number, (hypothesis, *texts) in enumerate(itertools.zip_longest(*columns), 1):
            if hypothesis is None or None in texts:
                raise InputError(
                    "hypotheses and references do not line up: one of them ends after "
                    f"{count_of(number - 1, 'segment')}, others go on"
                )
            yield Segment(number, hypothesis, tuple(texts))

    names = _system_names(hypotheses)
    return [System(name, partial(read, path), size) for path, name in zip(hypotheses, names, strict=True)]


def _count_segments(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> int | None:
    """Return the number of segments; ``None`` if all texts are on standard input.

    All files are read once here, so that errors are reported before the first segment is scored.

    Raises:
        InputError: if a file cannot be read or is empty, or the files differ in length.
    """
    first_path, size = "", None
    for path in dict.fromkeys(path for path in (*hypotheses, *references) if path != "-"):
        line_count = sum(1 for _ in read_segments(path, encoding=encoding))
        count, remainder = divmod(line_count, references_per_segment if path in references else 1)
        if remainder:
            raise InputError(
                f"{path} has {count_of(line_count, 'line')}, which is not a multiple of {references_per_segment} "
                "references per segment"
            )
        if size is None:
            first_path, size = path, count
        if count != size:
            raise InputError(f"{first_path} has {count_of(size, 'segment')}, but {path} has {count}; {_MUST}")
        if not count:
            raise InputError(f"{path} is empty; there is nothing to score")
    return size


def _system_names(paths: Sequence[str]) -> list[str]:
    """Return the names of the systems: the shortest suffixes of the files' paths that are distinct."""
    parts = [Path(path).parts if path != "-" else ("standard input",) for path in paths]
    for length in range(1, max(map(len, parts), default=1) + 1):
        names = ["/".join(part[-length:]) for part in parts]
        if len(set(names)) == len(names):
            return names
    return list(paths)


def _read_structured_systems(
    hypotheses: Sequence[str], references: Sequence[str], formats: dict[str, str], encoding: str, on_missing: str
) -> list[System]:
    """Line up systems with references in SGML, XML or COCO files.

    The order of the segments is that of the first system's file, for all systems.
    """
    files = {path: read_collection(path, form, encoding=encoding) for path, form in formats.items() if form != "plain"}
    references_by_key = _collect_references(files[path] for path in references)
    sources = _collect_sources(files.values())
    outputs: list[tuple[str, dict[SegmentKey, str], str]] = []
    for path, file_name in zip(hypotheses, _system_names(hypotheses), strict=True):
        if path in files:
            for name, texts in files[path].of("hypothesis").items():
                description = f"{path}: system {name!r}" if name else path
                _check_segments(description, texts, references_by_key, on_missing)
                outputs.append((name or file_name, texts, formats[path]))
        else:
            lines = list(read_segments(path, encoding=encoding))
            if len(lines) != len(references_by_key):
                raise InputError(
                    f"{path} has {count_of(len(lines), 'segment')}, but the references have "
                    f"{len(references_by_key)}; {_MUST}"
                )
            outputs.append((file_name, dict(zip(references_by_key, lines, strict=True)), "plain"))
    order = dict.fromkeys(key for key in outputs[0][1] if key in references_by_key)
    order.update(dict.fromkeys(references_by_key))
    ids = segment_ids(order)
    systems = []
    for name, texts, form in outputs:
        segments = [
            Segment(ids[key], texts.get(key, ""), references_by_key[key], sources.get(key))
            for key in order
            if key in texts or on_missing == "empty"
        ]
        context = TextContext(kind="captions" if form == "coco" else "")
        systems.append(System.from_segments(name, segments, context))
    if on_missing == "skip":
        check_same_segments([(system.name, [segment.references for segment in system.read()]) for system in systems])
    return systems


def _collect_references(files: Iterable[Collection]) -> dict[SegmentKey, tuple[str, ...]]:
    """Return the references of each segment, in the order of the files."""
    references: dict[SegmentKey, list[str]] = {}
    for file in files:
        for texts in file.of("reference").values():
            for key, text in texts.items():
                references.setdefault(key, []).append(text)
    return {key: tuple(texts) for key, texts in references.items()}


def _collect_sources(files: Iterable[Collection]) -> dict[SegmentKey, str]:
    """Return the sources that the files contain, by segment."""
    return {key: text for file in files for texts in file.texts["source"].values() for key, text in texts.items()}


def _check_segments(
    system: str, texts: Mapping[SegmentKey, str], references: Mapping[SegmentKey, object], on_missing: str
) -> None:
    """Raise an error or warn, depending on ``--on-missing``, if system and references differ in segments."""
    if not any(key in texts for key in references):
        raise InputError(
            f"{system} and the references have no segment in common "
            f"(first segments: {next(iter(texts))} and {next(iter(references))})"
        )
    missing = [key for key in references if key not in texts]
    remedy = ", --on-missing empty scores empty texts for them"
    _report_missing(
        f"{system} lacks {len(missing)} of {count_of(len(references), 'segment')}", missing, on_missing, remedy
    )
    extra = [key for key in texts if key not in references]
    extra_policy = "stop" if on_missing == "empty" else on_missing
    _report_missing(f"{system} has {count_of(len(extra), 'segment')} that no reference has", extra, extra_policy, "")


def _report_missing(problem: str, keys: Sequence[SegmentKey], on_missing: str, remedy: str) -> None:
    """Raise an error or warn, depending on ``--on-missing``, if segments are missing."""
    if not keys:
        return
    problem = f"{problem} (the first is {keys[0]})"
    if on_missing == "stop":
        raise InputError(f"{problem}; --on-missing skip leaves them out{remedy}")
    warn_user(f"{problem}; they are {'scored as empty' if on_missing == 'empty' else 'left out'}")
