"""Convert TreeTagger and HanTa tags to universal tags, based on the longest known prefix of each tag.

The tag sets of TreeTagger are those that its site links for each parameter file: Penn Treebank (en), STTS (de), Stein's
tag set (fr), CRATER (es), and MULTEXT-East (ru). The tag sets of HanTa are STTS (de), C5 of the British National Corpus
(en-c5), and the tag set of the Spoken Dutch Corpus (nl). Tags of other sets are unknown.
"""

from __future__ import annotations

UNIVERSAL_TAGS: dict[str, dict[str, str]] = {
    "en": {
        **{"CC": "CCONJ", "CD": "NUM", "DT": "DET", "EX": "PRON", "IN": "ADP", "JJ": "ADJ", "MD": "AUX", "NN": "NOUN"},
        **{"NP": "PROPN", "NNP": "PROPN", "PDT": "DET", "POS": "PART", "PP": "PRON", "PRP": "PRON", "RB": "ADV"},
        **{"RP": "ADP", "SENT": "PUNCT", "SYM": "SYM", "TO": "PART", "UH": "INTJ", "V": "VERB", "WDT": "DET"},
        **{"WP": "PRON", "WRB": "ADV", ",": "PUNCT", ":": "PUNCT", "(": "PUNCT", ")": "PUNCT", "''": "PUNCT"},
        **{"``": "PUNCT", "$": "SYM", "#": "SYM", "FW": "X", "LS": "X"},
    },
    "de": {
        **{"ADJ": "ADJ", "ADV": "ADV", "AP": "ADP", "ART": "DET", "CARD": "NUM", "FM": "X", "ITJ": "INTJ"},
        **{"KO": "CCONJ", "KOUS": "SCONJ", "KOUI": "SCONJ", "NN": "NOUN", "NE": "PROPN", "PD": "PRON", "PI": "PRON"},
        **{"PPER": "PRON", "PPOS": "PRON", "PREL": "PRON", "PRF": "PRON", "PW": "PRON", "PWAV": "ADV", "PAV": "ADV"},
        **{"PROAV": "ADV", "PTK": "PART", "PDAT": "DET", "PIAT": "DET", "PIDAT": "DET", "PPOSAT": "DET"},
        **{"TRUNC": "X", "V": "VERB", "VA": "AUX", "VM": "AUX", "XY": "X", "$": "PUNCT"},
    },
    "fr": {
        **{"ABR": "X", "ADJ": "ADJ", "ADV": "ADV", "DET": "DET", "INT": "INTJ", "KON": "CCONJ", "NAM": "PROPN"},
        **{"NOM": "NOUN", "NUM": "NUM", "PRO": "PRON", "PRP": "ADP", "PUN": "PUNCT", "SENT": "PUNCT", "SYM": "SYM"},
        **{"VER": "VERB"},
    },
    "es": {
        **{"ADJ": "ADJ", "ADV": "ADV", "ART": "DET", "CARD": "NUM", "CC": "CCONJ", "CQUE": "SCONJ", "CS": "SCONJ"},
        **{"CM": "PUNCT", "COLON": "PUNCT", "DASH": "PUNCT", "DM": "PRON", "DOTS": "PUNCT", "FO": "X", "FS": "PUNCT"},
        **{"INT": "PRON", "ITJN": "INTJ", "LP": "PUNCT", "RP": "PUNCT", "QT": "PUNCT", "SEMICOLON": "PUNCT"},
        **{"NC": "NOUN", "NM": "NOUN", "NP": "PROPN", "ORD": "ADJ", "PAL": "ADP", "PDEL": "ADP", "PP": "PRON"},
        **{"PREP": "ADP", "QU": "DET", "REL": "PRON", "SE": "PRON", "SLASH": "PUNCT", "NEG": "PART", "V": "VERB"},
        **{"VE": "AUX", "VH": "AUX", "VM": "AUX", "VS": "AUX"},
    },
    "ru": {
        **{"A": "ADJ", "C": "CCONJ", "Cs": "SCONJ", "I": "INTJ", "M": "NUM", "N": "NOUN", "Np": "PROPN", "P": "PRON"},
        **{"Q": "PART", "R": "ADV", "S": "ADP", "SENT": "PUNCT", "V": "VERB", "Va": "AUX", "Y": "X", "-": "PUNCT"},
        **{",": "PUNCT"},
    },
    "en-c5": {
        **{"AJ": "ADJ", "AT": "DET", "AV": "ADV", "AVP": "ADP", "CJC": "CCONJ", "CJ": "SCONJ", "CRD": "NUM"},
        **{"DPS": "PRON", "DT": "DET", "EX": "PRON", "IN": "ADP", "ITJ": "INTJ", "NN": "NOUN", "NP": "PROPN"},
        **{"ORD": "ADJ", "PN": "PRON", "POS": "PART", "PR": "ADP", "PU": "PUNCT", "TO": "PART", "V": "VERB"},
        **{"VB": "AUX", "VM": "AUX", "XX": "PART", "UNC": "X", "ZZ": "X", "!!!": "X"},
    },
    "nl": {
        **{"ADJ": "ADJ", "BW": "ADV", "LET": "PUNCT", "LID": "DET", "N": "NOUN", "N(eigen": "PROPN", "SPEC": "X"},
        **{"SPEC(symb": "SYM", "TSW": "INTJ", "TW": "NUM", "TW(rang": "ADJ", "VG(neven": "CCONJ"},
        **{"VG(onder": "SCONJ", "VNW": "PRON", "VNW(aanw,det": "DET", "VNW(aanw,adv": "ADV", "VNW(onbep,det": "DET"},
        **{"VNW(onbep,adv": "ADV", "VNW(onbep,grad": "DET", "VNW(vb,adv": "ADV", "VNW(vb,det": "DET"},
        **{"VZ": "ADP", "WW": "VERB"},
    },
}
"""The universal tags of tag prefixes, by tag set."""


def universal_tag(tag: str, tag_set: str) -> str | None:
    """Return the universal tag that corresponds to a tag, or ``None`` if the tag is unknown.

    Args:
        tag: a tag of TreeTagger or HanTa.
        tag_set: the code of a language, or ``en-c5``.
    """
    universal_tags = UNIVERSAL_TAGS.get(tag_set, {})
    for length in range(len(tag), 0, -1):
        prefix = tag[:length]
        if prefix in universal_tags:
            return universal_tags[prefix]
    return None
