"""What meteor_e itself brings, through the hooks that everybody uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from meteor_e.api.hooks import hookimpl

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


COMMANDS = {
    "compat": ("Score", "Take the Java program's command line and write what it writes."),
    "config": ("Plugins", "Check and show YAML chains."),
    "languages": ("Look", "List languages, their resources, and what these change in agreement with people."),
    "mbr": ("Score", "Choose the candidate with the best expected score (minimum Bayes risk decoding)."),
    "pack": ("Resources", "Install, build, list and remove resource packs."),
    "plugins": ("Plugins", "List matchers, metrics, chains and more, and where they come from."),
    "score": ("Score", "Score the outputs of systems against references."),
}
"""The commands, the heading of each in the help, and what it is for.

The module of a command in :mod:`meteor_e.cli` has its name, "_" for "-"."""


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """The modules of METEOR 1.5, lemmas, and words that are alike in part."""
    return {
        "exact": "meteor_e.matchers.modules:ExactMatcher",
        "stem": "meteor_e.matchers.modules:StemMatcher",
        "synonym": "meteor_e.matchers.modules:SynonymMatcher",
        "paraphrase": "meteor_e.matchers.modules:ParaphraseMatcher",
        "lemma": "meteor_e.matchers.modules:LemmaMatcher",
        "characters": "meteor_e.matchers.pieces:CharactersMatcher",
        "ngram": "meteor_e.matchers.pieces:NgramMatcher",
        "prefix": "meteor_e.matchers.pieces:PrefixMatcher",
        "subsequence": "meteor_e.matchers.pieces:SubsequenceMatcher",
    }


@hookimpl
def meteor_e_metrics() -> dict[str, str]:
    """METEOR with any chain, sacreBLEU's metrics, and Python objects."""
    return {
        "meteor": "meteor_e.meteor:Meteor",
        "chain": "meteor_e.meteor:MeteorChain",
        "bleu": "meteor_e.metrics.sacrebleu_metrics:BleuMetric",
        "chrf": "meteor_e.metrics.sacrebleu_metrics:ChrfMetric",
        "chrf++": "meteor_e.metrics.sacrebleu_metrics:ChrfPlusMetric",
        "ter": "meteor_e.metrics.sacrebleu_metrics:TerMetric",
    }


@hookimpl
def meteor_e_table_formats() -> dict[str, str]:
    """Tables that need no library."""
    return {"csv": "meteor_e.formats.delimited:CsvFormat", "tsv": "meteor_e.formats.delimited:TsvFormat"}


@hookimpl
def meteor_e_output_formats() -> dict[str, str]:
    """For people, programs, papers and WMT."""
    return {
        "text": "meteor_e.render.plain:TextOutput",
        "tsv": "meteor_e.render.delimited:TsvOutput",
        "json": "meteor_e.render.documents:JsonOutput",
        "jsonl": "meteor_e.render.documents:JsonLinesOutput",
        "csv": "meteor_e.render.delimited:CsvOutput",
        "markdown": "meteor_e.render.markup:MarkdownOutput",
        "latex": "meteor_e.render.markup:LatexOutput",
        "wmt": "meteor_e.render.score_files:WmtOutput",
    }


@hookimpl
def meteor_e_lemmatizers() -> dict[str, str]:
    """No lemmas, and lemmas from a file."""
    return {
        "none": "meteor_e.text.lemmatizers:NoLemmatizer",
        "lookup": "meteor_e.text.lemmatizers:LookupLemmatizer",
    }


@hookimpl
def meteor_e_segmenters() -> dict[str, str]:
    """Words by Unicode's categories, characters as words, and either by the script."""
    return {
        "unicode": "meteor_e.text.segmentation:UnicodeSegmenter",
        "characters": "meteor_e.text.segmentation:CharacterSegmenter",
        "script": "meteor_e.text.segmentation:ScriptSegmenter",
    }


@hookimpl
def meteor_e_language_files() -> dict[str, Traversable]:
    """METEOR's languages, under ISO's codes and the Java program's, and those that it never had."""
    from meteor_e.api.languages import ISO_CODES
    from meteor_e.languages.files import language_files

    files = language_files()
    return {**files, **{java: files[iso] for java, iso in ISO_CODES.items()}}


@hookimpl
def meteor_e_chains() -> dict[str, Traversable]:
    """The chains in ``resources/chains``."""
    from meteor_e.languages.files import RESOURCES

    return {file.stem: file for file in (RESOURCES / "chains").glob("*.yaml")}


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """The commands of the command line."""
    modules = {name: name.replace("-", "_") for name in COMMANDS}
    return {name: f"meteor_e.cli.{module}:{module}" for name, module in modules.items()}
