"""Read the systems to score from files of any text format, and line them up with their references."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from meteor_e.api.segments import Segment, System, TextContext
from meteor_e.base.errors import ConfigError, InputError, count_of, warn_user
from meteor_e.formats.documents import SegmentKey, TextCollection, segment_ids
from meteor_e.formats.inputs import TEXT_FORMATS, detect_formats, read_collection
from meteor_e.formats.plain import read_segments

_ALIGNMENT_RULE = "hypotheses and references must line up, one segment per line"


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
    file_formats = detect_formats((*files, *references)) if formats is None else formats
    text_formats = {path: form if form in TEXT_FORMATS else "plain" for path, form in file_formats.items()}
    hypotheses, references = _split_references(files, references, text_formats)
    if set(text_formats.values()) == {"plain"}:
        return _read_plain_systems(hypotheses, references, references_per_segment, encoding)
    if references_per_segment > 1:
        raise ConfigError(
            "--references-per-segment is for plain reference files; in SGML, XML and COCO files, segment ids assign "
            "references to segments"
        )
    _check_formats(hypotheses, references, text_formats)
    return _read_structured_systems(hypotheses, references, text_formats, encoding, on_missing)


def _split_references(
    files: Sequence[str], references: Sequence[str], formats: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the hypothesis files and the reference files. By default, the last file is the reference file."""
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
                "format, or plain hypotheses and SGML or XML references"
            )


