"""Extract the text of LibreOffice's help, one paragraph per line. Debian has a package for each language.

    apt-get download libreoffice-help-de && dpkg-deb -x libreoffice-help-de_*.deb help-de
    python benchmarks/data/manual_text.py help-de > de.txt
    meteor-e vectors train de.txt -l de

METEOR-E's word vectors are trained on Europarl, but the shared data contain only its English and French texts. The help
of LibreOffice is a short text about office software. In contrast to the texts of the shared tasks, it is not used for
tests. A paragraph that occurs in several pages is written only once.
"""

from __future__ import annotations

import argparse
import sys
from html.parser import HTMLParser
from pathlib import Path


class Paragraphs(HTMLParser):
    """Collects the text of paragraphs, table cells and headings."""

    blocks = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "td", "th", "div", "br"))
    hidden = frozenset(("script", "style", "head", "title", "nav", "header", "footer"))

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.paragraphs: list[str] = []
        self._parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Start a paragraph or an invisible element."""
        self._hidden += tag in self.hidden
        if tag in self.blocks:
            self.end()

    def handle_endtag(self, tag: str) -> None:
        """End a paragraph or an invisible element."""
        self._hidden -= tag in self.hidden
        if tag in self.blocks:
            self.end()

    def handle_data(self, data: str) -> None:
        """Add visible text to the paragraph."""
        if not self._hidden:
            self._parts.append(data)

    def end(self) -> None:
        """End a paragraph."""
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        if text.count(" ") >= 3:  # the labels of buttons do not show a word in context
            self.paragraphs.append(text)


def main(folder: str) -> None:
    """Print the distinct paragraphs of all pages. The pages are sorted by name."""
    distinct_texts: set[str] = set()
    for page in sorted(Path(folder).rglob("*.html")):
        parser = Paragraphs()
        parser.feed(page.read_text(encoding="utf-8"))
        parser.end()
        for text in parser.paragraphs:
            if text not in distinct_texts:
                distinct_texts.add(text)
                sys.stdout.write(text + "\n")


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="folder of the unpacked package")
    main(parser.parse_args().folder)
