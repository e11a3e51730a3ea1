"""Pages that are made when the site is built: the command line, the keys of files, and notebooks, which are run."""

from __future__ import annotations

import base64
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import nbformat
from meteor_e_evaluation.index import DataIndex, JudgmentSpec, OutputSpec, PairSpec, SegmentMap
from meteor_e_evaluation.measures import measure_table
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from nbclient import NotebookClient

from meteor_e.base.checked import describe_type
from meteor_e.chains.schemas import json_schema
from meteor_e.cli.program import cli
from meteor_e.plugins.builtin import COMMANDS
from meteor_e.plugins.distributions import load_command_notes


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for path, content in (
        *command_pages(),
        ("reference/chain-keys.md", chain_keys()),
        ("reference/index-keys.md", index_keys()),
        ("reference/measures.md", measures()),
    ):
        files.append(File.generated(config, path, content=content))
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        text, pictures = notebook(path)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
        for name, data in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    return files


_OUTSIDE = re.compile(
    r"\[([^\]]*)\]"
    r"\((?:\.\./)+((?:plugins|meteor_e|benchmarks|examples|resources|tests|CITATION\.cff)(?:/[^)#]*)?)(?:#[^)]*)?\)"
)
"""A link to a file of the repository beside ``docs``: its text, and the file."""


def on_page_markdown(markdown: str, **_: object) -> str:
    """Name files of the repository that are not part of the site, instead of linking to them."""
    return _OUTSIDE.sub(r"\1 (`\2`)", markdown)


_ROLE = re.compile(r":(?:class|func|meth|attr|data|mod|exc|doc|ref):<code>~?\.?([^<]*)</code>")
"""A cross reference as docstrings write it, after Markdown has made code of its target."""

_CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
_LEFT = re.compile(r".{0,40}(?:\*\*|\]\().{0,40}")
"""What a page shows where Markdown was taken for text."""


def on_page_content(html: str, **_: object) -> str:
    """Show a cross reference of a docstring as code.

    Raises:
        PluginError: if Markdown is left, such as a link that is not one.
    """
    if left := _LEFT.search(_CODE.sub("", html)):
        raise PluginError(f"Markdown was not rendered: …{left[0]}…")
    return _ROLE.sub(r"<code>\1</code>", html)


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield a page per heading of ``meteor-e --help``, with the help of its commands in the order of the alphabet."""
    context = click.Context(cli, info_name="meteor-e")
    for heading in ("Score", "Look", "Evaluate", "Train", "Resources", "Plugins"):
        lines = [f"# {heading}", "", "This page is made from `meteor-e COMMAND --help`.", ""]
        for name in sorted(cli.list_commands(context)):
            command = cli.get_command(context, name)
            if command_heading(name) == heading and command is not None:
                lines += _command(command, click.Context(command, info_name=f"meteor-e {name}"), 2)
        yield f"reference/commands-{heading.lower()}.md", "\n".join(lines) + "\n"


def command_heading(name: str) -> str:
    """Return the heading of ``meteor-e --help`` under which a command is listed."""
    if name in COMMANDS:
        return COMMANDS[name][0]
    note = load_command_notes().get(name)
    return note.group if note else "Plugins"


def _command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    yield f"{'#' * level} {context.info_name}"
    yield ""
    yield "```text"
    yield command.get_help(context)
    yield "```"
    yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from _command(inner, click.Context(inner, info_name=f"{context.info_name} {name}"), level + 1)


NOTEBOOKS = Path(__file__).parent / "notebooks"


def notebook(path: Path) -> tuple[str, dict[str, bytes]]:
    """Run a notebook from top to bottom in the repository's folder; return its Markdown and its pictures by name.

    Raises:
        CellExecutionError: if a cell fails, which fails the build.
    """
    content = nbformat.read(path, as_version=4)
    NotebookClient(content, timeout=600, resources={"metadata": {"path": str(NOTEBOOKS.parents[1])}}).execute()
    parts: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in content.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        shell = cell.source.startswith("!")
        parts.append(f"```{'bash' if shell else 'python'}\n{re.sub('^!', '', cell.source, flags=re.MULTILINE)}\n```")
        text = ""
        tables: list[str] = []
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" in data:
                name = f"{path.stem}-{len(pictures)}.png"
                pictures[name] = base64.b64decode(data["image/png"])
            elif "text/html" in data:
                tables.append(f'<div class="notebook-table">{data["text/html"]}</div>')
            else:
                text += output.get("text", "") or data.get("text/plain", "")
        if text.strip():
            parts.append(f"```text\n{text.rstrip()}\n```")
        parts += tables
        parts += [f"![The picture that the code draws]({name})" for name in pictures if f"]({name})" not in str(parts)]
    parts.insert(1, f"This page is the notebook `docs/notebooks/{path.name}`, run when the site was built.")
    return "\n\n".join(parts) + "\n", pictures


def chain_keys() -> str:
    """Return the page of a chain's keys, from the schema that checks them."""
    schema = json.loads(json_schema("chain"))
    definitions = schema.get("$defs", {})
    root = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
    lines = [
        "# Keys of a chain",
        "",
        "This page is made from the schema that checks chain files. `resources/chain.schema.json` is the same as JSON.",
        "",
        "| key | type | meaning |",
        "|---|---|---|",
    ]
    for name, entry in root["properties"].items():
        entry = {**definitions.get(entry.get("$ref", "").rpartition("/")[2], {}), **entry}
        lines.append(f"| `{name}` | {_type(entry, definitions)} | {entry.get('description', '')} |")
    return "\n".join(lines) + "\n"


