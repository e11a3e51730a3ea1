"""MkDocs hooks that generate pages when the site is built.

The generated pages are the reference of the command line, of the keys in YAML files and of the measures of agreement,
and the notebooks, which are run during the build.
"""

from __future__ import annotations

import base64
import inspect
import json
import re
from collections.abc import Iterable, Iterator
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
        *generate_command_pages(),
        ("reference/chain-keys.md", generate_chain_keys_page()),
        ("reference/index-keys.md", generate_index_keys_page()),
        ("reference/measures.md", generate_measures_page()),
    ):
        files.append(File.generated(config, path, content=content))
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        markdown, pictures = render_notebook(path)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=markdown))
        for name, data in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    return files


_REPOSITORY_LINK = re.compile(
    r"\[([^\]]*)\]"
    r"\((?:\.\./)+((?:plugins|meteor_e|benchmarks|examples|resources|tests|CITATION\.cff)(?:/[^)#]*)?)(?:#[^)]*)?\)"
)
"""A link to a file of the repository outside ``docs``. The groups are the link text and the path of the file."""


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace links to repository files that are not part of the site by the paths of the files."""
    return _REPOSITORY_LINK.sub(r"\1 (`\2`)", markdown)


_CROSS_REFERENCE = re.compile(r":(?:class|func|meth|attr|data|mod|exc|doc|ref):<code>~?\.?([^<]*)</code>")
"""A reStructuredText cross-reference of a docstring, whose target Markdown has already rendered as code."""

_CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
_RAW_MARKDOWN = re.compile(r".{0,40}(?:\*\*|\]\().{0,40}")
"""Markdown syntax that a page shows as text because it was not rendered."""


def on_page_content(html: str, **_: object) -> str:
    """Show the cross-references of docstrings as code.

    Raises:
        PluginError: if the page contains Markdown that was not rendered, such as an invalid link.
    """
    if raw_markdown := _RAW_MARKDOWN.search(_CODE.sub("", html)):
        raise PluginError(f"Markdown was not rendered: …{raw_markdown[0]}…")
    return _CROSS_REFERENCE.sub(r"<code>\1</code>", html)


def generate_command_pages() -> Iterator[tuple[str, str]]:
    """Yield a page for each heading of ``meteor-e --help``, with the help of its commands in alphabetical order."""
    context = click.Context(cli, info_name="meteor-e")
    for heading in ("Score", "Look", "Evaluate", "Train", "Resources", "Plugins"):
        lines = [f"# {heading}", "", "This page is generated from `meteor-e COMMAND --help`.", ""]
        for name in sorted(cli.list_commands(context)):
            command = cli.get_command(context, name)
            if find_command_heading(name) == heading and command is not None:
                lines += _describe_command(command, click.Context(command, info_name=f"meteor-e {name}"), 2)
        yield f"reference/commands-{heading.lower()}.md", "\n".join(lines) + "\n"


def find_command_heading(name: str) -> str:
    """Return the heading of ``meteor-e --help`` under which a command is listed."""
    if name in COMMANDS:
        return COMMANDS[name][0]
    note = load_command_notes().get(name)
    return note.group if note else "Plugins"


def _describe_command(command: click.Command, context: click.Context, level: int) -> Iterator[str]:
    """Yield the lines that describe a command and its subcommands, with a heading of the given level."""
    yield f"{'#' * level} {context.info_name}"
    yield ""
    yield "```text"
    yield command.get_help(context)
    yield "```"
    yield ""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            if subcommand is not None and not subcommand.hidden:
                subcontext = click.Context(subcommand, info_name=f"{context.info_name} {name}")
                yield from _describe_command(subcommand, subcontext, level + 1)


NOTEBOOKS = Path(__file__).parent / "notebooks"


def render_notebook(path: Path) -> tuple[str, dict[str, bytes]]:
    """Run a notebook in the repository's folder, and return its Markdown and its pictures by file name.

    Raises:
        CellExecutionError: if a cell fails, which fails the build.
    """
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(NOTEBOOKS.parents[1])}}).execute()
    blocks: list[str] = []
    pictures: dict[str, bytes] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            blocks.append(cell.source)
            continue
        blocks.append(_render_code(cell.source))
        output_blocks, cell_pictures = _render_outputs(cell.outputs, path.stem, len(pictures))
        blocks += output_blocks
        pictures.update(cell_pictures)
    blocks.insert(1, f"This page is the notebook `docs/notebooks/{path.name}`, run when the site was built.")
    return "\n\n".join(blocks) + "\n", pictures


def _render_code(source: str) -> str:
    """Return the code of a cell as a Markdown block. A cell that begins with ``!`` contains shell commands."""
    language = "bash" if source.startswith("!") else "python"
    code = re.sub("^!", "", source, flags=re.MULTILINE)
    return f"```{language}\n{code}\n```"


def _render_outputs(
    outputs: Iterable[dict[str, Any]], notebook_name: str, first_picture: int
) -> tuple[list[str], dict[str, bytes]]:
    """Return the outputs of a cell as Markdown blocks (text, tables, pictures), and its pictures by file name.

    Pictures are numbered from ``first_picture``.
    """
    text = ""
    tables: list[str] = []
    pictures: dict[str, bytes] = {}
    for output in outputs:
        data = output.get("data", {})
        if "image/png" in data:
            name = f"{notebook_name}-{first_picture + len(pictures)}.png"
            pictures[name] = base64.b64decode(data["image/png"])
        elif "text/html" in data:
            tables.append(f'<div class="notebook-table">{data["text/html"]}</div>')
        else:
            text += output.get("text", "") or data.get("text/plain", "")
    blocks = [f"```text\n{text.rstrip()}\n```"] if text.strip() else []
    blocks += tables
    blocks += [f"![The picture that the code draws]({name})" for name in pictures]
    return blocks, pictures


def generate_chain_keys_page() -> str:
    """Return the page that describes the keys of a chain file, generated from the schema that validates the file."""
    schema = json.loads(json_schema("chain"))
    definitions = schema.get("$defs", {})
    root = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
    lines = [
        "# Keys of a chain",
        "",
        "This page is generated from the schema that validates chain files, `resources/chain.schema.json`.",
        "",
        "| key | type | meaning |",
        "|---|---|---|",
    ]
    for name, entry in root["properties"].items():
        entry = {**definitions.get(entry.get("$ref", "").rpartition("/")[2], {}), **entry}
        lines.append(f"| `{name}` | {_describe_schema_type(entry, definitions)} | {entry.get('description', '')} |")
    return "\n".join(lines) + "\n"


def generate_measures_page() -> str:
    """Return the page that describes the measures of agreement, generated from their own descriptions."""
    intro = "`meteor-e evaluate --list-measures` prints the same. MTME is Google's mt-metrics-eval."
    return f"# Measures of agreement\n\n{intro}\n\n{measure_table()}\n"


def generate_index_keys_page() -> str:
    """Return the page that describes the keys of an index, generated from the types that validate the index."""
    lines = [
        "# Keys of an index",
        "",
        "An index lists the files of a test set with human judgments.",
        "This page is generated from the types that validate the index.",
        "[Agreement with people](../evaluation.md#data) has an example.",
    ]
    for title, struct in (
        ("The index", DataIndex),
        ("A language pair, in `pairs`", PairSpec),
        ("A file of judgments, in `judgments`", JudgmentSpec),
        ("`segment_map`", SegmentMap),
        ("`outputs`", OutputSpec),
    ):
        descriptions = _read_attribute_descriptions(struct)
        lines += ["", f"## {title}", "", "| key | type | meaning |", "|---|---|---|"]
        for field in msgspec.structs.fields(struct):
            if field.type is Path:  # the path of the index file, which is not a key
                continue
            type_name = describe_type(msgspec.inspect.type_info(field.type))
            if field.required:
                type_name += " (required)"
            lines.append(f"| `{field.encode_name}` | {type_name} | {descriptions[field.encode_name]} |")
    return "\n".join(lines) + "\n"


def _read_attribute_descriptions(struct: type) -> dict[str, str]:
    """Return the descriptions of a type's attributes, which stand in the docstring of the type."""
    section = (inspect.getdoc(struct) or "").partition("Attributes:\n")[2]
    descriptions: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        entry = re.match(r"    (\w[\w, ]*): (.*)", line)
        if entry is not None:
            names = entry[1].split(", ")
            descriptions.update(dict.fromkeys(names, entry[2]))
        else:
            # The line continues the previous description.
            descriptions.update({name: f"{descriptions[name]} {line.strip()}" for name in names})
    return {name: description.replace("``", "`").strip() for name, description in descriptions.items()}


_TYPE_NAMES = {"object": "mapping", "array": "list", "string": "text", "boolean": "true or false"}
"""The names of JSON types in the documentation. Other types have the same name as in JSON."""


def _describe_schema_type(entry: dict[str, Any], definitions: dict[str, Any]) -> str:
    """Return the type of a JSON schema's entry in words."""
    if "enum" in entry:
        return ", ".join(f"`{value}`" for value in entry["enum"])
    if "$ref" in entry:
        definition = definitions[entry["$ref"].rpartition("/")[2]]
        return _describe_schema_type(definition, definitions) if "enum" in definition else "mapping"
    if "anyOf" in entry:
        return " or ".join(dict.fromkeys(_describe_schema_type(option, definitions) for option in entry["anyOf"]))
    type_name = entry.get("type", "any")
    return _TYPE_NAMES.get(type_name, type_name)
