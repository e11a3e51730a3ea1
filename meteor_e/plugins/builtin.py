"""The names and import paths of the components and commands that are part of meteor_e."""

from __future__ import annotations

COMMANDS = {
    "compat": ("Score", "Run a command line of the Java program, and write the same output."),
    "config": ("Plugins", "Check and show YAML chains."),
    "languages": ("Look", "List languages, their resources, and the measured effect of each resource."),
    "mbr": ("Score", "Choose the candidate with the best expected score (minimum Bayes risk decoding)."),
    "pack": ("Resources", "Install, build, list and remove resource packs."),
    "plugins": ("Plugins", "List matchers, metrics, chains and more, and where they come from."),
    "score": ("Score", "Score the outputs of systems against references."),
}
"""The heading in the help and the summary of each command."""


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
"""The matchers of METEOR 1.5, and matchers of lemmas and of similar words."""

METRICS = {
    "meteor": "meteor_e.meteor:Meteor",
    "chain": "meteor_e.metrics.meteor_chain:MeteorChain",
    "bleu": "meteor_e.metrics.sacrebleu_metrics:BleuMetric",
    "chrf": "meteor_e.metrics.sacrebleu_metrics:ChrfMetric",
    "chrf++": "meteor_e.metrics.sacrebleu_metrics:ChrfPlusMetric",
    "ter": "meteor_e.metrics.sacrebleu_metrics:TerMetric",
}
"""METEOR with any chain, and metrics of sacreBLEU."""

TABLE_FORMATS = {"csv": "meteor_e.formats.delimited:CsvFormat", "tsv": "meteor_e.formats.delimited:TsvFormat"}
"""Table formats that do not need a library."""

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
"""Output formats for terminals, programs, papers and WMT."""

LEMMATIZERS = {
    "none": "meteor_e.text.lemmatizers:NoLemmatizer",
    "lookup": "meteor_e.text.lemmatizers:LookupLemmatizer",
}
"""Lemmatizers that do not need a plugin."""

SEGMENTERS = {
    "unicode": "meteor_e.text.segmentation:UnicodeSegmenter",
    "characters": "meteor_e.text.segmentation:CharacterSegmenter",
    "script": "meteor_e.text.segmentation:ScriptSegmenter",
}
"""Segmentation by Unicode categories, into characters, or by one of these methods depending on the script."""
