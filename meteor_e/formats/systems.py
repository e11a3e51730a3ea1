"""This module reads system outputs and references from plain text, SGML, WMT XML and COCO files."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from meteor_e.api.segments import Segment, System, TextContext
from meteor_e.base.errors import ConfigError, InputError, count_of, warn_user
from meteor_e.formats.documents import SegmentKey, TextCollection, segment_ids
from meteor_e.formats.inputs import TEXT_FORMATS, detect_format, read_collection
from meteor_e.formats.plain import read_segments

_ALIGNMENT_RULE = "hypotheses and references must line up, one segment per line"
_REFERENCES_PER_SEGMENT_ERROR = (
    "--references-per-segment is for plain reference files; in SGML, XML and COCO files, segment ids assign references "
    "to segments"
)


def read_systems(
    files: Sequence[str],
    references: Sequence[str] = (),
    references_per_segment: int = 1,
    encoding: str = "utf-8",
    formats: Mapping[str, str] | None = None,
    on_missing: str = "stop",
) -> list[System]:
    """Read system outputs from files, and assign the references to the segments.

    Plain text is aligned by line. SGML, XML and COCO files are aligned by document and segment id. The lines of a plain
    hypothesis file can also be aligned with the segments of an SGML or XML reference, in the order of the reference
    file. One XML file may contain hypotheses and references.

    Args:
        files: the hypothesis files, followed by the reference file unless there are ``references``.
        references: the reference files.
        references_per_segment: number of consecutive lines of a plain reference file that belong to one segment.
        encoding: encoding of plain text and SGML files.
        formats: the format of each file. By default, formats are detected.
        on_missing: policy for segments of SGML, XML or COCO files that a system or the references lack. ``stop``
            raises an error, ``skip`` skips the segment, and ``empty`` scores an empty text if a system lacks it. The
            policy does not apply to plain text, whose lines must always be aligned.

    Raises:
        ConfigError: if there are no hypotheses or no references.
        InputError: if a file cannot be read, or hypotheses and references do not line up.
    """
    text_formats = _select_text_formats([*files, *references], formats)
    hypothesis_paths, reference_paths = _split_references(files, references, text_formats)
    if set(text_formats.values()) == {"plain"}:
        return _read_plain_systems(hypothesis_paths, reference_paths, references_per_segment, encoding)
    if references_per_segment > 1:
        raise ConfigError(_REFERENCES_PER_SEGMENT_ERROR)
    _check_formats(hypothesis_paths, reference_paths, text_formats)
    return _read_structured_systems(hypothesis_paths, reference_paths, text_formats, encoding, on_missing)


def _select_text_formats(paths: Iterable[str], formats: Mapping[str, str] | None) -> dict[str, str]:
    """Return the format of each file. Files in table formats, such as CSV, are read as plain text."""
    if formats is None:
        formats = {path: detect_format(path) for path in paths}
    return {path: form if form in TEXT_FORMATS else "plain" for path, form in formats.items()}


def _split_references(
    files: Sequence[str], references: Sequence[str], formats: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """Return the hypothesis files and the reference files.

    If no reference files are given, the last file contains the references. A single XML file can contain all texts.
    """
    if references:
        return list(files), list(references)
    if len(files) == 1 and formats[files[0]] == "wmt-xml":
        return list(files), list(files)
    if len(files) < 2:
        raise ConfigError("a reference is missing: give the hypotheses and, as the last file, the reference")
    return list(files[:-1]), [files[-1]]


def _check_formats(hypotheses: Sequence[str], references: Sequence[str], formats: Mapping[str, str]) -> None:
    """Raise InputError if the formats of the files cannot be combined.

    COCO files can only be combined with other COCO files. Plain references require plain hypotheses.
    """
    coco_paths = [path for path, form in formats.items() if form == "coco"]
    for path, form in formats.items():
        if coco_paths and form != "coco":
            raise _format_error(path, form, coco_paths[0])
    for path in references:
        if formats[path] == "plain":
            raise _format_error(path, "plain", hypotheses[0])


def _format_error(path: str, form: str, other_path: str) -> InputError:
    """Return the error for a file that cannot be combined with another file because of its format."""
    return InputError(
        f"{path} is {form}, and {other_path} is not; give hypotheses and references in one "
        "format, or plain hypotheses and SGML or XML references"
    )


def check_same_segments(systems: Sequence[System]) -> None:
    """Raise InputError if two systems have different references. All segments must be in memory."""
    first_system = systems[0]
    first_references = [segment.references for segment in first_system.read()]
    for system in systems[1:]:
        if [segment.references for segment in system.read()] != first_references:
            raise InputError(
                f"{system.name} and {first_system.name} have different segments; systems can only be compared on the "
                "same segments"
            )


def _read_plain_systems(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> list[System]:
    """Return the systems in plain text files. The files are read again each time that a system is scored."""
    if [*hypotheses, *references].count("-") > 1:
        raise InputError("standard input (-) can be used for one file only")
    if "-" in references and len(hypotheses) > 1:
        raise InputError("references on standard input can be read only once; give one system, or a file")
    size = _count_segments(hypotheses, references, references_per_segment, encoding)
    systems = []
    for path, name in zip(hypotheses, _system_names(hypotheses), strict=True):
        read = partial(_read_plain_system, path, references, references_per_segment, encoding)
        systems.append(System(name, read, size, rereadable="-" not in (path, *references)))
    return systems


def _read_plain_system(
    path: str, references: Sequence[str], references_per_segment: int, encoding: str
) -> Iterator[Segment]:
    """Yield the segments of a system from a plain hypothesis file and plain reference files."""
    hypotheses = read_segments(path, encoding=encoding)
    reference_readers = [read_segments(reference_path, encoding=encoding) for reference_path in references]
    # zip_longest() reads one line per argument, so the reader of a file with two lines per segment is passed twice.
    repeated_readers = [reader for reader in reference_readers for _ in range(references_per_segment)]
    rows = itertools.zip_longest(hypotheses, *repeated_readers)
    for number, (hypothesis, *reference_texts) in enumerate(rows, 1):
        if hypothesis is None or None in reference_texts:
            raise InputError(
                f"hypotheses and references do not line up: one file ends after {count_of(number - 1, 'segment')}, "
                "but other files continue"
            )
        yield Segment(number, hypothesis, tuple(reference_texts))


def _count_segments(
    hypotheses: Sequence[str], references: Sequence[str], references_per_segment: int, encoding: str
) -> int | None:
    """Return the number of segments in plain text files, or ``None`` if standard input is the only file.

    Each file is read once, so that errors are reported before the first segment is scored.

    Raises:
        InputError: if a file cannot be read or is empty, or if the files differ in length.
    """
    # Standard input is not counted, because it can be read only once.
    lines_per_segment = {**dict.fromkeys(hypotheses, 1), **dict.fromkeys(references, references_per_segment)}
    lines_per_segment.pop("-", None)
    segment_counts = {path: _count_segments_of_file(path, n, encoding) for path, n in lines_per_segment.items()}
    if not segment_counts:
        return None
    first_path, first_count = next(iter(segment_counts.items()))
    if first_count == 0:
        raise InputError(f"{first_path} is empty; there is nothing to score")
    for path, count in segment_counts.items():
        if count != first_count:
            raise InputError(
                f"{first_path} has {count_of(first_count, 'segment')}, but {path} has {count}; {_ALIGNMENT_RULE}"
            )
    return first_count


def _count_segments_of_file(path: str, lines_per_segment: int, encoding: str) -> int:
    """Return the number of segments in a plain text file in which each segment has one or several lines."""
    line_count = sum(1 for _ in read_segments(path, encoding=encoding))
    if line_count % lines_per_segment:
        raise InputError(
            f"{path} has {count_of(line_count, 'line')}, which is not a multiple of {lines_per_segment} "
            "references per segment"
        )
    return line_count // lines_per_segment


def _system_names(paths: Sequence[str]) -> list[str]:
    """Name each system after the last parts of its path. Use as few parts as possible, but keep the names distinct."""
    paths_parts = [("standard input",) if path == "-" else Path(path).parts for path in paths]
    max_length = max((len(parts) for parts in paths_parts), default=1)
    for length in range(1, max_length + 1):
        names = ["/".join(parts[-length:]) for parts in paths_parts]
        if len(set(names)) == len(names):
            return names
    return list(paths)


class _SystemOutput(NamedTuple):
    """Store a system's hypotheses by segment."""

    name: str
    texts: dict[SegmentKey, str]