def measures() -> str:
    """Return the page of measures of agreement, as the measures describe themselves."""
    intro = "`meteor-e evaluate --list-measures` prints the same. MTME is Google's mt-metrics-eval."
    return f"# Measures of agreement\n\n{intro}\n\n{measure_table()}\n"


def index_keys() -> str:
    """Return the page of an index's keys, from the types that check it and their descriptions."""
    lines = [
        "# Keys of an index",
        "",
        "An index says where the files of a judged test set are. This page is made from the types that check it.",
        "[Agreement with people](../evaluation.md#data) has an example.",
    ]
    for title, struct in (
        ("The index", DataIndex),
        ("A language pair, in `pairs`", PairSpec),
        ("A file of judgments, in `judgments`", JudgmentSpec),
        ("`segment_map`", SegmentMap),
        ("`outputs`", OutputSpec),
    ):
        described = _attributes(struct)
        lines += ["", f"## {title}", "", "| key | type | meaning |", "|---|---|---|"]
        for field in msgspec.structs.fields(struct):
            if field.type is Path:  # where the index was read from
                continue
            kind = describe_type(msgspec.inspect.type_info(field.type)) + (" (required)" if field.required else "")
            lines.append(f"| `{field.encode_name}` | {kind} | {described[field.encode_name]} |")
    return "\n".join(lines) + "\n"


def _attributes(struct: type) -> dict[str, str]:
    """Return what the docstring of a type says of each attribute."""
    text = (inspect.getdoc(struct) or "").partition("Attributes:\n")[2]
    found: dict[str, str] = {}
    names: list[str] = []
    for line in text.splitlines():
        entry = re.match(r"    (\w[\w, ]*): (.*)", line)
        if entry is not None:
            names = entry[1].split(", ")
            found.update(dict.fromkeys(names, entry[2]))
        else:
            found.update({name: f"{found[name]} {line.strip()}" for name in names})
    return {name: meaning.replace("``", "`").strip() for name, meaning in found.items()}


def _type(entry: dict[str, Any], definitions: dict[str, Any]) -> str:
    if "enum" in entry:
        return ", ".join(f"`{value}`" for value in entry["enum"])
    if "$ref" in entry:
        name = entry["$ref"].rpartition("/")[2]
        return _type(definitions[name], definitions) if "enum" in definitions[name] else "mapping"
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_type(option, definitions) for option in entry["anyOf"]))
    return {"object": "mapping", "array": "list", "string": "text", "boolean": "true or false"}.get(
        entry.get("type", ""), entry.get("type", "any")
    )
