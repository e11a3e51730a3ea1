"""Make the page language-table.md from the definitions of languages.

usage: python docs/language_table.py [--write]

Without --write it exits with 1 where the page is not current.
"""

from __future__ import annotations

import sys
from pathlib import Path

from meteor_e.cli.languages import describe, spell, verdict
from meteor_e.languages.files import builtin_language, language_files

PAGE = Path(__file__).parent / "language-table.md"
HEAD = """# What each language has

`python docs/language_table.py --write` makes this page from the {count} definitions in `resources/languages`.
`meteor-e languages` prints a table of them, with your packs. [Any other language](languages.md) gets the generic
definition of its script.

| resource | installed by | languages |
|---|---|---|
"""
RESOURCES = {
    "stems": "nothing",
    "lemmas": "`pip install simplemma`",
    "synonyms: own": "`meteor-e pack install CODE`",
    "synonyms: omw": "`meteor-e pack install CODE`",
    "synonyms: dbnary": "`meteor-e dbnary install CODE`",
    "function words: own": "METEOR's pack",
    "function words: en": "nothing: English ones, as METEOR 1.5 counts them",
}
EVIDENCE = """
Spanish and French have METEOR's own pack; the matcher [`wordnet`](synonyms.md) reads their `omw`.

## Evidence

`python benchmarks/languages/gates.py benchmarks/wmt{24,12,11,13}.yaml --write` measures what a resource changes in
the agreement with human judgments, beside exact matches alone: Kendall's τ inside a segment, with its 95 % interval
over 2,000 draws of segments. The table has the resources whose interval leaves out 0; `resources/languages` has all
figures. METEOR's languages keep what METEOR 1.5 has. The others get no resource by default.

| language | resource | change | 95 % interval | verdict | by default |
|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    found = [builtin_language(code) for code in language_files()]
    rows = [describe(language) for language in found]
    text = HEAD.format(count=len(rows))
    for title, how in RESOURCES.items():
        key, _, kind = title.partition(": ")
        names = [f"{row['name']} `{row['code']}`" for row in rows if row[key] and kind in spell(row[key])]
        text += f"| {title} | {how} | {', '.join(names)} |\n"
    text += EVIDENCE
    for language in found:
        for name, known in language.evidence.items():
            if known.verdict != "neutral":
                state = verdict(language, name).rpartition(" ")[2]
                figures = f"{known.change:+.4f} | {known.low:+.4f} to {known.high:+.4f} | {known.verdict}"
                text += f"| {language.name} | {name} | {figures} | {state} |\n"
    return text


def main() -> int:
    """Write the page, or say whether it is current."""
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page():
        print("docs/language-table.md is not current; run: python docs/language_table.py --write", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
