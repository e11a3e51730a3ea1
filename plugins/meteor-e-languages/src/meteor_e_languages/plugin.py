"""Register the components of meteor-e-languages as plugins."""

from __future__ import annotations

from meteor_e import hookimpl


@hookimpl
def meteor_e_lemmatizers() -> dict[str, str]:
    """Return the lemmatizers."""
    return {
        "auto": "meteor_e_languages.lemmatizers.simplemma_tables:AutoLemmatizer",
        "hanta": "meteor_e_languages.lemmatizers.hanta:HantaLemmatizer",
        "simplemma": "meteor_e_languages.lemmatizers.simplemma_tables:SimplemmaLemmatizer",
        "treetagger": "meteor_e_languages.lemmatizers.treetagger:TreeTaggerLemmatizer",
        "udpipe": "meteor_e_languages.lemmatizers.udpipe:UdpipeLemmatizer",
    }


@hookimpl
def meteor_e_matchers() -> dict[str, str]:
    """Return the matchers of synonyms."""
    return {
        "dbnary": "meteor_e_languages.dbnary.matcher:DbnaryMatcher",
        "wordnet": "meteor_e_languages.wordnet.matcher:WordnetMatcher",
    }


@hookimpl
def meteor_e_java_modules() -> dict[str, str]:
    """Return the class that converts METEOR-E's Java module ``synonym`` to a matcher for ``meteor-e compat``."""
    return {"synonym": "meteor_e_languages.dbnary.java_module:SynonymModule"}


@hookimpl
def meteor_e_segmenters() -> dict[str, str]:
    """Return the segmenters."""
    return {
        "jieba": "meteor_e_languages.segmenters.chinese:JiebaSegmenter",
        "fugashi": "meteor_e_languages.segmenters.japanese:FugashiSegmenter",
        "icu": "meteor_e_languages.segmenters.icu:IcuSegmenter",
        "mecab-ko": "meteor_e_languages.segmenters.korean:KoreanSegmenter",
    }


@hookimpl
def meteor_e_commands() -> dict[str, str]:
    """Return the command ``meteor-e dbnary`` and a hidden command that installs packs of Wordnet synonyms."""
    return {
        "dbnary": "meteor_e_languages.dbnary.command:dbnary",
        "pack synonyms": "meteor_e_languages.install:synonyms_command",
    }
