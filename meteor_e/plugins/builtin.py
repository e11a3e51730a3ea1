"""What meteor_e itself brings: where its classes are, by name. Plugins bring the same through hooks."""

from __future__ import annotations

from pathlib import Path

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


MATCHERS = {
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
"""The modules of METEOR 1.5, lemmas, and words that are alike in part."""

METRICS = {
    "meteor": "meteor_e.meteor:Meteor",
    "chain": "meteor_e.meteor:MeteorChain",
    "bleu": "meteor_e.metrics.sacrebleu_metrics:BleuMetric",
    "chrf": "meteor_e.metrics.sacrebleu_metrics:ChrfMetric",
    "chrf++": "meteor_e.metrics.sacrebleu_metrics:ChrfPlusMetric",
    "ter": "meteor_e.metrics.sacrebleu_metrics:TerMetric",
}
"""METEOR with any chain, and sacreBLEU's metrics."""

TABLE_FORMATS = {"csv": "meteor_e.formats.delimited:CsvFormat", "tsv": "meteor_e.formats.delimited:TsvFormat"}
"""Tables that need no library."""

OUTPUT_FORMATS = {
    "text": "meteor_e.render.plain:TextOutput",
    "tsv": "meteor_e.render.delimited:TsvOutput",
    "json": "meteor_e.render.documents:JsonOutput",
    "jsonl": "meteor_e.render.documents:JsonLinesOutput",
    "csv": "meteor_e.render.delimited:CsvOutput",
    "markdown": "meteor_e.render.markup:MarkdownOutput",
    "latex": "meteor_e.render.markup:LatexOutput",
    "wmt": "meteor_e.render.score_files:WmtOutput",
}
"""Output formats for people, programs, papers and WMT."""

LEMMATIZERS = {
    "none": "meteor_e.text.lemmatizers:NoLemmatizer",
    "lookup": "meteor_e.text.lemmatizers:LookupLemmatizer",
}
"""No lemmas, and lemmas from a file."""

SEGMENTERS = {
    "unicode": "meteor_e.text.segmentation:UnicodeSegmenter",
    "characters": "meteor_e.text.segmentation:CharacterSegmenter",
    "script": "meteor_e.text.segmentation:ScriptSegmenter",
}
"""Words by Unicode's categories, characters as words, and either by the script."""


def chain_folder() -> Path:
    """Return the folder of meteor_e's chains."""
    from meteor_e.languages.files import RESOURCES

    return RESOURCES / "chains"
