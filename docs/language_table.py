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
HEAD = """# Table of languages

`python docs/language_table.py --write` makes this page from the {count} definitions in `resources/languages`.
[Any other language](languages.md) gets the generic definition of its script. `meteor-e languages` prints
the same, with your packs.

- **lemmas**: `pip install simplemma`.
- **synonyms**: `own` and `omw` by `meteor-e pack install CODE`, `dbnary` by `meteor-e dbnary install CODE`.
  Spanish and French have METEOR's own pack; their `omw` is read by the matcher [`wordnet`](synonyms.md).
- **function words**: `own` are those of METEOR's pack, `en` English ones, as METEOR 1.5 counts them.

{modules} languages have a stemmer or lemmas by name, {synonyms} synonyms by name, {words} function words.
Nothing by name is there for {others}.
"""
COLUMNS = ("code", "name", "stems", "lemmas", "synonyms", "function words", "segmenter")
EVIDENCE = """
## Evidence

`python benchmarks/languages/gates.py benchmarks/wmt{24,12,11,13}.yaml --write` measures what a resource changes in
the agreement with human judgments, beside exact matches alone: Kendall's τ inside a segment, with ties of the
metric as nothing, and its 95 % interval over 2,000 draws of segments. *Proven* and *harmful* have an interval that
leaves out 0. METEOR's languages keep what METEOR 1.5 has. The others get no resource by default, because none is
proven. `characters`, `jieba` and `icu` are segmenters instead of the language's own. The tables `omw` of Czech, German,
Russian and Spanish are those made from Wiktionary.

| language | resource | change | 95 % interval | verdict | by default |
|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    found = [builtin_language(code) for code in language_files()]
    rows = [describe(language) for language in found]
    for row in rows:
        row["code"] = f"`{row['code']}`"
    text = HEAD.format(
        count=len(rows),
        modules=sum(bool(row["stems"] or row["lemmas"]) for row in rows),
        synonyms=sum(bool(row["synonyms"]) for row in rows),
        words=sum(bool(row["function words"]) for row in rows),
        others=", ".join(f"{row['name']} ({row['code']})" for row in rows if not any(map(row.get, COLUMNS[2:6]))),
    )
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'---|' * len(COLUMNS)}"]
    lines += [
        f"| {' | '.join(spell(row[key]) for key in COLUMNS)} |" for row in rows if any(map(row.get, COLUMNS[2:6]))
    ]
    text += "\n" + "\n".join(lines) + "\n" + EVIDENCE
    for language in found:
        for name, known in language.evidence.items():
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