def _read_structured_systems(
    hypotheses: Sequence[str], references: Sequence[str], formats: dict[str, str], encoding: str, on_missing: str
) -> list[System]:
    """Read systems whose references are in SGML, XML or COCO files. The hypotheses may be plain text.

    The segments of every system are in the order of the first system's file.
    """
    files = {path: read_collection(path, form, encoding=encoding) for path, form in formats.items() if form != "plain"}
    references_by_key = _collect_references(files[path] for path in references)
    sources = _collect_sources(files.values())
    # Plain text is read after all references, because its lines are assigned to the segments of the references.
    for path in hypotheses:
        if path not in files:
            files[path] = _read_plain_output(path, references_by_key, encoding)
    outputs: list[_SystemOutput] = []
    for path, default_name in zip(hypotheses, _system_names(hypotheses), strict=True):
        outputs += _list_outputs(path, default_name, files[path], references_by_key, on_missing)
    # COCO files are only combined with other COCO files.
    context = TextContext(kind="captions" if "coco" in formats.values() else "")
    systems = _make_systems(outputs, references_by_key, sources, context)
    if on_missing == "skip":
        check_same_segments(systems)
    return systems


def _list_outputs(
    path: str,
    default_name: str,
    file: TextCollection,
    references: Mapping[SegmentKey, object],
    on_missing: str,
) -> Iterator[_SystemOutput]:
    """Yield the output of each system in a file. Files that contain only one system may omit its name."""
    for name, texts in file.texts_of("hypothesis").items():
        description = f"{path}: system {name!r}" if name else path
        checked_texts = _check_and_fill_texts(description, texts, references, on_missing)
        yield _SystemOutput(name or default_name, checked_texts)


