"""From the tags of TreeTagger's parameter files to universal tags, by the beginnings of their names.

The tag sets are those that TreeTagger's site links beside each parameter file: Penn Treebank (en), STTS (de), Stein's
(fr), CRATER (es), MULTEXT-East (ru). The longest beginning counts. Tags of other languages are unknown.
"""

from __future__ import annotations

UNIVERSAL: dict[str, dict[str, str]] = {
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
}


def universal_tag(tag: str, language: str) -> str | None:
    """Return the universal tag of a TreeTagger tag, ``None`` if it is not known."""
    table = UNIVERSAL.get(language, {})
    for length in range(len(tag), 0, -1):
        if tag[:length] in table:
            return table[tag[:length]]
    return None
