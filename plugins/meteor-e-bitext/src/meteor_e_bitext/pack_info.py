"""``meteor-e pack info``: what a pack holds, and how much of a text it knows."""

from __future__ import annotations

import json
from typing import Any

import click

from meteor_e.api import ResourceError
from meteor_e.base.progress import terminal_progress
from meteor_e.base.yamlfile import is_path
from meteor_e.formats.plain import read_segments
from meteor_e.packs.pack import CONTENTS, Pack, how_to_install
from meteor_e.packs.store import PackStore
from meteor_e.render.plain import count_or_no, isolated, printable
from meteor_e_bitext.coverage import coverage
from meteor_e_bitext.texts import pack_text


@click.command()
@click.argument("name", metavar="NAME|DIR")
@click.option("--text", metavar="FILE", help="Print how much of this text the pack covers; plain, gzip, bzip2 or xz.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(name: str, text: str | None, as_json: bool) -> None:
    """Verify a pack's files, and print what it holds, where it comes from, and how much of a text it covers.

    \b
    meteor-e pack info en
    meteor-e pack info oc-bitext --text references.oc
    """
    found = Pack(name) if is_path(name) else PackStore().get(name)
    manifest = found.manifest
    problems = found.verify()
    if problems:
        advice = how_to_install(found.name, again=True)
        raise ResourceError(f"pack {found.name!r} in {found.path} is damaged: {'; '.join(problems)}; {advice}")
    extra: dict[str, Any] = {}
    if text is not None:
        with terminal_progress() as progress:
            words = map(pack_text(found).words, read_segments(text))
            extra["coverage"] = coverage(found, words, progress=progress)._asdict()
    if as_json:
        shown = {**json.loads(manifest.to_json()), "digest": found.digest, "path": str(found.path), **extra}
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
        return
    lines = {
        "name": manifest.name,
        "language": manifest.language,
        "version": manifest.version,
        "digest": found.digest,
        "path": str(found.path),
        **{key.replace("_", " "): count_or_no(manifest.contents.get(key)) for key in CONTENTS},
        "size": f"{sum(file.size for file in manifest.files.values()):,} bytes",
        "licence": manifest.licence or "not stated",
        "built with": manifest.built_with,
    }
    for key, value in lines.items():
        click.echo(f"{key:16}{value}")
    for origin in manifest.sources:
        click.echo(f"{'source':16}{origin.name}  sha256 {origin.sha256}")
    for file_name, file in sorted(manifest.files.items()):
        click.echo(f"{'file':16}{file_name}  {file.size} bytes  sha256 {file.sha256}")
    if "coverage" in extra:
        _echo_coverage(extra["coverage"])


def _echo_coverage(found: dict[str, Any]) -> None:
    words = found["words"]

    def share(count: int) -> str:
        return f"{count:,} ({100 * count / words if words else 0:.1f} %)"

    click.echo(f"{'text':16}{words:,} words")
    click.echo(f"{'function words':16}{share(found['function_words'])}")
    click.echo(f"{'in the table':16}{share(found['paraphrased_words'])}, {found['phrases']:,} phrases")
    for phrase, count, others in found["frequent"]:
        click.echo(f"{'frequent':16}{count:,} x {_shown(phrase)}: {'; '.join(map(_shown, others))}")


def _shown(phrase: str) -> str:
    return isolated(printable(phrase))
