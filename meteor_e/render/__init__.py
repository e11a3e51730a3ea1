"""How results are written: text, TSV, CSV, JSON, Markdown, LaTeX and WMT's score files."""

from meteor_e.base.lazy import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