def check_same_segments(systems: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> None:
    """Raise InputError if two systems have different references.

    Args:
        systems: the name of each system, and the references of each of its segments.
    """
    for name, references in systems[1:]:
        if references != systems[0][1]:
            raise InputError(
                f"{name} and {systems[0][0]} have different segments; systems can only be compared on the same segments"
            )


def _read_plain_systems(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> list[System]:
    """Return the systems of plain text files, one segment per line. Each scoring of a system reads its files again."""
    if [*hypotheses, *references].count("-") > 1:
        raise InputError("standard input (-) can be used for one file only")
    if "-" in references and len(hypotheses) > 1:
        raise InputError("references on standard input can be read only once; give one system, or a file")
    size = _count_segments(hypotheses, references, references_per_segment, encoding)

    read = partial(
        _read_plain_system, references=references, references_per_segment=references_per_segment, encoding=encoding
    )
    systems = []
    for path, name in zip(hypotheses, _system_names(hypotheses), strict=True):
        is_rereadable = "-" not in (path, *references)
        systems.append(System(name, partial(read, path), size, rereadable=is_rereadable))
    return systems


def _read_plain_system(
    path: str, references: Sequence[str], references_per_segment: int, encoding: str
) -> Iterator[Segment]:
    """Yield the segments of a system from a plain hypothesis file and plain reference files."""
    columns = [read_segments(path, encoding=encoding)]
    for reference in references:
        # With n references per segment, column k holds the lines k, k + n, k + 2n and so on.
        copies = itertools.tee(read_segments(reference, encoding=encoding), references_per_segment)
        for first_line, copy in enumerate(copies):
            columns.append(itertools.islice(copy, first_line, None, references_per_segment))
    for number, (hypothesis, *reference_texts) in enumerate(itertools.zip_longest(*columns), 1):
        if hypothesis is None or None in reference_texts:
            raise InputError(
                f"hypotheses and references do not line up: one file ends after {count_of(number - 1, 'segment')}, "
                "but other files continue"
            )
        yield Segment(number, hypothesis, tuple(reference_texts))


def _count_segments(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> int | None:
    """Return the number of segments; ``None`` if all texts are on standard input.

    All files are read once here, so that errors are reported before the first segment is scored.

    Raises:
        InputError: if a file cannot be read or is empty, or the files differ in length.
    """
    first_path, size = "", None
    for path in dict.fromkeys([*hypotheses, *references]):
        if path == "-":
            continue
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
            raise InputError(f"{first_path} has {count_of(size, 'segment')}, but {path} has {count}; {_ALIGNMENT_RULE}")
        if not count:
            raise InputError(f"{path} is empty; there is nothing to score")
    return size


def _system_names(paths: Sequence[str]) -> list[str]:
    """Return the names of the systems: the shortest suffixes of the files' paths that are distinct."""
    paths_parts = [("standard input",) if path == "-" else Path(path).parts for path in paths]
    max_length = max(map(len, paths_parts), default=1)
    for length in range(1, max_length + 1):
        names = ["/".join(parts[-length:]) for parts in paths_parts]
        if len(set(names)) == len(names):
            return names
    return list(paths)


class _SystemOutput(NamedTuple):
    """The hypotheses of a system by segment, and the format of their file."""

    name: str
    texts: dict[SegmentKey, str]
    form: str


def _read_structured_systems(
    hypotheses: Sequence[str], references: Sequence[str], formats: dict[str, str], encoding: str, on_missing: str
) -> list[System]:
    """Line up systems with references in SGML, XML or COCO files.

    All systems have the order of the first system's file.
    """
    files = {path: read_collection(path, form, encoding=encoding) for path, form in formats.items() if form != "plain"}
    references_by_key = _collect_references(files[path] for path in references)
    sources = _collect_sources(files.values())
    outputs: list[_SystemOutput] = []
    for path, file_name in zip(hypotheses, _system_names(hypotheses), strict=True):
        if path not in files:
            outputs.append(_SystemOutput(file_name, _read_plain_output(path, references_by_key, encoding), "plain"))
            continue
        for name, texts in files[path].texts_of("hypothesis").items():
            description = f"{path}: system {name!r}" if name else path
            _check_segments(description, texts, references_by_key, on_missing)
            outputs.append(_SystemOutput(name or file_name, texts, formats[path]))
    systems = _make_systems(outputs, references_by_key, sources, fill_missing=on_missing == "empty")
    if on_missing == "skip":
        check_same_segments([(system.name, [segment.references for segment in system.read()]) for system in systems])
    return systems


def _make_systems(
    outputs: Sequence[_SystemOutput],
    references: Mapping[SegmentKey, tuple[str, ...]],
    sources: Mapping[SegmentKey, str],
    *,
    fill_missing: bool,
) -> list[System]:
    """Return the systems with their references and sources, in the order of the first system.

    Args:
        outputs: the hypotheses of each system.
        references: the references of each segment.
        sources: the sources of segments.
        fill_missing: whether a missing hypothesis becomes an empty text. Otherwise, its segment is left out.
    """
    order = [key for key in outputs[0].texts if key in references]
    order += [key for key in references if key not in outputs[0].texts]
    ids = segment_ids(order)
    systems = []
    for output in outputs:
        segments = []
        for key in order:
            if key in output.texts or fill_missing:
                text = output.texts.get(key, "")
                segments.append(Segment(ids[key], text, references[key], sources.get(key)))
        context = TextContext(kind="captions" if output.form == "coco" else "")
        systems.append(System.from_segments(output.name, segments, context))
    return systems


def _read_plain_output(path: str, keys: Collection[SegmentKey], encoding: str) -> dict[SegmentKey, str]:
    """Return the lines of a plain hypothesis file by segment, in the order of the reference file."""
    lines = list(read_segments(path, encoding=encoding))
    if len(lines) != len(keys):
        raise InputError(
            f"{path} has {count_of(len(lines), 'segment')}, but the references have {len(keys)}; {_ALIGNMENT_RULE}"
        )
    return dict(zip(keys, lines, strict=True))


def _collect_references(files: Iterable[TextCollection]) -> dict[SegmentKey, tuple[str, ...]]:
    """Return the references of each segment, in the order of the files."""
    references: dict[SegmentKey, list[str]] = {}
    for file in files:
        for texts in file.texts_of("reference").values():
            for key, text in texts.items():
                references.setdefault(key, []).append(text)
    return {key: tuple(texts) for key, texts in references.items()}


def _collect_sources(files: Iterable[TextCollection]) -> dict[SegmentKey, str]:
    """Return the sources that the files contain, by segment."""
    sources: dict[SegmentKey, str] = {}
    for file in files:
        for texts in file.texts["source"].values():
            sources.update(texts)
    return sources


def _check_segments(
    system: str, texts: Mapping[SegmentKey, str], references: Mapping[SegmentKey, object], on_missing: str
) -> None:
    """Raise an error or warn, depending on ``--on-missing``, if a system and its references have different segments."""
    if not any(key in texts for key in references):
        raise InputError(
            f"{system} and the references have no segment in common "
            f"(first segments: {next(iter(texts))} and {next(iter(references))})"
        )
    missing = [key for key in references if key not in texts]
    problem = f"{system} lacks {len(missing)} of {count_of(len(references), 'segment')}"
    _report_missing(problem, missing, on_missing, remedy=", --on-missing empty scores empty texts for them")
    extra = [key for key in texts if key not in references]
    extra_policy = "stop" if on_missing == "empty" else on_missing
    problem = f"{system} has {count_of(len(extra), 'segment')} that no reference has"
    _report_missing(problem, extra, extra_policy, remedy="")


def _report_missing(problem: str, keys: Sequence[SegmentKey], on_missing: str, remedy: str) -> None:
    """Raise an error or warn, depending on ``--on-missing``, if segments are missing."""
    if not keys:
        return
    problem = f"{problem} (the first is {keys[0]})"
    if on_missing == "stop":
        raise InputError(f"{problem}; --on-missing skip leaves them out{remedy}")
    consequence = "scored as empty" if on_missing == "empty" else "left out"
    warn_user(f"{problem}; they are {consequence}")