def _make_systems(
    outputs: Sequence[_SystemOutput],
    references: Mapping[SegmentKey, tuple[str, ...]],
    sources: Mapping[SegmentKey, str],
    context: TextContext,
) -> list[System]:
    """Combine system outputs with references and sources.

    Args:
        outputs: the output of each system. Segments without a hypothesis or without references are skipped.
        references: the references of each segment.
        sources: the source texts by segment. Segments may lack a source.
        context: the context of the texts.
    """
    ids = segment_ids(_order_segments(outputs[0].texts, references))
    systems = []
    for output in outputs:
        segments = [
            Segment(segment_id, output.texts[key], references[key], sources.get(key))
            for key, segment_id in ids.items()
            if key in output.texts
        ]
        systems.append(System.from_segments(output.name, segments, context))
    return systems


def _order_segments(first_texts: Iterable[SegmentKey], references: Collection[SegmentKey]) -> list[SegmentKey]:
    """Return all segments with references: first in the order of the first system, then in the order of the references.

    Args:
        first_texts: the segments of the first system.
        references: the segments with references.
    """
    common_keys = [key for key in first_texts if key in references]
    return list(dict.fromkeys([*common_keys, *references]))


def _read_plain_output(path: str, keys: Collection[SegmentKey], encoding: str) -> TextCollection:
    """Assign the lines of a plain hypothesis file to the segments of the reference file, in order."""
    lines = list(read_segments(path, encoding=encoding))
    if len(lines) != len(keys):
        raise InputError(
            f"{path} has {count_of(len(lines), 'segment')}, but the references have {len(keys)}; {_ALIGNMENT_RULE}"
        )
    collection = TextCollection(path)
    for key, line in zip(keys, lines, strict=True):
        # A plain file contains the output of one system, which is named after the path.
        collection.add("hypothesis", "", key, line)
    return collection


def _collect_references(files: Iterable[TextCollection]) -> dict[SegmentKey, tuple[str, ...]]:
    """Return the references of each segment from all reference files, in the order of the files."""
    references: dict[SegmentKey, list[str]] = {}
    for file in files:
        for texts in file.texts_of("reference").values():
            for key, text in texts.items():
                references.setdefault(key, []).append(text)
    return {key: tuple(texts) for key, texts in references.items()}


def _collect_sources(files: Iterable[TextCollection]) -> dict[SegmentKey, str]:
    """Return the source text of each segment in the files."""
    sources: dict[SegmentKey, str] = {}
    for file in files:
        for texts in file.texts["source"].values():
            sources.update(texts)
    return sources


def _check_and_fill_texts(
    system: str, texts: Mapping[SegmentKey, str], references: Mapping[SegmentKey, object], on_missing: str
) -> dict[SegmentKey, str]:
    """Compare the segments of a system and its references, and raise an error or warn if they differ.

    Args:
        system: the description of the system for messages.
        texts: the hypotheses of the system by segment.
        references: a mapping whose keys are the segments with references.
        on_missing: the policy for missing segments: ``stop``, ``skip`` or ``empty``. Segments without references cause
            an error unless the policy is ``skip``.

    Returns:
        The hypotheses. With the policy ``empty``, missing hypotheses are replaced by empty texts.

    Raises:
        InputError: if there are no common segments, or if the policy does not allow the differences.
    """
    if not any(key in texts for key in references):
        raise InputError(
            f"{system} and the references have no segment in common "
            f"(first segments: {next(iter(texts))} and {next(iter(references))})"
        )
    missing_keys = [key for key in references if key not in texts]
    if missing_keys:
        _report_missing_segments(system, missing_keys, len(references), on_missing)
    extra_keys = [key for key in texts if key not in references]
    if extra_keys:
        _report_extra_segments(system, extra_keys, on_missing)
    if on_missing == "empty":
        return {**texts, **dict.fromkeys(missing_keys, "")}
    return dict(texts)


def _report_missing_segments(
    system: str, missing_keys: Sequence[SegmentKey], reference_count: int, on_missing: str
) -> None:
    """Report segments that a system lacks. The policy ``on_missing`` decides between an error and a warning."""
    segment_count = count_of(reference_count, "segment")
    problem = f"{system} lacks {len(missing_keys)} of {segment_count} (the first is {missing_keys[0]})"
    if on_missing == "stop":
        raise InputError(
            f"{problem}; --on-missing skip leaves them out, --on-missing empty scores empty texts for them"
        )
    consequence = "scored as empty" if on_missing == "empty" else "left out"
    warn_user(f"{problem}; they are {consequence}")


def _report_extra_segments(system: str, extra_keys: Sequence[SegmentKey], on_missing: str) -> None:
    """Report segments without a reference. The policy ``on_missing`` decides between an error and a warning."""
    segment_count = count_of(len(extra_keys), "segment")
    problem = f"{system} has {segment_count} that no reference has (the first is {extra_keys[0]})"
    if on_missing != "skip":
        raise InputError(f"{problem}; --on-missing skip leaves them out")
    warn_user(f"{problem}; they are left out")
